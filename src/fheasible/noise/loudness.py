"""How loud every element of an output is: the variance that each kind of noise reaches it with.

Where no slot reaches another, one pass backwards tells all slots at once, with every correlation. What a
rotation or a sum moves is reckoned before, forwards: variances move as slots do, and are added up as if each
slot of each moved value had noise of its own. That is so of a vector times a matrix, and a guide elsewhere.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fheasible.noise.reach import MIXES, Values, adjoints
from fheasible.noise.rows import Adjoint, Common
from fheasible.noise.scales import scales_of
from fheasible.noise.shape import shape
from fheasible.noise.sources import OFFSETS, Source, brought, turned_levels
from fheasible.program.types import Action, Operation, Program

Floats = NDArray[np.float64]
Loudness = dict[str, Floats]  # by kind: of each slot, or one number for all; without those that bring nothing

_LONG = 64  # operations that a pass goes back over anew for the next value that is moved
_ONE = np.ones(1)
_ALONE = Common(_ONE, _ONE)  # every slot's derivative by itself, in all slots at once


def loudness(program: Program, values: Values, wanted: Collection[int]) -> dict[int, Loudness]:
    """Of each value `wanted`: the variance in each slot where each operation brings unit variance, of
    "encrypt", "rescale" and "key_switch" in all slots alike, of "digits" in the shape of an offset."""
    reckoning = _Reckoning(program, values)
    for value in _in_order(program, wanted):
        reckoning.add(value)
    return {value: reckoning.known[value] for value in wanted}


def _in_order(program: Program, wanted: Collection[int]) -> Iterator[int]:
    """What `wanted` values need that is moved, each after those that it needs, and then they themselves."""
    needed, moved = set(wanted), list[int]()
    for o in reversed(program.operations):
        if o.out in needed:
            needed.update(o.args)
            moved += o.args if o.action in MIXES else ()
    return iter(dict.fromkeys([*reversed(moved), *wanted]))


class _Reckoning:
    """Value by value."""

    def __init__(self, program: Program, values: Values) -> None:
        self._program, self._values = program, values
        self._moves = {o.out: o for o in program.operations if o.action in MIXES}
        self._ends = frozenset(self._moves)
        self.known: dict[int, Loudness] = {}

    def add(self, value: int) -> None:
        """Once all that it needs is known."""
        total: Loudness = {}
        met = set()
        for i, g, shares in adjoints(self._program, self._values, value, _ALONE, self._ends):
            o = self._program.operations[i]
            met.add(o.out)
            if o.out in self._ends:
                _gather(total, self._arrived(o), g)
            if o.out not in self._ends or o.out not in self.known:
                for source, at in brought(self._program, i, g, shares):
                    _gather(total, _own(self._program, source), at)
        self.known[value] = total
        if len(met) > _LONG or self._apart(value, met):
            self._ends |= {value}

    def _arrived(self, o: Operation) -> Loudness:
        """What comes out of an operation beyond which no pass goes."""
        if o.out in self.known:
            return self.known[o.out]
        before = self.known[o.args[0]]
        if o.action is Action.EVAL_SUM:
            return _summed(self._program, o, before)
        return {kind: _turned(variance, o.steps) for kind, variance in before.items()}

    def _apart(self, value: int, met: set[int]) -> bool:
        """Whether all that the value is made of is used for it alone, or moved: nothing is lost, then, if its
        noise is taken as its own."""
        users = _users(self._program)
        return all(
            user in met or user in self._moves for part in met - {value} for user in users.get(part, ())
        )


def _own(program: Program, source: Source) -> Loudness:
    """What it brings: of a product that is not rescaled yet next to nothing, but of encryptions."""
    if source.own[1] != 1 and source.kind != "encrypt":
        return {}
    if source.kind in OFFSETS:
        return {source.kind: shape(program.slots)}
    return {source.kind.removesuffix("_product"): _ONE}


def _gather(total: Loudness, variances: Loudness, g: Adjoint) -> None:
    """What reaches a value over the derivative g."""
    if not variances:
        return
    slopes = g.factor * g.rows.whole()[0]
    squares = slopes * slopes
    for kind, variance in variances.items():
        more = squares * variance
        if kind in total and len(total[kind]) >= len(more):
            total[kind] += more
        else:
            total[kind] = total[kind] + more if kind in total else more


def _turned(variance: Floats, steps: int) -> Floats:
    return np.roll(variance, -steps) if len(variance) > 1 else variance


def _summed(program: Program, o: Operation, before: Loudness) -> Loudness:
    """Each rotation's own noise is doubled by those after it as all else is."""
    found, degree = dict(before), scales_of(program)[o.out][1]
    own = [_own(program, Source(kind, o.level, (o.level, degree))) for kind in ("key_switch", "digits")]
    for k in range(len(turned_levels(o))):
        found = {kind: v + _turned(v, 1 << k) for kind, v in found.items()}
        for kind, variance in (item for part in own for item in part.items()):
            found[kind] = found[kind] + variance if kind in found else variance
    return found


@lru_cache(maxsize=64)
def _users(program: Program) -> dict[int, list[int]]:
    """Of each value: what is made of it."""
    found: dict[int, list[int]] = defaultdict(list)
    for o in program.operations:
        for arg in o.args:
            found[arg].append(o.out)
    return dict(found)
