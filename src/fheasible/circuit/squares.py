"""Products of two affine functions of one value, as squares: a x (b - x) = a (b^2/4 - (x - b/2)^2).

A square needs x only once, and lets a plain factor move into what comes before it (`fold.py`). The step
3.2 x (1 - x) of an iteration takes two levels as a product and one level as a square. A polynomial of degree
two becomes a square, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from fheasible.aliases import Floats
from fheasible.circuit.node import Circuit, Kind, Node, Op
from fheasible.circuit.ranges import Ranges
from fheasible.circuit.simplify import add, constant, multiply, rewrite, simplified, subtract

_FARTHEST: Final = 8  # operations that a factor is followed back through, to a value that both factors share
_LARGE: Final = 1e150
_LOSS: Final = 2.0  # the terms of a difference may be at most this many times the result: a loss of one bit


def with_squares(circuit: Circuit) -> Circuit:
    """An equivalent circuit with squares, if it is one of reals; its results differ by rounding alone.

    Expects a simplified circuit. A product stays where the difference of the square's terms would lose more
    than a bit.
    """
    if circuit.kind is not Kind.REAL:
        return circuit
    return rewrite(circuit, _Squares().rule)


@dataclass(frozen=True, slots=True)
class _Affine:
    """The affine function by * x + plus."""

    x: Node
    by: float
    plus: Floats

    def of(self, inner: _Affine) -> _Affine:
        return _Affine(inner.x, self.by * inner.by, self.by * inner.plus + self.plus)


class _Squares:
    def __init__(self) -> None:
        self._ranges = Ranges()

    def rule(self, n: Node, args: tuple[Node, ...]) -> Node:
        own = simplified(n, args)
        return self._square(own) or own

    def _square(self, n: Node) -> Node | None:
        """The node a ((x + h)^2 - k), if n equals it and the difference loses little; else None."""
        found = _quadratic(n) if n.kind is Kind.REAL else None
        if found is None:
            return None
        x, (c, b, a) = found
        with np.errstate(all="ignore"):  # n stays as it is where h or k is not finite
            h = b / (2 * a)
            k = h * h - c / a
            kept = x.length == n.length and self._keeps(x, h, k)
        return self._written(n, x, a, h, k) if kept else None

    def _written(self, n: Node, x: Node, a: float, h: Floats, k: Floats) -> Node:
        """The node a ((x + h)^2 - k). A factor of 4 or -4 goes into the square as 2, which is free there."""
        into = 2.0 if abs(a) == 4 else 1.0
        scaled = multiply(x, constant([into], Kind.REAL), where=n.where)
        root = add(scaled, constant(into * h, Kind.REAL), where=n.where)
        square = multiply(root, root, where=n.where)
        plain = constant(into**2 * k, Kind.REAL)
        of = (square, plain) if a > 0 else (plain, square)
        return multiply(subtract(*of, where=n.where), constant([abs(a) / into**2], Kind.REAL), where=n.where)

    def _keeps(self, x: Node, h: Floats, k: Floats) -> bool:
        """Whether neither term of (x + h)^2 - k is much larger than the result, for x in its range."""
        low, high = self._ranges.of(x)
        if not -_LARGE < low <= high < _LARGE:  # this excludes integers that no float holds, too
            return False
        ends = np.abs([low + h, high + h])
        most = ends.max(axis=0) ** 2
        least = np.where((low + h) * (high + h) > 0, ends.min(axis=0), 0) ** 2
        result = np.maximum(np.abs(most - k), np.abs(least - k)).max()
        return bool(max(most.max(), np.abs(k).max()) <= _LOSS * result < np.inf)


def _quadratic(n: Node) -> tuple[Node, tuple[Floats, Floats, float]] | None:
    """(x, (c, b, a)) if n is a x^2 + b x + c; None if it is not, or is a square already."""
    if n.op is Op.POLYNOMIAL and len(n.attribute) == 3:
        c, b, a = (float(v) for v in n.attribute)
        return n.args[0], (np.array([c]), np.array([b]), a)
    if n.op is not Op.MULTIPLY or n.args[1].op is Op.CONSTANT or n.args[0] is n.args[1]:
        return None
    first, second = ({part.x: part for part in _parts(a)} for a in n.args)
    shared = next((x for x in first if x in second), None)
    if shared is None:
        return None
    f, g = first[shared], second[shared]
    return shared, (f.plus * g.plus, f.by * g.plus + g.by * f.plus, f.by * g.by)


def _parts(n: Node) -> Iterator[_Affine]:
    """The value as an affine function of itself, then of its operand if it is affine in that, and so on."""
    found = _Affine(n, 1.0, np.zeros(1))
    for _ in range(_FARTHEST):
        yield found
        inner = _affine(found.x)
        if inner is None:
            return
        found = found.of(inner)


def _affine(n: Node) -> _Affine | None:
    """n as an affine function of its operand: times a number, or plus or minus anything plain; else None."""
    if n.op is Op.NEGATE:
        return _Affine(n.args[0], -1.0, np.zeros(1))
    if n.op not in (Op.ADD, Op.SUBTRACT, Op.MULTIPLY):
        return None
    a, b = n.args
    sign = -1.0 if n.op is Op.SUBTRACT else 1.0
    if a.op is Op.CONSTANT:  # only in a difference does the plain operand come first
        return _Affine(b, sign, _reals(a))
    if b.op is not Op.CONSTANT:
        return None
    if n.op is Op.MULTIPLY:
        return _Affine(a, float(b.attribute.array[0]), np.zeros(1)) if b.length == 1 else None
    return _Affine(a, 1.0, sign * _reals(b))


def _reals(plain: Node) -> Floats:
    return np.asarray(plain.attribute.array, dtype=np.float64)
