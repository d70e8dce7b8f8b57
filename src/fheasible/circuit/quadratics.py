"""Values that are polynomials of another value, of degree 2 at most, and the interval that they lie in."""

from collections.abc import Mapping

from fheasible.aliases import Interval
from fheasible.circuit.node import Node, Op

Quadratic = tuple[float, float, float]  # c0 + c1 v + c2 v^2

_DEPTH = 4  # operations that are looked through
_ITSELF: Quadratic = (0.0, 1.0, 0.0)


def quadratics(n: Node, depth: int = _DEPTH) -> dict[Node, Quadratic]:
    """The coefficients of n, element by element, as a polynomial of each value that it can be traced back to:
    of itself, and of those that all its operands are made of."""
    found = {n: _ITSELF}
    if not depth:
        return found
    if n.op is Op.NEGATE:
        return found | {v: _scaled(c, -1.0) for v, c in quadratics(n.args[0], depth - 1).items()}
    if n.op is Op.POWER and n.attribute == 2:
        return found | _products(*(quadratics(n.args[0], depth - 1),) * 2)
    if n.op not in (Op.ADD, Op.SUBTRACT, Op.MULTIPLY):
        return found
    x, y = (quadratics(a, depth - 1) for a in n.args)
    left, right = map(_number, n.args)
    if left is not None:
        x = dict.fromkeys(y, (left, 0.0, 0.0))
    if right is not None:
        y = dict.fromkeys(x, (right, 0.0, 0.0))
    if n.op is Op.MULTIPLY:
        return found | _products(x, y)
    by = -1.0 if n.op is Op.SUBTRACT else 1.0
    return found | {v: _sum(c, _scaled(y[v], by)) for v, c in x.items() if v in y}


def _number(n: Node) -> float | None:
    """The number of a plain value that is the same in all elements."""
    if n.op is not Op.CONSTANT:
        return None
    numbers = n.attribute.array
    return float(numbers[0]) if bool((numbers == numbers[0]).all()) else None


def _scaled(c: Quadratic, by: float) -> Quadratic:
    return c[0] * by, c[1] * by, c[2] * by


def _sum(a: Quadratic, b: Quadratic) -> Quadratic:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _products(x: Mapping[Node, Quadratic], y: Mapping[Node, Quadratic]) -> dict[Node, Quadratic]:
    """The products of the same value's polynomials, where they have no higher degree."""
    pairs = {v: (c, y[v]) for v, c in x.items() if v in y}
    return {
        v: (a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[1] * b[1] + a[2] * b[0])
        for v, (a, b) in pairs.items()
        if not (a[2] and (b[1] or b[2])) and not (b[2] and a[1])
    }


def extremes(c: Quadratic, within: Interval) -> Interval:
    """The least and the largest value of the polynomial in an interval."""
    ends = list(within)
    if c[2] and within[0] < (flat := -c[1] / (2 * c[2])) < within[1]:
        ends.append(flat)
    values = [c[0] + v * (c[1] + v * c[2]) for v in ends]
    return min(values), max(values)
