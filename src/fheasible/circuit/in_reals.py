"""Functions of integers as polynomials on reals that are near integers: what lets CKKS compare.

A function of few values is a series through all of them (`through.py`). Comparisons of values in larger
ranges are compositions of polynomials (`jumps.py`), whose degrees are left open: integers that differ do so
by 1 at least, which is the margin. Results are near integers for inputs in their declared ranges, and are
rounded when they are decrypted.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from fheasible.circuit.expressed import Expressed, OfOne, Span
from fheasible.circuit.jumps import GREATER, RELU_OF_INTEGER, SIGN_OF_INTEGER, Shape, opened
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.node import Circuit, Kind, Node, Op, Values, node
from fheasible.circuit.simplify import add, constant, multiply, simplified, subtract
from fheasible.circuit.through import MOST_VALUES, through

BY_SERIES = 128
"""Up to so many different values, a comparison is a series through all of them. Beyond, a composition takes
fewer relinearisations, and hardly more levels."""

SLACK = 1 / 8
"""How far the distance of two integers may be off where either comes from a composition, whose own error is
not negligible."""

_NEAREST = 2.0**-20  # part of the range: values that are nearer no composition tells apart


@lru_cache(maxsize=16)
def in_reals(circuit: Circuit) -> Circuit:
    """The circuit on reals, where its functions of integers are series and compositions with open degrees.

    Inputs are declared as before: integers. UnsupportedOperation, with the line, for a function of values
    that have too large a range.
    """
    return _Reals(circuit).circuit()


class _Reals(Expressed):
    why = "takes more than a polynomial that CKKS can evaluate precisely enough"

    def __init__(self, circuit: Circuit) -> None:
        self._rough: dict[Node, bool] = {}
        super().__init__(circuit)

    def rewritten(self, n: Node, args: tuple[Node, ...]) -> Node:
        made = self.discrete(n, args) if n.op is Op.DISCRETE else _of_reals(n, args)
        self._is_rough(made)  # of operands first, so that this never recurses deeply
        return made

    def of_one(self, n: Node, x: Node, span: Span, function: OfOne) -> Node:
        low, high = span
        if high - low >= MOST_VALUES:
            self.refuse(n, f"of {high - low + 1:,} different values")
        values = np.asarray(function(np.arange(low, high + 1)), dtype=np.float64)
        steps = np.unique(np.diff(values))
        if len(steps) <= 1:  # a straight line
            slope = float(steps[0]) if len(steps) else 0.0
            line = multiply(x, constant([slope], Kind.REAL), where=n.where)
            return add(line, constant([values[0] - slope * low], Kind.REAL), where=n.where)
        found = through(str(n.attribute.function), low, tuple(values.tolist()))
        return node(Op.CHEBYSHEV, x, attribute=found, length=x.length, kind=Kind.REAL, where=n.where)

    def positive(self, n: Node, x: Node, span: Span) -> Node:
        if _few(span):
            return self.of_one(n, x, span, lambda v: (v > 0).astype(np.int64))
        half = constant([0.5], Kind.REAL)
        ends = span[0] - 0.5, span[1] - 0.5
        return self._composed(n, GREATER, subtract(x, half, where=n.where), ends, 0.5)

    def zero(self, n: Node, x: Node, span: Span) -> Node:
        if _few(span):
            return self.of_one(n, x, span, lambda v: (v == 0).astype(np.int64))
        one = constant([1.0], Kind.REAL)
        if self._is_rough(x):  # the square of a sign would be steep beside 0
            more = add(x, one, where=n.where)
            least = self.positive(n, more, (span[0] + 1, span[1] + 1))
            return subtract(least, self.positive(n, x, span), where=n.where)
        sign = self._composed(n, SIGN_OF_INTEGER, x, span, 1.0)
        return subtract(one, multiply(sign, sign, where=n.where), where=n.where)

    def ramp(self, n: Node, x: Node, span: Span) -> Node:
        if _few(span):
            return self.of_one(n, x, span, lambda v: np.maximum(v, 0))
        return self._composed(n, RELU_OF_INTEGER, x, span, 1.0)

    def _composed(self, n: Node, shape: Shape, x: Node, ends: tuple[float, float], margin: float) -> Node:
        """The function of that shape, of values between these ends that are at least `margin` away from 0."""
        slack = SLACK if self._is_rough(x) else 0.0
        bound = max(map(abs, ends)) + slack
        if margin - slack < _NEAREST * bound:
            self.refuse(n, f"of values that differ by up to {int(bound):,}")
        found = opened(shape, float(bound), margin - slack)
        return node(Op.CHEBYSHEV, x, attribute=found, length=x.length, kind=Kind.REAL, where=n.where)

    def _is_rough(self, n: Node) -> bool:
        """Whether the value has the error of a composition."""
        if n not in self._rough:
            own = n.op is Op.CHEBYSHEV and n.attribute.jump is not None
            self._rough[n] = own or any(self._is_rough(a) for a in n.args)
        return self._rough[n]


def _few(span: Span) -> bool:
    return span[1] - span[0] < BY_SERIES


def _of_reals(n: Node, args: tuple[Node, ...]) -> Node:
    """The node of n's operation on these reals."""
    attribute = _with_reals(n.attribute)
    real = node(n.op, *args, attribute=attribute, length=n.length, kind=Kind.REAL, where=n.where)
    return real if n.op is Op.LINEAR else simplified(real, args)  # which would hide what only moves elements


def _with_reals(attribute: Any) -> Any:
    """A node's attribute with real numbers in place of integers."""
    if isinstance(attribute, Values):
        return Values(attribute.array.astype(np.float64))
    if isinstance(attribute, Matrix):
        return attribute.with_values(attribute.values.astype(np.float64))
    if isinstance(attribute, tuple):  # the coefficients of a polynomial
        return tuple(map(float, attribute))
    return attribute
