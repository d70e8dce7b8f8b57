"""Lowers a circuit to a program, in one pass over its nodes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import ClassVar

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit.balance import normalise
from fheasible.circuit.modulus import centred, modulus
from fheasible.circuit.node import Circuit, Input, Kind, Node, Op
from fheasible.circuit.ranges import intervals
from fheasible.circuit.simplify import check_outputs
from fheasible.circuit.where import at
from fheasible.errors import UnsupportedOperation
from fheasible.lowering.arithmetic import Arithmetic
from fheasible.lowering.bootstrapped import Unplaced
from fheasible.lowering.builder import ProgramBuilder
from fheasible.lowering.diagonals import Need
from fheasible.lowering.hoisting import hoisted
from fheasible.lowering.matrix_products import cost
from fheasible.lowering.packing import PackedVector, slots_for
from fheasible.lowering.padding import needs, tiled_inputs
from fheasible.lowering.polynomial import chebyshev_series, library_series, polynomial
from fheasible.lowering.vectors import Vectors
from fheasible.program.style import LevelBudget, Style
from fheasible.program.types import Action, Packed, Program

NO_BOOTSTRAPS = "none of these libraries bootstraps BFV or BGV"


def lower(circuit: Circuit, style: Style, capacity: int, repeated: bool = False) -> Program:
    """The program for ciphertexts of `capacity` slots (N/2 for CKKS, N for BFV and BGV).

    If `repeated`, the ring has more slots, which repeat what is in these. Plain integers that wrap around are
    in (-t/2, t/2]. Raises UnsupportedOperation where the scheme cannot express the circuit, CircuitError for
    an output that depends on no input.
    """
    return grown(normal_form(circuit), style, capacity, repeated).program(style)


def normal_form(circuit: Circuit) -> Circuit:
    """The circuit in the form that is lowered. CircuitError for an output that depends on no input."""
    found = normalise(circuit)
    check_outputs(found, circuit)  # successive maps may cancel each other
    return found


def grown(circuit: Circuit, style: Style, capacity: int, repeated: bool = False) -> "GrownProgram":
    """The program before levels are given out: the same for styles with equal `budgetless`."""
    slots = slots_for([n.length for n in circuit.nodes()], capacity)
    two_rows = style.exact and slots == capacity and not repeated
    build = ProgramBuilder(style, slots, two_rows)
    walk = _Lowering(Vectors(Arithmetic(build), fold=circuit.minimise_depth), circuit)
    outputs = [(name, walk.output(node)) for name, node in circuit.outputs]
    return GrownProgram(
        circuit,
        build,
        [_given(n.attribute, walk.vector(n)) for n in walk.inputs()],
        [_packed(name, vector) for name, vector in outputs],
    )


def budgetless(style: Style) -> Style:
    """The style with what only finishing a grown program depends on left out."""
    return replace(style, spare=0, budget=LevelBudget(0) if style.budget else None)


@dataclass(frozen=True)
class GrownProgram:
    """A circuit as operations whose levels are not counted yet."""

    circuit: Circuit
    build: ProgramBuilder
    inputs: Sequence[Packed]
    outputs: Sequence[Packed]

    def program(self, style: Style) -> Program:
        """The program, with bootstraps where it has some or is deeper than the style's levels allow."""
        program = self._finished(style)
        return hoisted(program) if style.hoists else program

    def _finished(self, style: Style) -> Program:
        own = style.budget
        if own is None or not self._deeper(style.spare, own):
            return self.build.finish(self.inputs, self.outputs, self.levels + style.spare)
        again, new_inputs, new_outputs = self._unplaced.bootstrapped(style)
        inputs, outputs = _renamed(self.inputs, new_inputs), _renamed(self.outputs, new_outputs)
        return again.finish(inputs, outputs, own.levels)

    def above_needed(self, style: Style) -> int:
        """The levels beyond those after a bootstrap that fresh inputs need, to save as many bootstraps as
        they can with the style's budget; 0 where they save none, or where no bootstrap would be left."""
        own = style.budget
        assert own is not None
        return self._unplaced.above_needed(own, style.spare) if self._deeper(style.spare, own) else 0

    def bootstraps(self, style: Style, at_once: bool = False) -> int:
        """The number of bootstraps of the program for that style, which need not be written for it; 0 where
        there is no such program. `at_once`: a number that is enough will do."""
        own = style.budget
        assert own is not None
        return self._unplaced.bootstraps(own, style.spare, at_once) if self._deeper(style.spare, own) else 0

    @cached_property
    def switches(self) -> int:
        """The number of operations that switch keys, beside bootstraps."""
        made = self.build.reached(_values(self.outputs), _values(self.inputs))
        return sum(g.action in (Action.RELINEARIZE, Action.ROTATE) for g in made)

    def _deeper(self, spare: int, own: LevelBudget) -> bool:
        """Whether the program has bootstraps: the user's, or because it is deeper than its levels."""
        deeper = self.levels + spare > own.levels + own.above
        return deeper or self.build.bootstraps(_values(self.outputs))

    @property
    def levels(self) -> int:
        """The levels that it takes without bootstraps."""
        return self.build.depth_needed(_values(self.outputs))

    @property
    def cost(self) -> float:
        """What it costs beside other forms of the same circuit, before its parameters are known."""
        made = self.build.reached(_values(self.outputs), _values(self.inputs))
        return cost(made, self.levels, self.build.style.hoists)

    @cached_property
    def _unplaced(self) -> Unplaced:
        declared = {i.name: float(max(abs(i.low), abs(i.high))) for i in self.circuit.inputs}
        return Unplaced(self.build, _values(self.outputs), _values(self.inputs), declared)


def _values(vectors: Sequence[Packed]) -> list[int]:
    return [v for packed in vectors for v in packed.values]


def _renamed(vectors: Sequence[Packed], new: Mapping[int, int]) -> list[Packed]:
    return [replace(packed, values=tuple(new[v] for v in packed.values)) for packed in vectors]


def _packed(name: str, vector: PackedVector) -> Packed:
    return Packed(name, vector.length, tuple(v.id for v in vector.values))


def _given(declared: Input, vector: PackedVector) -> Packed:
    """An input, whose slots beyond the end may not be zeros."""
    return replace(_packed(declared.name, vector), tiled=vector.tiled, columns=declared.columns)


class _Lowering:
    def __init__(self, vectors: Vectors, circuit: Circuit) -> None:
        self.on = vectors
        self.circuit = circuit
        self._modulus = modulus(circuit)
        self._needs = needs(circuit)
        self._tiled = tiled_inputs(circuit, self._needs) if not vectors.exact else frozenset()
        self._vectors: dict[Node, PackedVector] = {}
        ranges = intervals(circuit) if self.on.on.style.budget else {}
        for node in circuit.nodes():
            self.on.on.build.where = node.where or self.on.on.build.where
            if node.op is not Op.CONSTANT:
                self.on.zeros = self._needs[node] is Need.CLEAN
                self._vectors[node] = self._rules[node.op](self, node)
                if ranges:
                    self.on.bounded(self._vectors[node], *ranges[node])
        for node in self.inputs():
            if node.kind is Kind.REAL:
                self._needs_reals(node, f"the input {node.attribute.name}", "declare fh.integers")

    def vector(self, node: Node) -> PackedVector:
        return self._vectors[node]

    def inputs(self) -> list[Node]:
        return [n for n in self._vectors if n.op is Op.INPUT]

    def output(self, node: Node) -> PackedVector:
        """The node's vector, settled, with its waiting factor multiplied in."""
        self.on.zeros = False
        x = self.on.multiplied_in(self._vectors[node])
        return PackedVector(x.length, tuple(self.on.on.settle(v) for v in x.values))

    # -- one rule per operation ------------------------------------------------------------------

    def _input(self, node: Node) -> PackedVector:
        return self.on.encrypt(node.attribute.name, node.length, node in self._tiled)

    def _add(self, node: Node) -> PackedVector:
        x, y = self._operands(node)
        if isinstance(x, PackedVector) and isinstance(y, PackedVector):
            return self.on.add(x, y)
        return self.on.add_plain(*_vector_first(x, y))

    def _subtract(self, node: Node) -> PackedVector:
        x, y = self._operands(node)
        if isinstance(x, PackedVector) and isinstance(y, PackedVector):
            return self.on.sub(x, y)
        if isinstance(x, PackedVector):
            return self.on.add_plain(x, -_plain(y))
        return self.on.add_plain(self.on.negate(_vector(y)), _plain(x))

    def _negate(self, node: Node) -> PackedVector:
        return self.on.negate(self._vectors[node.args[0]])

    def _multiply(self, node: Node) -> PackedVector:
        x, y = self._operands(node)
        if isinstance(x, PackedVector) and isinstance(y, PackedVector):
            return self.on.mul(x, y)
        return self.on.mul_plain(*_vector_first(x, y))

    def _sum(self, node: Node) -> PackedVector:
        return self.on.sum(self._vectors[node.args[0]])

    def _mean(self, node: Node) -> PackedVector:
        self._needs_reals(node, "mean", "use sum")
        return self.on.mean(self._vectors[node.args[0]])

    def _rotate(self, node: Node) -> PackedVector:
        return self.on.rotate(self._vectors[node.args[0]], node.attribute)

    def _linear(self, node: Node) -> PackedVector:
        matrix = node.attribute
        if self._modulus is not None:
            wrapped = partial(matrix.with_values, self._wrapped(matrix.values))
            matrix = matrix.once(("modulo", self._modulus), wrapped)
        return self.on.linear(self._vectors[node.args[0]], matrix, self._needs[node])

    def _bootstrap(self, node: Node) -> PackedVector:
        on = self.on.on
        if on.style.exact:
            raise UnsupportedOperation(
                at(node.where or self.circuit.name, NO_BOOTSTRAPS),
                "leave fh.bootstrap out, or use CKKS",
            )
        if on.style.budget is None:
            raise UnsupportedOperation(
                at(
                    node.where or self.circuit.name,
                    "fh.bootstrap needs parameters with levels that a bootstrap brings back",
                ),
                "ask for bootstrapped CKKS of a library that has it, or leave fh.bootstrap out",
            )
        x = self._vectors[node.args[0]]
        return replace(x, values=tuple(on.bootstrap(v) for v in x.values))

    def _discrete(self, node: Node) -> PackedVector:
        raise UnsupportedOperation(
            at(
                node.where or self.circuit.name,
                f"sums and products compute no {node.attribute.function} of integers",
            ),
            "take a scheme with table look-ups",
        )

    def _polynomial(self, node: Node) -> PackedVector:
        c = tuple(self._wrapped(np.array(node.attribute)).tolist())
        x = self._vectors[node.args[0]]
        return self.on.each(lambda v: polynomial(self.on.on, v, c), x, keeps_zero=c[0] == 0)

    def _chebyshev(self, node: Node) -> PackedVector:
        series = node.attribute
        self._needs_reals(node, series.function, "approximate it with an integer polynomial")
        x = self.on.tamed(self._vectors[node.args[0]])
        self.on.bounded(x, series.low, series.high)  # as promised
        found, low, high = x, series.low, series.high
        for coefficients in series.stages:
            found = self._one_series(found, coefficients, low, high)
            low, high = -1.0, 1.0
        return self.on.mul(x, found) if series.gated else found

    def _one_series(
        self, x: PackedVector, coefficients: tuple[float, ...], low: float, high: float
    ) -> PackedVector:
        """The Chebyshev series of x in [low, high]."""
        if self.on.on.style.composites:
            return self.on.each(
                lambda v: library_series(self.on.on, v, coefficients, low, high), x, keeps_zero=False
            )
        x = self._unit_interval(x, low, high)
        self.on.bounded(x, -1.0, 1.0)
        return self.on.each(lambda v: chebyshev_series(self.on.on, v, coefficients), x, keeps_zero=False)

    def _unit_interval(self, x: PackedVector, low: float, high: float) -> PackedVector:
        """x with [low, high] mapped onto [-1, 1]."""
        x = self.on.scale(x, 2 / (high - low))
        centre = (high + low) / (high - low)
        return x if centre == 0 else self.on.add_plain(x, np.array([-centre]))

    _rules: ClassVar[dict[Op, Callable[["_Lowering", Node], PackedVector]]] = {
        Op.INPUT: _input,
        Op.ADD: _add,
        Op.SUBTRACT: _subtract,
        Op.NEGATE: _negate,
        Op.MULTIPLY: _multiply,
        Op.SUM: _sum,
        Op.MEAN: _mean,
        Op.ROTATE: _rotate,
        Op.LINEAR: _linear,
        Op.BOOTSTRAP: _bootstrap,
        Op.POLYNOMIAL: _polynomial,
        Op.CHEBYSHEV: _chebyshev,
        Op.DISCRETE: _discrete,
    }

    def _operands(self, node: Node) -> tuple[PackedVector | Array, PackedVector | Array]:
        x, y = (
            self._wrapped(a.attribute.array) if a.op is Op.CONSTANT else self._vectors[a] for a in node.args
        )
        return x, y

    def _wrapped(self, plain: Array) -> Array:
        return plain if self._modulus is None else centred(plain, self._modulus)

    def _needs_reals(self, node: Node, what: str, instead: str) -> None:
        if self.on.exact:
            scheme = self.on.on.style.scheme.upper()
            raise UnsupportedOperation(
                f"{node.where or self.circuit.name}: {what} needs real numbers, but {scheme} computes on "
                "integers",
                f"{instead}, or use CKKS",
            )


def _vector(x: PackedVector | Array) -> PackedVector:
    assert isinstance(x, PackedVector)
    return x


def _plain(x: PackedVector | Array) -> Array:
    assert not isinstance(x, PackedVector)
    return x


def _vector_first(x: PackedVector | Array, y: PackedVector | Array) -> tuple[PackedVector, Array]:
    return (x, _plain(y)) if isinstance(x, PackedVector) else (_vector(y), _plain(x))
