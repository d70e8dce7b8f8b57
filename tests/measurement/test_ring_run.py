"""Jobs on the exact ring: right results, every sample, and a record of whatever goes wrong."""

import json
import sys
import threading
import time
from typing import Any

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.circuit import cleartext
from fheasible.circuit.data import random_data
from fheasible.measurement import ring_run, ring_worker
from fheasible.measurement.ring_job import RingJob
from fheasible.schemes.call import ALL, count
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.fv import FV
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import plan
from schemes.applications import equation_3, weighted

pytest.importorskip("fheasible_native")

SMALL = RingParameters(n=64, log_q=120, t=2, log_w=8)  # INSECURE: soon done
MUCH = RingParameters(n=32768, log_q=1200, t=2, log_w=1)  # hours
UNTOLD = ("xor", "select")  # functions beyond the five that nothing here checks
FUNCTIONS = [(name, f) for name in sorted(SCHEMES) for f in (*SCHEMES[name].functions, ALL)]


def application(circuit: Any, p: RingParameters, order: bool | None = None, **more: Any) -> RingJob:
    data = random_data(circuit, 3)
    told = [
        {name: values.tolist() for name, values in vectors.items()}
        for vectors in (data, cleartext.evaluate(circuit, data))
    ]
    steps = plan(circuit, order)
    return RingJob(FV, steps.name, p, steps, told[0], told[1], **more)


@pytest.mark.parametrize(("name", "function"), FUNCTIONS)
def test_every_function_gives_the_right_result(name: str, function: str) -> None:
    found = ring_worker.measured(RingJob(SCHEMES[name], function, SMALL, repetitions=1))
    assert found["correct"] is (None if function in UNTOLD else True)


@pytest.mark.parametrize("order", [True, False])
@pytest.mark.parametrize("circuit", [equation_3.trace(), weighted.trace()], ids=["bits", "integers"])
def test_applications_give_the_cleartext_result(circuit: Any, order: bool) -> None:
    t = 2 if circuit.name == "equation_3" else 25
    p = RingParameters(n=64, log_q=300, t=t, log_w=20)
    assert ring_worker.measured(application(circuit, p, order, repetitions=1))["correct"] is True


def test_every_sample_of_every_phase_is_kept_and_the_warm_up_is_not() -> None:
    job = RingJob(FV, ALL, SMALL, repetitions=4, warmup=2)
    record = ring_run.attempt(job, 1000)
    assert record.outcome == "measured"
    assert record.measurement is not None
    for clock in ("cpu_seconds", "wall_seconds"):
        phases = record.measurement[clock]
        assert list(phases) == ["keygen", "encrypt", "add", "multiply", "decrypt", "total"]
        assert {len(phase["samples"]) for phase in phases.values()} == {4}
        own = [phases[name]["samples"] for name in phases if name != "total"]
        np.testing.assert_allclose(np.sum(own, axis=0), phases["total"]["samples"])
    assert record.measurement["correct"] is True
    assert record.measurement["peak_bytes"] > 0
    assert {"machine", "cpu", "version", "load_before", "commit", "seed"} <= set(record.environment)
    assert record.environment["library"] == "reference"


@pytest.mark.long
def test_the_peak_is_that_of_the_function_and_not_of_python() -> None:
    """Keys of 2·150 + 3 polynomials of 5 limbs are 47 MiB, made from as much again and a little more."""
    p = RingParameters(n=4096, log_q=300, t=2, log_w=2)
    record = ring_run.attempt(RingJob(FV, "keygen", p, repetitions=1), 1000)
    assert record.measurement is not None
    assert 47 * 2**20 < record.measurement["peak_bytes"] < 4 * 47 * 2**20


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is what Linux tells")
@pytest.mark.parametrize(
    ("name", "n", "log_q", "log_w"),
    [("fv", 4096, 300, 2), ("yashe", 8192, 440, 30), ("fntru", 8192, 200, 20), ("shield", 4096, 110, 20)],
)
def test_the_measured_peak_is_the_counted_one_to_ten_percent(
    name: str, n: int, log_q: int, log_w: int
) -> None:
    p = RingParameters(n, log_q, 2, log_w)
    counted = count(SCHEMES[name], ALL, p).memory.max_bytes
    measured = ring_run.execute(RingJob(SCHEMES[name], ALL, p, repetitions=1))["peak_bytes"]
    assert 0.95 < counted / measured < 1.1


def test_a_job_survives_its_json_form() -> None:
    job = application(weighted.trace(), RingParameters(n=64, log_q=100, t=25, log_w=5), seed=7)
    assert RingJob.from_json(json.loads(json.dumps(job.to_json()))) == job


def test_what_would_not_fit_is_refused_with_the_figure_and_never_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def begun(*_: Any) -> None:
        raise AssertionError("it was begun")

    monkeypatch.setattr(ring_run, "execute", begun)
    record = ring_run.attempt(RingJob(FV, ALL, MUCH), 10 * 2**30, max_bytes=2**30)
    assert (record.outcome, record.measurement) == ("refused", None)
    assert "10.0 GiB" in record.message
    assert "1.00 GiB" in record.message
    assert ring_run.attempt(RingJob(FV, ALL, MUCH), 2**60).outcome == "refused"  # no machine has that


@pytest.mark.long
def test_a_wrong_result_is_wrong_only_where_a_right_one_was_promised() -> None:
    """At 20 bits a product of ciphertexts leaves nothing of the message."""
    job = RingJob(FV, "multiply", RingParameters(n=1024, log_q=20, t=2, log_w=20), repetitions=1)
    promised, feared = (ring_run.attempt(job, 1000, promised=said) for said in (True, False))
    assert (promised.outcome, feared.outcome) == ("wrong", "measured")
    assert promised.measurement is not None
    assert feared.measurement is not None
    assert promised.measurement["correct"] is feared.measurement["correct"] is False
    assert "does not guarantee a right one" in feared.message


def test_what_an_application_decrypts_is_told_with_its_sizes() -> None:
    """Of a ciphertext: two polynomials of 64 coefficients of two limbs."""
    job = application(weighted.trace(), RingParameters(n=64, log_q=120, t=25, log_w=20), repetitions=1)
    record = ring_run.attempt(job, 1000)
    assert record.outcome == "measured"
    assert record.result == job.expected
    assert record.sizes["ciphertext_bytes"] == 2 * 64 * 2 * 8
    assert record.sizes["evaluation_key_bytes"] == 6 * record.sizes["ciphertext_bytes"]
    assert record.error is None


def test_what_is_told_is_what_the_first_wrong_run_decrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    job = application(weighted.trace(), RingParameters(n=64, log_q=120, t=25, log_w=20), repetitions=3)
    wrong = {name: [value + 1 for value in values] for name, values in job.expected.items()}
    reads = iter([job.expected, wrong, job.expected])
    monkeypatch.setattr(
        ring_worker.evaluate, "read", lambda *_: {k: np.array(v) for k, v in next(reads).items()}
    )
    monkeypatch.setattr(ring_worker, "right_on_polynomials", lambda *_: True)
    found = ring_worker.measured(job)
    assert found["correct"] is False
    assert found["result"] == wrong


def test_noise_that_leaves_no_integers_has_no_result() -> None:
    job = application(equation_3.trace(), RingParameters(n=64, log_q=40, t=2, log_w=40), repetitions=1)
    record = ring_run.attempt(job, 1000, promised=False)
    assert record.measurement is not None
    assert (record.result, record.measurement["correct"]) == (None, False)


@pytest.mark.long
def test_a_job_that_takes_too_long_is_stopped() -> None:
    begun = time.monotonic()
    record = ring_run.attempt(RingJob(FV, ALL, MUCH), 1000, timeout=1.5)
    assert time.monotonic() - begun < 15
    assert record.outcome == "timed out"
    assert record.environment["machine"]


@pytest.mark.long
def test_a_child_that_is_killed_is_a_record() -> None:
    killer = threading.Thread(target=_kill_the_child)
    killer.start()
    record = ring_run.attempt(RingJob(FV, ALL, MUCH), 1000, timeout=60)
    killer.join()
    assert record.outcome == "died"
    assert "killed" in record.message


def _kill_the_child(patience_seconds: float = 30.0) -> None:
    late = time.monotonic() + patience_seconds
    while time.monotonic() < late:
        for child in psutil.Process().children():
            if ring_worker.__name__ in child.cmdline() and child.cpu_times().user > 0.5:
                child.kill()
                return
        time.sleep(0.05)


def test_what_the_child_says_of_bad_input_is_a_record() -> None:
    """One value of a, where two are declared."""
    steps = application(weighted.trace(), RingParameters(n=64, log_q=60, t=25))
    broken = RingJob(FV, steps.what, steps.parameters, steps.application, {"a": [1], "b": [1]}, {})
    record = ring_run.attempt(broken, 1000)
    assert record.outcome == "died"
    assert "DataError" in record.message


@given(st.data())
def test_the_expected_product_is_the_schoolbook_s(data: st.DataObject) -> None:
    n, t = 1 << data.draw(st.integers(1, 5)), data.draw(st.integers(2, 2**62))
    polynomials = st.lists(st.integers(0, t - 1), min_size=n, max_size=n)
    a, b = data.draw(polynomials), data.draw(polynomials)
    wanted = [0] * n
    for i in range(n):
        for j in range(n):
            sign = 1 if i + j < n else -1
            wanted[(i + j) % n] += sign * a[i] * b[j]
    assert ring_worker.product_modulo(a, b, t) == [c % t for c in wanted]


def test_itemised_repetitions_time_every_operation_of_the_ring_in_its_phase() -> None:
    found = ring_worker.measured(RingJob(SCHEMES["fv"], "all", SMALL, repetitions=1, itemised=2))
    first, second = found["operations"]
    assert list(first) == list(found["samples"]) == ["keygen", "encrypt", "add", "multiply", "decrypt"]
    names = {phase: [name for name, _ in took] for phase, took in first.items()}
    assert names == {phase: [name for name, _ in took] for phase, took in second.items()}
    assert names["decrypt"] == ["multiply", "add", "lift", "scale_round", "remainder"]
    assert all(seconds >= 0 for took in first.values() for _, seconds in took)
    assert ring_worker.measured(RingJob(SCHEMES["fv"], "add", SMALL, repetitions=1))["operations"] == []
