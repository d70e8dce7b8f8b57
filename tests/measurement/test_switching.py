"""Comparisons by scheme switching in a real worker: their results are right, and what is not possible is
said."""

from dataclasses import replace

import pytest

from fheasible.calibration.switching import insecure_job
from fheasible.libraries.catalogue import library
from fheasible.measurement import registry
from fheasible.measurement.operations import SWITCHING, Item, OperationJob, TimedItems, is_noise, measure_on
from fheasible.measurement.worker import Worker

pytestmark = [
    pytest.mark.worker,
    pytest.mark.skipif(not registry.command("openfhe").installed, reason="OpenFHE is not installed"),
]


def measured(job: OperationJob) -> TimedItems:
    with Worker("openfhe") as worker:
        return measure_on(worker, job)


def a_job(depth: int, slots: int, *names: str) -> OperationJob:
    job = insecure_job(library("openfhe"), 1 << 11, depth, slots)
    items = tuple(Item(name, job.parameters.levels) for name in names)
    return replace(job, items=items, repetitions=1, warmup=0)


def test_every_operation_is_right_on_eight_random_slots() -> None:
    job = a_job(16, 8, *SWITCHING)
    found = measured(job)
    for timed in found.items:
        assert (timed.refused, is_noise(job, timed)) == ("", False), timed
        assert timed.error is not None
        assert timed.error < 1e-3
    assert found.memory["switching_bytes"] > 1e8


def test_a_chain_that_is_too_short_is_refused_and_the_worker_lives_on() -> None:
    """OpenFHE itself would end the process."""
    job = a_job(14, 8, "ckks_to_fhew", "minimum_by_switching")
    left, least = measured(job).items
    assert not left.refused
    assert "a chain of 15 levels for 8 slots, and there are 14" in least.refused
