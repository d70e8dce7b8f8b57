"""Chebyshev series of functions of one variable: coefficients, and the degree that a precision needs."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from math import log2
from typing import Any

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebval
from numpy.typing import NDArray

from fheasible.circuit.composition import composition_at
from fheasible.circuit.node import Chebyshev
from fheasible.errors import CircuitError

Function = Callable[[NDArray[np.float64]], NDArray[np.float64]]

GUESS_BITS, GUESS_DEGREE = 20.0, 255  # the first guess for a series whose degree is still open
HIGHEST_DEGREE = 2047  # eleven levels; no library's parameters go beyond it
NEGLIGIBLE = 2.0**-50  # times the largest coefficient: below the rounding noise of the transform itself
_GRID = 8192  # a power of two well above HIGHEST_DEGREE


@lru_cache(maxsize=256)
def series(function: Function, name: str, low: float, high: float, degree: int) -> Chebyshev:
    """The series that interpolates the function at the degree + 1 zeros of the next Chebyshev polynomial.

    Negligible coefficients are zero, and trailing zeros are left out. CircuitError where the function
    is not finite.
    """
    count = degree + 1
    nodes = np.cos(np.pi * (np.arange(count, dtype=np.float64) + 0.5) / count)
    coefficients = _interpolated(_finite(function, name, _spread(nodes, low, high), low, high))
    coefficients[np.abs(coefficients) < NEGLIGIBLE * np.abs(coefficients).max()] = 0.0
    last = int(np.flatnonzero(coefficients).max(initial=0))
    return Chebyshev(name, tuple(float(c) for c in coefficients[: last + 1]), low, high, function)


@lru_cache(maxsize=256)
def series_for(
    function: Function, name: str, low: float, high: float, bits: float, highest: int = HIGHEST_DEGREE
) -> Chebyshev:
    """The series of least degree whose largest error is below 2^-bits of the function's typical size.

    CircuitError where that takes a degree above `highest`.
    """
    tolerance = 2.0**-bits
    short, enough = 0, 1
    while (error := _error(function, name, low, high, enough)) > tolerance:
        if enough == highest:
            raise CircuitError(
                f"{name} on [{low:g}, {high:g}] is approximated to {-log2(error):.1f} bits with degree"
                f" {highest}, the highest that is chosen automatically, but {bits:g} bits are needed",
                f"Give degree= yourself, ask for fewer bits=, or narrow the interval where {name} is steep.",
            )
        short, enough = enough, min(2 * enough, highest)
    while enough - short > 1:
        middle = (short + enough) // 2
        good = _error(function, name, low, high, middle) <= tolerance
        short, enough = (short, middle) if good else (middle, enough)
    return series(function, name, low, high, enough)


def open_series(function: Function, name: str, low: float, high: float) -> Chebyshev:
    """A series whose degree is left open. The first guess has 20 bits of precision, but degree 255 at most.

    CircuitError where the function is not finite on all of the interval.
    """
    _on_grid(function, name, low, high)
    try:
        found = series_for(function, name, low, high, GUESS_BITS, GUESS_DEGREE)
    except CircuitError:  # the function is too steep for that degree
        found = series(function, name, low, high, GUESS_DEGREE)
    return replace(found, open=True)


def evaluate_series(approximation: Chebyshev, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The series at x, inside its interval or not."""
    found = composition_at(approximation.stages, _unit(approximation, x))
    return np.asarray(found * x if approximation.gated else found, dtype=np.float64)


def evaluate_slope(approximation: Chebyshev, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The derivative of the series at x, inside its interval or not."""
    u = _unit(approximation, x)
    slope = np.full_like(u, 2 / (approximation.high - approximation.low))
    for coefficients in approximation.stages:
        slope = slope * chebval(u, chebder(coefficients))
        u = np.asarray(chebval(u, coefficients), dtype=np.float64)
    return np.asarray(u + x * slope if approximation.gated else slope, dtype=np.float64)


def _unit(approximation: Chebyshev, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """x with the interval mapped onto [-1, 1]."""
    return (2 * x - approximation.low - approximation.high) / (approximation.high - approximation.low)


def elementwise(function: Callable[[Any], Any]) -> Function:
    """The function on arrays, whether it was written for arrays or for single numbers."""
    return np.vectorize(function, otypes=[np.float64]) if not _takes_arrays(function) else function


def _takes_arrays(function: Callable[[Any], Any]) -> bool:
    probe = np.array([0.25, 0.5, 0.75])
    try:
        with np.errstate(all="ignore"):
            return bool(np.shape(function(probe)) == probe.shape)
    except Exception:  # a function for single numbers may do anything with an array
        return False


def error_at_grid(found: Chebyshev) -> NDArray[np.float64]:
    """Series minus function at cos(pi k / 8192), k = 0 .. 8192, of the interval, from its upper end down."""
    true = _on_grid(found.exact, found.function, found.low, found.high)
    coefficients = np.zeros(_GRID + 1)
    coefficients[: len(found.coefficients)] = found.coefficients
    return np.asarray(_at_extrema(coefficients) - true)


def grid_place(found: Chebyshev, x: NDArray[np.float64]) -> NDArray[np.intp]:
    """The nearest place to each x in the grid of `error_at_grid`, inside the interval or beyond an end."""
    u = np.clip((2 * x - found.low - found.high) / (found.high - found.low), -1, 1)
    return np.rint(np.arccos(u) * (_GRID / np.pi)).astype(np.intp)


def largest_and_average_error(found: Chebyshev) -> tuple[float, float]:
    """The largest error of the series on its interval, and the average error over values spread evenly."""
    error = np.abs(error_at_grid(found))
    weights = np.sin(np.pi * np.arange(_GRID + 1) / _GRID)  # the grid is denser at the ends
    return float(error.max()), float(np.sum(error * weights) / np.sum(weights))


def _error(function: Function, name: str, low: float, high: float, degree: int) -> float:
    """The largest error on a dense grid, ends included, divided by the function's root mean square."""
    size = float(np.sqrt(np.mean(_on_grid(function, name, low, high) ** 2)))
    error = error_at_grid(series(function, name, low, high, degree))
    return float(np.abs(error).max() / size) if size else 0.0


def _interpolated(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The coefficients of the series with these values at cos(pi (k + 1/2) / n), by a cosine transform."""
    n = len(values)
    mirrored = np.fft.rfft(np.concatenate([values, values[::-1]]))[:n]
    coefficients = (mirrored * np.exp(-0.5j * np.pi * np.arange(n) / n)).real / n
    coefficients[0] /= 2
    return np.asarray(coefficients, dtype=np.float64)


def _at_extrema(coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values of the series of degree n at cos(pi k / n), k = 0 .. n, by a cosine transform."""
    halved = coefficients.copy()
    halved[1:-1] /= 2
    return np.asarray(np.fft.rfft(np.concatenate([halved, halved[-2:0:-1]])).real, dtype=np.float64)


@lru_cache(maxsize=16)
def _on_grid(function: Function, name: str, low: float, high: float) -> NDArray[np.float64]:
    grid = np.cos(np.pi * np.arange(_GRID + 1) / _GRID)
    return _finite(function, name, _spread(grid, low, high), low, high)


def _spread(u: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """The places u of [-1, 1] mapped to [low, high], never beyond an end by rounding."""
    return np.clip((u * (high - low) + low + high) / 2, low, high)


def _finite(
    function: Function, name: str, x: NDArray[np.float64], low: float, high: float
) -> NDArray[np.float64]:
    values = values_of(function, x)
    if np.iscomplexobj(values):
        raise CircuitError(
            f"{name} has complex values on [{low:g}, {high:g}]", "Approximate a function with real values."
        )
    if not np.isfinite(values).all():
        worst = x[~np.isfinite(values)][0]
        raise CircuitError(
            f"{name} has no finite value at {worst:g}, inside the interval [{low:g}, {high:g}]",
            f"Give an interval on which {name} is defined.",
        )
    return values


def values_of(function: Function, x: NDArray[np.float64]) -> NDArray[Any]:
    """The function's values, with NaN where it has none and without numpy's warnings."""
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(function(x))
            return found if np.iscomplexobj(found) else found.astype(np.float64)
    except (ValueError, ArithmeticError):  # what `math` raises where numpy answers NaN
        return np.array([_value(function, v) for v in x])


def _value(function: Function, x: float) -> float:
    try:
        return float(function(np.array([x]))[0])
    except (ValueError, ArithmeticError):
        return float("nan")
