"""A call that cannot be meant is refused in the same words by every interpreter."""

from collections.abc import Callable
from typing import Any

import pytest

from fheasible.errors import LibraryMissing, NotInvertible, RingMismatch
from fheasible.rings.rns import exact
from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Domain, Poly
from fheasible.rings.rns.exact import ExactRnsRing

from .drawing import CHAIN, SPECIAL, Rings

NTT, COEFFICIENT = Domain.NTT, Domain.COEFFICIENT
MISUSES: dict[str, Callable[[Any, Poly, Poly], Any]] = {
    "values are transformed again": lambda R, v, c: R.to_ntt(v),
    "coefficients are transformed back": lambda R, v, c: R.to_coefficients(c),
    "domains are added": lambda R, v, c: R.add(v, c),
    "bases are subtracted": lambda R, v, c: R.subtract(v, R.restrict(v, v.basis[:2])),
    "coefficients are multiplied": lambda R, v, c: R.multiply(c, c),
    "a factor is in the other domain": lambda R, v, c: R.inner_product([v, c], [v, v], True),
    "there are no factors": lambda R, v, c: R.inner_product([], [], False),
    "factors are missing": lambda R, v, c: R.inner_product([v, v], [v], False),
    "factors have other limbs": lambda R, v, c: R.inner_product([v], [R.restrict(v, v.basis[1:])], True),
    "a constant is missing": lambda R, v, c: R.scale(v, [1, 2]),
    "there is a constant too many": lambda R, v, c: R.offset(v, [1, 2, 3, 4]),
    "an exponent is even": lambda R, v, c: R.automorphism(v, 4),
    "limbs are wanted that are not there": lambda R, v, c: R.restrict(v, R.p),
    "limbs are joined twice": lambda R, v, c: R.join(v, v),
    "domains are joined": lambda R, v, c: R.join(R.restrict(v, v.basis[:1]), R.restrict(c, v.basis[1:])),
    "values are converted": lambda R, v, c: R.convert(v, R.p),
    "nothing is left of a conversion": lambda R, v, c: R.convert(c, Basis()),
    "values are cut into digits": lambda R, v, c: R.digit(v, 0, 8, R.q),
    "digits of many limbs are taken": lambda R, v, c: R.digit(c, 0, 8, R.q),
    "values are rounded": lambda R, v, c: R.scale_round(v, 1, v.basis[:1], v.basis[1:]),
    "a divisor is foreign": lambda R, v, c: R.scale_round(c, 1, R.p, v.basis[1:]),
    "a divisor is to stay": lambda R, v, c: R.scale_round(c, 1, v.basis[:1], v.basis),
    "a divisor is 1": lambda R, v, c: R.scale_round(c, 1, Basis(), v.basis),
    "values are lifted": lambda R, v, c: R.lift(v),
    "there is no such level": lambda R, v, c: R.level(len(CHAIN)),
    "a level is negative": lambda R, v, c: R.level(-1),
    "a sample has no limb": lambda R, v, c: R.gaussian(Basis(), 3.2),
    "bases overlap": lambda R, v, c: R.q + R.q,
    "limbs are out of order": lambda R, v, c: Basis((2, 1)),
    "a limb is negative": lambda R, v, c: Basis((-1, 1)),
}


@pytest.mark.parametrize("misuse", MISUSES.values(), ids=MISUSES.keys())
def test_every_interpreter_refuses_in_the_same_words(misuse: Callable[..., Any]) -> None:
    drawn = Rings(16)
    basis = drawn.q[:3]
    said = set()
    for ring, v, c in zip(drawn.each, drawn.poly(basis, NTT), drawn.poly(basis, COEFFICIENT), strict=True):
        with pytest.raises(RingMismatch) as refused:
            misuse(ring, v, c)
        assert refused.value.remedy
        said.add((refused.value.message, refused.value.remedy))
    assert len(said) == 1


UNCOMPUTABLE: dict[str, Callable[[ExactRnsRing, Poly], Any]] = {
    "too many coefficients": lambda R, x: R.integers(R.q, range(17)),
    "no coefficients": lambda R, x: R.integers(R.q),
    "residues of another shape": lambda R, x: R.given(R.q, NTT, [[1, 2]]),
    "no value": lambda R, x: R.scale(x, None),
    "a limb without a transform": lambda R, x: R.to_ntt(R.zero(Basis((8,)), COEFFICIENT)),
    "a result that x does not determine": lambda R, x: R.scale_round(x, 3, x.basis[:1], R.p),
}


@pytest.mark.parametrize("misuse", UNCOMPUTABLE.values(), ids=UNCOMPUTABLE.keys())
def test_the_exact_ring_refuses_what_only_values_show(misuse: Callable[..., Any]) -> None:
    drawn = Rings(16)
    with pytest.raises(RingMismatch) as refused:
        misuse(drawn.exact, drawn.poly(drawn.q, COEFFICIENT)[0])
    assert refused.value.remedy


@pytest.mark.parametrize("n", [8, 48, 2**18])
def test_sizes_without_a_transform_are_refused(n: int) -> None:
    with pytest.raises(RingMismatch, match=f"n = {n} "):
        ExactRnsRing(n, CHAIN, SPECIAL)


@pytest.mark.parametrize("p", [0, 1, 2**62, -5])
def test_moduli_out_of_range_are_refused(p: int) -> None:
    with pytest.raises(RingMismatch, match=f"modulus {p} "):
        ExactRnsRing(16, CHAIN, SPECIAL, (p,))


def test_constants_and_moduli_without_inverse_are_refused() -> None:
    ring = ExactRnsRing(16, CHAIN, SPECIAL, (2**32, 2**20))
    with pytest.raises(NotInvertible):
        ring.scale(ring.zero(ring.q, NTT), CHAIN[0], inverse=True)
    with pytest.raises(NotInvertible):
        ring.convert(ring.zero(ring.extra, COEFFICIENT), ring.q)


def test_without_the_native_module_there_is_no_exact_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> Any:
        raise LibraryMissing("the native module is not built", "make native")

    monkeypatch.setattr(exact, "native", absent)
    with pytest.raises(LibraryMissing):
        ExactRnsRing(16, CHAIN, SPECIAL)
