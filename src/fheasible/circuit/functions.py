"""What a user can do with encrypted vectors beyond + - * **."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit import chebyshev
from fheasible.circuit.node import Chebyshev, Kind, Op
from fheasible.circuit.vector import Vector, derive, fail, plain
from fheasible.circuit.where import at, here
from fheasible.errors import CircuitError

Array = NDArray[np.float64]


def sum(x: Vector) -> Vector:
    """The sum of all elements: a vector of length 1."""
    return derive(Op.SUM, _vector(x, "sum"), length=1)


def mean(x: Vector) -> Vector:
    """The mean of all elements: a vector of length 1. Of reals alone."""
    if _vector(x, "mean").node.kind is Kind.INTEGER:
        fail(
            "the mean of integers is no integer, and integers are computed exactly",
            f"Use fh.sum and divide the decrypted result by {len(x):,}, or declare fh.reals.",
        )
    return derive(Op.MEAN, x, length=1)


def inner_product(x: Any, y: Any) -> Vector:
    """The sum of the products of corresponding elements: a vector of length 1."""
    return sum(x * y)


def square(x: Vector) -> Vector:
    """Every element times itself."""
    return _vector(x, "square") ** 2


def power(x: Vector, exponent: int) -> Vector:
    """Every element to a whole power >= 1."""
    return _vector(x, "power") ** exponent


def rotate(x: Vector, steps: int) -> Vector:
    """Element i of the result is element (i + steps) mod n: positive steps move elements to the left."""
    return _vector(x, "rotate").rotate(steps)


def polynomial(x: Vector, coefficients: Sequence[float] | NDArray[Any]) -> Vector:
    """coefficients[0] + coefficients[1] x + coefficients[2] x^2 + ..., element by element."""
    values = plain(coefficients, _vector(x, "polynomial").node.kind)
    return derive(Op.POLYNOMIAL, x, attribute=tuple(values.array.tolist()))


def approximate(
    function: Callable[[Any], Any],
    low: float,
    high: float,
    *,
    degree: int | None = None,
    bits: float | None = None,
) -> Callable[[Vector], Vector]:
    """An encrypted version of a function of one variable: its Chebyshev series on [low, high].

    Of the given degree, or of the least one whose error is below 2^-bits of the function's typical size;
    if neither is given, the degree is chosen with the parameters, for the precision that is asked then.
    That its arguments lie in [low, high] is the caller's promise.
    """
    name = getattr(function, "__name__", "function").strip("<>")
    if not isinstance(function, Hashable):  # numpy's own series, say: results are kept by function
        function = partial(operator.call, function)
    found = _series(chebyshev.elementwise(function), name, low, high, degree, bits)

    def approximated(x: Vector) -> Vector:
        return _apply(found, x)

    return approximated


def sqrt(
    x: Vector, low: float, high: float, *, degree: int | None = None, bits: float | None = None
) -> Vector:
    """The square root of elements in [low, high], low >= 0, as `approximate` makes it."""
    return _apply(_series(np.sqrt, "sqrt", low, high, degree, bits), x)


def exp(
    x: Vector, low: float, high: float, *, degree: int | None = None, bits: float | None = None
) -> Vector:
    """e to the power of elements in [low, high], as `approximate` makes it."""
    return _apply(_series(np.exp, "exp", low, high, degree, bits), x)


def log(
    x: Vector, low: float, high: float, *, degree: int | None = None, bits: float | None = None
) -> Vector:
    """The natural logarithm of elements in [low, high], low > 0, as `approximate` makes it."""
    return _apply(_series(np.log, "log", low, high, degree, bits), x)


def sigmoid(
    x: Vector, low: float, high: float, *, degree: int | None = None, bits: float | None = None
) -> Vector:
    """1 / (1 + e^-x) for elements in [low, high], as `approximate` makes it."""
    return _apply(_series(_sigmoid, "sigmoid", low, high, degree, bits), x)


def tanh(
    x: Vector, low: float, high: float, *, degree: int | None = None, bits: float | None = None
) -> Vector:
    """The hyperbolic tangent of elements in [low, high], as `approximate` makes it."""
    return _apply(_series(np.tanh, "tanh", low, high, degree, bits), x)


def reciprocal(
    x: Vector, low: float, high: float, *, degree: int | None = None, bits: float | None = None
) -> Vector:
    """1 / x for elements in [low, high], which does not hold 0, as `approximate` makes it."""
    if low <= 0 <= high:
        fail(f"1/x is not finite everywhere on [{low:g}, {high:g}]", "Promise an interval without 0.")
    return _apply(_series(np.reciprocal, "reciprocal", float(low), float(high), degree, bits), x)


def absolute(
    x: Vector, low: float, high: float, *, degree: int | None = None, bits: float | None = None
) -> Vector:
    """|x| for elements in [low, high], as `approximate` makes it; slow to converge around 0."""
    return _apply(_series(np.abs, "absolute", low, high, degree, bits), x)


def _sigmoid(x: Array) -> Array:
    return 0.5 + 0.5 * np.tanh(0.5 * x)  # 1/(1+e^-x) without overflow


def _series(
    function: Callable[[Any], Any],
    name: str,
    low: float,
    high: float,
    degree: int | None,
    bits: float | None,
) -> Chebyshev:
    if not (isfinite(low) and isfinite(high) and low < high):
        fail(f"{name} needs finite low < high, not low={low!r}, high={high!r}")
    if degree is not None and bits is not None:
        fail(f"{name} was given degree= and bits=, which each decide alone", "Give one of them.")
    try:
        if degree is not None:
            return chebyshev.series(function, name, float(low), float(high), _degree(degree))
        if bits is not None:
            return chebyshev.series_for(function, name, float(low), float(high), float(bits))
        return chebyshev.open_series(function, name, float(low), float(high))
    except CircuitError as error:
        raise CircuitError(at(here(), error.message), error.remedy) from error


def _degree(degree: Any) -> int:
    try:
        whole = operator.index(degree)
    except TypeError:
        whole = 0
    if whole < 1:
        raise CircuitError(f"a series has a whole degree from 1 on, not {degree!r}")
    return whole


def _apply(found: Chebyshev, x: Vector) -> Vector:
    if _vector(x, found.function).node.kind is Kind.INTEGER:
        fail(
            f"{found.function} of integers is no integer, and integers are computed exactly",
            "Declare the input with fh.reals.",
        )
    return derive(Op.CHEBYSHEV, x, attribute=found)


def _vector(x: Any, function: str) -> Vector:
    if not isinstance(x, Vector):
        fail(f"fh.{function} takes an encrypted vector, not {type(x).__name__}")
    return x
