"""Kernels of key switching against figures derived by hand.

l limbs now, K special primes, b digits, a limbs of each.
"""

import pytest

from fheasible.rings.rns.element import Conversion, Domain
from fheasible.rings.rns.modulus import Rounding
from fheasible.schemes.rns.variant import Automorphism, KeySwitching, Variant
from schemes.rns.counted import counts, hybrids, relinearized, rotated, transforms

COEFFICIENT = Domain.COEFFICIENT
BV = Variant(key_switching=KeySwitching.BV)


@hybrids
def test_hybrid_key_switching_takes_b_plus_2_times_l_plus_k_transforms(
    l: int, K: int, a: int, b: int
) -> None:
    """[HanKi19]: l inverse; every digit forward in the other limbs; K inverse and l forward for each part.

    Inner products are 2·b·(l+K); a digit of a_j limbs is converted to l + K - a_j.
    """
    variant = Variant(limbs_per_digit=a, mod_down=Rounding(Conversion.FAST))
    tally = counts("ckks", variant, (l, K, 0), relinearized, size=3)
    assert transforms(tally) == (b + 2) * (l + K)
    assert tally["inverse"] == l + 2 * K
    assert tally["forward"] == b * (l + K) - l + 2 * l
    assert tally["lazy_products"] == 2 * b * (l + K)
    sizes = [min(a, l - first) for first in range(0, l, a)]
    digits = sum(x * (l + K - x) for x in sizes if x > 1)  # from one limb there is nothing to sum
    assert tally["conversion_products"] == digits + (2 * K * l if K > 1 else 0)


@hybrids
def test_at_a_lower_level_fewer_digits_meet_the_same_key(l: int, K: int, a: int, b: int) -> None:
    variant = Variant(limbs_per_digit=a)
    lower = counts("ckks", variant, (l + 4, K, 0), relinearized, level=l - 1, size=3)
    assert lower == counts("ckks", variant, (l, K, 0), relinearized, size=3)


@hybrids
def test_a_polynomial_in_coefficients_takes_as_many_transforms(l: int, K: int, a: int, b: int) -> None:
    """No inverse of the operand and every digit in all its limbs; both inner products wholly back."""
    variant = Variant(limbs_per_digit=a, rest=COEFFICIENT)
    tally = counts("ckks", variant, (l, K, 0), relinearized, size=3)
    assert (tally["forward"], tally["inverse"]) == (b * (l + K), 2 * (l + K))


@hybrids
def test_own_limbs_transformed_again_cost_a_transform_each(l: int, K: int, a: int, b: int) -> None:
    variant = Variant(limbs_per_digit=a, reuse_ntt=False)
    assert transforms(counts("ckks", variant, (l, K, 0), relinearized, size=3)) == (b + 2) * (l + K) + l


@hybrids
def test_products_that_are_reduced_each_are_added_reduced(l: int, K: int, a: int, b: int) -> None:
    reduced = counts("ckks", Variant(limbs_per_digit=a, lazy=False), (l, K, 0), relinearized, size=3)
    lazy = counts("ckks", Variant(limbs_per_digit=a), (l, K, 0), relinearized, size=3)
    assert reduced["products"] == lazy["lazy_products"] == 2 * b * (l + K)
    assert reduced["additions"] - lazy["additions"] == 2 * (b - 1) * (l + K)
    assert transforms(reduced) == transforms(lazy)


@pytest.mark.parametrize("l", range(2, 8))
def test_bv_key_switching_takes_l_squared_transforms(l: int) -> None:
    """[BraVai11] by limbs: l inverse, l - 1 forward for each digit; no P to divide by."""
    tally = counts("bfv", BV, (l, 0, 2), relinearized, size=3)
    assert (tally["inverse"], tally["forward"]) == (l, l * (l - 1))
    assert tally["lazy_products"] == 2 * l * l
    assert tally["word_reductions"] == l * (l - 1)
    assert tally["additions"] == 2 * l


def test_bv_digits_of_some_bits_are_transformed_in_every_limb() -> None:
    """Primes of 50, 40 and 40 bits in digits of 12: 5 + 4 + 4 of them."""
    variant = Variant(key_switching=KeySwitching.BV, digit_bits=12, limb_bits=(50, 40, 40))
    tally = counts("ckks", variant, (3, 0, 0), relinearized, size=3)
    assert (tally["inverse"], tally["forward"], tally["lazy_products"]) == (3, 13 * 3, 2 * 13 * 3)


@hybrids
def test_bgv_multiplies_by_t_and_its_inverse_where_it_divides_by_p(l: int, K: int, a: int, b: int) -> None:
    """t^-1 in the K limbs, t in the l others, of two parts."""
    variant = Variant(limbs_per_digit=a)
    bgv = counts("bgv", variant, (l, K, 1), relinearized, size=3)
    ckks = counts("ckks", variant, (l, K, 0), relinearized, size=3)
    assert bgv["constant_products"] - ckks["constant_products"] == 2 * (K + l)
    assert transforms(bgv) == transforms(ckks)


@hybrids
def test_a_rotation_permutes_two_parts_wherever_it_does(l: int, K: int, a: int, b: int) -> None:
    """Over Q, 2·l limbs; over QP, 2·(l + K), and P·c_0 is added there; the key switching is the same."""
    tallies = {
        where: counts("ckks", Variant(limbs_per_digit=a, automorphism=where), (l, K, 0), rotated)
        for where in Automorphism
    }
    assert {transforms(t) for t in tallies.values()} == {(b + 2) * (l + K)}
    permuted = {where: t["permutations"] for where, t in tallies.items()}
    assert permuted == {
        Automorphism.FIRST: 2 * l,
        Automorphism.LAST: 2 * l,
        Automorphism.EXTENDED: 2 * (l + K),
    }
    last, extended = tallies[Automorphism.LAST], tallies[Automorphism.EXTENDED]
    assert extended["constant_products"] - last["constant_products"] == l
    assert extended["additions"] == last["additions"]


@hybrids
def test_hoisted_rotations_decompose_once(l: int, K: int, a: int, b: int) -> None:
    """[HS18]: of the b(l + K) transforms of the digits, none is made twice."""
    variant = Variant(limbs_per_digit=a)
    one = counts("ckks", variant, (l, K, 0), rotated)
    three = counts("ckks", variant, (l, K, 0), lambda s, k, x: s.rotate_hoisted(k, x, [1, 1, 1]))
    assert transforms(three) == transforms(one) + 2 * 2 * (l + K)
    assert three["lazy_products"] == 3 * one["lazy_products"]


@hybrids
def test_own_limbs_are_copied_where_the_variant_says_so(l: int, K: int, a: int, b: int) -> None:
    """Every limb belongs to one digit: l copies; none where they are transformed again."""
    copied = Variant(limbs_per_digit=a, copy_own=True)
    assert counts("ckks", copied, (l, K, 0), relinearized, size=3)["copies"] == l
    again = Variant(limbs_per_digit=a, copy_own=True, reuse_ntt=False)
    assert counts("ckks", again, (l, K, 0), relinearized, size=3)["copies"] == 0
