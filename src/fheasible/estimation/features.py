"""What an operation asks of the machine, as a few numbers: the seam between a model and its fit.

A profile holds one non-negative coefficient per feature and operation; time = features . coefficients.
The features follow the algorithms' operation counts (l limbs, K special primes, b digits of a limbs):
hybrid key switching takes (b + 2)(l + K) transforms, a base conversion of sum_j a_j (l + K - a_j) + 2 K l
and 2 b (l + K) products [HanKi19]; one prime per digit and one special prime is SEAL's case.
"""

from dataclasses import dataclass
from math import log2

from fheasible.libraries.parameters import Parameters
from fheasible.program.types import Action

Features = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """One operation's size: n, the limbs it works on, the polynomials of its result.

    Of "keygen", `polys` is the number of switching keys.
    """

    n: int
    limbs: int
    special: int
    digit_limbs: int  # limbs of a full digit of key switching
    polys: int = 2
    scheme: str = "ckks"
    dropped: int = 0  # limbs that a drop takes away

    @property
    def transform(self) -> float:
        """Butterflies of one limb's NTT, up to a factor of two."""
        return self.n * log2(self.n)


def shape(p: Parameters, level: int, polys: int = 2, dropped: int = 0) -> Shape:
    """The shape of an operation at `level` (BFV: always the whole chain)."""
    limbs = p.limbs if p.scheme == "bfv" else min(level + 1, p.limbs)
    return Shape(p.ring_dimension, limbs, len(p.p), p.limbs_per_digit, polys, p.scheme, dropped)


def features(action: str, s: Shape) -> Features:
    """The operation's features; every action has a fixed number of them."""
    n, limbs = s.n, s.limbs
    match action:
        case Action.RELINEARIZE | Action.ROTATE | Action.SWAP_ROWS:
            return (*_key_switch(s), 1.0)
        case Action.RESCALE:
            return (s.polys * limbs * s.transform, s.polys * limbs * n, 1.0)
        case Action.DROP if s.scheme == "bgv":  # one modulus switching per limb
            switched = s.dropped * limbs + s.dropped * (s.dropped + 1) / 2
            return (s.polys * switched * s.transform, s.polys * limbs * n)
        case Action.MUL | Action.SQUARE if s.scheme == "bfv":
            return (limbs * s.transform, limbs**2 * n, limbs * n)
        case Action.ADD_PLAIN | Action.MUL_PLAIN:
            return (limbs * s.transform, s.transform, s.polys * limbs * n)
        case Action.ENCRYPT:
            return ((limbs + s.special) * s.transform, s.transform, limbs * n)
        case "decrypt":
            return (limbs * s.transform, limbs**2 * n, s.transform)
        case "keygen":  # the pair, and `polys` switching keys
            per_key = _digits(s) * (limbs + s.special) * s.transform
            return ((limbs + s.special) * s.transform, s.polys * per_key)
        case _:
            return (s.polys * limbs * n, 1.0)


def _digits(s: Shape) -> int:
    return -(-s.limbs // s.digit_limbs)


def _key_switch(s: Shape) -> tuple[float, float]:
    """Transforms, and products outside of them. Without special primes (BV) each limb is a digit that is
    transformed for every limb, and nothing is divided afterwards."""
    l, k, a, b = s.limbs, s.special, s.digit_limbs, _digits(s)
    if k == 0:
        return (b * l * s.transform, 2.0 * b * l * s.n)
    last = l - (b - 1) * a
    conversion = (b - 1) * a * (l + k - a) + last * (l + k - last) + 2 * k * l
    return ((b + 2) * (l + k) * s.transform, float(conversion + 2 * b * (l + k)) * s.n)
