"""What each operation of an RNS ring requires of its operands; RingMismatch where they do not fit."""

from collections.abc import Sequence
from typing import Any

from fheasible.errors import RingMismatch
from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Domain, Poly


def some(operation: str, basis: Basis) -> None:
    if not basis.limbs:
        raise RingMismatch(f"{operation}: no limbs are left", "keep one or more")


def domain(operation: str, x: Poly, wanted: Domain) -> None:
    if x.domain is not wanted:
        remedy = "to_ntt" if wanted is Domain.NTT else "to_coefficients"
        raise RingMismatch(
            f"{operation}: needs the {wanted} domain, got the {x.domain} domain", f"use {remedy} first"
        )


def alike(operation: str, x: Poly, y: Poly) -> None:
    if x.domain is not y.domain:
        raise RingMismatch(
            f"{operation}: polynomials in the {x.domain} and the {y.domain} domain cannot be combined",
            "bring both into the same domain",
        )
    if x.basis is not y.basis and x.basis.mask != y.basis.mask:
        raise RingMismatch(
            f"{operation}: limbs {x.basis.limbs} and {y.basis.limbs} do not agree",
            "restrict both to the same basis",
        )


def within(operation: str, basis: Basis, x: Poly) -> None:
    some(operation, basis)
    if basis.mask & ~x.basis.mask:
        raise RingMismatch(
            f"{operation}: limbs {basis.limbs} are not all among {x.basis.limbs}",
            "choose among the limbs of x",
        )


def single(operation: str, x: Poly) -> None:
    if len(x.basis.limbs) != 1:
        raise RingMismatch(
            f"{operation}: needs one limb, got {len(x.basis)}", "restrict the polynomial to a limb"
        )


def pairs(operation: str, xs: Sequence[Poly], ys: Sequence[Poly]) -> None:
    if len(xs) != len(ys) or not xs:
        raise RingMismatch(
            f"{operation}: {len(xs)} and {len(ys)} factors do not pair up",
            "give equally many of each, one or more",
        )


def constants(operation: str, x: Poly, c: Any) -> None:
    if c is not None and not isinstance(c, int) and len(c) != len(x.basis):
        raise RingMismatch(
            f"{operation}: {len(c)} constants do not fit {len(x.basis)} limbs",
            "give one constant for each limb, or one for all",
        )


def odd(operation: str, exponent: int) -> None:
    if exponent % 2 == 0:
        raise RingMismatch(f"{operation}: X^{exponent} has an even exponent", "choose an odd exponent")


def fits(coefficients: Any, n: int | None) -> None:
    if n is not None and (coefficients is None or len(coefficients) > n):
        given = "no" if coefficients is None else len(coefficients)
        raise RingMismatch(f"integers: {given} coefficients do not fit n = {n}", "give n or fewer")


def rounds(
    operation: str, x: Poly, numerator: int | None, divisor: Basis, to: Basis, moduli: tuple[int, ...] | None
) -> None:
    """Check that the result modulo each prime of `to` depends on x modulo its own modulus alone."""
    some(operation, to)
    if to.mask & divisor.mask:
        raise RingMismatch(
            f"{operation}: cannot divide by limbs {divisor.limbs} and give {to.limbs}",
            "divide by other limbs",
        )
    if moduli is None or numerator is None:
        return
    wrong = [limb for limb in to - x.basis if numerator % moduli[limb]]
    if wrong:
        raise RingMismatch(
            f"{operation}: limbs {wrong} of the result are not limbs of x, and do not divide {numerator}",
            "round to x's other limbs, then convert",
        )
