"""params: what a library makes of a request."""

from math import log2
from typing import Any

import pytest


def test_the_document_names_what_the_design_promises(call: Any) -> None:
    found = call("params", "openfhe", "ckks", "--depth", "3", "--scale-bits", "40", "--json").json
    assert {"ring_dimension", "log_q", "log_p", "limbs", "digits", "primes"} <= set(found)
    primes = [int(p) for p in found["primes"]]
    assert found["limbs"] == len(primes)
    assert found["log_q"] == pytest.approx(sum(map(log2, primes)))
    assert all(p % (2 * found["ring_dimension"]) == 1 for p in primes)
    assert (found["library"], found["scheme"]) == ("openfhe", "ckks")


def test_every_option_reaches_the_library(call: Any) -> None:
    words = ("--depth", "2", "--scale-bits", "35", "--first-bits", "45", "--technique", "FIXEDMANUAL")
    more = ("--security", "none", "--ring-dimension", "4096", "--digits", "2", "--key-switching", "HYBRID")
    found = call("params", "OpenFHE", "CKKS", *words, *more, "--secret", "gaussian", "--json").json
    expected = {
        "depth": 2, "scale_bits": 35, "first_bits": 45, "technique": "fixedmanual", "ring_dimension": 4096,
        "digits": 2, "key_switching": "hybrid", "secret": "gaussian",
    }  # fmt: skip
    assert expected.items() <= found["request"].items()
    assert "security" not in found["request"]
    assert found["ring_dimension"] == 4096


def test_a_chain_of_one_s_own_is_built_as_asked(call: Any) -> None:
    words = ("--depth", "2", "--prime-bits", "50,30,30", "--special-bits", "51", "--ring-dimension", "8192")
    found = call("params", "seal", "ckks", *words, "--scale-bits", "30", "--json").json
    assert [int(p).bit_length() for p in found["primes"]] == [50, 30, 30]
    assert [int(p).bit_length() for p in found["special_primes"]] == [51]


def test_more_security_takes_a_larger_ring(call: Any) -> None:
    words = ("params", "lattigo", "ckks", "--depth", "10", "--scale-bits", "40", "--json")
    rings = [call(*words, "--security", s).json["ring_dimension"] for s in ("128", "256")]
    assert rings[0] < rings[1]


def test_the_table_holds_every_prime(call: Any) -> None:
    words = ("params", "seal", "bfv", "--depth", "1", "--plain-modulus", "786433", "--ring-dimension", "8192")
    primes, shown = call(*words, "--json").json["primes"], call(*words).out
    assert all(str(p) in shown.split() for p in primes)
    assert "786433" in shown


def test_counts_and_the_noise_to_flood_reach_openfhe(call: Any) -> None:
    words = ("--depth", "0", "--plain-modulus", "65537", "--eval-add-count", "20", "--json")
    assert call("params", "openfhe", "bfv", *words).json["request"]["eval_add_count"] == 20
    words = ("--depth", "2", "--plain-modulus", "65537", "--key-switch-count", "7", "--json")
    assert call("params", "openfhe", "bgv", *words).json["request"]["key_switch_count"] == 7
    words = ("params", "openfhe", "ckks", "--depth", "1", "--noise-estimate", "12.5")
    assert call(*words, "--json").json["request"]["noise_estimate"] == 12.5
    assert "2^29.3 per coefficient" in call(*words).out  # sqrt(12) 2^15 times the noise
