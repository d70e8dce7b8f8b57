"""Lets the selection of elements wait where it then costs nothing.

A convolution leaves its elements in the layout of the image, and a selection picks them out. What follows may
compute on the whole layout as well: functions of each element, until the next linear map, with which the
selection merges. Elements that are not selected are 0 meanwhile, or some constant.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

import numpy as np

from fheasible.circuit.matrix import Matrix
from fheasible.circuit.node import Circuit, Node, Op
from fheasible.circuit.simplify import constant

_ELEMENTWISE: Final = (Op.ADD, Op.SUBTRACT, Op.NEGATE, Op.MULTIPLY, Op.POLYNOMIAL, Op.CHEBYSHEV)
_KEEPS_ZERO: Final = (Op.ADD, Op.SUBTRACT, Op.NEGATE, Op.MULTIPLY)
MERGES: Final = (Op.LINEAR, Op.SUM, Op.MEAN)
_SLOTS: Final = 1 << 12  # of the smallest ciphertext: shorter vectors take as many


def before_linear_maps(circuit: Circuit) -> set[Node]:
    """The nodes that only linear maps use, directly or by way of functions of each element that take the
    elements which are not selected as well."""
    users: dict[Node, list[Node]] = defaultdict(list)
    order = list(circuit.nodes())
    for n in order:
        for a in n.args:
            users[a].append(n)
    outputs = {n for _, n in circuit.outputs}
    found: set[Node] = set()
    for n in reversed(order):
        after = (u.op in MERGES or (u in found and _passes(u, n)) for u in users[n])
        if n not in outputs and all(after):
            found.add(n)
    return found


def _passes(u: Node, n: Node) -> bool:
    """Whether u is a function of each element of n alone that takes the elements which are not selected."""
    alone = all(a is n or a.op is Op.CONSTANT for a in u.args) and u.length == n.length
    if u.op is not Op.CHEBYSHEV:
        return alone and u.op in _ELEMENTWISE
    return _zero_beside(n) and bool(u.attribute.low <= 0 <= u.attribute.high)


def worth_waiting(n: Node) -> bool:
    """Whether the node selects elements of another linear map, which has far fewer diagonals than both maps
    merged into one, and whose result takes no more ciphertexts."""
    if n.op is not Op.LINEAR or n.args[0].op is not Op.LINEAR or not n.attribute.selects:
        return False
    picked, wide = n.attribute, n.args[0].attribute
    if _power_above(wide.shape[0]) > max(_SLOTS, _power_above(picked.shape[0])) or wide.selects:
        return False
    both = picked.after(wide)
    return both is not None and 2 * _diagonals(wide) <= _diagonals(both)


def before_selection(n: Node, args: tuple[Node, ...]) -> tuple[Matrix, tuple[Node, ...]] | None:
    """(the selection, n's operands before it), if all operands are selections of the same elements; else
    None."""
    picks = {a.attribute for a in args if a.op is Op.LINEAR and a.attribute.selects}
    if n.op not in _ELEMENTWISE or len(picks) != 1:
        return None
    (matrix,) = picks
    wide = [_wide(a, matrix, spread=n.op is not Op.MULTIPLY) for a in args]
    operands = tuple(w for w in wide if w is not None)
    return (matrix, operands) if len(operands) == len(args) else None


def _wide(a: Node, matrix: Matrix, spread: bool) -> Node | None:
    """The operand before its elements were selected; a plain one with zeros beside them. A single plain
    factor stands for all elements."""
    if a.op is Op.CONSTANT:
        if a.length == 1 and not spread:
            return a
        values = np.zeros(matrix.shape[1], dtype=a.attribute.array.dtype)
        values[matrix.columns] = np.broadcast_to(a.attribute.array, (matrix.shape[0],))[matrix.rows]
        return constant(values, a.kind, a.where)
    if a.op is Op.LINEAR and a.attribute == matrix:
        return a.args[0]
    return None


def _zero_beside(x: Node) -> bool:
    """Whether elements that are not selected are 0."""
    if x.op is Op.LINEAR or x.op is Op.CONSTANT:
        return True
    return x.op in _KEEPS_ZERO and all(_zero_beside(a) for a in x.args)


def _diagonals(matrix: Matrix) -> int:
    """The number of distances between an element and the elements that it is made of."""
    return len(np.unique(matrix.columns - matrix.rows))


def _power_above(length: int) -> int:
    return 1 << (length - 1).bit_length()
