"""How loud every element of an output is: the variance that each kind of noise reaches it with.

Where no slot reaches another, one pass backwards tells all slots at once, with every correlation. What a
rotation or a sum moves is reckoned before, forwards: variances move as slots do, and are added up as if each
slot of each moved value had noise of its own. That is so of a vector times a matrix, and a guide elsewhere.
"""

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.noise.reach import MIXES, Values, adjoints, shares_of
from fheasible.noise.rows import Adjoint, Common
from fheasible.noise.scales import scales_of
from fheasible.noise.shape import shape
from fheasible.noise.sources import OFFSETS, Brought, Source, all_brought, turned_levels
from fheasible.program.simulate import turned
from fheasible.program.types import Action, Operation, Program

Floats = NDArray[np.float64]
Loudness = dict[str, Floats]  # by kind: of each slot, or one number for all; without those that bring nothing

_LONG = 64  # operations that a pass goes back over anew for the next value that is moved
_BENDS = (Action.MUL, Action.SQUARE, Action.EVAL_CHEBYSHEV)  # whose derivatives depend on the operands
_ONE = np.ones(1)
_ALONE = Adjoint(1.0, Common(_ONE, _ONE))  # every slot's derivative by itself, in all slots at once


def loudness(program: Program, values: Values, wanted: Collection[int]) -> dict[int, Loudness]:
    """Of each value `wanted`: the variance in each slot where each operation brings unit variance, of
    "encrypt", "rescale" and "key_switch" in all slots alike, of "digits" and "digits_product" in the shape of
    an offset. `values` of several inputs, (input, slot), give a row for each, or one for all."""
    if any(o.action in _BENDS for o in program.operations):
        return _of_all(program, values, frozenset(wanted))
    return _whatever_data(program, frozenset(wanted))


@lru_cache(maxsize=4)
def _whatever_data(program: Program, wanted: frozenset[int]) -> dict[int, Loudness]:
    """The same where no derivative depends on the data: noise reaches the outputs alike from all inputs."""
    return _of_all(program, {}, wanted)


def _of_all(program: Program, values: Values, wanted: frozenset[int]) -> dict[int, Loudness]:
    known: dict[int, Loudness] = {}
    for step in _course(program, wanted):
        known[step.value] = _reckoned(program, values, step, known)
        for value in step.frees:
            del known[value]
    return known


class _Step(NamedTuple):
    """A value whose loudness is reckoned: of operation i, from what it `needs`, by a pass `back` to these or
    from its operands alone; what nothing needs any more after it."""

    i: int
    value: int
    needs: frozenset[int]
    back: bool
    frees: tuple[int, ...]


def _reckoned(program: Program, values: Values, step: _Step, known: dict[int, Loudness]) -> Loudness:
    o, total = program.operations[step.i], Loudness()
    if o.action in MIXES:
        _gather(total, _arrived(program, o, known[o.args[0]]), _ALONE)
    if step.back:
        passed: Iterator[tuple[int, Adjoint, list[Adjoint]]]
        passed = adjoints(program, values, step.value, _ALONE.rows, step.needs)
    else:
        passed = iter([(step.i, _ALONE, shares_of(program, o, _ALONE, values))])
    for i, g, shares in passed:
        at = program.operations[i]
        if at.out in step.needs:
            _gather(total, known[at.out], g)
            continue
        for own, operand in _all_own(program)[i]:
            _gather(total, own, g if operand is None else shares[operand])
        if not step.back and at.action not in MIXES:
            for arg, share in zip(at.args, shares, strict=True):
                _gather(total, known[arg], share)
    return total


def _arrived(program: Program, o: Operation, before: Loudness) -> Loudness:
    """What comes out of a rotation or a sum of slots, but the rotation's own noise."""
    if o.action is Action.EVAL_SUM:
        return _summed(program, o, before)
    return {kind: _turned(variance, o.steps) for kind, variance in before.items()}


@lru_cache(maxsize=256)
def _course(program: Program, wanted: frozenset[int]) -> tuple[_Step, ...]:
    """The values that the `wanted` take, in order."""
    found = _Joins(program).needs
    needed, last = set(wanted), dict[int, int]()
    for i in range(len(program.operations) - 1, -1, -1):
        out = program.operations[i].out
        if out in needed:
            needed |= found[out].values
            for value in found[out].values - wanted:
                last.setdefault(value, i)
    frees: dict[int, list[int]] = {}
    for value, i in last.items():
        frees.setdefault(i, []).append(value)
    return tuple(
        _Step(i, o.out, found[o.out].values, found[o.out].back, tuple(frees.get(i, ())))
        for i, o in enumerate(program.operations)
        if o.out in needed
    )


class _Needs(NamedTuple):
    """Values from which another follows: its operands where no noise meets itself in it, and else those that
    a pass `back` ends at."""

    values: frozenset[int]
    back: bool


class _Joins:
    """Where paths of noise meet again. Sets of operations are the bits of integers."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._moved = {o.args[0] for o in program.operations if o.action in MIXES}
        self._behind: dict[int, int] = {}  # of each value in use: what its noise comes from, to the next ends
        self._ends = 0
        self.needs: dict[int, _Needs] = {}
        for i, o in enumerate(program.operations):
            self._add(i, o)
            for value in o.frees:
                self._behind.pop(value, None)

    def _add(self, i: int, o: Operation) -> None:
        own = behind = 1 << i
        apart = True
        for value in o.args:
            apart &= not behind & self._behind[value]
            behind |= self._behind[value]
        mixed = o.action in MIXES
        alone = frozenset(o.args) if apart or mixed else self._of(behind & self._ends)
        self.needs[o.out] = _Needs(alone, not (apart or mixed))
        if mixed or (o.out in self._moved and behind.bit_count() > _LONG):
            self._ends |= own
            behind = own
        self._behind[o.out] = behind

    def _of(self, bits: int) -> frozenset[int]:
        """The values of those operations."""
        as_bytes = np.frombuffer(bits.to_bytes(bits.bit_length() // 8 + 1, "little"), dtype=np.uint8)
        places = np.flatnonzero(np.unpackbits(as_bytes, bitorder="little"))
        return frozenset(self._program.operations[i].out for i in places.tolist())


@lru_cache(maxsize=64)
def _all_own(program: Program) -> tuple[tuple[tuple[Loudness, int | None], ...], ...]:
    """Of each operation what it brings itself, and the operand that this is added to; None for its result."""
    known: dict[tuple[Brought, ...], tuple[tuple[Loudness, int | None], ...]] = {}
    for of in all_brought(program):
        if of not in known:
            owns = ((_own(program, source), share) for source, share in of)
            known[of] = tuple((own, share) for own, share in owns if own)
    return tuple(known[of] for of in all_brought(program))


def _own(program: Program, source: Source) -> Loudness:
    """What it brings: of a product that is not rescaled yet next to nothing, but of encryptions, and of
    offsets where special primes are smaller than digits. These are a kind of their own."""
    rescaled = source.own[1] == 1
    if source.kind in OFFSETS:
        return {source.kind if rescaled else f"{source.kind}_product": shape(program.slots)}
    if not rescaled and source.kind != "encrypt":
        return {}
    return {source.kind.removesuffix("_product"): _ONE}


def _gather(total: Loudness, variances: Loudness, g: Adjoint) -> None:
    """What reaches a value over the derivative g."""
    if not variances:
        return
    if g.rows is _ALONE.rows and abs(g.factor) == 1:  # as most operations have it
        for kind, variance in variances.items():
            total[kind] = total[kind] + variance if kind in total else variance
        return
    assert isinstance(g.rows, Common)  # nothing is moved on the way
    slopes = g.factor * g.rows.vector
    squares = slopes * slopes
    for kind, variance in variances.items():
        more = squares * variance
        total[kind] = total[kind] + more if kind in total else more


def _turned(variance: Floats, steps: int) -> Floats:
    return turned(variance, -steps) if variance.shape[-1] > 1 else variance


def _summed(program: Program, o: Operation, before: Loudness) -> Loudness:
    """Each rotation's own noise is doubled by those after it as all else is."""
    found, degree = dict(before), scales_of(program)[o.out][1]
    own = [_own(program, Source(kind, o.level, (o.level, degree))) for kind in ("key_switch", "digits")]
    for k in range(len(turned_levels(o))):
        found = {kind: v + _turned(v, 1 << k) for kind, v in found.items()}
        for kind, variance in (item for part in own for item in part.items()):
            found[kind] = found[kind] + variance if kind in found else variance
    return found
