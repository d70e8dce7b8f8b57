"""Merges successive linear maps into one, which costs one level and one set of rotations.

A matrix merges with another matrix, a rotation, a product with a plain vector, a sum or a mean. The value
between the two must be used nowhere else, and the merged matrix must have no more entries than both had.
Selections of elements wait for the next map where that is cheaper (`waiting.py`).
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from fheasible.circuit.matrix import Matrix
from fheasible.circuit.modulus import centred
from fheasible.circuit.node import Circuit, Kind, Node, Op, node
from fheasible.circuit.simplify import linear, rewrite, simplified
from fheasible.circuit.waiting import MERGES, before_linear_maps, before_selection, worth_waiting

_MOST_PRODUCTS = 1 << 26  # products of entries for one composition: about a second's work


def compose(circuit: Circuit, modulus: int | None) -> Circuit:
    """An equivalent circuit with successive linear maps merged; never deeper."""
    if not any(n.op is Op.LINEAR for n in circuit.nodes()):
        return circuit
    return rewrite(circuit, _Composition(circuit, modulus).rule)


class _Composition:
    """Rewrites the nodes of one circuit. `uses` counts those of its own nodes, `made` those of new ones;
    `waiting` are selections that wait for the next linear map."""

    def __init__(self, circuit: Circuit, modulus: int | None) -> None:
        self.modulus = modulus
        self.uses = Counter(n for _, n in circuit.outputs)
        for n in circuit.nodes():
            self.uses.update(n.args)
        self.made: Counter[Node] = Counter()
        self.may_wait = before_linear_maps(circuit)
        self.waiting: set[Node] = set()

    def rule(self, n: Node, args: tuple[Node, ...]) -> Node:
        found = self._before_selection(n, args) or self._settled(n, args)
        self.made[found] += self.uses[n]
        return found

    def _before_selection(self, n: Node, args: tuple[Node, ...]) -> Node | None:
        """The function of each element, computed before a selection that waits; None where none does."""
        if n not in self.may_wait or self.waiting.isdisjoint(args):
            return None
        found = before_selection(n, args)
        if found is None:
            return None
        picked, operands = found
        made = self._merged(node(n.op, *operands, attribute=n.attribute, length=picked.shape[1], kind=n.kind))
        later = node(Op.LINEAR, made, attribute=picked, length=n.length, kind=n.kind, where=n.where)
        self.waiting.add(later)
        return later

    def _settled(self, n: Node, args: tuple[Node, ...]) -> Node:
        """The node on its operands. A selection that can wait no longer is merged with the map before it,
        unless the node is a linear map, with which it merges."""
        if n.op not in MERGES:
            args = tuple(self._at_once(a) if a in self.waiting else a for a in args)
        own = simplified(n, args, self.modulus)
        if not args or own.args[:1] != args[:1]:
            return own
        if n in self.may_wait and worth_waiting(own):
            self.waiting.add(own)
            return own
        return self._merged(own)

    def _at_once(self, a: Node) -> Node:
        return self._merged(a) if self.made[a] == 1 else a

    def _merged(self, own: Node) -> Node:
        """The node merged with linear maps before it as far as that helps, which nothing else uses."""
        while own.args and self.made[own.args[0]] == 1:
            both = _merged(own, self.modulus)
            if both is None:
                break
            own = both
        return own


def _merged(n: Node, modulus: int | None) -> Node | None:
    """The node and the linear map that it is applied to, as one map; None where they stay apart."""
    (first, *_) = n.args
    if Op.LINEAR not in (n.op, first.op):
        return None
    outer, inner = _matrix(n), _matrix(first)
    if outer is None or inner is None or _products(outer, inner) > _MOST_PRODUCTS:
        return None
    both = outer.after(inner)
    if both is None or len(both) > len(outer) + len(inner):
        return None
    if modulus is not None:
        both = both.with_values(centred(both.values, modulus))
    return linear(both, first.args[0], n.kind, where=n.where)


def _matrix(n: Node) -> Matrix | None:
    """The plain matrix that the node multiplies its first operand by; None for all other nodes."""
    if n.op is Op.LINEAR:
        return n.attribute  # type: ignore[no-any-return]
    number = np.float64 if n.kind is Kind.REAL else np.int64
    if n.op is Op.ROTATE:
        return Matrix.selecting((np.arange(n.length) + n.attribute) % n.length, n.length, number)
    if n.op is Op.MULTIPLY and n.args[1].op is Op.CONSTANT and n.args[1].length > 1:
        return _diagonal(n.args[1].attribute.array.astype(number), n.args[0].length)
    if n.op in (Op.SUM, Op.MEAN):
        one = 1 / n.args[0].length if n.op is Op.MEAN else 1
        return Matrix.dense(np.full((1, n.args[0].length), one, dtype=number))
    return None


def _diagonal(values: np.ndarray, length: int) -> Matrix:
    """The diagonal matrix for a vector of that length; a single element is spread over all rows."""
    own = np.arange(len(values))
    return Matrix((len(values), length), own, own if length > 1 else own * 0, values)


def _products(outer: Matrix, inner: Matrix) -> int:
    """The number of products of entries that the composition takes."""
    meet = [np.bincount(places, minlength=inner.shape[0]) for places in (outer.columns, inner.rows)]
    return int(np.dot(*meet))
