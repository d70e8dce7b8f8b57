"""Multiplicative depth: how many levels each value lies below the inputs, or below bootstraps before it.

This is the depth of the circuit by itself. What lowering adds (masks over padding, a level that a library
keeps for itself) is counted there, and so is what it saves (a part of a vector that needs no mask).

    operation                               CKKS                         BGV, BFV
    product of two encrypted values         1                            1
    product with a plain vector             1; 0 by 0, 1, -1, 2          0
    product with a plain matrix             1                            0
    mean                                    1                            0
    power k, balanced / as written          ceil(log2 k) / k - 1         the same
    polynomial of degree d                  ceil(log2(d + 1)) / d,       ceil(log2 d) / d - 1
                                            as BFV if its leading
                                            product costs nothing
    Chebyshev series of degree d            ceil(log2(d + 1)), and 1 for  -
                                            an interval other than [-1, 1]
    composition of such series              the sum of theirs, and 1      -
                                            where it multiplies its
                                            argument
    bootstrap                               its result has depth 0       -
"""

from collections.abc import Sequence
from typing import assert_never

from fheasible.circuit.node import Chebyshev, Circuit, Node, Op
from fheasible.circuit.simplify import is_constant

FREE = (0, 1, -1, 2)  # factors that cost no level in CKKS, where x + x stands for 2x


def depth(circuit: Circuit, scheme: str) -> int:
    """The largest depth of a value in "ckks", "bgv" or "bfv"."""
    return max(depths(circuit, scheme).values())


def depths(circuit: Circuit, scheme: str) -> dict[Node, int]:
    """The depth of every node."""
    found: dict[Node, int] = {}
    for n in circuit.nodes():
        found[n] = node_depth(n, [found[a] for a in n.args], scheme, circuit.minimise_depth)
    return found


def node_depth(n: Node, below: Sequence[int], scheme: str, minimise: bool = True) -> int:
    """The depth of a node whose operands have the depths `below`."""
    if n.op is Op.BOOTSTRAP:
        return 0
    return max(below, default=0) + _own(n, scheme == "ckks", minimise)


def is_free(plain: Node, scheme: str) -> bool:
    """Whether a product with this plain operand costs no level."""
    return scheme != "ckks" or any(is_constant(plain, c) for c in FREE)


def _own(n: Node, ckks: bool, minimise: bool) -> int:
    match n.op:
        case Op.MULTIPLY:
            plains = [a for a in n.args if a.op is Op.CONSTANT]
            free = len(plains) == 2 or any(is_free(p, "ckks" if ckks else "bfv") for p in plains)
            return 0 if free else 1
        case Op.LINEAR:
            return int(ckks)
        case Op.MEAN:
            return int(ckks and n.args[0].length > 1)
        case Op.POWER:
            return ceil_log2(n.attribute) if minimise else n.attribute - 1
        case Op.POLYNOMIAL:
            return _polynomial(n.attribute, ckks, minimise)
        case Op.CHEBYSHEV:
            return _series(n.attribute)
        case Op.INPUT | Op.CONSTANT | Op.ADD | Op.SUBTRACT | Op.NEGATE | Op.SUM | Op.ROTATE | Op.BOOTSTRAP:
            return 0
        case Op.DISCRETE:  # sums and products do not compute it, at any depth
            return 0
        case _:
            assert_never(n.op)


def _polynomial(coefficients: Sequence[float], ckks: bool, minimise: bool) -> int:
    """The depth of the leading term: its power, and one more factor where its coefficient costs a level."""
    degree = max((k for k, c in enumerate(coefficients) if c), default=0)
    factors = degree + int(ckks and coefficients[degree] not in FREE)
    if degree == 0:
        return 0
    return ceil_log2(factors) if minimise else factors - 1


def _series(series: Chebyshev) -> int:
    mapped = (series.low, series.high) != (-1.0, 1.0)
    return sum(ceil_log2(len(c)) for c in series.stages) + int(mapped) + int(series.gated)


def ceil_log2(k: int) -> int:
    """ceil(log2 k) of an integer >= 1."""
    return (k - 1).bit_length()
