"""Calibration: of runs that were never made, of real libraries; and profiles in the store."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import hypot, isfinite
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest

from estimation.profiles import invented, telling
from fheasible.calibration import calibrate as module
from fheasible.calibration.band import band_of
from fheasible.calibration.calibrate import (
    SECONDS,
    caches_of,
    calibrate,
    chosen,
    composition,
    jobs_of,
    profile,
    shapes_of,
)
from fheasible.calibration.memory import memory_models
from fheasible.calibration.profiles import of_this_machine, save
from fheasible.calibration.steady import LEAST_PASSES, MOST_PASSES
from fheasible.errors import LibraryMissing, WorkerFailed
from fheasible.estimation.features import NAMES, Caches, Shape
from fheasible.estimation.profile import Profile, named
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.layout import Task
from fheasible.libraries.work import layout_of
from fheasible.measurement.job import Job
from fheasible.measurement.least import summaries
from fheasible.measurement.machine import this_machine
from fheasible.measurement.sampled import Record
from fheasible.measurement.sampling import Attempt, sample
from fheasible.store.store import Store
from libraries.chains import actions
from machines import MACHINES, on

from .invented_runs import MEMORY, WALL, here, runner
from .synthetic import TRUE, taking

every_library = pytest.mark.parametrize("library", CATALOGUE)
SEAL = CATALOGUE["seal"]
CAMPAIGN = "calibration of today"
FEW = 8.0  # seconds' worth of runs
once = cache(chosen)  # it takes a second


def silent(*_: Any) -> None:
    """Reports nothing."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "results.sqlite") as opened:
        yield opened


# -- which runs


@pytest.mark.long
@every_library
def test_the_chosen_runs_fit_the_budget(library: str) -> None:
    for seconds in (0.0, 1.0, 3.0, SECONDS):
        runs = once(CATALOGUE[library], seconds)
        assert sum(run.seconds for run in runs) <= seconds
        assert bool(runs) == (seconds >= 1)
    assert once(CATALOGUE[library], 3.0) == chosen(CATALOGUE[library], 3.0)


@pytest.mark.long
@every_library
def test_the_usual_budget_shows_every_operation_of_every_scheme(library: str) -> None:
    """Most of them several times, at rings and numbers of limbs that differ."""
    runs = once(CATALOGUE[library], SECONDS)
    shown: dict[str, set[tuple[int, int]]] = {}
    for run in runs:
        p = run.candidate.parameters
        for s in shapes_of(run.candidate, run.candidate.program(0)):
            shown.setdefault(named(s), set()).add((p.ring_dimension, s.task.level))
    phases = {"decrypt", "keygen"}  # of every run
    wanted = {f"{s}/{a}" for s in CATALOGUE[library].schemes for a in actions(s) if a not in phases}
    assert set(shown) == wanted
    assert np.median([len(places) for places in shown.values()]) >= 4


@pytest.mark.long
@every_library
def test_runs_differ_in_keys_and_in_the_output_s_level(library: str) -> None:
    jobs = jobs_of([run.candidate for run in once(CATALOGUE[library], SECONDS)])
    assert len({j.key for j in jobs}) == len(jobs)
    rotations = {len(j.program.rotations) for j in jobs}
    assert {1, 2} <= rotations
    for j in jobs:
        assert (j.plan.threads, j.library) == (1, library)
        assert j.plan.repetitions >= 2
        assert j.inputs["x"].shape == (2 * j.program.slots,)


@every_library
def test_the_runs_of_each_scheme_show_all_kinds_of_rotations_that_the_library_has(library: str) -> None:
    """Even of a scheme with one run."""
    jobs = jobs_of([run.candidate for run in once(CATALOGUE[library], SECONDS)])
    shared = {"rotate_hoist", "rotate_hoisted"} if CATALOGUE[library].hoists else set()
    for scheme in CATALOGUE[library].schemes:
        kinds = {o.kind for j in jobs if j.parameters.scheme == scheme for o in j.program.operations}
        assert {k for k in kinds if k.startswith("rotate")} == {"rotate", *shared}


# -- of runs that were never made


class Rehearsed:
    """Stands for a session: its runs are made up."""

    def __init__(self, run: Any) -> None:
        self.run = run

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __call__(self, wanted: Job) -> Attempt:
        came: Attempt = self.run(wanted)
        return came


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """The jobs that were run, none of which is a process."""
    jobs: list[Job] = []
    monkeypatch.setattr(module, "chosen", once)
    monkeypatch.setattr(module, "SECONDS", FEW)
    monkeypatch.setattr(module, "now", lambda: "of today")
    monkeypatch.setattr(module, "WorkerSession", lambda: Rehearsed(runner(jobs)))
    monkeypatch.setattr(module, "reference_loop", lambda: 1.0)
    return jobs


@pytest.mark.long
@every_library
@pytest.mark.usefixtures("anywhere")
def test_a_profile_predicts_what_it_was_made_from(library: str, done: list[Job], store: Store) -> None:
    found = calibrate(CATALOGUE[library], store, 1, silent)
    assert found.machine == this_machine().fingerprint
    assert (found.library, found.version, found.threads) == (library, CATALOGUE[library].version, 1)
    assert (found.build, found.origin) == ("a wheel", "")
    assert set(found.memory) == set(CATALOGUE[library].schemes)
    shared = ("rotate_hoist", "rotate_hoisted") if CATALOGUE[library].hoists else ()
    wanted = {f"{s}/{a}" for s in CATALOGUE[library].schemes for a in (*actions(s), *shared)}
    assert set(found.coefficients) == wanted
    for prices in (found.prices, *found.coefficients.values()):
        assert len(prices) == len(NAMES)
        assert all(isfinite(x) and x >= 0 for x in prices)
    assert found.points
    for p in found.points:
        assert p.seconds == pytest.approx(here(p.shape))
        assert found.seconds(p.shape) == pytest.approx(p.seconds, rel=0.02)
    assert len({p.shape for p in found.points}) == len(found.points)
    assert found.error_band == band_of(found.points, found.caches) > 0
    assert len(done) == LEAST_PASSES * len(once(CATALOGUE[library], FEW))
    assert found.pace_seconds == 1.0


@pytest.mark.long
@pytest.mark.usefixtures("anywhere", "done")
@pytest.mark.parametrize(("before", "least"), [(0.5, 0.5), (2.0, 1.0), (None, 1.0)])
def test_the_least_that_the_reference_loop_ever_took_is_kept(before: float | None, least: float) -> None:
    library = CATALOGUE["seal"]
    earlier = replace(calibrate(library, None, 1, silent), pace_seconds=before)
    assert calibrate(library, None, 1, silent, earlier=earlier).pace_seconds == least


CACHES_OF = {
    "laptop": Caches(256 << 10, 6 << 20),  # all that there is
    "server": Caches(2 << 20, 256 << 20),
    "rented": Caches(2 << 20, 8 << 20),
    "epyc": Caches(1 << 20, 8 << 20),
    "one core": Caches(512 << 10, 4 << 20),
    "unknown": Caches(),
}


def test_a_machine_has_its_cores_share_of_the_last_cache(tmp_path: Path) -> None:
    """4 MiB a core, and no more than there is: a rented machine is told of a processor's whole cache."""
    for name, facts in MACHINES.items():
        (tmp_path / name).mkdir()
        with on(facts, tmp_path / name):
            assert caches_of(this_machine()) == CACHES_OF[name], name


@pytest.mark.long
@pytest.mark.usefixtures("anywhere")
def test_caches_that_are_not_as_told_spoil_no_prediction(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same processor whatever the system tells of it; its prices still explain where time goes."""
    caches, prices = Caches(1 << 20, 24 << 20), (*TRUE[:-1], 1.5e-11)
    run = runner([], takes=lambda s: taking(s, prices, caches))
    monkeypatch.setattr(module, "WorkerSession", lambda: Rehearsed(run))
    monkeypatch.setattr(module, "chosen", once)
    found = calibrate(SEAL, None, 1, silent)
    errors = [abs(found.seconds(p.shape) / p.seconds - 1) for p in found.points]
    assert np.average(errors, weights=[p.seconds for p in found.points]) < 0.02


@pytest.mark.long
@pytest.mark.usefixtures("anywhere")
def test_what_it_costs_beyond_the_points_is_predicted_as_well(done: list[Job]) -> None:
    """Shapes between those that were run: the price of a transform is that of a transform."""
    found = calibrate(SEAL, None, 1, silent)
    assert done
    for n, limbs in ((8192, 3), (16384, 4)):
        place = replace(next(p.shape for p in found.points if p.name == "ckks/relinearize"), n=n)
        s = replace(
            place, task=replace(place.task, level=limbs - 1), layout=replace(place.layout, limbs=limbs)
        )
        assert found.seconds(s) == pytest.approx(here(s), rel=0.05)


def test_factors_of_time_are_those_seen(done: list[Job]) -> None:
    found = calibrate(SEAL, None, 1, silent)
    assert done
    assert found.wall_factor == pytest.approx(WALL)
    assert found.composition == pytest.approx(1.0)


def test_memory_is_modelled_from_the_first_runs(done: list[Job], monkeypatch: pytest.MonkeyPatch) -> None:
    """Later ones use workers in which something was left."""
    seen: list[Record] = []
    monkeypatch.setattr(module, "memory_models", lambda records: memory_models(note(seen, records)))
    found = calibrate(SEAL, None, 1, silent)
    assert {r.number for r in seen} == {0}
    assert len(seen) == len(done) / LEAST_PASSES
    for model in found.memory.values():
        assert model.baseline_bytes == pytest.approx(MEMORY.baseline_bytes, rel=0.01)
        assert model.context == pytest.approx(MEMORY.context, abs=0.05)


def note(seen: list[Record], records: Any) -> list[Record]:
    seen += records
    return seen


def test_every_sample_is_stored(done: list[Job], store: Store) -> None:
    calibrate(SEAL, store, 1, silent)
    assert {len(j.program.rotations) for j in done} >= {1, 2}
    assert len(store.samples(CAMPAIGN)) == len(done) > 0
    assert {row.sample.outcome for row in store.samples(CAMPAIGN)} == {"measured"}


def test_every_run_is_reported(done: list[Job]) -> None:
    steps: list[tuple[str, int, int]] = []
    calibrate(SEAL, None, 1, lambda *step: steps.append(step))
    assert [number for _, number, _ in steps] == list(range(len(done) + 1))
    assert {total for *_, total in steps} == {len(done)}
    assert sorted(label for label, *_ in steps) == sorted(["", *(j.label for j in done)])
    assert all(j.label.startswith("seal ") and " N=" in j.label for j in done)


def test_a_library_that_runs_nothing_has_no_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    run = runner([], fails=lambda _: True)
    monkeypatch.setattr(module, "WorkerSession", lambda: Rehearsed(run))
    monkeypatch.setattr(module, "chosen", once)
    with pytest.raises(WorkerFailed, match=r"seal could not run any part of its calibration: no \w+ today"):
        calibrate(SEAL, None, 1, silent)


@pytest.mark.long
@pytest.mark.usefixtures("anywhere")
def test_a_scheme_that_is_refused_costs_no_other_its_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    run = runner([], fails=lambda j: j.parameters.scheme == "bgv")
    monkeypatch.setattr(module, "WorkerSession", lambda: Rehearsed(run))
    monkeypatch.setattr(module, "chosen", once)
    found = calibrate(SEAL, None, 1, silent)
    assert [found.covers(scheme) for scheme in SEAL.schemes] == [s != "bgv" for s in SEAL.schemes]
    assert set(found.memory) == {"ckks", "bfv"}
    # and what BGV's sums cost is known from the others'
    add = next(p.shape for p in found.points if p.name == "ckks/add")
    other = replace(add, layout=replace(add.layout, scheme="bgv"))
    assert found.seconds(other) == pytest.approx(here(other), rel=0.05)


@pytest.mark.long
def test_nothing_is_run_to_read_what_records_say(done: list[Job], store: Store) -> None:
    """A profile can be made again, from the store alone."""
    first = calibrate(SEAL, store, 1, silent)
    runs = len(done)
    jobs = list({j.key: j for j in done}.values())
    again = sample(jobs, store, CAMPAIGN, LEAST_PASSES, run=runner(done))
    assert len(done) == runs
    found = profile(SEAL, again)
    assert found.prices == pytest.approx(first.prices)
    assert {p.shape: p.seconds for p in found.points} == {p.shape: p.seconds for p in first.points}


def test_the_composition_is_the_quietest_run_over_the_least_of_its_operations(done: list[Job]) -> None:
    """Each operation takes its least time in the first repetition; half of that in another context."""
    calibrate(SEAL, None, 1, silent)
    records = sample(done[:1], None, "again", 1, run=runner([]))
    (s,) = summaries(records)
    assert composition(s, {}) == pytest.approx(1.0)
    p = s.first.parameters
    first = s.first.program.operations[0]
    task = Task(first.action, p.limbs - 1 if p.scheme == "bfv" else first.level)
    shape = Shape(p.ring_dimension, layout_of(p), task)
    alike = sum(o.action == first.action and o.level == first.level for o in s.first.program.operations)
    halved = here(shape) / 2
    expected = s.cpu.sum() / (s.cpu.sum() - alike * halved)
    assert composition(s, {shape: halved}) == pytest.approx(expected)


@pytest.mark.long
@every_library
def test_more_threads_change_no_price(library: str, done: list[Job], monkeypatch: pytest.MonkeyPatch) -> None:
    """What they gain is measured beside them, of the library that uses them."""
    beside: list[Job] = []
    monkeypatch.setattr(module, "sample", lambda *a, **k: sample(*a, **({"run": runner(beside)} | k)))
    found = calibrate(CATALOGUE[library], None, 2, silent)
    alone = calibrate(CATALOGUE[library], None, 1, silent)
    assert found.threads == 1
    assert found.prices == pytest.approx(alone.prices)
    assert {j.plan.threads for j in done} == {1}
    assert (found.parallel is not None) == bool(beside) == (library != "seal")
    assert found.error_band == alone.error_band
    later = calibrate(CATALOGUE[library], None, 1, silent, earlier=found)
    assert later.parallel == found.parallel, "it stays with the profile"


# -- beside other processes


def busy(done: list[Job], slower: float, spread: float) -> Any:
    """Runs on a machine that other processes make slower by a factor, and by more at random."""
    draw = np.random.default_rng(1)
    return runner(done, takes=lambda s: here(s) * (slower + spread * draw.exponential()))


@pytest.fixture
def quiet(done: list[Job]) -> Profile:
    found = calibrate(SEAL, None, 1, silent)
    done.clear()
    return found


@pytest.mark.long
@pytest.mark.parametrize("quiet_first", [True, False])
def test_a_busy_minute_spoils_no_profile(
    quiet: Profile, quiet_first: bool, done: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever order a machine was calibrated: of two calibrations the least times count."""
    monkeypatch.setattr(module, "WorkerSession", lambda: Rehearsed(busy(done, 1.2, 0.2)))
    alone = calibrate(SEAL, None, 1, silent)
    if quiet_first:
        found = calibrate(SEAL, None, 1, silent, earlier=quiet)
    else:
        monkeypatch.setattr(module, "WorkerSession", lambda: Rehearsed(runner(done)))
        found = calibrate(SEAL, None, 1, silent, earlier=alone)
    assert {p.shape: p.seconds for p in found.points} == {p.shape: p.seconds for p in quiet.points}
    assert found.prices == pytest.approx(quiet.prices)
    assert (found.wall_factor, found.unsteady) == (quiet.wall_factor, 0.0)
    assert found.composition <= min(quiet.composition, alone.composition)
    assert found.error_band == quiet.error_band < alone.error_band


def test_times_that_were_still_falling_are_said_and_widen_the_error_band(
    done: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WorkerSession", lambda: Rehearsed(busy(done, 1.0, 0.5)))
    found = calibrate(SEAL, None, 1, silent)
    assert len(done) > LEAST_PASSES * len(once(SEAL, FEW))
    assert max(sum(j.key == key for j in done) for key in {j.key for j in done}) <= MOST_PASSES
    assert found.unsteady > 0
    assert found.error_band == pytest.approx(hypot(band_of(found.points, found.caches), found.unsteady))


@pytest.mark.long
@pytest.mark.parametrize("other", [{"version": "4.3"}, {"build": "another wheel"}, {"machine": "another"}])
def test_a_calibration_of_another_build_or_machine_does_not_count(
    quiet: Profile, other: dict[str, str], done: list[Job]
) -> None:
    faster = tuple(replace(p, seconds=p.seconds / 2) for p in quiet.points)
    known = replace(quiet, points=faster, wall_factor=1.0)
    assert calibrate(SEAL, None, 1, silent, earlier=known).points == faster
    again = calibrate(SEAL, None, 1, silent, earlier=replace(known, **other))
    assert {p.shape: p.seconds for p in again.points} == {p.shape: p.seconds for p in quiet.points}
    assert again.wall_factor == quiet.wall_factor
    assert done


# -- of the real libraries


@pytest.fixture(scope="module", params=CATALOGUE)
def real(request: pytest.FixtureRequest) -> Profile:
    """A profile of a few runs: two seconds' worth."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SECONDS", 2.0)
        try:
            return calibrate(CATALOGUE[request.param], None, 1, silent)
        except LibraryMissing as missing:
            pytest.skip(missing.message)


@pytest.mark.worker
def test_prices_of_a_real_library_explain_its_points(real: Profile) -> None:
    """By a half, on whatever machine: times by those that were seen, which load does not make wrong."""
    assert real.version == CATALOGUE[real.library].version
    assert real.points
    weights = np.array([p.seconds for p in real.points])
    errors = np.array([abs(real.seconds(p.shape) / p.seconds - 1) for p in real.points])
    assert np.average(errors, weights=weights) < 0.5
    assert isfinite(real.error_band)
    assert real.error_band > 0
    for prices in (real.prices, *real.coefficients.values()):
        assert all(isfinite(x) and x >= 0 for x in prices)
        assert any(x > 0 for x in prices)


@pytest.mark.worker
def test_larger_operations_of_a_real_library_are_predicted_to_cost_more(real: Profile) -> None:
    for name in real.coefficients:
        s = next(p.shape for p in real.points if p.name == name)
        assert real.seconds(replace(s, n=4 * s.n)) >= real.seconds(s)
        if s.task.action in ("relinearize", "rotate", "encrypt"):
            assert real.seconds(replace(s, n=4 * s.n)) > 2 * real.seconds(s)


@pytest.mark.worker
def test_memory_of_a_real_library_is_modelled(real: Profile) -> None:
    assert set(real.memory) == {name.split("/")[0] for name in real.coefficients}
    for model in real.memory.values():
        assert 2**20 < model.baseline_bytes < 2**30
        assert 0.9 <= model.context <= 1.1
        assert 0.9 <= model.keys <= 1.1
    assert 0.5 < real.wall_factor < 100
    assert real.composition > 0.5


# -- through the store


def test_a_profile_is_the_same_after_the_store(store: Store) -> None:
    known = telling("seal")
    save(store, known)
    assert of_this_machine(store, ["seal", "openfhe"]) == {"seal": known}


def test_the_newest_profile_of_a_library_counts(store: Store) -> None:
    known = invented("seal")
    save(store, known)
    newer = replace(known, error_band=0.01, version="4.5.0")
    save(store, newer)
    save(store, invented("lattigo"))
    assert of_this_machine(store, ["seal"]) == {"seal": newer}


def test_profiles_of_other_machines_threads_and_models_do_not_count(store: Store) -> None:
    known = invented("seal")
    save(store, replace(known, machine="0123456789abcdef"))
    save(store, replace(known, threads=2))  # as older Fheasibles stored them
    save(store, replace(known, model=1))
    assert of_this_machine(store, ["seal"]) == {}
