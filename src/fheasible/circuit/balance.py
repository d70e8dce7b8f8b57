"""Rebuilds products so that the circuit is as shallow as its factors allow, or exactly as written."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial, reduce
from math import log2

import numpy as np

from fheasible.circuit.compose import compose
from fheasible.circuit.depth import ceil_log2, is_free, node_depth
from fheasible.circuit.effort import effort
from fheasible.circuit.fold import fold
from fheasible.circuit.like_terms import with_like_terms
from fheasible.circuit.modulus import modulus as modulus_of
from fheasible.circuit.moments import with_moments
from fheasible.circuit.node import Circuit, Kind, Node, Op, node
from fheasible.circuit.simplify import add, constant, multiply, negate, rewrite, simplified, simplify
from fheasible.circuit.squares import with_squares

_FARTHEST_PLAIN_BITS = 30.0  # from 1, of plain factors that are collected; a level takes 20 to 60 bits


def normalise(circuit: Circuit) -> Circuit:
    """The circuit that is lowered: simplified, without POWER, and of least depth or as written.

    A circuit of least depth has products as squares (`squares.py`), and deviations from means as moments
    (`moments.py`), where that leaves less to compute.

    The result holds INPUT, CONSTANT, ADD, SUBTRACT, NEGATE, MULTIPLY, SUM, MEAN, ROTATE, LINEAR, CHEBYSHEV,
    BOOTSTRAP and, if depth is minimised, POLYNOMIAL. A square is a MULTIPLY with the same operand twice.
    """
    simple = with_like_terms(simplify(circuit))
    t = modulus_of(circuit)
    if not circuit.minimise_depth:
        return rewrite(simple, partial(as_written, modulus=t))
    written = dict.fromkeys((simple, with_moments(simple)))
    squared = dict.fromkeys(found for form in written for found in (form, with_squares(form)))
    forms = [_of_least_depth(found, t) for found in squared]
    return min(forms, key=effort) if len(forms) > 1 else forms[0]


def fewer_as_written(circuit: Circuit, least: Circuit) -> bool:
    """Whether the circuit as written has fewer products than `least`, its form of least depth.

    The form of least depth may compute some products anew. Where it does not, no scheme gains by the order as
    written.
    """
    return effort(with_like_terms(simplify(circuit))).products < effort(least).products


def _of_least_depth(simple: Circuit, t: int | None) -> Circuit:
    balance = _Balance("ckks" if simple.kind is Kind.REAL else "bfv", _uses(simple), t)
    rebuilt = simplify(rewrite(simple, balance.rebuilt))  # reordered products may now cancel
    return fold(compose(rebuilt, t))


def as_written(n: Node, args: tuple[Node, ...], modulus: int | None = None) -> Node:
    """The node as written: a power is a chain of products from left to right, a polynomial Horner's rule."""
    if n.op is Op.POWER:
        return reduce(partial(multiply, where=n.where), [args[0]] * n.attribute)
    if n.op is Op.POLYNOMIAL:
        return _horner(n, args[0])
    return simplified(n, args, modulus)


def _horner(n: Node, x: Node) -> Node:
    result = multiply(x, constant([n.attribute[-1]], n.kind), where=n.where)
    for c in n.attribute[-2:0:-1]:
        result = multiply(add(result, constant([c], n.kind), where=n.where), x, where=n.where)
    return add(result, constant([n.attribute[0]], n.kind), where=n.where)


def _uses(circuit: Circuit) -> Counter[Node]:
    """How often each value is referred to; a power refers to its base more than once."""
    uses = Counter(n for _, n in circuit.outputs)
    for n in circuit.nodes():
        uses.update(n.args * (n.attribute if n.op is Op.POWER else 1))
    return uses


def _bits(plain: Mapping[Node, int]) -> float:
    """How many bits the product of those constants is from 1, by the largest number of each."""
    sizes = ((float(np.abs(n.attribute.array).max()), count) for n, count in plain.items())
    return abs(sum(count * log2(size) for size, count in sizes if size))


@dataclass(slots=True)
class _Factors:
    """A product: encrypted and plain factors with their multiplicities, and a sign."""

    encrypted: Counter[Node] = field(default_factory=Counter)
    plain: Counter[Node] = field(default_factory=Counter)
    negative: bool = False

    def include(self, other: _Factors, times: int) -> None:
        for mine, theirs in ((self.encrypted, other.encrypted), (self.plain, other.plain)):
            for n, count in theirs.items():
                mine[n] += count * times
        self.negative ^= other.negative and times % 2 == 1


class _Balance:
    """Rebuilds a simplified circuit from its inputs up.

    The factors of a product are collected through products, powers and signs that are used nowhere else. They
    are collected through shared ones only where that makes the product shallower, since the shared values are
    then computed anew.
    """

    def __init__(self, scheme: str, uses: Mapping[Node, int], modulus: int | None) -> None:
        self.scheme, self.uses, self.modulus = scheme, uses, modulus
        self.own: dict[Node, _Factors] = {}
        self.all: dict[Node, _Factors] = {}
        self.depths: dict[Node, int] = {}
        self.order: dict[Node, int] = {}

    def rebuilt(self, n: Node, args: tuple[Node, ...]) -> Node:
        if n.op not in (Op.MULTIPLY, Op.POWER, Op.NEGATE) or all(a.op is Op.CONSTANT for a in args):
            return simplified(n, args, self.modulus)
        own = self.own[n] = self._collected(n, args, self.own, shared=False)
        full = self.all[n] = self._collected(n, args, self.all, shared=True)
        return self._product(full if self._least_depth(full) < self._least_depth(own) else own, n.where)

    def _collected(
        self, n: Node, args: tuple[Node, ...], known: Mapping[Node, _Factors], shared: bool
    ) -> _Factors:
        """The factors of the node; those of its operands, too, unless their plain factors are far from 1
        together: values without them would outgrow what the level that they save can hold, or vanish."""
        found = self._parts(n, args, known, shared)
        theirs = Counter(found.plain)
        theirs.subtract(after for after in args if after.op is Op.CONSTANT)
        far = self.scheme == "ckks" and _bits(theirs) > _FARTHEST_PLAIN_BITS
        return self._parts(n, args, {}, shared) if far else found

    def _parts(
        self, n: Node, args: tuple[Node, ...], known: Mapping[Node, _Factors], shared: bool
    ) -> _Factors:
        found = _Factors(negative=n.op is Op.NEGATE)
        for before, after in zip(n.args, args, strict=True):
            if before in known and (shared or self.uses[before] == 1):
                part = known[before]
            elif after.op is Op.CONSTANT:
                part = _Factors(plain=Counter([after]))
            else:
                part = _Factors(Counter([after]))
            found.include(part, n.attribute if n.op is Op.POWER else 1)
        return found

    def _least_depth(self, factors: _Factors) -> int:
        """The product's depth: the least D with sum 2^d <= 2^D, as two values of depth d make one of d+1."""
        depths = [(self._depth(n), count) for n, count in factors.encrypted.items()]
        total = sum(count << d for d, count in depths)
        if any(not is_free(p, self.scheme) for p in factors.plain):
            total += 1 << min(d for d, _ in depths)
        return ceil_log2(total)

    def _product(self, factors: _Factors, where: str) -> Node:
        plain, doublings = self._plain(factors)
        if plain is not None and self._is_far(plain) and factors.encrypted.total() > 1:
            factors, plain = self._shared_out(factors, plain, where), None
        result = self._combined(factors.encrypted, plain, where)
        for two in doublings:
            result = multiply(result, two, where=where)
        return negate(result, where=where) if factors.negative else result

    def _is_far(self, plain: Node) -> bool:
        """Whether it is a number so far from 1 that it rounds to few digits, or values outgrow moduli."""
        return self.scheme == "ckks" and plain.length == 1 and _bits({plain: 1}) > _FARTHEST_PLAIN_BITS

    def _shared_out(self, factors: _Factors, plain: Node, where: str) -> _Factors:
        """The product with a root of that number in each factor: x * x * 1e-16 as (1e-8 * x)^2."""
        number = float(plain.attribute.array[0])
        root = constant([abs(number) ** (1 / factors.encrypted.total())], Kind.REAL)
        encrypted = Counter({multiply(n, root, where=where): count for n, count in factors.encrypted.items()})
        return _Factors(encrypted, negative=factors.negative ^ (number < 0))

    def _plain(self, factors: _Factors) -> tuple[Node | None, list[Node]]:
        """All plain factors as one node, and those kept apart: all of them in CKKS, if each is free."""
        every = list(factors.plain.elements())
        if self.scheme == "ckks" and all(is_free(p, self.scheme) for p in every):
            return None, every
        return reduce(self._multiplied, every) if every else None, []

    def _multiplied(self, a: Node, b: Node) -> Node:
        kind = Kind.REAL if Kind.REAL in (a.kind, b.kind) else Kind.INTEGER
        product = node(Op.MULTIPLY, a, b, length=max(a.length, b.length), kind=kind, where=a.where or b.where)
        return simplified(product, (a, b), self.modulus)

    def _combined(self, factors: Mapping[Node, int], plain: Node | None, where: str) -> Node:
        """The product, made level by level from the shallowest: equal values are squared, the others paired.

        A value that is left over waits for the next level. The plain factor goes with the first such value.
        """
        levels: defaultdict[int, Counter[Node]] = defaultdict(Counter)
        for n, count in factors.items():
            levels[self._depth(n)][n] += count
        while True:
            level = min(levels)
            values = levels.pop(level)
            left = [n for n, count in values.items() if count % 2]
            for n, count in values.items():
                if count > 1:
                    levels[level + 1][self._times(n, n, where)] += count // 2
            left.sort(key=self._depth)
            while len(left) > 1:
                levels[level + 1][self._times(left.pop(0), left.pop(0), where)] += 1
            if left and plain:
                left, plain = [multiply(left[0], plain, where=where)], None
            if left and not levels:
                return left[0]
            levels[level + 1].update(left)

    def _times(self, a: Node, b: Node, where: str) -> Node:
        first, second = sorted((a, b), key=lambda n: self.order.setdefault(n, len(self.order)))
        return multiply(first, second, where=where)

    def _depth(self, n: Node) -> int:
        if n not in self.depths:
            self.depths[n] = node_depth(n, [self._depth(a) for a in n.args], self.scheme)
        return self.depths[n]
