"""A campaign visits every job pass by pass, loses nothing, and goes on where it stopped."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible.measurement.worker as worker_module
from fheasible.errors import LibraryMissing
from fheasible.libraries.parameters import IntegerParameters, IntegerRequest
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.job import Job
from fheasible.measurement.machine import this_machine
from fheasible.measurement.records import Measurement
from fheasible.measurement.sampled import Record, from_row, to_row
from fheasible.measurement.sampling import Attempt, attempt, records, sample, schedule
from fheasible.program.types import Program
from fheasible.store.adding import CIRCUMSTANCES
from fheasible.store.rows import StoredSample
from fheasible.store.schema import OUTCOMES
from fheasible.store.store import Store

from .conftest import MakeWorker
from .sampled_jobs import INSECURE, PROGRAM, a_job, runner

JOBS = [a_job("one"), a_job("two"), a_job("three"), a_job("four"), a_job("five")]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "results.sqlite") as opened:
        yield opened


@given(st.integers(0, 20), st.integers(1, 4), st.integers(0, 2**40))
def test_every_job_runs_once_in_each_pass_and_passes_do_not_mix(jobs: int, passes: int, seed: int) -> None:
    listed = [a_job(str(i)) for i in range(jobs)]
    turns = schedule(listed, passes, seed)
    assert [t.number for t in turns] == [n for n in range(passes) for _ in range(jobs)]
    assert [t.position for t in turns] == list(range(jobs)) * passes
    assert Counter((t.job.label, t.number) for t in turns) == Counter(
        (j.label, n) for j in listed for n in range(passes)
    )


@given(st.integers(2, 20), st.integers(0, 2**40))
def test_at_least_half_a_pass_lies_between_two_runs_of_a_job(jobs: int, seed: int) -> None:
    order = [t.job.label for t in schedule([a_job(str(i)) for i in range(jobs)], 3, seed)]
    for label in set(order):
        at = [i for i, name in enumerate(order) if name == label]
        assert all(after - before > jobs // 2 for before, after in pairwise(at))


def test_passes_have_orders_of_their_own_that_the_seed_decides() -> None:
    jobs = [a_job(str(i)) for i in range(12)]

    def orders(seed: int) -> list[list[str]]:
        labels = [t.job.label for t in schedule(jobs, 3, seed)]
        return [labels[i : i + 12] for i in (0, 12, 24)]

    assert orders(1) == orders(1)
    assert len({tuple(order) for seed in (1, 2) for order in orders(seed)}) == 6


def test_a_dear_job_may_take_part_in_fewer_passes() -> None:
    turns = schedule([a_job("cheap"), a_job("dear", passes=1)], 3)
    assert [(t.job.label, t.number) for t in turns if t.job.label == "dear"] == [("dear", 0)]
    assert sum(t.job.label == "cheap" for t in turns) == 3


def test_records_come_in_the_order_of_jobs_and_passes() -> None:
    done: list[Job] = []
    steps: list[tuple[str, int, int]] = []
    found = sample(JOBS, None, "trial", 2, seed=4, report=lambda *s: steps.append(s), run=runner(done))
    assert [(r.label, r.number) for r in found] == [(j.label, n) for j in JOBS for n in (0, 1)]
    assert [t.job.label for t in schedule(JOBS, 2, 4)] == [j.label for j in done]
    assert steps == [(j.label, i, 10) for i, j in enumerate(done)] + [("", 10, 10)]
    assert {(r.campaign, r.seed, r.outcome) for r in found} == {("trial", 4, "measured")}


def assert_same(x: Record, y: Record) -> None:
    """Equal in everything but the values of plain operands, which are not stored."""
    for f in fields(Record):
        if f.name not in ("program", "measurement"):
            assert getattr(x, f.name) == getattr(y, f.name), f.name
    for g in fields(Program):
        if g.name not in ("plains", "inputs", "outputs"):
            assert getattr(x.program, g.name) == getattr(y.program, g.name), g.name
    for name in ("inputs", "outputs"):
        packed = [[(p.name, p.length, p.values) for p in getattr(r.program, name)] for r in (x, y)]
        assert packed[0] == packed[1]
    assert [p.shape for p in x.program.plains] == [p.shape for p in y.program.plains]
    assert (x.measurement is None) == (y.measurement is None)
    if x.measurement is not None and y.measurement is not None:
        assert_same_measurement(x.measurement, y.measurement)


def assert_same_measurement(x: Measurement, y: Measurement) -> None:
    for name in ("hello", "context", "phases", "sizes", "memory"):
        assert getattr(x, name) == getattr(y, name), name
    assert np.array_equal(x.operations, y.operations)  # type: ignore[arg-type]  # every bit of every sample


def test_every_sample_is_read_back_as_it_was_measured(store: Store) -> None:
    found = sample(JOBS, store, "trial", 2, run=runner([]))
    stored = records(store, "trial")
    assert [(r.key, r.number) for r in stored] == [(t.job.key, t.number) for t in schedule(JOBS, 2)]
    for record in found:
        assert_same(record, next(r for r in stored if (r.key, r.number) == (record.key, record.number)))
    assert records(store, "of another name") == []


def test_parameters_programs_and_plans_of_every_kind_come_back(store: Store) -> None:
    odd = IntegerParameters(
        "seal", "bgv", 8192, (2**61 - 1, 2**59 - 55), (2**60 - 93,), 2, "flexibleauto", "hybrid", "gaussian",
        1, 1, IntegerRequest("bgv", 1, quantum=True, prime_bits=(50, 40), plain_modulus=2**63 + 29),
        plain_modulus=2**63 + 29,
    )  # fmt: skip
    flooded = replace(INSECURE, flooding=2.5)
    programs = [PROGRAM, replace(PROGRAM, automatic=True, two_rows=True)]
    for number, (p, program) in enumerate([(odd, programs[0]), (flooded, programs[1])]):
        job = a_job(
            "", parameters=p, program=program, plan=RunPlan(9, 2, 2, 1.5, 3), options=RunOptions(sizes=False)
        )
        (made,) = sample([job], store, f"trial {number}", 1, run=runner([]))
        (stored,) = records(store, f"trial {number}")
        assert_same(made, stored)
        assert stored.parameters == p
        assert stored.threads == 2


def test_no_outputs_are_kept(store: Store) -> None:
    for record in [*sample(JOBS[:1], store, "trial", 1, run=runner([])), *records(store, "trial")]:
        assert record.measurement is not None
        assert record.measurement.outputs == {}


def test_an_interrupted_campaign_goes_on_with_what_is_missing(store: Store) -> None:
    done: list[Job] = []
    go_on = runner(done)

    def interrupted(job: Job) -> Attempt:
        if len(done) == 7:
            raise KeyboardInterrupt
        return go_on(job)

    with pytest.raises(KeyboardInterrupt):
        sample(JOBS, store, "trial", 2, seed=1, run=interrupted)
    assert len(records(store, "trial")) == 7
    found = sample(JOBS, store, "trial", 2, seed=1, run=go_on)
    assert [j.label for j in done] == [t.job.label for t in schedule(JOBS, 2, 1)]
    assert [(r.label, r.number) for r in found] == [(j.label, n) for j in JOBS for n in (0, 1)]
    sample(JOBS, store, "trial", 2, seed=1, run=go_on)
    assert len(done) == 10
    sample(JOBS, store, "another", 1, seed=1, run=go_on)
    assert len(done) == 15


def test_a_campaign_may_grow_by_jobs_and_passes(store: Store) -> None:
    done: list[Job] = []
    sample(JOBS[:2], store, "trial", 1, run=runner(done))
    found = sample(JOBS[:3], store, "trial", 2, run=runner(done))
    assert len(found) == len(done) == 6


def test_records_of_another_machine_do_not_count_as_done(store: Store) -> None:
    (made,) = sample(JOBS[:1], None, "trial", 1, run=runner([]))
    elsewhere = made.environment | {"machine": "0123456789abcdef"}
    store.add_sample(to_row(made), elsewhere)
    done: list[Job] = []
    sample(JOBS[:1], store, "trial", 1, run=runner(done))
    assert len(done) == 1
    assert [r.machine for r in records(store, "trial")] == ["0123456789abcdef", this_machine().fingerprint]


@pytest.mark.parametrize("outcome", sorted(set(OUTCOMES) - {"measured", "wrong"}))
def test_what_goes_wrong_is_a_record_and_the_rest_goes_on(store: Store, outcome: str) -> None:
    done: list[Job] = []
    go_on = runner(done)

    def run(job: Job) -> Attempt:
        made = go_on(job)
        return Attempt(outcome, "last words") if job.label == "three" else made

    found = sample(JOBS, store, "trial", 2, run=run)
    lost = [r for r in found if r.measurement is None]
    assert [(r.label, r.outcome, r.message) for r in lost] == [("three", outcome, "last words")] * 2
    assert len(found) == 10
    sample(JOBS, store, "trial", 2, run=run)
    assert len(done) == (10 if outcome == "refused" else 12), "what another try may change is tried again"


def test_what_is_said_of_the_outputs_is_kept_and_a_wrong_result_is_an_outcome(store: Store) -> None:
    def check(job: Job, measurement: Measurement) -> dict[str, Any]:
        return {"correct": job.label == "one", "first": float(measurement.outputs["y"][0, 0])}

    found = sample(JOBS[:2], store, "trial", 1, check=check, run=runner([]))
    for listed in (found, sample(JOBS[:2], store, "trial", 1, run=runner([]))):
        assert [r.outcome for r in listed] == ["measured", "wrong"]
        assert [r.found for r in listed] == [{"correct": c, "first": 1.0} for c in (True, False)]
        assert listed[1].measurement is not None


def test_the_environment_is_observed_before_and_after(store: Store) -> None:
    (record,) = sample([a_job("", plan=RunPlan(threads=2))], store, "trial", 1, seed=9, run=runner([]))
    at = record.environment
    assert set(CIRCUMSTANCES) <= set(at)
    assert (at["threads"], at["seed"], at["version"], at["build"]) == (1, 9, "4.4.0", {"hexl": False})
    assert at["machine"] == this_machine().fingerprint
    assert at["load_after"] is not None
    assert at["started"] <= at["finished_at"]


def test_keys_tell_jobs_apart_by_all_that_is_run_and_by_nothing_else() -> None:
    others = [
        a_job("one"),
        a_job("two"),
        a_job("one", plan=RunPlan(threads=2)),
        a_job("one", plan=RunPlan(min_seconds=1.0)),
        a_job("one", options=RunOptions(sizes=False)),
        a_job("one", program=replace(PROGRAM, plains=(PROGRAM.plains[0] + 1, PROGRAM.plains[1]))),
        a_job("one", parameters=replace(INSECURE, digits=INSECURE.digits + 1)),
    ]
    assert len({j.key for j in others}) == len(others)
    same = Job(INSECURE, PROGRAM, a_job("one").inputs, label="other words", passes=1, timeout=3.0)
    assert same.key == a_job("one").key


def test_equal_jobs_run_once_in_each_pass() -> None:
    done: list[Job] = []
    found = sample([a_job("one"), a_job("one")], None, "trial", 2, run=runner(done))
    assert len(done) == 2
    assert [r.number for r in found] == [0, 1, 0, 1]


def test_a_row_without_a_measurement_is_a_record_without_one() -> None:
    (made,) = sample(JOBS[:1], None, "trial", 1, run=lambda job: Attempt("died", "killed"))
    assert_same(made, from_row(StoredSample(1, "now", to_row(made), made.environment)))


HEARS = "hello()\nname = heard()['id']\n"


@pytest.mark.long
@pytest.mark.parametrize(
    ("behaviour", "outcome", "words"),
    [
        (HEARS + "sys.exit('out of luck')", "died", "out of luck"),
        (HEARS + "os.abort()", "died", "aborted"),
        (
            HEARS + "say(type='refused', id=name, kind='BadRequest', message='no such ring')",
            "refused",
            "ring",
        ),
        (HEARS + "time.sleep(60)", "timed out", "took more than 1 seconds"),
        (HEARS + "say(type='measured', id=name)", "died", "violated the protocol"),
    ],
)
def test_a_worker_that_fails_is_an_outcome_with_its_words(
    worker_that: MakeWorker, monkeypatch: pytest.MonkeyPatch, behaviour: str, outcome: str, words: str
) -> None:
    broken = worker_that(behaviour)
    monkeypatch.setattr(worker_module, "command", lambda name: broken)
    came = attempt(a_job("one", timeout=1.0))
    assert came.outcome == outcome
    assert words in came.message
    assert came.measurement is None
    assert came.hello is not None
    assert came.hello.library == "broken"


def test_a_library_that_is_not_there_stops_the_campaign(
    worker_that: MakeWorker, monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    absent = replace(worker_that(""), environment=Path("/nowhere/python"))
    monkeypatch.setattr(worker_module, "command", lambda name: absent)
    with pytest.raises(LibraryMissing):
        sample(JOBS, store, "trial")
    assert records(store, "trial") == []


@pytest.mark.worker
def test_a_real_library_is_sampled_and_resumed(store: Store) -> None:
    program = replace(PROGRAM, operations=tuple(replace(o, internal=()) for o in PROGRAM.operations))
    job = a_job("one", program=program, plan=RunPlan(repetitions=2, min_seconds=0.05))
    try:
        found = sample([job], store, "trial", 2)
    except LibraryMissing as missing:
        pytest.skip(missing.message)
    for made, again in zip(found, sample([job], store, "trial", 2), strict=True):
        assert made.outcome == "measured", made.message
        assert_same(made, again)
        assert made.measurement is not None
        assert made.measurement.operations is not None
        assert made.measurement.operations.shape == (made.measurement.repetitions, 4, 2)
        assert made.measurement.repetitions >= 2
        assert made.measurement.phases.evaluate.cpu.seconds[0] > 0
        assert made.measurement.memory.peak_bytes is not None
        assert made.measurement.sizes.ciphertext_bytes is not None
