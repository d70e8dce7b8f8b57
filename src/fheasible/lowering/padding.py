"""What the slots beyond a vector's end should hold.

Zeros cost nothing and leave sums right. But a polynomial may be steep at 0, or lead far away from there (the
logistic map). Noise then grows in slots that nobody reads, until values there outgrow the modulus and spoil
all others. Where no sum needs zeros, an input that reaches a polynomial therefore repeats its first elements
beyond its end. (A series is given the middle of its interval there.)
"""

from math import log2
from typing import assert_never

import numpy as np

from fheasible.circuit.node import Circuit, Node, Op
from fheasible.lowering.diagonals import Need

STEEP_BITS = 6.0  # bits by which noise may grow at zeros; beyond that, a mask before a sum is the lesser evil


def needs(circuit: Circuit) -> dict[Node, Need]:
    """What the users of each node, direct and indirect, ask of the slots beyond its end."""
    found = dict.fromkeys(circuit.nodes(), Need.NOTHING)
    steep = _magnified(circuit)
    for node in reversed(list(found)):
        for operand in node.args:
            found[operand] = max(found[operand], _need(node, found[node], steep[node] > STEEP_BITS))
    return found


def tiled_inputs(circuit: Circuit, needed: dict[Node, Need]) -> frozenset[Node]:
    """The inputs that repeat their first elements beyond their end: those that reach a polynomial, and no sum
    that needs zeros."""
    reaching = dict.fromkeys(needed, False)
    for node in reversed(list(needed)):
        through = node.op is Op.POLYNOMIAL or (reaching[node] and _elementwise(node))
        for operand in node.args:
            reaching[operand] |= through
    return frozenset(
        n for n, found in reaching.items() if n.op is Op.INPUT and found and needed[n] < Need.CLEAN
    )


def _elementwise(node: Node) -> bool:
    return node.op not in (Op.SUM, Op.MEAN, Op.ROTATE, Op.LINEAR)


def _need(node: Node, own: Need, steep: bool) -> Need:
    """What a node asks of its operands, where its own users ask `own` of it."""
    match node.op:
        case Op.SUM | Op.MEAN:
            return Need.CLEAN
        case Op.CHEBYSHEV:
            return Need.TAME
        case Op.LINEAR | Op.ROTATE:
            return Need.NOTHING
        case Op.MULTIPLY if node.args[1].op is Op.CONSTANT and node.args[1].length > 1:
            return Need.NOTHING  # the product leaves zeros there
        case Op.POLYNOMIAL if node.attribute[0] != 0 or steep:
            return min(own, Need.TAME)
        case Op.ADD | Op.SUBTRACT | Op.NEGATE | Op.MULTIPLY | Op.POWER | Op.POLYNOMIAL | Op.BOOTSTRAP:
            return own
        case Op.DISCRETE:
            return own
        case Op.INPUT | Op.CONSTANT:  # which have no operands
            return own
        case _:
            assert_never(node.op)


def _magnified(circuit: Circuit) -> dict[Node, float]:
    """For each node, the bits by which successive polynomials up to it magnify noise if all take zeros."""
    found: dict[Node, float] = {}
    for node in circuit.nodes():
        before = max((found[a] for a in node.args), default=0.0)
        found[node] = before + _steepness(node) if _keeps_slope(node) else 0.0
    return found


def _keeps_slope(node: Node) -> bool:
    """Whether the node passes on noise beside a zero. A product of two zeros loses it, and so does a mask."""
    if node.op is Op.MULTIPLY:
        return node.args[1].op is Op.CONSTANT and node.args[1].length == 1
    return _elementwise(node) and node.op not in (Op.POWER, Op.CHEBYSHEV)


def _steepness(node: Node) -> float:
    """The bits by which a node magnifies noise beside a zero, at least 0."""
    slope = 1.0
    if node.op is Op.POLYNOMIAL:
        slope = abs(float(node.attribute[1])) if len(node.attribute) > 1 else 0.0
    elif node.op is Op.MULTIPLY:
        slope = float(np.abs(node.args[1].attribute.array[0]))
    return max(log2(slope), 0.0) if slope else 0.0
