"""run and verify --library reference: a ring scheme really run, and what it does not have."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from fheasible import __version__
from fheasible.calibration import ring_profile
from fheasible.estimation.ring_profile import RingProfile
from fheasible.exploration.rings import space
from fheasible.measurement import ring_run
from fheasible.measurement.machine import this_machine
from fheasible.schemes.call import count
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.parameters import RingParameters
from fheasible.store.store import Store

pytest.importorskip("fheasible_native")

EQUATION_3 = str(Path(__file__).parents[2] / "examples" / "7_ten_products.py")
RINGS = ("--library", "reference")
ONCE = ("--repetitions", "1")
CHAIN = """
import fheasible as fh

@fh.app(a=fh.integers(2, modulo=7), b=fh.integers(2, modulo=7))
def chain(a, b):
    return {"product": a * b * a * b + a, "sum": fh.sum(a)}
"""


def param(**given: int) -> list[str]:
    return [word for name, value in given.items() for word in ("--param", f"{name}={value}")]


INSECURE = param(n=256, log_q=200, log_w=20)
NOISY = param(n=256, log_q=30, log_w=30)  # a product is too many


@pytest.fixture(autouse=True)
def few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "WORDS", (8, 28, 60))


@pytest.fixture
def chain(tmp_path: Path) -> str:
    path = tmp_path / "chain.py"
    path.write_text(CHAIN)
    return str(path)


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "data.csv"
    path.write_text("b,a\n2,1\n-3,3\n1,-2\n")
    return str(path)


@pytest.fixture
def calibrated(store_path: Path) -> RingProfile:
    """Every kernel costs a nanosecond."""
    small = RingParameters(64, 60, 2, 8)
    names = {k for kind in SCHEMES.values() for k in count(kind, "all", small).kernels}
    prices = dict.fromkeys({*names, "moved_words", "packed_coefficients"}, 1e-9)
    made = RingProfile(this_machine().fingerprint, __version__, "2026-01-02", prices, 4e7, 1.2, 0.05, 1.1)
    with Store.open(store_path) as store:
        ring_profile.save(store, made)
    return made


def test_the_document_has_the_shape_of_every_run(call: Any, chain: str, data: str) -> None:
    words = (*RINGS, *INSECURE, "--scheme", "fv", "--repetitions", "2", "--data", data, "--seed", "5")
    answer = call("run", chain, *words, "--json")
    assert answer.code == 0
    found = answer.json
    assert (found["app"], found["data"]) == ("chain", data)
    assert (found["library"], found["scheme"]) == ("reference", "fv")
    assert found["request"] == {"n": 256, "log_q": 200, "log_w": 20, "t": 7}
    parameters = found["parameters"]
    assert (parameters["ring_dimension"], parameters["log_q"], parameters["plain_modulus"]) == (256, 200, 7)
    # by hand, a = (1, 3, -2), b = (2, -3, 1), modulo 7: (ab)^2 + a = 5, 84, 2
    assert found["result"] == found["cleartext"] == {"product": [-2, 0, 2], "sum": [2]}
    assert (found["promised"], found["depth_needed"], found["as_written"]) == (True, 2, False)
    assert "gives about" in found["warnings"][-1]
    assert "take n >= 2^13" in found["warnings"][-1]
    assert found["environment"]["seed"] == 5
    assert "pareto" not in found


@pytest.mark.long
def test_the_measurement_has_the_names_of_other_libraries(call: Any, chain: str) -> None:
    m = call("run", chain, *RINGS, *INSECURE, "--repetitions", "2", "--json").json["measurement"]
    for clock in ("cpu_seconds", "wall_seconds"):
        assert list(m[clock]) == ["context", "keygen", "encrypt", "evaluate", "decrypt", "total"]
        assert len(m[clock]["evaluate"]["samples"]) == 2
        assert m[clock]["evaluate"]["min"] == min(m[clock]["evaluate"]["samples"])
        assert m[clock]["context"]["min"] is None
    assert m["peak_bytes"] > m["baseline_bytes"] > 0
    assert m["ciphertext_bytes"] == 2 * 256 * 4 * 8  # two polynomials, four limbs
    assert m["public_key_bytes"] == m["ciphertext_bytes"]
    assert m["evaluation_key_bytes"] == 10 * m["ciphertext_bytes"]  # ten digits
    assert (m["rotation_key_count"], m["precision_bits"], m["repetitions"]) == (0, None, 2)


@pytest.mark.long
def test_the_paper_s_choice_runs_correctly(call: Any) -> None:
    words = (*RINGS, "--as-written", "--scheme", "fv", *ONCE, *param(n=4096, log_q=281, log_w=28, t=2))
    found = call("run", EQUATION_3, *words, "--json").json
    assert found["result"] == found["cleartext"] == {"result": [0]}
    assert (found["as_written"], found["depth_needed"], found["promised"]) == (True, 10, True)
    assert "about 50 bits" in found["warnings"][0]  # the paper's rule is of 2017


@pytest.mark.long
@pytest.mark.parametrize("order", [(), ("--as-written",)])
def test_the_line_that_explore_prints_runs_its_best(call: Any, chain: str, order: tuple[str, ...]) -> None:
    best = call("explore", chain, *RINGS, *order, "--json").json["candidates"][0]
    out = call("explore", chain, *RINGS, *order).out
    printed = out[out.index("fheasible run") : out.index("see its")].replace("\\\n", " ")
    fheasible, *words = shlex.split(printed)
    found = call(*words, *ONCE, "--json").json
    assert fheasible == "fheasible"
    for name in ("scheme", "request", "parameters", "depth", "estimate", "warnings"):
        assert found[name] == best[name]
    assert found["as_written"] is bool(order)
    assert found["promised"]
    same = call("run", chain, *RINGS, *order, *ONCE, "--json").json  # no need for the line
    assert (same["scheme"], same["request"]) == (best["scheme"], best["request"])


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["fv", "yashe"])
def test_the_terminal_shows_all_there_is_to_know(call: Any, chain: str, scheme: str) -> None:
    out = call("run", chain, *RINGS, *INSECURE, "--scheme", scheme, *ONCE).out
    assert max(map(len, out.splitlines())) <= 100
    for said in (
        "run on the exact ring", "n = 2^8, log q = 200, log w = 20, t = 7", "evaluated with least depth",
        "security:",
        "depth: 2 multiplications in succession needed", "noise: the noise bound guaranteed a right result",
        "warning:", "evaluate", "peak memory", "decrypted", "cleartext", "exact", "fheasible results show 1",
        "fheasible calibrate --library reference",
    ):  # fmt: skip
        assert said in out
    assert "CPU predicted" not in out


@pytest.mark.long
def test_a_right_result_that_was_not_promised_says_so(call: Any, chain: str) -> None:
    """The worst case of two products at 44 bits is beyond the limit, what happens is not."""
    words = ("run", chain, *RINGS, *param(n=64, log_q=44, log_w=4), *ONCE)
    found = call(*words, "--json").json
    assert found["result"] == found["cleartext"]
    assert (found["promised"], found["expected"]) == (False, True)
    assert "bound did not guarantee a right result; average noise" in call(*words).out


@pytest.mark.long
def test_a_right_result_by_luck_says_so(call: Any, chain: str) -> None:
    """At 28 bits the noise stays below what is read, but not by the deviations that 2^40 runs ask."""
    words = ("run", chain, *RINGS, *param(n=64, log_q=28, log_w=4), *ONCE)
    found = call(*words, "--json").json
    assert found["result"] == found["cleartext"]
    assert (found["promised"], found["expected"]) == (False, False)
    assert "does not guarantee a right result" in found["warnings"][-1]


@pytest.mark.long
def test_a_wrong_result_has_exit_code_3_and_an_explanation_and_is_stored(call: Any, chain: str) -> None:
    answer = call("run", chain, *RINGS, *NOISY, *ONCE, "--json")
    assert answer.code == 3
    error = answer.json["error"]
    assert error["kind"] == "WrongResult"
    assert (
        "did not guarantee a right result: 2 multiplications in succession needed; 0 decrypt"
        in error["message"]
    )
    assert "larger log_q" in error["remedy"]
    (row,) = call("results", "--json").json["results"]
    assert (row["app"], row["library"], row["scheme"], row["outcome"]) == (
        "chain",
        "reference",
        "fv",
        "wrong",
    )
    assert call("results", "show", "1").code == 0


def test_what_would_not_fit_is_refused_with_the_figure(
    call: Any, chain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ring_run, "free_bytes", lambda: 2**20)
    answer = call("run", chain, *RINGS, *param(n=32768, log_q=1200, log_w=1), "--json")
    assert answer.code == 1
    assert answer.json["error"]["kind"] == "TooLarge"
    assert "GiB" in answer.json["error"]["message"]
    (row,) = call("results", "--json").json["results"]
    assert row["outcome"] == "refused"


@pytest.mark.long
def test_with_a_profile_times_are_predicted(call: Any, chain: str, calibrated: RingProfile) -> None:
    words = ("run", chain, *RINGS, *INSECURE, *ONCE)
    estimate = call(*words, "--json").json["estimate"]
    assert estimate["calibrated"] is True
    assert estimate["cpu_seconds"]["total"] > 0
    out = call(*words).out
    assert "CPU predicted" in out
    assert "nine of ten predicted times are within 5.0 %" in out


@pytest.mark.long
def test_verify_sets_predicted_beside_measured(call: Any, chain: str, calibrated: RingProfile) -> None:
    words = ("verify", chain, *RINGS, "--repetitions", "2")
    answer = call(*words, "--json")
    assert answer.code == 0
    found = answer.json
    best = call("explore", chain, *RINGS, "--json").json["candidates"][0]
    for name in ("scheme", "request", "parameters", "estimate", "pareto", "compromise"):
        assert found[name] == best[name]
    for figure, sample in (("cpu_seconds", "min"), ("wall_seconds", "median")):
        for phase in ("keygen", "encrypt", "evaluate", "decrypt", "total"):
            predicted, measured = (
                found["estimate"][figure][phase],
                found["measurement"][figure][phase][sample],
            )
            error = found["relative_error"][f"{figure}.{phase}"]
            assert error == pytest.approx(predicted / measured - 1)
    peak = found["estimate"]["peak_bytes"] / found["measurement"]["peak_bytes"] - 1
    assert found["relative_error"]["peak_bytes"] == pytest.approx(peak)
    assert found["relative_error"]["ciphertext_bytes"] == 0
    assert found["result"] == found["cleartext"]
    out = call(*words).out
    assert max(map(len, out.splitlines())) <= 100
    (line,) = [line for line in out.splitlines() if line.startswith("CPU total")]
    assert line.endswith("%")


@pytest.mark.long
def test_verify_takes_the_wish_of_explore(call: Any, chain: str) -> None:
    wish = (*RINGS, "--security", "80", "--ignore-security", "--as-written", "--objective", "memory")
    best = call("explore", chain, *wish, "--json").json["candidates"][0]
    found = call("verify", chain, *wish, *ONCE, "--json").json
    assert (found["request"], found["as_written"]) == (best["request"], True)
    assert found["warnings"] == best["warnings"]


@pytest.mark.parametrize("verb", ["run", "verify"])
def test_where_nothing_fits_there_are_the_reasons(call: Any, chain: str, verb: str) -> None:
    answer = call(verb, chain, *RINGS, "--scheme", "shield", "--json")
    assert answer.code == 1
    assert answer.json["error"]["kind"] == "InfeasibleParameters"
    assert "SHIELD are bits" in answer.json["error"]["message"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", *RINGS, *INSECURE, "--composites"), "no --composites"),
        (("run", *RINGS, "--precision", "12"), "leave --precision out"),
        (("run", *RINGS, "--threads", "4"), "the ring schemes have no --threads"),
        (("run", *RINGS, *INSECURE, "--security", "192"), "--param already gives them"),
        (("run", "--library", "seal,reference"), "reference cannot be explored with"),
        (("run", *RINGS, "--param", "scale_bits=40"), "no parameter 'scale_bits'"),
        (("run", *RINGS, *param(n=256)), "also needs log_q, log_w"),
        (("run", *RINGS, "--scheme", "ckks"), "no ring scheme 'ckks'"),
        (("run", "--library", "seal", "--as-written"), "only the ring schemes have --as-written"),
        (("verify", *RINGS, "--precision", "12"), "leave --precision out"),
        (("verify", *RINGS, "--library", "seal"), "reference cannot be explored with"),
        (("verify", "--noise", "panthers"), "only the ring schemes have --noise"),
        (("verify", *RINGS, "--objective", "size"), "no objective 'size'"),
    ],
)
def test_what_does_not_apply_is_a_usage_error(
    call: Any, chain: str, words: tuple[str, ...], said: str
) -> None:
    verb, *rest = words
    answer = call(verb, chain, *rest)
    assert answer.code == 2
    assert said in answer.err


@pytest.mark.parametrize("words", [("verify",), ("run",), ("run", *INSECURE)])
def test_real_numbers_are_refused_before_anything_runs(call: Any, reals: str, words: tuple[str, ...]) -> None:
    verb, *rest = words
    answer = call(verb, reals, *RINGS, *rest)
    assert answer.code == 1
    assert "integers only" in answer.err
    assert "CKKS" in answer.err


@pytest.mark.parametrize("verb", ["run", "verify"])
def test_runs_of_ring_schemes_keep_no_counters(call: Any, chain: str, verb: str) -> None:
    told = call(verb, chain, *RINGS, "--counters", "--json").json["error"]
    assert "keep no counters" in told["message"]
    assert "leave --counters out" in told["remedy"]
