"""Sums of products of deviations from a mean, as moments: mean((x - mean(x))^2) = mean(x^2) - mean(x)^2.

A deviation waits for its mean, which takes a level; the moments are computed side by side. The same holds
for the covariance, mean((x - mean(x)) (y - mean(y))) = mean(x y) - mean(x) mean(y), and for sums.
"""

from __future__ import annotations

from typing import Final

from fheasible.circuit.deviations import Deviation, factors
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
        found = factors(n.args[0])
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

    def _keeps(self, d: Deviation) -> bool:
        """Whether the square of x is not much larger than that of its deviation, for x in its range."""
        low, high = self._ranges.of(d.x)
        largest = max(abs(low), abs(high))
        return bool(largest**2 <= _LOSS * ((high - low) / 2) ** 2 < float("inf"))


def _reduced(op: Op, x: Node, n: Node) -> Node:
    """The sum or mean of x, at the place of n."""
    return node(op, x, length=1, kind=n.kind, where=n.where)
