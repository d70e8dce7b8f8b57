"""How the noise of a slot is distributed: normal, of a variance that the secret key sets slot by slot.

Most noise of CKKS is a small polynomial times the secret s, so that its variance in slot j is V |s_j|^2, and
over slots and keys |s_j|^2 has an exponential distribution: s_j is a sum of many independent coefficients.
One slot alone has then Laplace's distribution, of which the average -log2 is gamma / (2 ln 2) = 0.42 bits
above a normal variable's, and the tail far longer. The mean over k slots has a variance like Gamma(k)/k,
normal in the limit. `shape` is this k.
"""

from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import dawsn, digamma, erf, gammaincinv, gammaln, log_ndtr

Floats = NDArray[np.float64]

_SHAPES = np.array([1, 1.2, 1.5, 2, 2.5, 3, 4, 6, 8, 12, 16, 32, 64, 256, 1e6])
_NODES = 6  # equally likely variances
_STEP = 0.125  # standard deviations
_FARTHEST = 120.0
_GRID = np.arange(0.0, _FARTHEST, _STEP)
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
    deviations = np.maximum(sigma, 2.0**-300)[..., None] * _deviations()[rows]
    ratio = np.abs(bias)[..., None] / deviations
    near = np.interp(ratio, _RATIOS, _shifted_normal())
    far = np.log2(np.maximum(ratio, 1.0)) - 0.5 / (_LN2 * np.maximum(ratio, 1.0) ** 2)
    found: Floats = (np.where(ratio < _RATIOS[-1], near, far) + np.log2(deviations)).mean(axis=-1)
    return found


def mean_size(bias: Floats, sigma: Floats, rows: NDArray[np.int64]) -> Floats:
    """The average of |bias + noise|."""
    deviations = np.maximum(sigma, 2.0**-300)[..., None] * _deviations()[rows]
    ratio = np.abs(bias)[..., None] / deviations
    half = np.sqrt(2 / np.pi) * np.exp(-(np.minimum(ratio, 40.0) ** 2) / 2)
    return np.asarray((deviations * (half + ratio * erf(ratio / np.sqrt(2)))).mean(axis=-1))


def tail(log2_chance: float, rows: NDArray[np.int64]) -> Floats:
    """How many standard deviations the noise exceeds, to either side, with the chance 2^log2_chance."""
    return _exceeded(log2_chance, _present(rows))[rows]


@lru_cache(maxsize=1024)
def _exceeded(log2_chance: float, present: tuple[int, ...]) -> Floats:
    """By shape; of those that are present."""
    found = np.zeros(len(_SHAPES))
    for row in present:
        found[row] = np.interp(-log2_chance, -_log2_chances(row), _GRID)
    return found


def _present(rows: NDArray[np.int64]) -> tuple[int, ...]:
    """The tables of others need not be made."""
    return tuple(np.bincount(rows.ravel(), minlength=len(_SHAPES)).nonzero()[0].tolist())


def chance(above: Floats, bias: Floats, sigma: Floats, rows: NDArray[np.int64]) -> Floats:
    """The probability that |bias + noise| exceeds `above`, whose last axis is that of the others."""
    size, width = np.abs(bias), np.maximum(sigma, 2.0**-300)
    near, far = (above - size) / width, (above + size) / width
    within = _exceeding(np.abs(near), rows)
    return np.where(near >= 0, within, 1 - within) + _exceeding(far, rows)


def _exceeding(deviations: Floats, rows: NDArray[np.int64]) -> Floats:
    """The probability that the noise exceeds so many of its standard deviations, to one side."""
    table = _chances(_present(rows))
    places = np.minimum(deviations * (1 / _STEP) + 0.5, len(_GRID) - 1).astype(np.int64)
    found: Floats = 0.5 * table.take(places + rows * len(_GRID))
    return found


@cache
def _log2_chances(row: int) -> Floats:
    """Of a shape: log2 of the chance that deviations on the grid are exceeded to either side.

    Integrated over ln g, for a variance g that is Gamma(shape) / shape."""
    shape = _SHAPES[row]
    if shape >= _SHAPES[-1]:
        return np.asarray((_LN2 + log_ndtr(-_GRID)) / _LN2)
    u = np.linspace(-12 / shape**0.5 - 1, 5.5, 400)
    density = shape * (np.log(shape) + u - np.exp(u)) - gammaln(shape)
    terms = _LN2 + log_ndtr(-_GRID[:, None] * np.exp(-u / 2)) + density
    most = terms.max(axis=1)
    sums = most + np.log(np.exp(terms - most[:, None]).sum(axis=1))
    return np.asarray(np.minimum(sums + np.log(u[1] - u[0]), 0.0) / _LN2)


@lru_cache(maxsize=256)
def _chances(present: tuple[int, ...]) -> Floats:
    """(shape, place on the grid), of those that are present."""
    found = np.zeros((len(_SHAPES), len(_GRID)))
    for row in present:
        found[row] = np.exp2(_log2_chances(row))
    return found


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
