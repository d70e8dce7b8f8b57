"""Circuits of integers without their functions: each becomes sums, products and functions of one value.

What a scheme computes of one value is for `modular.py` (BFV and BGV) and `in_reals.py` (CKKS) to say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Never

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Interval
from fheasible.circuit.discrete import BITWISE, Discrete, Function, result
from fheasible.circuit.node import Circuit, Input, Node, Op
from fheasible.circuit.ranges import intervals
from fheasible.circuit.simplify import add, constant, multiply, subtract
from fheasible.circuit.where import at
from fheasible.errors import UnsupportedOperation

Span = tuple[int, int]  # the least and the greatest value
Ints = NDArray[np.int64]
OfOne = Callable[[Ints], Ints]  # a function of one integer, on arrays


class Expressed(ABC):
    """The nodes of a circuit, each rewritten as a scheme takes it."""

    why: ClassVar[str]  # what a refused function is not, as the end of a sentence

    def __init__(self, circuit: Circuit) -> None:
        self.whole = circuit
        self.spans = intervals(circuit)
        self.made: dict[Node, Node] = {}
        for n in circuit.nodes():
            self.made[n] = self.rewritten(n, tuple(self.made[a] for a in n.args))

    def circuit(self) -> Circuit:
        outputs = tuple((name, self.made[n]) for name, n in self.whole.outputs)
        return Circuit(self.whole.name, self.inputs(), outputs, self.whole.minimise_depth)

    def inputs(self) -> tuple[Input, ...]:
        """The inputs as the rewritten circuit declares them."""
        return self.whole.inputs

    # -- what a scheme computes ------------------------------------------------------------------

    @abstractmethod
    def rewritten(self, n: Node, args: tuple[Node, ...]) -> Node:
        """The node of n's operation on these operands."""

    @abstractmethod
    def of_one(self, n: Node, x: Node, span: Span, function: OfOne) -> Node:
        """The node of a function of one integer whose values lie in that span, for the function n."""

    @abstractmethod
    def positive(self, n: Node, x: Node, span: Span) -> Node:
        """1 where x > 0, else 0."""

    @abstractmethod
    def zero(self, n: Node, x: Node, span: Span) -> Node:
        """1 where x = 0, else 0."""

    @abstractmethod
    def ramp(self, n: Node, x: Node, span: Span) -> Node:
        """The larger one of x and 0."""

    # -- what follows for all functions ----------------------------------------------------------

    def discrete(self, n: Node, args: tuple[Node, ...]) -> Node:
        """The function of integers n of these operands."""
        function = n.attribute.function
        if function is Function.SELECT:
            mask, x, y = args
            return add(multiply(mask, subtract(x, y)), y, where=n.where)
        if function in BITWISE:
            return self._bits(n, args)
        if len(args) == 1:
            return self.of_one(n, args[0], whole(self.spans[n.args[0]]), _alone(n.attribute))
        return self._of_difference(n, args)

    def _of_difference(self, n: Node, args: tuple[Node, ...]) -> Node:
        """Comparisons and choices, as functions of x - y."""
        x, y = args
        (a, b), (c, d) = (whole(self.spans[v]) for v in n.args)
        distance, span = subtract(x, y, where=n.where), (a - d, b - c)
        match n.attribute.function:
            case Function.GREATER:
                return self.positive(n, distance, span)
            case Function.EQUAL:
                return self.zero(n, distance, span)
        above = self.ramp(n, distance, span)
        larger = n.attribute.function is Function.MAXIMUM
        return add(y, above, where=n.where) if larger else subtract(x, above, where=n.where)

    def _bits(self, n: Node, args: tuple[Node, ...]) -> Node:
        """A bitwise function of values that are 0 or 1, or of one value and a plain number."""
        spans = [whole(self.spans[a]) for a in n.args]
        plain = next((i for i in (0, 1) if n.args[i].op is Op.CONSTANT and n.args[i].length == 1), None)
        if plain is not None:
            number = n.args[plain].attribute.array
            return self.of_one(
                n, args[1 - plain], spans[1 - plain], lambda v: result(n.attribute, [v, number])
            )
        if any(low < 0 or high > 1 for low, high in spans):
            self.refuse(n, "of values other than 0 and 1")
        x, y = args
        both = multiply(x, y, where=n.where)
        if n.attribute.function is Function.AND:
            return both
        weight = constant([1 if n.attribute.function is Function.OR else 2], x.kind)
        return subtract(add(x, y, where=n.where), multiply(both, weight), where=n.where)

    def refuse(self, n: Node, said: str) -> Never:
        """Raises UnsupportedOperation for the function n of values as they are `said` to be."""
        raise UnsupportedOperation(
            at(n.where, f"{n.attribute.function} {said} {self.why}"),
            "declare narrower ranges, or take a scheme with table look-ups",
        )


def whole(span: Interval) -> Span:
    return int(span[0]), int(span[1])


def _alone(found: Discrete) -> OfOne:
    return lambda v: result(found, [v])
