"""Moves constants such as 1/n into neighbours that multiply anyway, so that they cost no level in CKKS.

A constant comes from the map of an approximation's interval, from a polynomial's argument, from a mean, or
from a product by a number. It goes into weights, matrices, the terms of a sum, or the coefficients of a
series or polynomial. Results differ by rounding alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import log2
from typing import Any

import numpy as np

from fheasible.circuit.depth import depth, is_free, node_depth
from fheasible.circuit.node import Chebyshev, Circuit, Kind, Node, Op, Places, node
from fheasible.circuit.simplify import add, constant, linear, multiply, negate, same, subtract

_LEVEL_BITS = 30.0  # bits of modulus that a level takes at least: what folds may cost in precision
_FARTHEST = 300  # nodes that a constant is followed through
_DEEPEST = 100  # of them one inside the other: Python allows a thousand calls, and each takes up to four
_FURTHER_BITS = 4.0  # of precision that one more level is always worth
_ARGUMENT_BITS = 8.0  # bits by which the terms of a polynomial may grow or shrink


def fold(circuit: Circuit) -> Circuit:
    """An equivalent circuit with constants folded, if it is one of reals; never deeper.

    A constant goes into a sum with a product for a summand that is shallower, such as y in 0.5 * (z * z + y),
    if that makes the circuit shallower: it takes a product for each such summand.
    """
    if circuit.kind is not Kind.REAL:
        return circuit
    folded = _Fold(circuit)
    found = folded.circuit(circuit)
    if not folded.falls_short:
        return found
    further = _Fold(circuit, further=True).circuit(circuit)
    return further if depth(further, "ckks") < depth(found, "ckks") else found


class _Fold:
    """The nodes of a circuit, rebuilt: `plain` is a node itself, `scaled` a multiple of it that is no deeper.

    `scaled` is None where there is no such multiple. A value that is used more than once is not scaled: it
    would be computed twice. With `further`, a shallow summand is multiplied where it cannot be scaled,
    and a fold may cost more precision; `falls_short` says whether there was a place for it.
    """

    def __init__(self, circuit: Circuit, further: bool = False) -> None:
        self.further, self.falls_short = further, False
        self._depths: dict[Node, int] = {}
        self.uses = Counter(n for _, n in circuit.outputs)
        for n in circuit.nodes():
            self.uses.update(n.args)
        self.bits_per_fold = _LEVEL_BITS / max(depth(circuit, "ckks"), 1)
        self._left = self._depth = 0
        self._plain: dict[Node, Node] = {}
        for n in circuit.nodes():  # operands first, so that nothing recurses deeply
            self._plain[n] = self._rebuilt(n)

    def circuit(self, circuit: Circuit) -> Circuit:
        outputs = tuple((name, self.plain(n)) for name, n in circuit.outputs)
        return Circuit(circuit.name, circuit.inputs, outputs, circuit.minimise_depth)

    def plain(self, n: Node) -> Node:
        return self._plain[n]

    def _rebuilt(self, n: Node) -> Node:
        found: Node | None = None
        if n.op is Op.CHEBYSHEV:
            found = self._unit_interval(n)
        elif n.op is Op.POLYNOMIAL:
            found = self._scaled_argument(n)
        elif n.op is Op.MULTIPLY and _is_number(n.args[1]) and not is_free(n.args[1], "ckks"):
            found = self._folded(n.args[0], _number(n.args[1]))
        elif n.op is Op.MEAN:
            self._left = _FARTHEST
            found = self._sum(n, 1 / n.args[0].length)
        return same(n, tuple(self.plain(a) for a in n.args)) if found is None else found

    def _folded(self, n: Node, by: float) -> Node | None:
        self._left = _FARTHEST
        return self.scaled(n, by) if self.uses[n] == 1 else None

    # -- where a constant comes from --------------------------------------------------------------

    def _unit_interval(self, n: Node) -> Node | None:
        """The series on [-1, 1], with the factor of its map folded into its argument; None if that fails."""
        found: Chebyshev = n.attribute
        by, centre = 2 / (found.high - found.low), (found.high + found.low) / (found.high - found.low)
        x = self._folded(n.args[0], by) if by != 1 else None
        if x is None:
            return None
        exact = found.exact and partial(_of_unit, found.exact, found.low, found.high)
        mapped = _mapped(replace(found, exact=exact), by)
        moved = subtract(x, constant([centre], Kind.REAL), where=n.where) if centre else x
        return node(n.op, moved, attribute=mapped, length=n.length, kind=n.kind, where=n.where)

    def _scaled_argument(self, n: Node) -> Node | None:
        """c_0 + c_1 (a x) + c_2 (a x)^2 + ... as a polynomial of x; None for any other argument than a x."""
        (x,) = n.args
        if x.op is not Op.MULTIPLY or not _is_number(x.args[1]) or self.uses[x] > 1:
            return None
        by = _number(x.args[1])
        if not by or abs(log2(abs(by))) * (len(n.attribute) - 1) > _ARGUMENT_BITS:
            return None
        coefficients = tuple(float(c) * by**k for k, c in enumerate(n.attribute))
        return node(
            n.op, self.plain(x.args[0]), attribute=coefficients, length=n.length, kind=n.kind, where=n.where
        )

    # -- where it may go --------------------------------------------------------------------------

    def scaled(self, n: Node, by: float) -> Node | None:
        """The node by * n, no deeper than n, for an n that is used only here; None if that cannot be."""
        self._left -= 1
        rule = _RULES.get(n.op)
        if not (rule and by and self._left > 0 and self._depth < _DEEPEST):
            return None
        self._depth += 1
        found = rule(self, n, by)
        self._depth -= 1
        return found

    def _own(self, n: Node, by: float) -> Node | None:
        return self.scaled(n, by) if self.uses[n] == 1 or n.op is Op.CONSTANT else None

    def _negate(self, n: Node, by: float) -> Node | None:
        x = self._own(n.args[0], by)
        return x and negate(x, where=n.where)

    def _rotate(self, n: Node, by: float) -> Node | None:
        x = self._own(n.args[0], by)
        return x and same(n, (x,))

    def _linear(self, n: Node, by: float) -> Node | None:
        """The matrix times `by`. A matrix that only moves elements passes the factor on to its operand
        instead: it may cost no level as it is, and would cost one with a factor."""
        if n.attribute.selects:
            return self._rotate(n, by)
        scaled = n.attribute.with_values(n.attribute.values * by)
        return linear(scaled, self.plain(n.args[0]), n.kind, where=n.where)

    def _sum_of_two(self, n: Node, by: float) -> Node | None:
        a, b = (self._own(x, by) for x in n.args)
        if a is None and b is not None:
            a = self._multiplied(n.args[0], by, n)
        elif b is None and a is not None:
            b = self._multiplied(n.args[1], by, n)
        if a is None or b is None:
            return None
        return (add if n.op is Op.ADD else subtract)(a, b, where=n.where)

    def _multiplied(self, summand: Node, by: float, total: Node) -> Node | None:
        """The summand times `by`, by a product that makes the sum no deeper; None where it would."""
        if self._depth_of(self.plain(summand)) >= self._depth_of(self.plain(total)):
            return None
        self.falls_short = True
        if not self.further:
            return None
        return multiply(self.plain(summand), constant([by], Kind.REAL), where=total.where)

    def _depth_of(self, n: Node) -> int:
        if n not in self._depths:
            self._depths[n] = node_depth(n, [self._depth_of(a) for a in n.args], "ckks")
        return self._depths[n]

    def _product(self, n: Node, by: float) -> Node | None:
        a, b = n.args
        if b.op is Op.CONSTANT:
            return self._plain_product(n, by)
        if a is b:
            size = abs(by) ** 0.5
            root = self.scaled(a, size) if self.uses[a] == 2 and self._cheap(size) else None
            square = root and multiply(root, root, where=n.where)
            return square and (square if by > 0 else negate(square, where=n.where))
        if not self._cheap(by):
            return None
        for x, y in ((a, b), (b, a)):
            scaled = self._own(x, by)
            if scaled:
                return multiply(scaled, self.plain(y), where=n.where)
        return None

    def _plain_product(self, n: Node, by: float) -> Node | None:
        x, plain = n.args
        if is_free(plain, "ckks"):
            inner = self._own(x, by)
            return inner and multiply(inner, plain, where=n.where)
        further = self._own(x, by * _number(plain)) if _is_number(plain) else None
        return further or multiply(
            self.plain(x), constant(plain.attribute.array * by, Kind.REAL), where=n.where
        )

    def _sum(self, n: Node, by: float) -> Node | None:
        """The sum of the scaled vector; None if that costs too much precision, since noise that is added
        before the sum is then not scaled down after it."""
        cost = min(-log2(abs(by)), log2(n.args[0].length) / 2)
        if cost > self.bits_per_fold:
            return None
        x = self._own(n.args[0], by)
        return x and node(Op.SUM, x, length=1, kind=n.kind, where=n.where)

    def _mean(self, n: Node, by: float) -> Node:
        """The mean times `by`: a sum of the scaled vector if possible, else a product after the mean, which
        multiplies by 1/n in any case."""
        summed = self._sum(n, by / n.args[0].length)
        if summed is not None:
            return summed
        return multiply(same(n, (self.plain(n.args[0]),)), constant([by], n.kind), where=n.where)

    def _series(self, n: Node, by: float) -> Node:
        found: Chebyshev = self.plain(n).attribute
        exact = found.exact and partial(_times, found.exact, by)
        scaled = replace(found.times(by), exact=exact)
        return node(n.op, *self.plain(n).args, attribute=scaled, length=n.length, kind=n.kind, where=n.where)

    def _polynomial(self, n: Node, by: float) -> Node:
        plain = self.plain(n)
        scaled = tuple(float(c) * by for c in plain.attribute)
        return node(n.op, *plain.args, attribute=scaled, length=n.length, kind=n.kind, where=n.where)

    def _constant(self, n: Node, by: float) -> Node:
        return constant(n.attribute.array * by, Kind.REAL, n.where)

    def _cheap(self, by: float) -> bool:
        """Whether a factor of a product may become smaller by this factor while its noise stays as it is."""
        bits = -log2(abs(by))
        further = self.bits_per_fold < bits <= _FURTHER_BITS
        self.falls_short |= further
        return bits <= self.bits_per_fold or (self.further and further)


_RULES: dict[Op, Callable[[_Fold, Node, float], Node | None]] = {
    Op.CONSTANT: _Fold._constant,
    Op.NEGATE: _Fold._negate,
    Op.ROTATE: _Fold._rotate,
    Op.ADD: _Fold._sum_of_two,
    Op.SUBTRACT: _Fold._sum_of_two,
    Op.MULTIPLY: _Fold._product,
    Op.LINEAR: _Fold._linear,
    Op.SUM: _Fold._sum,
    Op.MEAN: _Fold._mean,
    Op.POLYNOMIAL: _Fold._polynomial,
    Op.CHEBYSHEV: _Fold._series,
}


def _is_number(n: Node) -> bool:
    return n.op is Op.CONSTANT and n.length == 1


def _number(n: Node) -> float:
    return float(n.attribute.array[0])


def _mapped(found: Chebyshev, by: float) -> Chebyshev:
    """The series on [-1, 1], of `by` times its argument (and of its centre's distance)."""
    jump = found.jump and replace(found.jump, margin=by * found.jump.margin)
    mapped = replace(found, low=-1.0, high=1.0, jump=jump, places=found.places and _unit_places(found, by))
    return mapped.times(1 / by) if found.gated else mapped


def _unit_places(found: Chebyshev, by: float) -> Places:
    assert found.places is not None
    first, last, number = found.places
    centre = (found.low + found.high) / 2
    return Places(by * (first - centre), by * (last - centre), number)


def _times(function: Callable[[Any], Any], by: float, x: Any) -> Any:
    return by * np.asarray(function(x))


def _of_unit(function: Callable[[Any], Any], low: float, high: float, u: Any) -> Any:
    """The function on [low, high] at the place that corresponds to u in [-1, 1]."""
    return function(np.clip((u * (high - low) + low + high) / 2, low, high))
