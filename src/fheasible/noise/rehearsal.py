"""A CKKS program run on plain slots as a library would run it: with the plain numbers that are left once they
are rounded, and with noise as large as its own.

What `elements` tells holds to first order, with plain vectors whose coefficients are rounded by chance. Here
noise multiplies noise, whatever a function does with it; a mask whose coefficients are hardly above 1/2
loses what it should pass on; numbers that are rounded alike in two places cancel, or do not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.parameters import Parameters
from fheasible.noise.decryption import copies
from fheasible.noise.elements import FIXED, added, degree, drift_to, scale_encoded, whole_number
from fheasible.noise.encoding import encoded
from fheasible.noise.gains import Gains
from fheasible.noise.scales import Scale, all_in_numbers, scales_of
from fheasible.noise.sources import (
    OFFSETS,
    UNASKED,
    Brought,
    Source,
    adjusted_operands,
    all_brought,
    right_once_divided,
    turned_levels,
)
from fheasible.program.simulate import Slots, run, turned, unpack
from fheasible.program.types import Action, Operation, Program

Floats = NDArray[np.float64]

PAIRS = 6  # of executions, with noise and with its opposite
_AT_ONCE = 1 << 24  # slots of all operations in all pairs; a larger program has fewer pairs, and one at least
_MOST = 1 << 26  # slots of all operations: of a larger program there are no pairs


class Rehearsed(NamedTuple):
    """Of each element of an output: the result without noise, with plain numbers as they are encoded; and of
    each pair of executions (pair, element) what noise changes, half of the sum and half of the difference of
    both. `copies`: of how many such executions a result is the mean."""

    still: Floats
    even: Floats
    odd: Floats
    copies: float

    def usual(self, exact: Floats) -> Floats:
        """The root mean square, over the executions, of how far each element is from the exact one."""
        return np.asarray(np.sqrt((self.errors(exact) ** 2).mean(axis=0)))

    def errors(self, exact: Floats) -> Floats:
        """Of each execution (execution, element), how far each element is from the exact one."""
        alike, moved = self._apart(exact)
        return np.abs(alike + moved)

    def off(self, exact: Floats, rarer: float = 1.0) -> Floats:
        """How far each element is from the exact one in some execution at most: the largest of what differs
        between executions, so many times as large, in the direction of what all have alike."""
        alike, moved = self._apart(exact)
        return np.asarray(np.abs(alike) + rarer * np.abs(moved).max(axis=0))

    def _apart(self, exact: Floats) -> tuple[Floats, Floats]:
        """The error of each element that all executions have alike, and the rest (execution, element)."""
        error = self.still - exact
        if not len(self.even):
            return error, np.zeros((1, len(exact)))
        bent = self.even.mean(axis=0)
        moved = np.concatenate([self.even - bent + self.odd, self.even - bent - self.odd])
        return error + bent, moved / np.sqrt(self.copies)


def rehearsed(
    program: Program,
    p: Parameters,
    data: Mapping[str, Floats],
    gains: Gains,
    louder: float = 1.0,
    seed: int = 0,
) -> dict[str, Rehearsed]:
    """The outputs on these data; `gains`: of the program at any data; `louder`: times a library's noise.
    Without the means of digits and of divisions, which lie in few slots, and what decryption adds."""
    noise = _Noise(program, p, gains, louder, _pairs(program), seed)
    values = run(_as_encoded(program, p), data, disturb=noise, frugal=True)
    found = {o.name: unpack(o, [_real(values[v], program) for v in o.values]) for o in program.outputs}
    return {name: _split(np.atleast_2d(v), float(copies(program, p))) for name, v in found.items()}


def _pairs(program: Program) -> int:
    """Of executions: none where noise multiplies none, and first order tells all of it."""
    work = len(program.operations) * program.slots
    if work > _MOST or degree(program) == 1:
        return 0
    return min(max(_AT_ONCE // work, 1), PAIRS)


def _real(slots: Slots, program: Program) -> Floats:
    real = np.asarray(slots.real)
    return np.broadcast_to(real, (*real.shape[:-1], program.slots))


def _split(executions: Floats, copies: float) -> Rehearsed:
    still, plus, minus = executions[0], executions[1::2], executions[2::2]
    return Rehearsed(still, (plus + minus) / 2 - still, (plus - minus) / 2, copies)


class _Noise:
    """What disturbs the operations of a program: the first execution has no noise, of the others each second
    one the opposite of what the one before it has."""

    def __init__(
        self, program: Program, p: Parameters, gains: Gains, louder: float, pairs: int, seed: int
    ) -> None:
        self._program, self._p, self._pairs = program, p, pairs
        self._draw = np.random.default_rng(seed)
        variances = louder**2 * added(program, p, gains) * copies(program, p)  # reading takes their mean
        self._variances = dict(zip(gains.sources, variances.tolist(), strict=True))
        self._brought = dict(zip((o.out for o in program.operations), all_brought(program), strict=True))
        self._scales = scales_of(program)
        self._adjusted = {program.operations[i].out: a for i, a in adjusted_operands(program).items()}

    def __call__(self, o: Operation, operands: Sequence[Slots], made: Slots) -> Slots:
        brought = self._brought[o.out]
        noise = self._of_turns(o) if o.action is Action.EVAL_SUM else self._drawn(brought, None)
        if o.action is Action.RESCALE:
            made = made * (1 + self._drift(o.level))
        if right_once_divided(o, self._scales[o.out]):
            made = made - self._drift(o.level - 1) * self._program.plains[o.plain or 0]
        if o.out in self._adjusted:
            share = o.args.index(self._adjusted[o.out])
            moved = self._drawn(brought, share) + operands[share] * self._adjusting(o)
            if o.action is Action.SUB and share == 1:
                moved = -moved
            noise = noise + (moved * operands[1 - share] if o.action is Action.MUL else moved)
        return made + noise if np.ndim(noise) else made

    def _of_turns(self, o: Operation) -> Slots | float:
        """Of rotations by 1, 2, 4, ..., each added to what was there (`sources.turns`)."""
        noise: Slots | float = 0.0
        for k, level in enumerate(turned_levels(o)):
            drawn = self._white(self._variances.get(Source("key_switch", level, self._scales[o.out]), 0.0))
            noise = drawn if np.ndim(noise) == 0 else noise + turned(np.asarray(noise), -(1 << k)) + drawn
        return noise

    def _drawn(self, brought: Sequence[Brought], share: int | None) -> Slots | float:
        """What these add to the result, or to the operand `share`."""
        found = (b.source for b in brought if b.share == share and b.source.kind not in OFFSETS)
        return self._white(sum(self._variances.get(source, 0.0) for source in found))

    def _white(self, variance: float) -> Slots | float:
        """Noise of that variance in the real and the imaginary part of each slot."""
        if not variance or not self._pairs:
            return 0.0
        size = (self._pairs, 1, self._program.slots, 2)
        noise = self._draw.standard_normal(size).view(np.complex128)[..., 0] * np.sqrt(variance)
        both = np.concatenate([noise, -noise], axis=1).reshape(2 * self._pairs, -1)
        return np.concatenate([np.zeros((1, self._program.slots)), both])

    def _adjusting(self, o: Operation) -> float:
        """The relative error of bringing an operand to the other's scale."""
        return sum(
            UNASKED[action] * self._drift(level - 1) for action, level in o.internal if action in UNASKED
        )

    def _drift(self, level: int) -> float:
        return float(drift_to(self._p, np.array([level]))[0]) if self._p.technique in FIXED else 0.0


def _as_encoded(program: Program, p: Parameters) -> Program:
    """The same with the plain numbers and vectors that are left once they are rounded, each at its scale."""
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


def _rounded(p: Parameters, row: Floats, action: Action, own: Scale, other: Scale) -> NDArray[Any]:
    at = np.array([own]), np.array([other])
    if action is Action.MUL_SCALAR:
        scale = all_in_numbers(at[0], p) / all_in_numbers(at[1], p)
        return whole_number(p, row * scale) / scale
    return encoded(row, float(scale_encoded(p, *at)[0]))
