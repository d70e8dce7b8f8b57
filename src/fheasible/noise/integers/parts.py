"""How noise adds and multiplies, as a variance with a shape.

Variances are given as log2, because the square of a long chain's modulus is beyond the range of a double.
`Parts` computes with the noise of one set of parameters, `block_parts.BlockParts` with the noise of many sets
at once, as arrays.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import exp2, log2
from typing import Any, NamedTuple

from fheasible.noise.integers.shared import Relation
from fheasible.noise.integers.tail import SquareShape, deviation_bits, joined, largest_of, usual_share_bits

LOST = 1e6  # log2 of a variance beyond every modulus: how far beyond does not matter
NEGLIGIBLE = -6.0  # log2 of the ratio of two squared tails below which one is neglected
WAVE = 1.5  # pairs of 1 + X + X^2 + ...: N/2 (mean square)^2 / (mean fourth power) of 2 / (1 - zeta)
_FEW = 4  # in fewer pairs of embeddings noise is a wave: its coefficients are not Gaussian
_CREST = 2.3  # a wave's largest coefficient over the usual size of its lowest embedding, from random draws
_APART, _TURNED = Relation.APART, Relation.TURNED


class NoiseKind:
    """A shape, and the number of pairs of conjugate embeddings that it is spread over (`slots`). `Parts`
    keeps one object for each combination."""

    __slots__ = ("far", "shape", "slots")

    def __init__(self, shape: SquareShape, slots: float, far: float) -> None:
        self.shape, self.slots = shape, slots
        self.far = far  # log2 of the standard deviations that no coefficient exceeds, except in rare failures


class NoisePart(NamedTuple):
    """The noise of a polynomial, or a polynomial that noise is multiplied by.

    `worst`: log2 of the largest variance of any coefficient. `mean`: log2 of the average variance of all
    coefficients, and the same object as `worst` where all coefficients are alike.
    """

    worst: Any
    mean: Any
    kind: Any

    def scaled(self, bits: Any) -> "NoisePart":
        """This part with 2^bits times the variance."""
        worst = self.worst + bits
        return NoisePart(worst, worst if self.mean is self.worst else self.mean + bits, self.kind)

    @property
    def tail_bits(self) -> Any:
        """log2 of the absolute value that no coefficient exceeds, except in rare failures."""
        return self.worst / 2 + self.kind.far


Some = NoisePart | None  # None stands for no noise


class Parts:
    """How noise adds and multiplies in a ring of n coefficients, each of which fails with a probability below
    2^-failure_bits."""

    def __init__(self, n: int, failure_bits: float) -> None:
        self.n, self.pairs, self.failure_bits = n, n / 2, failure_bits
        self._kinds: dict[tuple[SquareShape, float], NoiseKind] = {}
        self._products: dict[tuple[NoiseKind, NoiseKind, bool, bool], tuple[NoiseKind, float, float]] = {}

    def kind(self, shape: SquareShape, slots: float) -> NoiseKind:
        if (shape, slots) not in self._kinds:
            far = deviation_bits(shape, int(slots), self.failure_bits)
            self._kinds[shape, slots] = NoiseKind(shape, slots, far)
        return self._kinds[shape, slots]

    def part(self, variance: Any, shape: SquareShape, slots: float) -> Some:
        """Noise that has this variance in every coefficient; None where the variance is 0."""
        if not variance:
            return None
        bits = log2(variance)
        return NoisePart(bits, bits, self.kind(shape, slots))

    def coefficients(self, x: NoisePart) -> int:
        """The number of coefficients that are about as large as the largest one."""
        return self.n if x.mean is x.worst else max(round(self.n * exp2(x.mean - x.worst)), 1)

    def usual_bits(self, x: NoisePart) -> float:
        """log2 of the absolute value of the largest coefficient, on average."""
        largest = _CREST if x.kind.slots < _FEW else largest_of(self.coefficients(x))
        share = usual_share_bits(x.kind.shape, int(x.kind.slots))
        return float(x.worst + share) / 2 + log2(largest)

    # -- sums

    def total(self, x: Some, y: Some, relation: Relation) -> Some:
        """The sum of two noises that have in common what `relation` says."""
        if x is None or y is None:
            return x or y
        kind = x.kind if x.kind is y.kind else self.prevailing(x, y)
        if relation is _TURNED:
            kind = self.turned(kind, x.kind, y.kind)
            return NoisePart(self.in_step(x.worst, y.worst), self.added(x.mean, y.mean), kind)
        add = self.added if relation is _APART else self.in_step
        worst = mean = add(x.worst, y.worst)
        if x.mean is not x.worst or y.mean is not y.worst:
            mean = add(x.mean, y.mean)
        return NoisePart(worst, mean, kind)

    def prevailing(self, x: NoisePart, y: NoisePart) -> Any:
        """The kind of the sum of two noises: the shape whose tail reaches farther, with the smaller number of
        slots. Where the tail that reaches farther has a negligible share, it is the kind of the other
        noise."""
        light, heavy = (x, y) if x.kind.far <= y.kind.far else (y, x)
        if heavy.worst + 2 * heavy.kind.far < light.worst + 2 * light.kind.far + NEGLIGIBLE:
            return light.kind
        return self.narrower(heavy.kind, light.kind)

    def narrower(self, heavy: NoiseKind, light: NoiseKind) -> NoiseKind:
        return heavy if heavy.slots <= light.slots else self.kind(heavy.shape, light.slots)

    def turned(self, kind: Any, x: Any, y: Any) -> Any:
        """The kind of the sum of two rotations of the same noise, which together lie in more embeddings."""
        return self.kind(kind.shape, min(x.slots + y.slots, self.pairs))

    # -- products

    def product(self, x: Some, y: Some, same: bool = False, apart: bool = False) -> Some:
        """The product of two polynomials that have the secret in common, or that are the same polynomial
        (`same`).

        Two polynomials that both lie in few embeddings lie in the same ones, unless they are `apart`. Where
        both have few large coefficients (as sums over rotations have), so has the product.
        """
        if x is None or y is None:
            return None
        kind, factor, terms = self.joined(x.kind, y.kind, same, apart)
        mean = worst = self.bounded(x.mean + y.mean + (factor + terms))
        if x.mean is not x.worst or y.mean is not y.worst:
            worst = self.gathered(x, y, mean, self.bounded(x.worst + y.worst + factor))
        return NoisePart(worst, mean, kind)

    def joined(self, x: Any, y: Any, same: bool, apart: bool) -> tuple[Any, Any, Any]:
        """The kind of a product, and log2 of two factors by which its mean exceeds the product of the means
        of x and y: one for what both have in common, and one for the number of terms of each coefficient, as
        if every term were as large as the mean."""
        found = self._products.get((x, y, same, apart))
        if found is None:
            shape, factor = joined(x.shape, y.shape, same)
            overlap = 1.0 if apart else self.pairs / max(x.slots, y.slots)
            found = self.kind(shape, min(x.slots, y.slots)), factor, log2(self.n * overlap)
            self._products[x, y, same, apart] = found
        return found

    def gathered(self, x: NoisePart, y: NoisePart, mean: Any, of_one: Any) -> Any:
        """log2 of the largest coefficient's variance; `of_one` is what it would be with a single term."""
        few = min(self.coefficients(x), self.coefficients(y))
        return max(mean, of_one + log2(few)) if few < self.n else mean

    def heaped(self, x: Some, before: Sequence[Some]) -> Some:
        """The noise x with a largest coefficient that is at least as far above the mean as that of any noise
        in `before`."""
        if x is None:
            return None
        worst = x.worst
        for b in before:
            if b is not None and b.worst is not b.mean:
                worst = self.larger(worst, x.mean + (b.worst - b.mean))
        return x if worst is x.worst else x._replace(worst=worst)

    def repeated(self, kind: Any, times: int) -> Any:
        """The kind of noise whose last factor was multiplied in for the second, third, ... time (`times`)."""
        return self.kind(kind.shape.repeated(times), kind.slots)

    # -- numbers

    @staticmethod
    def log2(x: Any) -> Any:
        return log2(x)

    @staticmethod
    def bounded(bits: Any) -> Any:
        """The bits, but at most `LOST`: the bits of noise that is lost would double with each product of a
        chain."""
        return min(bits, LOST)

    @staticmethod
    def larger(x: Any, y: Any) -> Any:
        return max(x, y)

    @staticmethod
    def added(x: Any, y: Any) -> Any:
        """log2 of the sum of two numbers that are given as log2."""
        return x + log2(1.0 + exp2(y - x)) if x > y else y + log2(1.0 + exp2(x - y))

    def in_step(self, x: Any, y: Any) -> Any:
        """log2 of the variance of a sum in which standard deviations add."""
        return 2 * self.added(x / 2, y / 2)

    def least(self, room: Any, others: float, noise: Sequence[NoisePart], so_far: Any) -> Any:
        """The smaller of `so_far` and the bits that are left of `room` after the sum of the noise, where it
        reaches farthest, and of `others`; both are given as log2."""
        bits = [others, *[x.tail_bits for x in noise]]
        most = max(bits)
        if room - most - log2(len(bits)) >= so_far:  # the sum is at most the largest times their number
            return so_far
        return min(so_far, room - sum_of_bits(bits))


parts = lru_cache(maxsize=64)(Parts)  # one object for all programs in a ring


def sum_of_bits(bits: list[float]) -> float:
    """log2 of the sum of numbers that are given as log2."""
    most = max(bits)
    return most + log2(sum([exp2(b - most) for b in bits]))
