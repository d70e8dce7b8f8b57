"""Functions of small integers as polynomials modulo a prime t: what lets BFV and BGV compare.

Any function of an integer in a range of d + 1 values is a polynomial of degree at most d modulo t. Equality
in a larger range is 1 - x^(t - 1), by Fermat's little theorem, also of integers that wrap around modulo t.
Results are right for inputs in their declared ranges alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.expressed import Expressed, OfOne, Span
from fheasible.circuit.limits import HIGHEST_POWER
from fheasible.circuit.node import Circuit, Input, Kind, Node, Op, node
from fheasible.circuit.simplify import constant, simplified, subtract

MOST_DEGREE = 1023  # ten levels and about 70 products; twice as many levels no ring holds beside others
_WORD = 1 << 31  # products of two numbers below it fit int64


def in_modulus(circuit: Circuit, t: int) -> Circuit:
    """The circuit on integers modulo the prime t, where its functions of integers are polynomials.

    t is more than twice as large as any value of the circuit, or the modulus that its values wrap around.
    UnsupportedOperation, with the line, for a
    function of values that have too large a range.
    """
    return _Modular(circuit, t).circuit()


class _Modular(Expressed):
    why = f"is no polynomial of a degree up to {MOST_DEGREE:,} modulo a prime"

    def __init__(self, circuit: Circuit, t: int) -> None:
        self.t = t
        self.declared = {i: replace(i, modulus=t) for i in circuit.inputs}
        super().__init__(circuit)

    def inputs(self) -> tuple[Input, ...]:
        return tuple(self.declared[i] for i in self.whole.inputs)

    def rewritten(self, n: Node, args: tuple[Node, ...]) -> Node:
        if n.op is Op.INPUT:
            return replace_input(n, self.declared[n.attribute])
        return self.discrete(n, args) if n.op is Op.DISCRETE else simplified(n, args, self.t)

    def positive(self, n: Node, x: Node, span: Span) -> Node:
        return self.of_one(n, x, span, lambda v: (v > 0).astype(np.int64))

    def zero(self, n: Node, x: Node, span: Span) -> Node:
        if span[1] - span[0] > min(MOST_DEGREE, self.t - 1) and self.t - 1 <= HIGHEST_POWER:
            power = node(Op.POWER, x, attribute=self.t - 1, length=n.length, kind=n.kind, where=n.where)
            return subtract(constant([1], Kind.INTEGER), power, where=n.where)
        return self.of_one(n, x, span, lambda v: (v == 0).astype(np.int64))

    def ramp(self, n: Node, x: Node, span: Span) -> Node:
        return self.of_one(n, x, span, lambda v: np.maximum(v, 0))

    def of_one(self, n: Node, x: Node, span: Span, function: OfOne) -> Node:
        low, high = span
        if high - low > min(MOST_DEGREE, self.t - 1):
            self.refuse(n, f"of {high - low + 1:,} different values")
        made = interpolated(low, function(np.arange(low, high + 1)), self.t)
        if not any(made[1:]):
            return constant(np.full(n.length, made[0]), Kind.INTEGER, n.where)
        full = node(Op.POLYNOMIAL, x, attribute=made, length=x.length, kind=Kind.INTEGER, where=n.where)
        return simplified(full, (x,), self.t)


def interpolated(low: int, values: NDArray[np.int64], t: int) -> tuple[int, ...]:
    """The coefficients, constant term first and centred, of the polynomial modulo the prime t that has these
    values at low, low + 1, ...: Newton's, from the differences of the values."""
    kind = np.int64 if t < _WORD else object
    differences, divisor = (values.astype(object) % t).astype(kind), 1
    weights = []
    for k in range(len(values)):
        weights.append(int(differences[0]) * pow(divisor, -1, t) % t)
        divisor = divisor * (k + 1) % t
        differences = (differences[1:] - differences[:-1]) % t
    found = np.zeros(len(values), dtype=kind)
    for k in range(len(values) - 1, -1, -1):  # found * (x - low - k) + the weight
        moved = np.concatenate([found[:1] * 0, found[:-1]])
        found = (moved - (low + k) % t * found) % t
        found[0] = (found[0] + weights[k]) % t
    centred = [int(c) - t if int(c) > t // 2 else int(c) for c in found]
    while len(centred) > 1 and not centred[-1]:
        centred.pop()
    return tuple(centred)


def replace_input(n: Node, declared: object) -> Node:
    """The node of the same input, declared otherwise."""
    return node(Op.INPUT, attribute=declared, length=n.length, kind=n.kind, where=n.where, owner=n.owner)
