"""What cannot be done is refused, with what was given and a remedy."""

from collections.abc import Callable
from typing import Any

import pytest

from fheasible.errors import FheasibleError, InfeasibleParameters, RingMismatch, UnsupportedOperation
from fheasible.rings.rns.counting import CountingRnsRing
from fheasible.schemes.rns.bfv import BFV
from fheasible.schemes.rns.bgv import BGV
from fheasible.schemes.rns.ciphertext import RnsSpec
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.factors import balanced
from fheasible.schemes.rns.variant import Automorphism, KeySwitching, Multiplication, Variant
from schemes.rns.toy import Toy, exact_ring, moduli, toy

BV = KeySwitching.BV


@pytest.mark.parametrize(
    "choices",
    [
        {"limbs_per_digit": 0},
        {"square_products": 5},
        {"digit_bits": 8},
        {"key_switching": BV, "limbs_per_digit": 2},
        {"key_switching": BV, "automorphism": Automorphism.EXTENDED},
    ],
)
def test_a_variant_that_cannot_be_is_refused(choices: dict[str, Any]) -> None:
    with pytest.raises(InfeasibleParameters) as refused:
        Variant(**choices)
    assert refused.value.remedy


def test_a_ring_without_the_auxiliary_primes_is_refused() -> None:
    with pytest.raises(InfeasibleParameters, match="0 auxiliary primes"):
        BGV(CountingRnsRing(3, 1, 0), RnsSpec())
    for multiplication in Multiplication:
        scheme = BFV(CountingRnsRing(3, 1, 1), RnsSpec(), Variant(multiplication=multiplication))
        with pytest.raises(InfeasibleParameters, match="1 auxiliary primes"):
            scheme.mul(scheme.operand(), scheme.operand())


def test_a_plain_modulus_that_is_not_the_rings_is_refused() -> None:
    m = moduli(64, 3, 1, Multiplication.HPS)
    with pytest.raises(InfeasibleParameters, match=f"t = 257, but the ring's last prime is {m.t}"):
        BGV(exact_ring(64, m), RnsSpec(t=257))


def bench(scheme: str = "ckks") -> Toy:
    return toy(scheme, Variant())


def without_keys() -> Any:
    b = bench()
    keys = b.scheme.keygen(relinearize=False)
    x = b.scheme.encrypt(keys, b.values(1))
    return b.scheme, keys, x


REFUSED: dict[str, tuple[type[FheasibleError], str, Callable[[], Any]]] = {
    "no relinearization key": (
        RingMismatch,
        "no key for relinearization",
        lambda: (p := without_keys())[0].relinearize(p[1], p[0].mul(p[2], p[2])),
    ),
    "no rotation key": (
        RingMismatch,
        "no key for rotation by 5",
        lambda: (p := without_keys())[0].rotate(p[1], p[2], 5),
    ),
    "no key for the swap": (
        RingMismatch,
        "no key for rotation by swap",
        lambda: (p := without_keys())[0].swap_rows(p[1], p[2]),
    ),
    "two parts to relinearize": (
        RingMismatch,
        "relinearize: the ciphertext has 2 parts",
        lambda: bench().scheme.relinearize(bench().keys, bench().scheme.operand()),
    ),
    "three parts to rotate": (
        RingMismatch,
        "rotate: the ciphertext has 3 parts",
        lambda: bench().scheme.rotate(bench().keys, bench().scheme.operand(size=3), 1),
    ),
    "three parts to rotate, hoisted": (
        RingMismatch,
        "rotate: the ciphertext has 3 parts",
        lambda: bench().scheme.rotate_hoisted(bench().keys, bench().scheme.operand(size=3), [1]),
    ),
    "two levels": (
        RingMismatch,
        "do not agree",
        lambda: bench().scheme.add(bench().scheme.operand(2), bench().scheme.operand(1)),
    ),
    "a level that is not there": (
        RingMismatch,
        "no level 9",
        lambda: bench().scheme.encrypt(bench().keys, [1.0], 9),
    ),
    "BFV's rescaling": (
        UnsupportedOperation,
        "BFV has no levels",
        lambda: bench("bfv").scheme.rescale(bench("bfv").scheme.operand()),
    ),
    "BFV's levels": (
        RingMismatch,
        "BFV stays at level 4",
        lambda: bench("bfv").scheme.drop(bench("bfv").scheme.operand(), 2),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_action_that_cannot_be_is_refused(name: str) -> None:
    kind, words, act = REFUSED[name]
    with pytest.raises(kind, match=words) as refused:
        act()
    assert refused.value.remedy


def test_a_sum_of_two_scales_is_refused() -> None:
    b = bench()
    assert isinstance(b.scheme, CKKS)
    x = b.scheme.encrypt(b.keys, b.values(1))
    with pytest.raises(RingMismatch, match="cannot be added"):
        b.scheme.add(b.scheme.relinearize(b.keys, b.scheme.square(x)), x)


@pytest.mark.parametrize("t", [5, 257, 65537])
def test_balanced_factors_meet_and_are_no_larger_than_need_be(t: int) -> None:
    """a·f = b·g modulo t; by Thue's lemma some a, b below sqrt(t) do."""
    for f, g in [(1, 2), (3, t - 1), (t // 2, t // 3), (1, 1), (4, 4)]:
        a, b = balanced(f, g, t)
        assert (a * f - b * g) % t == 0
        assert a % t
        assert b % t
        assert min(a, t - a) + min(b, t - b) <= 2 * t**0.5


def test_sums_of_unequal_factors_are_brought_together() -> None:
    """A product that was switched and a value that was dropped to its level: other primes divided them."""
    for variant in (Variant(), Variant(rest=bench().scheme.variant.rest, through_plain=True)):
        b = toy("bgv", variant)
        s, k, a = b.scheme, b.keys, b.values(1)
        x = s.encrypt(k, a)
        squared = s.rescale(s.relinearize(k, s.square(s.drop(x, 3))))
        once = s.drop(x, 2)
        assert squared.factor != once.factor
        assert b.error(s.add(squared, once), a * a + a) == 0
        assert b.error(s.sub(once, squared), a - a * a) == 0
        assert b.error(s.add_plain(squared, a), a * a + a) == 0
        assert b.error(s.add_scalar(squared, 5), a * a + 5) == 0
        assert b.error(s.mul_plain(squared, a), a * a * a) == 0
