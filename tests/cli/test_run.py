"""run and verify on a real library, and what is left of a run that was killed."""

import os
import signal
from typing import Any

import numpy as np
import pytest

from fheasible.api import platform
from fheasible.errors import StoreError, WorkerRefused
from fheasible.exploration.proof import proof
from fheasible.measurement.counters import MARKED
from fheasible.measurement.resident import Trace
from fheasible.measurement.worker import Worker
from fheasible.store.store import Store

pytestmark = pytest.mark.worker
TOY = ("--param", "security=none", "--param", "ring_dimension=2048")  # INSECURE: small, and soon done


@pytest.fixture(autouse=True)
def _seal_is_installed(installed: Any) -> None:
    installed("seal")


def test_run_gives_the_cleartext_result_and_every_sample(call: Any, integers: str) -> None:
    words = ("--library", "seal", "--scheme", "bfv", "--repetitions", "2", "--seed", "3")
    answer = call("run", integers, *words, "--json")
    assert answer.code == 0
    found = answer.json
    assert {"parameters", "measurement", "result", "cleartext", "environment"} <= set(found)
    generator = np.random.default_rng(3)
    a, b = (generator.integers(0, 15, 16, endpoint=True) for _ in range(2))
    assert found["result"] == found["cleartext"] == {"result": [int(a @ b)]}
    evaluate = found["measurement"]["cpu_seconds"]["evaluate"]
    assert len(evaluate["samples"]) == 2
    assert evaluate["min"] == min(evaluate["samples"])
    assert found["environment"]["seed"] == 3
    assert found["environment"]["version"] == "4.4.0"


def test_run_takes_parameters_of_one_s_own(call: Any, reals: str) -> None:
    words = ("--library", "seal", *TOY, "--param", "scale_bits=35", "--param", "first_bits=50")
    found = call("run", reals, *words, "--json").json
    assert found["parameters"]["ring_dimension"] == 2048
    assert found["scheme"] == "ckks"
    assert [int(p).bit_length() for p in found["parameters"]["primes"]] == [50, 35]
    np.testing.assert_allclose(found["result"]["result"], found["cleartext"]["result"], atol=1e-3)


@pytest.mark.parametrize(
    ("security", "primes"),
    [("256", "30,28,58"), ("192", "50,50,50"), ("128", "56,50,55,55"), ("none", "60,60,60,60")],
)
def test_a_run_with_less_security_than_was_asked_says_so(
    call: Any, reals: str, security: str, primes: str
) -> None:
    """SEAL's own table allows log2 QP = 118, 152 and 218 at n = 2^13; the Guidelines 114, 147 and 214."""
    *chain, special = primes.split(",")
    settings = (
        "ring_dimension=8192", f"prime_bits={','.join(chain)}", f"special_bits={special}",
        f"security={security}", "scale_bits=28",
    )  # fmt: skip
    params = [word for setting in settings for word in ("--param", setting)]
    words = ("run", reals, "--library", "seal", "--repetitions", "1", *params)
    found = call(*words, "--json")
    assert found.code == 0, found.out
    wanted = 128 if security == "none" else int(security)
    said, *doubts = found.json["warnings"]
    assert f"for {wanted} bits" in said
    assert f"about {int(found.json['estimate']['security_bits'])} bits" in said
    assert "warning: n = " in found.err
    assert "warning: n = " in call(*words).out
    assert call("results", "show", "1", "--json").json["measurement"]["warnings"] == [said, *doubts]


def test_a_run_as_secure_as_was_asked_warns_of_nothing(call: Any, reals: str) -> None:
    found = call("run", reals, "--library", "seal", "--security", "192", "--repetitions", "1", "--json")
    assert found.json["warnings"] == []
    assert "warning" not in found.err


def test_the_request_of_a_candidate_is_what_param_accepts(call: Any, integers: str) -> None:
    small = ("--library", "seal", "--scheme", "bgv")
    best = call("explore", integers, *small, "--json").json["candidates"][0]
    params = []
    for name, value in best["request"].items():
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        params += ["--param", f"{name}={text}"]
    found = call("run", integers, *small, *params, "--repetitions", "1", "--json").json
    assert found["parameters"] == best["parameters"]


def test_the_terminal_shows_the_times_and_both_results(call: Any, integers: str) -> None:
    out = call("run", integers, "--library", "seal", "--scheme", "bfv", "--repetitions", "1").out
    assert max(map(len, out.splitlines())) <= 100
    for word in ("evaluate", "ciphertext", "decrypted", "cleartext", "exact", "fheasible results show 1"):
        assert word in out


@pytest.mark.parametrize("verb", ["run", "verify"])
def test_counters_are_stored_by_name_and_shown_where_they_are_asked_for(
    call: Any, integers: str, verb: str
) -> None:
    words = (verb, integers, "--library", "seal", "--scheme", "bfv", "--repetitions", "2")
    found = call(*words, "--json").json["measurement"]["counters"]
    assert set(found) == {"keygen", "encrypt", "evaluate", "decrypt"}
    assert len(found["evaluate"]["minor_faults"]) == 2
    assert all(count is None or min(count) >= 0 for used in found.values() for count in used.values())
    plain, asked = call(*words).out, call(*words, "--counters").out
    assert "voluntary switches" not in plain
    assert "voluntary switches" in asked
    assert "CPU utilisation" in plain
    assert "load before, after" in plain
    assert max(map(len, asked.splitlines())) <= 100
    assert "minor faults" in call("results", "show", "1").out


def test_the_resident_set_of_a_run_is_stored_with_its_phases(call: Any, integers: str) -> None:
    call("run", integers, "--library", "seal", "--scheme", "bfv", "--repetitions", "1")
    kept = call("results", "show", "1", "--json").json
    trace = Trace.from_json(kept["measurement"]["resident"])
    assert {s.phase for s in trace.stretches} == {*MARKED}
    assert max(trace.resident_bytes) <= kept["measurement"]["peak_bytes"] + 2**20
    assert "governor" in kept["environment"]["conditions"]


@pytest.mark.parametrize(
    ("words", "times", "said"),
    [((), 1, True), (("--repetitions", "2"), 2, False)],
)
def test_a_run_that_takes_long_is_not_repeated_unasked(
    call: Any,
    integers: str,
    calibrated: Any,
    monkeypatch: pytest.MonkeyPatch,
    words: Any,
    times: int,
    said: bool,
) -> None:
    """Here whatever takes a nanosecond takes long, and is run as often as is asked, else once."""
    calibrated("seal", "4.4.0")
    monkeypatch.setattr(platform, "LONG_SECONDS", 1e-9)
    for verb in ("run", "verify"):
        found = call(verb, integers, "--library", "seal", "--json", *words)
        assert found.code == 0, found.err
        assert found.json["measurement"]["repetitions"] == times
        assert ("so it is run only once; --repetitions 3" in found.err) is said


def test_integers_that_are_rounded_are_said_to_be_exact(call: Any, integers: str) -> None:
    out = call("run", integers, "--library", "seal", "--scheme", "ckks", "--repetitions", "1").out
    assert "the decrypted result is right: exact after rounding" in out
    assert "instead of" not in out


def test_a_scheme_for_other_numbers_is_told_from_one_that_does_not_fit(call: Any, reals: str) -> None:
    told = call("verify", reals, "--library", "seal", "--scheme", "bfv", "--json").json["error"]
    assert "needs real numbers" in told["message"]
    assert "--scheme" in told["remedy"]
    assert "precision" not in told["remedy"]


def test_run_is_stored(call: Any, integers: str) -> None:
    call("run", integers, "--library", "seal", "--scheme", "bfv", "--repetitions", "1")
    (row,) = call("results", "--json").json["results"]
    assert (row["app"], row["library"], row["scheme"], row["outcome"]) == ("dot", "seal", "bfv", "measured")


def test_data_of_another_length_replace_the_declared_one(call: Any, integers: str, tmp_path: Any) -> None:
    (tmp_path / "d.csv").write_text("b,note,a\n2,u,1\n4,v,3\n6,w,5\n")
    words = ("--library", "seal", "--scheme", "bfv", "--repetitions", "1", "--data", str(tmp_path / "d.csv"))
    found = call("run", integers, *words, "--json").json
    assert found["result"] == {"result": [1 * 2 + 3 * 4 + 5 * 6]}
    assert found["environment"]["seed"] is None
    said = "in d.csv, a and b each have 3 values, so this is for 3, not for the 16 that are declared"
    assert any(said in line for line in found["warnings"])


def test_verify_sets_predicted_beside_measured(call: Any, integers: str, calibrated: Any) -> None:
    calibrated("seal", "4.4.0")
    words = ("verify", integers, "--library", "seal", "--scheme", "bfv", "--repetitions", "2")
    found = call(*words, "--json").json
    assert {"library", "scheme", "estimate", "measurement", "relative_error", "environment"} <= set(found)
    predicted = found["estimate"]["cpu_seconds"]["total"]
    measured = found["measurement"]["cpu_seconds"]["total"]["min"]
    assert found["relative_error"]["cpu_seconds.total"] == pytest.approx((predicted - measured) / measured)
    assert abs(found["relative_error"]["ciphertext_bytes"]) < 0.02
    assert found["result"] == found["cleartext"]
    shown = call(*words).out
    (line,) = [line for line in shown.splitlines() if line.startswith("CPU total")]
    assert line.endswith("%")


def test_verify_without_a_profile_still_measures(call: Any, reals: str) -> None:
    answer = call("verify", reals, "--library", "seal", "--repetitions", "1")
    assert answer.code == 0
    assert "fheasible calibrate" in answer.out
    assert "of precision" in answer.out


def test_a_result_less_precise_than_asked_has_exit_code_3_and_is_stored(call: Any, reals: str) -> None:
    words = ("--library", "seal", *TOY, "--param", "scale_bits=30", "--precision", "50")
    answer = call("run", reals, *words, "--json")
    assert answer.code == 3
    assert answer.json["error"]["kind"] == "WrongResult"
    (row,) = call("results", "--json").json["results"]
    assert row["outcome"] == "wrong"
    assert 0 < row["precision_bits"] < 50


def test_a_worker_killed_half_way_is_one_clear_error_and_a_whole_record(
    call: Any, integers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("run", integers, "--library", "seal", "--scheme", "bfv", "--repetitions", "1")
    _kill_after_the_first_repetitions(monkeypatch)
    words = ("--library", "seal", "--scheme", "bfv", "--repetitions", "1000000")
    answer = call("run", integers, *words, "--json")
    assert answer.code == 1
    assert answer.json["error"]["kind"] == "WorkerDied"
    assert "killed" in answer.json["error"]["message"]
    died, before = call("results", "--json").json["results"]
    assert (died["outcome"], before["outcome"]) == ("died", "measured")
    kept = call("results", "show", str(died["id"]), "--json").json
    assert kept["measurement"] is None
    assert kept["environment"]["machine"]
    assert "killed" in kept["message"]


def _kill_after_the_first_repetitions(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the kernel does when memory is short: the very worker that has just told of its progress."""
    take = Worker._take

    def told(self: Worker, reply: Any, progress: Any) -> None:
        take(self, reply, progress)
        if reply["type"] == "progress" and reply["phase"] == "run" and reply["done"] > 1:
            os.kill(self.pid, signal.SIGKILL)

    monkeypatch.setattr(Worker, "_take", told)


def test_a_run_that_takes_too_long_is_stopped(call: Any, integers: str) -> None:
    words = ("--library", "seal", "--scheme", "bfv", "--repetitions", "1000000", "--timeout", "2")
    answer = call("run", integers, *words, "--json")
    assert answer.code == 1
    assert answer.json["error"]["kind"] == "WorkerTimedOut"
    (row,) = call("results", "--json").json["results"]
    assert row["outcome"] == "timed out"


def test_verify_runs_the_best_that_is_installed(
    call: Any, integers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fheasible.api import installed

    candidates = call("explore", integers, "--scheme", "bfv", "--json").json["candidates"]
    best, really = candidates[0]["library"], installed.installed
    second = next((c for c in candidates if c["library"] != best and really(c["library"])), None)
    if second is None:
        pytest.skip(f"only {best} is installed")
    monkeypatch.setattr(installed, "installed", lambda name: name != best and really(name))
    answer = call("verify", integers, "--scheme", "bfv", "--repetitions", "1", "--json")
    assert answer.json["parameters"] == second["parameters"]


def test_verify_where_nothing_fits_gives_the_reasons(call: Any, reals: str) -> None:
    answer = call("verify", reals, "--library", "seal", "--precision", "51", "--json")
    assert answer.code == 1
    assert answer.json["error"]["kind"] == "InfeasibleParameters"
    assert "51 are asked" in answer.json["error"]["message"]


def test_verify_goes_on_after_a_refusal_and_leaves_the_set_out_from_then_on(
    call: Any, integers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exit code is 3 all the same: what was recommended did not run."""
    execute, words = proof.execute, (integers, "--library", "seal", "--json")
    best = call("explore", *words).json["candidates"][0]

    def refuse(library: str, program: Any, *rest: Any, **more: Any) -> Any:
        if program.scheme.value == best["scheme"]:
            raise WorkerRefused("seal refuses: scale out of bounds")
        return execute(library, program, *rest, **more)

    monkeypatch.setattr(proof.prove, "__defaults__", (*proof.prove.__defaults__[:-1], refuse))
    found = call("verify", *words, "--repetitions", "1")
    assert found.code == 3
    assert found.json["scheme"] != best["scheme"]
    assert found.json["result"] == found.json["cleartext"]
    (failure,) = found.json["failed"]
    assert (failure["scheme"], failure["report"]) == (best["scheme"], "fheasible results show 1 --json")
    assert "fault in Fheasible" in found.err
    assert call("results", "show", "1", "--json").json["outcome"] == "refused"
    again = call("explore", *words).json
    assert best["parameters"] not in [c["parameters"] for c in again["candidates"]]
    assert any("results show 1" in line for line in again["warnings"])


def test_verify_goes_on_with_another_library_where_a_worker_is_out_of_date(
    call: Any, integers: str, installed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was recommended is not proved: the exit code is 1."""
    installed("lattigo")
    words = (integers, "--library", "seal", "--library", "lattigo", "--scheme", "bfv")
    best = call("explore", *words, "--json").json["candidates"][0]["library"]
    hello = Worker._read_hello

    def stale(self: Worker, channel: Any) -> Any:
        if self.library == best:
            raise self._stale()
        return hello(self, channel)

    monkeypatch.setattr(Worker, "_read_hello", stale)
    found = call("verify", *words, "--repetitions", "1", "--json")
    assert found.code == 1
    assert found.json["library"] != best
    assert found.json["result"] == found.json["cleartext"]
    (failure,) = found.json["failed"]
    assert (failure["library"], failure["number"], failure["report"]) == (best, None, "")
    assert f"not run: {best}'s worker is out of date" in found.err
    assert f"Remedy: fheasible libraries install {best}" in found.err
    assert [row["library"] for row in call("results", "--json").json["results"]] == [found.json["library"]]


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_result_that_cannot_be_stored_is_shown_and_the_exit_code_says_so(
    call: Any, integers: str, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    def full(*_: Any, **__: Any) -> int:
        raise StoreError("database or disk is full", "make room")

    monkeypatch.setattr(Store, "add_measurement", full)
    for verb in ("run", "verify"):
        answer = call(verb, integers, "--library", "seal", "--repetitions", "1", *form)
        assert answer.code == 1
        assert "error: the result above was not stored: database or disk is full" in answer.err
        if form:
            assert answer.json["result"] == answer.json["cleartext"]
            assert answer.json["unstored"] == "database or disk is full"
        else:
            assert "the decrypted result is right" in answer.out
