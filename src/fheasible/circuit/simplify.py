"""Constant folding and identities: one function per operation that makes the simplest node for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never

import numpy as np

from fheasible.circuit import cleartext
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.modulus import modulus as modulus_of
from fheasible.circuit.node import Circuit, Kind, Node, Op, Values, node
from fheasible.circuit.where import at
from fheasible.errors import CircuitError

Rule = Callable[[Node, tuple[Node, ...]], Node]


def simplify(circuit: Circuit) -> Circuit:
    """An equivalent circuit with constants folded, and without x*1, x+0, x-x, -(-x) and similar operations.

    A matrix of one row becomes an inner product, a matrix of one column a product. A plain operand stands
    second (except in plain - x), and has length 1 if all its elements are equal and the other operand has the
    full length. CircuitError for an output that depends on no input.
    """
    t = modulus_of(circuit)

    def rule(n: Node, args: tuple[Node, ...]) -> Node:
        return simplified(n, args, t)

    found = rewrite(circuit, rule)
    check_outputs(found, circuit)
    return found


def check_outputs(found: Circuit, written: Circuit) -> None:
    """Raises CircuitError for an output that depends on no input, with the line where it was written."""
    lines = dict(written.outputs)
    for name, n in found.outputs:
        if n.op is Op.CONSTANT:
            raise CircuitError(
                at(
                    lines[name].where,
                    f"the output {name} of {written.name} does not depend on any input: it is {_shown(n)}"
                    " for all inputs",
                ),
                "Return something that is computed from the encrypted inputs. Where terms cancel each other, "
                "return what remains of them.",
            )


def _shown(plain: Node) -> str:
    """The plain values in words: "0", "0 everywhere," or "1, 2, 3, 4 and so on,"."""
    values = [f"{v:g}" for v in plain.attribute.array[:4].tolist()]
    if is_constant(plain, plain.attribute.array[0]):
        return values[0] if plain.length == 1 else f"{values[0]} everywhere,"
    return ", ".join(values) + (" and so on," if plain.length > 4 else ",")


def rewrite(circuit: Circuit, rule: Rule) -> Circuit:
    """The circuit with every node replaced by what `rule` makes of it and of its rewritten operands."""
    done: dict[Node, Node] = {}
    for n in circuit.nodes():
        done[n] = rule(n, tuple(done[a] for a in n.args))
    outputs = tuple((name, done[n]) for name, n in circuit.outputs)
    return Circuit(circuit.name, circuit.inputs, outputs, circuit.minimise_depth)


def simplified(n: Node, args: tuple[Node, ...], modulus: int | None = None) -> Node:
    """The simplest node for n's operation on these operands."""
    if n.op is Op.INPUT or n.op is Op.CONSTANT:
        return n
    if all(a.op is Op.CONSTANT for a in args):
        return _folded(n, args, modulus)
    match n.op:
        case Op.ADD:
            return add(*args, where=n.where)
        case Op.SUBTRACT:
            return subtract(*args, where=n.where)
        case Op.NEGATE:
            return negate(*args, where=n.where)
        case Op.MULTIPLY:
            return multiply(*args, where=n.where)
        case Op.SUM | Op.MEAN:
            return _reduced(n, args[0])
        case Op.ROTATE:
            return _rotated(n, args[0])
        case Op.LINEAR:
            return linear(n.attribute, args[0], n.kind, where=n.where)
        case Op.POLYNOMIAL:
            return _polynomial(n, args[0])
        case Op.CHEBYSHEV if n.attribute.degree == 0:
            return constant(np.full(n.length, n.attribute.coefficients[0]), n.kind, n.where)
        case Op.POWER | Op.CHEBYSHEV | Op.BOOTSTRAP | Op.DISCRETE:
            return same(n, args)
        case _:
            assert_never(n.op)


def constant(values: Any, kind: Kind, where: str = "") -> Node:
    """The node of a plain vector."""
    found = Values(np.asarray(values, dtype=np.float64 if kind is Kind.REAL else np.int64))
    return node(Op.CONSTANT, attribute=found, length=len(found), kind=kind, where=where)


def is_constant(n: Node, value: float) -> bool:
    """Whether n is a plain vector with this value everywhere."""
    return n.op is Op.CONSTANT and bool((n.attribute.array == value).all())


def add(a: Node, b: Node, *, where: str = "") -> Node:
    a, b = (b, a) if a.op is Op.CONSTANT else (a, b)
    length, kind = _shape(a, b)
    if is_constant(b, 0) and _is(a, length, kind):
        return a
    if b.op is Op.NEGATE:
        return subtract(a, b.args[0], where=where)
    if a.op is Op.NEGATE:
        return subtract(b, a.args[0], where=where)
    if b.op is Op.CONSTANT and _is_shifted(a):
        return _shifted(a, b.attribute.array, where)
    return node(Op.ADD, a, _narrow(b, a), length=length, kind=kind, where=where)


def subtract(a: Node, b: Node, *, where: str = "") -> Node:
    length, kind = _shape(a, b)
    if a is b:
        return constant(np.zeros(length), kind, where)
    if is_constant(b, 0) and _is(a, length, kind):
        return a
    if is_constant(a, 0) and _is(b, length, kind):
        return negate(b, where=where)
    if b.op is Op.NEGATE:
        return add(a, b.args[0], where=where)
    if b.op is Op.CONSTANT and _is_shifted(a):
        return _shifted(a, -b.attribute.array, where)
    return node(Op.SUBTRACT, _narrow(a, b), _narrow(b, a), length=length, kind=kind, where=where)


def _is_shifted(n: Node) -> bool:
    """Whether n is real, and is x + plain, x - plain or plain - x."""
    of_reals = n.kind is Kind.REAL and n.op in (Op.ADD, Op.SUBTRACT)
    return of_reals and Op.CONSTANT in (n.args[0].op, n.args[1].op)


def _shifted(n: Node, by: np.ndarray, where: str) -> Node:
    """The node n + by, with the plain operand of n and `by` as one plain operand."""
    a, b = n.args
    if a.op is Op.CONSTANT:
        return subtract(constant(a.attribute.array + by, Kind.REAL), b, where=where)
    plain = b.attribute.array if n.op is Op.ADD else -b.attribute.array
    return add(a, constant(plain + by, Kind.REAL), where=where)


def negate(a: Node, *, where: str = "") -> Node:
    if a.op is Op.NEGATE:
        return a.args[0]
    if a.op is Op.SUBTRACT:
        return subtract(a.args[1], a.args[0], where=where)
    return node(Op.NEGATE, a, length=a.length, kind=a.kind, where=where)


def multiply(a: Node, b: Node, *, where: str = "") -> Node:
    a, b = (b, a) if a.op is Op.CONSTANT else (a, b)
    length, kind = _shape(a, b)
    if is_constant(b, 0):
        return constant(np.zeros(length), kind, where)
    if is_constant(b, 1) and _is(a, length, kind):
        return a
    if is_constant(b, -1) and _is(a, length, kind):
        return negate(a, where=where)
    return node(Op.MULTIPLY, a, _narrow(b, a), length=length, kind=kind, where=where)


def linear(matrix: Matrix, x: Node, kind: Kind, *, where: str = "") -> Node:
    """The matrix times x: a constant, a rotation, an inner product, a product or x itself where it is one."""
    m, n = matrix.shape
    if not len(matrix):
        return constant(np.zeros(m), kind, where)
    if matrix.is_identity and _is(x, m, kind):
        return x
    if n == 1:
        return multiply(x, constant(matrix.column(), kind, where), where=where)
    if m == 1:
        weighted = multiply(x, constant(matrix.row(), kind, where), where=where)
        return node(Op.SUM, weighted, length=1, kind=kind, where=where)
    if matrix.turn and x.kind is kind:
        return _rotated(node(Op.ROTATE, x, attribute=matrix.turn, length=m, kind=kind, where=where), x)
    return node(Op.LINEAR, x, attribute=matrix, length=m, kind=kind, where=where)


def _folded(n: Node, args: tuple[Node, ...], modulus: int | None) -> Node:
    result = cleartext.apply(n, [a.attribute.array for a in args], modulus=modulus)
    return constant(np.broadcast_to(result, (n.length,)), n.kind, n.where)


def _reduced(n: Node, a: Node) -> Node:
    if a.length == 1 and a.kind is n.kind:
        return a
    return same(n, (a.args[0] if a.op is Op.ROTATE else a,))


def _rotated(n: Node, a: Node) -> Node:
    inner, steps = (a.args[0], a.attribute) if a.op is Op.ROTATE else (a, 0)
    steps = (steps + n.attribute) % n.length
    if steps == 0:
        return inner
    return node(Op.ROTATE, inner, attribute=steps, length=n.length, kind=n.kind, where=n.where)


def _polynomial(n: Node, x: Node) -> Node:
    """The polynomial without trailing zeros; one with a single power as coefficient * power + constant."""
    powers = [k for k, c in enumerate(n.attribute) if c != 0 and k > 0]
    if not powers:
        return constant(np.full(n.length, n.attribute[0]), n.kind, n.where)
    if len(powers) == 1:
        (k,) = powers
        power = x if k == 1 else node(Op.POWER, x, attribute=k, length=n.length, kind=n.kind, where=n.where)
        scaled = multiply(power, constant([n.attribute[k]], n.kind), where=n.where)
        return add(scaled, constant([n.attribute[0]], n.kind), where=n.where)
    return node(n.op, x, attribute=n.attribute[: powers[-1] + 1], length=n.length, kind=n.kind, where=n.where)


def same(n: Node, args: tuple[Node, ...]) -> Node:
    return node(n.op, *args, attribute=n.attribute, length=n.length, kind=n.kind, where=n.where)


def _shape(a: Node, b: Node) -> tuple[int, Kind]:
    kind = Kind.REAL if Kind.REAL in (a.kind, b.kind) else Kind.INTEGER
    return max(a.length, b.length), kind


def _is(n: Node, length: int, kind: Kind) -> bool:
    """Whether n can stand for a result of that length and kind."""
    return n.length == length and n.kind is kind


def _narrow(plain: Node, other: Node) -> Node:
    """The plain operand as one element, if all its elements are equal and the other operand is as long."""
    if plain.op is Op.CONSTANT and 1 < plain.length == other.length:
        first = plain.attribute.array[0]
        if is_constant(plain, first):
            return constant([first], plain.kind, plain.where)
    return plain
