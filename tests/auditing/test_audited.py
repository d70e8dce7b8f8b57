"""Named sets as they are found in the world, with figures derived by hand."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditing import forms
from fheasible.auditing.audited import Audited, audit, audited
from fheasible.auditing.forms.reading import UNDERSTOOD
from fheasible.auditing.found import Found
from fheasible.auditing.instead import DEEPEST, MENDED
from fheasible.auditing.security import secret_of


def judged(folder: Path, text: str, ending: str) -> Audited:
    file = folder / f"set{ending}"
    file.write_text(text)
    (one,) = audit(file)
    return one


def about(one: Audited, what: str) -> list[str]:
    return [f.kind for f in one.findings if f.about == what]


def test_the_network_that_orion_ships_is_flagged(tmp_path: Path) -> None:
    """29 + 5 * 26 + 2 * 29 = 217 bits at N = 2^13, where the Guidelines allow 214 [Bossuat24, Table 5.2].

    Without one of its two special primes it has 188. Its secret has as many coefficients as the ring.
    """
    more = "  H: 8192\n  RingType: ConjugateInvariant"
    one = judged(tmp_path, forms.orion(13, [29, 26, 26, 26, 26, 26], [29, 29], 26, more), ".yml")
    assert one.insecure
    assert one.secure is not None
    assert one.secure.asked.log_q == pytest.approx(217, abs=0.1)
    assert (one.secure.ternary_limit, one.secure.ring) == (214, 1 << 14)
    assert one.secure.limit < 214  # a secret of 1 and -1 alone is as easy as a binary one
    assert about(one, "secret") == ["warning"]
    assert one.able is not None
    assert one.able.depth == 5
    mended = next(other for other in one.instead if other.what == MENDED)
    assert (mended.special_bits, mended.ring_dimension, mended.depth) == ((29,), 1 << 13, 5)
    assert mended.log_qp == pytest.approx(188, abs=0.1)
    assert any("conjugate" in remark for remark in one.found.remarks)


@pytest.mark.parametrize("write", [forms.cpp_seal, forms.python_seal, forms.tenseal])
def test_the_usual_chain_of_seal_and_tenseal_is_secure(write: object, tmp_path: Path) -> None:
    """60 + 40 + 40 + 60 = 200 bits at N = 2^13: two levels, values up to 2^(60 - 40 - 1)."""
    ending = ".cpp" if write is forms.cpp_seal else ".py"
    one = judged(tmp_path, write(8192, [60, 40, 40, 60], 40), ending)  # type: ignore[operator]
    assert not one.insecure
    assert one.secure is not None
    assert (one.secure.standard_bits, one.secure.own_bits) == (128, 128)
    assert one.secure.asked.log_q == pytest.approx(200, abs=0.1)
    assert one.able is not None
    assert one.able.depth == 2
    assert 20 < (one.able.bits or 0) < 40
    assert any("2^19" in f.said for f in one.findings if f.about == "last level")
    assert one.sizes is not None
    assert one.sizes.ciphertext == pytest.approx(2 * 3 * 8 * 8192, rel=0.01)


def test_seal_s_own_default_is_above_the_guidelines(tmp_path: Path) -> None:
    """BFVDefault(8192) has 218 bits, the limit of the standard of 2018; the Guidelines allow 214."""
    text = """
        EncryptionParameters parms(scheme_type::bfv);
        size_t n = 8192;
        parms.set_poly_modulus_degree(n);
        parms.set_coeff_modulus(CoeffModulus::BFVDefault(n));
        parms.set_plain_modulus(PlainModulus::Batching(n, 20));
        SEALContext context(parms);"""
    one = judged(tmp_path, text, ".cpp")
    assert one.secure is not None
    assert one.secure.asked.log_q == pytest.approx(218, abs=0.1)
    assert (one.insecure, one.secure.own_bits, one.secure.standard_bits) == (True, 128, None)
    assert one.able is not None
    assert 2 <= (one.able.depth or 0) <= 5
    assert one.found.plain_modulus == 1_032_193  # the largest prime of 20 bits that is 1 modulo 2 * 8192


def test_openfhe_s_ring_follows_from_its_rules(tmp_path: Path) -> None:
    """Depth 1, scale 50, first prime 60. With FLEXIBLEAUTOEXT's 20 bits, one for scatter, and two special
    primes of 60 for a digit of 60 + 50 bits, it is 60 + 50 + 20 + 1 + 120 = 251 > 218, so N = 2^14."""
    one = judged(tmp_path, forms.cpp_openfhe(1, 50, 60), ".cpp")
    assert one.parameters is not None
    assert one.parameters.ring_dimension == 1 << 14
    assert not one.insecure
    assert one.able is not None
    assert one.able.depth == 1


def test_a_check_that_is_switched_off_is_told_and_judged(tmp_path: Path) -> None:
    more = "parameters.SetSecurityLevel(HEStd_NotSet); parameters.SetRingDim(1 << 12);"
    one = judged(tmp_path, forms.cpp_openfhe(6, 45, 55, more), ".cpp")
    assert one.insecure
    assert about(one, "check") == ["warning"]
    assert one.secure is not None
    assert one.secure.ring == 1 << 15  # 55 + 6 * 45 + 20 + 3 * 60 = 525 bits; 2^14 allows 430


def test_a_refusal_of_the_library_itself_is_told(tmp_path: Path) -> None:
    more = "parameters.SetRingDim(1 << 12);"
    one = judged(tmp_path, forms.cpp_openfhe(6, 45, 55, more), ".cpp")
    assert about(one, "refused") == ["warning"]
    assert one.insecure


def test_a_sparse_secret_is_told(tmp_path: Path) -> None:
    text = forms.go_lattigo(14, [55, 45, 45], [61], 45, " Xs: ring.Ternary{H: 192},")
    one = judged(tmp_path, text, ".go")
    assert about(one, "secret") == ["warning"]
    assert one.secure is not None
    assert (one.secure.asked.secret, one.secure.tabled) == ("sparse:192", False)


def test_a_small_special_prime_is_told(tmp_path: Path) -> None:
    one = judged(tmp_path, forms.cpp_seal(16384, [60, 40, 40, 40], 40), ".cpp")
    (finding,) = (f for f in one.findings if f.about == "special primes")
    assert "2^20 times" in finding.said  # 60 - 40
    mended = judged(tmp_path, forms.cpp_seal(16384, [60, 40, 40, 60], 40), ".cpp")
    assert about(mended, "special primes") == []
    assert (one.able, mended.able) != (None, None)
    assert (one.able.bits or 0) < (mended.able.bits or 0)  # type: ignore[union-attr]


def test_a_scale_far_from_the_primes_is_told(tmp_path: Path) -> None:
    one = judged(tmp_path, forms.cpp_seal(16384, [60, 40, 40, 60], 30), ".cpp")
    (finding,) = (f for f in one.findings if f.about == "scale")
    assert "has 20" in finding.said  # 2 * 30 - 40


def test_a_ring_larger_than_needed_is_told(tmp_path: Path) -> None:
    one = judged(tmp_path, forms.cpp_seal(32768, [60, 40, 40, 60], 40), ".cpp")
    (finding,) = (f for f in one.findings if f.about == "ring")
    assert "2^13" in finding.said
    assert not one.insecure


def test_the_deepest_sets_fill_what_the_guidelines_allow(tmp_path: Path) -> None:
    """At 2^14: 60 + 40 d + 60 <= 430, so d = 7; at 2^13: 60 + 40 d + 60 <= 214, so d = 2."""
    one = judged(tmp_path, forms.cpp_seal(16384, [60, 40, 40, 60], 40), ".cpp")
    assert {o.ring_dimension: o.depth for o in one.instead if o.what == DEEPEST} == {1 << 13: 2, 1 << 14: 7}


def test_a_chain_without_special_prime_cannot_multiply(tmp_path: Path) -> None:
    one = judged(tmp_path, forms.go_lattigo(13, [50, 40], [50], 40).replace("LogP: []int{50},", ""), ".go")
    assert one.able is not None
    assert one.able.depth == 0
    assert about(one, "special primes") == ["warning"]


def test_as_many_coefficients_as_the_ring_has_make_a_binary_secret() -> None:
    """s = 2u - 1: a s + e = (2a) u + (e - a), which is LWE with the secret u in {0, 1}."""
    found = Found("", "lattigo", 1, "ckks", 8192)
    named = {h: secret_of(Found("", "lattigo", 1, "ckks", 8192, weight=h), 8192) for h in (64, 6000, 8192)}
    assert named == {64: "sparse:64", 6000: "uniform_ternary", 8192: "binary"}
    assert secret_of(found, 8192) == "uniform_ternary"


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 12),
    st.lists(st.integers(1, 64), max_size=4),
    st.lists(st.integers(1, 64), max_size=2),
    st.sampled_from(("ckks", "bgv", "bfv")),
    st.sampled_from(("seal", "lattigo")),
    st.integers(0, 1 << 20),
)
def test_every_set_whatever_its_figures_has_a_judgement(
    log_n: int, q: list[int], p: list[int], scheme: str, library: str, t: int
) -> None:
    found = Found(
        "", library, 1, scheme, 1 << log_n, prime_bits=tuple(q), special_bits=tuple(p), scale_bits=30.0,
        plain_modulus=t,
    )  # fmt: skip
    one = audited(found)
    document = one.to_json()
    assert document["why_not"] or document["parameters"]
    assert one.insecure == (one.secure is not None and not one.secure.secure)


def test_what_is_understood_names_every_form() -> None:
    assert all(word in UNDERSTOOD for word in ("OpenFHE", "SEAL", "TenSEAL", "Lattigo", "Orion", "Concrete"))
