"""Deviations of the elements of a vector from their mean, and products of two of them."""

from __future__ import annotations

from typing import NamedTuple

from fheasible.circuit.node import Node, Op


class Deviation(NamedTuple):
    """sign * (x - by * sum(x))."""

    x: Node
    by: float
    sign: int = 1

    @property
    def from_mean(self) -> bool:
        return self.by == 1 / self.x.length


def factors(n: Node) -> tuple[Deviation, Deviation] | None:
    """The two deviations whose product n is; None if it is not a product of two."""
    if n.op is Op.POWER and n.attribute == 2:
        pair = n.args[0], n.args[0]
    elif n.op is Op.MULTIPLY:
        pair = n.args[0], n.args[1]
    else:
        return None
    first, second = (_deviation(a) for a in pair)
    return None if first is None or second is None else (first, second)


def _deviation(n: Node) -> Deviation | None:
    """n as a deviation of a vector of several elements; None if it is not one."""
    if n.op is not Op.SUBTRACT:
        return None
    first, second = n.args
    return _between(first, second, 1) or _between(second, first, -1)


def _between(x: Node, other: Node, sign: int) -> Deviation | None:
    by = 1.0
    if other.op is Op.MULTIPLY and other.args[1].op is Op.CONSTANT and other.args[1].length == 1:
        other, by = other.args[0], float(other.args[1].attribute.array[0])
    if x.length == 1 or other.op not in (Op.SUM, Op.MEAN) or other.args[0] is not x:
        return None
    return Deviation(x, by / (x.length if other.op is Op.MEAN else 1), sign)
