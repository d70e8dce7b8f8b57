"""Parts of vectors that are put side by side, as `fh.concatenate` writes them: sums of vectors that each are
zero where the others are not."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.node import Node, Op


class Piece(NamedTuple):
    """Elements of a vector, and their places in the result."""

    node: Node
    elements: NDArray[Any]
    places: NDArray[Any]


def pieces(sum_node: Node) -> list[Piece] | None:
    """The parts whose elements together are the sum; None where it is a sum of another kind."""
    waiting, found = [sum_node], []
    while waiting:
        n = waiting.pop()
        if n.op is Op.ADD:
            waiting.extend(n.args)
            continue
        piece = _piece(n)
        if piece is None:
            return None
        found.append(piece)
    taken = np.concatenate([p.places for p in found])
    whole = len(taken) == sum_node.length and len(np.unique(taken)) == len(taken)
    return found if whole else None


def _piece(n: Node) -> Piece | None:
    """The elements that a node moves to other places; None for other nodes."""
    if n.op is not Op.LINEAR or not n.attribute.selects:
        return None
    return Piece(n.args[0], n.attribute.columns, n.attribute.rows)
