"""Average noise of a ring scheme: standard deviations of a coefficient, and the noise that is common.

Digits of key switching lie in [0, w). Besides their spread they have a mean, (w - 1)/2 in every coefficient
of every row. The product of this mean with an error is the same whatever is switched. So three quarters of
the variance do not average out over rows or over ciphertexts; only the spread does. Powers of one secret are
not independent either: |s|^(2d) at a root of X^n + 1 is on average d! times as large as the product for d
different secrets [BMCM23], [BMMU25].
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
_ALIGNED = 2 / pi  # |1 + X + ... + X^(n-1)| at the root of X^n + 1 nearest 1, divided by n


@dataclass(frozen=True, slots=True, eq=False)
class CoefficientSpread:
    """Standard deviations of a coefficient: its `own` noise, and the noise `common` to what is added up.

    `powers` is how often the secret is a factor of the largest part.
    """

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

    def larger(self, other: "CoefficientSpread") -> "CoefficientSpread":
        powers = np.maximum(self.powers, other.powers)
        return CoefficientSpread(self.own.larger(other.own), self.common.larger(other.common), powers)


def hypot(*parts: Magnitude) -> Magnitude:
    """The standard deviation of a sum of independent noises."""
    total = _ZERO
    for part in parts:
        total = total + part * part
    return total.sqrt()


class AverageNoise(Noise):
    """Formulas of average noise, where `key` and `error` are standard deviations.

    A ciphertext whose noise is below `limit` decrypts wrongly with a probability of at most 2^-failure_bits,
    as far as its coefficients are Gaussian.
    """

    def __init__(self, ring: Ring, spec: Spec, bounds: Bounds) -> None:
        super().__init__(ring, spec, bounds)
        self.tail = _tail(bounds.failure_bits, self.n)
        steps = self.w * self.w
        self.digit = (steps.minus(1) / 12).sqrt()  # standard deviation of a digit
        self.mean = self.w.minus(1) / 2  # mean of a digit: half of the largest one

    @abstractmethod
    def fresh(self) -> CoefficientSpread: ...

    def none(self) -> CoefficientSpread:
        return CoefficientSpread(_ZERO)

    def product(self, v: Any, depth: int) -> CoefficientSpread:
        """Noise of a product whose factors share all encryptions, as those of a square do."""
        return self.product_of(v, v, depth)

    @abstractmethod
    def product_of(self, v: Any, u: Any, depth: int, tie: Tie = RELATED) -> CoefficientSpread: ...

    @abstractmethod
    def sum(self, v: Any, u: Any, tie: Tie = RELATED) -> CoefficientSpread: ...

    def readable(self) -> Magnitude:
        """(Δ - (q mod t))/2, without the tail: a coefficient with more noise is read wrongly."""
        return (self.q / self.t).minus(self.q_mod_t) / 2

    def limit(self) -> Magnitude:
        return self.readable() / self.tail

    def summed(self, v: Magnitude, u: Magnitude, tie: Tie) -> Magnitude:
        """The sum of two noises.

        It is linear where they share an encryption, because they may then be one and the same noise.
        """
        return v + u if tie.related else hypot(v, u)

    def switched(self, error: Magnitude) -> CoefficientSpread:
        """Noise of l digits times errors of the key.

        The spread of the digits makes `own` noise, and their mean makes `common` noise.
        """
        rows = (self.l * self.n).sqrt() * error
        return CoefficientSpread(rows * self.digit, rows * self.mean)


class ScaledAverage(AverageNoise):
    """Average noise of FV and YASHE.

    Products are scaled by t/q, so that the noise of each factor is multiplied by the other's quotient by q.
    `key_powers` is how often the secret is a factor of what `key_error` measures.
    """

    key_powers: ClassVar[int] = 0

    @abstractmethod
    def quotient(self) -> Magnitude:
        """The squared norm of what a residue, uniform modulo q, is multiplied by to read it."""

    @abstractmethod
    def rounding(self) -> Magnitude:
        """The standard deviation of a product's own rounding."""

    @abstractmethod
    def key_error(self) -> Magnitude:
        """The standard deviation of the noise in one row of the key that switches products."""

    def product_of(self, v: Any, u: Any, depth: int, tie: Tie = RELATED) -> CoefficientSpread:
        """Noise of a product: t·(v·k_u + u·k_v), the rounding, and the key switch.

        k is a quotient by q, of variance (norm + 1)/12. The noise of the key switch has only those powers of
        the secret that are in the key's errors.
        """
        powers = np.maximum(v.powers, u.powers) + 1
        growth = (self.n * (self.quotient() + 1) / 12).sqrt() * self.t
        first = growth * v.total * np.sqrt(powers * tie.repeats[0])
        second = growth * u.total * np.sqrt(powers * tie.repeats[1])
        wrapped = growth * self.q_mod_t * float(np.sqrt(1 / 6))  # r·(m_1·k_u + m_2·k_v), m uniform modulo t
        grown = hypot(self.summed(first, second, tie), wrapped, self.rounding())
        switched = self.switched(self.key_error())
        started_anew = grown < switched.total
        return CoefficientSpread(
            hypot(grown, switched.own), switched.common, np.where(started_anew, self.key_powers, powers)
        )

    def sum(self, v: Any, u: Any, tie: Tie = RELATED) -> CoefficientSpread:
        """Noise of a sum: the common noise adds up linearly, with the step of a plaintext sum beyond t."""
        own, common = self.summed(v.own, u.own, tie), v.common + u.common + self.q_mod_t
        return CoefficientSpread(own, common, np.maximum(v.powers, u.powers))


class GadgetAverage(AverageNoise):
    """Average noise of F-NTRU and SHIELD, whose products are the digits of one factor times the other.

    Here `common` noise is common to all rows of a ciphertext. From the second product in succession on, the
    mean of the digits is multiplied by noise that it has shaped itself: at the root of X^n + 1 nearest 1, all
    rows and all coefficients add up.
    """

    @property
    @abstractmethod
    def rows(self) -> Magnitude:
        """The number of rows of a ciphertext, over which each row of a product sums."""

    def product_of(self, v: Any, u: Any, depth: int, tie: Tie = RELATED) -> CoefficientSpread:
        """Noise of a product: M·v + D_w(c)·u."""
        terms = (self.rows * self.n).sqrt()
        own = hypot(self.message * v.own, terms * self.digit * u.total)
        shaped = self.rows * self.n * _ALIGNED * self.mean * u.common + terms * self.mean * u.own
        return CoefficientSpread(own, self.summed(self.message * v.common, shaped, tie))

    def sum(self, v: Any, u: Any, tie: Tie = RELATED) -> CoefficientSpread:
        return CoefficientSpread(self.summed(v.own, u.own, tie), self.summed(v.common, u.common, tie))


def _tail(failure_bits: float, n: Magnitude) -> Magnitude:
    """How many standard deviations any of n Gaussian coefficients exceeds at most once in 2^failure_bits."""
    return Magnitude.of(np.sqrt(2 * log(2) * (failure_bits + 1 + np.asarray(n.log2, dtype=float))))
