"""A circuit of reals in fixed point: an integer circuit whose values are multiples of 2^-fraction.

Products are rounded to the nearest such multiple. Functions are tables where their arguments have at most
65,536 values; those with a jump or a kink at 0 are comparisons, which need no margin.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fheasible.circuit.chebyshev import evaluate_series, values_of
from fheasible.circuit.discrete import Discrete, Function
from fheasible.circuit.integer_functions import MOST_ENTRIES
from fheasible.circuit.node import Chebyshev, Circuit, Input, Kind, Node, Op, Values, node
from fheasible.circuit.ranges import Ranges
from fheasible.circuit.where import at
from fheasible.errors import UnsupportedOperation

MOST_FRACTION = 48  # bits after the point
MOST_BITS = 62  # of a plain number or an input, as integers are declared


class Fixed(NamedTuple):
    """Integers that stand for 2^scale times a value."""

    node: Node
    scale: int


def in_fixed_point(circuit: Circuit, fraction: int) -> tuple[Circuit, dict[str, int]]:
    """The circuit on integers, and the scale of each real input ("input x") and output ("output y")."""
    if not 0 <= fraction <= MOST_FRACTION:
        raise UnsupportedOperation(
            f"{fraction} bits after the point are not possible", f"take 0 to {MOST_FRACTION} bits"
        )
    made = _FixedPoint(circuit, fraction)
    found = [(name, made.values[n]) for name, n in circuit.outputs]
    inputs = tuple(made.declared[i.name] for i in circuit.inputs)
    scales = {f"input {i.name}": fraction for i in circuit.inputs if i.kind is Kind.REAL}
    reals = {name for name, n in circuit.outputs if n.kind is Kind.REAL}
    scales |= {f"output {name}": v.scale for name, v in found if name in reals}
    outputs = tuple((name, v.node) for name, v in found)
    return Circuit(circuit.name, inputs, outputs, circuit.minimise_depth), scales


class _FixedPoint:
    def __init__(self, circuit: Circuit, fraction: int) -> None:
        self.fraction = fraction
        self.declared = {i.name: self._declared(i) for i in circuit.inputs}
        self.values: dict[Node, Fixed] = {}
        self._ranges = Ranges()
        for n in circuit.nodes():
            self.values[n] = self._rules[n.op](self, n, [self.values[a] for a in n.args])

    def _declared(self, i: Input) -> Input:
        if i.kind is Kind.INTEGER:
            return i
        low, high = _whole((i.low, i.high), self.fraction, i.name).tolist()
        return replace(i, kind=Kind.INTEGER, low=low, high=high)

    # -- one rule per operation ----------------------------------------------------------------------

    def _input(self, n: Node, _: list[Fixed]) -> Fixed:
        declared = self.declared[n.attribute.name]
        found = node(
            Op.INPUT, attribute=declared, length=n.length, kind=Kind.INTEGER, where=n.where, owner=n.owner
        )
        return Fixed(found, self.fraction if n.kind is Kind.REAL else 0)

    def _constant(self, n: Node, _: list[Fixed]) -> Fixed:
        array = n.attribute.array
        whole = bool((array == np.rint(array)).all())
        scale = 0 if whole else self.fraction
        return Fixed(_plain(_whole(array, scale, n.where), n.where), scale)

    def _added(self, n: Node, args: list[Fixed]) -> Fixed:
        scale = max(a.scale for a in args)
        return Fixed(_made(n.op, n, *(self._at(a, scale) for a in args)), scale)

    def _at(self, x: Fixed, scale: int) -> Node:
        """x at a larger scale."""
        if scale == x.scale:
            return x.node
        return _made(Op.MULTIPLY, x.node, x.node, _plain([1 << (scale - x.scale)], x.node.where))

    def _same(self, n: Node, args: list[Fixed]) -> Fixed:
        x = args[0]
        found = node(n.op, x.node, attribute=n.attribute, length=n.length, kind=Kind.INTEGER, where=n.where)
        return Fixed(found, x.scale)

    def _bootstrap(self, n: Node, args: list[Fixed]) -> Fixed:
        return args[0]

    def _mean(self, n: Node, args: list[Fixed]) -> Fixed:
        x = args[0]
        total = node(Op.SUM, x.node, length=1, kind=Kind.INTEGER, where=n.where)
        return Fixed(_rounded(total, n.args[0].length), x.scale)

    def _multiply(self, n: Node, args: list[Fixed]) -> Fixed:
        return self._product(n, *args)

    def _product(self, n: Node, x: Fixed, y: Fixed) -> Fixed:
        found = _made(Op.MULTIPLY, n, x.node, y.node)
        return self._rescaled(Fixed(found, x.scale + y.scale))

    def _rescaled(self, x: Fixed) -> Fixed:
        if x.scale <= self.fraction:
            return x
        return Fixed(_rounded(x.node, 1 << (x.scale - self.fraction)), self.fraction)

    def _power(self, n: Node, args: list[Fixed]) -> Fixed:
        x, k = args[0], int(n.attribute)
        found: Fixed | None = None
        while True:
            if k & 1:
                found = x if found is None else self._product(n, found, x)
            k >>= 1
            if not k:
                assert found is not None
                return found
            x = self._product(n, x, x)

    def _polynomial(self, n: Node, args: list[Fixed]) -> Fixed:
        *rest, last = n.attribute
        found = self._number(last)
        for c in reversed(rest):
            found = self._product(n, args[0], found)
            plain = self._number(c)
            scale = max(found.scale, plain.scale)
            found = Fixed(_made(Op.ADD, n, self._at(found, scale), self._at(plain, scale)), scale)
        return found

    def _number(self, value: float) -> Fixed:
        scale = 0 if value == round(value) else self.fraction
        return Fixed(_plain(_whole([value], scale, ""), ""), scale)

    def _linear(self, n: Node, args: list[Fixed]) -> Fixed:
        matrix, x = n.attribute, args[0]
        whole = bool((matrix.values == np.rint(matrix.values)).all())
        scale = 0 if whole else self.fraction
        entries = _whole(matrix.values, scale, n.where)
        found = node(
            Op.LINEAR, x.node, attribute=matrix.with_values(entries), length=n.length, kind=Kind.INTEGER,
            where=n.where,
        )  # fmt: skip
        return self._rescaled(Fixed(found, x.scale + scale))

    def _discrete(self, n: Node, args: list[Fixed]) -> Fixed:
        found = node(
            n.op, *(a.node for a in args), attribute=n.attribute, length=n.length, kind=Kind.INTEGER,
            where=n.where,
        )  # fmt: skip
        return Fixed(found, 0)

    def _function(self, n: Node, args: list[Fixed]) -> Fixed:
        series: Chebyshev = n.attribute
        x = args[0]
        if series.jump is None:
            return self._table(n, series, x)
        zero = _plain([0], n.where)
        if series.gated:
            other = zero if series.jump.half else _made(Op.NEGATE, n, x.node)
            return Fixed(_exact(Function.MAXIMUM, n, x.node, other), x.scale)
        above = _exact(Function.GREATER, n, x.node, zero)
        if series.jump.half:
            return Fixed(above, 0)
        return Fixed(_made(Op.SUBTRACT, n, above, _exact(Function.GREATER, n, zero, x.node)), 0)

    def _table(self, n: Node, series: Chebyshev, x: Fixed) -> Fixed:
        low, high = (int(v) for v in self._ranges.of(x.node))
        if high - low >= MOST_ENTRIES:
            raise UnsupportedOperation(
                at(
                    n.where,
                    f"the argument of {series.function} has {high - low + 1:,} values in fixed point with"
                    f" {self.fraction} bits, but a table has at most {MOST_ENTRIES:,}",
                ),
                "take fewer bits after the point, or a smaller range",
            )
        points = np.clip(np.arange(low, high + 1) * 2.0**-x.scale, series.low, series.high)
        exact = evaluate_series(series, points) if series.exact is None else values_of(series.exact, points)
        entries = tuple(int(v) for v in np.rint(np.asarray(exact) * 2.0**self.fraction))
        found = Discrete(Function.LOOKUP, low, entries)
        return Fixed(
            node(Op.DISCRETE, x.node, attribute=found, length=n.length, kind=Kind.INTEGER, where=n.where),
            self.fraction,
        )

    _rules: ClassVar[dict[Op, Callable[["_FixedPoint", Node, list[Fixed]], Fixed]]] = {
        Op.INPUT: _input,
        Op.CONSTANT: _constant,
        Op.ADD: _added,
        Op.SUBTRACT: _added,
        Op.NEGATE: _same,
        Op.SUM: _same,
        Op.ROTATE: _same,
        Op.MEAN: _mean,
        Op.MULTIPLY: _multiply,
        Op.POWER: _power,
        Op.POLYNOMIAL: _polynomial,
        Op.LINEAR: _linear,
        Op.BOOTSTRAP: _bootstrap,
        Op.CHEBYSHEV: _function,
        Op.DISCRETE: _discrete,
    }


def _made(op: Op, like: Node, *args: Node) -> Node:
    """The node of an elementwise operation on integers."""
    length = max(a.length for a in args)
    return node(op, *args, length=length, kind=Kind.INTEGER, where=like.where)


def _exact(function: Function, like: Node, *args: Node) -> Node:
    length = max(a.length for a in args)
    return node(
        Op.DISCRETE, *args, attribute=Discrete(function), length=length, kind=Kind.INTEGER, where=like.where
    )


def _rounded(x: Node, by: int) -> Node:
    """x / by, rounded to the nearest integer."""
    if by == 1:
        return x
    shifted = _made(Op.ADD, x, x, _plain([by // 2], x.where))
    return node(
        Op.DISCRETE, shifted, attribute=Discrete(Function.FLOOR, by), length=x.length, kind=Kind.INTEGER,
        where=x.where,
    )  # fmt: skip


def _whole(values: ArrayLike, scale: int, where: str) -> NDArray[np.int64]:
    """The nearest integers to 2^scale times the values. UnsupportedOperation beyond 62 bits."""
    found = np.rint(np.asarray(values, dtype=np.float64) * 2.0**scale)
    if not (np.abs(found) < 2.0**MOST_BITS).all():
        largest = float(np.abs(values).max())
        raise UnsupportedOperation(
            at(
                where,
                f"numbers of up to {largest:g} have more than {MOST_BITS} bits in fixed point with {scale}"
                " bits after the point",
            ),
            "take fewer bits after the point, or smaller numbers in a larger unit",
        )
    return found.astype(np.int64)


def _plain(values: Any, where: str) -> Node:
    found = Values(np.asarray(values).astype(np.int64))
    return node(Op.CONSTANT, attribute=found, length=len(found), kind=Kind.INTEGER, where=where)
