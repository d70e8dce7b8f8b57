"""What a walk through parameter sets is asked, and what limits leave of it."""

from collections.abc import Mapping
from functools import partial
from math import inf
from typing import Protocol

from fheasible.circuit.degrees import Degrees
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.judge import Judge, Rejection
from fheasible.exploration.judging.rank import leads, order
from fheasible.exploration.judging.rows import row
from fheasible.exploration.judging.sieve import Judged
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.rings_and_moduli import RINGS
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.limits import limits, sizes, within, without
from fheasible.exploration.search.verdicts import Verdicts
from fheasible.exploration.search.worth_a_walk import LESS_NOISE_BITS
from fheasible.exploration.space.requests import Choice, rings
from fheasible.libraries.library import Library
from fheasible.lowering.plan import Lowerings


class Elsewhere(Protocol):
    """Another kind of library. Its scores are infinite where nothing is known."""

    def judges(self, problem: Problem) -> bool:
        """Whether what it offers is of interest for the problem."""

    def score(self, problem: Problem, seconds: float) -> float:
        """The score of its best set, where the best set so far takes so many seconds; infinite where it is
        out of reach."""

    def score_at_most(self, problem: Problem) -> float:
        """A score that its best set does not exceed, which is known sooner."""

    @property
    def parts(self) -> tuple[object, ...]:
        """The objects that what it finds refers to, beside the problem."""


class Bounded(Verdicts):
    """A walk for one problem and wish, as far as it is bounded by what is asked.

    With `every`, only rows that may be kept are described, unless the `whole` is asked for, or limits are
    set. The answer has what the limits leave. `freed` holds, for each limit, the best sets that this limit
    alone keeps out. Of sets with bootstraps that cannot be better than what there is `elsewhere`, or than
    the score `to_beat`, one is enough: it says what they would take.
    """

    def __init__(
        self,
        problem: Problem,
        wish: Wish,
        profiles: Mapping[str, Profile],
        every: bool = False,
        whole: bool = True,
        largest_ring: int = RINGS[-1],
        exact: bool = True,
        elsewhere: Elsewhere | None = None,
        to_beat: float = inf,
    ) -> None:
        super().__init__(problem, wish, profiles)
        self.every, self.whole, self.pins = every, whole, wish.pins
        self.enough = inf if exact else LESS_NOISE_BITS
        self.free, self.limited = without(wish), bool(limits(wish))
        self.contending = every and not whole and not self.limited
        self.freed: dict[str, list[Columns]] = {}
        self.largest_ring, self.elsewhere, self.to_beat = largest_ring, elsewhere, to_beat

    def _degrees(self, judge: Judge) -> tuple[Degrees, ...]:
        if judge.scheme != "ckks":
            return ((),)
        pinned: Degrees | None = self.pins.value("degree")
        return (pinned,) if pinned else self.problem.degrees_for(judge.library.name, self.wish.least)

    def _lowerings(self, judge: Judge, degrees: Degrees) -> Lowerings:
        return self.problem.lowerings(degrees, judge.scheme != "ckks")

    def _rings(self, library: Library) -> tuple[int, ...]:
        found = (n for n in rings(library) if n <= self.largest_ring)
        return tuple(filter(partial(self.pins.allow, "ring_dimension"), found))

    def _alone(self, judge: Judge, choice: Choice) -> Judged:
        """The judgement of one set, whose primes the library sizes."""
        found = judge(choice)
        if isinstance(found, Rejection):
            return Judged(1, Columns.empty(), found)
        place = self._place(judge.library, choice)
        self._known[place] = found
        return Judged(1, row(found, place), None)

    def _within(self, judged: Judged) -> Judged:
        found = within(judged, self.wish) if self.limited else None
        if found is None:
            return judged
        for name, rows in found.freed.items():
            self.freed.setdefault(name, []).append(rows)
        return found.judged

    # -- what a limit keeps out ------------------------------------------------------------------

    def without(self) -> dict[str, Candidate]:
        """For each limit, the best set that this limit alone keeps out, judged individually; limits that keep
        out none are absent."""
        found = {name: self._first(name, Columns.joined(parts)) for name, parts in self.freed.items()}
        return {name: c for name, c in found.items() if c is not None}

    def _first(self, limit: str, rows: Columns) -> Candidate | None:
        """The best of the rows that the limit alone keeps out. For integers it is the first exact one, unless
        one that rounds is better beyond the error of prediction."""
        wish = without(self.wish, limit)

        def first(of: Columns) -> Candidate | None:
            places = zip(of.places.tolist(), (sizes(of, i) for i in range(len(of))), strict=True)
            verdicts = (self._verdict(place, *size, wish) for place, size in places)
            return next((c for c in verdicts if isinstance(c, Candidate)), None)

        rows = rows.take(order(rows))
        best = first(rows)
        if best is None or not best.rounded:
            return best
        exact = first(rows.take(rows["scheme"] != "ckks"))
        return exact if exact is not None and leads(exact, best, wish.goal) else best
