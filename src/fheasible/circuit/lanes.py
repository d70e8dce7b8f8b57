"""Single elements that are computed alone, as elements of vectors: x[3] * y[3] is element 3 of x * y.

Loops over elements become operations on whole vectors so, where enough of the elements are added up or put
side by side (`like_terms.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Array
from fheasible.circuit.modulus import centred
from fheasible.circuit.node import Kind, Node, Op, node
from fheasible.circuit.simplify import add, constant, multiply, negate, simplified

_MOST_SUMS = 1 << 16  # times a value that sums make of it: twice as many bits
_MOST = 2**62  # integers beyond it stay as they are written
_ELEMENTWISE = (
    Op.ADD,
    Op.SUBTRACT,
    Op.MULTIPLY,
    Op.NEGATE,
    Op.POWER,
    Op.POLYNOMIAL,
    Op.CHEBYSHEV,
    Op.DISCRETE,
)


class Lane(NamedTuple):
    """The element of a vector in a place, times a plain number. `promising`: whether something was promised
    of it, which the user's elements alone need to keep."""

    vector: Node
    place: int
    by: Any
    promising: bool = False


class Row(NamedTuple):
    """A weighted sum of elements of a vector, those in these places. `promising`: as of its lane."""

    vector: Node
    places: NDArray[np.int64]
    weights: Array
    promising: bool = False


def row_of(n: Node, made: Node, known: Mapping[Node, Lane]) -> Row | None:
    """The node as a weighted sum of a vector's elements; None where it is none."""
    if n.length > 1:
        return None
    if made.op is not Op.SUM:
        found = known.get(n)
        return found and Row(found.vector, np.array([found.place]), np.array([found.by]), found.promising)
    (whole,) = made.args
    if whole.op is Op.MULTIPLY and whole.args[1].op is Op.CONSTANT and whole.args[0].length == whole.length:
        weights = np.broadcast_to(whole.args[1].attribute.array, (whole.length,))
        places = np.flatnonzero(weights)
        return Row(whole.args[0], places, weights[places])
    return Row(whole, np.arange(whole.length), np.ones(whole.length, dtype=np.int64))


def lane(n: Node, made: Node, known: Mapping[Node, Lane], modulus: int | None) -> Lane | None:
    """The node as an element of a vector; None where it is none. `made` is the node rebuilt, and its operands
    are `known`."""
    if n.length > 1:
        return None
    if made.op is Op.SUM and (picked := _picked(made)) is not None:
        return picked
    if n.op not in _ELEMENTWISE or not any(a in known for a in n.args):
        return None
    lanes = [known.get(a) for a in n.args]
    if any(found is None and a.op is not Op.CONSTANT for a, found in zip(n.args, lanes, strict=True)):
        return None
    found = _product(n, lanes) if n.op in (Op.MULTIPLY, Op.NEGATE) else _computed(n, lanes, modulus)
    if found is None or n.kind is not found.vector.kind:
        return None
    by = int(centred(np.array([found.by], dtype=object), modulus)[0]) if modulus is not None else found.by
    return found._replace(by=by) if abs(by) < _MOST else None


def _picked(n: Node) -> Lane | None:
    """An element that is picked from a vector."""
    if n.args[0].op is not Op.MULTIPLY:
        return None
    x, plain = n.args[0].args
    if plain.op is not Op.CONSTANT or not x.length == plain.length > 1:
        return None
    places = np.flatnonzero(plain.attribute.array)
    if len(places) != 1 or plain.attribute.array[places[0]] != 1:
        return None
    return Lane(x, int(places[0]), 1)


def _product(n: Node, lanes: list[Lane | None]) -> Lane | None:
    """A product with a plain number multiplies that of the element; a product of elements both numbers."""
    first = lanes[0]
    if first is None:
        return None
    if n.op is Op.NEGATE:
        return first._replace(by=-first.by)
    second = lanes[1]
    if second is None:
        return first._replace(by=first.by * n.args[1].attribute.array[0].item())
    other = _moved(second, first)
    if other is None:
        return None
    vector = multiply(first.vector, other.vector, where=n.where)
    return Lane(vector, first.place, first.by * other.by, first.promising or other.promising)


def _computed(n: Node, lanes: list[Lane | None], modulus: int | None) -> Lane | None:
    first = next(found for found in lanes if found is not None)
    args = []
    for a, found in zip(n.args, lanes, strict=True):
        if found is None:
            args.append(a)
            continue
        other = _moved(found, first)
        if other is None:
            return None
        args.append(multiple(other.vector, other.by, n.where))
    length = first.vector.length
    whole = node(n.op, *args, attribute=n.attribute, length=length, kind=n.kind, where=n.where)
    vector = simplified(whole, tuple(args), modulus)
    if vector.length != length or vector.op is Op.CONSTANT:
        return None
    promising = n.op is Op.CHEBYSHEV or any(found.promising for found in lanes if found)
    return Lane(vector, first.place, 1, promising)


def multiple(x: Node, by: Any, where: str = "") -> Node:
    """x times a plain number. Of reals, a whole number of them is made by sums, which take no level."""
    if x.kind is Kind.INTEGER or by % 1 or not 1 < abs(by) < _MOST_SUMS:
        return multiply(x, constant([by], x.kind), where=where)
    result: Node | None = None
    for digit in f"{int(abs(by)):b}":
        result = add(result, result, where=where) if result is not None else None
        if digit == "1":
            result = x if result is None else add(result, x, where=where)
    assert result is not None
    return negate(result, where=where) if by < 0 else result


def _moved(found: Lane, to: Lane) -> Lane | None:
    """The same element, of a vector that is rotated so that it stands where the other one stands."""
    length = to.vector.length
    if found.vector.length != length:
        return None
    steps = (found.place - to.place) % length
    if not steps:
        return found
    x = found.vector
    turn = node(Op.ROTATE, x, attribute=steps, length=length, kind=x.kind, where=x.where)
    return found._replace(vector=simplified(turn, (x,)), place=to.place)
