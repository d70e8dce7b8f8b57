"""Which rotations a circuit needs, before it is packed into slots."""

from fheasible.circuit.depth import ceil_log2
from fheasible.circuit.node import Circuit, Node, Op


def rotations(circuit: Circuit) -> tuple[int, ...]:
    """The distinct steps, ascending: those asked for, and 1, 2, 4, ... below n for a sum of n elements."""
    return tuple(sorted({step for n in circuit.nodes() for step in _steps(n)}))


def _steps(n: Node) -> list[int]:
    if n.op is Op.ROTATE:
        return [n.attribute]
    if n.op in (Op.SUM, Op.MEAN):
        return [1 << i for i in range(ceil_log2(n.args[0].length))]
    return []
