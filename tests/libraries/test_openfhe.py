"""OpenFHE's parameter rule against rows of the live wheel openfhe 1.6.1.0.22.4, and its properties.

`openfhe_golden.json` was made by piping its requests through `live_openfhe.py` (the script that the worker
tests run) in OpenFHE's own environment: ring dimension, limbs in the library's order, digits, batch, and
GetScalingFactorReal of every library level; the primes of P of the smaller hybrid contexts were read out of a
serialized relinearisation key ("special"). Refusals are the library's own words.
"""

import json
from dataclasses import replace
from math import log2
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import InfeasibleParameters, UnknownName, UsageError
from fheasible.libraries.openfhe import rules as openfhe
from fheasible.libraries.parameters import Request, request_for
from fheasible.libraries.primes import is_prime
from fheasible.security.tables import standard_bits

from .asking_openfhe import differences

GOLDEN: list[dict[str, Any]] = json.loads(Path(__file__).with_name("openfhe_golden.json").read_text())
INSECURE_RING = 64


def _name(row: dict[str, Any]) -> str:
    return " ".join(str(value) for value in row["request"].values())


@pytest.mark.parametrize("row", GOLDEN, ids=_name)
def test_the_rule_equals_what_the_live_library_made(row: dict[str, Any]) -> None:
    assert differences(request_for(**row["request"]), row["answer"]) == []


@pytest.mark.parametrize("row", [row for row in GOLDEN if "error" in row["answer"]], ids=_name)
def test_a_refusal_names_the_library_and_a_remedy(row: dict[str, Any]) -> None:
    with pytest.raises(InfeasibleParameters, match="OpenFHE") as refusal:
        openfhe.parameters(request_for(**row["request"]))
    assert refusal.value.remedy


def test_the_golden_rows_have_every_kind_of_answer() -> None:
    schemes = {row["request"]["scheme"] for row in GOLDEN}
    assert schemes == set(openfhe.SCHEMES)
    for scheme in schemes:
        answers = [row["answer"] for row in GOLDEN if row["request"]["scheme"] == scheme]
        assert any("error" in answer for answer in answers)
        assert any("p" in answer for answer in answers)


@st.composite
def ckks_requests(draw: st.DrawFn, key_switchings: tuple[str, ...] = openfhe.KEY_SWITCHINGS) -> Request:
    """Requests that OpenFHE accepts: a refusal is a failure of the property that drew it."""
    scale = draw(st.integers(30, 59))
    return request_for(
        "ckks",
        draw(st.integers(0, 20)),
        draw(st.sampled_from([128, 192, 256])),
        scale_bits=scale,
        first_bits=draw(st.one_of(st.none(), st.integers(scale, 60))),
        technique=draw(st.sampled_from(openfhe.TECHNIQUES)),
        key_switching=draw(st.sampled_from(key_switchings)),
        secret=draw(st.sampled_from(openfhe.SECRETS)),
    )


@given(ckks_requests())
def test_every_limb_is_a_distinct_prime_that_the_ring_can_transform(request: Request) -> None:
    found = openfhe.parameters(request)
    primes = found.q + found.p
    assert len(set(primes)) == len(primes)
    assert all(is_prime(x) and x % (2 * found.ring_dimension) == 1 for x in primes)
    extra = 1 if request.technique == "flexibleautoext" else 0
    assert len(found.q) == request.depth + 1 + extra
    assert all(x.bit_length() == 60 for x in found.p)


@given(ckks_requests(key_switchings=("hybrid",)))
def test_special_primes_exceed_every_digit(request: Request) -> None:
    found = openfhe.parameters(request)
    assert found.p
    each = -(-found.limbs // found.digits)
    digits = [found.q[i : i + each] for i in range(0, found.limbs, each)]
    assert len(digits) == found.digits
    assert found.log_p > max(sum(map(log2, digit)) for digit in digits)


@given(ckks_requests())
def test_ckks_scales_follow_the_ladder_of_the_limbs(request: Request) -> None:
    found = openfhe.parameters(request)
    scales = found.scales
    assert len(scales) == found.levels + 1
    for level in range(1, len(scales)):
        fixed = "fixed" in (request.technique or "")
        next_scale = scales[level] if fixed else scales[level] ** 2 / found.q[level]
        assert scales[level - 1] == pytest.approx(next_scale, rel=1e-12)
        assert abs(log2(scales[level]) - (request.scale_bits or 0)) < 1


@given(ckks_requests())
def test_its_ring_dimension_has_the_security_asked_for_by_its_own_table(request: Request) -> None:
    found = openfhe.parameters(request)
    bits = standard_bits(found.ring_dimension, found.log_qp, found.secret, openfhe.SECURITY_TABLE)
    assert bits is not None
    assert bits >= (request.security or 0)


@given(ckks_requests())
def test_filling_in_the_defaults_changes_nothing(request: Request) -> None:
    found = openfhe.parameters(request)
    assert found.request == openfhe.with_defaults(request)
    assert openfhe.parameters(found.request) == found


@pytest.mark.parametrize(
    ("scheme", "defaults"),
    [
        (
            "ckks",
            {"scale_bits": 50, "first_bits": 60, "technique": "flexibleautoext", "key_switching": "hybrid"},
        ),
        ("bgv", {"technique": "flexibleautoext", "eval_add_count": 5, "key_switch_count": 3}),
        ("bfv", {"scale_bits": 60, "key_switching": "bv", "eval_add_count": 0, "key_switch_count": 0}),
    ],
)
def test_defaults_are_what_the_library_prints_of_fresh_parameters(
    scheme: str, defaults: dict[str, Any]
) -> None:
    filled = openfhe.with_defaults(request_for(scheme, 1))
    assert {key: getattr(filled, key) for key in defaults} == defaults


def test_digits_shrink_with_the_level_by_whole_digits() -> None:
    five = openfhe.parameters(
        request_for("ckks", 4, scale_bits=40, technique="fixedauto")
    )  # five limbs, three digits
    assert [openfhe.digits_at(five, level) for level in range(5)] == [1, 1, 2, 2, 3]
    bv = openfhe.parameters(request_for("ckks", 4, scale_bits=40, technique="fixedauto", key_switching="bv"))
    assert [openfhe.digits_at(bv, level) for level in range(5)] == [1, 2, 3, 4, 5]
    assert bv.digits == 5


def test_bfv_switches_keys_over_all_limbs_at_any_level() -> None:
    bfv = openfhe.parameters(request_for("bfv", 2, plain_modulus=65537))
    assert openfhe.digits_at(bfv, 0) == bfv.digits == bfv.limbs == 3


def test_names_are_taken_in_any_case() -> None:
    shouted = request_for("ckks", 2, technique="FIXEDAUTO", key_switching="HYBRID", secret="GAUSSIAN")
    quiet = request_for("ckks", 2, technique="fixedauto", key_switching="hybrid", secret="gaussian")
    assert openfhe.parameters(shouted) == openfhe.parameters(quiet)
    assert openfhe.worker_parameters(shouted) == openfhe.worker_parameters(quiet)


@pytest.mark.parametrize(
    "change", [{"technique": "norescale"}, {"key_switching": "ghs"}, {"secret": "binary"}]
)
def test_an_unknown_name_is_refused_with_the_known_ones(change: dict[str, str]) -> None:
    with pytest.raises(UnknownName, match="no") as refusal:
        openfhe.parameters(replace(request_for("ckks", 2), **change))
    assert "choose one of" in refusal.value.remedy


@pytest.mark.parametrize(
    "request_",
    [
        request_for("ckks", 2, security=100),
        request_for("bfv", 2, plain_modulus=65537, technique="fixedauto"),
        request_for("ckks", 2, prime_bits=(60, 40)),
        request_for("ckks", -1),
        request_for("ckks", 2, digits=-2),
    ],
)
def test_what_the_library_does_not_take_is_a_usage_error(request_: Request) -> None:
    with pytest.raises(UsageError):
        openfhe.parameters(request_)


def test_a_ring_dimension_is_needed_where_security_is_not_checked() -> None:
    with pytest.raises(InfeasibleParameters, match="neither"):
        openfhe.parameters(request_for("ckks", 2, security=None))
    toy = openfhe.parameters(request_for("ckks", 2, security=None, ring_dimension=INSECURE_RING))
    assert toy.ring_dimension == INSECURE_RING


def test_the_worker_is_sent_exactly_the_keys_of_its_protocol() -> None:
    protocol = (Path(__file__).parents[2] / "workers" / "PROTOCOL.md").read_text()
    listed = protocol.split('`openfhe`: `{"scheme"')[1].split("}`")[0]
    sent = openfhe.worker_parameters(request_for("ckks", 2))
    assert all(f'"{key}"' in listed for key in sent if key != "scheme")
    assert listed.count('"') // 2 == len(sent) - 1


# -- noise flooding ------------------------------------------------------------------------------


def test_flooding_sets_the_sizes_and_adds_what_the_estimate_says() -> None:
    """sqrt(12) 2^(30 / 2) times the noise, in the largest primes, whatever sizes are asked for."""
    asked = request_for("ckks", 3, scale_bits=40, first_bits=45, technique="fixedauto", noise_estimate=12.5)
    made = openfhe.parameters(asked)
    assert made.flooding == pytest.approx(12**0.5 * 2 ** (15 + 12.5))
    assert made.request is not None
    assert (made.request.scale_bits, made.request.first_bits) == (59, 60)
    plain = openfhe.parameters(request_for("ckks", 3, scale_bits=59, first_bits=60, technique="fixedauto"))
    assert (made.q, made.p, made.digits, made.scales) == (plain.q, plain.p, plain.digits, plain.scales)
    assert plain.flooding == 0


def test_flooding_that_leaves_fewer_than_three_bits_is_refused() -> None:
    most = 56 - 15 - log2(12) / 2
    openfhe.parameters(request_for("ckks", 1, noise_estimate=most - 0.01))
    with pytest.raises(InfeasibleParameters, match="fewer than 3") as refusal:
        openfhe.parameters(request_for("ckks", 1, noise_estimate=most + 0.01))
    assert f"{most:.1f} bits" in refusal.value.remedy


@pytest.mark.parametrize("nothing", [0.0, float("nan"), float("inf")])
def test_an_estimate_of_nothing_is_refused_and_not_given_to_openfhe_to_hang_on(nothing: float) -> None:
    with pytest.raises(InfeasibleParameters, match="as missing"):
        openfhe.parameters(request_for("ckks", 1, noise_estimate=nothing))


@pytest.mark.parametrize("technique", ["flexibleauto", "flexibleautoext"])
def test_special_primes_for_a_plain_modulus_beyond_a_word_are_not_foreseen(technique: str) -> None:
    t = 8590163969  # of 34 bits, 1 modulo 2^15
    asked = request_for("bgv", 1, plain_modulus=t, technique=technique, key_switching="hybrid")
    with pytest.raises(InfeasibleParameters, match="cannot be predicted") as caught:
        openfhe.parameters(asked)
    assert "take BFV" in caught.value.remedy
    assert openfhe.parameters(replace(asked, plain_modulus=65537)).p
