"""Builds a program of table look-ups: equal steps are one step, and unused ones are dropped."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step

Found = TypeVar("Found")


class Mark(NamedTuple):
    """How far the building was at some time."""

    steps: int
    tables: int


class LookupBuilder:
    """A program on its way. Values are numbers of steps. A ciphertext holds `modulus` values, and digits are
    below `base`."""

    def __init__(self, base: int, modulus: int) -> None:
        self.base, self.modulus = base, modulus
        self.where = ""  # the line of the user's program that the next steps compute
        self._steps: list[LookupStep] = []
        self._made: dict[Hashable, int] = {}  # in the order of the steps
        self._tables: dict[tuple[int, ...], int] = {}

    def length(self, value: int) -> int:
        return self._steps[value].length

    def encrypt(self, source: str, digit: int, length: int) -> int:
        return self._emit(Step.ENCRYPT, length, source=source, digit=digit)

    def trivial(self, numbers: NDArray[Any]) -> int:
        if len(numbers) and bool((numbers == numbers[0]).all()):
            numbers = numbers[:1]
        return self._emit(Step.TRIVIAL, len(numbers), plain=np.array(numbers, dtype=np.int64))

    def linear(self, args: Sequence[int], weights: Sequence[int], plain: int = 0) -> int:
        """The weighted sum of these values and a plain number."""
        if tuple(weights) == (1,) and not plain:
            return args[0]
        length = max(map(self.length, args))
        shift = np.array([plain], dtype=np.int64) if plain else None
        return self._emit(Step.LINEAR, length, tuple(args), tuple(weights), shift)

    def pick(self, value: int, places: NDArray[Any]) -> int:
        whole = len(places) == self.length(value) and bool((places == np.arange(len(places))).all())
        if whole or self.length(value) == 1:
            return value
        return self._emit(Step.PICK, len(places), (value,), plain=np.array(places, dtype=np.int64))

    def join(self, values: Sequence[int]) -> int:
        return self._emit(Step.JOIN, sum(map(self.length, values)), tuple(values))

    def fold(self, value: int, group: int) -> int:
        return self._emit(Step.FOLD, -(-self.length(value) // group), (value,), group=group)

    def lookup(self, value: int, most: int, function: Callable[[int], int]) -> int:
        """The entries of the table of a function, whose argument is at most `most`."""
        entries = [function(v) for v in range(most + 1)]
        if entries == list(range(most + 1)):
            return value
        table = tuple(entries + [entries[-1]] * (self.modulus - len(entries)))
        number = self._tables.setdefault(table, len(self._tables))
        return self._emit(Step.LOOKUP, self.length(value), (value,), table=number)

    def _emit(
        self, step: Step, length: int, args: tuple[int, ...] = (), weights: tuple[int, ...] = (),
        plain: NDArray[Any] | None = None, group: int = 0, table: int = 0, source: str = "", digit: int = 0,
    ) -> int:  # fmt: skip
        numbers = None if plain is None else plain.tobytes()
        key = (step, length, args, weights, numbers, group, table, source, digit)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = len(self._steps)
            made = LookupStep(
                step, found, length, args, weights, plain, group, table, source, digit, where=self.where
            )  # fmt: skip
            self._steps.append(made)
        return found

    def cheapest(
        self, ways: Iterable[Callable[[], Found]], then: Callable[[Found], Any] | None = None
    ) -> Found:
        """What the way with the fewest look-ups makes, the first one of several equal ones. Those count that
        `then` makes of it."""
        ways = list(ways)
        return (ways[0] if len(ways) == 1 else min(ways, key=lambda way: self._tried(way, then)))()

    def _tried(self, way: Callable[[], Found], then: Callable[[Found], Any] | None) -> int:
        """The number of look-ups that the way would take; nothing of it stays."""
        at = Mark(len(self._steps), len(self._tables))
        found = way()
        if then is not None:
            then(found)
        count = sum(s.length for s in self._steps[at.steps :] if s.step is Step.LOOKUP)
        del self._steps[at.steps :]
        while len(self._made) > at.steps:
            self._made.popitem()
        while len(self._tables) > at.tables:
            self._tables.popitem()
        return count

    def finish(self, inputs: Sequence[Digits], outputs: Sequence[Digits]) -> LookupProgram:
        """The program of the steps that inputs and outputs need."""
        needed = {v for digits in (*inputs, *outputs) for v in digits.values}
        for step in reversed(self._steps):
            if step.out in needed:
                needed.update(step.args)
        kept = [s for s in self._steps if s.out in needed]
        number = {s.out: i for i, s in enumerate(kept)}
        used = sorted({s.table for s in kept if s.step is Step.LOOKUP})
        place = {old: new for new, old in enumerate(used)}
        tables = [table for table, i in self._tables.items() if i in place]

        def renamed(digits: Digits) -> Digits:
            return replace(digits, values=tuple(number[v] for v in digits.values))

        shown = tuple(renamed(d) for d in outputs)
        over = _over(kept, {v for d in outputs for v in d.values})
        steps = tuple(
            LookupStep(
                s.step, number[s.out], s.length, tuple(number[a] for a in s.args), s.weights, s.plain,
                s.group, place[s.table] if s.step is Step.LOOKUP else 0, s.source, s.digit,
                tuple(number[v] for v in over.get(s.out, ())), s.where,
            )
            for s in kept
        )  # fmt: skip
        return LookupProgram(self.modulus, steps, tuple(tables), tuple(map(renamed, inputs)), shown)


def _over(steps: Sequence[LookupStep], kept: set[int]) -> dict[int, list[int]]:
    """The values that no step after this one needs, by step, without those that are `kept`."""
    last = {a: s.out for s in steps for a in (*s.args, s.out)}
    over: dict[int, list[int]] = {}
    for value, at in last.items():
        if value not in kept:
            over.setdefault(at, []).append(value)
    return over
