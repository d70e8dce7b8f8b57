"""The program that computes the tables of `mixture.py`; it takes a second.

    python -m fheasible.noise.ckks.tabulation

It writes `data/mixture.npz` beside itself. The tables are mathematical constants, which a search would
otherwise have to compute each time. A test computes them anew and compares.
"""

from pathlib import Path

import numpy as np
from scipy.special import dawsn, digamma, erf, gammaincinv, gammaln, log_ndtr

from fheasible.aliases import Floats
from fheasible.noise.ckks.mixture import GRID, RATIOS, SHAPES, Tables

PLACE = Path(__file__).parent / "data" / "mixture.npz"
_NODES = 6  # the number of equally likely variances
_LN2 = float(np.log(2))
_NORMAL_LOG2 = -(np.euler_gamma + _LN2) / (2 * _LN2)  # mean log2 of a standard normal variable's size


def tables() -> Tables:
    return Tables(
        np.stack([log2_chances(shape) for shape in SHAPES]), deviations(), shifted_log2(), shifted_size()
    )


def log2_chances(shape: float) -> Floats:
    """log2 of the chance that each deviation on the grid is exceeded, to either side.

    The chance is integrated over ln g, for a variance g that is distributed as Gamma(shape) / shape.
    """
    if shape >= SHAPES[-1]:
        return np.asarray((_LN2 + log_ndtr(-GRID)) / _LN2)
    u = np.linspace(-12 / shape**0.5 - 1, 5.5, 400)
    density = shape * (np.log(shape) + u - np.exp(u)) - gammaln(shape)
    terms = _LN2 + log_ndtr(-GRID[:, None] * np.exp(-u / 2)) + density
    most = terms.max(axis=1)
    sums = most + np.log(np.exp(terms - most[:, None]).sum(axis=1))
    return np.asarray(np.minimum(sums + np.log(u[1] - u[0]), 0.0) / _LN2)


def deviations() -> Floats:
    """For each shape, the standard deviations of equally likely variances, adjusted to the true mean of their
    logarithms."""
    middles = (np.arange(_NODES) + 0.5) / _NODES
    found = np.stack([np.sqrt(gammaincinv(k, middles) / k) for k in SHAPES])
    means = np.array([0.5 * (digamma(k) - np.log(k)) for k in SHAPES])
    corrected: Floats = found * np.exp(means - np.log(found).mean(axis=1))[:, None]
    return corrected


def shifted_log2() -> Floats:
    """The mean of log2 |r + z| for each ratio r and a standard normal z, from its slope, which is Dawson's
    integral."""
    slopes = np.sqrt(2) * dawsn(RATIOS / np.sqrt(2)) / _LN2
    steps = (slopes[1:] + slopes[:-1]) / 2 * (RATIOS[1] - RATIOS[0])
    found: Floats = _NORMAL_LOG2 + np.concatenate([[0.0], np.cumsum(steps)])
    return found


def shifted_size() -> Floats:
    """The mean of |r + z| for each ratio r and a standard normal z."""
    half = np.sqrt(2 / np.pi) * np.exp(-(RATIOS**2) / 2)
    return np.asarray(half + RATIOS * erf(RATIOS / np.sqrt(2)))


if __name__ == "__main__":
    np.savez_compressed(PLACE, **tables()._asdict())
