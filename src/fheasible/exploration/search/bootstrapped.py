"""The sets with bootstraps of one library and circuit, in the order in which they are judged."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from math import inf

from fheasible.circuit.degrees import Degrees
from fheasible.exploration.judging.judge import Judge, Rejection
from fheasible.exploration.search.worth_a_walk import least_score, rough_work, score_if
from fheasible.exploration.space.pinned import as_pinned
from fheasible.exploration.space.refreshed import refreshed
from fheasible.exploration.space.requests import Choice
from fheasible.program.style import Layout


@dataclass(slots=True)
class Refreshed:
    """Those that are tried, with what is known of each for one wish; it is worked out when it is asked for.
    `slots`: of the longest vector. `depth`: the levels that every program takes."""

    choices: tuple[Choice, ...]
    slots: int
    depth: int
    _work: list[float] = field(default_factory=list)
    _least: list[float] = field(default_factory=list)
    _scores: dict[int, float] = field(default_factory=dict)

    @staticmethod
    def of(judge: Judge, rings: tuple[int, ...], degrees: Degrees, as_written: bool) -> "Refreshed":
        problem, lowerings = judge.problem, judge.problem.lowerings(degrees)
        slots = 1 << (max(node.length for node in lowerings.circuit.nodes()) - 1).bit_length()
        depth = problem.least_depth(degrees, as_written)
        needed = lowerings.above_needed
        found = refreshed(judge.library, judge.wish, degrees, rings, slots, as_written, needed)
        pins = judge.wish.pins
        layout = pins.value("layout") or Layout.BY_COLUMN
        if layout not in lowerings.layouts:
            return Refreshed((), slots, depth)
        laid_out = (replace(c, style=replace(c.style, layout=layout)) for c in found)
        pinned = (
            replace(c, slots=pins.value("slots")) for c in laid_out if as_pinned(pins, judge.library, c)
        )
        return Refreshed(tuple(pinned), slots, depth)

    def work(self, judge: Judge) -> list[float]:
        """The rough work of each."""
        if not self._work:
            self._work = [rough_work(judge, choice) for choice in self.choices]
        return self._work

    def beaten_by(self, judge: Judge, score: float) -> bool:
        """Whether none has a score so low, by their bootstraps alone: whatever is computed between them,
        they are not recommended."""
        return score < inf and min(self._least_scores(judge), default=inf) > score

    def _least_scores(self, judge: Judge) -> list[float]:
        if not self._least:
            self._least = [least_score(judge, c, self.slots, self.depth) for c in self.choices]
        return self._least

    def least_first(self, judge: Judge) -> Iterator[Choice]:
        """Those whose programs bootstrap, by their scores. Only those are lowered whose bootstraps alone have
        a lower score than the next."""
        waiting = [(least, i, False) for i, least in enumerate(self._least_scores(judge)) if least < inf]
        heapify(waiting)
        while waiting:
            _, i, known = heappop(waiting)
            if known:
                yield self.choices[i]
            elif (score := self._score(judge, i)) < inf:
                heappush(waiting, (score, i, True))

    def _score(self, judge: Judge, i: int) -> float:
        """The score of one; infinite where its program does not bootstrap."""
        if i not in self._scores:
            made = judge.made(self.choices[i])
            refreshes = not isinstance(made, Rejection) and made[0].bootstraps
            self._scores[i] = score_if(judge, self.choices[i], judge.wish) if refreshes else inf
        return self._scores[i]
