"""Noise as variances with a shape: how they add, and how they multiply.

Variances are given as log2: the square of a long chain's modulus is beyond the range of a double. `Parts` has
those of one set of parameters, `block_parts.BlockParts` those of many at once, as arrays.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import exp2, log2
from typing import Any, NamedTuple

from fheasible.noise.shared import Relation
from fheasible.noise.tail import Shape, deviation_bits, joined, largest_of, usual_share_bits

LOST = 1e6  # log2 of a variance beyond every modulus: how far beyond does not matter
NEGLIGIBLE = -6.0  # log2 of a variance times its tail's square
WAVE = 1.5  # pairs of 1 + X + X^2 + ...: N/2 (mean square)^2 / (mean fourth power) of 2 / (1 - zeta)
_FEW = 4  # embeddings that make a wave rather than a Gaussian of every coefficient
_CREST = 2.3  # the largest coefficient of a wave, over what its lowest embedding usually is: found by drawing
_APART, _TURNED = Relation.APART, Relation.TURNED


class Kind:
    """A shape, and the pairs of conjugate embeddings that it is spread over. `Parts` has one of each."""

    __slots__ = ("far", "shape", "slots")

    def __init__(self, shape: Shape, slots: float, far: float) -> None:
        self.shape, self.slots = shape, slots
        self.far = far  # log2 of how many standard deviations no coefficient exceeds, but for rare failures


class Part(NamedTuple):
    """The noise of a polynomial, or a polynomial that noise is multiplied by.

    `worst`: log2 of the variance of the coefficient where it is largest; `mean`: of all on average, and the
    same object where all are alike.
    """

    worst: Any
    mean: Any
    kind: Any

    def scaled(self, bits: Any) -> "Part":
        """With 2^bits times the variance."""
        worst = self.worst + bits
        return Part(worst, worst if self.mean is self.worst else self.mean + bits, self.kind)

    @property
    def tail_bits(self) -> Any:
        """log2 of what no coefficient exceeds, but for rare failures."""
        return self.worst / 2 + self.kind.far


Some = Part | None  # None is no noise


class Parts:
    """Noise in a ring of n coefficients, each of which fails with a probability below 2^-failure_bits."""

    def __init__(self, n: int, failure_bits: float) -> None:
        self.n, self.pairs, self.failure_bits = n, n / 2, failure_bits
        self._kinds: dict[tuple[Shape, float], Kind] = {}
        self._products: dict[tuple[Kind, Kind, bool, bool], tuple[Kind, float, float]] = {}

    def kind(self, shape: Shape, slots: float) -> Kind:
        if (shape, slots) not in self._kinds:
            far = deviation_bits(shape, int(slots), self.failure_bits)
            self._kinds[shape, slots] = Kind(shape, slots, far)
        return self._kinds[shape, slots]

    def part(self, variance: Any, shape: Shape, slots: float) -> Some:
        """All coefficients alike."""
        if not variance:
            return None
        bits = log2(variance)
        return Part(bits, bits, self.kind(shape, slots))

    def coefficients(self, x: Part) -> int:
        """How many are about as large as the largest."""
        return self.n if x.mean is x.worst else max(round(self.n * exp2(x.mean - x.worst)), 1)

    def usual_bits(self, x: Part) -> float:
        """log2 of the largest coefficient's absolute value, on the average."""
        largest = _CREST if x.kind.slots < _FEW else largest_of(self.coefficients(x))
        share = usual_share_bits(x.kind.shape, int(x.kind.slots))
        return float(x.worst + share) / 2 + log2(largest)

    # -- sums

    def total(self, x: Some, y: Some, relation: Relation) -> Some:
        """The sum of two noises that have so much in common."""
        if x is None or y is None:
            return x or y
        kind = x.kind if x.kind is y.kind else self.prevailing(x, y)
        if relation is _TURNED:
            kind = self.turned(kind, x.kind, y.kind)
            return Part(self.in_step(x.worst, y.worst), self.added(x.mean, y.mean), kind)
        add = self.added if relation is _APART else self.in_step
        worst = mean = add(x.worst, y.worst)
        if x.mean is not x.worst or y.mean is not y.worst:
            mean = add(x.mean, y.mean)
        return Part(worst, mean, kind)

    def prevailing(self, x: Part, y: Part) -> Any:
        """The shape whose tail reaches farther, and the fewer slots; of the lighter part alone where the
        heavier one's share of the tail is negligible."""
        light, heavy = (x, y) if x.kind.far <= y.kind.far else (y, x)
        if heavy.worst + 2 * heavy.kind.far < light.worst + 2 * light.kind.far + NEGLIGIBLE:
            return light.kind
        return self.narrower(heavy.kind, light.kind)

    def narrower(self, heavy: Kind, light: Kind) -> Kind:
        return heavy if heavy.slots <= light.slots else self.kind(heavy.shape, light.slots)

    def turned(self, kind: Any, x: Any, y: Any) -> Any:
        """Rotations of the same lie in more embeddings together."""
        return self.kind(kind.shape, min(x.slots + y.slots, self.pairs))

    # -- products

    def product(self, x: Some, y: Some, same: bool = False, apart: bool = False) -> Some:
        """Of two polynomials that have the secret in common, or (`same`) that are one.

        Where both lie in few embeddings these are the same ones, if they are not `apart`; where both lie in
        few coefficients (of sums over rotations) so does the product.
        """
        if x is None or y is None:
            return None
        kind, factor, terms = self.joined(x.kind, y.kind, same, apart)
        mean = worst = self.bounded(x.mean + y.mean + (factor + terms))
        if x.mean is not x.worst or y.mean is not y.worst:
            worst = self.gathered(x, y, mean, self.bounded(x.worst + y.worst + factor))
        return Part(worst, mean, kind)

    def joined(self, x: Any, y: Any, same: bool, apart: bool) -> tuple[Any, Any, Any]:
        """The kind of a product. Then log2 of what its mean is of those of x and y: of how often it is as
        large, and of how many terms each coefficient has, were they as large as the mean."""
        found = self._products.get((x, y, same, apart))
        if found is None:
            shape, factor = joined(x.shape, y.shape, same)
            overlap = 1.0 if apart else self.pairs / max(x.slots, y.slots)
            found = self.kind(shape, min(x.slots, y.slots)), factor, log2(self.n * overlap)
            self._products[x, y, same, apart] = found
        return found

    def gathered(self, x: Part, y: Part, mean: Any, of_one: Any) -> Any:
        """The largest coefficient's variance; `of_one`: if it had one term."""
        few = min(self.coefficients(x), self.coefficients(y))
        return max(mean, of_one + log2(few)) if few < self.n else mean

    def heaped(self, x: Some, before: Sequence[Some]) -> Some:
        """With one coefficient as far above the mean as any was in those before."""
        if x is None:
            return None
        worst = x.worst
        for b in before:
            if b is not None and b.worst is not b.mean:
                worst = self.larger(worst, x.mean + (b.worst - b.mean))
        return x if worst is x.worst else x._replace(worst=worst)

    def repeated(self, kind: Any, times: int) -> Any:
        """With the last factor of its shape there for the second, third, ... time."""
        return self.kind(kind.shape.repeated(times), kind.slots)

    # -- numbers

    @staticmethod
    def log2(x: Any) -> Any:
        return log2(x)

    @staticmethod
    def bounded(bits: Any) -> Any:
        """No more than `LOST`: noise that is lost would have twice the bits with each product of a chain."""
        return min(bits, LOST)

    @staticmethod
    def larger(x: Any, y: Any) -> Any:
        return max(x, y)

    @staticmethod
    def added(x: Any, y: Any) -> Any:
        """log2 of a sum of two numbers that are given so."""
        return x + log2(1.0 + exp2(y - x)) if x > y else y + log2(1.0 + exp2(x - y))

    def in_step(self, x: Any, y: Any) -> Any:
        """Variance of a sum of which standard deviations add."""
        return 2 * self.added(x / 2, y / 2)

    @staticmethod
    def least(room: Any, bits: list[Any], so_far: Any) -> Any:
        """The lesser of `so_far` and the bits that the sum of these leaves of a room."""
        most = max(bits)
        if room - most - log2(len(bits)) >= so_far:  # their sum is no larger
            return so_far
        return min(so_far, room - sum_of_bits(bits))


parts = lru_cache(maxsize=64)(Parts)  # one for all programs in a ring


def sum_of_bits(bits: list[float]) -> float:
    """log2 of a sum."""
    most = max(bits)
    return most + log2(sum([exp2(b - most) for b in bits]))
