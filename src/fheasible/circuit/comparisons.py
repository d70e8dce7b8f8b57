"""Comparisons of encrypted reals, and what is made of them, by compositions of polynomials (`jumps.py`).

A comparison jumps where both sides are equal, and no polynomial does. So `sign`, `greater` and `argmax` take the
`margin` that the user promises: the least distance from a tie. They are right there, and anything between their
two values nearer to a tie. `relu`, `absolute`, `maximum`, `minimum` and `sort` are continuous and need no margin.
They are a little off near a tie, by no more than the precision that is asked for: the search (or `bits`) chooses
how near to a tie their polynomials still tell both sides apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, Never
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.composition import MOST_LEVELS, PRODUCTS, Composition
from fheasible.circuit.declared import LARGEST, no_declaration
from fheasible.circuit.functions import absolute_series, encrypted, interval_of, precision_of
from fheasible.circuit.jumps import (
    ABSOLUTE,
    EXCHANGE,
    GREATER,
    RELU,
    SIGN,
    Shape,
    for_bits,
    of_degrees,
    opened,
)
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.node import Chebyshev, Kind, Node, Op
from fheasible.circuit.ranges import Interval, Ranges
from fheasible.circuit.refusals import fail
from fheasible.circuit.vector import Vector, derive, multiplied
from fheasible.units import listing

MOST_COMPARED = 64  # elements of a vector that is sorted, or whose largest element is found
_BEYOND = 1 + 2.0**-5  # times an interval: how far errors may take what has been exchanged before
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

    Elements lie in [low, high], by default in the range that follows from the declared inputs. A composition of
    polynomials [LLNK22] stands for the sign: with an error of at most 2^-bits, or of the given odd `degrees`, or
    else chosen together with the parameters, for the precision that is asked for then. It takes about
    log2(range / margin) + log2(bits) levels and a few more.
    """
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
    anything from 0 to 1. The rest is as for `sign`. A product with the result selects: see `where`.
    """
    return _compared(GREATER, _difference(x, y, "greater"), margin, None, None, bits, degrees)


def where(mask: Any, a: Any, b: Any) -> Vector:
    """a where the mask is 1, b where it is 0, element by element. The mask is encrypted, as `greater` makes it, or
    plain."""
    no_declaration(mask, a, b)
    if not any(isinstance(v, Vector) for v in (mask, a, b)):
        fail("fh.where takes an encrypted vector, but neither mask nor values are encrypted", "Use np.where.")
    if isinstance(mask, Vector):
        both = (a - b) if isinstance(a, Vector) or isinstance(b, Vector) else np.subtract(a, b)
        return mask * both + b
    chosen = np.asarray(mask, dtype=np.float64)
    return _weighted(a, chosen) + _weighted(b, 1 - chosen)


def relu(
    x: Vector,
    low: float | None = None,
    high: float | None = None,
    *,
    bits: float | None = None,
    degrees: Sequence[int] | None = None,
) -> Vector:
    """The larger one of each element and 0, for elements in [low, high]; by default in the range that follows from
    the declared inputs.

    It is x (1 + s(x)) / 2 with a composition of polynomials s for the sign [LLKKN22]. No margin is needed: where x
    is too close to 0 for s, the error is at most a fraction of x itself. It is at most 2^-bits of the larger end
    of the range, or what the given odd `degrees` leave; by default they are chosen together with the parameters,
    for the precision that is asked for then.
    """
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
    """|x| for elements in [low, high], as x s(x) with a composition of polynomials s for the sign; the rest is as
    for `relu`. With `degree`, it is a Chebyshev series of that degree instead, which converges slowly."""
    x = encrypted(x, "absolute")
    if degree is not None:
        return absolute_series(x, low, high, degree, bits)
    return _kink(ABSOLUTE, x, low, high, bits, degrees)


def maximum(a: Any, b: Any, *, bits: float | None = None, degrees: Sequence[int] | None = None) -> Vector:
    """The larger one of two values, element by element: encrypted vectors, one of which may be plain.

    It is b + relu(a - b), whose error is that of `relu` on the range of a - b.
    """
    larger = _kink(RELU, _difference(a, b, "maximum"), None, None, bits, degrees)
    return b + larger


def minimum(a: Any, b: Any, *, bits: float | None = None, degrees: Sequence[int] | None = None) -> Vector:
    """The smaller one of two values, element by element; a - relu(a - b), as in `maximum`."""
    larger = _kink(RELU, _difference(a, b, "minimum"), None, None, bits, degrees)
    return a - larger


def argmax(
    x: Vector,
    margin: float | None = None,
    *,
    bits: float | None = None,
    degrees: Sequence[int] | None = None,
) -> Vector:
    """1 in the place of the largest element, 0 in all others: fh.inner_product(result, range(len(x))) is its index.

    The caller promises that any two elements differ by at least `margin`. Each element is compared with all
    others, half of the comparisons standing for both sides, and the results are multiplied.
    """
    x = _several(x, "argmax")
    n = len(x)
    wins: list[Vector] = []
    for steps in range(1, n // 2 + 1):
        won = greater(x, x.rotate(steps), margin, bits=bits, degrees=degrees)
        wins.append(won)
        if steps != n - steps:
            wins.append(1 - won.rotate(n - steps))
    while len(wins) > 1:  # in pairs, so that the depth is least
        wins = [a * b for a, b in zip(wins[::2], wins[1::2], strict=False)] + wins[len(wins) & ~1 :]
    return wins[0]


def sort(x: Any, *, bits: float | None = None, degrees: Sequence[int] | None = None) -> Any:
    """The elements of a vector in ascending order, or of several vectors element by element, as a list of vectors.

    A network of exchanges sorts whatever the values are [Bat68]: one exchange after the other for n values in
    ceil(log2 n) (ceil(log2 n) + 1) / 2 layers. The errors of all layers add up. Each is as that of `maximum`.
    """
    if isinstance(x, list | tuple):
        return _sorted_vectors(list(x), bits, degrees)
    x = _several(x, "sort")
    low, high = _range(x)
    bound = (high - low) * _BEYOND
    found = _composition(EXCHANGE, bound, 0.0, bits, degrees) if bound else None
    for layer in layers(len(x)) if found else ():
        x = _exchanged(x, layer, found)
    return x


Pair = tuple[int, int]


def layers(n: int) -> list[list[Pair]]:
    """The exchanges that sort n values, by layers of pairs that have nothing in common [Bat68]: the smaller one of
    each pair goes to the first place."""
    found: list[list[Pair]] = []
    p = 1
    while p < n:
        k = p
        while k >= 1:
            layer = [
                (i + j, i + j + k)
                for j in range(k % p, n - k, 2 * k)
                for i in range(min(k, n - j - k))
                if (i + j) // (2 * p) == (i + j + k) // (2 * p)
            ]
            found.append(layer)
            k //= 2
        p *= 2
    return found


def _exchanged(x: Vector, layer: list[Pair], found: Chebyshev | None) -> Vector:
    """x with the elements of each pair in ascending order: x less its distance from its partner, times 1 where the
    two are in the wrong order."""
    first, second = (np.array(side) for side in zip(*layer, strict=True))
    rows, ends = np.concatenate([first, second]), np.concatenate([second, first])
    ones = np.ones(len(rows))
    distance = _matrix(x, rows, rows, ends, ones)
    order = _matrix(x, rows, rows, ends, np.concatenate([ones[: len(first)], -ones[: len(first)]]))
    wrong = derive(Op.CHEBYSHEV, order, attribute=found)
    return x - distance * wrong


def _matrix(x: Vector, rows: Any, plus: Any, minus: Any, weights: NDArray[np.float64]) -> Vector:
    """In each of these rows, the weight times the difference of two elements of x; 0 in the others."""
    values = np.concatenate([weights, -weights])
    shape = (len(x), len(x))
    return multiplied(Matrix(shape, np.tile(rows, 2), np.concatenate([plus, minus]), values), x)


def _sorted_vectors(values: list[Any], bits: float | None, degrees: Sequence[int] | None) -> list[Any]:
    if not 1 < len(values) <= MOST_COMPARED or not any(isinstance(v, Vector) for v in values):
        fail(
            f"fh.sort takes a vector, or 2 to {MOST_COMPARED} vectors, at least one of them encrypted",
            "Write fh.sort(x), or fh.sort([x, y, z]).",
        )
    for i, j in (pair for layer in layers(len(values)) for pair in layer):
        a, b = values[i], values[j]
        if isinstance(a, Vector) or isinstance(b, Vector):
            values[i], values[j] = (f(a, b, bits=bits, degrees=degrees) for f in (minimum, maximum))
        else:
            values[i], values[j] = np.minimum(a, b), np.maximum(a, b)
    return values


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
    return derive(Op.CHEBYSHEV, x, attribute=_composition(shape, bound, float(margin), bits, degrees))


def _no_margin(shape: Shape, margin: Any, bound: float) -> Never:
    said = "none is given" if margin is None else f"given: margin={margin!r}"
    fail(
        f"fh.{shape.name} needs the margin by which its arguments differ at least, above 0 and below {bound:g}, the"
        f" largest difference; {said}",
        f"Write margin={0.01 * bound:.1g}, for example: a smaller one takes more levels. fh.maximum, fh.minimum,"
        " fh.relu and fh.sort need none.",
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
    if (_range(x)[0] if low is None else low) >= 0:
        return x
    return derive(Op.CHEBYSHEV, x, attribute=_composition(shape, bound, 0.0, bits, degrees))


def _composition(
    shape: Shape, bound: float, margin: float, bits: float | None, degrees: Sequence[int] | None
) -> Chebyshev:
    if bits is not None and degrees is not None:
        fail(f"{shape.name} was given both degrees= and bits=, each of which is enough", "Give one of them.")
    found = opened(shape, bound, margin)
    if degrees is not None:
        return of_degrees(found, _degrees(degrees))
    return found if bits is None else for_bits(shape, bound, margin, precision_of(bits))


def _degrees(given: Any) -> Composition:
    known = isinstance(given, list | tuple) and bool(given) and all(d in PRODUCTS for d in given)
    if not known or Composition(given).levels > MOST_LEVELS:
        fail(
            f"the degrees of a composition are some of {listing([str(d) for d in PRODUCTS])}, in up to"
            f" {MOST_LEVELS} levels, not {given!r}",
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
    ends = _range(x) if low is None and high is None else interval_of(shape.name, low, high)
    bound = max(map(abs, ends))
    if not isfinite(bound) or bound >= LARGEST:
        fail(
            f"the range of what {shape.name} takes is not known",
            f"Write fh.{shape.name}(x, low=..., high=...).",
        )
    if not bound:
        fail(f"what {shape.name} takes is 0 for all inputs", "Compare values that differ.")
    return float(bound)


def _range(x: Vector) -> Interval:
    return Ranges(_known).of(x.node)


def _difference(a: Any, b: Any, function: str) -> Vector:
    no_declaration(a, b)
    if not isinstance(a, Vector) and not isinstance(b, Vector):
        fail(
            f"fh.{function} takes encrypted vectors, but neither is encrypted", f"Write fh.{function}(x, y)."
        )
    found: Vector = a - b
    return found


def _weighted(values: Any, weights: NDArray[np.float64]) -> Any:
    return values * weights if isinstance(values, Vector) else np.multiply(values, weights)


def _several(x: Any, function: str) -> Vector:
    x = encrypted(x, function)
    if not 1 < len(x) <= MOST_COMPARED:
        fail(
            f"fh.{function} takes 2 to {MOST_COMPARED} elements, not {len(x):,}",
            "The number of comparisons in a row grows with the elements: compare a part of them, such as x[:16].",
        )
    return x
