"""Sums of products of deviations from a mean, as moments: mean((x - mean(x))^2) = mean(x^2) - mean(x)^2.

A deviation waits for its mean, which takes a level; the moments are computed side by side. The same holds
for the covariance, mean((x - mean(x)) (y - mean(y))) = mean(x y) - mean(x) mean(y), and for sums.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from fheasible.circuit.node import Circuit, Kind, Node, Op, node
from fheasible.circuit.ranges import Ranges
from fheasible.circuit.simplify import constant, multiply, rewrite, simplified, subtract

_LOSS: Final = 4.0  # the moments may be at most this many times the result: a loss of two bits


def with_moments(circuit: Circuit) -> Circuit:
    """An equivalent circuit with moments, if it is one of reals; its results differ by rounding alone.

    Expects a simplified circuit. Deviations stay where the difference of the moments may lose more than two
    bits, as where values are far from 0 and next to each other.
    """
    if circuit.kind is not Kind.REAL:
        return circuit
    return rewrite(circuit, _Moments().rule)


class _Deviation(NamedTuple):
    """sign * (x - by * sum(x))."""

    x: Node
    by: float
    sign: int = 1


class _Moments:
    def __init__(self) -> None:
        self._ranges = Ranges()

    def rule(self, n: Node, args: tuple[Node, ...]) -> Node:
        own = simplified(n, args)
        return self._moments(own) or own

    def _moments(self, n: Node) -> Node | None:
        """sum(x y) - k sum(x) sum(y), if n equals it and the difference loses little; else None."""
        if n.op not in (Op.SUM, Op.MEAN):
            return None
        found = _factors(n.args[0])
        if found is None or not all(self._keeps(d) for d in found):
            return None
        first, second = found
        length = n.args[0].length
        part = length * (first.by + second.by - length * first.by * second.by)
        moment = _reduced(n.op, multiply(first.x, second.x, where=n.where), n)
        means = multiply(_reduced(Op.MEAN, first.x, n), _reduced(n.op, second.x, n), where=n.where)
        means = multiply(means, constant([part], Kind.REAL), where=n.where)
        pair = (moment, means) if first.sign == second.sign else (means, moment)
        return subtract(*pair, where=n.where)

    def _keeps(self, d: _Deviation) -> bool:
        """Whether the square of x is not much larger than that of its deviation, for x in its range."""
        low, high = self._ranges.of(d.x)
        largest = max(abs(low), abs(high))
        return bool(largest**2 <= _LOSS * ((high - low) / 2) ** 2 < float("inf"))


def _reduced(op: Op, x: Node, n: Node) -> Node:
    """The sum or mean of x, at the place of n."""
    return node(op, x, length=1, kind=n.kind, where=n.where)


def _factors(n: Node) -> tuple[_Deviation, _Deviation] | None:
    """The two deviations whose product n is; None if it is none."""
    if n.op is Op.POWER and n.attribute == 2:
        pair = n.args[0], n.args[0]
    elif n.op is Op.MULTIPLY:
        pair = n.args[0], n.args[1]
    else:
        return None
    first, second = (_deviation(a) for a in pair)
    return None if first is None or second is None else (first, second)


def _deviation(n: Node) -> _Deviation | None:
    """n as a deviation of a vector of several elements; None if it is none."""
    if n.op is not Op.SUBTRACT:
        return None
    first, second = n.args
    return _between(first, second, 1) or _between(second, first, -1)


def _between(x: Node, other: Node, sign: int) -> _Deviation | None:
    by = 1.0
    if other.op is Op.MULTIPLY and other.args[1].op is Op.CONSTANT and other.args[1].length == 1:
        other, by = other.args[0], float(other.args[1].attribute.array[0])
    if x.length == 1 or other.op not in (Op.SUM, Op.MEAN) or other.args[0] is not x:
        return None
    return _Deviation(x, by / (x.length if other.op is Op.MEAN else 1), sign)
