"""The fit finds the serial parts that made up times have, and leaves out what was disturbed."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.calibration.threads import (
    ThreadPoint,
    fit_threads,
    left_out_errors,
    solve,
    thread_jobs,
    thread_points,
)
from fheasible.errors import LibraryMissing
from fheasible.estimation.threads import Serial, ThreadModel, loop_limbs, ratio
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.job import Job
from fheasible.measurement.records import Context, Hello, MeasuredSizes, Measurement, Phases, ResidentMemory
from fheasible.measurement.sampled import Record
from fheasible.measurement.samples import Timing
from fheasible.measurement.sampling import Attempt, sample
from fheasible.program.types import Action

OPENFHE = CATALOGUE["openfhe"]
SMALL = {12: (3,), 13: (5,)}
HELLO = Hello("openfhe", "1.6.1", "openfhe 1.6.1", {}, "CPython 3.10", ("ckks",), ("add",))
SERIAL = {"add": Serial(0, 0.5), "rotate": Serial(0.25, 0.1), "rescale": Serial(1, 0), "drop": Serial(0, 1)}
DECRYPTION, KEYGEN = Serial(0, 0.2), Serial(0, 0.75)


def a_point(limbs: int, seconds_ratio: float, n: int = 4096, action: str = "mul") -> ThreadPoint:
    return ThreadPoint("ckks", action, n, limbs, 0, 2, 1e-3, seconds_ratio)


def time_of(job: Job, action: str, limbs: int, serial: Serial) -> float:
    """Wall seconds: a microsecond a limb with one thread, and less with more as the serial part has it."""
    loop = loop_limbs(action, limbs, len(job.parameters.p))
    return 1e-6 * job.parameters.ring_dimension * limbs * ratio(serial, loop, job.plan.threads)


def idle_machine(job: Job) -> Attempt:
    """Every operation takes what SERIAL says; the executing thread runs all the time."""
    top = job.parameters.limbs
    seconds = [
        time_of(job, o.action, o.computes_at + 1, SERIAL.get(o.action.value, Serial(0, 1)))
        for o in job.program.operations
    ]
    operations = np.repeat(np.array([seconds, seconds]).T[None], 2, axis=0)
    phases = Phases(
        *(Timing.of_pairs([(s, s)]) for s in (1.0, time_of(job, "keygen", top, KEYGEN), 1.0, 1.0)),
        Timing.of_pairs([(time_of(job, "decrypt", top, DECRYPTION),) * 2]),
    )
    context = Context(job.parameters.ring_dimension, job.parameters.q)
    return Attempt(
        "measured",
        "",
        Measurement(HELLO, context, phases, MeasuredSizes(), ResidentMemory(), operations),
        HELLO,
    )


def busy_machine(job: Job) -> Attempt:
    """With several threads the first repetition of every operation, and both of each addition, wait."""
    quiet = idle_machine(job)
    assert quiet.measurement is not None
    assert quiet.measurement.operations is not None
    samples = quiet.measurement.operations.copy()
    if job.plan.threads > 1:
        additions = [o.action is Action.ADD for o in job.program.operations]
        samples[0, :, 1] += 0.008
        samples[1, additions, 1] += 0.008
    return replace(quiet, measurement=replace(quiet.measurement, operations=samples))


def campaign(machine: object = idle_machine, **choice: object) -> list[Record]:
    jobs = thread_jobs(OPENFHE, schemes=("ckks",), **({"limbs": SMALL} | choice))  # type: ignore[arg-type]
    return sample(jobs, None, "threads", 2, run=machine)  # type: ignore[arg-type]


def test_every_context_is_run_with_one_thread_and_with_several() -> None:
    jobs = thread_jobs(OPENFHE, (2, 4), SMALL)
    found = [(j.parameters.scheme, j.parameters.ring_dimension, j.plan.threads) for j in jobs]
    assert found == [(s, n, t) for s in OPENFHE.schemes for n in (4096, 8192) for t in (1, 2, 4)]
    assert {j.parameters.limbs for j in jobs if j.parameters.scheme == "ckks"} == {3, 5}
    levels = {o.level for o in jobs[3].program.operations}
    assert levels == set(range(jobs[3].parameters.levels + 1)), "loops of even and odd lengths"


def test_the_serial_parts_that_made_the_times_are_found() -> None:
    model = fit_threads(campaign())
    assert (model.library, model.version, model.threads) == ("openfhe", "1.6.1", (1, 2))
    for action, serial in (SERIAL | {"decrypt": DECRYPTION, "keygen": KEYGEN}).items():
        for limbs in (2, 3, 4, 5, 8):
            wanted = 1 / ratio(serial, loop_limbs(action, limbs, 2), 2)
            # what the loops of these contexts cannot tell apart hardly differs in its speed-up
            assert model.speedup("ckks", action, limbs, 2, 2) == pytest.approx(wanted, rel=0.02), action
    assert model.error_band < 0.01


def test_more_threads_are_fitted_together() -> None:
    model = fit_threads(campaign(threads=(2, 4)))
    assert model.threads == (1, 2, 4)
    assert model.speedup("ckks", "add", 8, 4) == pytest.approx(1 / (0.5 + 0.5 / 4), rel=0.02)


def test_one_repetition_that_did_not_wait_is_enough() -> None:
    quiet, busy = thread_points(campaign()), thread_points(campaign(busy_machine))
    assert quiet.disturbed == 0
    additions = [p for p in quiet.points if p.action == "add"]
    assert busy.disturbed == len(additions) > 0
    assert list(busy.points) == [p for p in quiet.points if p.action != "add"]
    model = fit_threads(campaign(busy_machine))
    assert model.speedup("ckks", "add", 4, 2) == 1.0
    assert model.speedup("ckks", "rotate", 4, 2, 2) > 1.5


def test_a_context_without_its_run_with_one_thread_has_no_points() -> None:
    def run(job: Job) -> Attempt:
        lost = job.plan == RunPlan(3, 1, 1, 0.5) and job.parameters.ring_dimension == 4096
        return Attempt("died", "killed") if lost else idle_machine(job)

    found = thread_points(campaign(run))
    assert {p.ring_dimension for p in found.points} == {8192}


def test_without_any_point_there_is_no_model() -> None:
    with pytest.raises(ValueError, match="undisturbed"):
        fit_threads(campaign(lambda job: Attempt("died", "killed")))
    with pytest.raises(ValueError, match="undisturbed"):
        fit_threads(campaign(threads=(1,)))


@settings(deadline=None, max_examples=50)
@given(st.floats(0, 4), st.floats(0, 0.9))
def test_any_serial_part_is_found_from_loops_of_many_lengths(limbs: float, share: float) -> None:
    true = Serial(limbs, share)
    group = [a_point(l, ratio(true, l, 2)) for l in range(1, 16)]
    found = solve(group)
    for l in range(1, 16):
        assert ratio(found, l, 2) == pytest.approx(ratio(true, l, 2), rel=2e-3)


def test_loops_of_one_length_tell_a_share_alone() -> None:
    found = solve([a_point(4, 0.75), a_point(4, 0.75, 8192)])
    assert found.limbs == 0
    assert found.share == pytest.approx(0.5, abs=1e-3)


def test_disturbed_points_hardly_move_the_fit() -> None:
    group = [a_point(l, ratio(Serial(0, 0.2), l, 2)) for l in range(2, 16)]
    found = solve([*group, *(a_point(l, 1.1) for l in (8, 10, 12))])
    assert ratio(found, 8, 2) == pytest.approx(0.6, rel=0.03)


def test_left_out_errors_are_of_a_fit_that_did_not_see_the_ring() -> None:
    # 2^12 alone says a share of 0.5, a ratio of 0.75; 2^13 one of 0, a ratio of 0.5
    errors = left_out_errors([a_point(4, 0.75), a_point(4, 0.5, 8192)])
    assert errors == pytest.approx([0.5 / 0.75 - 1, 0.75 / 0.5 - 1], abs=1e-2)
    assert left_out_errors([a_point(4, 0.75), a_point(6, 0.75)]) == []


@pytest.mark.worker
def test_the_real_openfhe_gives_a_model() -> None:
    jobs = thread_jobs(OPENFHE, (1, 2), {12: (3,)}, ("ckks",))
    try:
        records = sample(
            [replace(j, plan=replace(j.plan, min_seconds=0.0)) for j in jobs], None, "threads", 1
        )
    except LibraryMissing as missing:
        pytest.skip(missing.message)
    assert {r.outcome for r in records} == {"measured"}
    found = thread_points(records)
    expected = {"encrypt", "mul", "rotate", "rescale", "decrypt", "keygen"}
    assert found.disturbed > 0 or expected <= {p.action for p in found.points}
    if found.points:  # on a busy machine there may be none
        model = fit_threads(records)
        assert ThreadModel.from_json(model.to_json()) == model
        assert 1.0 <= model.speedup("ckks", "mul", 4, 2) <= 2.0
