"""Merges successive linear maps into one, which costs one level and one set of rotations.

A matrix merges with another matrix, a rotation, a product with a plain vector, a sum or a mean. The value
between the two must be used nowhere else, and the merged matrix must have no more entries than both had.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from fheasible.circuit.matrix import Matrix
from fheasible.circuit.modulus import centred
from fheasible.circuit.node import Circuit, Kind, Node, Op
from fheasible.circuit.simplify import linear, rewrite, simplified

_MOST_PRODUCTS = 1 << 26  # products of entries for one composition: about a second's work


def compose(circuit: Circuit, modulus: int | None) -> Circuit:
    """An equivalent circuit with successive linear maps merged; never deeper."""
    if not any(n.op is Op.LINEAR for n in circuit.nodes()):
        return circuit
    uses = Counter(n for _, n in circuit.outputs)
    for n in circuit.nodes():
        uses.update(n.args)

    def rule(n: Node, args: tuple[Node, ...]) -> Node:
        own = simplified(n, args, modulus)
        alone = bool(args) and own.args[:1] == args[:1] and uses[n.args[0]] == 1
        return (alone and _merged(own, modulus)) or own

    return rewrite(circuit, rule)


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
