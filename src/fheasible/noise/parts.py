"""Noise as variances with a shape: how they add, and how they multiply."""

from collections.abc import Iterable
from decimal import Decimal
from math import exp2, inf, log, log2
from typing import NamedTuple

from fheasible.noise.shared import Relation
from fheasible.noise.tail import GAUSSIAN, Shape, deviations, joined, largest_of, usual_share

_NEGLIGIBLE = Decimal(2) ** -6  # of a variance times its tail's square
NONE = Decimal(0)


class Part(NamedTuple):
    """The noise of a polynomial, or a polynomial that noise is multiplied by.

    `worst`: variance of the coefficient where it is largest; `mean`: of all coefficients on average;
    `slots`: pairs of conjugate embeddings that it is spread over.
    """

    worst: Decimal
    mean: Decimal
    shape: Shape
    slots: float

    def scaled(self, factor: Decimal) -> "Part":
        if not self.worst:
            return self
        worst = self.worst * factor
        mean = worst if self.mean is self.worst else self.mean * factor
        return Part(worst, mean, self.shape, self.slots)

    def coefficients(self, n: int) -> int:
        """How many are about as large as the largest."""
        if self.mean is self.worst:
            return n
        return max(round(n * self.mean / self.worst), 1) if self.worst else 1

    def deviations(self, failure_bits: float) -> float:
        """How many standard deviations no coefficient exceeds but with that probability (of each)."""
        return deviations(self.shape, int(self.slots), failure_bits)

    def tail_bits(self, failure_bits: float) -> float:
        """log2 of that many."""
        return log2_of(self.worst) / 2 + log2(self.deviations(failure_bits)) if self.worst else -inf

    def usual_largest(self, n: int) -> Decimal:
        """Absolute value of the largest coefficient, on the average of logarithms."""
        share = usual_share(self.shape, int(self.slots))
        largest = _CREST if self.slots < _FEW else largest_of(self.coefficients(n))
        return (self.worst * Decimal(share)).sqrt() * Decimal(largest)


WAVE = 1.5  # pairs of 1 + X + X^2 + ...: N/2 (mean square)^2 / (mean fourth power) of 2 / (1 - zeta)
_FEW = 4  # embeddings that make a wave rather than a Gaussian of every coefficient
_CREST = 2.3  # the largest coefficient of a wave, over what its lowest embedding usually is: found by drawing


def part(variance: float | Decimal, shape: Shape, slots: float) -> Part:
    """All coefficients alike."""
    value = Decimal(variance)
    return Part(value, value, shape, slots)


def none(slots: float) -> Part:
    return Part(NONE, NONE, GAUSSIAN, slots)


def total(x: Part, y: Part, relation: Relation, most_slots: float, failure_bits: float) -> Part:
    """The sum of two noises that have so much in common."""
    if not x.worst or not y.worst:
        return x if x.worst else y
    worst = _in_step(x.worst, y.worst) if relation else x.worst + y.worst
    if x.mean is x.worst and y.mean is y.worst and relation is not Relation.TURNED:
        mean = worst
    else:
        mean = _in_step(x.mean, y.mean) if relation is Relation.SAME else x.mean + y.mean
    shape, slots = _prevailing(x, y, failure_bits)
    if relation is Relation.TURNED:
        slots = min(x.slots + y.slots, most_slots)
    return Part(worst, mean, shape, slots)


def _in_step(x: Decimal, y: Decimal) -> Decimal:
    """Variance of a sum of which standard deviations add."""
    return (x.sqrt() + y.sqrt()) ** 2


def _prevailing(x: Part, y: Part, failure_bits: float) -> tuple[Shape, float]:
    """The shape whose tail reaches farther, and the fewer slots; of the lighter part alone where the heavier
    one's share of the tail is negligible."""
    if x.shape == y.shape and x.slots == y.slots:
        return x.shape, x.slots
    (light, of_light), (heavy, of_heavy) = sorted(
        ((e.deviations(failure_bits), e) for e in (x, y)), key=lambda pair: pair[0]
    )
    if of_heavy.worst * Decimal(heavy**2) < _NEGLIGIBLE * of_light.worst * Decimal(light**2):
        return of_light.shape, of_light.slots
    return of_heavy.shape, min(x.slots, y.slots)


def product(x: Part, y: Part, n: int, same: bool = False, apart: bool = False) -> Part:
    """Of two polynomials that have the secret in common, or (`same`) that are one.

    Where both lie in few embeddings these are the same ones, if they are not `apart`; where both lie in few
    coefficients (of sums over rotations) so does the product.
    """
    if not x.mean or not y.mean:
        return none(min(x.slots, y.slots))
    shape, factor = joined(x.shape, y.shape, same)
    overlap = 1.0 if apart else n / 2 / max(x.slots, y.slots)
    mean = x.mean * y.mean * Decimal(n * overlap * factor)
    few = min(x.coefficients(n), y.coefficients(n))
    worst = x.worst * y.worst * Decimal(few * factor) if few < n else mean
    return Part(max(mean, worst), mean, shape, min(x.slots, y.slots))


def sum_of_bits(bits: Iterable[float]) -> float:
    """log2 of a sum."""
    each = list(bits)
    most = max(each)
    return most + log2(sum(exp2(b - most) for b in each)) if most > -inf else -inf


def log2_of(x: Decimal) -> float:
    """Of a positive number; Decimal's own logarithm is slow."""
    near = float(x) if abs(x.adjusted()) < 300 else 0.0
    return log2(near) if near else float(x.ln()) / log(2)
