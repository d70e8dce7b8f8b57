"""Builds a program of table look-ups: equal steps are one step, and unused ones are dropped."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import inf
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fheasible.errors import UnsupportedOperation
from fheasible.lowering.lookups.elements import Made, narrowed, needed
from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step

Found = TypeVar("Found")
_LOOKUP: Final = Step.LOOKUP
_DROPPED: Final = 1.5  # times as many steps as wanted are too many, though some are dropped in the end


class Mark(NamedTuple):
    """How far the building was at some time."""

    steps: int
    tables: int
    lookups: int


class Trial(NamedTuple):
    """What a way makes, with its steps and tables from a mark on."""

    found: Any
    steps: Sequence[Made]
    tables: Sequence[tuple[int, ...]]
    lookups: int


class TooManyLookups(Exception):
    """A way takes no fewer look-ups than another one, or a program as many as are too many: `lookups`."""

    def __init__(self, lookups: int) -> None:
        super().__init__(f"{lookups:,} look-ups are too many")
        self.lookups = lookups


class TooManySteps(UnsupportedOperation):
    """The program has more steps than are wanted."""


class LookupBuilder:
    """A program on its way. Values are numbers of steps. A ciphertext holds `modulus` values, and digits are
    below `base`. TooManyLookups as soon as there are `most` look-ups, and TooManySteps as soon as there are
    so many that `longest` is exceeded though some of them will be dropped."""

    def __init__(self, base: int, modulus: int, most: float = inf, longest: float = inf) -> None:
        self.base, self.modulus = base, modulus
        self.where = ""  # the line of the user's program that the next steps compute
        self._steps: list[Made] = []
        self._lines: list[str] = []  # of the user's program, by step
        self._made: dict[Made, int] = {}  # in the order of the steps
        self._tables: dict[tuple[int, ...], int] = {}
        self._lookups = 0  # of all steps
        self.longest = longest
        self._full = _DROPPED * longest  # steps, with which the program is given up; not within a way
        self._enough = most  # with as many look-ups, a way is given up, or the whole program

    def length(self, value: int) -> int:
        return self._steps[value].length

    def encrypt(self, source: str, digit: int, length: int) -> int:
        return self._emit(Made(Step.ENCRYPT, length, source=source, digit=digit))

    def trivial(self, numbers: NDArray[Any]) -> int:
        if len(numbers) and bool((numbers == numbers[0]).all()):
            numbers = numbers[:1]
        return self._emit(Made(Step.TRIVIAL, len(numbers), plain=_bytes(numbers)))

    def linear(self, args: Sequence[int], weights: Sequence[int], plain: int = 0) -> int:
        """The weighted sum of these values and a plain number."""
        if len(args) == 1 and weights[0] == 1 and not plain:
            return args[0]
        length = max([self._steps[a].length for a in args])
        shift = _bytes(np.array([plain])) if plain else None
        return self._emit(Made(Step.LINEAR, length, tuple(args), tuple(weights), shift))

    def pick(self, value: int, places: NDArray[Any]) -> int:
        whole = len(places) == self.length(value) and bool((places == np.arange(len(places))).all())
        if whole or self.length(value) == 1:
            return value
        return self._emit(Made(Step.PICK, len(places), (value,), plain=_bytes(places)))

    def join(self, values: Sequence[int]) -> int:
        return self._emit(Made(Step.JOIN, sum(map(self.length, values)), tuple(values)))

    def fold(self, value: int, group: int) -> int:
        return self._emit(Made(Step.FOLD, -(-self.length(value) // group), (value,), group=group))

    def lookup(self, value: int, most: int, function: Callable[[int], int]) -> int:
        """The entries of the table of a function, whose argument is at most `most`."""
        return self.listed(value, tuple([function(v) for v in range(most + 1)]))

    def listed(self, value: int, entries: tuple[int, ...]) -> int:
        """The entries of a table, whose argument is one of its places."""
        if entries == _counting(len(entries)):
            return value
        table = entries + entries[-1:] * (self.modulus - len(entries))
        number = self._tables.setdefault(table, len(self._tables))
        return self._emit(Made(_LOOKUP, self._steps[value].length, (value,), table=number))

    def _emit(self, step: Made) -> int:
        count = len(self._steps)
        found = self._made.setdefault(step, count)
        if found == count:
            self._steps.append(step)
            self._lines.append(self.where)
            if count >= self._full:
                raise self._too_many()
            if step.step is _LOOKUP:
                self._lookups += step.length
                if self._lookups >= self._enough:
                    raise TooManyLookups(self._lookups)
        return found

    def cheapest(
        self, ways: Iterable[Callable[[], Found]], then: Callable[[Found], Any] | None = None
    ) -> Found:
        """What the way with the fewest look-ups makes, the first one of several equal ones. Those count that
        `then` makes of it."""
        ways = list(ways)
        if len(ways) == 1:
            return ways[0]()
        best = self._tried(ways[0], then, inf)
        assert best is not None
        for way in ways[1:]:
            best = self._tried(way, then, best.lookups) or best
        for step in best.steps:
            self._emit(step)
        for table in best.tables:
            self._tables.setdefault(table, len(self._tables))
        found: Found = best.found
        return found

    def _tried(
        self, way: Callable[[], Found], then: Callable[[Found], Any] | None, enough: float
    ) -> Trial | None:
        """What the way makes, and the number of its look-ups; None where these are `enough` or more. Nothing
        of it stays."""
        at, before = Mark(len(self._steps), len(self._tables), self._lookups), (self._enough, self._full)
        self._enough, self._full = at.lookups + enough, inf
        try:
            found = way()
            steps = self._steps[at.steps :]
            tables = list(self._tables)[at.tables :]
            if then is not None:
                then(found)
            count = self._lookups - at.lookups
            return Trial(found, steps, tables, count) if count < enough else None
        except TooManyLookups:
            return None
        finally:
            self._enough, self._full = before
            self._back_to(at)

    def _back_to(self, at: Mark) -> None:
        del self._steps[at.steps :], self._lines[at.steps :]
        while len(self._made) > at.steps:
            self._made.popitem()
        while len(self._tables) > at.tables:
            self._tables.popitem()
        self._lookups = at.lookups

    def finish(self, inputs: Sequence[Digits], outputs: Sequence[Digits]) -> LookupProgram:
        """The program of the steps, and of the elements, that inputs and outputs need."""
        alive = needed(self._steps, [v for digits in (*inputs, *outputs) for v in digits.values])
        spared = (
            s.step is _LOOKUP and own.any() and not own.all()
            for s, own in zip(self._steps, alive, strict=True)
        )
        if not any(spared):
            return self._finished(inputs, outputs)
        again = LookupBuilder(self.base, self.modulus, longest=self.longest)
        tables = list(self._tables)

        def emit(value: int, step: Made) -> int:
            again.where = self._lines[value]
            if step.step is _LOOKUP:
                table = again._tables.setdefault(tables[step.table], len(again._tables))
                step = step._replace(table=table)
            return again._emit(step)

        made = narrowed(self._steps, alive, again, emit)
        ends = (
            [replace(d, values=tuple(made[v] for v in d.values)) for d in end] for end in (inputs, outputs)
        )
        return again._finished(*ends)

    def _finished(self, inputs: Sequence[Digits], outputs: Sequence[Digits]) -> LookupProgram:
        used_values = {v for digits in (*inputs, *outputs) for v in digits.values}
        for value in reversed(range(len(self._steps))):
            if value in used_values:
                used_values.update(self._steps[value].args)
        kept = sorted(used_values)
        if len(kept) > self.longest:
            raise self._too_many()
        number = {value: i for i, value in enumerate(kept)}
        used = sorted({self._steps[v].table for v in kept if self._steps[v].step is _LOOKUP})
        place = {old: new for new, old in enumerate(used)}
        tables = [table for table, i in self._tables.items() if i in place]

        def renamed(digits: Digits) -> Digits:
            return replace(digits, values=tuple(number[v] for v in digits.values))

        shown = tuple(renamed(d) for d in outputs)
        over = self._over(kept, {v for d in outputs for v in d.values})
        steps = tuple([self._numbered(v, number, place, over.get(v, ())) for v in kept])
        return LookupProgram(self.modulus, steps, tuple(tables), tuple(map(renamed, inputs)), shown)

    def _too_many(self) -> TooManySteps:
        longest, carry = round(self.longest), self.modulus // self.base
        return TooManySteps(
            f"the program has more than {longest:,} steps with message {self.base}, carry {carry}",
            "take larger digits, shorter vectors or smaller ranges",
        )

    def _numbered(
        self, value: int, number: Mapping[int, int], place: Mapping[int, int], frees: Sequence[int]
    ) -> LookupStep:
        """The step of a value in the program, where values and tables have other numbers."""
        s = self._steps[value]
        return LookupStep(
            s.step, number[value], s.length, tuple([number[a] for a in s.args]), s.weights,
            None if s.plain is None else np.frombuffer(s.plain, dtype=np.int64), s.group,
            place[s.table] if s.step is _LOOKUP else 0, s.source, s.digit,
            tuple([number[v] for v in frees]), self._lines[value],
        )  # fmt: skip

    def _over(self, kept: Sequence[int], shown: Container[int]) -> dict[int, list[int]]:
        """The values that no step after this one needs, by step, without those that are `shown`."""
        last: dict[int, int] = {}
        for out in kept:
            for a in self._steps[out].args:
                last[a] = out
            last[out] = out
        over: dict[int, list[int]] = {}
        for value, at in last.items():
            if value not in shown:
                over.setdefault(at, []).append(value)
        return over


def _bytes(numbers: NDArray[Any]) -> bytes:
    return np.asarray(numbers, dtype=np.int64).tobytes()


@cache
def _counting(count: int) -> tuple[int, ...]:
    return tuple(range(count))
