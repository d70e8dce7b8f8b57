"""A grown program, written anew with bootstraps where it is deeper than its levels allow.

*Where* they stand is found by `bootstraps.py`; here is *how* they are done. Fresh inputs may begin with more
levels than a bootstrap leaves (`LevelBudget.above`). Each has as few of them as the places of bootstraps
allow, because an operation at a higher level takes longer.

Modular reduction, the heart of a bootstrap, needs slots of a magnitude of at most `LevelBudget.bound`. Bounds
are known from the circuit's ranges (`meaning.py`). A value that may be 2^k times as large is multiplied by
2^-k before its bootstrap, and doubled k times after it, which costs no level. The factor 2^-k is folded into
plain operands that the value is made with: through sums, rotations and products, as long as no other
operation needs what is in between. Where that fails, it is a product that takes a level, and the search of
places knows. A fold into an operand of a product or of a sum over slots makes the noise of all that follows
larger in proportion, so a factor below 2^-8 is not folded there.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import cached_property
from math import ceil, inf, log2
from typing import Final, NamedTuple

import numpy as np

from fheasible.errors import InfeasibleParameters
from fheasible.lowering.arithmetic import Arithmetic
from fheasible.lowering.bootstraps import Leveled, impossible, latest_starts, place, roughly
from fheasible.lowering.builder import ProgramBuilder, Value, scalar
from fheasible.lowering.meaning import Meaning, Meant, meaning
from fheasible.program.style import LevelBudget, Style
from fheasible.program.types import Action

FOLDED_BITS: Final = 8  # of a factor that goes into an operand of a product or of a sum over slots
_MOST_LEVELS = 200  # up to which a remedy is looked for
_LITTLE = 1e-6  # of the bound, in bits
_LARGEST = 2.0**60  # a larger bound is none: no scale tells values apart below it

_ENCRYPT: Final = Action.ENCRYPT
_BOOTSTRAP: Final = Action.BOOTSTRAP
_EVAL_CHEBYSHEV: Final = Action.EVAL_CHEBYSHEV
_PLAIN_PRODUCTS = (Action.MUL_PLAIN, Action.MUL_SCALAR)
_PLAIN_SUMS = (Action.ADD_PLAIN, Action.ADD_SCALAR)
_SUMS = (Action.ADD, Action.SUB, Action.NEG, *_PLAIN_SUMS)
_PRODUCTS = (Action.MUL, Action.SQUARE, *_PLAIN_PRODUCTS)


class Folds(IntEnum):
    """Whether a factor can go into a value without a level."""

    FREELY = 0
    SMALL = 1  # down to 2^-FOLDED_BITS
    NEVER = 2


class _Bootstrapped(NamedTuple):
    """Operations with bootstraps; the place of each result of before; and bounds."""

    operations: list[Meant]
    places: dict[int, int]
    bounds: list[float]


class Unplaced:
    """What a grown program computes, with what the search for places asks of it whatever the levels are.

    `declared` has the largest magnitude of each input.
    """

    def __init__(
        self,
        build: ProgramBuilder,
        outputs: Sequence[int],
        inputs: Sequence[int],
        declared: Mapping[str, float],
    ) -> None:
        self.build, self.outputs, self.inputs = build, outputs, inputs
        self.meant = meaning(build, outputs, inputs, declared)
        self.results = [self.meant.places[v] for v in outputs]
        self._folds = _folds(self.meant.operations, self.results)
        self._lone = _lone(self.meant.operations, self.results)
        self._entered: dict[float, list[int | None]] = {}
        self._counts: dict[tuple[LevelBudget, int, bool], int] = {}
        self._least: dict[tuple[LevelBudget, int], int] = {}
        self._above: dict[tuple[LevelBudget, int], list[tuple[int, int]]] = {}

    def bootstrapped(self, style: Style) -> tuple[ProgramBuilder, dict[int, int], dict[int, int]]:
        """The program grown anew with bootstraps; its value for each input, and for each output, settled.

        InfeasibleParameters where the style's levels are too few wherever bootstraps stand.
        """
        budget, meant = style.budget, self.meant
        assert budget is not None
        values = self._leveled(budget, style.spare)
        chosen = self._chosen(values, budget, style.spare)
        found = _inserted(meant, chosen, self.results)
        starts = {found.places[at]: start for at, start in latest_starts(values, chosen).items()}
        again = ProgramBuilder(style, self.build.slots, self.build.two_rows)
        writer = _Writer(again, found, [found.places[r] for r in self.results], budget, starts)
        inputs, outputs = (
            {v: writer.values[found.places[meant.places[v]]] for v in ends}
            for ends in (self.inputs, self.outputs)
        )
        settled = {v: writer.on.settle(made).id for v, made in outputs.items()}
        return again, {v: made.id for v, made in inputs.items()}, settled

    def bootstraps(self, budget: LevelBudget, spare: int, at_once: bool = False) -> int:
        """The number of bootstraps of the program, without writing it; 0 where there is no such program.
        `at_once`: a number that is enough will do."""
        if (budget, spare, at_once) not in self._counts:
            own = sum(m.action is Action.BOOTSTRAP for m in self.meant.operations)
            values = self._leveled(budget, spare)
            possible = impossible(values) is None
            placed = (roughly(values) if at_once else len(place(values).chosen)) if possible else -own
            self._counts[budget, spare, at_once] = own + placed
        return self._counts[budget, spare, at_once]

    def _chosen(self, values: Sequence[Leveled], budget: LevelBudget, spare: int) -> frozenset[int]:
        lacking = impossible(values)
        if lacking is not None:
            raise self._too_few(budget, spare, lacking)
        return place(values).chosen

    def above_needed(self, budget: LevelBudget, spare: int) -> int:
        """The levels beyond those after a bootstrap with which fresh inputs save as many bootstraps as with
        `budget.above`; 0 where they save none."""
        known = self._above.setdefault((replace(budget, above=0), spare), [])
        for asked, needed in known:
            if needed <= budget.above <= asked:
                return needed
        known.append((budget.above, self._needed(budget, spare)))
        return known[-1][1]

    def _needed(self, budget: LevelBudget, spare: int) -> int:
        usual = self._leveled(replace(budget, above=0), spare)
        values = self._leveled(budget, spare)
        if impossible(values) is not None:
            return 0
        chosen = place(values).chosen
        if impossible(usual) is None and len(place(usual).chosen) <= len(chosen):
            return 0
        above, before = -min(latest_starts(values, chosen).values()), budget.above + 1
        while above < before:
            values, before = self._leveled(replace(budget, above=above), spare), above
            above = -min(latest_starts(values, place(values).chosen).values())
        return above

    # -- what the search for places is told

    def _leveled(self, budget: LevelBudget, spare: int) -> list[Leveled]:
        deepest, ends = budget.levels - budget.least, set(self.results)
        start = -min(budget.above, self._most_above)
        found = []
        for at, (m, entry) in enumerate(zip(self.meant.operations, self._entries(budget.bound), strict=True)):
            enters = budget.levels + 1 if entry is None else entry  # too many if nothing bounds it
            if m.action is _BOOTSTRAP:
                found.append(Leveled(m.args, enters, deepest, -1, fresh=True))
            else:
                most = budget.levels - (spare if at in ends else 0)
                room = max(deepest - enters, -1)
                encrypts = m.action is _ENCRYPT
                found.append(Leveled(m.args, _taken(m), most, room, encrypts, start if encrypts else 0))
        return found

    @cached_property
    def _most_above(self) -> int:
        """The levels that fresh inputs use up before the first bootstrap that the user placed. It would be in
        vain for a value with more levels than it leaves."""
        used: list[int] = []
        least = _MOST_LEVELS
        for m in self.meant.operations:
            own = max([used[a] for a in m.args], default=0)
            refreshes = m.action is Action.BOOTSTRAP
            least = min(least, own) if refreshes else least
            used.append(_MOST_LEVELS if refreshes else own + _taken(m))
        return least

    def _entries(self, bound: float) -> list[int | None]:
        """The levels that it takes to bring each value, or the operand of each bootstrap, within the bound;
        None if nothing bounds it."""
        if bound not in self._entered:
            self._entered[bound] = [
                _entry(largest, self._fold_of(at), bound) for at, largest in enumerate(self.meant.bounds)
            ]
        return self._entered[bound]

    def _fold_of(self, at: int) -> Folds:
        m = self.meant.operations[at]
        if m.action is not Action.BOOTSTRAP:
            return self._folds[at]
        return self._folds[m.args[0]] if m.args[0] in self._lone else Folds.NEVER

    def _too_few(self, budget: LevelBudget, spare: int, lacking: int) -> InfeasibleParameters:
        """What does not fit, and with how many levels it would."""
        left = f", of which a bootstrap needs {budget.least} to begin" if budget.least else ""
        message = (
            f"{budget.levels} levels are too few between two bootstraps{left}: no place for bootstraps lets "
            f"every {self.meant.operations[lacking].action} be computed"
        )
        least = self._fewest(replace(budget, levels=0), spare)
        if least < _MOST_LEVELS:
            return InfeasibleParameters(message, f"allow {least} levels after a bootstrap")
        return InfeasibleParameters(
            message, "declare narrower ranges: nothing bounds the values that would be bootstrapped"
        )

    def _fewest(self, budget: LevelBudget, spare: int) -> int:
        """The fewest levels with which every value is within reach, whatever those of the budget are."""

        def enough(levels: int) -> bool:
            return impossible(self._leveled(replace(budget, levels=levels), spare)) is None

        key = budget, spare
        if key not in self._least:
            self._least[key] = bisect_left(range(_MOST_LEVELS), True, key=enough)
        return self._least[key]


def _taken(m: Meant) -> int:
    """The levels that an operation takes, its rescaling included."""
    return m.levels if m.action is _EVAL_CHEBYSHEV else int(m.action in _PRODUCTS)


def _entry(largest: float, folds: Folds, bound: float) -> int | None:
    if largest > _LARGEST:
        return None
    return int(not _folded(folds, _halvings(largest, bound)))


def _halvings(largest: float, bound: float) -> int:
    """How often a value must be halved to be within the bound, but for a little that does no harm."""
    return max(ceil(log2(largest / bound) - _LITTLE), 0) if largest else 0


def _folded(folds: Folds, halvings: float) -> bool:
    """Whether a value can be made that much smaller without a level."""
    return halvings <= (inf, FOLDED_BITS, 0)[folds]


def _folds(meant: Sequence[Meant], results: Sequence[int]) -> list[Folds]:
    """How a factor goes into each value, if only a bootstrap takes it."""
    users: list[set[int]] = [set() for _ in meant]
    for at, m in enumerate(meant):
        for a in m.args:
            users[a].add(at)
    for at in results:
        users[at].add(-1)
    found: list[Folds] = []
    for m in meant:
        own = [found[a] if len(users[a]) == 1 else Folds.NEVER for a in m.args]
        found.append(_fold(m.action, own))
    return found


def _fold(action: Action, args: Sequence[Folds]) -> Folds:
    """How a factor goes into the result of an operation, given how it goes into the operands."""
    if action in _PLAIN_PRODUCTS or action is Action.EVAL_CHEBYSHEV:
        return Folds.FREELY
    if action in _SUMS or action in (Action.ROTATE, Action.BOOTSTRAP):
        return max(args)
    if action in (Action.MUL, Action.SQUARE, Action.EVAL_SUM) and min(args) is not Folds.NEVER:
        return Folds.SMALL
    return Folds.NEVER


# -- bootstraps among the operations ---------------------------------------------------------------------


def _inserted(meant: Meaning, chosen: frozenset[int], results: Sequence[int]) -> _Bootstrapped:
    """The operations, with a bootstrap of each chosen value before its first use. Until then, it is small."""
    found = _Bootstrapped([], {}, [])
    raw: dict[int, int] = {}

    def refreshed(at: int) -> int:
        if at not in found.places:
            found.places[at] = len(found.operations)
            found.operations.append(Meant(Action.BOOTSTRAP, (raw[at],), where=meant.operations[at].where))
            found.bounds.append(meant.bounds[at])
        return found.places[at]

    for at, m in enumerate(meant.operations):
        args = tuple(refreshed(a) for a in m.args)
        (raw if at in chosen else found.places)[at] = len(found.operations)
        found.operations.append(replace(m, args=args))
        found.bounds.append(meant.bounds[at])
    for at in results:
        refreshed(at)
    return found


# -- the program anew ------------------------------------------------------------------------------------


class _Writer:
    """Emits the operations; `values` has the result of each."""

    def __init__(
        self,
        build: ProgramBuilder,
        found: _Bootstrapped,
        results: Sequence[int],
        budget: LevelBudget,
        starts: Mapping[int, int],
    ) -> None:
        self.on = Arithmetic(build)
        self.operations = found.operations
        self.bounds = found.bounds
        self.budget = budget
        self.starts = starts  # depths of fresh inputs
        self.folds = _folds(found.operations, results)
        self.factors: dict[int, float] = {}  # of results that are computed as a multiple of themselves
        self.products: dict[int, float] = {}  # factors that operands of bootstraps are multiplied by
        self.doublings: dict[int, int] = {}
        self.lone = _lone(found.operations, results)
        self._fold_all()
        self.goals = _goals(found.operations, results, starts)
        self.values: list[Value] = []
        for at, m in enumerate(found.operations):
            build.where = m.where
            self.values.append(self._emitted(at, m))

    def _fold_all(self) -> None:
        """Decides, from the last operation to the first, which multiple of its result each computes."""
        for at in range(len(self.operations) - 1, -1, -1):
            m = self.operations[at]
            by = self.factors.get(at, 1.0)
            if m.action is Action.BOOTSTRAP:
                self._normalise(at, m.args[0], by)
            elif by != 1.0:
                self._pass_on(m, by)

    def _normalise(self, at: int, operand: int, by: float) -> None:
        """Brings the operand of a bootstrap within the bound, if `by` times its plaintext is wanted."""
        self.doublings[at] = halvings = _halvings(self.bounds[operand] * by, self.budget.bound)
        before = by / 2.0**halvings
        if before == 1.0:
            return
        small_enough = by != 1.0 or _folded(self.folds[operand], halvings)  # what was begun is gone on with
        if operand in self.lone and self.folds[operand] is not Folds.NEVER and small_enough:
            self.factors[operand] = before
        else:
            self.products[at] = before

    def _pass_on(self, m: Meant, by: float) -> None:
        """The factors of the operands of an operation that computes `by` times its result."""
        if m.action in _PLAIN_PRODUCTS or m.action is Action.EVAL_CHEBYSHEV:
            return
        if m.action is Action.SQUARE:
            self.factors[m.args[0]] = by**0.5
        elif m.action is Action.MUL:
            open_to = [a for a in m.args if a in self.lone]
            self.factors[min(open_to, key=lambda a: self.folds[a])] = by
        else:
            self.factors.update(dict.fromkeys(m.args, by))

    def _emitted(self, at: int, m: Meant) -> Value:
        on, args = self.on, [self.values[a] for a in m.args]
        by = self.factors.get(at, 1.0)
        if m.action in _PLAIN_PRODUCTS:
            return on.mul_plain(args[0], m.plain * by if by != 1.0 else m.plain, at=self.goals[at] - 1)
        if m.action in _PLAIN_SUMS:
            return on.add_plain(args[0], m.plain * by if by != 1.0 else m.plain)
        match m.action:
            case Action.ENCRYPT:
                return on.encrypt(m.source, m.chunk, self.starts[at])
            case Action.ADD:
                return on.add(*args)
            case Action.SUB:
                return on.sub(*args)
            case Action.NEG:
                return on.negate(args[0])
            case Action.MUL:
                return on.mul(*args)
            case Action.SQUARE:
                return on.mul(args[0], args[0])
            case Action.ROTATE:
                return on.turned(args[0], m.steps)
            case Action.EVAL_SUM:
                return on.eval_sum(args[0])
            case Action.EVAL_CHEBYSHEV:
                series = np.concatenate([m.plain[:2], m.plain[2:] * by])
                return on.eval_chebyshev(args[0], series, m.levels, m.inside)
            case Action.BOOTSTRAP:
                return self._bootstrapped(at, args[0])
            case _:
                raise AssertionError(f"no program of CKKS means {m.action}")

    def _bootstrapped(self, at: int, x: Value) -> Value:
        if at in self.products:
            x = self.on.mul_plain(x, scalar(self.products[at], exact=False))
        x = self.on.bootstrap(x)
        for _ in range(self.doublings[at]):
            x = self.on.add(x, x)
        return x


def _lone(operations: Sequence[Meant], results: Sequence[int]) -> set[int]:
    """The results that a single operation takes, and that are no results of the program."""
    users: dict[int, set[int]] = {}
    for at, m in enumerate(operations):
        for a in m.args:
            users.setdefault(a, set()).add(at)
    return {a for a, found in users.items() if len(found) == 1} - set(results)


def _goals(operations: Sequence[Meant], results: Sequence[int], starts: Mapping[int, int]) -> list[int]:
    """The depth, once rescaled, at which each result is added to others; its own where it is not.

    A plain product that is computed there needs not be brought there.
    """
    depths: list[int] = []
    pending: list[bool] = []  # whether the result waits to be rescaled
    for at, m in enumerate(operations):
        start = starts.get(at, 0)
        own, waits = _settled(m, start, [depths[a] for a in m.args], [pending[a] for a in m.args])
        depths.append(own)
        pending.append(waits)
    goals: list[int | None] = [None] * len(operations)
    for at in results:
        goals[at] = depths[at]
    for at in range(len(operations) - 1, -1, -1):
        m = operations[at]
        own_goal = goals[at]
        own_goal = goals[at] = depths[at] if own_goal is None else own_goal
        for a in m.args:
            wanted = own_goal if m.action in _SUMS and pending[at] else depths[a]
            known = goals[a]
            goals[a] = wanted if known is None else min(known, wanted)
    return [goal or 0 for goal in goals]


def _settled(m: Meant, start: int, depths: Sequence[int], pending: Sequence[bool]) -> tuple[int, bool]:
    """The depth of a result once it is rescaled, and whether it still has to be; `start`: that of a fresh
    one."""
    if m.action in (Action.ENCRYPT, Action.BOOTSTRAP):
        return start, False
    own = max(depths) + _taken(m)
    if m.action in _PRODUCTS or m.action is Action.EVAL_CHEBYSHEV:
        return own, True
    return own, m.action in _SUMS and all(p for d, p in zip(depths, pending, strict=True) if d == own)
