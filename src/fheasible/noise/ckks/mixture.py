"""How the noise of a slot is distributed: normal, with a variance that the secret key sets slot by slot.

Most noise of CKKS is a small polynomial times the secret s, so that its variance in slot j is V |s_j|^2. Over
slots and keys |s_j|^2 has an exponential distribution, because s_j is a sum of many independent coefficients.
The noise of one slot alone then has Laplace's distribution: its average -log2 is gamma / (2 ln 2) = 0.42 bits
above that of a normal variable, and its tail is far longer. The mean over k slots has a variance like
Gamma(k)/k, and is normal in the limit. `shape` is this k.

What does not depend on a program is read from `data/mixture.npz`, which `tabulation.py` makes.
"""

from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats

SHAPES = np.array([1, 1.2, 1.5, 2, 2.5, 3, 4, 6, 8, 12, 16, 32, 64, 256, 1e6])
ONE_SLOT, NORMAL = np.array([0]), np.array([len(SHAPES) - 1])  # rows of the first shape, and of the last
_STEP = 0.125  # standard deviations
_FARTHEST = 120.0
GRID = np.arange(0.0, _FARTHEST, _STEP)
RATIOS = np.linspace(0, 12, 1201)
_LN2 = float(np.log(2))
_FINE, _POINTS = 1 / 256, 1 << 13  # step, in deviations of the noise, and number of biases in tables of means
_FAR = _FINE * (_POINTS - 1)  # beyond this, noise moves the mean by less than 0.001


class Tables(NamedTuple):
    """The tables of `data/mixture.npz`. For each shape: log2 of the chance that deviations on `GRID` are
    exceeded to either side, and the deviations of equally likely variances. For each ratio r in `RATIOS`: the
    mean of log2 |r + z| and of |r + z|, for a standard normal z."""

    log2_chances: Floats
    deviations: Floats
    log2_sizes: Floats
    sizes: Floats


@cache
def tables() -> Tables:
    with (files("fheasible.noise.ckks") / "data" / "mixture.npz").open("rb") as file, np.load(file) as stored:
        return Tables(**stored)


def nearest(shape: Floats) -> NDArray[np.int64]:
    """The row in the tables that is nearest to each shape."""
    edges = np.sqrt(SHAPES[1:] * SHAPES[:-1])
    return np.searchsorted(edges, shape).astype(np.int64)


def mean_log2(bias: Floats, sigma: Floats, rows: NDArray[np.int64]) -> Floats:
    """The average of log2 |bias + noise|; about -301 where both are 0."""
    width = np.maximum(sigma, 2.0**-300)
    ratio = np.abs(bias) / width
    steps = np.minimum(ratio, _FAR) * (1 / _FINE)
    places = np.minimum(steps, _POINTS - 2).astype(np.int64)
    present = np.bincount(rows.ravel(), minlength=len(SHAPES)).nonzero()[0]
    table, at = _log2_means(tuple(present.tolist())), places + rows * _POINTS
    low = table.take(at)
    near = low + (table.take(at + 1) - low) * (steps - places)
    return np.asarray(np.where(ratio < _FAR, near, np.log2(np.maximum(ratio, 1.0))) + np.log2(width))


@lru_cache(maxsize=256)
def _log2_means(present: tuple[int, ...]) -> Floats:
    """The mean of log2 |bias + noise| for noise of deviation 1: (shape, place among biases). Rows of shapes
    that are not `present` are 0."""
    found = np.zeros((len(SHAPES), _POINTS))
    for row in present:
        found[row] = _log2_mean(row)
    return found


@cache
def _log2_mean(row: int) -> Floats:
    deviations = tables().deviations[row]
    ratio = (np.arange(_POINTS) * _FINE)[:, None] / deviations
    near = np.interp(ratio, RATIOS, tables().log2_sizes)
    far = np.log2(np.maximum(ratio, 1.0)) - 0.5 / (_LN2 * np.maximum(ratio, 1.0) ** 2)
    return np.asarray((np.where(ratio < RATIOS[-1], near, far) + np.log2(deviations)).mean(axis=-1))


def mean_size(bias: Floats, sigma: Floats, rows: NDArray[np.int64]) -> Floats:
    """The average of |bias + noise|."""
    deviations = np.maximum(sigma, 2.0**-300)[..., None] * tables().deviations[rows]
    ratio = np.abs(bias)[..., None] / deviations
    size = np.where(ratio < RATIOS[-1], np.interp(ratio, RATIOS, tables().sizes), ratio)
    return np.asarray((deviations * size).mean(axis=-1))


def tail(log2_chance: float, rows: NDArray[np.int64]) -> Floats:
    """The number of standard deviations that noise exceeds, to either side, with the chance 2^log2_chance."""
    return _exceeded(log2_chance)[rows]


@lru_cache(maxsize=1024)
def _exceeded(log2_chance: float) -> Floats:
    """The number of standard deviations that noise of each shape exceeds, to either side, with that
    chance."""
    return np.array([np.interp(-log2_chance, -chances, GRID) for chances in tables().log2_chances])


class Spread(NamedTuple):
    """The distribution of |bias + noise|, prepared for the chances of many figures in turn (..., other)."""

    bias: Floats | None  # without its sign; None where all biases are 0
    pace: Floats  # places on the grid for an error of 1
    begins: NDArray[np.int64]  # where the row of each one's shape begins in a flat table of chances

    @staticmethod
    def of(bias: Floats, sigma: Floats, rows: NDArray[np.int64]) -> "Spread":
        size = np.abs(bias)
        pace = (1 / _STEP) / np.maximum(sigma, 2.0**-300)
        return Spread(size if size.any() else None, pace, rows * len(GRID))

    def take(self, places: NDArray[np.int64]) -> "Spread":
        """The distributions at these places of the first axis."""
        bias = None if self.bias is None else self.bias[places]
        return Spread(bias, self.pace[places], self.begins[places])

    def chance(self, above: Floats) -> Floats:
        """The probability that `above` is exceeded."""
        with np.errstate(over="ignore"):  # so far out that it is never exceeded
            if self.bias is None:
                return 2 * _one_sided().take(self._places(above * self.pace))
            near, far = (above - self.bias) * self.pace, (above + self.bias) * self.pace
        within = _one_sided().take(self._places(np.abs(near)))
        beyond: Floats = np.where(near >= 0, within, 1 - within) + _one_sided().take(self._places(far))
        return beyond

    def none_beyond(self, above: Floats) -> Floats:
        """Minus the log of the probability that `above` is not exceeded."""
        if self.bias is None:
            with np.errstate(over="ignore"):
                return _logs_of_none().take(self._places(above * self.pace))
        return _log_of_none(self.chance(above))

    def _places(self, steps: Floats) -> NDArray[np.int64]:
        return np.minimum(steps + 0.5, len(GRID) - 1).astype(np.int64) + self.begins


def _log_of_none(beyond: Floats) -> Floats:
    return np.asarray(-np.log1p(-np.minimum(beyond, 1 - 1e-12)))


@cache
def _one_sided() -> Floats:
    """The probability that noise exceeds each place on the grid, to one side: (shape, place)."""
    return np.asarray(0.5 * np.exp2(tables().log2_chances))


@cache
def _logs_of_none() -> Floats:
    """Minus the log of the probability that noise alone does not exceed each place on the grid, to either
    side: (shape, place)."""
    return _log_of_none(2 * _one_sided())
