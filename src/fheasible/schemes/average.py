"""Noise of a ring scheme on average: standard deviations, of a coefficient, and what they have in common.

Digits of key switching lie in [0, w): beside their spread they have a mean, (w - 1)/2 in every coefficient of
every row. Its product with an error is the same whatever is switched: three quarters of the variance do not
average out over rows, nor over ciphertexts. Only the spread does. Powers of one secret are not independent
either: |s|^(2d) at a root of X^n + 1 is on average d! times as large as of d secrets [BMCM23], [BMMU25].
"""

from abc import abstractmethod
from dataclasses import dataclass
from math import log, pi
from typing import Any, ClassVar

import numpy as np

from fheasible.rings.ring import Ring
from fheasible.schemes.magnitude import Magnitude
from fheasible.schemes.noise import Bounds, Noise
from fheasible.schemes.spec import Spec
from fheasible.schemes.ties import RELATED, Tie

_ZERO = Magnitude(-np.inf)
_ALIGNED = 2 / pi  # |1 + X + ... + X^(n-1)| at the root of X^n + 1 nearest 1, over n


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Standard deviations of a coefficient: `own` noise, and noise that is `common` to what is added up.
    `powers`: how often the secret is a factor of the largest part."""

    own: Magnitude
    common: Magnitude = _ZERO
    powers: Any = 0

    @property
    def total(self) -> Magnitude:
        return hypot(self.own, self.common)

    @property
    def log2(self) -> Any:
        return self.total.log2

    def __lt__(self, other: Any) -> Any:
        return self.log2 < other.log2

    def larger(self, other: "Spread") -> "Spread":
        powers = np.maximum(self.powers, other.powers)
        return Spread(self.own.larger(other.own), self.common.larger(other.common), powers)


def hypot(*parts: Magnitude) -> Magnitude:
    """Of independent noises together."""
    total = _ZERO
    for part in parts:
        total = total + part * part
    return total.sqrt()


class AverageNoise(Noise):
    """`key` and `error` are standard deviations; a ciphertext decrypts wrongly with a probability of at most
    2^-failure_bits where its noise is below `limit`, as far as its coefficients are Gaussian."""

    def __init__(self, ring: Ring, spec: Spec, bounds: Bounds) -> None:
        super().__init__(ring, spec, bounds)
        self.tail = _tail(bounds.failure_bits, self.n)
        steps = self.w * self.w
        self.digit = (steps.minus(1) / 12).sqrt()  # standard deviation of a digit, and half of its largest
        self.mean = self.w.minus(1) / 2

    @abstractmethod
    def fresh(self) -> Spread: ...

    def none(self) -> Spread:
        return Spread(_ZERO)

    def product(self, v: Any, depth: int) -> Spread:
        """As of squares, which share all encryptions."""
        return self.product_of(v, v, depth)

    @abstractmethod
    def product_of(self, v: Any, u: Any, depth: int, tie: Tie = RELATED) -> Spread: ...

    @abstractmethod
    def sum(self, v: Any, u: Any, tie: Tie = RELATED) -> Spread: ...

    def readable(self) -> Magnitude:
        """(Δ - (q mod t))/2 without the tail: noise above it in one coefficient is read wrongly."""
        return (self.q / self.t).minus(self.q_mod_t) / 2

    def limit(self) -> Magnitude:
        return self.readable() / self.tail

    def summed(self, v: Magnitude, u: Magnitude, tie: Tie) -> Magnitude:
        """Noises that share an encryption may be one and the same."""
        return v + u if tie.related else hypot(v, u)

    def switched(self, error: Magnitude) -> Spread:
        """l digits times errors of the key: the spread of the digits, and their mean."""
        rows = (self.l * self.n).sqrt() * error
        return Spread(rows * self.digit, rows * self.mean)


class ScaledAverage(AverageNoise):
    """FV and YASHE: products are scaled by t/q, so that each noise meets the other's quotient by q.
    `key_powers`: how often the secret is a factor of what `key_error` measures."""

    key_powers: ClassVar[int] = 0

    @abstractmethod
    def quotient(self) -> Magnitude:
        """Squared norm of what a residue, uniform modulo q, is multiplied by to read it."""

    @abstractmethod
    def rounding(self) -> Magnitude:
        """Of a product's own rounding."""

    @abstractmethod
    def key_error(self) -> Magnitude:
        """Of one row of the key that products are switched by."""

    def product_of(self, v: Any, u: Any, depth: int, tie: Tie = RELATED) -> Spread:
        """t·(v·k_u + u·k_v), k a quotient by q, of variance (norm + 1)/12; the rounding; the key switch,
        whose noise has only the secret's powers in the key's errors."""
        powers = np.maximum(v.powers, u.powers) + 1
        growth = (self.n * (self.quotient() + 1) / 12).sqrt() * self.t
        first = growth * v.total * np.sqrt(powers * tie.repeats[0])
        second = growth * u.total * np.sqrt(powers * tie.repeats[1])
        wrapped = growth * self.q_mod_t * float(np.sqrt(1 / 6))  # r·(m_1·k_u + m_2·k_v), m uniform modulo t
        grown = hypot(self.summed(first, second, tie), wrapped, self.rounding())
        switched = self.switched(self.key_error())
        started_anew = grown < switched.total
        return Spread(
            hypot(grown, switched.own), switched.common, np.where(started_anew, self.key_powers, powers)
        )

    def sum(self, v: Any, u: Any, tie: Tie = RELATED) -> Spread:
        """What is common adds up, and so does the step of a plaintext beyond t."""
        own, common = self.summed(v.own, u.own, tie), v.common + u.common + self.q_mod_t
        return Spread(own, common, np.maximum(v.powers, u.powers))


class GadgetAverage(AverageNoise):
    """F-NTRU and SHIELD: the digits of one factor times the other; `common` to all rows of a ciphertext.

    From the second product in succession on the mean of the digits meets noise that it has shaped itself: at
    the root of X^n + 1 nearest 1 all rows and all coefficients add up.
    """

    @property
    @abstractmethod
    def rows(self) -> Magnitude:
        """Of a ciphertext, that a product's row sums up."""

    def product_of(self, v: Any, u: Any, depth: int, tie: Tie = RELATED) -> Spread:
        """M·v + D_w(c)·u."""
        terms = (self.rows * self.n).sqrt()
        own = hypot(self.message * v.own, terms * self.digit * u.total)
        shaped = self.rows * self.n * _ALIGNED * self.mean * u.common + terms * self.mean * u.own
        return Spread(own, self.summed(self.message * v.common, shaped, tie))

    def sum(self, v: Any, u: Any, tie: Tie = RELATED) -> Spread:
        return Spread(self.summed(v.own, u.own, tie), self.summed(v.common, u.common, tie))


def _tail(failure_bits: float, n: Magnitude) -> Magnitude:
    """How many standard deviations none of n Gaussian coefficients exceeds but once in 2^failure_bits."""
    return Magnitude.of(np.sqrt(2 * log(2) * (failure_bits + 1 + np.asarray(n.log2, dtype=float))))
