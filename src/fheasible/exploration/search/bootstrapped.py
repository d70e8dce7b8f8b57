"""The sets with bootstraps of one library and circuit, in the order in which they are judged.

To write and cost a program with bootstraps takes long, and most are not among the cheapest. So sets are
compared by their rough work first, which asks only how many bootstraps a program has; and even these are
given their places only where the fewest that the depth asks for would make the set one of the cheapest.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush, nsmallest
from itertools import islice
from math import inf

from fheasible.circuit.degrees import Degrees
from fheasible.errors import FheasibleError
from fheasible.exploration.judging.judge import Judge
from fheasible.exploration.search.worth_a_walk import (
    AT_A_TIME,
    CLEARLY,
    MOST_REFRESHED,
    fewest,
    least_score,
    precise_enough,
    rough_work,
)
from fheasible.exploration.space.pinned import as_pinned
from fheasible.exploration.space.refreshed import parameters, refreshed, with_needed
from fheasible.exploration.space.requests import Choice
from fheasible.libraries.parameters import CkksParameters
from fheasible.lowering.plan import Lowerings
from fheasible.program.style import Layout


@dataclass(slots=True)
class Refreshed:
    """Those that are tried, with what is known of each for one wish; it is worked out when it is asked for.

    `choices`: with all levels that fresh inputs may have, whether they are needed or not. `slots`: of the
    longest vector. `depth`: the levels that every program takes. `told`: the one that was right, where one is
    enough.
    """

    choices: tuple[Choice, ...]
    lowerings: Lowerings
    slots: int
    depth: int
    told: Choice | None = None
    _needed: dict[int, Choice | None] = field(default_factory=dict)
    _rough: list[tuple[float, int, CkksParameters]] | None = None
    _cheapest: list[tuple[Choice, int]] | None = None
    _counted: dict[Hashable, dict[tuple[int, int], int]] = field(default_factory=dict)

    @staticmethod
    def of(judge: Judge, rings: tuple[int, ...], degrees: Degrees, as_written: bool) -> "Refreshed":
        problem, lowerings = judge.problem, judge.problem.lowerings(degrees)
        depth = problem.least_depth(degrees, as_written)
        choices = tuple(choices_of(judge, rings, degrees, as_written))
        return Refreshed(choices, lowerings, _slots(lowerings), depth)

    def every(self) -> Iterator[Choice]:
        """All of them, with the levels that fresh inputs need."""
        yield from (choice for i in range(len(self.choices)) if (choice := self._as_needed(i)))

    def beaten_by(self, judge: Judge, score: float) -> bool:
        """Whether none of the roughly cheapest has a score so low, by their bootstraps alone: whatever is
        computed between them, they are not recommended."""
        return score < inf and all(
            least_score(judge, choice, self.slots, count) > score for choice, count in self._known(judge)
        )

    def clearly_beaten_by(self, judge: Judge, score: float) -> bool:
        """Whether even the fewest bootstraps that the depth asks for take clearly more than that score, so
        that they need not be counted."""
        return score < inf and self._clearly_beaten(judge, score, self._fewest)

    def one_beaten_by(self, judge: Judge, score: float) -> bool:
        """Whether one bootstrap of each of the roughly cheapest takes clearly more than that score."""
        return self._clearly_beaten(judge, score, lambda _: 1)

    def _clearly_beaten(self, judge: Judge, score: float, count: Callable[[int], int]) -> bool:
        """Whether so many bootstraps of each of the roughly cheapest, by their places, take clearly more than
        that score."""
        few = [i for _, i, _ in nsmallest(AT_A_TIME, self._roughly(judge))]
        bounds = (least_score(judge, self.choices[i], self.slots, count(i)) for i in few)
        return bool(few) and all(bound > CLEARLY * score for bound in bounds)

    def cheapest(self, judge: Judge) -> tuple[Choice, ...]:
        """Those of the least rough work, in this order: their programs bootstrap, and not even the failures
        and the noise of a bootstrap alone are beyond what is asked."""
        return tuple(choice for choice, _ in self._known(judge))

    def _known(self, judge: Judge) -> list[tuple[Choice, int]]:
        """The cheapest with the numbers of their bootstraps."""
        if self._cheapest is None:
            self._cheapest = list(islice(self.by_work(judge), MOST_REFRESHED))
        return self._cheapest

    def _roughly(self, judge: Judge) -> list[tuple[float, int, CkksParameters]]:
        """(rough work with the fewest bootstraps, place among the choices, parameters) of each."""
        if self._rough is None:
            sets = ((i, self._parameters(judge, choice)) for i, choice in enumerate(self.choices))
            self._rough = [(self._work(i, p, self._fewest(i)), i, p) for i, p in sets if p is not None]
        return self._rough

    def _fewest(self, i: int) -> int:
        return fewest(self.choices[i], self.depth)

    def _work(self, i: int, p: CkksParameters, bootstraps: float) -> float:
        return rough_work(p, bootstraps, self._switches(i))

    def by_work(self, judge: Judge, at_once: bool = False) -> Iterator[tuple[Choice, int]]:
        """(each, the number of its bootstraps), by ascending rough work. `at_once`: a number that is enough
        will do, where only the order matters, and choices have all levels that fresh inputs may have."""
        sets = {i: p for _, i, p in self._roughly(judge)}
        waiting = [(work, i, 0) for work, i, _ in self._roughly(judge)]
        heapify(waiting)
        while waiting:
            work, i, count = heappop(waiting)
            p = sets[i]
            if not count and not precise_enough(p, self._fewest(i), judge.wish):
                continue  # so that these are never counted
            if count:
                enough = precise_enough(p, count, judge.wish)
                choice = self.choices[i] if at_once or not enough else self._as_needed(i)
                if enough and choice is not None:  # with as many bootstraps
                    yield choice, count
            elif (least := self._work(i, p, self._at_least(i, at_once))) > work:
                heappush(waiting, (least, i, 0))
            elif count := self._count(i, at_once):
                heappush(waiting, (self._work(i, p, count), i, count))

    def _at_least(self, i: int, at_once: bool) -> int:
        """The fewest bootstraps that it may have: no fewer than others with as many levels or more; about as
        few where they are counted `at_once`."""
        budget = self.choices[i].style.budget
        assert budget is not None
        counts = (
            count
            for (levels, above), count in self._counted.get((self._alike(i), at_once), {}).items()
            if levels >= budget.levels and above >= budget.above
        )
        return max(self._fewest(i), max(counts, default=0))

    def _alike(self, i: int) -> Hashable:
        """What choices have in common whose programs differ in their levels alone."""
        style, n = self.choices[i].style, self.choices[i].ring_dimension
        budget = style.budget
        assert budget is not None
        assert n is not None
        capacity = min(n // 2, 2 * self.slots)  # programs make no use of more slots
        return replace(style, budget=replace(budget, levels=0, above=0)), self.choices[i].slots, capacity

    def _parameters(self, judge: Judge, choice: Choice) -> CkksParameters | None:
        """What the library makes of the set; None where it refuses it."""
        budget, n = choice.style.budget, choice.ring_dimension
        assert budget is not None
        assert n is not None
        slots = min(choice.slots or self.slots, n // 2)
        p = parameters(judge.library, judge.wish, choice, slots, budget.levels)
        return p if isinstance(p, CkksParameters) and p.bootstrap is not None else None

    def _as_needed(self, i: int) -> Choice | None:
        if i not in self._needed:
            self._needed[i] = with_needed(self.choices[i], self.lowerings)
        return self._needed[i]

    def _switches(self, i: int) -> int:
        choice = self.choices[i]
        assert choice.ring_dimension is not None
        return self.lowerings.switches(choice.style, choice.ring_dimension, choice.slots)

    def _count(self, i: int, at_once: bool) -> int:
        """The number of bootstraps of the choice's program; 0 where there is no such program."""
        choice = self.choices[i]
        budget = choice.style.budget
        assert budget is not None
        assert choice.ring_dimension is not None
        known = self._counted.setdefault((self._alike(i), at_once), {})
        key = budget.levels, budget.above
        if key not in known:
            try:
                known[key] = self.lowerings.bootstraps(
                    choice.style, choice.ring_dimension, choice.slots, at_once
                )
            except FheasibleError:
                known[key] = 0
        return known[key]


def choices_of(judge: Judge, rings: tuple[int, ...], degrees: Degrees, as_written: bool) -> Iterator[Choice]:
    """The sets with bootstraps in these rings, with all levels that fresh inputs may have."""
    lowerings, pins = judge.problem.lowerings(degrees), judge.wish.pins
    found = refreshed(judge.library, judge.wish, degrees, rings, _slots(lowerings), as_written)
    layout = pins.value("layout") or Layout.BY_COLUMN
    if layout is not Layout.BY_COLUMN and layout not in lowerings.layouts:
        return
    for choice in found:
        laid_out = replace(choice, style=replace(choice.style, layout=layout))
        if as_pinned(pins, judge.library, laid_out):
            yield replace(laid_out, slots=pins.value("slots"))


def first_takes(
    judge: Judge, rings: Iterable[int], degrees: Degrees, as_written: bool
) -> tuple[int, float] | None:
    """The smallest ring that has any set, and the score of one bootstrap alone of the first one there."""
    slots = _slots(judge.problem.lowerings(degrees))
    each = ((n, choice) for n in rings for choice in choices_of(judge, (n,), degrees, as_written))
    return next(((n, least_score(judge, choice, slots, 1)) for n, choice in each), None)


def _slots(lowerings: Lowerings) -> int:
    """Those of the longest vector."""
    return 1 << (max(node.length for node in lowerings.circuit.nodes()) - 1).bit_length()
