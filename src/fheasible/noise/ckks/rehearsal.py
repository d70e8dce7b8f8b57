"""A CKKS program run on plain slots as a library would run it, with rounded plain numbers and with noise.

Plain numbers are as they are after rounding, and noise is as large as the library's own. What `elements`
predicts holds to first order, and for plain vectors whose coefficients are rounded at random. Here noise
multiplies noise, whatever a function does with it. A mask whose coefficients are hardly above 1/2 loses what
it should pass on. Numbers that are rounded alike in two places cancel, or do not. In the few slots that have
offsets, a polynomial may outgrow the modulus: that spoils all slots.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.libraries.parameters import CkksParameters
from fheasible.noise.ckks.decryption import copies, read_of_one_copy
from fheasible.noise.ckks.elements import added, degree, drift_to, scale_encoded, whole_number
from fheasible.noise.ckks.headroom import room_bits
from fheasible.noise.ckks.magnitudes import Magnitudes, measured
from fheasible.noise.ckks.offsets import Offsets
from fheasible.noise.encoding import encoded
from fheasible.noise.reach.gains import Gains
from fheasible.noise.reach.sources import (
    OFFSETS,
    UNASKED,
    Brought,
    Source,
    adjusted_operands,
    all_brought,
    right_once_divided,
    switch,
    turned_levels,
)
from fheasible.noise.scales import FIXED, Scale, all_in_numbers, scales_of
from fheasible.program.simulate import Slots, run, turned, unpack
from fheasible.program.types import Action, Operation, Packed, Program

PAIRS = 6  # pairs of executions, with noise and with the opposite noise
APART = 2  # triples of executions with offsets alone
_AT_ONCE = 1 << 24  # slots of all operations in all pairs; a larger program has fewer pairs, at least one
_MOST = 1 << 26  # slots of all operations: a larger program has no pairs
_FEW = 1 << 15  # slots of a value in all executions, which caches hold
_AS_MANY, _FEWEST_PLACES = 4, 1 << 12
_ROUNDED = 1 + 2.0**-30  # for the rounding of a bound
_ROOM_BITS = 400.0  # what outgrows these bits is lost; doubles still hold its square


class Rehearsed(NamedTuple):
    """The rehearsal of one output, element by element. `still`: the result without noise, with plain numbers
    as they are encoded. `even` and `odd`: what noise changes in each pair of executions (pair, element), as
    half of the sum and half of the difference of both. `copies`: the number of such executions that a result
    is the mean of. `apart`: how far a result that is read from all copies is off in each execution with
    offsets alone (execution, element).

    `lost`: in one of these executions a value outgrows its modulus, and `apart` is as much as a modulus
    holds. `outgrown`: noise makes some value outgrow its modulus.
    """

    still: Floats
    even: Floats
    odd: Floats
    copies: float
    apart: Floats = np.zeros((1, 1))
    lost: bool = False
    outgrown: bool = False

    def usual(self, exact: Floats) -> Floats:
        """The root mean square, over the executions, of how far each element is from the exact one."""
        with np.errstate(over="ignore"):
            squares = (self.errors(exact) ** 2).mean(axis=0) + (self.apart**2).mean(axis=0)
            return np.asarray(np.sqrt(squares))

    def errors(self, exact: Floats) -> Floats:
        """How far each element is from the exact one in each execution: (execution, element)."""
        with np.errstate(over="ignore", invalid="ignore"):  # where values outgrow all numbers
            alike, moved = self._split(exact)
            return _known(np.abs(alike + moved))

    def off(self, exact: Floats, rarer: float = 1.0) -> Floats:
        """The most that each element is off in any execution: the error that all executions have alike, plus
        `rarer` times the largest that differs between executions, as if in the same direction."""
        with np.errstate(over="ignore", invalid="ignore"):
            alike, moved = self._split(exact)
            largest = np.abs(moved).max(axis=0) + np.abs(self.apart).max(axis=0)
            return _known(np.abs(alike) + rarer * largest)

    def _split(self, exact: Floats) -> tuple[Floats, Floats]:
        """The error of each element that all executions have alike, and the rest (execution, element)."""
        error = self.still - exact
        if not len(self.even):
            return error, np.zeros((1, len(exact)))
        bent = self.even.mean(axis=0)
        moved = np.concatenate([self.even - bent + self.odd, self.even - bent - self.odd])
        return error + bent, moved / np.sqrt(self.copies)


def _known(errors: Floats) -> Floats:
    """The errors, with infinity for those that are NaN because a value outgrew all numbers."""
    return np.where(np.isnan(errors), np.inf, errors)


def rehearsed(
    program: Program,
    p: CkksParameters,
    data: Mapping[str, Floats],
    gains: Gains,
    louder: float = 1.0,
    seed: int = 0,
    offsets: bool = True,
    beside: Mapping[str, Rehearsed] | None = None,
) -> dict[str, Rehearsed]:
    """The outputs on these data, without the noise that decryption adds. `gains`: those of the program at any
    data. `louder`: the factor by which noise exceeds the library's. `offsets`: whether there are executions
    with offsets alone; the others are the same without. `beside`: an earlier rehearsal of the same set on the
    same data. Its executions with noise are taken, so that only offsets are `louder` than there."""
    return rehearsals(program, p, data, gains, [louder], seed, offsets, beside)[0]


def rehearsals(
    program: Program,
    p: CkksParameters,
    data: Mapping[str, Floats],
    gains: Gains,
    louder: Sequence[float],
    seed: int = 0,
    offsets: bool = True,
    beside: Mapping[str, Rehearsed] | None = None,
) -> list[dict[str, Rehearsed]]:
    """The same (`rehearsed`) for each of these factors, in one pass through the program. The noise is the
    same in all of them but for its size."""
    most = _pairs(program)
    pairs, triples = 0 if beside else most, min(most, APART) if offsets else 0
    encoded_program = _as_encoded(program, p)
    noise = _Noise(program, p, gains, louder, pairs, triples, seed, Magnitudes(encoded_program))
    with np.errstate(over="ignore", invalid="ignore"):  # where values outgrow all numbers
        values = run(encoded_program, data, disturb=noise, frugal=True)
        read = {
            o.name: _read(program, p, o, values, noise, beside[o.name] if beside else None)
            for o in program.outputs
        }
    return [{name: found[i] for name, found in read.items()} for i in range(len(louder))]


def quicker_together(program: Program, count: int) -> bool:
    """Whether so many rehearsals are made sooner in one pass: where the slots of all executions are few, the
    pass takes about as long as for one of them."""
    return (1 + count * (2 * PAIRS + 3 * APART)) * program.slots <= _FEW


def _pairs(program: Program) -> int:
    """The number of pairs of executions: 0 for a program that is too large, or in which noise never
    multiplies noise, so that first order tells everything."""
    work = len(program.operations) * program.slots
    if work > _MOST or degree(program) == 1:
        return 0
    return min(max(_AT_ONCE // work, 1), PAIRS)


def _real(slots: Slots, program: Program) -> Floats:
    real = np.asarray(slots.real)
    return np.broadcast_to(real, (*real.shape[:-1], program.slots))


def _read(
    program: Program,
    p: CkksParameters,
    o: Packed,
    values: Mapping[int, Slots],
    noise: "_Noise",
    beside: Rehearsed | None,
) -> list[Rehearsed]:
    """The rehearsals of an output, one for each loudness."""
    executions = np.atleast_2d(unpack(o, [_real(values[v], program) for v in o.values]))
    count, still = float(copies(program, p)), executions[0]
    found = []
    for i, each in enumerate(noise.of_each(executions)):
        noisy, alone = each[: 2 * noise.pairs], each[2 * noise.pairs :]
        plus, minus = noisy[::2], noisy[1::2]
        even, odd = (plus + minus) / 2 - still, (plus - minus) / 2
        one = beside or Rehearsed(still, even, odd, count, outgrown=bool(noise.outgrown[i]))
        if len(alone):
            others = (one.errors(still) ** 2).mean(axis=0)
            told = noise.offsets.told(alone - still)
            if noise.lost[i]:
                most = max(noise.rooms[v] for v in o.values)
                one = one._replace(apart=np.full_like(told, most), lost=True)
            else:
                apart = read_of_one_copy(program, p, (told / count) ** 2, others)
                one = one._replace(apart=np.sqrt(apart))
        found.append(one)
    return found


class _Noise:
    """The noise that disturbs the operations of a program. The first execution has none. For each loudness,
    there follow pairs, in which the second execution has the opposite of the first one's noise, and then
    executions with offsets alone."""

    def __init__(
        self,
        program: Program,
        p: CkksParameters,
        gains: Gains,
        louder: Sequence[float],
        pairs: int,
        triples: int,
        seed: int,
        sizes: Magnitudes,
    ) -> None:
        self._program, self._p, self.pairs = program, p, pairs
        self._louder = np.array(louder, dtype=np.float64)
        self._draw = np.random.default_rng(seed)
        variances = added(program, p, gains) * copies(program, p)  # their mean is read
        self._variances = dict(zip(gains.sources, variances.tolist(), strict=True))
        self._brought = dict(zip((o.out for o in program.operations), all_brought(program), strict=True))
        self._scales = scales_of(program)
        self._adjusted = {program.operations[i].out: a for i, a in adjusted_operands(program).items()}
        sources = chain.from_iterable(map(self._sources, program.operations))
        self.offsets = Offsets(program, p, gains, sources, triples, seed)
        self.rooms = _rooms(program, p)
        self._sizes = sizes
        self._loudest = 0.0  # what no slot of the noise that is drawn for an operation exceeds
        # by loudness: whether offsets make some value outgrow its modulus (results may be anything then), and
        # whether noise does; noise no louder than the library's shows in the results themselves
        self.lost, self.outgrown = np.zeros(len(louder), dtype=bool), np.zeros(len(louder), dtype=bool)

    def of_each(self, executions: Slots) -> Slots:
        """The executions by loudness, without the first one: (loudness, execution, slot)."""
        return executions[1:].reshape(len(self._louder), -1, executions.shape[-1])

    def __call__(self, o: Operation, operands: Sequence[Slots], made: Slots) -> Slots:
        brought = self._brought[o.out]
        most, self._loudest = self._sizes.made(o, operands, made), 0.0
        noise = self._of_turns(o) if o.action is Action.EVAL_SUM else self._drawn(brought, None)
        if o.action is Action.RESCALE:
            made, most = self._drifted(made, o.level), most * (1 + abs(self._drift(o.level)))
        if right_once_divided(o, self._scales[o.out]):
            made = made - self._drift(o.level - 1) * self._program.plains[o.plain or 0]
            most += abs(self._drift(o.level - 1)) * self._sizes.plain(o)
        if o.out in self._adjusted:
            share = o.args.index(self._adjusted[o.out])
            moved, size = self._moved(o, operands[share], share)
            noise = noise + (moved * operands[1 - share] if o.action is Action.MUL else moved)
            product = o.action is Action.MUL
            most += size * self._sizes.of(o.args[1 - share], operands[1 - share]) if product else size
        made = made + noise if isinstance(noise, np.ndarray) else made
        if made.ndim < 2:
            return made
        self._sizes.keep(o.out, most + self._loudest)
        return made if self._surely_within(o, made) else self._checked(o, made)

    def _moved(self, o: Operation, operand: Slots, share: int) -> tuple[Slots | float, float]:
        """What bringing an operand to the other's scale adds to it, and what no slot of that exceeds."""
        before, self._loudest = self._loudest, 0.0
        moved = self._drawn(self._brought[o.out], share) + operand * self._adjusting(o)
        size = self._loudest + abs(self._adjusting(o)) * self._sizes.of(o.args[share], operand)
        self._loudest = before
        return (-moved if o.action is Action.SUB and share == 1 else moved), size

    def _surely_within(self, o: Operation, made: Slots) -> bool:
        """Whether the slots are so small that no value can outgrow its modulus: no mean of their differences
        exceeds twice the largest."""
        if 3 * self._sizes.of(o.out, made) * _ROUNDED <= self.rooms[o.out]:
            return True
        self._sizes.keep(o.out, measured(made))
        return 3 * self._sizes.of(o.out, made) * _ROUNDED <= self.rooms[o.out]

    def _checked(self, o: Operation, made: Slots) -> Slots:
        """The values of an operation, once it is known whether some outgrow their modulus. An execution in
        which offsets make one outgrow it goes on without offsets."""
        still, each = made[0], self.of_each(made)
        noisy, alone = each[:, : 2 * self.pairs], each[:, 2 * self.pairs :]
        unknown = (self._louder > 1) & ~self.outgrown
        if unknown.any():
            self.outgrown[unknown] = self._beyond(o, still, noisy[unknown]).any(axis=-1)
        beyond = self._beyond(o, still, alone)
        if not beyond.any():
            return made
        self.lost |= beyond.any(axis=-1)
        kept = np.where(beyond[..., None], still, alone)
        return np.concatenate([made[:1], np.concatenate([noisy, kept], axis=1).reshape(len(made) - 1, -1)])

    def _beyond(self, o: Operation, still: Slots, moved: Slots) -> NDArray[np.bool_]:
        """The executions in which a value outgrows its modulus. A coefficient is the mean over all slots of
        the ring and their conjugates; a value that is moved so far is moved in one copy of many."""
        of_coefficients = np.abs(moved - still).sum(axis=-1) * 2 / self._p.ring_dimension
        return np.asarray(~(np.abs(still).max() + of_coefficients <= self.rooms[o.out]))

    def _sources(self, o: Operation) -> Iterable[Source]:
        if o.action is Action.EVAL_SUM:
            return chain.from_iterable(self._turns(o))
        return (b.source for b in self._brought[o.out])

    def _turns(self, o: Operation) -> list[tuple[Source, Source]]:
        """The sources of noise of rotations by 1, 2, 4, ... slots, each of which is added to what was
        there."""
        levels, own = turned_levels(o), self._scales[o.out]
        return [switch(level, own, 1 << k) for k, level in enumerate(levels)]

    def _of_turns(self, o: Operation) -> Slots | float:
        noise: Slots | float = 0.0
        size = 0.0
        for k, sources in enumerate(self._turns(o)):
            self._loudest = 0.0
            drawn = self._noise(sources)
            noise = drawn if np.ndim(noise) == 0 else noise + turned(np.asarray(noise), -(1 << k)) + drawn
            size = 2 * size + self._loudest
        self._loudest = size
        return noise

    def _drawn(self, brought: Sequence[Brought], share: int | None) -> Slots | float:
        """The noise that these sources add to the result, or to the operand `share`."""
        sources = [b.source for b in brought if b.share == share]
        return self._noise(sources) if sources else 0.0

    def _noise(self, sources: Sequence[Source]) -> Slots | float:
        """The noise of these sources: all but offsets in the pairs of executions, and offsets alone in the
        executions after them."""
        own = (self._variances.get(source, 0.0) for source in sources if source.kind not in OFFSETS)
        variance = sum(own) if self.pairs else 0.0
        offsets = self.offsets.of(sources)
        if not variance and offsets is None:
            return 0.0
        alone, louder = 2 * self.pairs, self._louder[:, None, None]
        count = 1 + len(self._louder) * (alone + self.offsets.executions)
        noise = np.zeros((count, self._program.slots), dtype=np.complex128)
        each, farthest = self.of_each(noise), 0.0
        if offsets is not None:
            each[:, alone:, self.offsets.places] = louder * offsets
            farthest = measured(offsets)
        if variance:
            drawn, turn = self._white(variance)
            np.multiply(turn * louder, drawn, out=each[:, :alone:2])
            np.negative(each[:, :alone:2], out=each[:, 1:alone:2])
            farthest = max(farthest, sqrt(variance) * _farthest(self.pairs * self._program.slots))
        self._loudest += float(self._louder.max()) * farthest
        return noise

    def _white(self, variance: float) -> tuple[Slots, complex]:
        """Numbers for every slot of all pairs, and a factor that makes them noise of that variance in the
        real and the imaginary part."""
        size = self.pairs * self._program.slots
        drawn = _normals(size)
        start = int(self._draw.integers(len(drawn) - size + 1))
        turn = complex(np.sqrt(variance) * np.exp(2j * np.pi * self._draw.random()))
        return drawn[start : start + size].reshape(self.pairs, -1), turn

    def _adjusting(self, o: Operation) -> float:
        """The relative error of bringing an operand to the other's scale."""
        return sum(
            UNASKED[action] * self._drift(level - 1) for action, level in o.internal if action in UNASKED
        )

    def _drifted(self, made: Slots, level: int) -> Slots:
        drift = self._drift(level)
        return made * (1 + drift) if drift else made

    def _drift(self, level: int) -> float:
        return float(drift_to(self._p, np.array([level]))[0]) if self._p.technique in FIXED else 0.0


@lru_cache(maxsize=2)
def _normals(size: int) -> Slots:
    """Complex normal numbers, at least `_AS_MANY` times `size`. Each operation's noise is taken from another
    place among them and turned by another angle, because drawing them anew takes longer than everything
    else."""
    drawn = np.random.default_rng(size).standard_normal((_AS_MANY * size + _FEWEST_PLACES, 2))
    return drawn.view(np.complex128)[:, 0]


@lru_cache(maxsize=2)
def _farthest(size: int) -> float:
    """The size of the largest of these numbers."""
    return measured(_normals(size))


def _rooms(program: Program, p: CkksParameters) -> dict[int, float]:
    """For each value, the largest slot that half of its modulus holds."""
    scales = scales_of(program)
    met = {(o.level, scales[o.out]) for o in program.operations}
    known = {at: 2.0 ** min(room_bits(p, *at), _ROOM_BITS) for at in met}
    return {o.out: known[o.level, scales[o.out]] for o in program.operations}


@lru_cache(maxsize=2)
def _as_encoded(program: Program, p: CkksParameters) -> Program:
    """The program with its plain numbers and vectors as they are after rounding, each at its scale."""
    scales, known = scales_of(program), dict[tuple[int, Action, Scale, Scale], int]()
    plains: list[NDArray[Any]] = list(program.plains)

    def of(o: Operation) -> Operation:
        if o.plain is None or o.action not in (Action.MUL_SCALAR, Action.MUL_PLAIN, Action.ADD_PLAIN):
            return o
        product = o.action is not Action.ADD_PLAIN
        key = o.plain, o.action, scales[o.out], scales[o.args[0]] if product else (0, 0)
        if key not in known:
            known[key] = len(plains)
            plains.append(_rounded(p, program.plains[o.plain], *key[1:]))
        return replace(o, plain=known[key])

    made = tuple(map(of, program.operations))
    return replace(program, operations=made, plains=tuple(plains))


def _rounded(p: CkksParameters, row: Floats, action: Action, own: Scale, other: Scale) -> NDArray[Any]:
    at = np.array([own]), np.array([other])
    if action is Action.MUL_SCALAR:
        scale = all_in_numbers(at[0], p) / all_in_numbers(at[1], p)
        return whole_number(p, row * scale) / scale
    return encoded(row, float(scale_encoded(p, *at)[0]))
