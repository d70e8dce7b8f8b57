"""A circuit as rows, which can be sent to another process, and the circuit that such rows make there.

Rows name operands by number, so that a circuit of any depth can be written, and its nodes are made anew as
the hash-consed ones of that process.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from fheasible.circuit.node import Circuit, Input, Kind, Node, Op, node


class Row(NamedTuple):
    """A node, with the numbers of the rows that are its operands."""

    op: Op
    operands: tuple[int, ...]
    attribute: Any
    length: int
    kind: Kind
    where: str
    owner: str


@dataclass(frozen=True, slots=True)
class FlatCircuit:
    """A circuit with its nodes as rows, operands before their users. Outputs name rows by number."""

    name: str
    inputs: tuple[Input, ...]
    rows: tuple[Row, ...]
    outputs: tuple[tuple[str, int], ...]
    minimise_depth: bool


def flat(circuit: Circuit) -> FlatCircuit:
    """The circuit as rows."""
    nodes = list(circuit.nodes())
    place = {n: i for i, n in enumerate(nodes)}
    rows = tuple(
        Row(n.op, tuple(place[a] for a in n.args), n.attribute, n.length, n.kind, n.where, n.owner)
        for n in nodes
    )
    outputs = tuple((name, place[n]) for name, n in circuit.outputs)
    return FlatCircuit(circuit.name, circuit.inputs, rows, outputs, circuit.minimise_depth)


def restored(sent: FlatCircuit) -> Circuit:
    """The circuit of these rows."""
    made: list[Node] = []
    for row in sent.rows:
        operands = (made[i] for i in row.operands)
        made.append(
            node(
                row.op,
                *operands,
                attribute=row.attribute,
                length=row.length,
                kind=row.kind,
                where=row.where,
                owner=row.owner,
            )
        )
    outputs = tuple((name, made[i]) for name, i in sent.outputs)
    return Circuit(sent.name, sent.inputs, outputs, sent.minimise_depth)
