"""Experiments of single operations: their jobs are those of `fheasible measure`."""

import pytest

from fheasible.calibration.defaults import default_profile
from fheasible.measurement.machine import this_machine
from fheasible.measurement.operation_passes import CAMPAIGN
from fheasible.store.store import Store
from fheasible.studies import results, running
from fheasible.studies.operations import OperationExperiment, OperationSet

INSECURE_RING = {"ring_dimension": "2048", "scale_bits": "25"}
SUMS = OperationExperiment(
    name="sums",
    title="Sums",
    library="seal",
    scheme="ckks",
    operations=("add", "mul", "encrypt"),
    sets=(
        OperationSet("1", INSECURE_RING, 1, slots=128),
        OperationSet("2", INSECURE_RING, 1),
        OperationSet("3", INSECURE_RING, 1, slots=2048),
        OperationSet("4", {"ring_dimension": "2048", "scale_bits": "61"}, 1),
    ),
    calls=2,
    repetitions=2,
    quick_repetitions=1,
)


def stored(store: Store) -> results.Results:
    profiles = {"seal": found} if (found := default_profile("seal")) else {}
    return results.load(store, "toy", [SUMS], this_machine().fingerprint, profiles)


def test_every_operation_and_size_is_predicted_under_the_name_that_is_measured(store: Store) -> None:
    told = list(stored(store).predictions(SUMS).values())
    assert {"add_seconds", "mul_seconds", "encrypt_seconds", "ciphertext_bytes"} <= set(told[0].figures)
    assert told[0].figures["add_seconds"] > 0
    assert told[0].figures["encrypt_seconds"] is None  # the model has encoding and encryption together


def test_vectors_beyond_the_ring_and_impossible_primes_are_refused_in_words(store: Store) -> None:
    told = [p.refused for p in stored(store).predictions(SUMS).values()]
    assert told[:2] == ["", ""]
    assert told[2] == "N = 2048 has 1024 slots"
    assert "61" in told[3]
    assert len(running.steps([SUMS], False, stored(store))) == 2


def test_a_cell_without_slots_fills_the_ring() -> None:
    jobs = list(SUMS.jobs.values())
    assert [job.slots for job in jobs[:2] if not isinstance(job, str)] == [128, 1024]


@pytest.mark.worker
def test_passes_are_stored_as_samples_and_not_repeated(store: Store) -> None:
    there = stored(store)
    first = running.whole(store, "toy", running.steps([SUMS], False, there), there)
    assert [(row.outcome, row.repetitions) for row in first.rows] == [("measured", 2)] * 2
    assert len(store.samples(CAMPAIGN)) == 4
    there = stored(store)
    again = running.whole(store, "toy", running.steps([SUMS], False, there), there)
    assert (again.kept, again.rows) == (2, [])
    for b in there.measured(SUMS):
        assert b.error("ciphertext_bytes") == b.error("public_key_bytes") == 0
        assert b.measured("add_seconds") > 0
