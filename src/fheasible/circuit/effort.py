"""How much a circuit computes, to compare two forms of the same function before either is lowered."""

from typing import NamedTuple, assert_never

from fheasible.circuit.depth import FREE, depths, is_free
from fheasible.circuit.node import Circuit, Node, Op


class Effort(NamedTuple):
    """What should be small in CKKS, the most expensive first. Efforts compare in that order."""

    depth: int
    products: int  # of two values each
    operands: int  # operands of products, each relinearised and rescaled for them: x and 1 - x are two
    plains: int  # products with something plain that is not free


def effort(circuit: Circuit) -> Effort:
    """The effort of a circuit. A power counts as a chain of products, a polynomial as Horner's rule."""
    below = depths(circuit, "ckks")
    products = plains = 0
    operands: set[Node] = set()
    for n in circuit.nodes():
        if n.op is Op.MULTIPLY and n.args[1].op is Op.CONSTANT:
            plains += not is_free(n.args[1], "ckks")
            continue
        own = _products(n)
        products += own
        operands.update(a for a in n.args if own and below[a])
        if n.op is Op.POLYNOMIAL:
            plains += sum(c not in FREE for c in n.attribute[1:])
    return Effort(max(below.values()), products, len(operands), plains)


def _products(n: Node) -> int:
    """The number of products of two values that a node stands for."""
    match n.op:
        case Op.MULTIPLY:
            return 1
        case Op.POWER:
            return int(n.attribute) - 1
        case Op.POLYNOMIAL:
            return max(len(n.attribute) - 2, 0)
        case Op.INPUT | Op.CONSTANT | Op.ADD | Op.SUBTRACT | Op.NEGATE | Op.SUM | Op.MEAN | Op.ROTATE:
            return 0
        case Op.CHEBYSHEV | Op.LINEAR | Op.BOOTSTRAP | Op.DISCRETE:  # none is compared: nothing rewrites them
            return 0
        case _:
            assert_never(n.op)
