"""Ring schemes really run: what comes of it is stored before anything is raised."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fheasible.circuit.data import random_data
from fheasible.circuit.node import Circuit
from fheasible.errors import StoreError, TooLarge, WorkerDied, WorkerTimedOut, WrongResult
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.rings import proof
from fheasible.exploration.rings.chosen import chosen
from fheasible.exploration.rings.proof import prove
from fheasible.measurement import ring_run
from fheasible.measurement.records import measurement_from_json
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.fv import FV
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import Plan, plan
from fheasible.store.rows import StoredMeasurement
from fheasible.store.store import Store

from .apps import app_of, ten_products

pytest.importorskip("fheasible_native")

INSECURE = RingParameters(n=256, log_q=300, t=2, log_w=16)
NOISY = RingParameters(n=256, log_q=40, t=2, log_w=40)  # one product is too many
MUCH = RingParameters(n=32768, log_q=1200, t=2, log_w=1)  # hours
BITS = ten_products.trace()
WEIGHTED = app_of(lambda x: x * x * 3 - 2, 25, 4).trace()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "results.sqlite") as opened:
        yield opened


def asked(circuit: Circuit, seed: int = 1) -> Problem:
    return Problem(circuit, random_data(circuit, seed), "random data")


def the_row(store: Store) -> StoredMeasurement:
    (row,) = store.measurements()
    return row


@pytest.mark.long
@pytest.mark.parametrize("kind", SCHEMES.values())
def test_a_right_result_is_stored_with_all_that_a_library_s_has(kind: Any, store: Store) -> None:
    steps = plan(BITS, True)
    proof = prove(asked(BITS), chosen(kind, INSECURE, steps), steps, 2, 7, store)
    np.testing.assert_array_equal(proof.result["result"], [0])  # equation 3 is always 0
    assert proof.promised
    row = the_row(store)
    assert (row.id, row.entry.outcome, row.entry.message) == (proof.number, "measured", "")
    assert (row.entry.library, row.entry.scheme, row.entry.app) == ("reference", kind.name, "ten_products")
    assert (row.entry.circuit, row.environment["seed"]) == (steps.digest, 7)
    assert row.entry.parameters["q"] == str(2**300 - 1)
    assert row.entry.measurement is not None
    stored = measurement_from_json(row.entry.measurement)
    assert stored.repetitions == 2
    assert stored.to_json() | {"precision_bits": None} == proof.measured_json()


@pytest.mark.long
@pytest.mark.parametrize("as_written", [False, True])
def test_integers_come_out_as_in_the_clear(as_written: bool) -> None:
    problem, steps = asked(WEIGHTED), plan(WEIGHTED, not as_written)
    p = replace(INSECURE, t=25)
    proof = prove(problem, chosen(FV, p, steps), steps, 1)
    wanted = (3 * problem.data["x"] ** 2 - 2 + 12) % 25 - 12  # residues of (-25/2, 25/2]
    np.testing.assert_array_equal(proof.result["result"], wanted)
    assert proof.minimised is not as_written
    assert proof.number is None


@pytest.mark.long
def test_key_generation_is_no_part_of_the_total() -> None:
    steps = plan(BITS, True)
    proof = prove(asked(BITS), chosen(FV, INSECURE, steps), steps, 2)
    for clock in ("cpu_seconds", "wall_seconds"):
        phases = proof.measured_json()[clock]
        parts = [phases[name]["samples"] for name in ("encrypt", "evaluate", "decrypt")]
        np.testing.assert_allclose(np.sum(parts, axis=0), phases["total"]["samples"])


@pytest.mark.long
@pytest.mark.parametrize("kind", SCHEMES.values())
def test_what_keys_and_ciphertexts_take_is_what_was_predicted(kind: Any) -> None:
    """Counted from shapes alone, and measured as bytes of arrays."""
    steps = plan(BITS, True)
    proof = prove(asked(BITS), chosen(kind, INSECURE, steps), steps, 1)
    errors = proof.relative_error()
    names = ["ciphertext_bytes", "public_key_bytes", "secret_key_bytes"]
    names += ["evaluation_key_bytes"] if proof.candidate.sizes["evaluation_key_bytes"] else []
    assert {name: errors[name] for name in names} == dict.fromkeys(names, 0.0)
    assert set(errors) == set(names)  # without a profile nothing else is predicted


@pytest.mark.long
def test_the_peak_is_that_of_the_whole_process() -> None:
    steps = plan(BITS, True)
    memory = prove(asked(BITS), chosen(FV, INSECURE, steps), steps, 1).measurement.memory
    assert memory.peak_bytes is not None
    assert memory.baseline_bytes is not None
    assert memory.peak_bytes > memory.baseline_bytes > 10 * 2**20  # Python with numpy


@pytest.mark.long
def test_a_wrong_result_that_nobody_promised_is_stored_and_raised(store: Store) -> None:
    steps = plan(BITS, True)
    with pytest.raises(
        WrongResult, match=r"did not guarantee a right result: 5 multiplications in succession needed"
    ) as caught:
        prove(asked(BITS), chosen(FV, NOISY, steps), steps, 1, store=store)
    assert caught.value.exit_code == 3
    assert "larger log_q" in caught.value.remedy
    row = the_row(store)
    assert (row.entry.outcome, "does not guarantee a right one" in row.entry.message) == ("wrong", True)
    assert row.entry.measurement is not None
    assert row.entry.measurement["correct"] is False
    assert row.entry.measurement["cpu_seconds"]["evaluate"]["min"] > 0


@pytest.mark.long
def test_a_wrong_result_that_was_promised_is_a_fault_of_ours(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "promised", lambda *_: True)
    steps = plan(BITS, True)
    with pytest.raises(WrongResult, match="although the noise bound guarantees") as caught:
        prove(asked(BITS), chosen(FV, NOISY, steps), steps, 1, store=store)
    assert "report it" in caught.value.remedy
    assert the_row(store).entry.outcome == "wrong"


def told(monkeypatch: pytest.MonkeyPatch, correct: bool, **result: list[int]) -> tuple[Problem, Plan]:
    """The child says that of a run whose samples are invented."""
    problem, steps = asked(WEIGHTED), plan(WEIGHTED)
    right = {name: values.tolist() for name, values in problem.truth.items()}
    answer = {
        "samples": {name: [[1.0, 2.0]] for name in ("keygen", "encrypt", "evaluate", "decrypt")},
        "correct": correct, "baseline_bytes": 100, "peak_bytes": 23, "phase_peak_bytes": {},
        "result": right | result, "sizes": {},
    }  # fmt: skip
    monkeypatch.setattr(ring_run, "execute", lambda *_: answer)
    return problem, steps


def test_the_first_difference_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, steps = told(monkeypatch, False)
    truth = problem.truth["result"].tolist()
    problem, steps = told(monkeypatch, False, result=[*truth[:2], 99, *truth[3:]])
    with pytest.raises(WrongResult, match=rf"result\[2\] = 99 instead of {truth[2]}"):
        prove(problem, chosen(FV, replace(INSECURE, t=25), steps), steps)


def test_right_data_are_not_enough_where_the_bound_promises_all(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, steps = told(monkeypatch, False)
    with pytest.raises(WrongResult, match="wrong for random polynomials in their place"):
        prove(problem, chosen(FV, replace(INSECURE, t=25), steps), steps)
    noisy = chosen(FV, RingParameters(256, 20, 25, 20), steps)
    proof = prove(problem, noisy, steps)  # and are enough where it promises nothing
    assert not proof.promised
    assert "does not guarantee a right result" in proof.warnings[-1]


def test_relative_errors_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """One second of CPU time, two of wall time in each phase; 123 bytes in all."""
    problem, steps = told(monkeypatch, True)
    predicted = {"keygen": 1.5, "encrypt": 1.0, "evaluate": 0.5, "decrypt": 1.25, "total": 2.75}
    c = replace(
        chosen(FV, replace(INSECURE, t=25), steps), cpu_seconds=predicted, wall_factor=2.0, peak_bytes=246
    )
    errors = prove(problem, c, steps).relative_error()
    by_phase = {"keygen": 0.5, "encrypt": 0.0, "evaluate": -0.5, "decrypt": 0.25, "total": 2.75 / 3 - 1}
    for clock in ("cpu_seconds", "wall_seconds"):
        assert {p: errors[f"{clock}.{p}"] for p in by_phase} == pytest.approx(by_phase)
    assert errors["peak_bytes"] == 1.0


def test_what_would_not_fit_is_refused_with_the_figure_and_stored(store: Store) -> None:
    steps = plan(BITS, True)
    with pytest.raises(TooLarge, match=r"predicted to take .* GiB") as caught:
        prove(asked(BITS), chosen(SCHEMES["fntru"], MUCH, steps), steps, store=store)
    assert "--objective memory" in caught.value.remedy
    assert (the_row(store).entry.outcome, the_row(store).entry.measurement) == ("refused", None)


@pytest.mark.long
def test_a_run_that_overruns_its_time_is_stored_and_raised(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ring_run, "free_bytes", lambda: 2**60)
    steps = plan(BITS, True)
    with pytest.raises(WorkerTimedOut):
        prove(asked(BITS), chosen(FV, MUCH, steps), steps, store=store, timeout=1.0)
    assert the_row(store).entry.outcome == "timed out"


def test_a_child_that_died_is_stored_and_raised(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: Any) -> None:
        raise WorkerDied("killed by signal 9", "take a smaller set")

    monkeypatch.setattr(ring_run, "execute", die)
    steps = plan(BITS, True)
    with pytest.raises(WorkerDied):
        prove(asked(BITS), chosen(FV, INSECURE, steps), steps, store=store)
    assert (the_row(store).entry.outcome, the_row(store).entry.message) == ("died", "killed by signal 9")


def test_an_interrupted_run_has_a_row(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ring_run, "execute", interrupted)
    steps = plan(BITS, True)
    with pytest.raises(KeyboardInterrupt):
        prove(asked(BITS), chosen(FV, INSECURE, steps), steps, store=store)
    assert the_row(store).entry.outcome == "died"
    assert "interrupted" in the_row(store).entry.message


@pytest.mark.long
def test_a_run_that_cannot_be_stored_is_not_lost(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> int:
        raise StoreError("database or disk is full")

    monkeypatch.setattr(Store, "add_measurement", full)
    steps = plan(BITS, True)
    found = prove(asked(BITS), chosen(FV, INSECURE, steps), steps, store=store)
    assert found.number is None
    assert found.unstored is not None
    assert "full" in found.unstored.message


def test_without_a_word_a_run_ends_after_twenty_times_the_prediction(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def run(_: Any, timeout: float) -> None:
        seen.append(timeout)
        raise WorkerDied("enough", "")

    monkeypatch.setattr(ring_run, "execute", run)
    steps = plan(BITS, True)
    c = chosen(FV, INSECURE, steps)
    cpu = {"keygen": 2.0, "encrypt": 1.0, "evaluate": 3.0, "decrypt": 1.0, "total": 5.0}
    for candidate in (replace(c, cpu_seconds=cpu, wall_factor=1.5), replace(c, cpu_seconds=None)):
        with pytest.raises(WorkerDied):
            prove(asked(BITS), candidate, steps, repetitions=3)
    assert seen[0] == pytest.approx(20 * 1.5 * 4 * (2.0 + 5.0))
    assert seen[1] >= 3600
