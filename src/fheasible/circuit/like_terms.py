"""Sums in which a value stands several times, with each value once: x + c - 2 (x c) as (1 - 2 c) x + c.

A value counts once for each operand that is a plain multiple of it; plain means numbers, or vectors of them.
Nothing becomes deeper, except where many elements are computed together in one vector; and no product is
added: a value that is only added to itself stays as it is written.

Sums of elements of the same vector, and elements that are put side by side, become one linear map of it. So
do elements that loops compute one by one (`lanes.py`): x[0] * y[0] + x[1] * y[1] is a part of fh.sum(x * y).
So does one function of several sums of the same vector: the sums are a map, of which the function is taken.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit.depth import FREE
from fheasible.circuit.discrete import BITWISE
from fheasible.circuit.lanes import Form, Lane, Row, lane, multiple, row_of, vector_of
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.modulus import centred
from fheasible.circuit.modulus import modulus as modulus_of
from fheasible.circuit.node import Circuit, Kind, Node, Op, node
from fheasible.circuit.simplify import add, constant, linear, multiply, simplified, subtract

_MOST_ENTRIES = 1 << 21  # of the factors of a sum
_WORD = 2.0**62  # integers beyond it are left as they are written
_MOST_SUMS = 4  # of an integer with itself, which take no more than a product with a number
_WORTH_A_LEVEL = 4  # elements that are computed together
_ROUNDED = 2.0**-50  # a factor of reals this far below its parts is what rounding leaves of 0


def with_like_terms(circuit: Circuit, together: bool = True) -> Circuit:
    """An equivalent circuit with like terms gathered. Expects a simplified circuit; reals differ by rounding
    alone. An output of which nothing is left (x + x modulo 2) stays as it is written. `together`: functions
    of single numbers are put into vectors, which gains nothing where each element is a ciphertext."""
    made = _Gathering(circuit, together).made
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
    def free(self) -> bool:
        """Whether no operand takes a level because of its factor, in CKKS."""
        return not self.products and self.factor.dtype.kind == "f" and len(self.factor) == 1

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
    """Plain multiples of values, and a plain vector. `entries`: the numbers of all factors, about."""

    parts: dict[Node, _Part]
    plain: Array
    entries: int = 1

    @property
    def alike(self) -> bool:
        return any(part.alike for part in self.parts.values())


class _Mapped(NamedTuple):
    """A value in a sum with its factor, as a weighted sum of elements of a vector."""

    atom: Node
    factor: Array
    row: Row


class _Target(NamedTuple):
    """What a sum that nobody wrote makes."""

    length: int
    kind: Kind
    where: str


class _Gathering:
    """The nodes of a circuit, rebuilt, in their order."""

    def __init__(self, circuit: Circuit, together: bool) -> None:
        self.together = together
        self.modulus = modulus_of(circuit)
        self.uses = Counter(n for _, n in circuit.outputs)
        users: dict[Node, Node] = {}
        for n in circuit.nodes():
            self.uses.update(n.args)
            users.update(dict.fromkeys(n.args, n))
        self.made: dict[Node, Node] = {}
        self.sums: dict[Node, _Sum] = {}
        self.lanes: dict[Node, Lane] = {}
        for n in circuit.nodes():
            found = self._sum(n)
            if found is not None and self.uses[n] == 1 and _takes(users.get(n), found):
                self.sums[n] = found
                self.made[n] = self._as_written(n)
            else:
                self.made[n] = self._as_written(n) if found is None else self._gathered(n, found)
            own = lane(n, self.made, self.lanes, self.modulus)
            if own is not None:
                self.lanes[n] = own

    def _as_written(self, n: Node) -> Node:
        return simplified(n, tuple(self.made[a] for a in n.args), self.modulus)

    def _gathered(self, n: Node, found: _Sum) -> Node:
        if any(atom.kind is not n.kind for atom in found.parts):
            return self._as_written(n)
        maps, mapped = self._maps(n, found)
        if not maps and not found.alike:
            return self._as_written(n)
        return self._added(n, found, maps, mapped)

    def _added(self, n: _Target | Node, found: _Sum, maps: Sequence[Node], mapped: Container[Node]) -> Node:
        """The sum of these maps, of what is not mapped, and of the plain vector."""
        left = [
            (self.made[atom], part.rounded, part.free)
            for atom, part in found.parts.items()
            if atom not in mapped
        ]
        left.sort(key=lambda term: bool((term[1] == -1).all()))  # so that the first one is not negated
        result = reduce(add, maps) if maps else None
        for atom, by, free in left:
            if result is not None and (by == -1).all():
                result = subtract(result, atom, where=n.where)
            elif by.any():
                term = multiple(atom, by[0].item(), n.where) if free else self._times_plain(atom, by, n)
                result = term if result is None else add(result, term, where=n.where)
        short = result is None or result.length < n.length  # nothing is left, or single numbers alone
        plain = constant(np.broadcast_to(found.plain, (n.length,)) if short else found.plain, n.kind)
        return plain if result is None else add(result, plain, where=n.where)

    def _times_plain(self, atom: Node, by: Array, n: _Target | Node) -> Node:
        return multiply(atom, constant(_narrowed(by), n.kind, n.where), where=n.where)

    def _maps(self, n: _Target | Node, found: _Sum) -> tuple[list[Node], set[Node]]:
        """Linear maps of vectors in place of values that each are a weighted sum of the same vector; and
        these values, of which a map has several."""
        rows: dict[Form | Node, list[_Mapped]] = {}
        for atom, part in found.parts.items():
            factor, row = part.rounded, row_of(atom, self.made[atom], self.lanes)
            if row is not None and len(factor) == n.length and factor.any():
                rows.setdefault(row.form, []).append(_Mapped(atom, factor, row))
        maps, mapped = list[Node](), set[Node]()
        for alike in rows.values():
            for several in _agreeing(alike):
                matrix = self._matrix(n, several) if len(several) > 1 else None
                if matrix is not None:
                    vector = vector_of([one.row for one in several], self.modulus, several[0].atom.where)
                    maps.append(linear(matrix, vector, n.kind, where=n.where))
                    mapped.update(one.atom for one in several)
        for atoms in self._of_one_function(found.parts, mapped) if self.together else ():
            maps.append(self._at_once(n, atoms, found))
            mapped.update(atoms)
        return maps, mapped

    def _of_one_function(self, parts: Mapping[Node, _Part], mapped: Container[Node]) -> Iterator[list[Node]]:
        """Single numbers that are the same function of others, where they are many enough to be computed
        together: then it takes what it takes for the one with the largest range."""
        found = defaultdict[Any, list[Node]](list)
        for atom, part in parts.items():
            single = atom.length == 1 and all(a.length == 1 for a in atom.args)
            if single and atom not in mapped and _worth_a_vector(atom) and part.rounded.any():
                plain = tuple(a.op is Op.CONSTANT for a in atom.args)
                found[atom.op, atom.attribute, atom.args[0].kind, plain].append(atom)
        yield from (
            atoms for atoms in found.values() if len(atoms) >= _WORTH_A_LEVEL and self._of_one_map(atoms)
        )

    def _of_one_map(self, atoms: Sequence[Node]) -> bool:
        """Whether one linear map makes the vector of the operands, or they are plain. To put other numbers
        side by side takes rotations of each, and longer searches."""
        for numbers in zip(*(a.args for a in atoms), strict=True):
            if numbers[0].op is Op.CONSTANT:  # then all are, since they are alike
                continue
            rows = [row_of(a, self.made[a], self.lanes) for a in numbers]
            if None in rows or len({row.form for row in rows if row}) > 1:
                return False
        return True

    def _at_once(self, n: _Target | Node, atoms: Sequence[Node], found: _Sum) -> Node:
        """The part of the sum that has these atoms, single numbers of one function: the function of all its
        operands in one vector."""
        first = atoms[0]
        operands = [self._side_by_side([a.args[i] for a in atoms]) for i in range(len(first.args))]
        whole = node(
            first.op, *operands, attribute=first.attribute, length=len(atoms), kind=first.kind,
            where=first.where,
        )  # fmt: skip
        vector = simplified(whole, tuple(operands), self.modulus)
        factors = np.array([np.broadcast_to(found.parts[a].rounded, (n.length,)) for a in atoms]).T
        rows, columns = np.nonzero(factors)
        matrix = Matrix((n.length, len(atoms)), rows, columns, factors[rows, columns])
        return linear(matrix, vector, n.kind, where=n.where)

    def _side_by_side(self, numbers: Sequence[Node]) -> Node:
        """The vector of these single numbers."""
        n = _Target(len(numbers), numbers[0].kind, numbers[0].where)
        if numbers[0].op is Op.CONSTANT:
            return constant(np.concatenate([a.attribute.array for a in numbers]), n.kind)
        found = _Sum({}, self._numbers([0], n))
        for place, a in enumerate(numbers):
            one = self._numbers(np.arange(len(numbers)) == place, n)
            part = _Part(one, one, 1, 1)
            found.parts[a] = self._with(part, found.parts[a]) if a in found.parts else part
        return self._added(n, found, *self._maps(n, found))

    def _matrix(self, n: _Target | Node, several: Sequence[_Mapped]) -> Matrix | None:
        """The sum of the factors' products with the rows; None where it is too large, where the vector keeps
        its promises in the elements alone that are used, or where so few are not worth a level."""
        if sum(np.count_nonzero(one.factor) * len(one.row.places) for one in several) > _MOST_ENTRIES:
            return None
        length = several[0].row.length
        used = np.unique(np.concatenate([one.row.places for one in several]))
        if len(used) < length and any(one.row.promising for one in several):
            return None
        if len(used) < _WORTH_A_LEVEL and any(one.row.deeper for one in several):
            return None
        number: Any = np.float64 if n.kind is Kind.REAL else object
        entries: dict[tuple[int, int], Any] = {}
        for _, factor, row in several:
            for i in np.flatnonzero(factor).tolist():
                products = row.weights.astype(number) * factor[i].item()
                for place, product in zip(row.places.tolist(), products.tolist(), strict=True):
                    entries[i, place] = entries.get((i, place), 0) + product
        kept = sorted(entries)
        values = np.array([entries[at] for at in kept], dtype=number)
        if number is object:
            if max(map(abs, values), default=0) >= _WORD:
                return None
            values = (values if self.modulus is None else centred(values, self.modulus)).astype(np.int64)
        at = np.array(kept, dtype=np.int64)
        left = values != 0
        return Matrix((n.length, length), at[left, 0], at[left, 1], values[left])

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

    def _numbers(self, values: Any, n: _Target | Node) -> Array:
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
        return _Sum(parts, self._product(x.plain, by), max(x.entries, len(parts) * len(by)))

    def _product(self, a: Array, b: Array) -> Array:
        _checked(np.abs(a), b)
        return self._wrapped(a * b)

    def _joined(self, x: _Sum, y: _Sum) -> _Sum:
        """Both sums as one: the parts of the smaller one among those of the larger one."""
        plain = self._wrapped(_total(x.plain, y.plain))
        small, large = (x, y) if len(x.parts) < len(y.parts) else (y, x)
        large.entries += small.entries
        if large.entries > _MOST_ENTRIES:
            raise OverflowError
        for atom, part in small.parts.items():
            other = large.parts.get(atom)
            large.parts[atom] = part if other is None else self._with(part, other)
        return _Sum(large.parts, plain, large.entries)

    def _with(self, a: _Part, b: _Part) -> _Part:
        return _Part(
            self._wrapped(_total(a.factor, b.factor)), _total(a.size, b.size), a.times + b.times,
            a.products + b.products,
        )  # fmt: skip

    def _wrapped(self, values: Array) -> Array:
        return (
            centred(values, self.modulus) if self.modulus is not None and values.dtype.kind == "i" else values
        )


def _worth_a_vector(n: Node) -> bool:
    """Whether the node is a function that takes so much that single numbers share a vector for it. Bitwise
    functions of two values are products, and their operands' ranges matter."""
    if n.op is Op.DISCRETE:
        return n.attribute.function not in BITWISE
    return n.op is Op.CHEBYSHEV


def _agreeing(alike: Sequence[_Mapped]) -> Iterator[list[_Mapped]]:
    """Those of the same form, apart where they have other plain numbers in the same place."""
    waiting = list(alike)
    while waiting:
        plain: dict[int, Any] = {}
        taken, left = list[_Mapped](), list[_Mapped]()
        for one in waiting:
            agrees = all(plain.setdefault(i, one.row.plain) == one.row.plain for i in one.row.places.tolist())
            (taken if agrees else left).append(one)
        yield taken
        waiting = left


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
