"""What a user can do with encrypted vectors beyond + - * **."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.circuit import chebyshev
from fheasible.circuit.declared import LARGEST, no_declaration
from fheasible.circuit.limits import HIGHEST_DEGREE
from fheasible.circuit.node import Chebyshev, Kind, Op
from fheasible.circuit.plain import is_whole, plain
from fheasible.circuit.refusals import fail
from fheasible.circuit.vector import Vector, derive
from fheasible.circuit.where import at, here
from fheasible.errors import CircuitError

MOST_BITS = 60
FORMS = {
    "approximate": "fh.approximate(f, low=0, high=1)(x)",
    "bootstrap": "fh.bootstrap(x)",
    "columns": "fh.columns(x, [0, 2], width=3)",
    "concatenate": "fh.concatenate([x, y])",
    "conv2d": "fh.conv2d(image, kernel, shape=(28, 28))",
    "average_pool2d": "fh.average_pool2d(image, 2, shape=(28, 28))",
    "inner_product": "fh.inner_product(x, y)",
    "matmul": "fh.matmul(matrix, x)",
    "matrix": "fh.matrix(x, (4, 4))",
    "mean": "fh.mean(x)",
    "polynomial": "fh.polynomial(x, [constant, linear, square])",
    "power": "fh.power(x, 3)",
    "rotate": "fh.rotate(x, 1)",
    "square": "fh.square(x)",
    "sum": "fh.sum(x)",
    "sum_by": "fh.sum_by(x, ['north', 'south', 'north'])",
    "var": "fh.var(x)",
    "std": "fh.std(x, low=0, high=0.25)",
    "sign": "fh.sign(x, margin=0.01)",
    "greater": "fh.greater(x, y, margin=0.01)",
    "where": "fh.where(fh.greater(x, y, margin=0.01), x, y)",
    "relu": "fh.relu(x)",
    "absolute": "fh.absolute(x)",
    "maximum": "fh.maximum(x, y)",
    "minimum": "fh.minimum(x, y)",
    "argmax": "fh.argmax(x, margin=0.01)",
    "sort": "fh.sort(x)",
    "lookup": "fh.lookup(x, [0, 1, 4, 9])",
    "integers": "fh.integers(1000, low=0, high=15)",
    "reals": "fh.reals(1000, low=0, high=1)",
    "table": "fh.table(1000, age=fh.integers(low=0, high=120))",
} | {
    name: f"fh.{name}(x, low={low}, high={high})"
    for name, low, high in (
        ("sqrt", 0, 1), ("exp", -1, 1), ("log", 1, 2), ("sigmoid", -8, 8), ("tanh", -2, 2),
        ("reciprocal", 1, 2),
    )
}  # fmt: skip


def sum(x: Vector) -> Vector:
    """The sum of all elements: a vector of length 1.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=0, high=9))(lambda x: fh.sum(x))
        >>> app(x=[1, 2, 6])
        array([9.])
    """
    return encrypted(x, "sum").sum()


def mean(x: Vector) -> Vector:
    """The mean of all elements: a vector of length 1. Only for reals.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=0, high=9))(lambda x: fh.mean(x))
        >>> app(x=[1, 2, 6])
        array([3.])
    """
    return encrypted(x, "mean").mean()


def inner_product(x: Any, y: Any) -> Vector:
    """The sum of the products of corresponding elements: a vector of length 1.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=0, high=9))(lambda x: fh.inner_product(x, [1, 0, 2]))
        >>> app(x=[1, 2, 6])
        array([13.])
    """
    no_declaration(x, y)
    if not isinstance(x, Vector) and not isinstance(y, Vector):
        fail("fh.inner_product takes an encrypted vector, but neither operand is encrypted", "Write x @ y.")
    return sum(x * y)


def square(x: Vector) -> Vector:
    """Every element times itself.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=-9, high=9))(lambda x: fh.square(x))
        >>> app(x=[1, -2, 6])
        array([ 1.,  4., 36.])
    """
    return encrypted(x, "square") ** 2


def power(x: Vector, exponent: int) -> Vector:
    """Every element to a whole power >= 1.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=-9, high=9))(lambda x: fh.power(x, 3))
        >>> app(x=[1, -2, 3])
        array([ 1., -8., 27.])
    """
    return encrypted(x, "power") ** exponent


def rotate(x: Vector, steps: int) -> Vector:
    """Element i of the result is element (i + steps) mod n: positive steps move elements to the left.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=0, high=9))(lambda x: fh.rotate(x, 1))
        >>> app(x=[1, 2, 6])
        array([2., 6., 1.])
    """
    return encrypted(x, "rotate").rotate(steps)


def bootstrap(x: Vector) -> Vector:
    """x itself, with all levels of multiplication back: a place for a bootstrap that the user chooses.

    Where a circuit is deeper than the levels of its parameters, bootstraps are placed unasked. For reals,
    in CKKS.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=0, high=1))(lambda x: fh.bootstrap(x * x) * x)
        >>> app(x=[0, 0.5, 1])
        array([0.   , 0.125, 1.   ])
    """
    if encrypted(x, "bootstrap").node.kind is Kind.INTEGER:
        fail(
            "integers cannot be bootstrapped: they are computed in BFV and BGV, and none of these libraries"
            " bootstraps BFV or BGV",
            "Leave fh.bootstrap out, or declare the input with fh.reals.",
        )
    return derive(Op.BOOTSTRAP, x)


def polynomial(x: Vector, coefficients: Sequence[float] | NDArray[Any]) -> Vector:
    """coefficients[0] + coefficients[1] x + coefficients[2] x^2 + ..., element by element.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=0, high=9))(lambda x: fh.polynomial(x, [1, 0, 2]))
        >>> app(x=[1, 2, 3])
        array([ 3.,  9., 19.])
    """
    values = plain(coefficients, encrypted(x, "polynomial").node.kind)
    if len(values) > HIGHEST_DEGREE + 1:
        fail(
            f"a polynomial has a degree up to {HIGHEST_DEGREE:,}, not {len(values) - 1:,}",
            "Approximate the function that it stands for: fh.approximate(f, low=..., high=...)(x).",
        )
    return derive(Op.POLYNOMIAL, x, attribute=tuple(values.array.tolist()))


def approximate(
    function: Callable[[Any], Any],
    low: float | None = None,
    high: float | None = None,
    *,
    degree: int | None = None,
    bits: float | None = None,
) -> Callable[[Vector], Vector]:
    """An encrypted version of a function of one variable: its Chebyshev series on [low, high].

    The series has the given degree, or the least degree whose error is below 2^-bits of the function's
    typical size. If neither is given, the degree is chosen together with the parameters, for the precision
    that is asked for then. The caller promises that the arguments lie in [low, high].

    Example:
        >>> cosine = fh.approximate(np.cos, low=0, high=3.2)
        >>> app = fh.app(x=fh.reals(3, low=0, high=3.2))(lambda x: cosine(x))
        >>> app(x=[0, 1, 3])
        array([ 1.        ,  0.54030231, -0.9899925 ])
    """
    if isinstance(function, Vector) or not callable(function):
        fail(
            "fh.approximate takes the function to be approximated, and gives one of encrypted vectors;"
            f" given: {_vector_or_type(function)}",
            f"Write {FORMS['approximate']}.",
        )
    name = str(getattr(function, "__name__", "function")).strip("<>")
    if not isinstance(function, Hashable):  # such as numpy's own series: results are cached by function
        function = partial(operator.call, function)
    found = _series(chebyshev.elementwise(function), name, low, high, degree, bits)

    def approximated(x: Vector) -> Vector:
        return _apply(found, x)

    return approximated


def sqrt(
    x: Vector,
    low: float | None = None,
    high: float | None = None,
    *,
    degree: int | None = None,
    bits: float | None = None,
) -> Vector:
    """The square root of elements in [low, high], low >= 0, as `approximate` makes it.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=0, high=4))(lambda x: fh.sqrt(x, low=0, high=4))
        >>> app(x=[0, 1, 4])
        array([0., 1., 2.])
    """
    return _apply(_series(np.sqrt, "sqrt", low, high, degree, bits), x)


def exp(
    x: Vector,
    low: float | None = None,
    high: float | None = None,
    *,
    degree: int | None = None,
    bits: float | None = None,
) -> Vector:
    """e to the power of elements in [low, high], as `approximate` makes it.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=-1, high=1))(lambda x: fh.exp(x, low=-1, high=1))
        >>> app(x=[-1, 0, 1])
        array([0.36787944, 1.        , 2.71828183])
    """
    return _apply(_series(np.exp, "exp", low, high, degree, bits), x)


def log(
    x: Vector,
    low: float | None = None,
    high: float | None = None,
    *,
    degree: int | None = None,
    bits: float | None = None,
) -> Vector:
    """The natural logarithm of elements in [low, high], low > 0, as `approximate` makes it.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=1, high=4))(lambda x: fh.log(x, low=1, high=4))
        >>> app(x=[1, 2, 4])
        array([0.        , 0.69314718, 1.38629436])
    """
    return _apply(_series(np.log, "log", low, high, degree, bits), x)


def sigmoid(
    x: Vector,
    low: float | None = None,
    high: float | None = None,
    *,
    degree: int | None = None,
    bits: float | None = None,
) -> Vector:
    """1 / (1 + e^-x) for elements in [low, high], as `approximate` makes it.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=-8, high=8))(lambda x: fh.sigmoid(x, low=-8, high=8))
        >>> app(x=[-2, 0, 2])
        array([0.11920292, 0.5       , 0.88079708])
    """
    return _apply(_series(_sigmoid, "sigmoid", low, high, degree, bits), x)


def tanh(
    x: Vector,
    low: float | None = None,
    high: float | None = None,
    *,
    degree: int | None = None,
    bits: float | None = None,
) -> Vector:
    """The hyperbolic tangent of elements in [low, high], as `approximate` makes it.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=-2, high=2))(lambda x: fh.tanh(x, low=-2, high=2))
        >>> app(x=[-1, 0, 2])
        array([-0.76159416,  0.        ,  0.96402758])
    """
    return _apply(_series(np.tanh, "tanh", low, high, degree, bits), x)


def reciprocal(
    x: Vector,
    low: float | None = None,
    high: float | None = None,
    *,
    degree: int | None = None,
    bits: float | None = None,
) -> Vector:
    """1 / x for elements in [low, high], which must not contain 0, as `approximate` makes it.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=1, high=4))(lambda x: fh.reciprocal(x, low=1, high=4))
        >>> app(x=[1, 2, 4])
        array([1.  , 0.5 , 0.25])
    """
    low, high = interval_of("reciprocal", low, high)
    if low <= 0 <= high:
        fail(f"1/x is not finite everywhere on [{low:g}, {high:g}]", "Give an interval without 0.")
    return _apply(_series(np.reciprocal, "reciprocal", low, high, degree, bits), x)


def absolute_series(
    x: Vector, low: float | None, high: float | None, degree: int | None, bits: float | None
) -> Vector:
    """|x| for elements in [low, high], by a Chebyshev series of that degree."""
    return _apply(_series(np.abs, "absolute", low, high, degree, bits), x)


def _vector_or_type(value: Any) -> str:
    return "an encrypted vector" if isinstance(value, Vector) else type(value).__name__


def _sigmoid(x: Floats) -> Floats:
    return 0.5 + 0.5 * np.tanh(0.5 * x)  # 1/(1+e^-x) without overflow


def _series(
    function: Callable[[Any], Any],
    name: str,
    low: float | None,
    high: float | None,
    degree: int | None,
    bits: float | None,
) -> Chebyshev:
    low, high = interval_of(name, low, high)
    if degree is not None and bits is not None:
        fail(
            f"{name} was given both degree= and bits=, but each of them determines the degree",
            "Give one of them.",
        )
    try:
        if degree is not None:
            return chebyshev.series(function, name, low, high, _degree(degree))
        if bits is not None:
            return chebyshev.series_for(function, name, low, high, precision_of(bits))
        return chebyshev.open_series(function, name, low, high)
    except CircuitError as error:
        raise CircuitError(at(here(), error.message), error.remedy) from error


def _with_interval(form: str) -> str:
    """A call of that form that gives the interval, too."""
    return form if "low=" in form else f"{form.removesuffix(')')}, low=-1, high=1)"


def interval_of(name: str, low: Any, high: Any) -> tuple[float, float]:
    """The promised interval. CircuitError if none is given, or if the two ends do not make one of doubles."""
    fine = all(isinstance(v, int | float | np.integer | np.floating) for v in (low, high))
    if not fine or not (abs(low) < LARGEST and abs(high) < LARGEST and low < high):
        said = "none is given" if low is None and high is None else f"given: low={low!r}, high={high!r}"
        fail(
            f"{name} needs the interval in which its arguments lie, finite numbers low < high; {said}",
            f"Write {_with_interval(_form(name))}, with the least and the largest value that can occur.",
        )
    return float(low), float(high)


def _form(name: str) -> str:
    return FORMS.get(name, "fh.approximate(f, low=0, high=1)(x)")


def precision_of(bits: Any) -> float:
    """The precision of an approximation that the user gives. CircuitError where it is none."""
    if not isinstance(bits, int | float) or isinstance(bits, bool) or not 0 < bits <= MOST_BITS:
        raise CircuitError(
            f"the precision of a series is bits= above 0, and up to {MOST_BITS}, not {bits!r}",
            "Write bits=20, or leave it out: the search chooses.",
        )
    return float(bits)


def _degree(degree: Any) -> int:
    if not is_whole(degree) or not 1 <= degree <= HIGHEST_DEGREE:
        raise CircuitError(
            f"a series has a whole degree from 1 to {HIGHEST_DEGREE:,}, not {degree!r}",
            "Write degree=31, or leave it out: the search chooses.",
        )
    return int(degree)


def _apply(found: Chebyshev, x: Vector) -> Vector:
    if encrypted(x, found.function).node.kind is Kind.INTEGER:
        fail(
            f"{found.function} of integers is not an integer, but integers are computed exactly",
            "Declare the input with fh.reals.",
        )
    return derive(Op.CHEBYSHEV, x, attribute=found)


def encrypted(x: Any, function: str) -> Vector:
    """The argument x of the function of that name; CircuitError if x is not an encrypted vector."""
    no_declaration(x)
    if not isinstance(x, Vector):
        several = isinstance(x, list | tuple) and any(isinstance(v, Vector) for v in x)
        fail(
            f"fh.{function} takes an encrypted vector, not {type(x).__name__}",
            "fh.concatenate makes one vector of several." if several else f"Write {_form(function)}.",
        )
    return x
