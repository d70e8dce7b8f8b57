"""Inputs that a circuit multiplies in pairs, such as prices by quantities."""

from collections import defaultdict
from collections.abc import Sequence

from fheasible.circuit.node import Circuit, Node, Op

_Sources = frozenset[Node]


def in_pairs(circuit: Circuit, group: Sequence[Node]) -> tuple[tuple[Node, ...], ...]:
    """The inputs of the group: as two groups, the first and the second ones of all pairs, if there are
    several pairs and each input is in one alone, else as they are.

    Joined so, the factors of each product lie in the same places of two vectors. In one vector, they would
    lie in different lanes, and be treated alike with no other product.
    """
    partners: dict[Node, set[Node]] = defaultdict(set)
    for x, y in _products(circuit, frozenset(group)):
        partners[x].add(y)
        partners[y].add(x)
    if len(group) < 4 or any(len(partners[n]) != 1 for n in group):
        return (tuple(group),)
    order = {n: i for i, n in enumerate(group)}
    pairs = [(n, other) for n in group for other in partners[n] if order[n] < order[other]]
    first, second = zip(*pairs, strict=True)
    return first, second


def _products(circuit: Circuit, inputs: _Sources) -> list[tuple[Node, Node]]:
    """The pairs of inputs of which the one alone makes one factor of a product, and the other the other."""
    of: dict[Node, _Sources] = {}
    found: list[tuple[Node, Node]] = []
    for n in circuit.nodes():
        own = [of[a] for a in n.args]
        of[n] = frozenset((n,)) if n in inputs else frozenset[Node]().union(*own)
        if n.op is Op.MULTIPLY and all(len(each) == 1 for each in own):
            ((x,), (y,)) = own
            if x is not y:
                found.append((x, y))
    return found
