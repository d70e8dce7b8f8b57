"""Derivatives of a circuit's outputs by its inputs, in one backward pass through the values of its nodes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.circuit.chebyshev import evaluate_slope
from fheasible.circuit.discrete import Function, result
from fheasible.circuit.node import Circuit, Node, Op

Values = Mapping[Node, NDArray[Any]]


def slopes(circuit: Circuit, values: Values, output: Node, direction: Floats) -> dict[str, Floats]:
    """The derivative of the scalar product of an output with `direction` by every element of each input.

    `values` has the vector of every node (`cleartext.values`). Approximated functions have the slopes of
    their series.
    """
    reached: dict[Node, Floats] = {output: direction}
    found = {i.name: np.zeros(i.length) for i in circuit.inputs}
    for n in reversed(list(circuit.nodes())):
        if n not in reached:
            continue
        own = reached.pop(n)
        if n.op is Op.INPUT:
            found[n.attribute.name] = own
        for operand, part in zip(n.args, _parts(n, own, values), strict=True):
            if operand.op is not Op.CONSTANT:
                part = _narrowed(part, operand.length)
                reached[operand] = reached[operand] + part if operand in reached else part
    return found


def _narrowed(part: Floats, length: int) -> Floats:
    """`part` for an operand of that length: the sum of `part`, where one element was combined with all."""
    return part.sum(keepdims=True) if length == 1 < len(part) else np.broadcast_to(part, (length,))


def _parts(n: Node, own: Floats, values: Values) -> Sequence[Floats]:
    """The part of a node's slope that goes to each operand."""
    rule = _RULES.get(n.op)
    return rule(n, own, [np.asarray(values[a], dtype=np.float64) for a in n.args]) if rule else ()


def _power(n: Node, own: Floats, a: list[Floats]) -> list[Floats]:
    return [own * n.attribute * a[0] ** (n.attribute - 1)]


def _polynomial(n: Node, own: Floats, a: list[Floats]) -> list[Floats]:
    slope = np.polynomial.polynomial.polyder(np.asarray(n.attribute, dtype=np.float64))
    return [own * np.polynomial.polynomial.polyval(a[0], slope)]


def _chebyshev(n: Node, own: Floats, a: list[Floats]) -> list[Floats]:
    return [own * evaluate_slope(n.attribute, a[0])]


def _discrete(n: Node, own: Floats, a: list[Floats]) -> list[Floats]:
    """The slope goes to the operand that was chosen; functions with steps have none anywhere."""
    made = result(n.attribute, a)
    chooses = n.attribute.function in (Function.MAXIMUM, Function.MINIMUM, Function.SELECT)
    chosen = [own * (made == x) if chooses else np.zeros(len(own)) for x in a]
    return [np.zeros(len(own)), *chosen[1:]] if n.attribute.function is Function.SELECT else chosen


_RULES: dict[Op, Callable[[Node, Floats, list[Floats]], Sequence[Floats]]] = {
    Op.ADD: lambda _, own, a: [own, own],
    Op.SUBTRACT: lambda _, own, a: [own, -own],
    Op.NEGATE: lambda _, own, a: [-own],
    Op.BOOTSTRAP: lambda _, own, a: [own],
    Op.MULTIPLY: lambda _, own, a: [own * a[1], own * a[0]],
    Op.POWER: _power,
    Op.SUM: lambda n, own, a: [np.full(n.args[0].length, own[0])],
    Op.MEAN: lambda n, own, a: [np.full(n.args[0].length, own[0] / n.args[0].length)],
    Op.ROTATE: lambda n, own, a: [np.roll(own, n.attribute)],
    Op.POLYNOMIAL: _polynomial,
    Op.CHEBYSHEV: _chebyshev,
    Op.LINEAR: lambda n, own, a: [n.attribute.transposed().times(own)],
    Op.DISCRETE: _discrete,
}
