"""Gates and functions in a real worker: they are right, and keys and memory are as predicted."""

import pytest

from fheasible.calibration.gates import GateTime, fitted, times_of
from fheasible.estimation.gates import seconds
from fheasible.libraries.catalogue import library
from fheasible.libraries.gates import DECRYPT, ENCRYPT, GATE, KEYGEN, SECRET
from fheasible.measurement import registry
from fheasible.measurement.gates import GateJob, measure_gates

OPENFHE = library("openfhe")
GATES = OPENFHE.gates
assert GATES is not None
live = pytest.mark.skipif(not registry.command("openfhe").installed, reason="OpenFHE is not installed")


@live
@pytest.mark.worker
@pytest.mark.parametrize(
    "job",
    [
        GateJob("openfhe", "TOY", "ap", (KEYGEN, SECRET, ENCRYPT, DECRYPT, GATE), None, True, 3, True),
        GateJob("openfhe", "TOY", "ginx", ("binfhe_negacyclic", "binfhe_function"), 12, True, 6),
        GateJob("openfhe", "TOY", "ginx", ("binfhe_floor", "binfhe_sign"), 23, False, 3),
    ],
)
def test_results_are_right_and_keys_as_predicted(job: GateJob) -> None:
    assert GATES is not None
    found = measure_gates(job)
    assert [(item.refused, item.wrong) for item in found.items] == [("", 0)] * len(job.operations)
    if job.key_file:
        assert found.sizes["keys"] == GATES.key_bytes(job.set, job.method)
    assert found.sizes["ciphertext"] == GATES.ciphertext_bytes(job.set)
    assert found.sizes["secret_key"] == GATES.secret_bytes(job.set)
    assert found.memory["keys_bytes"] == pytest.approx(GATES.memory_bytes(job.set, job.method), rel=0.25)
    assert all(t.seconds > 0 for t in times_of(OPENFHE, job, found))


@live
@pytest.mark.worker
def test_steps_without_a_bootstrap_take_less_than_a_gate() -> None:
    found = measure_gates(GateJob("openfhe", "TOY", "ginx", (SECRET, ENCRYPT, DECRYPT, GATE), repetitions=5))
    gate = found.seconds(GATE)
    assert gate is not None
    assert all(0 < (found.seconds(name) or 0) < gate / 10 for name in (SECRET, ENCRYPT, DECRYPT))


@live
@pytest.mark.worker
def test_a_wrong_operation_is_refused() -> None:
    (item,) = measure_gates(GateJob("openfhe", "TOY", "ginx", ("binfhe_nothing",))).items
    assert "no operation binfhe_nothing" in item.refused


def test_prices_come_back_from_times_that_they_made() -> None:
    assert GATES is not None
    prices = {"butterflies/4": 2e-9, "products/4": 1e-9, "switch_adds/4": 3e-9}
    found = []
    for name, method in (("TOY", "ginx"), ("TOY", "ap"), ("MEDIUM", "lmkcdey"), ("STD128", "ginx")):
        of = GATES.bin_set(name, method, None, True)
        taken = seconds(GATES, of, method, GATE, prices)
        assert taken is not None
        counts = {f"{k}/4": float(v) for k, v in GATES.work(of, method, GATE).items()}
        found.append(GateTime(GATE, counts, taken))
    assert fitted(found) == pytest.approx(prices, rel=1e-6)
    assert seconds(GATES, GATES.bin_set("TOY", "ginx", 12, True), "ginx", "binfhe_function", prices) is None
