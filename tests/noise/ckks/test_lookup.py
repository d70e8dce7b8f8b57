"""Errors of entries that OpenFHE looks up: predicted for each operand, beside real runs at INSECURE rings."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import log, log2
from typing import Any

import numpy as np
import pytest

from fheasible.calibration.bootstraps import table_job
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import CkksParameters
from fheasible.measurement import operations
from fheasible.measurement.operations import OperationJob, measure_on
from fheasible.measurement.worker import Worker
from fheasible.noise.ckks.lookup import EntryErrors, entry_errors
from fheasible.noise.ckks.modular_raising import bootstrap_failure_bits

ALIKE_BITS = 0.3  # of the deviation, at operands that were drawn often
RESOLVED = 2.0**-18  # errors that the worker can tell, which decrypts to 20 bits below an entry

# (log2 of N, log2 of the slots, levels of each transform, bits, order, bits of the scale)
SETS = [(11, 10, 2, 1, 1, 33), (11, 10, 2, 2, 1, 36), (11, 10, 3, 3, 2, 40), (11, 9, 2, 4, 3, 36)]


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker("openfhe") as running:
        yield running


def job(*of: int) -> OperationJob:
    return replace(table_job(library("openfhe"), *of), repetitions=1, warmup=0)


@cache
def predicted(*of: int) -> EntryErrors:
    p = job(*of).parameters
    assert isinstance(p, CkksParameters)
    return entry_errors(p)


def seen(worker: Worker, asked: OperationJob, runs: int, patch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """(the operands, the errors of their entries) of so many runs, each with keys of its own."""
    operands, errors = [], []

    def kept(job: OperationJob, values: Any) -> float:
        p = job.parameters
        assert isinstance(p, CkksParameters)
        assert p.bootstrap is not None
        assert p.bootstrap.procedure.table is not None
        count = p.bootstrap.procedure.table.entries
        operands.append(np.clip((job.inputs[0] + 1) / 2 * count, 0, count - 1).astype(int))
        errors.append(operations._beside_entries(job, values))
        return 0.0

    patch.setattr(operations, "_off", kept)
    for _ in range(runs):
        measure_on(worker, asked)
    return np.concatenate(operands), np.concatenate(errors)


def _spread(errors: Any) -> float:
    """The deviation of one square beside the mean square, in bits of the deviation that it stands for. An
    error is a power of another where a table is flat, so that few large ones make most of a mean square."""
    return float(np.std(errors**2) / np.mean(errors**2) / (2 * log(2)))


@pytest.mark.worker
@pytest.mark.parametrize("of", SETS)
def test_errors_are_as_large_as_predicted_operand_by_operand(
    worker: Worker, of: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    operands, errors = seen(worker, job(*of), 4, monkeypatch)
    expected = predicted(*of)
    often = [m for m in range(len(expected.squares)) if (operands == m).sum() >= 60]
    assert len(often) >= 2
    spread = _spread(errors / np.sqrt(expected.squares[operands]))
    for m in often:
        found, told = np.mean(errors[operands == m] ** 2), expected.squares[m]
        if max(found, told) > RESOLVED**2:
            by_chance = 5 * spread / np.sqrt((operands == m).sum())  # of one among thirty operands
            assert abs(log2(found / told)) / 2 < ALIKE_BITS + by_chance
    every = np.mean(expected.squares[operands])
    by_chance = 3 * spread / np.sqrt(len(errors))
    assert log2(np.mean(errors**2) / every) / 2 == pytest.approx(0, abs=0.2 + by_chance)


@pytest.mark.worker
def test_entries_are_wrong_as_often_as_predicted_where_the_scale_is_too_small(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = (11, 10, 2, 4, 1, 30)
    operands, errors = seen(worker, job(*of), 6, monkeypatch)
    wrong, expected = np.mean(np.abs(errors) > 0.5), predicted(*of)
    assert expected.failure_bits < 1  # some entry is wrong in every run
    assert 1 / 3 < wrong / np.mean(expected.wrong[operands]) < 3


def test_what_fails_is_the_raising_of_the_modulus_where_the_scale_is_large() -> None:
    p = job(11, 10, 2, 3, 1, 47).parameters
    assert isinstance(p, CkksParameters)
    assert p.bootstrap is not None
    raising = bootstrap_failure_bits(p.ring_dimension, p.bootstrap)
    assert entry_errors(p).failure_bits == pytest.approx(raising, abs=1e-6)


def test_a_table_with_smaller_steps_has_smaller_errors() -> None:
    p = job(11, 10, 2, 3, 1, 40).parameters
    assert isinstance(p, CkksParameters)
    steep, flat = (entry_errors(p, entries) for entries in ((0.0, 7.0) * 4, (0.0, 1.0) * 4))
    assert np.mean(flat.squares) < np.mean(steep.squares) / 10
