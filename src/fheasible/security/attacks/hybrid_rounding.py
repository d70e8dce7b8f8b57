"""How often rounding succeeds in a reduced basis: by Babai's nearest plane and for two halves that must meet.

Both succeed when every coordinate does. Each coordinate's probability depends on one Gram-Schmidt norm. Under
the geometric series assumption the logarithms of these norms lie on a line, so that the sum over thousands of
them is an integral, which is looked up.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import erf

from fheasible.aliases import Floats

_SPAN, _STEP = 40.0, 1 / 256  # of ln(norm / sigma); beyond the span a coordinate always fails or never does


@dataclass(frozen=True, slots=True, eq=False)
class LogProbability:
    """ln of a probability at u = ln(norm / sigma): values on a grid, and the integral from u to infinity."""

    values: Floats
    integral: Floats

    def total(self, lowest: Floats, step: Floats, count: Floats) -> Floats:
        """The sum over u = lowest, lowest + step, ..., by the Euler-Maclaurin formula to its second term."""
        start, stop = _position(lowest), _position(lowest + count * step)
        integral = (_at(self.integral, start) - _at(self.integral, stop)) / step
        ends = (_at(self.values, start) - _at(self.values, stop)) / 2
        return integral + ends - step / 12 * (_slope(self.values, start) - _slope(self.values, stop))


def log2_babai(lowest: Floats, step: Floats, count: Floats) -> Floats:
    """log2 of the probability that nearest plane rounds an error of width sigma correctly [Wunderer19].

    `lowest` is ln(last norm / sigma), `step` its growth from one vector to the one before, `count` the number
    D of vectors. The error is uniform on the sphere of radius sigma sqrt(D), and each coordinate has to be
    below half its norm. The result is the normal probability, corrected for the sphere to first order in 1 /
    D.
    """
    total = _normal().total(lowest, step, count) + _sphere().total(lowest, step, count) / count
    return np.asarray(np.minimum(total / np.log(2), 0.0))


def log2_collision(lowest: Floats, step: Floats, count: Floats) -> Floats:
    """log2 of the probability that two halves of a guess round to the same point [SonChe19, Lemma 4.2]."""
    return np.asarray(_collision().total(lowest, step, count) / np.log(2))


@cache
def _normal() -> LogProbability:
    return _series(lambda norm: np.log(erf(norm / np.sqrt(8))))


@cache
def _sphere() -> LogProbability:
    """The sphere's correction to the normal probability's ln, as the coefficient of 1 / D.

    The density of sqrt(D) x on the sphere is phi(t) (1 + (6 t^2 - t^4 - 3) / (4 D) + ...), and is integrated.
    """

    def share(norm: Floats) -> Floats:
        x = np.minimum(norm / 2, 40.0)
        return np.asarray(x * (x**2 - 3) * np.exp(-(x**2) / 2) / np.sqrt(8 * np.pi) / erf(x / np.sqrt(2)))

    return _series(share)


@cache
def _collision() -> LogProbability:
    def log_probability(norm: Floats) -> Floats:
        x = norm / np.sqrt(2)
        # for small x both terms are nearly x, for large ones the second is 1 / x
        both = erf(x) + np.expm1(-(x**2)) / (x * np.sqrt(np.pi))
        return np.asarray(np.log(np.where(x < 1e-4, x / np.sqrt(np.pi), both)))

    return _series(log_probability)


def _series(log_probability: Callable[[Floats], Floats]) -> LogProbability:
    u = np.arange(-_SPAN, _SPAN + _STEP / 2, _STEP)
    values = log_probability(np.exp(u))
    pieces = (values[1:] + values[:-1]) / 2 * _STEP
    integral = np.concatenate([np.cumsum(pieces[::-1])[::-1], [0.0]])
    return LogProbability(values, integral)


def _position(u: Floats) -> Floats:
    return (np.clip(u, -_SPAN, _SPAN - _STEP) + _SPAN) / _STEP


def _at(table: Floats, position: Floats) -> Floats:
    below = position.astype(np.int64)
    low, high = table[below], table[np.minimum(below + 1, len(table) - 1)]
    return low + (high - low) * (position - below)


def _slope(table: Floats, position: Floats) -> Floats:
    below = position.astype(np.int64)
    return (table[np.minimum(below + 1, len(table) - 1)] - table[below]) / _STEP
