"""The keys of NTRU with a plaintext modulus, as Stehlé and Steinfeld have them [SteSte11]."""

from math import gcd
from typing import Any

from fheasible.errors import InfeasibleParameters, NotInvertible
from fheasible.rings.element import Element, Scalar
from fheasible.rings.ring import Ring

TRIES = 1000  # f' = 0 is always invertible: more failures than this do not happen


def ntru_keys(R: Ring, t: Scalar) -> tuple[Element, Element]:
    """(f, h): integers f = t·f' + 1 that are invertible modulo q, and h = t·g·f^-1, for f' and g ternary."""
    for _ in range(TRIES):
        f = R.add(R.scale(R.ternary(), t), R.message(t, [1]))
        try:
            inverse = R.inverse(R.reduce(f))
        except NotInvertible:
            continue
        return f, R.scale(R.multiply(R.ternary(), inverse), t)
    raise NotInvertible(f"no invertible f in {TRIES} tries", "choose q with larger prime factors")


def check_moduli(q: Any, t: Any) -> None:
    """InfeasibleParameters unless q and t have no factor in common; what is not known is not checked.

    h is a multiple of t: modulo a common factor a ciphertext shows all that h·s should hide, which of F-NTRU
    is the message itself, of YASHE its errors.
    """
    if isinstance(q, int) and isinstance(t, int) and gcd(q, t) > 1:
        raise InfeasibleParameters(
            f"q = {q} and t = {t} have the factor {gcd(q, t)} in common: modulo it NTRU hides nothing",
            "take an odd q" if t == 2 else f"take a q that has no factor in common with {t}",
        )
