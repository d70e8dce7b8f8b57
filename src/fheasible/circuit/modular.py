"""Functions of small integers as polynomials modulo a prime t: what lets BFV and BGV compare.

Any function of an integer in a range of d + 1 values is a polynomial of degree at most d modulo t. Equality
in a larger range is 1 - x^(t - 1), by Fermat's little theorem. Results are right for inputs in their declared
ranges alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.discrete import Discrete, Function, result
from fheasible.circuit.limits import HIGHEST_POWER
from fheasible.circuit.node import Circuit, Kind, Node, Op, node
from fheasible.circuit.ranges import Interval, intervals
from fheasible.circuit.simplify import add, constant, multiply, simplified, subtract
from fheasible.circuit.where import at
from fheasible.errors import UnsupportedOperation

MOST_DEGREE = 1023  # ten levels and about 70 products; twice as many levels no ring holds beside others
_WORD = 1 << 31  # products of two numbers below it fit int64
_BITS = (Function.AND, Function.OR, Function.XOR)


def in_modulus(circuit: Circuit, t: int) -> Circuit:
    """The circuit on integers modulo the prime t, where its functions of integers are polynomials.

    t is more than twice as large as any value of the circuit. UnsupportedOperation, with the line, for a
    function of values that have too large a range.
    """
    return _Modular(circuit, t).circuit()


class _Modular:
    def __init__(self, circuit: Circuit, t: int) -> None:
        self.whole, self.t = circuit, t
        self.spans = intervals(circuit)
        self.declared = {i: replace(i, modulus=t) for i in circuit.inputs}
        self.made: dict[Node, Node] = {}
        for n in circuit.nodes():
            self.made[n] = self._rewritten(n, tuple(self.made[a] for a in n.args))

    def circuit(self) -> Circuit:
        outputs = tuple((name, self.made[n]) for name, n in self.whole.outputs)
        inputs = tuple(self.declared[i] for i in self.whole.inputs)
        return Circuit(self.whole.name, inputs, outputs, self.whole.minimise_depth)

    def _rewritten(self, n: Node, args: tuple[Node, ...]) -> Node:
        if n.op is Op.INPUT:
            return replace_input(n, self.declared[n.attribute])
        return self._discrete(n, args) if n.op is Op.DISCRETE else simplified(n, args, self.t)

    def _discrete(self, n: Node, args: tuple[Node, ...]) -> Node:
        function = n.attribute.function
        if function is Function.SELECT:
            mask, x, y = args
            return add(multiply(mask, subtract(x, y)), y, where=n.where)
        if function in _BITS:
            return self._bits(n, args)
        if len(args) == 1:
            return self._polynomial(n, args[0], self.spans[n.args[0]], _alone(n.attribute))
        return self._of_difference(n, args)

    def _of_difference(self, n: Node, args: tuple[Node, ...]) -> Node:
        """Comparisons and choices, as polynomials in x - y."""
        x, y = args
        (a, b), (c, d) = (self.spans[v] for v in n.args)
        distance, span = subtract(x, y, where=n.where), (a - d, b - c)
        match n.attribute.function:
            case Function.GREATER:
                return self._polynomial(n, distance, span, lambda v: (v > 0).astype(np.int64))
            case Function.EQUAL if span[1] - span[0] > MOST_DEGREE and self.t - 1 <= HIGHEST_POWER:
                power = node(
                    Op.POWER, distance, attribute=self.t - 1, length=n.length, kind=n.kind, where=n.where
                )
                return subtract(constant([1], Kind.INTEGER), power, where=n.where)
            case Function.EQUAL:
                return self._polynomial(n, distance, span, lambda v: (v == 0).astype(np.int64))
        above = self._polynomial(n, distance, span, lambda v: np.maximum(v, 0))
        larger = n.attribute.function is Function.MAXIMUM
        return add(y, above, where=n.where) if larger else subtract(x, above, where=n.where)

    def _bits(self, n: Node, args: tuple[Node, ...]) -> Node:
        """A bitwise function of values that are 0 or 1, or of one value and a plain number."""
        spans = [self.spans[a] for a in n.args]
        plain = next((i for i in (0, 1) if n.args[i].op is Op.CONSTANT and n.args[i].length == 1), None)
        if plain is not None:
            number = n.args[plain].attribute.array
            return self._polynomial(
                n, args[1 - plain], spans[1 - plain], lambda v: result(n.attribute, [v, number])
            )
        if any(low < 0 or high > 1 for low, high in spans):
            self._refuse(n, "of values other than 0 and 1")
        x, y = args
        both = multiply(x, y, where=n.where)
        if n.attribute.function is Function.AND:
            return both
        weight = 1 if n.attribute.function is Function.OR else 2
        return subtract(
            add(x, y, where=n.where), multiply(both, constant([weight], Kind.INTEGER)), where=n.where
        )

    def _polynomial(
        self, n: Node, x: Node, span: Interval, function: Callable[[NDArray[np.int64]], NDArray[np.int64]]
    ) -> Node:
        low, high = int(span[0]), int(span[1])
        if high - low > MOST_DEGREE:
            self._refuse(n, f"of {high - low + 1:,} different values")
        made = interpolated(low, function(np.arange(low, high + 1)), self.t)
        if not any(made[1:]):
            return constant(np.full(n.length, made[0]), Kind.INTEGER, n.where)
        full = node(Op.POLYNOMIAL, x, attribute=made, length=x.length, kind=Kind.INTEGER, where=n.where)
        return simplified(full, (x,), self.t)

    def _refuse(self, n: Node, said: str) -> None:
        raise UnsupportedOperation(
            at(
                n.where,
                f"{n.attribute.function} {said} is no polynomial of a degree up to {MOST_DEGREE:,} modulo a"
                " prime",
            ),
            "declare narrower ranges, or take a scheme with table look-ups",
        )


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
    return node(Op.INPUT, attribute=declared, length=n.length, kind=n.kind, where=n.where)


def _alone(found: Discrete) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
    return lambda v: result(found, [v])
