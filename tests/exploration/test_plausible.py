"""A worker's answer is compared with what was asked and predicted, however right its result is."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from fheasible.calibration.defaults import default_profile
from fheasible.errors import StoreError, TooLarge, WorkerDisbelieved
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.proof import attempt
from fheasible.exploration.proof.attempt import INTERRUPTED, limit_seconds, refuse_memory
from fheasible.exploration.proof.measured import faults
from fheasible.exploration.proof.proof import prove
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.execute import RunPlan, execute
from fheasible.measurement.records import MeasuredSizes, Measurement
from fheasible.measurement.registry import command
from fheasible.measurement.samples import Samples, Timing
from fheasible.store.store import Store

from .apps import problem, whole

Change = Callable[[Measurement], Measurement]
ONCE = RunPlan(1, warmup=0)


pytestmark = [
    pytest.mark.worker,
    pytest.mark.skipif(not command("seal").installed, reason="seal is not installed"),
]


@cache
def asked() -> tuple[Problem, Candidate]:
    on = problem(whole)
    found = explore(
        on, Wish(), [replace(CATALOGUE["seal"], schemes=("bfv",))], {"seal": default_profile("seal")}
    )
    assert found.best is not None
    return on, found.best


@cache
def honest() -> Measurement:
    on, c = asked()
    told = CATALOGUE["seal"].worker_parameters(c.parameters)
    return execute("seal", c.program, told, on.data, ONCE)


def timed(m: Measurement, *seconds: float) -> Measurement:
    timing = Timing(Samples(seconds), Samples(seconds))
    return replace(m, phases=replace(m.phases, encrypt=timing, evaluate=timing, decrypt=timing))


def on_the_wall(m: Measurement, cpu: float, wall: float) -> Measurement:
    return replace(m, phases=replace(m.phases, evaluate=Timing(Samples((cpu,)), Samples((wall,)))))


LIES: dict[str, Change] = {
    "in a ring of dimension 1024": lambda m: replace(m, context=replace(m.context, ring_dimension=1024)),
    "the primes of Q": lambda m: replace(m, context=replace(m.context, q=m.context.q[::-1])),
    "the primes of P": lambda m: replace(m, context=replace(m.context, p=(97,))),
    "plaintext modulus is 17": lambda m: replace(m, context=replace(m.context, plain_modulus=17)),
    "it is SEAL 4.4.10": lambda m: replace(m, hello=replace(m.hello, version="4.4.10")),
    "calls itself lattigo": lambda m: replace(m, hello=replace(m.hello, library="lattigo")),
    "ciphertext_bytes is 1": lambda m: replace(m, sizes=replace(m.sizes, ciphertext_bytes=1)),
    "peak_bytes is 1": lambda m: replace(m, memory=replace(m.memory, peak_bytes=1)),
    "it measured evaluate 0 times": timed,
    "with 7 digits": lambda m: replace(m, context=replace(m.context, digits=7)),
    "it gave no evaluation_key_bytes": lambda m: replace(m, sizes=MeasuredSizes()),
    "its evaluate took no CPU time": lambda m: on_the_wall(m, 0.0, 1.0),
    "its total took no CPU time": lambda m: timed(m, 0.0),
    "it gave no output": lambda m: replace(m, outputs={}),
    "has the shape": lambda m: replace(m, outputs={name: v[:, :1] for name, v in m.outputs.items()}),
    "of <U": lambda m: replace(m, outputs={name: v.astype(str) for name, v in m.outputs.items()}),
    "10 s of CPU time in": lambda m: on_the_wall(m, 10.0, 0.0),
    "s of CPU time": lambda m: timed(m, 1e-9),
}  # fmt: skip


def test_an_honest_answer_is_believed() -> None:
    assert faults(asked()[1], ONCE, honest()) == []


@pytest.mark.parametrize("said", LIES)
def test_an_answer_to_something_else_is_stored_as_wrong_and_raised(said: str, tmp_path: Any) -> None:
    on, c = asked()
    with Store.open(tmp_path / "results.sqlite") as store:
        with pytest.raises(WorkerDisbelieved, match=said) as caught:
            prove(on, c, ONCE, store=store, run=lambda *_, **__: LIES[said](honest()))
        (row,) = store.measurements()
    assert caught.value.exit_code == 3
    assert row.entry.outcome == "wrong"
    assert said in row.entry.message


class Full(Store):
    """A store whose disk is full when a run has ended."""

    def add_measurement(self, *_: Any, **__: Any) -> int:
        raise StoreError("database or disk is full")


def test_a_run_that_cannot_be_stored_is_not_lost(tmp_path: Any) -> None:
    on, c = asked()
    with Full.open(tmp_path / "results.sqlite") as store:
        proof = prove(on, c, ONCE, store=store, run=lambda *_, **__: honest())
    assert proof.correct
    assert proof.number is None
    assert proof.unstored is not None
    assert "full" in proof.unstored.message


def test_an_interrupted_run_has_a_row(tmp_path: Any) -> None:
    def interrupted(*_: Any, **__: Any) -> Measurement:
        raise KeyboardInterrupt

    on, c = asked()
    with Store.open(tmp_path / "results.sqlite") as store:
        with pytest.raises(KeyboardInterrupt):
            prove(on, c, ONCE, store=store, run=interrupted)
        (row,) = store.measurements()
    assert (row.entry.outcome, row.entry.message) == ("died", INTERRUPTED)


def test_a_run_is_given_up_after_twenty_times_the_prediction_and_no_sooner_than_a_minute() -> None:
    _, c = asked()
    wall = c.estimate.wall_seconds
    assert wall is not None
    assert limit_seconds(c, ONCE) == 60
    many = RunPlan(1000, warmup=2, keygens=3)
    assert limit_seconds(c, many) == pytest.approx(20 * (1002 * wall["total"] + 3 * wall["keygen"]))
    assert limit_seconds(replace(c, estimate=replace(c.estimate, wall_seconds=None)), ONCE) >= 3600
    seen = []

    def run(*_: Any, timeout: float | None = None, **__: Any) -> Measurement:
        seen.append(timeout)
        return honest()

    prove(asked()[0], c, ONCE, run=run)
    prove(asked()[0], c, ONCE, run=run, timeout=7)
    assert seen == [60, 7]


def test_more_memory_than_there_is_is_refused_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    _, c = asked()
    refuse_memory(c)
    monkeypatch.setattr(attempt, "free_bytes", lambda: c.estimate.peak_bytes - 1)
    with pytest.raises(TooLarge, match="is predicted to take"):
        refuse_memory(c)
