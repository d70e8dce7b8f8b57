"""A CKKS scheme on plain numbers, for the modular reduction that aligns its operands on the way.

A value has the number m S in each slot, in doubles, and no key. So `Aligned` takes every step as on a real
ring: numbers are rounded to integers at their scales, operands are aligned level by level, and what is
divided by a prime gets the noise of rounding. Where all levels are said to have one scale, a prime that is
not that scale makes the error that it makes in a library. Steps without noise are the same each time: they
are taken once, on places of a tape, and then repeated on numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import prod, sqrt
from operator import add, mul, sub, truediv
from typing import Any, NamedTuple, cast

import numpy as np

from fheasible.aliases import Floats
from fheasible.noise.ckks.reduction import Numbers, exact, white
from fheasible.schemes.rns.bootstrap.aligned import Aligned, Value
from fheasible.schemes.rns.bootstrap.method import Alignment
from fheasible.schemes.rns.bootstrap.procedure import Procedure
from fheasible.schemes.rns.bootstrap.reduction import reduced_late
from fheasible.schemes.rns.bootstrap.table import turned, values
from fheasible.schemes.rns.variant import Variant

Basis = tuple[float, ...]
Noisy = Callable[[Numbers], Numbers]


class Step(NamedTuple):
    """What a place of a tape is made of: of one place and a constant, or of two places."""

    of: Callable[[Any, Any], Any]
    x: int
    y: int | None
    constant: float = 0.0


@dataclass(slots=True)
class Tape:
    """Steps in order. Place 0 holds the numbers that it is run on."""

    steps: list[Step] = field(default_factory=list)

    def written(self, step: Step) -> "Place":
        self.steps.append(step)
        return Place(self, len(self.steps))

    def run(self, x: Numbers, last: int) -> Numbers:
        """The numbers at that place."""
        found: list[Numbers] = [x]
        for of, first, second, constant in self.steps[:last]:
            found.append(of(found[first], constant if second is None else found[second]))
        return found[last]


@dataclass(frozen=True, slots=True)
class Place:
    """Numbers on a tape."""

    tape: Tape
    place: int

    def __add__(self, other: "Place | float") -> "Place":
        return self._with(add, other)

    def __sub__(self, other: "Place | float") -> "Place":
        return self._with(sub, other)

    def __mul__(self, other: "Place | float") -> "Place":
        return self._with(mul, other)

    def __truediv__(self, other: "Place | float") -> "Place":
        return self._with(truediv, other)

    def _with(self, of: Callable[[Any, Any], Any], other: "Place | float") -> "Place":
        if isinstance(other, Place):
            return self.tape.written(Step(of, self.place, other.place))
        return self.tape.written(Step(of, self.place, None, other))


@dataclass(frozen=True, slots=True)
class PlainValue:
    """The numbers m S, at a level."""

    parts: tuple[Any]  # numbers, or a place
    scale: float
    level: int

    def having(self, parts: tuple[Any] | None = None, scale: float | None = None) -> "PlainValue":
        """As of a ciphertext."""
        own = self.parts if parts is None else parts
        return PlainValue(own, self.scale if scale is None else scale, self.level)

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

    def scale(self, x: Any, number: int) -> Any:
        return x * float(number)

    def offset(self, x: Any, number: int) -> Any:
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

    `noisy`: what the noise of a division makes of its result. A value that is divided twice is given the same
    noise, which is why results are kept.
    """

    ring: PlainRing
    scales: Sequence[float]
    variant: Variant
    noisy: Noisy = exact
    divided: dict[int, tuple[PlainValue, PlainValue]] = field(default_factory=dict)  # by the operand's id

    def scale_of(self, level: int) -> float:
        return self.scales[level]

    def add(self, x: PlainValue, y: PlainValue) -> PlainValue:
        return x.having(parts=(x.parts[0] + y.parts[0],))

    def neg(self, x: PlainValue) -> PlainValue:
        return x.having(parts=(-x.parts[0],))

    def sub(self, x: PlainValue, y: PlainValue) -> PlainValue:
        return x.having(parts=(x.parts[0] - y.parts[0],))

    def mul(self, x: PlainValue, y: PlainValue) -> PlainValue:
        return PlainValue((x.parts[0] * y.parts[0],), self.scales[x.level] ** 2, x.level)

    def square(self, x: PlainValue) -> PlainValue:
        return self.mul(x, x)

    def relinearize(self, keys: object, x: PlainValue) -> PlainValue:
        return x

    def drop(self, x: PlainValue, level: int) -> PlainValue:
        return PlainValue(x.parts, x.scale, level)

    def rescale(self, x: PlainValue) -> PlainValue:
        if id(x) not in self.divided:
            self.divided[id(x)] = x, self._divided(x)
        return self.divided[id(x)][1]

    def _divided(self, x: PlainValue) -> PlainValue:
        prime = self.ring.q[x.level]
        return PlainValue((self.noisy(x.parts[0] / prime),), x.scale / prime, x.level - 1)


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
    if not chain.rounding:
        last = _without_noise(procedure, chain, level)
        return np.asarray(last.tape.run(x, last.place))
    return np.asarray(_reduced(procedure, x, chain, level, _noise(chain, n, draw)))


@lru_cache(maxsize=256)
def _without_noise(procedure: Procedure, chain: Chain, level: int) -> Place:
    """The last place of a tape with the steps of `late_wave`."""
    last: Place = _reduced(procedure, Place(Tape(), 0), chain, level, exact)
    return last


def _reduced(procedure: Procedure, x: Any, chain: Chain, level: int, noisy: Noisy) -> Any:
    on, unit = _begun(procedure, x, chain, level, noisy)
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
    on, unit = _begun(procedure, x, chain, level, _noise(chain, n, draw))
    made = np.asarray(_numbers(on, values(on, turned(on, unit, table, procedure.reduction), table, entries)))
    return np.asarray(made.real if table.boolean else 2 * made.real)


def _noise(chain: Chain, n: int, draw: np.random.Generator) -> Noisy:
    """What the noise of a division makes of numbers in a ring of dimension n."""
    deviation = sqrt(n / 2 * chain.rounding)
    if not deviation:
        return exact
    return lambda numbers: numbers + deviation * white(draw, len(numbers))


def _begun(procedure: Procedure, x: Any, chain: Chain, level: int, noisy: Noisy) -> tuple[Aligned, Value]:
    """The operations, and x on the unit interval."""
    scheme = PlainScheme(PlainRing(chain.q), chain.scales, chain.variant, noisy)
    on = Aligned(cast(Any, scheme), cast(Any, None), chain.alignment)
    unit = PlainValue((x / procedure.reduction.bound * chain.scales[level],), chain.scales[level], level)
    return on, Value(cast(Any, unit))


def _numbers(on: Aligned, made: Value) -> Any:
    found = cast(Any, on.settled(made).x)
    return found.parts[0] / found.scale
