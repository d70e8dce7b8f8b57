"""A CKKS scheme on plain numbers, for the modular reduction that aligns its operands on the way.

A value has the number m S in each slot, in doubles, and no key. So `Aligned` takes every step as on a real
ring: numbers are rounded to integers at their scales, operands are aligned level by level, and what is
divided by a prime gets the noise of rounding. Where all levels are said to have one scale, a prime that is
not that scale makes the error that it makes in a library.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod, sqrt
from typing import Any, cast

import numpy as np

from fheasible.aliases import Floats
from fheasible.noise.ckks.reduction import Numbers, white
from fheasible.schemes.rns.bootstrap.aligned import Aligned, Value
from fheasible.schemes.rns.bootstrap.method import Alignment
from fheasible.schemes.rns.bootstrap.procedure import Procedure
from fheasible.schemes.rns.bootstrap.reduction import reduced_late
from fheasible.schemes.rns.bootstrap.table import turned, values
from fheasible.schemes.rns.variant import Variant

Basis = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PlainValue:
    """The numbers m S, at a level."""

    parts: tuple[Numbers]
    scale: float
    level: int

    @property
    def basis(self) -> Basis:
        """Nothing, because numbers have no residues."""
        return ()


@dataclass(frozen=True, slots=True)
class PlainRing:
    """What `scaling.py` asks of a ring.

    Two coefficients are enough for a complex number, which is the same in every slot.
    """

    q: Basis
    n: int = 2

    def level(self, level: int) -> Basis:
        return self.q[: level + 1]

    def product(self, basis: Basis) -> float:
        return prod(basis)

    def scale(self, x: Numbers, number: int) -> Numbers:
        return x * float(number)

    def offset(self, x: Numbers, number: int) -> Numbers:
        return x + float(number)

    def integers(self, over: Basis, coefficients: Sequence[int]) -> complex:
        return complex(*coefficients)

    def to_ntt(self, number: complex) -> complex:
        return number

    def add(self, x: Numbers, y: Numbers) -> Numbers:
        return x + y

    def multiply(self, x: Numbers, y: Numbers) -> Numbers:
        return x * y


@dataclass(frozen=True, slots=True)
class PlainScheme:
    """The operations of CKKS that `Aligned` calls.

    `deviation`: that of the noise of a division, in a slot. A value that is divided twice is given the same
    noise, which is why results are kept.
    """

    ring: PlainRing
    scales: Sequence[float]
    variant: Variant
    deviation: float
    draw: np.random.Generator
    divided: dict[int, tuple[PlainValue, PlainValue]] = field(default_factory=dict)  # by the operand's id

    def scale_of(self, level: int) -> float:
        return self.scales[level]

    def add(self, x: PlainValue, y: PlainValue) -> PlainValue:
        return replace(x, parts=(x.parts[0] + y.parts[0],))

    def neg(self, x: PlainValue) -> PlainValue:
        return replace(x, parts=(-x.parts[0],))

    def sub(self, x: PlainValue, y: PlainValue) -> PlainValue:
        return replace(x, parts=(x.parts[0] - y.parts[0],))

    def mul(self, x: PlainValue, y: PlainValue) -> PlainValue:
        return PlainValue((x.parts[0] * y.parts[0],), self.scales[x.level] ** 2, x.level)

    def square(self, x: PlainValue) -> PlainValue:
        return self.mul(x, x)

    def relinearize(self, keys: object, x: PlainValue) -> PlainValue:
        return x

    def drop(self, x: PlainValue, level: int) -> PlainValue:
        return replace(x, level=level)

    def rescale(self, x: PlainValue) -> PlainValue:
        if id(x) not in self.divided:
            self.divided[id(x)] = x, self._divided(x)
        return self.divided[id(x)][1]

    def _divided(self, x: PlainValue) -> PlainValue:
        prime, numbers = self.ring.q[x.level], x.parts[0]
        noise = self.deviation * white(self.draw, len(numbers)) if self.deviation else 0.0
        return PlainValue((np.asarray(numbers / prime + noise),), x.scale / prime, x.level - 1)


@dataclass(frozen=True, slots=True)
class Chain:
    """Primes and scales of all levels of a bootstrap, and what is done with them.

    `rounding`: the variance of the rounding error of a division, in a coefficient of the ciphertext.
    """

    q: Basis
    scales: Basis
    alignment: Alignment
    variant: Variant
    rounding: float

    @property
    def ideal(self) -> "Chain":
        """The same without any error."""
        scales = (self.scales[0],) * len(self.q)
        return replace(self, q=scales, scales=scales, rounding=0.0)


def late_wave(
    procedure: Procedure, x: Numbers, chain: Chain, level: int, n: int, draw: np.random.Generator
) -> Numbers:
    """x less its integer, approximated from this level on in a ring of dimension n."""
    on, unit = _begun(procedure, x, chain, level, n, draw)
    return _numbers(on, reduced_late(on, unit, procedure))


def late_entries(
    procedure: Procedure,
    x: Numbers,
    entries: Floats,
    chain: Chain,
    level: int,
    n: int,
    draw: np.random.Generator,
) -> Floats:
    """The entries of a table at p·x, where its integers wrap around; from this level on."""
    table = procedure.table
    assert table is not None
    on, unit = _begun(procedure, x, chain, level, n, draw)
    made = _numbers(on, values(on, turned(on, unit, table, procedure.reduction), table, entries))
    return np.asarray(made.real if table.boolean else 2 * made.real)


def _begun(
    procedure: Procedure, x: Numbers, chain: Chain, level: int, n: int, draw: np.random.Generator
) -> tuple[Aligned, Value]:
    """The operations, and x on the unit interval."""
    deviation = sqrt(n / 2 * chain.rounding)
    scheme = PlainScheme(PlainRing(chain.q), chain.scales, chain.variant, deviation, draw)
    on = Aligned(cast(Any, scheme), cast(Any, None), chain.alignment)
    unit = PlainValue((x / procedure.reduction.bound * chain.scales[level],), chain.scales[level], level)
    return on, Value(cast(Any, unit))


def _numbers(on: Aligned, made: Value) -> Numbers:
    found = cast(Any, on.settled(made).x)
    return np.asarray(found.parts[0] / found.scale)
