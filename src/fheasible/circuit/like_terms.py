"""Sums in which a value stands several times, with each value once: x + c - 2 (x c) as (1 - 2 c) x + c.

A value counts once for each operand that is a plain multiple of it; plain means numbers, or vectors of them.
Nothing becomes deeper, and no product is added: a value that is only added to itself stays as it is written.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit.depth import FREE
from fheasible.circuit.modulus import centred
from fheasible.circuit.modulus import modulus as modulus_of
from fheasible.circuit.node import Circuit, Kind, Node, Op
from fheasible.circuit.simplify import add, constant, multiply, simplified, subtract

_WORD = 2.0**62  # integers beyond it are left as they are written
_MOST_SUMS = 4  # of an integer with itself, which take no more than a product with a number
_ROUNDED = 2.0**-50  # a factor of reals this far below its parts is what rounding leaves of 0


def with_like_terms(circuit: Circuit) -> Circuit:
    """An equivalent circuit with like terms gathered. Expects a simplified circuit; reals differ by rounding
    alone. An output of which nothing is left (x + x modulo 2) stays as it is written."""
    made = _Gathering(circuit).made
    outputs = tuple((name, n if made[n].op is Op.CONSTANT else made[n]) for name, n in circuit.outputs)
    return Circuit(circuit.name, circuit.inputs, outputs, circuit.minimise_depth)


@dataclass(slots=True)
class _Part:
    """What one value is multiplied by in all operands together. `size`: the sum of the factors' magnitudes;
    `products`: how many of these operands are products that take a level in CKKS, or any for integers."""

    factor: Array
    size: Array
    times: int
    products: int

    @property
    def rounded(self) -> Array:
        """The factor, with 0 where it may be 0."""
        if self.factor.dtype.kind != "f":
            return self.factor
        return np.where(np.abs(self.factor) <= _ROUNDED * self.size, 0.0, self.factor)

    @property
    def written(self) -> list[Array]:
        """The factors with which the value stands in the sum: one, or 1 or -1 several times."""
        factor = self.rounded
        if self.alike or self.times == 1:
            return [factor] if factor.any() else []
        return [np.sign(factor)] * int(abs(factor[0]))

    @property
    def alike(self) -> bool:
        """Whether one product with the factor takes less than what is written."""
        factor = self.rounded
        if self.times == 1:
            return False
        many = factor.dtype.kind == "i" and self.times > _MOST_SUMS
        return self.products > 0 or many or any((factor == value).all() for value in (-1, 0, 1))


@dataclass(slots=True)
class _Sum:
    """Plain multiples of values, and a plain vector."""

    parts: dict[Node, _Part]
    plain: Array

    @property
    def alike(self) -> bool:
        return any(part.alike for part in self.parts.values())


class _Gathering:
    """The nodes of a circuit, rebuilt, in their order."""

    def __init__(self, circuit: Circuit) -> None:
        self.modulus = modulus_of(circuit)
        self.uses = Counter(n for _, n in circuit.outputs)
        users: dict[Node, Node] = {}
        for n in circuit.nodes():
            self.uses.update(n.args)
            users.update(dict.fromkeys(n.args, n))
        self.made: dict[Node, Node] = {}
        self.sums: dict[Node, _Sum] = {}
        for n in circuit.nodes():
            found = self._sum(n)
            if found is not None and self.uses[n] == 1 and _takes(users.get(n), found):
                self.sums[n] = found
                self.made[n] = self._as_written(n)
            elif found is not None and found.alike:
                self.made[n] = self._gathered(n, found)
            else:
                self.made[n] = self._as_written(n)

    def _as_written(self, n: Node) -> Node:
        return simplified(n, tuple(self.made[a] for a in n.args), self.modulus)

    def _gathered(self, n: Node, found: _Sum) -> Node:
        if any(atom.kind is not n.kind for atom in found.parts):
            return self._as_written(n)
        terms = [(self.made[atom], by) for atom, part in found.parts.items() for by in part.written]
        terms.sort(key=lambda term: bool((term[1] == -1).all()))  # so that the first one is not negated
        result: Node | None = None
        for atom, by in terms:
            if result is not None and (by == -1).all():
                result = subtract(result, atom, where=n.where)
                continue
            term = multiply(atom, constant(_narrowed(by), n.kind, n.where), where=n.where)
            result = term if result is None else add(result, term, where=n.where)
        plain = constant(np.broadcast_to(found.plain, (n.length,)) if result is None else found.plain, n.kind)
        if result is None:
            return plain
        result = add(result, plain, where=n.where)
        if result.length < n.length:  # all parts are single numbers
            result = add(result, constant(np.zeros(n.length), n.kind), where=n.where)
        return result

    def _sum(self, n: Node) -> _Sum | None:
        """The node as a sum; None where it is none, or where integers grow too large."""
        try:
            return self._written(n)
        except OverflowError:
            return None

    def _written(self, n: Node) -> _Sum | None:
        match n.op:
            case Op.ADD | Op.SUBTRACT:
                x, y = (self._operand(a, n) for a in n.args)
                return self._joined(x, y if n.op is Op.ADD else self._times(y, self._numbers([-1], n)))
            case Op.NEGATE:
                return self._times(self._operand(n.args[0], n), self._numbers([-1], n))
            case Op.MULTIPLY if n.args[1].op is Op.CONSTANT:
                x = self._operand(n.args[0], n)
                if len(x.parts) > 1:
                    x = self._alone(n.args[0], n)
                return self._times(x, self._numbers(n.args[1].attribute.array, n))
        return None

    def _operand(self, a: Node, n: Node) -> _Sum:
        if a.op is Op.CONSTANT:
            return _Sum({}, self._numbers(a.attribute.array, n))
        return self.sums.pop(a, None) or self._alone(a, n)

    def _alone(self, a: Node, n: Node) -> _Sum:
        one = self._numbers([1], n)
        return _Sum({a: _Part(one, one, 1, 0)}, self._numbers([0], n))

    def _numbers(self, values: Any, n: Node) -> Array:
        return np.asarray(values).astype(np.float64 if n.kind is Kind.REAL else np.int64)

    def _times(self, x: _Sum, by: Array) -> _Sum:
        if (by == 1).all():
            return x
        product = not any((by == free).all() for free in (FREE if by.dtype.kind == "f" else (1, -1)))
        parts = {
            atom: _Part(
                self._product(part.factor, by), _checked(np.abs(part.factor), by), part.times,
                part.products + product,
            )
            for atom, part in x.parts.items()
        }  # fmt: skip
        return _Sum(parts, self._product(x.plain, by))

    def _product(self, a: Array, b: Array) -> Array:
        _checked(np.abs(a), b)
        return self._wrapped(a * b)

    def _joined(self, x: _Sum, y: _Sum) -> _Sum:
        """Both sums as one: the parts of the smaller one among those of the larger one."""
        plain = self._wrapped(_total(x.plain, y.plain))
        small, large = (x, y) if len(x.parts) < len(y.parts) else (y, x)
        for atom, part in small.parts.items():
            other = large.parts.get(atom)
            large.parts[atom] = part if other is None else self._with(part, other)
        return _Sum(large.parts, plain)

    def _with(self, a: _Part, b: _Part) -> _Part:
        return _Part(
            self._wrapped(_total(a.factor, b.factor)), _total(a.size, b.size), a.times + b.times,
            a.products + b.products,
        )  # fmt: skip

    def _wrapped(self, values: Array) -> Array:
        return (
            centred(values, self.modulus) if self.modulus is not None and values.dtype.kind == "i" else values
        )


def _takes(user: Node | None, found: _Sum) -> bool:
    """Whether the one user of a sum goes on with its parts. Of a product of several, there would be several
    products."""
    if user is None:
        return False
    if user.op is Op.MULTIPLY:
        return user.args[1].op is Op.CONSTANT and len(found.parts) <= 1
    return user.op in (Op.ADD, Op.SUBTRACT, Op.NEGATE)


def _checked(sizes: Array, by: Array) -> Array:
    """The sizes times the magnitudes of `by`. OverflowError for integers that are too large."""
    if _largest(sizes) * _largest(by) >= (_WORD if sizes.dtype.kind == "i" else np.inf):
        raise OverflowError
    return sizes * np.abs(by)


def _total(a: Array, b: Array) -> Array:
    if _largest(a) + _largest(b) >= (_WORD if a.dtype.kind == "i" else np.inf):
        raise OverflowError
    return a + b


def _largest(values: Array) -> float:
    return float(np.abs(values.astype(np.float64)).max())


def _narrowed(factor: Array) -> Array:
    return factor[:1] if (factor == factor[0]).all() else factor
