"""Single elements that are computed alone, as elements of vectors: x[3] * y[3] is element 3 of x * y, and
x[3] - 0.7 is element 3 of x less a plain vector. A number that is no element of such a vector (a sum, or an
element of a shorter one) meets each of its elements: x[3] * k is element 3 of x * k.

Loops over elements become operations on whole vectors so, where several of the elements are added up or put
side by side (`like_terms.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Array
from fheasible.circuit.modulus import centred
from fheasible.circuit.node import Kind, Node, Op, node
from fheasible.circuit.simplify import add, constant, multiply, negate, simplified

_LARGEST = 48  # operations of a form, with those that it shares counted each time
_MOST_SUMS = 1 << 16  # times a value that sums make of it: twice as many bits
_MOST = 2**62  # integers beyond it stay as they are written
_ARITHMETIC = (Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.NEGATE, Op.POWER)
_ELEMENTWISE = (*_ARITHMETIC, Op.POLYNOMIAL, Op.CHEBYSHEV, Op.DISCRETE)


class Form(NamedTuple):
    """An operation on whole vectors, in which plain numbers are open: they may differ from element to
    element. Its operands are forms, vectors, single numbers that meet every element, or None for a plain one.
    `times`: in place of an operation, the multiple of the operand."""

    op: Op
    kind: Kind
    args: tuple[Form | Node | None, ...]
    attribute: Any = None
    times: Any = None


class Lane(NamedTuple):
    """The element of a vector in a place, times a plain number. `plain`: the open numbers of the form.
    `promising`: whether something was promised of it, which the user's elements alone need to keep. `size`:
    the form's operations. `deeper`: whether the vector may be computed a level later than the element, since
    a number that is computed meets all its elements before they are picked."""

    form: Form | Node
    length: int
    place: int
    by: Any
    plain: tuple[Any, ...] = ()
    promising: bool = False
    size: int = 1
    deeper: bool = False


class Row(NamedTuple):
    """A weighted sum of elements of a vector, those in these places. The others are as of a lane."""

    form: Form | Node
    length: int
    places: NDArray[np.int64]
    weights: Array
    plain: tuple[Any, ...] = ()
    promising: bool = False
    deeper: bool = False


def row_of(n: Node, made: Node, known: Mapping[Node, Lane]) -> Row | None:
    """The node as a weighted sum of a vector's elements; None where it is none."""
    if n.length > 1:
        return None
    if made.op is not Op.SUM:
        own = known.get(n)
        return own and Row(
            own.form, own.length, np.array([own.place]), np.array([own.by]), own.plain, own.promising,
            own.deeper,
        )  # fmt: skip
    (whole,) = made.args
    if whole.op is Op.MULTIPLY and whole.args[1].op is Op.CONSTANT and whole.args[0].length == whole.length:
        weights = np.broadcast_to(whole.args[1].attribute.array, (whole.length,))
        places = np.flatnonzero(weights)
        return Row(whole.args[0], whole.length, places, weights[places])
    return Row(whole, whole.length, np.arange(whole.length), np.ones(whole.length, dtype=np.int64))


def vector_of(several: Sequence[Row], modulus: int | None, where: str) -> Node:
    """The vector of rows of one form, which have the same plain numbers wherever they have the same place.
    Elsewhere, these are those of the first row, so that nothing leaves the range of what is used. `where`:
    the user's line that computes such an element."""
    first = several[0]
    if isinstance(first.form, Node):
        return first.form
    columns = [np.full(first.length, number, dtype=object) for number in first.plain]
    for row in several:
        for column, number in zip(columns, row.plain, strict=True):
            column[row.places] = number
    return _built(first.form, iter(columns), first.length, modulus, where)


def _built(form: Form, plain: Iterator[Array], length: int, modulus: int | None, where: str) -> Node:
    args = []
    for a in form.args:
        if a is None:
            args.append(
                constant(next(plain).astype(np.float64 if form.kind is Kind.REAL else np.int64), form.kind)
            )
        else:
            args.append(a if isinstance(a, Node) else _built(a, plain, length, modulus, where))
    if form.times is not None:
        return multiple(args[0], form.times, where)
    whole = node(form.op, *args, attribute=form.attribute, length=length, kind=form.kind, where=where)
    return simplified(whole, tuple(args), modulus)


def multiple(x: Node, by: Any, where: str = "") -> Node:
    """x times a plain number. Of reals, a whole number of them is made by sums, which take no level."""
    if not _is_multiple(x.kind, by):
        return multiply(x, constant([by], x.kind), where=where)
    result: Node | None = None
    for digit in f"{int(abs(by)):b}":
        result = add(result, result, where=where) if result is not None else None
        if digit == "1":
            result = x if result is None else add(result, x, where=where)
    assert result is not None
    return negate(result, where=where) if by < 0 else result


def _is_multiple(kind: Kind, by: Any) -> bool:
    return kind is Kind.REAL and not by % 1 and 1 < abs(by) < _MOST_SUMS


def lane(n: Node, made: Mapping[Node, Node], known: Mapping[Node, Lane], modulus: int | None) -> Lane | None:
    """The node as an element of a vector; None where it is none. `made` has the node and its operands
    rebuilt, and those that are elements are `known`."""
    if n.length > 1:
        return None
    if made[n].op is Op.SUM and (picked := _picked(made[n])) is not None:
        return picked
    if (
        n.op not in _ELEMENTWISE
        or not any(a in known for a in n.args)
        or any(a.kind is not n.kind for a in n.args)
    ):
        return None
    lanes = [known.get(a) for a in n.args]
    if sum(own.size for own in lanes if own) >= _LARGEST:
        return None
    first = max((own for own in lanes if own), key=lambda own: own.length)
    operands = [made[a] for a in n.args]
    lanes = [
        own if own and own.length == first.length else _meeting(a, first)
        for a, own in zip(operands, lanes, strict=True)
    ]
    compute = _product if n.op in (Op.MULTIPLY, Op.NEGATE) else _computed
    found = compute(n, operands, lanes)
    of = [own for own in lanes if own]
    found = found._replace(size=1 + sum(own.size for own in of), deeper=any(own.deeper for own in of))
    by = int(centred(np.array([found.by], dtype=object), modulus)[0]) if modulus is not None else found.by
    return found._replace(by=by) if abs(by) < _MOST else None


def _meeting(number: Node, first: Lane) -> Lane | None:
    """A number that meets every element, as one that stands wherever the element `first` does; None for a
    plain one."""
    if number.op is Op.CONSTANT:
        return None
    return Lane(number, first.length, first.place, 1, size=0, deeper=number.op is not Op.INPUT)


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
    return Lane(x, x.length, int(places[0]), 1)


def _product(n: Node, operands: Sequence[Node], lanes: Sequence[Lane | None]) -> Lane:
    """A product with a plain number multiplies that of the element; a product of elements both numbers."""
    first = next(own for own in lanes if own is not None)
    if n.op is Op.NEGATE:
        return first._replace(by=-first.by)
    plain = next((a for a, own in zip(operands, lanes, strict=True) if own is None), None)
    if plain is not None:
        return first._replace(by=first.by * _number(plain))
    second = lanes[1]
    assert second is not None
    other = _moved(second, first)
    return first._replace(
        form=Form(n.op, n.kind, (first.form, other.form)), by=first.by * other.by,
        plain=(*first.plain, *other.plain), promising=first.promising or other.promising,
    )  # fmt: skip


def _computed(n: Node, operands: Sequence[Node], lanes: Sequence[Lane | None]) -> Lane:
    first = next(own for own in lanes if own is not None)
    args, plain = list[Form | Node | None](), list[Any]()
    for a, own in zip(operands, lanes, strict=True):
        if own is None:
            args.append(None)
            plain.append(_number(a))
            continue
        other = _moved(own, first)
        plain += other.plain
        if other.by == 1:
            args.append(other.form)
        elif _is_multiple(n.kind, other.by) or other.by == -1:
            args.append(Form(Op.MULTIPLY, n.kind, (other.form,), times=other.by))
        else:
            args.append(Form(Op.MULTIPLY, n.kind, (other.form, None)))
            plain.append(other.by)
    promising = n.op is Op.CHEBYSHEV or any(own.promising for own in lanes if own)
    form = Form(n.op, n.kind, tuple(args), n.attribute)
    return Lane(form, first.length, first.place, 1, tuple(plain), promising)


def _number(plain: Node) -> Any:
    return plain.attribute.array[0].item()


def _moved(own: Lane, to: Lane) -> Lane:
    """The same element, of a vector that is rotated so that it stands where the other one stands."""
    steps = (own.place - to.place) % own.length
    return own._replace(form=_turned(own.form, steps, own.length), place=to.place) if steps else own


def _turned(form: Form | Node, steps: int, length: int) -> Form | Node:
    if isinstance(form, Form):
        turned = (a if a is None else _turned(a, steps, length) for a in form.args)
        return form._replace(args=tuple(turned))
    if form.length == 1:  # it meets every element
        return form
    turn = node(Op.ROTATE, form, attribute=steps, length=length, kind=form.kind, where=form.where)
    return simplified(turn, (form,))
