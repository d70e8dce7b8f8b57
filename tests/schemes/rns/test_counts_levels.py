"""Kernels of rescaling, encryption and keys against figures derived by hand: l limbs now, K special."""

from typing import Any

import pytest

from fheasible.rings.rns.element import Conversion, Domain
from fheasible.rings.rns.modulus import Rounding
from fheasible.schemes.rns.arithmetic import ResidueArithmetic
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys
from fheasible.schemes.rns.variant import Mask, Variant
from schemes.rns.counted import counts, hybrids

COEFFICIENT = Domain.COEFFICIENT


@pytest.mark.parametrize("parts", [2, 3])
@pytest.mark.parametrize("l", [2, 3, 8])
def test_rescaling_takes_an_inverse_and_l_minus_1_forward_transforms_for_each_part(
    l: int, parts: int
) -> None:
    tally = counts("ckks", Variant(), (l, 1, 0), lambda s, k, x: s.rescale(x), size=parts)
    assert (tally["inverse"], tally["forward"]) == (parts, parts * (l - 1))
    assert tally["constant_products"] == tally["additions"] == tally["word_reductions"] == parts * (l - 1)
    apart = Variant(rescale=Rounding(apart=True))
    tally = counts("ckks", apart, (l, 1, 0), lambda s, k, x: s.rescale(x), size=parts)
    assert tally["constant_products"] == 2 * parts * (l - 1)


@pytest.mark.parametrize("l", [2, 3, 8])
def test_switching_a_bgv_modulus_multiplies_by_t_too(l: int) -> None:
    """Each part: t^-1 modulo the last prime, then t and the prime's inverse modulo each other."""
    tally = counts("bgv", Variant(), (l, 1, 1), lambda s, k, x: s.rescale(x))
    assert (tally["inverse"], tally["forward"]) == (2, 2 * (l - 1))
    assert tally["constant_products"] == 2 * (1 + 2 * (l - 1))


@pytest.mark.parametrize("l", [2, 3, 8])
def test_switching_a_bgv_modulus_through_t_reduces_twice(l: int) -> None:
    """SEAL 4.4, `mod_t_and_divide_q_last_ntt_inplace` (util/rns.cpp): for each part, the last limb modulo t,
    times the inverse of its prime there; for each other limb two reductions, two constants, two sums."""
    variant = Variant(through_plain=True, rescale=Rounding(Conversion.FAST))
    tally = counts("bgv", variant, (l, 1, 1), lambda s, k, x: s.rescale(x))
    assert (tally["inverse"], tally["forward"]) == (2, 2 * (l - 1))
    assert tally["constant_products"] == 2 * (1 + 2 * (l - 1))
    assert tally["word_reductions"] == 2 * (1 + 2 * (l - 1))
    assert tally["additions"] == 2 * (1 + 2 * (l - 1))


def test_dropping_levels_counts_nothing_or_every_switch() -> None:
    def drop(s: ResidueArithmetic, k: RnsKeys, x: Ciphertext) -> Any:
        return s.drop(x, 1)

    assert counts("ckks", Variant(), (5, 1, 0), drop) == {}
    assert counts("bgv", Variant(drop_switches=False), (5, 1, 1), drop) == {}
    tally = counts("bgv", Variant(), (5, 1, 1), drop)
    assert (tally["inverse"], tally["forward"]) == (2 * 3, 2 * (4 + 3 + 2))


MASKED = {
    "over Q": (Variant(), 3 * 5, 0),
    "over QP": (Variant(mask=Mask.SPECIAL), 3 * 7 + 2 * 5, 2 * 2),
    "over QP, in coefficients": (Variant(mask=Mask.SPECIAL, mask_domain=COEFFICIENT), 7 + 2 * 5, 2 * 7),
    "over one special prime": (Variant(mask=Mask.FIRST, mask_domain=COEFFICIENT), 6 + 2 * 5, 2 * 6),
    "in coefficients": (Variant(mask_domain=COEFFICIENT, rest=COEFFICIENT), 5, 2 * 5),
    "and back": (Variant(detour=True), 3 * 5 + 2 * 5, 2 * 5),
}


@pytest.mark.parametrize("name", MASKED)
def test_encryption_transforms_the_mask_and_two_errors(name: str) -> None:
    """u, e_0, e_1 over the mask's modulus, then the division by P (2 limbs) of both parts (5); message 5."""
    variant, forward, inverse = MASKED[name]
    tally = counts("ckks", variant, (5, 2, 0), lambda s, k, x: s.encrypt(k))
    message = 0 if variant.rest is COEFFICIENT else 5
    assert (tally["forward"], tally["inverse"]) == (forward + message, inverse)
    assert (tally["ternary_samples"], tally["gaussian_samples"], tally["embeddings"]) == (1, 2, 1)


def test_below_the_top_the_next_prime_stands_for_the_special_one() -> None:
    """3 + 1 limbs at level 2: u and two errors forward, one limb of both parts back, three forward."""
    tally = counts("ckks", Variant(mask=Mask.NEXT), (5, 1, 0), lambda s, k, x: s.encrypt(k, level=2))
    assert (tally["forward"], tally["inverse"], tally["products"]) == (3 * 4 + 2 * 3 + 3, 2, 2 * 4)


@hybrids
def test_keys_are_drawn_for_every_digit_over_qp(l: int, K: int, a: int, b: int) -> None:
    """A switching key: b uniform polynomials of l + K limbs, b errors, b·(l + K) products and transforms.

    Besides: s over QP, the public key over Q, s² and its product with P.
    """
    tally = counts("ckks", Variant(limbs_per_digit=a), (l, K, 0), lambda s, k, x: s.keygen())
    assert tally["uniform_samples"] == b * (l + K) + l
    assert (tally["gaussian_samples"], tally["ternary_samples"]) == (b + 1, 1)
    assert tally["forward"] == b * (l + K) + l + (l + K)
    assert tally["products"] == b * (l + K) + l + (l + K)
    assert (tally["inverse"], tally["constant_products"]) == (0, l)


def test_decryption_of_a_product_takes_a_product_for_each_power() -> None:
    """c_1·s, s², c_2·s²; one power more in a spare one; then back, and the integers put together."""
    tally = counts("ckks", Variant(), (4, 1, 0), lambda s, k, x: s.decrypt(k, x), size=3)
    assert (tally["products"], tally["inverse"], tally["reconstructions"]) == (3 * 4, 4, 16)
    spare = Variant(spare_power=True)
    assert counts("ckks", spare, (4, 1, 0), lambda s, k, x: s.decrypt(k, x))["products"] == 2 * 4


def test_encrypting_at_the_top_first_is_an_encryption_there_and_a_drop() -> None:
    """5 limbs, then switched to 4 and 3: two inverse transforms each, and 2·4 and 2·3 forward."""
    top = counts("bgv", Variant(), (5, 1, 1), lambda s, k, x: s.encrypt(k))
    below = counts("bgv", Variant(top_first=True), (5, 1, 1), lambda s, k, x: s.encrypt(k, level=2))
    assert below["forward"] - top["forward"] == 2 * 4 + 2 * 3
    assert below["inverse"] - top["inverse"] == 2 + 2
    assert below["products"] == top["products"]
