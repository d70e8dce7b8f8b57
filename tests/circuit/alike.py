"""Whether two applications compute the same: each has nodes of its own."""

from fheasible.circuit.flat import Row, flat
from fheasible.circuit.node import Circuit, Node


def alike(one: Circuit | Node, other: Circuit | Node) -> bool:
    """Whether both are the same operations on the same inputs, wherever they are written."""
    return _rows(one) == _rows(other)


def _rows(what: Circuit | Node) -> tuple[list[Row], list[tuple[str, int]]]:
    circuit = Circuit("one value", (), (("result", what),)) if isinstance(what, Node) else what
    sent = flat(circuit)
    return [row._replace(where="", owner="") for row in sent.rows], list(sent.outputs)
