"""Comparisons of encrypted reals, and what is made of them, by compositions of polynomials (`jumps.py`).

A comparison jumps where both sides are equal, and no polynomial does. So `sign`, `greater` and `argmax` take
the `margin` that the user promises: the least distance from a tie. They are right there, and anything between
their two values nearer to a tie. `relu`, `absolute`, `maximum`, `minimum` and `sort` are continuous and need
no margin. They are a little off near a tie, by no more than the precision that is asked for: the search (or
`bits`) chooses how near to a tie their polynomials still tell both sides apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import floor, isfinite, log2
from typing import Any, Never
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Interval
from fheasible.circuit import integer_functions as exact
from fheasible.circuit.composition import MOST_LEVELS, RELINEARISATIONS, Composition
from fheasible.circuit.declared import LARGEST, no_declaration
from fheasible.circuit.functions import absolute_series, encrypted, interval_of, precision_of
from fheasible.circuit.jumps import (
    ABSOLUTE,
    GREATER,
    RELU,
    SIGN,
    Shape,
    for_bits,
    of_degrees,
    opened,
    relative_error,
)
from fheasible.circuit.node import Chebyshev, Kind, Node, Op
from fheasible.circuit.ranges import Ranges
from fheasible.circuit.refusals import fail
from fheasible.circuit.vector import Vector, derive
from fheasible.units import listing

MOST_COMPARED = 64  # elements of a vector that is sorted, or whose largest element is found
_LITTLE_BITS = 1e-6  # by which a precision may be missed
_known: WeakKeyDictionary[Node, Interval] = WeakKeyDictionary()


def sign(
    x: Vector,
    margin: float | None = None,
    *,
    low: float | None = None,
    high: float | None = None,
    bits: float | None = None,
    degrees: Sequence[int] | None = None,
) -> Vector:
    """1 for elements of at least `margin`, -1 for elements of at most -margin. The caller promises that no
    element lies between; the result of one that does is anything from -1 to 1.

    Elements lie in [low, high], by default in the range that follows from the declared inputs. A composition
    of polynomials [LLNK22] stands for the sign: with an error of at most 2^-bits, or of the given odd
    `degrees`, or else chosen together with the parameters, for the precision that is asked for then. It takes
    about log2(range / margin) + log2(bits) levels and a few more.

    Of integers, the sign is exact, 0 where they are 0, and takes no margin.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=-1, high=1))(lambda x: fh.sign(x, margin=0.1))
        >>> app(x=[-1, 0.1, 0.5])
        array([-1.,  1.,  1.])
    """
    if exact.integers(x):
        exact.exactly("sign", margin=margin, low=low, high=high, bits=bits, degrees=degrees)
        found: Vector = (x > 0) - (x < 0)
        return found
    return _compared(SIGN, encrypted(x, "sign"), margin, low, high, bits, degrees)


def greater(
    x: Any,
    y: Any,
    margin: float | None = None,
    *,
    bits: float | None = None,
    degrees: Sequence[int] | None = None,
) -> Vector:
    """1 for each element where x > y, else 0: encrypted vectors, one of which may be plain.

    The caller promises that x and y differ by at least `margin` everywhere; where they do not, the result is
    anything from 0 to 1. The rest is as for `sign`. A product with the result selects: see `where`. Integers
    are compared exactly, without a margin: x > y.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=-1, high=1))(lambda x: fh.greater(x, 0.2, margin=0.1))
        >>> app(x=[-1, 0.1, 0.5])
        array([0., 0., 1.])
    """
    if exact.integers(x, y):
        exact.exactly("greater", margin=margin, bits=bits, degrees=degrees)
        larger: Vector = y < x if isinstance(y, Vector) else x > y
        return larger
    return _compared(GREATER, _difference(x, y, "greater"), margin, None, None, bits, degrees)


def where(mask: Any, a: Any, b: Any) -> Any:
    """a where the mask is 1, b where it is 0, element by element. The mask is encrypted, as `greater` or
    a comparison of integers makes it, or plain. Where all are plain, so is the result.

    Example:
        >>> chosen = lambda x: fh.where(fh.greater(x, 0, margin=0.1), x, 2)
        >>> app = fh.app(x=fh.reals(3, low=-1, high=1))(chosen)
        >>> app(x=[-1, -0.1, 0.5])
        array([2. , 2. , 0.5])
    """
    no_declaration(mask, a, b)
    if exact.integers(mask, a, b) and (selected := exact.where(mask, a, b)) is not None:
        return selected
    if _plain(mask, a, b):
        return np.where(mask, a, b)
    if isinstance(mask, Vector):
        exact.only_zeros_and_ones(mask)
        both = (a - b) if isinstance(a, Vector) or isinstance(b, Vector) else np.subtract(a, b)
        chosen: Vector = mask * both + b
        return chosen
    weights = _zeros_and_ones(mask, np.int64 if exact.integers(a, b) else np.float64)
    mixed: Vector = _weighted(a, weights) + _weighted(b, 1 - weights)
    return mixed


def relu(
    x: Vector,
    low: float | None = None,
    high: float | None = None,
    *,
    bits: float | None = None,
    degrees: Sequence[int] | None = None,
) -> Vector:
    """The larger one of each element and 0, for elements in [low, high]; by default in the range that follows
    from the declared inputs.

    It is x (1 + s(x)) / 2 with a composition of polynomials s for the sign [LLKKN22]. No margin is needed:
    where x is too close to 0 for s, the error is at most a fraction of x itself. It is at most 2^-bits of the
    larger end of the range, or what the given odd `degrees` leave; by default they are chosen together with
    the parameters, for the precision that is asked for then. Of integers, it is exact.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=-1, high=1))(lambda x: fh.relu(x))
        >>> app(x=[-1, 0, 0.5])
        array([0. , 0. , 0.5])
    """
    if exact.integers(x):
        exact.exactly("relu", low=low, high=high, bits=bits, degrees=degrees)
        return exact.maximum(x, 0)
    return _kink(RELU, encrypted(x, "relu"), low, high, bits, degrees)


def absolute(
    x: Vector,
    low: float | None = None,
    high: float | None = None,
    *,
    degree: int | None = None,
    bits: float | None = None,
    degrees: Sequence[int] | None = None,
) -> Vector:
    """|x| for elements in [low, high], as x s(x) with a composition of polynomials s for the sign; the rest
    is as for `relu`. With `degree`, it is a Chebyshev series of that degree instead, which converges
    slowly. Of integers, it is exact: abs(x).

    Example:
        >>> app = fh.app(x=fh.reals(3, low=-1, high=1))(lambda x: fh.absolute(x))
        >>> app(x=[-1, 0, 0.5])
        array([1. , 0. , 0.5])
    """
    x = encrypted(x, "absolute")
    if exact.integers(x):
        exact.exactly("absolute", low=low, high=high, degree=degree, bits=bits, degrees=degrees)
        return exact.maximum(x, -x)
    if degree is not None:
        return absolute_series(x, low, high, degree, bits)
    return _kink(ABSOLUTE, x, low, high, bits, degrees)


def maximum(a: Any, b: Any, *, bits: float | None = None, degrees: Sequence[int] | None = None) -> Any:
    """The larger one of two values, element by element: encrypted vectors, one of which may be plain.

    It is b + relu(a - b), whose error is that of `relu` on the range of a - b. Of integers, it is exact.
    Where both are plain, as at the borders of a recursion, so is the result.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=-1, high=1))(lambda x: fh.maximum(x, [0, 0, 1]))
        >>> app(x=[-1, 0.5, 0.5])
        array([0. , 0.5, 1. ])
    """
    if exact.integers(a, b):
        exact.exactly("maximum", bits=bits, degrees=degrees)
        return exact.maximum(a, b)
    if _plain(a, b):
        return np.maximum(a, b)
    larger = _kink(RELU, _difference(a, b, "maximum"), None, None, bits, degrees)
    return larger.__radd__(b)


def minimum(a: Any, b: Any, *, bits: float | None = None, degrees: Sequence[int] | None = None) -> Any:
    """The smaller one of two values, element by element; a - relu(a - b), as in `maximum`.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=-1, high=1))(lambda x: fh.minimum(x, [0, 0, 1]))
        >>> app(x=[-1, 0.5, 0.5])
        array([-1. ,  0. ,  0.5])
    """
    if exact.integers(a, b):
        exact.exactly("minimum", bits=bits, degrees=degrees)
        return exact.minimum(a, b)
    if _plain(a, b):
        return np.minimum(a, b)
    larger = _kink(RELU, _difference(a, b, "minimum"), None, None, bits, degrees)
    return larger.__rsub__(a)


def argmax(
    x: Vector,
    margin: float | None = None,
    *,
    bits: float | None = None,
    degrees: Sequence[int] | None = None,
) -> Vector:
    """1 in the place of the largest element, 0 in all others: fh.inner_product(result, range(len(x))) is its
    index.

    The caller promises that any two elements differ by at least `margin`. Each element is compared with all
    others, half of the comparisons standing for both sides, and the results are multiplied. Integers are
    compared exactly, without a margin; the first of several equal ones counts as the largest.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=-1, high=1))(lambda x: fh.argmax(x, margin=0.1))
        >>> app(x=[-1, 0.9, 0.5])
        array([0., 1., 0.])
    """
    x = several(x, "argmax")
    if exact.integers(x):
        exact.exactly("argmax", margin=margin, bits=bits, degrees=degrees)
        return exact.argmax(x)
    n, larger = len(x), replace(GREATER, name="argmax")
    wins: list[Vector] = []
    for steps in range(1, n // 2 + 1):
        won = _compared(larger, x - x.rotate(steps), margin, None, None, bits, degrees)
        wins.append(won)
        if steps != n - steps:
            wins.append(1 - won.rotate(n - steps))
    while len(wins) > 1:  # in pairs, so that the depth is least
        wins = [a * b for a, b in zip(wins[::2], wins[1::2], strict=False)] + wins[len(wins) & ~1 :]
    return wins[0]


def _compared(
    shape: Shape,
    x: Vector,
    margin: Any,
    low: float | None,
    high: float | None,
    bits: float | None,
    degrees: Sequence[int] | None,
) -> Vector:
    """The function of that shape, which jumps at 0, of x."""
    bound = _bound(shape, x, low, high)
    number = isinstance(margin, int | float | np.integer | np.floating) and not isinstance(margin, bool)
    if not number or not 0 < margin < bound:
        _no_margin(shape, margin, bound)
    return derive(Op.CHEBYSHEV, x, attribute=composition(shape, bound, float(margin), bits, degrees))


def _no_margin(shape: Shape, margin: Any, bound: float) -> Never:
    said = "none is given" if margin is None else f"given: margin={margin!r}"
    fail(
        f"fh.{shape.name} needs the margin by which its arguments differ at least, above 0 and below"
        f" {bound:g}, the largest difference; {said}",
        f"Write margin={0.01 * bound:.1g}, for example: a smaller one takes more levels. fh.maximum,"
        " fh.minimum, fh.relu and fh.sort need none.",
    )


def _kink(
    shape: Shape,
    x: Vector,
    low: float | None,
    high: float | None,
    bits: float | None,
    degrees: Sequence[int] | None,
) -> Vector:
    """The function of that shape, which has a kink at 0, of x; x itself where no element is negative."""
    bound = _bound(shape, x, low, high)
    if (range_of(x)[0] if low is None else low) >= 0:
        return x
    return derive(Op.CHEBYSHEV, x, attribute=composition(shape, bound, 0.0, bits, degrees))


def composition(
    shape: Shape, bound: float, margin: float, bits: float | None, degrees: Sequence[int] | None
) -> Chebyshev:
    """The composition of that shape on [-bound, bound], of the given precision or degrees, or with open
    ones."""
    if bits is not None and degrees is not None:
        fail(f"{shape.name} was given both degrees= and bits=, each of which is enough", "Give one of them.")
    found = opened(shape, bound, margin)
    if degrees is not None:
        return of_degrees(found, _degrees(degrees))
    return found if bits is None else _of_bits(shape, bound, margin, precision_of(bits))


def _of_bits(shape: Shape, bound: float, margin: float, bits: float) -> Chebyshev:
    """The cheapest composition of that precision; CircuitError where none has it."""
    found = for_bits(shape, bound, margin, bits)
    has = -log2(relative_error(found))
    if has < bits - _LITTLE_BITS:
        where = f", with a margin of {margin:g}" if margin else ""
        wider = ", a larger margin or a narrower range" if margin else ""
        fail(
            f"no composition of up to {MOST_LEVELS} levels gives {shape.name} the {bits:g} bits of precision"
            f" that are asked for on [{-bound:g}, {bound:g}]{where}: the best has {has:.1f}",
            f"Give bits={floor(10 * has) / 10:g} or fewer{wider}.",
        )
    return found


def _degrees(given: Any) -> Composition:
    known = isinstance(given, list | tuple) and bool(given) and all(d in RELINEARISATIONS for d in given)
    if not known or Composition(given).levels > MOST_LEVELS:
        fail(
            f"the degrees of a composition are some of {listing([str(d) for d in RELINEARISATIONS])}, in up"
            f" to {MOST_LEVELS} levels, not {given!r}",
            "Write degrees=[7, 15], or leave it out: the search chooses.",
        )
    return Composition(int(d) for d in given)


def _bound(shape: Shape, x: Vector, low: Any, high: Any) -> float:
    """The largest size of x's elements, in the interval that is given or in the one that follows for them."""
    if x.node.kind is Kind.INTEGER:
        fail(
            f"{shape.name} takes reals, since it is computed by polynomials with real coefficients",
            "Declare the input with fh.reals, and use CKKS.",
        )
    ends = range_of(x) if low is None and high is None else interval_of(shape.name, low, high)
    bound = max(map(abs, ends))
    if not isfinite(bound) or bound >= LARGEST:
        fail(
            f"the range of what {shape.name} takes is not known",
            f"Write fh.{shape.name}(x, low=..., high=...).",
        )
    if not bound:
        fail(f"what {shape.name} takes is 0 for all inputs", "Compare values that differ.")
    return float(bound)


def range_of(x: Vector) -> Interval:
    """The interval that follows from the declared inputs."""
    return Ranges(_known).of(x.node)


def _plain(*values: Any) -> bool:
    no_declaration(*values)
    return not any(isinstance(v, Vector) for v in values)


def _difference(a: Any, b: Any, function: str) -> Vector:
    if _plain(a, b):
        fail(
            f"fh.{function} takes encrypted vectors, but neither is encrypted", f"Write fh.{function}(x, y)."
        )
    found: Vector = a - b
    return found


def _zeros_and_ones(mask: Any, dtype: type) -> NDArray[Any]:
    """A plain mask as numbers, each of which is 0 or 1; else CircuitError."""
    given = np.asarray(mask)
    kept = given[(given != 0) & (given != 1)].ravel()
    if kept.size:
        fail(
            f"the plain mask of fh.where has zeros and ones, or truth values, not {kept[0]}",
            "Write fh.where(mask == 1, a, b), for example; a * w + b * (1 - w) weighs by other numbers.",
        )
    return np.asarray(given, dtype=dtype)


def _weighted(values: Any, weights: NDArray[Any]) -> Any:
    return values * weights if isinstance(values, Vector) else np.multiply(values, weights)


def several(given: Any, function: str) -> Vector:
    """The vector, if it has few enough elements to compare each with others; else CircuitError."""
    x = encrypted(given, function)
    if not 1 < len(x) <= MOST_COMPARED:
        fail(
            f"fh.{function} takes 2 to {MOST_COMPARED} elements, not {len(x):,}",
            "The comparisons in a row grow with the elements: compare a part of them, such as x[:16].",
        )
    return x
