"""A circuit of integers as a list of steps, in the order in which a ring scheme evaluates it.

Each element of a vector is a ciphertext of its own, whose plaintext is a constant polynomial. An expression
that occurs twice is computed once. Apart from that, a plan "as written" has the operations as written.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, assert_never

import numpy as np

from fheasible.aliases import Json
from fheasible.circuit.balance import normalise
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.modulus import centred
from fheasible.circuit.modulus import modulus as modulus_of
from fheasible.circuit.node import Circuit, Kind, Node, Op
from fheasible.circuit.ranges import intervals
from fheasible.circuit.simplify import add, constant, multiply, rewrite, simplified
from fheasible.circuit.where import at
from fheasible.errors import PromiseBroken, UnsupportedOperation

_KNOWN = {
    Op.INPUT, Op.CONSTANT, Op.ADD, Op.SUBTRACT, Op.NEGATE, Op.MULTIPLY, Op.SUM, Op.ROTATE, Op.LINEAR,
}  # fmt: skip
_CHOICE = (
    "declare fh.integers and use + - * ** and fh.sum; for real numbers, take CKKS with fheasible explore"
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step, which makes a vector.

    `attribute` is an input's name, a constant's integers, the distance of a rotation, or a matrix: for each
    of its rows, the (column, integer) of every entry that is not zero.
    """

    op: Op
    args: tuple[int, ...]
    attribute: Any
    length: int


@dataclass(frozen=True, slots=True)
class Output:
    """An output: the step that gives it, and the integers between which its elements lie."""

    name: str
    step: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps and the outputs of an application.

    `modulus` is the modulus of the integers, None for ordinary ones. `minimised` says whether the steps have
    the least depth.
    """

    name: str
    steps: tuple[Step, ...]
    outputs: tuple[Output, ...]
    modulus: int | None
    minimised: bool

    @property
    def depth(self) -> int:
        """The largest number of multiplications of ciphertexts in succession."""
        deep = self.depths()
        return max(deep[o.step] for o in self.outputs)

    def depths(self) -> list[int]:
        """The depth of each step: multiplications of ciphertexts in succession."""
        found: list[int] = []
        for step in self.steps:
            found.append(max((found[a] for a in step.args), default=0) + self.multiplies(step))
        return found

    def multiplies(self, step: Step) -> bool:
        """Whether the step is a product of two ciphertexts."""
        return step.op is Op.MULTIPLY and not any(self.is_plain(a) for a in step.args)

    def is_plain(self, step: int) -> bool:
        return self.steps[step].op is Op.CONSTANT

    @property
    def largest(self) -> int:
        """A bound on the magnitude of every plaintext, where the inputs are bits and nothing wraps around."""
        found: list[int] = []
        for step in self.steps:
            found.append(self._magnitude(step, [found[a] for a in step.args]))
        return max(found, default=1)

    def _magnitude(self, step: Step, operands: list[int]) -> int:
        match step.op:
            case Op.INPUT:
                return 1
            case Op.CONSTANT:
                return int(max(map(abs, step.attribute)))
            case Op.MULTIPLY:
                return operands[0] * operands[1]
            case Op.SUM:
                return operands[0] * self.steps[step.args[0]].length
            case Op.LINEAR:
                return operands[0] * largest_row(step)
            case Op.ADD | Op.SUBTRACT | Op.NEGATE | Op.ROTATE:
                return sum(operands)
            case Op.POWER | Op.MEAN | Op.POLYNOMIAL | Op.CHEBYSHEV | Op.BOOTSTRAP | Op.DISCRETE:
                raise AssertionError(f"a plan has no {step.op}")  # `plan` writes them as others, or refuses
            case _:
                assert_never(step.op)

    def operations(self) -> dict[str, int]:
        """Homomorphic operations by kind: {"encrypt": 3, "multiply": 12, ...}."""
        found: Counter[str] = Counter()
        for step in self.steps:
            found.update(dict(self._own(step)))
        found["decrypt"] = sum(self.steps[o.step].length for o in self.outputs)
        return dict(found)

    def _own(self, step: Step) -> Iterator[tuple[str, int]]:
        plain = any(self.is_plain(a) for a in step.args)
        match step.op:
            case Op.INPUT:
                yield "encrypt", step.length
            case Op.MULTIPLY:
                yield "multiply_plain" if plain else "multiply", step.length
            case Op.ADD:
                yield "add_plain" if plain else "add", step.length
            case Op.SUBTRACT:
                yield "add_plain" if plain else "add", step.length
                if not self.is_plain(step.args[1]):
                    yield "negate", self.steps[step.args[1]].length
            case Op.NEGATE:
                yield "negate", step.length
            case Op.SUM if self.steps[step.args[0]].length > 1:
                yield "add", self.steps[step.args[0]].length - 1
            case Op.LINEAR:
                yield "multiply_plain", sum(k != 1 for row in step.attribute for _, k in row)
                yield "add", sum(max(len(row) - 1, 0) for row in step.attribute)
            case Op.CONSTANT | Op.SUM | Op.ROTATE:
                return
            case Op.POWER | Op.MEAN | Op.POLYNOMIAL | Op.CHEBYSHEV | Op.BOOTSTRAP | Op.DISCRETE:
                raise AssertionError(f"a plan has no {step.op}")
            case _:
                assert_never(step.op)

    def uses(self) -> list[int]:
        """How often each step is an operand or an output."""
        found = Counter(a for step in self.steps for a in step.args)
        found.update(o.step for o in self.outputs)
        return [found[i] for i in range(len(self.steps))]

    def check_modulus(self, t: Any) -> None:
        """Raise PromiseBroken unless integers modulo t tell all possible outputs apart.

        t may be an array; every t of it must do so.
        """
        moduli = np.atleast_1d(np.asarray(t))
        if self.modulus is not None:
            wrong = moduli[moduli % self.modulus != 0]
            need, remedy = f"a multiple of {self.modulus}", f"set t = {self.modulus}"
        else:
            wide = max(self.outputs, key=lambda o: o.high - o.low)
            wrong = moduli[moduli <= wide.high - wide.low]
            need = (
                f"above {wide.high - wide.low}, because {wide.name} lies between {wide.low} and {wide.high}"
            )
            remedy = "set a larger t, narrow the ranges of the inputs, or declare them with modulo=t"
        if len(wrong):
            raise PromiseBroken(f"{self.name} needs a plaintext modulus {need}, not t = {wrong[0]}", remedy)

    def to_json(self) -> Json:
        return asdict(self)

    @staticmethod
    def from_json(told: Json) -> "Plan":
        steps = tuple(
            Step(Op(s["op"]), tuple(s["args"]), _attribute(s["attribute"]), s["length"])
            for s in told["steps"]
        )
        outputs = tuple(Output(**o) for o in told["outputs"])
        return Plan(told["name"], steps, outputs, told["modulus"], told["minimised"])

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(self.to_json()).encode()).hexdigest()


def plan(circuit: Circuit, minimise_depth: bool | None = None) -> Plan:
    """The plan of a circuit, as written or of least depth; None follows the application's own choice.

    UnsupportedOperation, with the source line, for real numbers and functions.
    """
    if minimise_depth is not None:
        circuit = replace(circuit, minimise_depth=minimise_depth)
    _check(circuit)
    t = modulus_of(circuit)
    normal = rewrite(normalise(circuit), partial(_without_polynomials, modulus=t))
    nodes = list(normal.nodes())
    number = {n: i for i, n in enumerate(nodes)}
    steps = tuple(Step(n.op, tuple(number[a] for a in n.args), _told(n, t), n.length) for n in nodes)
    return Plan(circuit.name, steps, _outputs(normal, number), t, circuit.minimise_depth)


def _check(circuit: Circuit) -> None:
    for n in circuit.nodes():
        if n.kind is Kind.REAL:
            said = "real numbers" if n.op in (Op.INPUT, Op.CONSTANT) else f"{n.op} of real numbers"
            raise UnsupportedOperation(
                at(n.where, f"ring schemes compute on integers only, not on {said}"), _CHOICE
            )
        if n.op not in _KNOWN | {Op.POWER, Op.POLYNOMIAL}:
            said = n.attribute.function if n.op is Op.DISCRETE else n.op
            raise UnsupportedOperation(at(n.where, f"ring schemes have no {said}"), _CHOICE)


def _outputs(circuit: Circuit, number: dict[Node, int]) -> tuple[Output, ...]:
    ranges = intervals(circuit)
    return tuple(Output(name, number[n], int(ranges[n][0]), int(ranges[n][1])) for name, n in circuit.outputs)


def _told(n: Node, modulus: int | None) -> Any:
    if n.op is Op.INPUT:
        return n.attribute.name
    if n.op is Op.CONSTANT:
        values = n.attribute.array
        return tuple((values if modulus is None else centred(values, modulus)).tolist())
    if n.op is Op.LINEAR:
        return _rows(n.attribute, modulus)
    return n.attribute


def _rows(matrix: Matrix, modulus: int | None) -> tuple[tuple[tuple[int, int], ...], ...]:
    values = matrix.values if modulus is None else centred(matrix.values, modulus)
    rows: list[list[tuple[int, int]]] = [[] for _ in range(matrix.shape[0])]
    for i, j, k in zip(matrix.rows.tolist(), matrix.columns.tolist(), values.tolist(), strict=True):
        if k:
            rows[i].append((j, k))
    return tuple(tuple(row) for row in rows)


def largest_row(step: Step) -> int:
    """The largest sum of the magnitudes in a row of a step's matrix."""
    return max(int(sum(abs(k) for _, k in row)) for row in step.attribute)


def _attribute(told: Any) -> Any:
    return tuple(_attribute(part) for part in told) if isinstance(told, list) else told


def _without_polynomials(n: Node, args: tuple[Node, ...], modulus: int | None) -> Node:
    """The node, with a polynomial written as the sum of its terms.

    Each power is the product of two powers of about half its exponent.
    """
    if n.op is not Op.POLYNOMIAL:
        return simplified(n, args, modulus)
    total = constant([n.attribute[0]], n.kind)
    for k, c in enumerate(n.attribute[1:], start=1):
        if c:
            term = multiply(_power(args[0], k, n.where), constant([c], n.kind), where=n.where)
            total = add(total, term, where=n.where)
    return total


def _power(x: Node, k: int, where: str) -> Node:
    """x^k in ceil(log2 k) levels; equal powers are shared."""
    if k == 1:
        return x
    half = 1 << ((k - 1).bit_length() - 1)
    return multiply(_power(x, half, where), _power(x, k - half, where), where=where)
