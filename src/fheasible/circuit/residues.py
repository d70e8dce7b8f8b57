"""A circuit on reals as one on residues modulo a prime, in which the same values cancel.

A double is a whole number times a power of two, and so has an exact residue: sums and products of residues
are those of the real values, without any rounding. What is no polynomial has no residue; it stands as a
function that nothing is known about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from fheasible.circuit.modulus import centred
from fheasible.circuit.node import Circuit, Kind, Node, Op, Values, node

PRIME = 2_147_483_629  # below 2^31, so that products of residues fit 63 bits


def in_residues(circuit: Circuit) -> tuple[Circuit, dict[Node, Node]]:
    """The circuit on integers that are meant modulo PRIME, and which of its nodes each node became."""
    made: dict[Node, Node] = {}
    for n in circuit.nodes():
        made[n] = _twin(n, [made[a] for a in n.args])
    return replace(circuit, outputs=tuple((name, made[n]) for name, n in circuit.outputs)), made


def _twin(n: Node, args: list[Node]) -> Node:
    match n.op:
        case Op.CHEBYSHEV | Op.DISCRETE:
            return node(Op.DISCRETE, *args, attribute=n.attribute, length=n.length, kind=Kind.INTEGER)
        case Op.MEAN:
            total = node(Op.SUM, *args, length=n.length, kind=Kind.INTEGER)
            share = Values([pow(n.args[0].length, -1, PRIME)])
            by = node(Op.CONSTANT, attribute=share, length=1, kind=Kind.INTEGER)
            return node(Op.MULTIPLY, total, by, length=n.length, kind=Kind.INTEGER)
    change = _ATTRIBUTES.get(n.op)
    attribute = change(n.attribute) if change else n.attribute
    return node(n.op, *args, attribute=attribute, length=n.length, kind=Kind.INTEGER)


def _residues(values: Iterable[Any]) -> Any:
    """The residues of doubles and integers, nearest to 0; int64."""
    exact = (v.as_integer_ratio() for v in np.asarray(values).tolist())
    return centred(np.array([a % PRIME * pow(b, -1, PRIME) for a, b in exact], dtype=object), PRIME)


_ATTRIBUTES: dict[Op, Callable[[Any], Any]] = {
    Op.CONSTANT: lambda values: Values(_residues(values.array)),
    Op.POLYNOMIAL: lambda coefficients: tuple(_residues(coefficients).tolist()),
    Op.LINEAR: lambda matrix: matrix.with_values(_residues(matrix.values)),
}
