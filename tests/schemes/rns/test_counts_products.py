"""Kernels of products and plain operands against figures derived by hand, or counted in the libraries.

l limbs of Q, r or b limbs of BFV's auxiliary basis.
"""

from collections import Counter
from typing import Any

import pytest

from fheasible.rings.rns.element import Domain
from fheasible.schemes.rns.arithmetic import ResidueArithmetic
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys
from fheasible.schemes.rns.variant import Message, Multiplication, ScalarForm, Variant
from schemes.rns.counted import Run, counts, rotated, transforms, work

COEFFICIENT = Domain.COEFFICIENT


def test_products_of_ciphertexts() -> None:
    def products(scheme: str, variant: Variant, run: Run) -> tuple[int, int, int]:
        tally = counts(scheme, variant, (4, 1, 1), run)
        return tally["products"], tally["additions"], tally["constant_products"]

    def mul(s: ResidueArithmetic, k: RnsKeys, x: Ciphertext) -> Any:
        return s.mul(x, s.operand())

    def square(s: ResidueArithmetic, k: RnsKeys, x: Ciphertext) -> Any:
        return s.square(x)

    assert products("ckks", Variant(), mul) == (16, 4, 0)
    assert products("ckks", Variant(), square) == (12, 4, 0)
    assert products("ckks", Variant(square_products=4), square) == (16, 4, 0)
    assert products("ckks", Variant(montgomery=True), mul) == (16, 4, 8)
    assert products("bgv", Variant(message=Message.HIGH), mul) == (16, 4, 8)
    assert products("bgv", Variant(message=Message.HIGH), square) == (12, 4, 8)


@pytest.mark.parametrize(
    ("how", "summed", "multiplied"),
    [
        (ScalarForm.NUMBER, {"additions": 4}, {"constant_products": 8}),
        (ScalarForm.FILLED, {"additions": 8}, {"additions": 4, "products": 8}),
        (
            ScalarForm.TRANSFORMED,
            {"messages": 4, "forward": 4, "additions": 4},
            {"messages": 4, "forward": 4, "products": 8},
        ),
        (
            ScalarForm.ENCODED,
            {"embeddings": 1, "messages": 4, "forward": 4, "additions": 4},
            {"embeddings": 1, "messages": 4, "forward": 4, "products": 8},
        ),
    ],
)
def test_a_scalar_costs_what_it_is_made_into(
    how: ScalarForm, summed: dict[str, int], multiplied: dict[str, int]
) -> None:
    variant = Variant(scalar_sum=how, scalar_product=how)
    assert work(counts("ckks", variant, (4, 1, 0), lambda s, k, x: s.add_scalar(x))) == summed
    assert work(counts("ckks", variant, (4, 1, 0), lambda s, k, x: s.mul_scalar(x))) == multiplied


def bfv_product(variant: Variant, bases: tuple[int, int, int], same: bool = False) -> Counter[str]:
    return counts("bfv", variant, bases, lambda s, k, x: s.square(x) if same else s.mul(x, s.operand()))


@pytest.mark.parametrize("k", [1, 3, 6])
def test_behz_multiplication_as_the_paper_has_it(k: int) -> None:
    """[BEHZ16], with k limbs of B and one of m_sk, B_sk of b = k + 1: four parts to B_sk and m~ (k·(b + 1)
    products), over Q and B_sk forward, 4 products, three parts back; floor Q to B_sk (k·b); B to Q and m_sk
    (k·(k + 1)). SEAL 4.4 `bfv_multiply` (evaluator.cpp) does as many.
    """
    variant = Variant(multiplication=Multiplication.BEHZ, rest=COEFFICIENT)
    b, bases = k + 1, (k, 1, k + 4)
    tally = bfv_product(variant, bases)
    assert (tally["forward"], tally["inverse"]) == (4 * (k + b), 3 * (k + b))
    assert tally["products"] == 4 * (k + b)
    if k > 1:  # a conversion from one limb is a reduction
        assert tally["conversion_products"] == 4 * k * (b + 1) + 3 * (k * b + k * (k + 1))
    assert tally["float_corrections"] == 0
    square = bfv_product(variant, bases, same=True)
    assert (square["forward"], square["inverse"]) == (2 * (k + b), 3 * (k + b))
    assert square["products"] == 3 * (k + b)


@pytest.mark.parametrize("l", [2, 3, 6])
def test_hps_multiplication_as_the_paper_has_it(l: int) -> None:
    """[HPS19], r = l + 1: four parts converted (l·r) and transformed in R; three back from QR, scaled (l·r)
    and converted (r·l)."""
    r = l + 1
    tally = bfv_product(Variant(product=COEFFICIENT), (l, 1, r + 1))
    assert (tally["forward"], tally["inverse"]) == (4 * r, 4 * l + 3 * (l + r))
    assert tally["products"] == 4 * (l + r)
    assert tally["conversion_products"] == 4 * l * r + 3 * (l * r + r * l)


@pytest.mark.parametrize(("l", "kept"), [(6, 6), (6, 4), (5, 3), (3, 2)])
def test_leveled_hps_multiplication_as_openfhe_counts_it(l: int, kept: int) -> None:
    """Forward 8·l', inverse 4·l + 6·l', products 8·l' for l' limbs kept: counted in OpenFHE's wheel 1.6.1,
    `LeveledSHEBFVRNS::EvalMult`; conversions 2·l'² (Q_l to R_l), 2·l·l' (Q to R_l), 2·l'² (R_l to Q_l), 3·l'²
    (scaling by t/R), and 2·l'·(l - l') where limbs are dropped."""
    variant = Variant(
        multiplication=Multiplication.HPS_OVER_Q_LEVELED, multiplication_limbs=kept, product=COEFFICIENT
    )
    tally = bfv_product(variant, (l, 1, l + 1))
    assert (tally["forward"], tally["inverse"]) == (8 * kept, 4 * l + 6 * kept)
    assert tally["products"] == 4 * 2 * kept
    dropped = 2 * kept * (l - kept)
    assert tally["conversion_products"] == 2 * kept**2 + 2 * l * kept + 2 * kept**2 + 3 * kept**2 + dropped


@pytest.mark.parametrize("l", [2, 4, 7])
def test_dividing_first_as_lattigo_does(l: int) -> None:
    """Lattigo 6.1.1 `tensorScaleInvariant` (schemes/bgv/evaluator.go) with M limbs beside: inverse 7·l + 3·M,
    forward 3·l + 4·M, conversions 10·l·M; squares 5·l + 3·M, 3·l + 2·M, 8·l·M."""
    m = l + 1
    variant = Variant(multiplication=Multiplication.DIVIDE_FIRST, message=Message.HIGH, montgomery=True)
    tally = bfv_product(variant, (l, 1, m + 1))
    assert (tally["inverse"], tally["forward"]) == (7 * l + 3 * m, 3 * l + 4 * m)
    assert (tally["conversion_products"], tally["products"]) == (10 * l * m, 4 * (l + m))
    square = bfv_product(variant, (l, 1, m + 1), same=True)
    assert (square["inverse"], square["forward"]) == (5 * l + 3 * m, 3 * l + 2 * m)
    assert (square["conversion_products"], square["products"]) == (8 * l * m, 3 * (l + m))


@pytest.mark.parametrize(("l", "kept"), [(6, 6), (6, 4)])
def test_a_leveled_rotation_switches_keys_over_the_limbs_it_keeps(l: int, kept: int) -> None:
    """OpenFHE's BFV: inverse l, forward l', key switching of l' limbs, both parts times Q/Q_l, permuted."""
    K, a = 2, 2
    b = -(-kept // a)
    tally = counts("bfv", Variant(limbs_per_digit=a, rotation_limbs=kept), (l, K, 2), rotated)
    assert transforms(tally) == l + kept + (b + 2) * (kept + K)
    assert tally["permutations"] == 2 * l


def test_a_sum_adds_every_limb_and_an_unequal_part_costs_nothing() -> None:
    assert work(counts("ckks", Variant(), (4, 1, 0), lambda s, k, x: s.add(x, x), size=3)) == {
        "additions": 12
    }
    mixed = counts("ckks", Variant(), (4, 1, 0), lambda s, k, x: s.sub(x, s.operand(size=3)))
    assert work(mixed) == {"additions": 12}  # the third part is negated
    mixed = counts("ckks", Variant(), (4, 1, 0), lambda s, k, x: s.add(x, s.operand(size=3)))
    assert work(mixed) == {"additions": 8}


def test_copies_are_counted_where_the_variant_makes_them() -> None:
    variant = Variant(copies=(("add", 2), ("rotate", 3)))
    assert counts("ckks", variant, (4, 1, 0), lambda s, k, x: s.add(x, x))["copies"] == 8
    assert counts("ckks", variant, (4, 1, 0), rotated)["copies"] == 12
    assert counts("ckks", variant, (4, 1, 0), lambda s, k, x: s.neg(x))["copies"] == 0
