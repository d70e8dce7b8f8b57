"""The keys of NTRU with a plaintext modulus, as Stehlé and Steinfeld have them [SteSte11]."""

from fheasible.errors import NotInvertible
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
