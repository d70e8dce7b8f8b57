"""How the noise of a slot is distributed: normal, of a variance that the secret key sets slot by slot.

Most noise of CKKS is a small polynomial times the secret s, so that its variance in slot j is V |s_j|^2, and
over slots and keys |s_j|^2 has an exponential distribution: s_j is a sum of many independent coefficients.
One slot alone has then Laplace's distribution, of which the average -log2 is gamma / (2 ln 2) = 0.42 bits
above a normal variable's, and the tail far longer. The mean over k slots has a variance like Gamma(k)/k,
normal in the limit. `shape` is this k.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import dawsn, digamma, erf, gammaincinv, gammaln, log_ndtr, logsumexp

Floats = NDArray[np.float64]

_SHAPES = np.array([1, 1.2, 1.5, 2, 2.5, 3, 4, 6, 8, 12, 16, 32, 64, 256, 1e6])
_NODES = 6  # equally likely variances
_STEP = 0.125  # standard deviations
_FARTHEST = 120.0
_NORMAL_LOG2 = -(np.euler_gamma + np.log(2)) / (
    2 * np.log(2)
)  # mean log2 of a standard normal variable's size
_RATIOS = np.linspace(0, 12, 1201)
_LN2 = float(np.log(2))


def nearest(shape: Floats) -> NDArray[np.int64]:
    """The row, in the tables below, of each shape."""
    edges = np.sqrt(_SHAPES[1:] * _SHAPES[:-1])
    return np.searchsorted(edges, shape).astype(np.int64)


def mean_log2(bias: Floats, sigma: Floats, rows: NDArray[np.int64]) -> Floats:
    """The average of log2 |bias + noise|; -infinity where both are 0."""
    deviations = np.maximum(sigma, 2.0**-300)[:, None] * _deviations()[rows]
    ratio = np.abs(bias)[:, None] / deviations
    near = np.interp(ratio, _RATIOS, _shifted_normal())
    far = np.log2(np.maximum(ratio, 1.0)) - 0.5 / (_LN2 * np.maximum(ratio, 1.0) ** 2)
    found: Floats = (np.where(ratio < _RATIOS[-1], near, far) + np.log2(deviations)).mean(axis=1)
    return found


def mean_size(bias: Floats, sigma: Floats, rows: NDArray[np.int64]) -> Floats:
    """The average of |bias + noise|."""
    deviations = np.maximum(sigma, 2.0**-300)[:, None] * _deviations()[rows]
    ratio = np.abs(bias)[:, None] / deviations
    half = np.sqrt(2 / np.pi) * np.exp(-(np.minimum(ratio, 40.0) ** 2) / 2)
    return np.asarray((deviations * (half + ratio * erf(ratio / np.sqrt(2)))).mean(axis=1))


def tail(log2_chance: float, rows: NDArray[np.int64]) -> Floats:
    """How many standard deviations the noise exceeds, to either side, with the chance 2^log2_chance."""
    tables = _log2_chances()
    found: Floats = np.array([np.interp(-log2_chance, -t.chances, t.deviations) for t in tables])[rows]
    return found


def chance(above: Floats, bias: Floats, sigma: Floats, rows: NDArray[np.int64]) -> Floats:
    """The probability that |bias + noise| exceeds `above`, whose last axis is that of the others."""
    size, width = np.abs(bias), np.maximum(sigma, 2.0**-300)
    return _one_side((above - size) / width, rows) + _one_side((above + size) / width, rows)


def _one_side(deviations: Floats, rows: NDArray[np.int64]) -> Floats:
    """The probability that the noise exceeds so many of its standard deviations."""
    table = _chances()
    column = np.minimum(np.abs(deviations) / _STEP + 0.5, table.shape[1] - 1).astype(np.int64)
    half: Floats = 0.5 * table[np.broadcast_to(rows, column.shape), column]
    return np.where(deviations >= 0, half, 1 - half)


class _Tail(NamedTuple):
    deviations: Floats
    chances: Floats  # log2


@cache
def _log2_chances() -> tuple[_Tail, ...]:
    """By shape: log2 of the chance that deviations on a grid are exceeded to either side."""
    grid = np.arange(0.0, _FARTHEST, _STEP)
    return tuple(_Tail(grid, _log2_exceeding(grid, k)) for k in _SHAPES)


@cache
def _chances() -> Floats:
    found: Floats = np.exp2(np.stack([t.chances for t in _log2_chances()]))
    return found


def _log2_exceeding(grid: Floats, shape: float) -> Floats:
    """Integrated over ln g, for a variance g that is Gamma(shape) / shape."""
    if shape >= _SHAPES[-1]:
        return np.asarray((np.log(2) + log_ndtr(-grid)) / _LN2)
    u = np.linspace(-12 / shape**0.5 - 1, 5.5, 400)
    density = shape * (np.log(shape) + u - np.exp(u)) - gammaln(shape)
    terms = np.log(2) + log_ndtr(-grid[:, None] * np.exp(-u / 2)) + density
    return np.asarray(np.minimum(logsumexp(terms, axis=1) + np.log(u[1] - u[0]), 0.0) / _LN2)


@cache
def _deviations() -> Floats:
    """By shape: standard deviations of equally likely variances, with the true mean of their logarithms."""
    middles = (np.arange(_NODES) + 0.5) / _NODES
    found = np.stack([np.sqrt(gammaincinv(k, middles) / k) for k in _SHAPES])
    means = np.array([0.5 * (digamma(k) - np.log(k)) for k in _SHAPES])
    corrected: Floats = found * np.exp(means - np.log(found).mean(axis=1))[:, None]
    return corrected


@cache
def _shifted_normal() -> Floats:
    """The mean of log2 |r + z| for a standard normal z: its slope is Dawson's integral."""
    slopes = np.sqrt(2) * dawsn(_RATIOS / np.sqrt(2)) / _LN2
    steps = (slopes[1:] + slopes[:-1]) / 2 * (_RATIOS[1] - _RATIOS[0])
    found: Floats = _NORMAL_LOG2 + np.concatenate([[0.0], np.cumsum(steps)])
    return found
