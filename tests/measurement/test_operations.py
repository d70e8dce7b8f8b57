"""Single operations: what is asked of a worker, which replies are believed, and passes that are stored."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fheasible.errors import WorkerDied, WorkerFailed, WorkerRefused
from fheasible.measurement import registry
from fheasible.measurement.operation_passes import JobPasses, Until, measure_passes
from fheasible.measurement.operations import (
    OPERATIONS,
    Item,
    OperationJob,
    TimedItems,
    is_noise,
    measure_on,
)
from fheasible.measurement.worker import Worker
from fheasible.store.store import Store

from .timed_operations import HELLO, INSECURE_N, Times, an_operation_job, reply


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "results.sqlite") as opened:
        yield opened


def quiet(*_: Any) -> None:
    """No progress is shown."""


def passes(
    store: Store, until: Until, measure: Any, *jobs: OperationJob, again: bool = False
) -> list[JobPasses]:
    return measure_passes(jobs or [an_operation_job()], until, store, quiet, again=again, measure=measure)


def test_every_pass_is_stored_and_what_is_stored_is_not_measured_again(store: Store) -> None:
    first = Times(3.0, 2.0)
    (found,) = passes(store, Until(2), first)
    assert (first.calls, found.least(Item("mul", 2))) == (2, [3.0, 2.0])
    second = Times(1.0)
    (found,) = passes(store, Until(3), second)
    assert (second.calls, found.stored_before) == (1, 2)
    assert found.least(Item("rotate", 2)) == [3.0, 2.0, 1.0]
    (fresh,) = passes(store, Until(1), Times(9.0), again=True)
    assert fresh.least(Item("mul", 2)) == [9.0]
    assert [row.sample.number for row in store.samples("operations")] == [0, 1, 2, 3]


def test_the_stored_row_names_every_figure(store: Store) -> None:
    passes(store, Until(1), Times(2.0))
    (row,) = store.samples("operations")
    assert row.sample.figures is not None
    assert [(i["operation"], i["level"], i["cpu_seconds"]) for i in row.sample.figures["items"]] == [
        ("mul", 2, [2.0, 2.0]),
        ("rotate", 2, [2.0, 2.0]),
    ]
    assert row.sample.content["items"][0] == {"operation": "mul", "level": 2}
    assert row.sample.content["parameters"]["ring_dimension"] == INSECURE_N
    assert row.sample.figures["sizes"] == {"plaintext": 8, "public_key": None}


def test_a_reply_comes_back_from_the_store_as_it_was() -> None:
    made = reply(an_operation_job(), 0.125)
    again = TimedItems.from_json(json.loads(json.dumps(made.to_json())))
    assert again.to_json() == made.to_json()


def test_passes_go_on_until_the_least_time_is_known_and_no_longer(store: Store) -> None:
    """y1 - 19 (y2 - y1) comes within 2 % once two passes are within 0.1 % of each other."""
    times = Times(1.1, 1.05, 1.0, 1.0005, 7.0)
    (found,) = passes(store, Until(2, narrow=0.02, most=9), times)
    assert times.calls == 4
    assert found.widest == pytest.approx(19 * 0.0005, rel=1e-6)
    assert found.interval(Item("mul", 2)) == (pytest.approx(1 - 19 * 0.0005), 1.0)


def test_passes_end_at_the_cap_where_times_never_settle(store: Store) -> None:
    times = Times(*(2.0 - i / 10 for i in range(10)))
    (found,) = passes(store, Until(2, narrow=0.02, most=5), times)
    assert (times.calls, len(found.runs)) == (5, 5)
    assert found.widest > 0.02


def test_jobs_take_turns_and_one_that_fails_ends_alone(store: Store) -> None:
    """The failure is stored, and the next call tries that job again."""
    sound, failing = an_operation_job(), an_operation_job(slots=32)
    done: list[int] = []

    def measure(job: OperationJob, _: float | None) -> TimedItems:
        done.append(job.slots)
        if job.slots == 32:
            raise WorkerDied("killed")
        return reply(job, 1.0)

    found, lost = passes(store, Until(3), measure, sound, failing)
    assert (len(found.runs), len(lost.runs)) == (3, 0)
    assert isinstance(lost.failed, WorkerFailed)
    assert (done.count(16), done.count(32)) == (3, 1)
    assert sorted(row.sample.outcome for row in store.samples("operations")) == ["died"] + ["measured"] * 3
    passes(store, Until(3), measure, sound, failing)
    assert (done.count(16), done.count(32)) == (3, 2)


def test_equal_work_has_an_equal_key_and_other_work_another() -> None:
    job = an_operation_job()
    assert job.key == an_operation_job().key
    others = [
        replace(job, slots=32), replace(job, sparse=True), replace(job, repetitions=3),
        replace(job, threads=2), replace(job, items=job.items[:1]),
        an_operation_job("lattigo"), an_operation_job(scheme="bgv"),
    ]  # fmt: skip
    assert len({job.key, *(other.key for other in others)}) == 1 + len(others)


EVERY = [(name, scheme) for name in ("seal", "openfhe", "lattigo") for scheme in ("ckks", "bgv", "bfv")]


@pytest.mark.worker
@pytest.mark.parametrize(("name", "scheme"), EVERY)
@pytest.mark.parametrize("slots", [4, INSECURE_N // 2])
def test_a_real_worker_times_every_operation_and_its_results_are_right(
    name: str, scheme: str, slots: int
) -> None:
    if not registry.command(name).installed:
        pytest.skip(f"{name} is not installed")
    slots = INSECURE_N if scheme != "ckks" and slots > 4 else slots
    job = an_operation_job(name, scheme, *OPERATIONS, slots=slots)
    with Worker(name) as worker:
        found = measure_on(worker, job)
    assert found.context.ring_dimension == INSECURE_N
    for timed in found.items:
        assert bool(timed.refused) is (not timed.timing.cpu.seconds)
        assert not is_noise(job, timed), timed
    refused = {t.item.operation for t in found.items if t.refused}
    assert {"encode", "encrypt_secret", "add", "mul", "relinearize", "rotate", "keygen_pair"}.isdisjoint(
        refused
    )
    assert ("key_switch" in refused) is (name == "seal")
    assert ("rescale" in refused) is (scheme == "bfv")


@pytest.mark.worker
@pytest.mark.skipif(not registry.command("seal").installed, reason="SEAL's worker is not installed")
def test_a_library_without_the_operation_says_so_and_what_is_possible() -> None:
    with (
        Worker("seal") as worker,
        pytest.raises(WorkerRefused, match=r"possible are encode, .*keygen_rotate") as error,
    ):
        measure_on(worker, an_operation_job("seal", "ckks", "key_switch"))
    assert error.value.reason == "UnsupportedOperation"


class Fake:
    """A worker that replies what it is told to."""

    hello = HELLO

    def __init__(self, **change: Any) -> None:
        self.change = change

    def measure(self, request: Any, *_: Any) -> Any:
        values = Path(request["folder"]) / "0.npy"
        np.save(values, self.change.get("values", np.load(request["inputs"]["x"])))
        item = {
            "operation": "encode", "level": 2, "seconds": [[1.0, 1.0]] * 2, "values": str(values),
            "refused": None,
        } | self.change.get("item", {})  # fmt: skip
        return {"ring_dimension": INSECURE_N, "q": ["97"], "items": [item], "sizes": {}, "memory": {}}


@pytest.mark.parametrize(
    "item", [{"operation": "add"}, {"level": 1}, {"seconds": []}, {"seconds": [[1.0, float("nan")]] * 2}]
)
def test_a_reply_to_something_else_is_not_believed(item: Any) -> None:
    worker: Any = Fake(item=item)
    with pytest.raises(WorkerFailed, match="violated the protocol"):
        measure_on(worker, an_operation_job("seal", "ckks", "encode"))


def test_a_result_that_is_another_is_said_to_be_noise() -> None:
    right: Any = Fake()
    wrong: Any = Fake(values=np.full(16, np.nan))
    job = an_operation_job("seal", "ckks", "encode")
    assert not is_noise(job, measure_on(right, job).items[0])
    assert is_noise(job, measure_on(wrong, job).items[0])
