"""Candidates really run: what comes of them is stored before anything is raised."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import fheasible as fh
from fheasible.api.busy import beside as seen_beside
from fheasible.api.busy import said as told_of
from fheasible.errors import LibraryMissing, WorkerDied, WorkerRefused, WorkerTimedOut, WrongResult
from fheasible.estimation.estimate import Estimate
from fheasible.estimation.sizes import Sizes as PredictedSizes
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.chosen import chosen, request_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.proof.measured import relative_errors
from fheasible.exploration.proof.proof import Proof, prove
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.environment import observe
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.records import Context, Hello, MeasuredSizes, Measurement, Phases, ResidentMemory
from fheasible.measurement.registry import command
from fheasible.noise.achieved import Achieved
from fheasible.program.digest import digest
from fheasible.store.rows import StoredMeasurement
from fheasible.store.store import Store
from having import having, pairs

from .apps import problem, real, whole

INSECURE = {"ring_dimension": "4096"}
ONCE = RunPlan(repetitions=1, warmup=0)
LIBRARY_SCHEMES = [(name, scheme) for name, library in CATALOGUE.items() for scheme in library.schemes]
worker = pytest.mark.worker


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "results.sqlite") as opened:
        yield opened


def toy(library: str, scheme: str, **settings: str) -> tuple[Problem, Candidate]:
    if not command(library).installed:
        pytest.skip(f"{library} is not installed")
    asked = problem(real if scheme == "ckks" else whole)
    request = request_from(scheme, INSECURE | settings, None)
    return asked, chosen(asked, CATALOGUE[library], request, None)


def the_row(store: Store) -> StoredMeasurement:
    (row,) = store.measurements()
    return row


@worker
@pytest.mark.parametrize(("library", "scheme"), LIBRARY_SCHEMES)
def test_a_right_result_is_stored_as_measured(library: str, scheme: str, store: Store) -> None:
    asked, candidate = toy(library, scheme)
    proof = prove(asked, candidate, RunPlan(2, 1), seed=7, store=store, asked=bits(8))
    assert proof.correct
    for name, truth in asked.truth.items():
        if scheme == "ckks":
            np.testing.assert_allclose(proof.result[name], truth, atol=1e-3)
        else:
            np.testing.assert_array_equal(proof.result[name], truth)
    row = the_row(store)
    assert (row.id, row.entry.outcome) == (proof.number, "measured")
    assert (row.entry.library, row.entry.scheme, row.entry.app) == (library, scheme, asked.circuit.name)
    assert row.entry.circuit == digest(candidate.program)
    assert row.entry.measurement is not None
    assert len(row.entry.measurement["cpu_seconds"]["evaluate"]["samples"]) == 2
    assert row.entry.measurement["precision_bits"] == proof.precision_bits
    named, seconds = row.entry.measurement["operations"], row.entry.measurement["operation_seconds"]
    assert [(o["operation"], o["level"]) for o in named] == [
        (o.kind, o.level) for o in candidate.program.operations
    ]
    assert np.shape(seconds) == (2, len(named), 2)
    assert (row.environment["seed"], row.environment["version"]) == (7, CATALOGUE[library].version)


def test_of_a_worker_that_does_not_answer_no_row_is_left(tmp_path: Path) -> None:
    """The next process that opens the store finds no run that has begun and never ended."""
    asked = problem(whole)
    candidate = chosen(asked, CATALOGUE["seal"], request_from("bgv", INSECURE, None), None)

    def missing(*_: Any, **__: Any) -> Any:
        raise LibraryMissing("seal's worker is out of date", "install it")

    path = tmp_path / "results.sqlite"
    with Store.open(path) as store, pytest.raises(LibraryMissing):
        prove(asked, candidate, ONCE, store=store, run=missing)
    with sqlite3.connect(path) as inside:
        assert inside.execute("select count(*) from attempts").fetchone() == (0,)


@worker
@pytest.mark.parametrize(("library", "scheme"), pairs("bgv", "bfv"))
def test_products_with_plain_vectors_are_right_without_any_other_product(library: str, scheme: str) -> None:
    if not command(library).installed:
        pytest.skip(f"{library} is not installed")
    weights = np.arange(100) % 5

    @fh.app(x=fh.integers(100, low=0, high=9))
    def weighted(x: fh.Vector) -> dict[str, fh.Vector]:
        return {"sum": fh.sum(x * weights), "vector": fh.rotate(x * weights, 1) * weights}

    asked = problem(weighted)
    best = explore(asked, Wish(), [replace(CATALOGUE[library], schemes=(scheme,))], {}).best
    assert best is not None
    assert prove(asked, best, ONCE).correct


@worker
@pytest.mark.parametrize("library", having("ckks"))
def test_the_measured_precision_is_that_of_the_result(library: str) -> None:
    asked, candidate = toy(library, "ckks")
    proof = prove(asked, candidate, ONCE)
    (name,) = proof.result
    truth = asked.truth[name]
    errors = [abs(r - t) for r, t in zip(proof.result[name], truth, strict=True)]
    assert proof.precision_bits == pytest.approx(-np.log2(max(errors) / max(abs(t) for t in truth)))
    of_each = [-np.log2(e / abs(t)) for e, t in zip(errors, truth, strict=True)]
    assert proof.measured_json()["mean_precision_bits"] == pytest.approx(np.mean(of_each))
    assert proof.number is None
    assert proof.relative_error()["precision_bits"] == pytest.approx(
        (candidate.estimate.precision_bits or 0) / proof.precision_bits - 1
    )


@worker
def test_a_wrong_result_is_stored_and_raised(store: Store) -> None:
    # one product of values modulo 40961 needs more than two primes of 26 bits
    asked, candidate = toy("seal", "bgv", prime_bits="26,26", plain_modulus="40961")
    with pytest.raises(
        WrongResult, match=r"SEAL BGV computed whole wrongly: sum\[0\]|seal BGV computed whole wrongly"
    ) as caught:
        prove(asked, candidate, ONCE, store=store)
    assert caught.value.exit_code == 3
    row = the_row(store)
    assert row.entry.outcome == "wrong"
    assert row.entry.measurement is not None
    assert row.entry.measurement["cpu_seconds"]["evaluate"]["min"] > 0


@worker
def test_a_result_less_precise_than_asked_is_wrong(store: Store) -> None:
    asked, candidate = toy("lattigo", "ckks")
    with pytest.raises(WrongResult, match=r"bits of precision; 51 were asked for") as caught:
        prove(asked, candidate, ONCE, store=store, asked=bits(51))
    assert "margin" in caught.value.remedy
    row = the_row(store)
    assert row.entry.outcome == "wrong"
    assert row.entry.measurement is not None
    assert 3 < row.entry.measurement["precision_bits"] < 51


@worker
def test_a_worker_that_is_killed_half_way_is_stored_and_raised(store: Store) -> None:
    asked, candidate = toy("seal", "bfv")
    others = {child.pid for child in psutil.Process().children()}

    def kill(phase: str, done: int, total: int) -> None:
        for child in psutil.Process().children():
            if child.pid not in others and phase == "run":
                child.kill()

    with pytest.raises(WorkerDied):
        prove(asked, candidate, RunPlan(10_000, 0), store=store, progress=kill)
    row = the_row(store)
    assert (row.entry.outcome, row.entry.measurement) == ("died", None)
    assert "killed" in row.entry.message
    assert row.environment["machine"]


@worker
def test_a_worker_that_overruns_its_time_is_stored_and_raised(store: Store) -> None:
    asked, candidate = toy("lattigo", "bfv")
    with pytest.raises(WorkerTimedOut):
        prove(asked, candidate, RunPlan(1_000_000, 0), store=store, timeout=1)
    assert the_row(store).entry.outcome == "timed out"


@worker
def test_a_refusal_is_stored_with_the_librarys_own_words(store: Store) -> None:
    asked, candidate = toy("seal", "ckks")
    request = candidate.parameters.request
    assert request is not None
    demanding = replace(candidate.parameters, request=replace(request, security=128))
    with pytest.raises(WorkerRefused) as caught:
        prove(asked, replace(candidate, parameters=demanding), ONCE, store=store)
    row = the_row(store)
    assert (row.entry.outcome, row.entry.message) == ("refused", caught.value.message)
    assert "secure" in row.entry.message


@worker
def test_every_attempt_adds_a_row_and_leaves_the_others(store: Store) -> None:
    asked, candidate = toy("seal", "bfv")
    numbers = [prove(asked, candidate, ONCE, store=store).number for _ in range(2)]
    assert [row.id for row in store.measurements()] == numbers[::-1]


# -- the relative error, by hand -------------------------------------------------------------------

PREDICTED = Estimate(
    cpu_seconds={"keygen": 2.0, "encrypt": 1.0, "evaluate": 9.0, "decrypt": 0.5, "total": 10.5},
    wall_seconds={"keygen": 2.2, "encrypt": 1.1, "evaluate": 9.9, "decrypt": 0.55, "total": 11.55},
    peak_bytes=1200,
    sizes=PredictedSizes(100, 210, 90, 400, 3),
    precision_bits=15.0,
    security_bits=130.0,
    standard_bits=128,
    library_bits=None,
    error_band=0.05,
)


def measurement(sizes: MeasuredSizes, memory: ResidentMemory) -> Measurement:
    """Two repetitions, [cpu, wall] each."""
    phases: dict[str, Any] = {
        "context": [[0.1, 0.1]],
        "keygen": [[4.0, 4.4]],
        "encrypt": [[1.0, 1.0], [1.25, 1.5]],
        "evaluate": [[12.0, 15.0], [10.0, 21.0]],
        "decrypt": [[0.5, 0.5], [0.4, 0.6]],
    }
    hello = Hello("seal", "4.4.0", "", {}, "", (), ())
    return Measurement(hello, Context(4096, (97,)), Phases.from_message(phases), sizes, memory)


def test_the_relative_error_by_hand() -> None:
    measured = measurement(MeasuredSizes(100, 200, 100, 150, 250, 2), ResidentMemory(peak_bytes=1000))
    errors = relative_errors(PREDICTED.to_json(), measured.to_json() | {"precision_bits": 12.0})
    assert errors == pytest.approx(
        {
            "cpu_seconds.keygen": 2 / 4 - 1,
            "cpu_seconds.encrypt": 0.0,  # against the least, 1.0
            "cpu_seconds.evaluate": 9 / 10 - 1,
            "cpu_seconds.decrypt": 0.5 / 0.4 - 1,
            "cpu_seconds.total": 10.5 / (1.25 + 10 + 0.4) - 1,  # the second repetition is the shorter one
            "wall_seconds.keygen": 2.2 / 4.4 - 1,
            "wall_seconds.encrypt": 1.1 / 1.25 - 1,  # against the median
            "wall_seconds.evaluate": 9.9 / 18 - 1,
            "wall_seconds.decrypt": 0.0,
            "wall_seconds.total": 11.55 / ((16.5 + 23.1) / 2) - 1,
            "peak_bytes": 0.2,
            "ciphertext_bytes": 0.0,
            "public_key_bytes": 0.05,
            "secret_key_bytes": -0.1,
            "evaluation_key_bytes": 0.0,
            "precision_bits": 0.25,
        },
        abs=1e-12,
    )


def test_figures_that_either_lacks_have_no_error() -> None:
    unknown = replace(PREDICTED, cpu_seconds=None, wall_seconds=None, peak_bytes=None, precision_bits=None)
    measured = measurement(MeasuredSizes(ciphertext_bytes=80), ResidentMemory())
    errors = relative_errors(unknown.to_json(), measured.to_json() | {"precision_bits": None})
    assert errors == {"ciphertext_bytes": 0.25}


def test_a_proof_compares_its_own_figures() -> None:
    c = Candidate("seal", "bfv", None, None, None, PREDICTED)  # type: ignore[arg-type]
    measured = measurement(MeasuredSizes(ciphertext_bytes=80), ResidentMemory())
    proof = Proof(c, measured, {}, {}, Achieved(12.0, 13.0, 1e-3, 1e-2), True, None, None)  # type: ignore[arg-type]
    assert proof.relative_error()["precision_bits"] == 0.25
    assert proof.measured_json()["precision_bits"] == 12.0


@pytest.mark.parametrize(
    ("pace", "beside", "slowed"), [(0.01, 0.016, 1.6), (0.01, 0.0105, 1.05), (None, 0.016, None)]
)
def test_who_measures_beside_other_processes_is_told(
    pace: float | None, beside: float, slowed: float | None
) -> None:
    c = Candidate("seal", "bfv", None, None, None, replace(PREDICTED, pace_seconds=pace))  # type: ignore[arg-type]
    measured = measurement(MeasuredSizes(), ResidentMemory())
    proof = Proof(c, measured, {}, {}, None, True, observe("seal"), None, beside=beside)
    assert proof.slowed == (None if slowed is None else pytest.approx(slowed))
    said = " ".join(" ".join(told_of(seen_beside(proof))).split())
    assert ("took 1.60 times" in said) == (slowed == 1.6)
