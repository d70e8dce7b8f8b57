"""The keys of NTRU with a plaintext modulus, as Stehlé and Steinfeld define them [SteSte11]."""

from math import gcd
from typing import Any

from fheasible.errors import InfeasibleParameters, NotInvertible
from fheasible.rings.element import Element, Scalar
from fheasible.rings.ring import Ring

TRIES = 1000  # f' = 0 always gives an invertible f: more failures than this do not happen


def ntru_keys(R: Ring, t: Scalar) -> tuple[Element, Element]:
    """The keys (f, h): integers f = t·f' + 1, invertible modulo q, and h = t·g·f^-1; f', g are ternary."""
    for _ in range(TRIES):
        f = R.add(R.scale(R.ternary(), t), R.message(t, [1]))
        try:
            inverse = R.inverse(R.reduce(f))
        except NotInvertible:
            continue
        return f, R.scale(R.multiply(R.ternary(), inverse), t)
    raise NotInvertible(f"no invertible f was found in {TRIES} tries", "choose q with larger prime factors")


def check_moduli(q: Any, t: Any) -> None:
    """Raise InfeasibleParameters where q and t have a common factor; nothing is checked if one is not known.

    h is a multiple of t, so modulo a common factor a ciphertext shows all that h·s should hide. This is the
    message itself in F-NTRU, and the errors in YASHE.
    """
    if isinstance(q, int) and isinstance(t, int) and gcd(q, t) > 1:
        raise InfeasibleParameters(
            f"q = {q} and t = {t} have the factor {gcd(q, t)} in common, and modulo this factor NTRU "
            "hides nothing",
            "take an odd q" if t == 2 else f"take a q that has no factor in common with {t}",
        )
