"""explore --library reference: the document, the table, the reasons, and what may not be mixed."""

from pathlib import Path
from typing import Any

import pytest

from fheasible import __version__
from fheasible.calibration import ring_profile
from fheasible.estimation.ring_profile import RingProfile
from fheasible.exploration.rings import space
from fheasible.measurement.machine import this_machine
from fheasible.schemes.call import count
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.parameters import RingParameters

RINGS = ("--library", "reference")
BITS = """
import fheasible as fh

@fh.app(a=fh.integers(2, modulo=2), b=fh.integers(2, modulo=2))
def chain(a, b):
    return a * b * a * b + a
"""


@pytest.fixture(autouse=True)
def few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "WORDS", (1, 8, 28, 60))


@pytest.fixture
def bits(tmp_path: Path) -> str:
    path = tmp_path / "chain.py"
    path.write_text(BITS)
    return str(path)


def invented_profile() -> RingProfile:
    small = RingParameters(64, 60, 2, 8)
    names = {k for kind in SCHEMES.values() for k in count(kind, "all", small).kernels}
    prices = dict.fromkeys({*names, "moved_words", "packed_coefficients"}, 1e-9)
    return RingProfile(this_machine().fingerprint, __version__, "2026-01-02", prices, 4e7, 1.2, 0.05, 1.1)


@pytest.fixture
def calibrated(call: Any, monkeypatch: pytest.MonkeyPatch) -> RingProfile:
    made = invented_profile()
    monkeypatch.setattr(ring_profile, "calibrate_rings", lambda environment, report: made)
    assert call("calibrate", *RINGS).code == 0
    return made


def test_the_document_has_the_shape_of_the_design(call: Any, bits: str) -> None:
    answer = call("explore", bits, *RINGS, "--json")
    found = answer.json
    assert answer.code == 0
    assert {"app", "explored", "feasible", "seconds", "candidates", "rejected"} <= set(found)
    assert found["depth"] == {"as_written": 3, "minimised": 2, "evaluated": 2}
    assert 0 < len(found["candidates"]) <= found["feasible"] <= found["explored"]
    best = found["candidates"][0]
    assert best["library"] == "reference"
    assert best["scheme"] in SCHEMES
    assert set(best["request"]) == {"n", "log_q", "log_w", "t"}
    assert best["parameters"]["ring_dimension"] == best["request"]["n"]
    assert best["parameters"]["log_p"] == 0
    phases = {"keygen", "encrypt", "evaluate", "decrypt", "total"}
    estimate = best["estimate"]
    assert set(estimate["cpu_seconds"]) == set(estimate["wall_seconds"]) == phases
    assert estimate["calibrated"] is False
    assert estimate["peak_bytes"] is None
    for name in ("ciphertext_bytes", "public_key_bytes", "evaluation_key_bytes", "secret_key_bytes"):
        assert estimate[name] >= 0
    assert estimate["security_bits"] >= 128
    assert best["integer_multiplications"] > 0
    assert best["memory_integers"] > 0
    assert best["warnings"] == []
    assert {r["scheme"] for r in found["rejected"]} == {"yashe", "fntru"}
    assert all(r["reason"] for r in found["rejected"])


def test_the_table_fits_a_hundred_columns_and_stars_the_best(
    call: Any, bits: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(bits).parent)
    bits = Path(bits).name  # a path that is longer than a line is not broken
    for words in ((), ("--ignore-security",), ("--max-time", "100", "--max-memory", "1000")):
        lines = call("explore", bits, *RINGS, *words).out.splitlines()
        assert max(map(len, lines)) <= 100
        assert sum(line.startswith("* ") for line in lines) == 1
        assert any("depth 3 as written, 2 minimised" in line for line in lines)


def test_weak_sets_carry_a_warning_on_every_line(call: Any, bits: str) -> None:
    words = (*RINGS, "--security", "80", "--noise", "panthers", "--ignore-security", "--all")
    found = call("explore", bits, *words, "--json").json
    assert found["security"] == "80 bits by the rule of 2017"
    assert all(c["warnings"] for c in found["candidates"])
    lines = call("explore", bits, *words).out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.split()[:2] == ["scheme", "n"]) + 1
    rows = lines[start : start + len(found["candidates"])]
    assert all(line.endswith(("insecure", "overstretched")) for line in rows)


def test_without_that_wish_eighty_bits_are_todays_and_ntru_is_not_recommended(call: Any, bits: str) -> None:
    answer = call("explore", bits, *RINGS, "--security", "80", "--why")
    assert answer.code == 0
    assert answer.out.count("why not YASHE") == 1
    assert "for 128 bits" in answer.out
    found = call("explore", bits, *RINGS, "--security", "80", "--json").json
    assert found["security"] == "80 bits by today's estimate"
    for c in found["candidates"]:
        assert c["estimate"]["security_bits"] >= 80
        assert c["warnings"] or c["estimate"]["standard_bits"]


def test_one_scheme_and_the_order_as_written(call: Any, bits: str) -> None:
    found = call("explore", bits, *RINGS, "--scheme", "FV", "--as-written", "--json").json
    assert {c["scheme"] for c in found["candidates"]} == {"fv"}
    assert found["depth"]["evaluated"] == 3
    assert "--as-written" in call("explore", bits, *RINGS, "--as-written").out


def test_with_a_profile_there_are_times_and_without_the_remedy_is_named(
    call: Any, bits: str, calibrated: RingProfile
) -> None:
    found = call("explore", bits, *RINGS, "--json").json
    times = [c["estimate"]["cpu_seconds"]["total"] for c in found["candidates"]]
    assert times == sorted(times)
    assert all(t > 0 for t in times)
    assert found["candidates"][0]["estimate"]["error_band"] == calibrated.error_band
    assert found["libraries"][0]["calibrated"] is True
    assert "nine of ten predicted times are within 5%" in call("explore", bits, *RINGS).out


def test_without_a_profile_the_remedy_is_named(call: Any, bits: str) -> None:
    assert "Remedy: fheasible calibrate --library reference" in call("explore", bits, *RINGS).out
    found = call("explore", bits, *RINGS, "--max-time", "1", "--json").json
    assert "fheasible calibrate --library reference" in found["warnings"][0]


def test_calibrating_the_ring_schemes_keeps_a_profile_of_this_version(
    call: Any, calibrated: RingProfile
) -> None:
    kept = call("calibrate", *RINGS, "--if-missing", "--json").json["profiles"]
    assert [(p["library"], p["new"]) for p in kept] == [("reference", False)]
    new = call("calibrate", *RINGS, "--json").json["profiles"]
    assert [(p["library"], p["new"]) for p in new] == [("reference", True)]
    assert call("calibrate", *RINGS, "--threads", "2").code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*RINGS, "--library", "seal"), "reference cannot be explored with"),
        (("--library", "seal,reference"), "reference cannot be explored with"),
        ((*RINGS, "--precision", "10"), "leave --precision out"),
        ((*RINGS, "--objective", "size"), "no objective 'size'"),
        ((*RINGS, "--security", "100"), "no security 100"),
        ((*RINGS, "--noise", "median"), "no noise 'median'"),
        ((*RINGS, "--scheme", "bfv"), "no ring scheme 'bfv'"),
        (("--noise", "panthers"), "only the ring schemes have --noise"),
        (
            ("--as-written", "--ignore-security"),
            "only the ring schemes have --as-written and --ignore-security",
        ),
        (("--security", "80"), "security 80 is not a level"),
    ],
)
def test_what_does_not_go_together_is_a_usage_error(
    call: Any, bits: str, words: tuple[str, ...], said: str
) -> None:
    answer = call("explore", bits, *words)
    assert answer.code == 2
    assert said in answer.err


def test_a_misspelt_reference_is_told_its_name(call: Any, bits: str) -> None:
    error = call("explore", bits, "--library", "referense", "--json").json["error"]
    assert "reference" in error["remedy"]


def test_real_numbers_are_sent_elsewhere(call: Any, reals: str) -> None:
    answer = call("explore", reals, *RINGS)
    assert answer.code == 1
    assert answer.out.count("why not FV") == 1
    assert "CKKS computes on real numbers" in answer.out
