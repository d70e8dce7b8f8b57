"""The part of a walk that judges sets with bootstraps."""

from collections.abc import Generator, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from math import inf

import numpy as np

from fheasible.circuit.degrees import Degrees
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.judge import Judge, Rejection
from fheasible.exploration.judging.sieve import Judged
from fheasible.exploration.search.bootstrapped import Refreshed, first_takes
from fheasible.exploration.search.bounded import Bounded
from fheasible.exploration.search.joining import joined_refreshed
from fheasible.exploration.search.worth_a_walk import (
    AT_A_TIME,
    DEEP,
    ENOUGH_REFRESHED,
    FAR,
    MOST_BEATEN,
    MOST_REFRESHED,
    hopeless,
    least,
    score_if,
)
from fheasible.exploration.space.refreshed import LEAST_RING, with_needed
from fheasible.exploration.space.requests import Choice
from fheasible.libraries.library import Library
from fheasible.units import power_of_two


class Refreshing(Bounded):
    """A walk through sets with bootstraps, where the circuit is deep."""

    def _refreshed(self, judge: Judge, best: Columns) -> Iterator[Judged]:
        """The judgements of sets with bootstraps, where the circuit is deep: the cheapest first, until enough
        of them are right. `best` is the best set without. Of those that are beaten, one is told, whatever the
        degrees and the order of products; none for integers, which have better ways than bootstraps."""
        told = bool(len(best)) and not self.problem.real
        for degrees in self._degrees(judge):
            for as_written in self.problem.lowerings(degrees).orders:
                deep = self.problem.depth("ckks", degrees, as_written) >= DEEP
                if not (deep or self.problem.bootstraps):
                    continue
                if told and self._beaten_by_one(judge, best, degrees, as_written):
                    continue
                rings = self._tried_rings(judge.library)
                tried = self._tried(judge, degrees, as_written, rings)
                if not tried.choices and rings and judge.library.bootstrap_method is not None:
                    yield Judged(0, Columns.empty(), self._no_bootstrap(rings[-1]))
                most, beaten = self._to_beat(judge, best, tried)
                found = Columns.empty()
                if beaten:
                    for judged in () if told else self._first_right(judge, tried):
                        yield judged
                        told = bool(len(judged.feasible))
                    continue
                for judged in self._until_right(judge, self._cheapest(judge, tried, most)):
                    yield judged
                    found = least(found, judged.feasible)
                yield from self._joined_refreshed(judge, found)

    def _beaten_by_one(self, judge: Judge, best: Columns, degrees: Degrees, as_written: bool) -> bool:
        """Whether one bootstrap alone clearly takes more than the best set, in the smallest ring that any
        fits in: in a ring twice as large, it takes three times as long or more. Where the first one takes far
        more, the others there are not listed."""
        score, rings = self._own_score(best), self._tried_rings(judge.library)
        if score == inf:
            return False
        key = "one bootstrap", *self._asked_of(judge), rings, degrees, as_written
        first = self.problem.once(key, partial(first_takes, judge, rings, degrees, as_written))
        if first is None:
            return False
        ring, takes = first
        if FAR * score < takes < inf:
            return True
        return self._tried(judge, degrees, as_written, (ring,)).one_beaten_by(judge, score)

    def _own_score(self, best: Columns) -> float:
        """The score to beat, without what there is elsewhere; infinite where all with bootstraps are of
        interest: with limits, which say what they keep out, and without such a score."""
        if self.every or self.limited:
            return inf
        return min(float(best["score"][0]) if len(best) else inf, self.to_beat)

    def _tried(self, judge: Judge, degrees: Degrees, as_written: bool, rings: tuple[int, ...]) -> Refreshed:
        """The sets with bootstraps in these rings, which are the same for all searches with the same security
        and wish."""
        key = "bootstraps", *self._asked_of(judge), rings, degrees, as_written
        found: Refreshed = self.problem.once(key, partial(Refreshed.of, judge, rings, degrees, as_written))
        return found

    def _asked_of(self, judge: Judge) -> tuple[Hashable, ...]:
        library = judge.library
        return library.name, library.techniques, self.wish, self.profiles.get(library.name)

    def _tried_rings(self, library: Library) -> tuple[int, ...]:
        return tuple(n for n in self._rings(library) if n >= LEAST_RING)

    def _no_bootstrap(self, ring: int) -> Rejection:
        reason = (
            f"no bootstrap leaves a level at {self.wish.security}-bit security up to "
            f"N = {power_of_two(ring)}, and no ring alone is deep enough"
        )
        return Rejection("security", reason, inf, "make the computation less deep, or ask for less security")

    def _to_beat(self, judge: Judge, best: Columns, tried: Refreshed) -> tuple[float, bool]:
        """The score of the best set without bootstraps, here or elsewhere, and whether it beats all that are
        tried. What there is elsewhere is asked for only where it may decide."""
        score, there = self._own_score(best), self.elsewhere
        if tried.clearly_beaten_by(judge, score):
            return score, True
        free, timed = not (self.every or self.limited), judge.profile is not None
        if not (free and tried.choices and timed and there and there.judges(self.problem)):
            return score, tried.beaten_by(judge, score)
        if (other := there.score_at_most(self.problem)) < score:
            score = other
            if tried.clearly_beaten_by(judge, score):
                return score, True
        if tried.beaten_by(judge, score):
            return score, True
        seconds = float(best["evaluate_seconds"][0]) if len(best) else inf
        if (other := there.score(self.problem, seconds)) < score:
            return other, tried.clearly_beaten_by(judge, other) or tried.beaten_by(judge, other)
        return score, False

    def _cheapest(self, judge: Judge, tried: Refreshed, most: float) -> Iterator[tuple[Choice, bool]]:
        """These sets, the cheapest first: roughly, and then by what they take; each with whether its score is
        above `most`. Those that bootstrap too coarsely follow where others are few."""
        choices = [*(tried.every() if self.every else tried.cheapest(judge))]
        if len(choices) < MOST_REFRESHED and not self.every:
            others = (choice for choice in tried.every() if choice not in choices)
            choices += list(islice(others, MOST_REFRESHED - len(choices)))
        yield from ((choice, score > most) for choice, score in self._scored(judge, choices))

    def _scored(self, judge: Judge, choices: Sequence[Choice]) -> list[tuple[Choice, float]]:
        """These choices with their scores, by ascending score."""
        scores = [score_if(judge, choice, self.wish) for choice in choices]
        return [(choices[i], scores[i]) for i in np.argsort(scores, kind="stable").tolist()]

    def _until_right(self, judge: Judge, choices: Iterable[tuple[Choice, bool]]) -> Iterator[Judged]:
        """The judgements of these choices until enough of them are right. Of those that are beaten by a set
        without bootstraps, one that bootstraps is enough: it says what bootstraps would take. Where one is by
        far too coarse, none is judged that bootstraps alike from fewer levels, and so earlier and more
        often."""
        right, refreshing, coarse = 0, 0, list[Choice]()
        for choice, beaten in choices:
            if not self.every and (right >= ENOUGH_REFRESHED or (beaten and refreshing)):
                return
            if not self.every and any(_bootstraps_earlier(choice, other) for other in coarse):
                continue
            judged = self._within(self._alone(judge, choice))
            yield judged
            if hopeless(judge, judged.nearest):
                coarse.append(choice)
            right += len(judged.feasible)
            found = (self._known[place] for place in judged.feasible.places.tolist())
            refreshing += sum(c.program.bootstraps for c in found)

    def _first_right(self, judge: Judge, tried: Refreshed) -> Iterator[Judged]:
        """The judgements of the roughly cheapest choices until one is right: of a few at a time the cheapest.
        Their programs are dear to write, and the set that is found only says what bootstraps would take, so
        it may take a little more than another one."""
        if tried.told is not None:  # by a search that asks almost the same
            yield (judged := self._within(self._alone(judge, tried.told)))
            if len(judged.feasible):
                return
        cheapest = islice(tried.by_work(judge, at_once=True), MOST_BEATEN)
        while some := [choice for choice, _ in islice(cheapest, AT_A_TIME)]:
            found: tuple[Choice, Judged] | None = None
            while some and found is None:
                found = yield from self._if_right(judge, tried, some.pop(0))
            if found is not None:
                yield from self._told(judge, tried, found, some)
                return

    def _if_right(
        self, judge: Judge, tried: Refreshed, rough: Choice
    ) -> Generator[Judged, None, tuple[Choice, Judged] | None]:
        """The choice with its judgement where it is right; where it is not, its judgement is yielded."""
        choice = with_needed(rough, tried.lowerings)
        if choice is None:
            return None
        judged = self._within(self._alone(judge, choice))
        if len(judged.feasible):
            return choice, judged
        yield judged
        return None

    def _told(
        self, judge: Judge, tried: Refreshed, found: tuple[Choice, Judged], others: Sequence[Choice]
    ) -> Iterator[Judged]:
        """The judgement of the set that was found right, or of the first of the others that takes less and is
        right, too; and of those before it that are not."""
        for rough, score in self._scored(judge, others):
            if score >= found[1].feasible["score"][0]:
                break
            cheaper = yield from self._if_right(judge, tried, rough)
            if cheaper is not None:
                found = cheaper
                break
        tried.told = found[0]
        yield found[1]

    def _joined_refreshed(self, judge: Judge, best: Columns) -> Iterator[Judged]:
        """The judgements of the best set with bootstraps, with its inputs joined, where that takes less."""
        if len(best) and "layout" not in self.pins:
            choice, n = self.choices[int(best.places[0])][1], int(best["ring_dimension"][0])
            for laid_out in joined_refreshed(judge, choice, float(best["score"][0]), n):
                yield self._within(self._alone(judge, laid_out))


def _bootstraps_earlier(choice: Choice, other: Choice) -> bool:
    """Whether the choice has the bootstrap of the other one, and no more levels before the first or between
    two."""
    own, theirs = choice.style.budget, other.style.budget
    assert own is not None
    assert theirs is not None
    fewer = own.levels <= theirs.levels and own.levels + own.above <= theirs.levels + theirs.above
    alike = replace(other, style=replace(other.style, budget=own))
    return fewer and choice == alike
