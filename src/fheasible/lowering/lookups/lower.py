"""Lowers a circuit of integers to a program of table look-ups, in one pass over its nodes."""

from collections import Counter
from collections.abc import Callable, Iterator
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.discrete import Discrete, Function, result
from fheasible.circuit.like_terms import with_like_terms
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.modulus import centred, signed_range
from fheasible.circuit.modulus import modulus as modulus_of
from fheasible.circuit.node import Circuit, Input, Kind, Node, Op, lines_of
from fheasible.circuit.ranges import intervals
from fheasible.circuit.simplify import simplify
from fheasible.circuit.where import at
from fheasible.errors import UnsupportedOperation
from fheasible.lowering.lookups.builder import LookupBuilder
from fheasible.lowering.lookups.comparing import Comparing
from fheasible.lowering.lookups.dividing import Dividing
from fheasible.lowering.lookups.fixed import in_fixed_point
from fheasible.lowering.lookups.moving import Moving
from fheasible.lowering.lookups.number import Number, Term, tightened, total
from fheasible.lowering.lookups.pieces import pieces
from fheasible.lowering.lookups.products import Products
from fheasible.lowering.lookups.residues import Residues
from fheasible.lowering.lookups.tables import Tables
from fheasible.program.lookups import Digits, LookupProgram

MOST_BITS = 256  # of a value: far more than results have, and products before they are rounded


def lower_lookups(
    circuit: Circuit,
    message: int,
    carry: int,
    fraction: int | None = None,
    most: float = inf,
    longest: float = inf,
) -> LookupProgram:
    """The program for ciphertexts that hold a digit below `message`, and `carry` times as much.

    Reals become multiples of 2^-fraction (fixed point), whose products are rounded. UnsupportedOperation
    where the circuit cannot be expressed in such digits, or without a `fraction` that it needs.
    TooManyLookups, without looking at the rest, where a part of the circuit already takes `most` look-ups;
    TooManySteps where the program has more than `longest` steps.
    """
    if message < 2 or message & (message - 1) or carry < 2 or carry & (carry - 1):
        raise UnsupportedOperation(
            f"digits below {message}, with {carry} times as much room for carries, are not possible",
            "take powers of two from 2 on: carry=2 is room for the sum of two digits",
        )
    whole, scales = as_integers(circuit, fraction)
    return _Lowering(whole, LookupBuilder(message, message * carry, most, longest), scales).program()


def as_integers(circuit: Circuit, fraction: int | None) -> tuple[Circuit, dict[str, int]]:
    """The circuit of integers that look-ups compute, whatever their digits, and the scale of each real input
    ("input x") and output ("output y"). UnsupportedOperation for reals without a `fraction`."""
    scales: dict[str, int] = {}
    if circuit.kind is Kind.REAL:
        if fraction is None:
            raise UnsupportedOperation(
                f"{circuit.name} computes on reals, which look-ups take as fixed point",
                "say how many bits there are after the point",
            )
        circuit, scales = in_fixed_point(circuit, fraction)
    return with_like_terms(simplify(circuit), together=False), scales


class _Lowering:
    """The numbers of a circuit's nodes. Sums wrap around where the circuit does; comparisons, quotients and
    tables take residues with their signs."""

    def __init__(self, circuit: Circuit, build: LookupBuilder, scales: dict[str, int]) -> None:
        self.circuit, self.build, self.scales = circuit, build, scales
        self.t = modulus_of(circuit)
        self.residues = Residues(self.build, self.t)
        self.sums, self.whole = self.residues.sums, self.residues.whole
        self.spans = intervals(circuit, MOST_BITS)
        self.uses = Counter(a for n in circuit.nodes() for a in n.args)
        self.summed = Counter(n.args[0] for n in circuit.nodes() if n.op is Op.SUM)
        self.inputs: list[Digits] = []
        self.numbers: dict[Node, Number] = {}
        lines = lines_of(circuit)
        for node in circuit.nodes():
            self.build.where = lines[node] or self.build.where
            self.numbers[node] = self._kept(node, self._rules[node.op](self, node))

    def program(self) -> LookupProgram:
        outputs = [self._output(name, node) for name, node in self.circuit.outputs]
        return self.build.finish(self.inputs, outputs)

    def _output(self, name: str, node: Node) -> Digits:
        found = self.sums.added(self.numbers[node], self._span(node))
        zero = self.build.trivial(np.zeros(1))
        values = tuple(c[0].value if c else zero for c in found.columns) or (zero,)
        return Digits(
            name, node.length, values, self.build.base, found.low, self.t, self.scales.get(f"output {name}")
        )

    def _span(self, node: Node) -> tuple[int, int] | None:
        """The interval of a node's values; None where its number may be another one modulo t."""
        return None if self.t is not None else (int(self.spans[node][0]), int(self.spans[node][1]))

    def _kept(self, node: Node, found: Number) -> Number:
        """The number as later nodes take it: added up once, where several of them would each do so."""
        terms = sum(map(len, found.columns))
        if node.op is Op.CONSTANT:
            return found  # with its sign, which comparisons need
        if self.t is not None and not self.residues.wraps:
            return self.residues.reduced(found)
        if terms > 64 or (self.uses[node] > 1 and not found.summed):
            return self.sums.added(found, self._span(node))
        span = self._span(node)
        return tightened(found, span, self.build.base) if span and found.summed else found

    def _exact(self, node: Node) -> Number:
        """A node's number as it is, with its sign, not merely modulo t."""
        x = self.numbers[node]
        if self.t is None:
            return x
        if node.op is Op.CONSTANT or self._is_exact(node):
            return x
        return self.residues.residue(x, signed_range(self.t)[0])

    def _is_exact(self, node: Node) -> bool:
        """Whether a node's number is not merely one modulo t: results of comparisons, and of tables."""
        return node.op is Op.DISCRETE and node.attribute.function in (Function.GREATER, Function.EQUAL)

    # -- one rule per operation ----------------------------------------------------------------------

    def _input(self, node: Node) -> Number:
        declared: Input = node.attribute
        low, high = int(declared.low), int(declared.high)
        low = 0 if self.t is not None else low
        most = self.t - 1 if self.t is not None else high - low
        count = 1
        while self.build.base**count <= most:
            count += 1
        values = tuple(self.build.encrypt(declared.name, i, node.length) for i in range(count))
        fraction = self.scales.get(f"input {declared.name}")
        self.inputs.append(Digits(declared.name, node.length, values, self.build.base, low, self.t, fraction))
        columns = tuple((Term(v, self.build.base - 1),) for v in values)
        return tightened(Number(node.length, low, columns), (low, low + most), self.build.base)

    def _constant(self, node: Node) -> Number:
        array = node.attribute.array
        return self.whole.plain(array if self.t is None else centred(array, self.t))

    def _add(self, node: Node) -> Number:
        parts = pieces(node)
        if parts is not None and self.t is None:
            moving = Moving(self.sums)
            taken = np.concatenate([p.places for p in parts])
            zero = np.setdiff1d(np.arange(node.length), taken)
            found = [moving.picked(self.numbers[p.node], p.elements) for p in parts]
            joined = moving.joined([*found, *([Number(len(zero), 0)] if len(zero) else [])])
            return moving.picked(joined, np.concatenate([taken, zero]).argsort())
        return self._long(node, 0).plus(self._long(node, 1))

    def _subtract(self, node: Node) -> Number:
        return self._long(node, 0).minus(self._long(node, 1))

    def _long(self, node: Node, i: int) -> Number:
        return self.numbers[node.args[i]]

    def _negate(self, node: Node) -> Number:
        return self.numbers[node.args[0]].scaled(-1)

    def _multiply(self, node: Node) -> Number:
        x, y = node.args
        if y.op is Op.CONSTANT and y.length == 1:
            return self._times(self.numbers[x], int(y.attribute.array[0]))
        if y.op is Op.CONSTANT:
            return self._times_row(self.numbers[x], y, node.length)
        return self._product(self.numbers[x], self.numbers[y], self._next(node))

    def _next(self, node: Node) -> Callable[[Number], Number]:
        """What will add up the terms of a node's number: the sum of its elements, if nothing else uses it."""
        only = self.summed[node] == self.uses[node] > 0
        return Moving(self.sums).total if only else self.sums.added

    def _times(self, x: Number, by: int) -> Number:
        return x.scaled(by if self.t is None else (by + self.t // 2) % self.t - self.t // 2)

    def _times_row(self, x: Number, plain: Node, length: int) -> Number:
        """The product with a plain vector: for each weight, the elements that have it."""
        return Moving(self.sums).linear(x, _row_by_row(np.arange(length), x, plain))

    def _product(self, x: Number, y: Number, then: Callable[[Number], Number] | None = None) -> Number:
        return Products(self.sums).of(x, y, then or self.sums.added)

    def _power(self, node: Node) -> Number:
        return self._polynomials(node, lambda: self._raised(node))

    def _raised(self, node: Node) -> Number:
        x, k = self.numbers[node.args[0]], int(node.attribute)
        found: Number | None = None
        while True:
            if k & 1:
                found = x if found is None else self.sums.added(self._product(found, x))
            k >>= 1
            if not k:
                assert found is not None
                return found
            x = self.sums.added(self._product(x, x))

    def _polynomial(self, node: Node) -> Number:
        return self._polynomials(node, lambda: self._horner(node))

    def _horner(self, node: Node) -> Number:
        x = self.numbers[node.args[0]]
        *rest, found_c = node.attribute
        found = Number(node.length, int(found_c))
        for c in reversed(rest):
            found = self.sums.added(self._product(found, x)) if found.columns else x.scaled(found.low)
            found = found.plus(Number(1, int(c)))
        return found

    def _polynomials(self, node: Node, general: Callable[[], Number]) -> Number:
        """A function of one vector: by one table where its values fit a ciphertext, if that is cheaper."""
        if self.t is not None:
            return general()
        tables = Tables(self.whole)
        one = tables.one(self._exact(node.args[0]), self._span(node.args[0]), _of(node))
        return one if one is not None else general()

    def _sum(self, node: Node) -> Number:
        length = node.args[0].length
        addends = self._addends(node.args[0])
        return total((Number(1, 0), *(self._total(of, length).scaled(sign) for of, sign in addends)))

    def _addends(self, n: Node) -> Iterator[tuple[Node, int]]:
        """What the node adds up, with signs, where nothing else uses that sum."""
        waiting = [(n, 1)]
        while waiting:
            of, sign = waiting.pop()
            if of.op in (Op.ADD, Op.SUBTRACT, Op.NEGATE) and self.uses[of] == 1:
                signs = (-sign,) if of.op is Op.NEGATE else (sign, -sign if of.op is Op.SUBTRACT else sign)
                waiting += zip(of.args, signs, strict=True)
            else:
                yield of, sign

    def _total(self, of: Node, count: int) -> Number:
        """The sum of so many elements. Those of which a plain factor leaves nothing cost nothing."""
        if of.length < count:
            return self.numbers[of].scaled(count)
        if of.op is Op.CONSTANT:
            return Number(1, int(of.attribute.array.astype(object).sum()))
        if of.op is Op.MULTIPLY and of.args[1].op is Op.CONSTANT and of.args[1].length > 1:
            x = self.numbers[of.args[0]]
            return Moving(self.sums).linear(x, _row_by_row(np.zeros(count, dtype=np.int64), x, of.args[1]))
        return Moving(self.sums).total(self.numbers[of])

    def _rotate(self, node: Node) -> Number:
        places = (np.arange(node.length) + node.attribute) % node.length
        return Moving(self.sums).picked(self.numbers[node.args[0]], places)

    def _linear(self, node: Node) -> Number:
        return Moving(self.sums).linear(self.numbers[node.args[0]], node.attribute)

    def _refused(self, node: Node) -> Number:
        raise UnsupportedOperation(
            at(node.where or self.circuit.name, f"look-ups on integers have no {node.op}"),
            "declare fh.integers, and use comparisons and tables: fh.lookup(x, table)",
        )

    def _discrete(self, node: Node) -> Number:
        found: Discrete = node.attribute
        spans = [(int(self.spans[a][0]), int(self.spans[a][1])) for a in node.args]
        xs = [self._exact(a) for a in node.args]
        comparing, dividing = Comparing(self.whole), Dividing(self.whole)
        match found.function:
            case Function.GREATER:
                return comparing.at_least(xs[0].minus(xs[1]), 1)
            case Function.EQUAL:
                return comparing.equal(xs[0], xs[1], spans[0], spans[1])
            case Function.SELECT:
                bit = tightened(self.whole.added(xs[0]), spans[0], self.build.base)
                return comparing.chosen(bit, *self._both(node, 1))
            case Function.MAXIMUM | Function.MINIMUM:
                x, y = self._both(node, 0)
                larger = comparing.at_least(x.minus(y), 1)
                return comparing.chosen(larger, x, y, other=found.function is Function.MINIMUM)
            case Function.AND | Function.OR | Function.XOR:
                return dividing.bitwise(found.function, xs[0], xs[1], (spans[0], spans[1]))
        one = Tables(self.whole).one(xs[0], spans[0], _of(node))
        if one is not None:
            return one
        if found.function is Function.LOOKUP:
            return Tables(self.whole).many(xs[0], spans[0], found)
        by = dividing.floor if found.function is Function.FLOOR else dividing.remainder
        return by(xs[0], found.number, spans[0])

    def _both(self, node: Node, first: int) -> tuple[Number, Number]:
        """Two operands, added up, of which one is chosen."""
        x, y = (
            self.whole.added(self._exact(a), (int(self.spans[a][0]), int(self.spans[a][1])))
            for a in node.args[first : first + 2]
        )
        return x, y

    _rules: ClassVar[dict[Op, Callable[["_Lowering", Node], Number]]] = {
        Op.INPUT: _input,
        Op.CONSTANT: _constant,
        Op.ADD: _add,
        Op.SUBTRACT: _subtract,
        Op.NEGATE: _negate,
        Op.MULTIPLY: _multiply,
        Op.POWER: _power,
        Op.POLYNOMIAL: _polynomial,
        Op.SUM: _sum,
        Op.ROTATE: _rotate,
        Op.LINEAR: _linear,
        Op.DISCRETE: _discrete,
        Op.MEAN: _refused,
        Op.CHEBYSHEV: _refused,
        Op.BOOTSTRAP: _refused,
    }


def _row_by_row(rows: NDArray[Any], x: Number, plain: Node) -> Matrix:
    """The matrix that takes the product of x with a plain vector to these rows, added up; without its zeros.
    x may have one element for all."""
    weights = plain.attribute.array
    columns = np.arange(len(weights)) if x.length > 1 else np.zeros(len(weights), dtype=np.int64)
    kept = weights != 0
    return Matrix((int(rows.max()) + 1, x.length), rows[kept], columns[kept], weights[kept])


def _of(node: Node) -> Callable[[int], int]:
    """The node's function of one integer."""
    if node.op is Op.POWER:
        return lambda v: int(v) ** int(node.attribute)
    if node.op is Op.POLYNOMIAL:
        return lambda v: sum(int(c) * int(v) ** i for i, c in enumerate(node.attribute))
    found: Discrete = node.attribute
    return lambda v: int(result(found, [np.array([v], dtype=object)])[0])
