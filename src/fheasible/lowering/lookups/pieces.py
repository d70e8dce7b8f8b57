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
    """The parts whose elements together are the sum, which is 0 in all other places; None where it is a sum
    of another kind."""
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
    return found if len(np.unique(taken)) == len(taken) else None


def _piece(n: Node) -> Piece | None:
    """The elements that a node moves to other places, or leaves where they are; None for other nodes."""
    if n.op is Op.LINEAR and n.attribute.selects:
        return Piece(n.args[0], n.attribute.columns, n.attribute.rows)
    if n.op is not Op.MULTIPLY or n.args[1].op is not Op.CONSTANT or n.args[1].length != n.length:
        return None
    of, weights = n.args[0], n.args[1].attribute.array
    places = np.flatnonzero(weights)
    if not np.isin(weights, (0, 1)).all():
        return None
    return Piece(of, places if of.length > 1 else np.zeros_like(places), places)
