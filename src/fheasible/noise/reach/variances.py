"""The variance with which each kind of noise reaches every element of an output.

Where no slot reaches another, one backward pass gives all slots at once, with every correlation. Before that,
a forward pass computes what rotations and sums move: variances move as slots do, and are added up as if each
slot of each moved value had noise of its own. This is true for a vector times a matrix, and a guide
elsewhere.
"""

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fheasible.aliases import Floats
from fheasible.noise.reach.reach import MIXES, Values, adjoints, shares_of
from fheasible.noise.reach.rows import Adjoint, Common
from fheasible.noise.reach.sources import OFFSETS, Source, all_brought, switch, turned_levels
from fheasible.noise.scales import scales_of
from fheasible.noise.shape import shape
from fheasible.program.simulate import turned
from fheasible.program.types import Action, Operation, Program

Variances = dict[str, Floats]  # by kind: a number for each slot, or one for all; without kinds that are 0

_LONG = 64  # operations that a pass may go back over again for the next value that is moved
_BENDS = (Action.MUL, Action.SQUARE, Action.EVAL_CHEBYSHEV)  # their derivatives depend on the operands
_ONE = np.ones(1)
_ALONE = Adjoint(1.0, Common(_ONE, _ONE))  # the derivative of every slot by itself, for all slots at once


def variances(program: Program, values: Values, wanted: Collection[int]) -> dict[int, Variances]:
    """The variance in each slot of each `wanted` value, by kind of noise, if each operation brings unit
    variance. "encrypt", "rescale" and "key_switch" bring it to all slots alike, "digits" and "digits_product"
    in the shape of an offset. `values` of several inputs, (input, slot), give a row for each input, or one
    for all."""
    if any(o.action in _BENDS for o in program.operations):
        return _of_all(program, values, frozenset(wanted))
    return _whatever_data(program, frozenset(wanted))


@lru_cache(maxsize=4)
def _whatever_data(program: Program, wanted: frozenset[int]) -> dict[int, Variances]:
    """The variances where no derivative depends on the data, so that noise reaches the outputs alike for all
    inputs."""
    return _of_all(program, {}, wanted)


def _of_all(program: Program, values: Values, wanted: frozenset[int]) -> dict[int, Variances]:
    known: dict[int, _Kinds] = {}
    for step in _order(program, wanted):
        known[step.value] = _reckoned(program, values, step, known)
        for value in step.frees:
            del known[value]
    kinds = _kinds(program)
    return {value: found.by_kind(kinds) for value, found in known.items()}


class _Kinds:
    """The variances of all kinds of a program, side by side: ([input,] kind, slot or one for all). `even` are
    those of noise in all slots alike, `shaped` those of noise in the shape of an offset; None where no such
    noise is met. A kind that is not met is 0."""

    __slots__ = ("even", "shaped")

    def __init__(self, even: Floats | None = None, shaped: Floats | None = None) -> None:
        self.even, self.shaped = even, shaped

    def add(self, even: Floats | None, shaped: Floats | None) -> None:
        if even is not None:
            self.even = even if self.even is None else self.even + even
        if shaped is not None:
            self.shaped = shaped if self.shaped is None else self.shaped + shaped

    def turned(self, steps: int) -> "_Kinds":
        """The variances, moved `steps` slots further on."""
        return _Kinds(*(None if v is None else _turned(v, steps) for v in (self.even, self.shaped)))

    def by_kind(self, kinds: tuple[tuple[str, ...], tuple[str, ...]]) -> Variances:
        """The variances by kind, without kinds that are 0. `kinds`: what `_kinds` gives for the program."""
        named = [
            (kind, found[..., k, :])
            for of_sort, found in zip(kinds, (self.even, self.shaped), strict=True)
            if found is not None
            for k, kind in enumerate(of_sort)
        ]
        return {kind: variance for kind, variance in named if variance.any()}


class _Step(NamedTuple):
    """A value whose variances are computed: those of operation i, from the values that it `needs`, by a pass
    `back` to these or from its operands alone. `frees`: the values that no step needs after it."""

    i: int
    value: int
    needs: frozenset[int]
    back: bool
    frees: tuple[int, ...]


def _reckoned(program: Program, values: Values, step: _Step, known: dict[int, _Kinds]) -> _Kinds:
    o, own = program.operations[step.i], _all_own(program)
    total = _arrived(program, o, known[o.args[0]]) if o.action in MIXES else _Kinds()
    if not step.back:
        _gather_all(total, own[step.i], _ALONE, shares := _shares_alone(program, o, values))
        for arg, share in zip(o.args, shares, strict=False):  # there are no shares where slots move
            _gather(total, known[arg], share)
        return total
    for i, g, shares in adjoints(program, values, step.value, _ALONE.rows, step.needs):
        at = program.operations[i]
        if at.out in step.needs:
            _gather(total, known[at.out], g)
        else:
            _gather_all(total, own[i], g, shares)
    return total


def _shares_alone(program: Program, o: Operation, values: Values) -> list[Adjoint]:
    """The derivative by each operand where no slots move; no derivatives where they do."""
    return [] if o.action in MIXES else shares_of(program, o, _ALONE, values)


def _gather_all(total: _Kinds, own: "_Own", g: Adjoint, shares: list[Adjoint]) -> None:
    """Adds to `total` the noise that an operation itself brings."""
    for variances, operand in own:
        _gather(total, variances, g if operand is None else shares[operand])


def _arrived(program: Program, o: Operation, before: _Kinds) -> _Kinds:
    """The variances after a rotation or a sum of slots; the noise that a rotation itself brings is left
    out."""
    if o.action is Action.EVAL_SUM:
        return _summed(program, o, before)
    return before.turned(-o.steps)


@lru_cache(maxsize=256)
def _order(program: Program, wanted: frozenset[int]) -> tuple[_Step, ...]:
    """The steps that lead to the `wanted` values, in order."""
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
    """The values that another value's variances follow from: its operands if no noise meets itself there, and
    otherwise the values that a pass `back` ends at."""

    values: frozenset[int]
    back: bool


class _Joins:
    """Where paths of noise from one operation meet again. Sets of operations are the bits of integers."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._moved = {o.args[0] for o in program.operations if o.action in MIXES}
        self._behind: dict[int, int] = {}  # what each value's noise comes from, back to the next ends
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
        """The values that these operations make."""
        as_bytes = np.frombuffer(bits.to_bytes(bits.bit_length() // 8 + 1, "little"), dtype=np.uint8)
        places = np.flatnonzero(np.unpackbits(as_bytes, bitorder="little"))
        return frozenset(self._program.operations[i].out for i in places.tolist())


# The noise that an operation brings, and the operand that it is added to; None stands for the result.
_Own = tuple[tuple[_Kinds, int | None], ...]


@lru_cache(maxsize=64)
def _all_own(program: Program) -> tuple[_Own, ...]:
    """For each operation, the noise that it brings itself, and the operand that this is added to; None stands
    for the result."""
    known: dict[int, _Own] = {}  # operations that are alike have the very same tuple
    for of in all_brought(program):
        if id(of) not in known:
            known[id(of)] = tuple((_own(program, b.source), b.share) for b in of if _kind(b.source))
    return tuple(known[id(of)] for of in all_brought(program))


def _kind(source: Source) -> str:
    """The kind of noise that a source brings; empty if it brings none. A product that is not rescaled yet
    brings next to nothing, except through encryptions, and through offsets where special primes are smaller
    than digits. Such offsets are a kind of their own."""
    rescaled = source.own[1] == 1
    if source.kind in OFFSETS:
        return source.kind if rescaled else f"{source.kind}_product"
    return source.kind.removesuffix("_product") if rescaled or source.kind == "encrypt" else ""


@lru_cache(maxsize=64)
def _kinds(program: Program) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kinds of noise that any operation brings: those in all slots alike, and those in the shape of an
    offset."""
    sources = {b.source for of in all_brought(program) for b in of}
    sources |= {s for o in program.operations if o.action is Action.EVAL_SUM for s in _of_sum(program, o)}
    shaped = {_kind(s) for s in sources if s.kind in OFFSETS}
    even = {_kind(s) for s in sources} - shaped - {""}
    return tuple(sorted(even)), tuple(sorted(shaped))


def _own(program: Program, source: Source) -> _Kinds:
    """The noise of a source: unit variance of its kind."""
    (even, shaped), kind = _kinds(program), _kind(source)
    if source.kind in OFFSETS:
        return _Kinds(None, _row_of(kind, shaped) * shape(program.slots))
    return _Kinds(_row_of(kind, even))


def _row_of(kind: str, kinds: tuple[str, ...]) -> Floats:
    """An array (kind, 1) that is one for that kind and zero for the others."""
    return np.array([[float(kind == each)] for each in kinds])


def _gather(total: _Kinds, variances: _Kinds, g: Adjoint) -> None:
    """Adds to `total` the variances that reach a value over the derivative g."""
    if g.rows is _ALONE.rows and abs(g.factor) == 1:  # as most operations have it
        total.add(variances.even, variances.shaped)
        return
    assert isinstance(g.rows, Common)  # nothing is moved on the way
    slopes = g.factor * g.rows.vector
    squares = (slopes * slopes)[..., None, :]
    even, shaped = variances.even, variances.shaped
    total.add(None if even is None else squares * even, None if shaped is None else squares * shaped)


def _turned(variance: Floats, steps: int) -> Floats:
    return turned(variance, steps) if variance.shape[-1] > 1 else variance


def _summed(program: Program, o: Operation, before: _Kinds) -> _Kinds:
    """The variances after a library's own sum. The noise of each rotation is doubled by the later ones, as
    all other noise is."""
    found = _Kinds(before.even, before.shaped)
    own = [_own(program, source) for source in _of_sum(program, o) if _kind(source)]
    for k in range(len(turned_levels(o))):
        moved = found.turned(-(1 << k))
        found.add(moved.even, moved.shaped)
        for brought in own:
            found.add(brought.even, brought.shaped)
    return found


def _of_sum(program: Program, o: Operation) -> tuple[Source, Source]:
    """The sources of noise of each rotation in a library's own sum."""
    return switch(o.level, (o.level, scales_of(program)[o.out][1]), 0)
