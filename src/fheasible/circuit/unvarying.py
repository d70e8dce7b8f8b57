"""Values that are the same whatever the inputs are: x - 2 x + x, (x + 1)^2 - x^2 - 2 x - 1.

A circuit is evaluated at a few inputs. A real value counts as constant if it varies by no more than the
rounding of doubles, on which a running bound is kept beside each value. An integer value counts as constant
if it is the same modulo a prime, or modulo the user's own modulus, at all these inputs: Schwartz and Zippel's
test of polynomial identities. It also decides about reals where rounding may hide what varies
(`residues.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import ceil, log2, sqrt
from typing import NamedTuple, assert_never

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit import cleartext
from fheasible.circuit.chebyshev import evaluate_slope
from fheasible.circuit.modulus import modulus as modulus_of
from fheasible.circuit.modulus import signed_range
from fheasible.circuit.node import Chebyshev, Circuit, Input, Kind, Node, Op, Values, last_uses, node
from fheasible.circuit.residues import PRIME, in_residues
from fheasible.errors import CircuitError

_LEAST_MODULUS = 1 << 12  # a user's own modulus below this says too little about polynomials
_SURE_BITS = 50.0  # a value that varies is taken for a constant once in 2^50
_EPSILON = 2.0**-52
_ROUNDINGS = 8.0  # two values count as one if they differ by no more than this many bounds on rounding
_TINY = 1e-290
_LOST = 2.0**-20  # times the operands' size: where rounding may be larger, no value is called constant


def with_constants(circuit: Circuit) -> Circuit:
    """An equivalent circuit in which every value that no input changes is a plain vector."""
    found = constants(circuit)
    if not found:
        return circuit
    made: dict[Node, Node] = {}
    for n in circuit.nodes():
        if n in found:
            made[n] = node(Op.CONSTANT, attribute=found[n], length=n.length, kind=n.kind, where=n.where)
        else:
            args = tuple(made[a] for a in n.args)
            made[n] = node(n.op, *args, attribute=n.attribute, length=n.length, kind=n.kind, where=n.where)
    return replace(circuit, outputs=tuple((name, made[n]) for name, n in circuit.outputs))


def constants(circuit: Circuit) -> dict[Node, Values]:
    """The values of the nodes that are computed and do not vary."""
    if circuit.kind is Kind.REAL:
        return _of_reals(circuit)
    t = modulus_of(circuit)
    found = _unvarying(circuit, t if t and t >= _LEAST_MODULUS else PRIME)
    return _at_zero(circuit, list(found)) if found else {}


class Rounded(NamedTuple):
    """A vector of doubles, a bound on their rounding, and the size of the terms added up for each."""

    value: Array
    bound: Array
    size: Array


# -- reals ---------------------------------------------------------------------------------------------


def _of_reals(circuit: Circuit) -> dict[Node, Values]:
    draws = [dict(_draw(circuit.inputs, seed)) for seed in range(3)]
    known: dict[Node, list[Rounded]] = {}  # for each node, one result per draw
    found: dict[Node, Values] = {}
    hidden: dict[Node, Rounded] = {}  # what may vary by less than may have been lost
    with np.errstate(all="ignore"):
        for n, done in last_uses(circuit):
            known[n] = [_rounded(n, [known[a][i] for a in n.args], d) for i, d in enumerate(draws)]
            if n.op not in (Op.INPUT, Op.CONSTANT) and _may_be_one_value(known[n]):
                if all(_is_near(d) for d in known[n]):
                    found[n] = _value(known[n][0], n.kind)
                else:
                    hidden[n] = min(known[n], key=lambda d: float(d.bound.max()))
            for over in done:
                del known[over]
    return found | _told_exactly(circuit, hidden)


def _told_exactly(circuit: Circuit, hidden: dict[Node, Rounded]) -> dict[Node, Values]:
    """Which of these nodes are constant by what their circuit is modulo a prime, with their values."""
    if not hidden:
        return {}
    residues, twins = in_residues(circuit)
    modulo = _unvarying(residues, PRIME)
    return {
        n: Values(np.where(modulo[twins[n]] == 0, 0.0, rounded.value))
        for n, rounded in hidden.items()
        if twins[n] in modulo and np.isfinite(rounded.value).all()
    }


def _draw(inputs: Sequence[Input], seed: int) -> Iterator[tuple[str, Array]]:
    """Random values from the whole declared ranges. (At their ends, much is 0 that is not 0 elsewhere.)"""
    generator = np.random.default_rng(seed)
    for i in inputs:
        yield i.name, i.low + (i.high - i.low) * generator.uniform(0, 1, i.length)


def _may_be_one_value(draws: Sequence[Rounded]) -> bool:
    """Whether rounding alone would explain by what the draws differ."""
    first = draws[0]
    return not any(
        bool((np.abs(d.value - first.value) > _ROUNDINGS * (d.bound + first.bound)).any()) for d in draws[1:]
    )


def _is_near(found: Rounded) -> bool:
    """Whether rounding is too small to hide what varies."""
    return bool(np.isfinite(found.bound).all()) and bool((found.bound <= _LOST * found.size).all())


def _value(found: Rounded, kind: Kind) -> Values:
    """The constant value of a node, with 0 where it may be 0."""
    value = np.where(np.abs(found.value) <= _ROUNDINGS * found.bound, 0.0, found.value)
    return Values(np.rint(value).astype(np.int64) if kind is Kind.INTEGER else value)


def _rounded(n: Node, operands: Sequence[Rounded], data: dict[str, Array]) -> Rounded:
    if n.op is Op.INPUT:
        x = data[n.attribute.name]
        return Rounded(x, np.zeros(len(x)), np.abs(x))
    if n.op is Op.CONSTANT:
        x = n.attribute.array.astype(np.float64)
        return Rounded(x, _EPSILON * np.abs(x) * (x != np.rint(x)), np.abs(x))
    if n.op is Op.DISCRETE:  # no bound is known, so that it counts as varying, and so does what follows
        x = np.zeros(n.length)
        return Rounded(x, np.full(n.length, np.inf), x)
    values, bounds = [r.value for r in operands], [r.bound for r in operands]
    carried, size = _CARRIED[n.op](n, values, bounds)
    return Rounded(cleartext.of_reals(n, values), carried + _terms(n) * _EPSILON * size, size)


def _terms(n: Node) -> float:
    """The rounding of n's own additions, in multiples of _EPSILON times the size of what is added."""
    match n.op:
        case Op.SUM | Op.MEAN:
            return log2(n.args[0].length) + 1
        case Op.LINEAR:
            return 2 * sqrt(n.attribute.shape[1])
        case Op.POWER:
            return float(n.attribute)
        case Op.POLYNOMIAL:
            return 2.0 * len(n.attribute)
        case Op.CHEBYSHEV:
            return 4.0 * sum(len(c) for c in n.attribute.stages)
        case Op.BOOTSTRAP:
            return 0.0
        case Op.INPUT | Op.CONSTANT | Op.ADD | Op.SUBTRACT | Op.NEGATE | Op.MULTIPLY | Op.ROTATE:
            return 1.0
        case Op.DISCRETE:
            return 1.0
        case _:
            assert_never(n.op)


Pair = tuple[Array, Array]


def _added(_: Node, v: Sequence[Array], b: Sequence[Array]) -> Pair:
    return b[0] + b[1], np.abs(v[0]) + np.abs(v[1])


def _multiplied(_: Node, v: Sequence[Array], b: Sequence[Array]) -> Pair:
    size = np.abs(v[0] * v[1])
    bound = np.abs(v[0]) * b[1] + np.abs(v[1]) * b[0]
    return _where_normal(size, bound, (v[0] == 0) | (v[1] == 0)), size


def _raised(n: Node, v: Sequence[Array], b: Sequence[Array]) -> Pair:
    k, x = n.attribute, np.abs(v[0])
    return _where_normal(x**k, k * x ** (k - 1) * b[0], x == 0), x**k


def _where_normal(size: Array, bound: Array, zero: Array) -> Array:
    """The bound, or infinity where a product is too small for a double, so that nothing is known about it."""
    return np.where((size > _TINY) | zero, bound, np.inf)


def _summed(n: Node, v: Sequence[Array], b: Sequence[Array]) -> Pair:
    own = np.sum if n.op is Op.SUM else np.mean
    return own(b[0], keepdims=True), own(np.abs(v[0]), keepdims=True)


def _mapped(n: Node, v: Sequence[Array], b: Sequence[Array]) -> Pair:
    absolute = n.attribute.with_values(np.abs(n.attribute.values.astype(np.float64)))
    return absolute.times(b[0]), absolute.times(np.abs(v[0]))


def _polynomial(n: Node, v: Sequence[Array], b: Sequence[Array]) -> Pair:
    c, x = np.abs(np.asarray(n.attribute, dtype=np.float64)), np.abs(v[0])
    slope = np.polynomial.polynomial.polyval(x, np.polynomial.polynomial.polyder(c))
    return slope * b[0], np.polynomial.polynomial.polyval(x, c)


def _series(n: Node, v: Sequence[Array], b: Sequence[Array]) -> Pair:
    """The bound and the size for a series. T_k changes by at most k^2 for each unit on [-1, 1] (Markov). For
    compositions, that would be far too much: theirs is the slope beside each value."""
    found: Chebyshev = n.attribute
    if found.jump:
        size = np.full(len(v[0]), np.abs(found.stages[-1]).sum()) * (np.abs(v[0]) if found.gated else 1.0)
        return np.abs(evaluate_slope(found, v[0])) * b[0], size
    c = np.abs(np.asarray(found.coefficients))
    slope = float(c @ np.arange(len(c)) ** 2.0) * 2 / (found.high - found.low)
    return slope * b[0], np.full(len(v[0]), c.sum())


_CARRIED: dict[Op, Callable[[Node, Sequence[Array], Sequence[Array]], Pair]] = {
    Op.ADD: _added,
    Op.SUBTRACT: _added,
    Op.NEGATE: lambda _, v, b: (b[0], np.abs(v[0])),
    Op.BOOTSTRAP: lambda _, v, b: (b[0], np.abs(v[0])),
    Op.MULTIPLY: _multiplied,
    Op.POWER: _raised,
    Op.SUM: _summed,
    Op.MEAN: _summed,
    Op.ROTATE: lambda n, v, b: (np.roll(b[0], -n.attribute), np.roll(np.abs(v[0]), -n.attribute)),
    Op.POLYNOMIAL: _polynomial,
    Op.CHEBYSHEV: _series,
    Op.LINEAR: _mapped,
}


# -- integers ------------------------------------------------------------------------------------------


def _unvarying(circuit: Circuit, q: int) -> dict[Node, Array]:
    """The nodes whose values modulo q are the same for inputs that are all 0, all 1, and random; with these.

    A function of integers that is no polynomial gives random values, as an input does: a test by few inputs
    would say nothing about it.
    """
    generator = np.random.default_rng(0)
    draws: list[dict[str, Array]] = [
        {i.name: np.full(i.length, end, dtype=np.int64) for i in circuit.inputs} for end in (0, 1)
    ]
    for _ in range(ceil(_SURE_BITS / log2(q))):
        draws.append({i.name: _residues(generator, q, i.length) for i in circuit.inputs})
    known: dict[Node, list[Array]] = {}
    found = {}
    for n, done in last_uses(circuit):
        for i, d in enumerate(draws):
            operands = [d[n.attribute.name]] if n.op is Op.INPUT else [known[a][i] for a in n.args]
            opaque = n.op is Op.DISCRETE
            made = _residues(generator, q, n.length) if opaque else cleartext.apply(n, operands, modulus=q)
            known.setdefault(n, []).append(made)
        if n.op not in (Op.INPUT, Op.CONSTANT) and all((v == known[n][0]).all() for v in known[n]):
            found[n] = known[n][0]
        for over in done:
            del known[over]
    return found


def _residues(generator: np.random.Generator, q: int, length: int) -> Array:
    low, high = signed_range(q)
    return generator.integers(low, high, length, dtype=np.int64, endpoint=True)


def _at_zero(circuit: Circuit, found: Sequence[Node]) -> dict[Node, Values]:
    """The exact values of nodes that are constant, found where inputs are 0, or as near to it as they may be;
    empty if any node's value needs more than 63 bits."""
    zero = {
        i.name: np.full(i.length, min(max(0, int(i.low)), int(i.high)), dtype=np.int64)
        for i in circuit.inputs
    }
    try:
        values = cleartext.values(circuit, zero)
    except CircuitError:
        return {}
    return {n: Values(values[n]) for n in found}
