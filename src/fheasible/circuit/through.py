"""Series through the values that a function has at whole numbers: what CKKS computes of few integers.

A polynomial through n evenly spaced points of degree n - 1 is steep in between, and so magnifies the noise of
its argument. Of the many of twice that degree, the one with the least slopes is nearly flat: it is off by
little more than the noise.
"""

from functools import lru_cache, partial

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebval, chebvander

from fheasible.aliases import Floats
from fheasible.circuit.node import Chebyshev, Places

MOST_VALUES = 512  # of the argument: the series has degree 1,023, which takes eleven levels
_STEEP = 8.0  # times the distance of two values: the slope of a series of low degree that is taken
_BESIDE = 0.5  # how far the interval goes beyond its last points, where noise may take an argument
_FAINT = 2.0**-40  # times the largest coefficient: what is 0 but for rounding, as of even functions
_FLATTEST = 2  # times the number of points: the degree with which slopes are small


@lru_cache(maxsize=256)
def through(name: str, low: int, values: tuple[float, ...]) -> Chebyshev:
    """The series that has these values at low, low + 1, ...: of the fewest levels in which it is not steep,
    with slopes as small as they can be."""
    n = len(values)
    ends = low - _BESIDE, low + n - 1 + _BESIDE
    exact = partial(_nearest, low, values)
    places = Places(float(low), float(low + n - 1), n)
    least = float(np.ptp(values)) * _STEEP
    degrees = sorted({_FLATTEST * n - 1, *((1 << k) - 1 for k in range(1, n.bit_length() + 1))})
    for degree in degrees:
        found = Chebyshev(name, _flattest(n, values, degree), *ends, exact, places=places)
        if degree >= _FLATTEST * n - 1 or (degree >= n - 1 and _slope(found) <= least):
            return found
    raise AssertionError("the last of the degrees is always taken")


def _flattest(n: int, values: tuple[float, ...], degree: int) -> tuple[float, ...]:
    """The coefficients of the series through these values for which the sum of ((1 + k) c_k)^2 is least."""
    u = np.linspace(-1, 1, n) * (n - 1) / (n - 1 + 2 * _BESIDE)
    weights = 1.0 + np.arange(degree + 1)
    found = np.linalg.lstsq(chebvander(u, degree) / weights, np.array(values), rcond=None)[0] / weights
    found[np.abs(found) < _FAINT * np.abs(found).max()] = 0.0
    return tuple(found[: int(np.flatnonzero(found).max(initial=0)) + 1].tolist())


def _slope(found: Chebyshev) -> float:
    """The largest slope of the series at its places."""
    assert found.places is not None
    u = 2 * (np.linspace(*found.places) - found.low) / (found.high - found.low) - 1
    return float(np.abs(chebval(u, chebder(found.coefficients))).max() * 2 / (found.high - found.low))


def _nearest(low: int, values: tuple[float, ...], x: Floats) -> Floats:
    """The value at the whole number nearest to each x."""
    at = np.clip(np.rint(np.asarray(x) - low).astype(np.int64), 0, len(values) - 1)
    return np.asarray(values, dtype=np.float64)[at]
