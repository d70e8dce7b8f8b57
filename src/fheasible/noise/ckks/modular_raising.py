"""How often modular raising, the first step of a CKKS bootstrapping, goes beyond what the reduction covers.

A ciphertext modulo q0 that is read modulo a larger Q decrypts to c0 + c1 s = m + q0 I. The coefficients of
c1 are uniform between -q0 / 2 and q0 / 2, and so are those of c0, which must bring the sum close to a
multiple of q0. Let T be the sum of as many independent numbers, uniform in [-1/2, 1/2], as the secret has
coefficients that are not 0. A coefficient of I is then T rounded to an integer, up to the small m / q0.

The reduction modulo q0 is approximated on [-K, K], or only near the integers of that interval. A coefficient
with |I| >= K is lost: m drives half of those with |I| = K out of the interval, and the nodes of [HanKi19],
which Lattigo uses, reach K - 1. `failure_bits` is the probability of that event, without approximation.
`published_failure_bits` is the formula of [BMTH21], by which papers and Lattigo state their failures: it asks
whether the sum of one more uniform number, without rounding, exceeds K. Near the largest possible sum it is
lower: 2^-138.7 for 2^16 coefficients, weight 32 and K = 16, where some |I| is 16 with probability 2^-132.7.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial, floor, inf, isfinite, log, log2

import numpy as np
from numpy.typing import NDArray

from fheasible.errors import InfeasibleParameters
from fheasible.libraries.bootstrapping import Bootstrapping

_TERNARY = 2 / 3  # the probability that a uniform ternary coefficient is not 0
_LARGEST_MESSAGE = 0.499  # of m / q0: at 1/2, m could not be told from another multiple of q0
_MOST_EXACT = 512  # terms of a sum whose tail is computed in integers
_STEPS_TO_POLE, _STEPS_OF_WIDTH = 8.0, 16.0  # points on the distance to the pole, and on a deviation
_FAR = 40.0  # deviations of the integrand: nothing is left beyond them
_NEAR = 1e-4  # relative precision of the saddle point, which any point near it replaces
_LEAST_POINT, _LARGEST_POINT = 1e-9, 1e9
_SMALL = 1e-2  # below it a series has more digits
_RARE = -60.0  # log2 of the probability below which "some of n" is n times "one"

_Complex = NDArray[np.complex128]


def failure_bits(
    ring_dimension: int, weight: int | None, k: float, slots: int | None = None, message: float = 0.0
) -> float:
    """-log2 of the probability that some coefficient has |I| >= K; inf where none can.

    `weight` is that of the secret which decrypts while the modulus is raised: the ephemeral one, where there
    is one. None means uniform ternary coefficients. Of a vector with few slots, 2 `slots` coefficients
    remain. `message` bounds |m| / q0, which brings I nearer to K. Coefficients are taken to be independent.
    Raises InfeasibleParameters for what is not such a secret, ring or interval.
    """
    _check(ring_dimension, weight, k, slots, message)
    one = _log2_tail(ring_dimension, weight, 0, k - 0.5 - message)
    return _of_some(one, _coefficients(ring_dimension, slots))


def bootstrap_failure_bits(ring_dimension: int, bootstrap: Bootstrapping) -> float:
    """-log2 of the probability that a bootstrap fails, which raises the modulus once in each iteration."""
    procedure = bootstrap.procedure
    weight = bootstrap.weight if procedure.ephemeral is None else procedure.ephemeral
    message = min(2.0**-procedure.message_bits, _LARGEST_MESSAGE)
    once = failure_bits(ring_dimension, weight, procedure.reduction.bound, procedure.slots, message)
    return joint_failure_bits([once] * procedure.iterations)


def published_failure_bits(
    ring_dimension: int, weight: int | None, k: float, slots: int | None = None
) -> float:
    """-log2 of the probability of failure by the formula of [BMTH21], to compare with published figures.

    It is the probability that some of 2 `slots` sums of weight + 1 uniform numbers exceeds K in size.
    """
    _check(ring_dimension, weight, k, slots, 0.0)
    return _of_some(_log2_tail(ring_dimension, weight, 1, k), _coefficients(ring_dimension, slots))


def joint_failure_bits(failures: Iterable[float]) -> float:
    """-log2 of a bound on the probability that any of several bootstrappings fails, from the bits of each.

    It is the sum of their probabilities. Without any bootstrapping it is inf.
    """
    total = np.logaddexp2.reduce(np.array([-inf, *(-bits for bits in failures)]))
    return max(0.0, -float(total))


def _check(ring_dimension: int, weight: int | None, k: float, slots: int | None, message: float) -> None:
    if ring_dimension < 1:
        raise InfeasibleParameters(f"there is no ring of dimension {ring_dimension}", "give a power of two")
    if weight is not None and not 1 <= weight <= ring_dimension:
        raise InfeasibleParameters(
            f"a secret in a ring of dimension {ring_dimension} cannot have weight {weight}",
            f"give a weight of 1 to {ring_dimension}",
        )
    if not (isfinite(k) and k > 0):
        raise InfeasibleParameters(f"[-{k:g}, {k:g}] is not an interval", "give a positive K")
    if slots is not None and not 1 <= 2 * slots <= ring_dimension:
        raise InfeasibleParameters(
            f"{slots} slots do not fit in a ring of dimension {ring_dimension}",
            f"give 1 to {ring_dimension // 2} slots",
        )
    if not 0 <= message < 0.5:
        raise InfeasibleParameters(
            f"|m| / q0 = {message:g} leaves nothing to tell m from multiples of q0", "give less than 1/2"
        )


def _coefficients(ring_dimension: int, slots: int | None) -> int:
    return ring_dimension if slots is None else 2 * slots


def _of_some(log2_one: float, count: int) -> float:
    """-log2 of the probability that some of `count` events happens, from log2 of the probability of each."""
    if log2_one < _RARE:
        return -log2_one - log2(count)
    none_log = count * np.log1p(-min(2.0**log2_one, 1.0)) if log2_one < 0 else -inf
    return abs(float(np.log2(-np.expm1(none_log))))


def _log2_tail(ring_dimension: int, weight: int | None, more: int, x: float) -> float:
    """log2 of the probability that the sum of the secret's terms and of `more` other ones has size >= x."""
    terms = (ring_dimension if weight is None else weight) + more
    if x <= 0:
        return 0.0
    if x >= terms / 2:
        return -inf
    if weight is not None and terms <= _MOST_EXACT:
        side = _exact(terms, x)
    else:
        drawn = _Sum(ring_dimension, _TERNARY, more) if weight is None else _Sum(terms, 1.0, 0)
        side = _by_saddle_point(drawn, x)
    return min(0.0, 1 + side)


def _exact(terms: int, x: float) -> float:
    """log2 of the probability that so many uniform numbers add up to x or more: the Irwin-Hall formula.

    The terms alternate and nearly cancel, so that they are added up as integers.
    """
    left = Fraction(terms, 2) - Fraction(x)
    top, bottom = left.numerator, left.denominator
    total = sum((-1) ** i * comb(terms, i) * (top - i * bottom) ** terms for i in range(floor(left) + 1))
    return log2(total) - log2(factorial(terms)) - terms * log2(bottom)


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum of `terms` numbers, each uniform in [-1/2, 1/2] with the probability `present` and 0 otherwise,
    and of `more` numbers that are always uniform."""

    terms: int
    present: float
    more: int

    def log_transform(self, z: _Complex) -> _Complex:
        """ln E exp(z sum), up to multiples of 2 pi i."""
        uniform = _log_uniform(z)
        one = uniform + np.log(self.present + (1 - self.present) * np.exp(-uniform))
        return np.asarray(self.terms * one + self.more * uniform)

    def slope(self, t: float) -> float:
        """The derivative of `log_transform` at a positive t; it rises from 0 to half of the terms."""
        uniform = t / 12 - t**3 / 720 if t < _SMALL else 0.5 / np.tanh(t / 2) - 1 / t
        absent = (1 - self.present) * np.exp(-float(_log_uniform(np.array(t + 0j)).real))
        return float(uniform * (self.more + self.terms * self.present / (self.present + absent)))


def _log_uniform(z: _Complex) -> _Complex:
    """ln E exp(z u) for u uniform in [-1/2, 1/2], which is ln(2 sinh(z / 2) / z)."""
    return np.asarray(z / 2 + np.log(-np.expm1(-z) / z))


def _by_saddle_point(drawn: _Sum, x: float) -> float:
    """log2 of the probability that a sum is x or more.

    It is the integral of E exp(z sum) exp(-z x) / (2 pi i z) along any line right of 0. On the line through
    the saddle point the integrand falls like a Gaussian, so that equidistant points give nearly all digits.
    """
    point = _saddle_point(drawn, x)
    width = (drawn.slope(point * (1 + _NEAR)) - drawn.slope(point)) / (point * _NEAR)
    step = min(point / _STEPS_TO_POLE, width**-0.5 / _STEPS_OF_WIDTH)
    z = point + 1j * step * np.arange(int(_FAR * width**-0.5 / step) + 1)
    logs = drawn.log_transform(z) - z * x
    values = np.real(np.exp(logs - logs[0].real) / z)
    total = float(step / np.pi * (np.sum(values) - values[0] / 2))
    return (float(logs[0].real) + log(total)) / log(2)


def _saddle_point(drawn: _Sum, x: float) -> float:
    """The t at which exp(t sum) makes x the mean, to a few digits."""
    low, high = _LEAST_POINT, _LARGEST_POINT
    while high / low > 1 + _NEAR:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if drawn.slope(middle) < x else (low, middle)
    return low
