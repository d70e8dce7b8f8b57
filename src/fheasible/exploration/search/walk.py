"""The walk through the space of parameter sets: choices in turn, judged chunk by chunk."""

from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, product
from math import inf

import numpy as np

from fheasible.circuit.degrees import Degrees
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.ckks import CkksSets
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.integers import IntegerSets, choice_groups, more_than_q
from fheasible.exploration.judging.judge import STAGES, Judge, Rejection
from fheasible.exploration.judging.rank import leads, order
from fheasible.exploration.judging.rows import row
from fheasible.exploration.judging.secure import most
from fheasible.exploration.judging.sieve import Judged, Miss, Nearest, nearer
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.rings_and_moduli import RINGS
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.bootstrapped import Refreshed
from fheasible.exploration.search.joining import joined_choices, joined_refreshed
from fheasible.exploration.search.limits import excess, limits, sizes, within, without
from fheasible.exploration.search.verdicts import Verdicts, Walked
from fheasible.exploration.search.worth_a_walk import (
    AT_A_TIME,
    DEEP,
    ENOUGH_REFRESHED,
    HOPEFUL,
    IN_REACH,
    LESS_NOISE_BITS,
    MORE_BITS,
    MOST_BEATEN,
    MOST_REFRESHED,
    WORTH_A_WALK,
    few_digits,
    least,
    nearly_right,
    saturated,
    score_if,
    settled,
)
from fheasible.exploration.space.pinned import as_pinned
from fheasible.exploration.space.refreshed import LEAST_RING
from fheasible.exploration.space.requests import (
    PARTS,
    SCALES,
    Choice,
    ckks,
    flooded,
    larger,
    rings,
    shapes,
)  # fmt: skip
from fheasible.libraries.library import Library
from fheasible.lowering.plan import SPARES, Lowerings
from fheasible.program.style import Layout, Style
from fheasible.units import power_of_two

Elsewhere = Callable[[Problem, float], float]
"""The score of the best set of another kind of library, of a problem that takes so many seconds with the best
set so far; infinite where none is known."""


class Walk(Verdicts):
    """A walk through the sets for one problem and wish.

    With `every`, only rows that may be kept are described, unless the `whole` is asked for, or limits are
    set. How far the walk goes follows from which sets are right, whatever they take; but see `_integers` for
    limits that keep out all of them. The answer has what the limits leave. `freed` holds, for each limit, the
    best sets that this limit alone keeps out. Of sets with bootstraps that cannot be better than what there
    is `elsewhere`, one is enough: it says what they would take.
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
    ) -> None:
        super().__init__(problem, wish, profiles)
        self.every, self.whole, self.pins = every, whole, wish.pins
        self.enough = inf if exact else LESS_NOISE_BITS
        self.free, self.limited = without(wish), bool(limits(wish))
        self.contending = every and not whole and not self.limited
        self.freed: dict[str, list[Columns]] = {}
        self.largest_ring, self.elsewhere = largest_ring, elsewhere

    def judged(self, library: Library, scheme: str) -> Iterator[Judged]:
        """The judgements of all choices of one library and scheme, made once for all searches that ask the
        same of them. CircuitError where the scheme cannot express the problem."""
        asked = self.judge(library, scheme, self.wish).asked
        key = (*asked, self.largest_ring, self.enough, not self.elsewhere)
        known: Walked | None = None if self.every else self.problem.kept.get(key)
        if known is not None:
            yield from self._again(known)
            return
        start, found = len(self.choices), list[Judged]()
        freed = {name: len(parts) for name, parts in self.freed.items()}
        for judged in self._judged(library, scheme):
            found.append(judged)
            yield judged
        if not self.every:
            self.problem.kept[key] = Walked(
                start,
                tuple(self.choices[start:]),
                tuple(found),
                {place: c for place, c in self._known.items() if place >= start},
                {name: tuple(parts[freed.get(name, 0) :]) for name, parts in self.freed.items()},
            )

    def _again(self, known: Walked) -> Iterator[Judged]:
        """The judgements that another walk made, with its choices added to those of this walk."""
        found = known.moved(len(self.choices))
        self.choices += found.choices
        self._known |= found.known
        for name, parts in found.freed.items():
            self.freed.setdefault(name, []).extend(parts)
        yield from found.judged

    def _judged(self, library: Library, scheme: str) -> Iterator[Judged]:
        judge, best, wrong = self.judge(library, scheme, self.free), Columns.empty(), set()
        if self.problem.bootstraps and scheme == "ckks" and library.bootstrap_method is not None:
            yield from self._refreshed(judge, best)
            return
        for as_written in filter(partial(self.pins.allow, "as_written"), (False, True)):
            worth = self._worth(judge, as_written, best)
            for judged in self._walked(judge, as_written, self._layouts) if worth else ():
                yield judged
                best = best if self.every else least(best, judged.feasible)
                wrong |= self._nearly_right(judge, judged)
        walked = set[tuple[Layout, bool]]()
        for start in () if self.every or "layout" in self.pins else self._starts(judge, best):
            for judged in self._joined(judge, start, walked):
                yield judged
                best = least(best, judged.feasible)
                wrong |= self._nearly_right(judge, judged)
        tried: set[Hashable] = set()
        for start in () if self.every or "slots" in self.pins else self._starts(judge, best):
            if not (scheme == "ckks" and start["spare_levels"][0]):
                yield from self._split(judge, start, wrong, tried)
        if scheme == "ckks" and not judge.floods:
            yield from self._refreshed(judge, best)

    def _nearly_right(self, judge: Judge, judged: Judged) -> set[Hashable]:
        """The kind of the nearest miss, where less noise might make it right."""
        missed = judged.nearest
        if not isinstance(missed, Miss) or not nearly_right(judge, missed):
            return set()
        return {_kind(self.choices[missed.place][1])}

    def _walked(self, judge: Judge, as_written: bool, layouts: Iterable[Layout]) -> Iterator[Judged]:
        """The judgements of all choices with one order of products, and these layouts of inputs."""
        for degrees, layout in product(self._degrees(judge), layouts):
            lowerings = self._lowerings(judge, degrees)
            apart = layout is Layout.BY_COLUMN
            if as_written not in lowerings.orders or not (apart or layout in lowerings.layouts):
                continue
            if judge.floods and judge.scheme == "ckks":
                yield from self._flooded(judge, degrees, as_written, layout)
                continue
            for packing in lowerings.packings:
                if judge.scheme != "ckks":
                    yield from self._integers(judge, as_written, packing, layout)
                for technique in judge.library.techniques if judge.scheme == "ckks" else ():
                    yield from self._in_rings(judge, technique, degrees, as_written, packing, layout)

    @property
    def _layouts(self) -> tuple[Layout, ...]:
        """The layouts of inputs that are walked in full. Without `every`, joined ones start from the best set
        (`_joined`)."""
        pinned = self.pins.value("layout")
        return (pinned,) if pinned else tuple(Layout) if self.every else (Layout.BY_COLUMN,)

    def _degrees(self, judge: Judge) -> tuple[Degrees, ...]:
        if judge.scheme != "ckks":
            return ((),)
        pinned: Degrees | None = self.pins.value("degree")
        return (pinned,) if pinned else self.problem.degrees_for(judge.library.name, self.wish.least)

    def _lowerings(self, judge: Judge, degrees: Degrees) -> Lowerings:
        return self.problem.lowerings(degrees, judge.scheme != "ckks")

    def _worth(self, judge: Judge, as_written: bool, best: Columns) -> bool:
        """Whether that order of products is worth a walk. The order of least depth always is. The order as
        written is where the `best` set, with a program and ring for that order, might come near to being
        better, or where there is no best set."""
        if not as_written or "as_written" in self.pins:
            return True
        if not any(True in self._lowerings(judge, degrees).orders for degrees in self._degrees(judge)):
            return False
        if self.every or not len(best) or np.isinf(best["score"][0]):
            return True
        choice = self._choice(int(best.places[0]), *sizes(best, 0))
        ring = choice.ring_dimension if choice.style.exact else None
        written = replace(choice, style=replace(choice.style, as_written=True), ring_dimension=ring)
        tried = (larger(written, more) for more in (MORE_BITS if ring is None else (0,)))
        enough = WORTH_A_WALK * float(best["score"][0])
        return any(score_if(judge, each, self.wish) < enough for each in tried)

    def _rings(self, library: Library) -> tuple[int, ...]:
        found = (n for n in rings(library) if n <= self.largest_ring)
        return tuple(filter(partial(self.pins.allow, "ring_dimension"), found))

    def _integers(
        self, judge: Judge, as_written: bool, packing: int | None, layout: Layout
    ) -> Iterator[Judged]:
        """The judgements of BGV or BFV, ring by ring. Without `every`, they go no further than to the ring
        after the first in which something is right: a larger ring takes longer, and gains only security
        beyond what is asked, and fewer digits. Where limits keep everything out, the walk goes on until
        digits are few."""
        library, found, enough = judge.library, 0, False
        for n in self._rings(library):
            on = self._integer_sets(judge, n)
            before = found
            style = replace(library.style(judge.scheme, None), as_written=as_written, layout=layout)
            for spare, slots in self._shapes(style, n, packing):
                for judged in self._of_integers(on, replace(style, spare=spare), slots):
                    allowed = self._within(judged)
                    yield allowed
                    found += len(judged.feasible)
                    enough |= bool(len(allowed.feasible)) or few_digits(judged.feasible)
                if not self.every:
                    break
            if before and not self.every and enough:
                return

    def _integer_sets(self, judge: Judge, n: int) -> IntegerSets:
        return IntegerSets(
            self.problem, judge.library, judge.scheme, self.wish, judge.profile, n, self.enough
        )

    def _of_integers(self, on: IntegerSets, style: Style, slots: int | None) -> Iterator[Judged]:
        """The judgements of BGV or BFV in one ring, with the order of products and the spare levels of that
        style. Without `every`, more levels (or in BFV more primes) are tried only where fewer are not
        enough."""
        spares = () if self.every else SPARES
        written = style.spare, style.as_written, style.layout, spares
        for choices in choice_groups(on.library, on.scheme, on.n, slots, *written):
            for choice in choices:
                if not self.every and more_than_q(choice, choice.limbs or on.limbs(choice)):
                    continue
                if not as_pinned(self.pins, on.library, choice):
                    continue
                judged = on.judged(choice, self._place(on.library, choice), self.every)
                yield judged
                if not self.every and settled(judged):
                    break

    def _shapes(
        self, style: Style, n: int, packing: int | None, degrees: Degrees = ()
    ) -> Iterator[tuple[int, int | None]]:
        """The (spare levels, slots) to walk; without `every` vectors are split only where that is pinned.
        There are none for a packing that the ring has anyway."""
        for spare, slots in self._all_shapes(style, n, packing, degrees):
            if self.pins.allow("spare_levels", spare) and (style.leveled or not spare):
                yield spare, slots

    def _all_shapes(
        self, style: Style, n: int, packing: int | None, degrees: Degrees
    ) -> Iterator[tuple[int, int | None]]:
        lowerings = self.problem.lowerings(degrees, style.exact)
        usual, pinned = lowerings.program(style, n).slots, self.pins.value("slots")
        if packing is not None and (pinned is not None or usual <= packing):
            return
        if pinned is not None:
            if pinned <= usual:
                yield from ((spare, pinned if pinned < usual else None) for spare in SPARES)
        elif self.every and packing is None:
            yield from shapes(lowerings, style, n)
        else:
            yield from ((spare, packing) for spare in SPARES)

    def _in_rings(
        self,
        judge: Judge,
        technique: str,
        degrees: Degrees,
        as_written: bool,
        packing: int | None,
        layout: Layout,
    ) -> Iterator[Judged]:
        """The judgements of CKKS, ring by ring. Without `every`, they go no further than to the ring where a
        larger one gains only security beyond what is asked: every scale is secure there, or precision no
        longer grows, and digits are few."""
        style = judge.library.style("ckks", technique or None)
        style = replace(style, as_written=as_written, layout=layout)
        for n in self._rings(judge.library):
            if not self.every and self._too_deep(n, degrees, as_written):
                continue
            tried = list(self._shapes(style, n, packing, degrees))
            for spare, slots in tried:
                written = slots, spare, as_written, layout
                choices = list(ckks(judge.library, technique, degrees, n, *written))
                sets, found = self._of_ckks(judge, choices)
                yield from map(self._within, found)
                rows = Columns.joined(judged.feasible for judged in found)
                if not self.every and (len(rows) or not sets.outgrown):
                    break
            precise = bool(tried) and (sets.all_secure or saturated(rows))
            if not self.every and precise and (len(choices) == 1 or few_digits(rows)):
                return

    def _of_ckks(self, judge: Judge, choices: Sequence[Choice]) -> tuple[CkksSets, list[Judged]]:
        """The sets of one program in one ring, and the judgements of its choices, which differ in key
        switching."""
        sets = CkksSets(self.problem, judge.library, self.wish, judge.profile, choices[0])
        tried = [
            c
            for c in choices
            if (self.every or not more_than_q(c, sets.depth + 1)) and as_pinned(self.pins, judge.library, c)
        ]
        placed = {self._place(judge.library, choice): choice for choice in tried}
        return sets, sets.judged(placed, self.every, self.contending)

    def _too_deep(self, n: int, degrees: Degrees, as_written: bool) -> bool:
        """Whether the depth that every program needs is insecure even with the smallest primes."""
        least = (self.problem.least_depth(degrees, as_written) + 1) * (SCALES[0] - 1.0)
        return least > most(n, self.wish.security, self.wish.quantum)

    def _flooded(self, judge: Judge, degrees: Degrees, as_written: bool, layout: Layout) -> Iterator[Judged]:
        ring = self.pins.value("ring_dimension")
        for open_ring in flooded(judge.library, degrees, as_written, layout):
            choice = replace(open_ring, ring_dimension=ring, slots=self.pins.value("slots"))
            if not as_pinned(self.pins, judge.library, choice):
                continue
            judged = self._alone(judge, choice)
            yield self._within(judged)
            splits = self.every and len(judged.feasible) and "slots" not in self.pins
            usual = int(judged.feasible["slots"][0]) if splits else 0
            for slots in (usual // part for part in PARTS if usual >= part):
                yield self._within(self._alone(judge, replace(choice, slots=slots)))

    # -- bootstraps ------------------------------------------------------------------------------

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
                rings, tried = self._tried_rings(judge.library), self._tried(judge, degrees, as_written)
                if not tried.choices and rings and judge.library.bootstrap_method is not None:
                    yield Judged(0, Columns.empty(), self._no_bootstrap(rings[-1]))
                most, found = self._to_beat(judge, best), Columns.empty()
                if tried.beaten_by(judge, most):
                    for judged in () if told else self._first_right(judge, tried):
                        yield judged
                        told = bool(len(judged.feasible))
                    continue
                for judged in self._until_right(judge, self._cheapest(judge, tried, most)):
                    yield judged
                    found = least(found, judged.feasible)
                yield from self._joined_refreshed(judge, found)

    def _tried(self, judge: Judge, degrees: Degrees, as_written: bool) -> Refreshed:
        """The sets with bootstraps, which are the same for all searches with the same security and wish."""
        library = judge.library
        key = (
            "bootstraps", library.name, library.techniques, self.wish, self.profiles.get(library.name),
            self.largest_ring, degrees, as_written,
        )  # fmt: skip
        if key not in self.problem.kept:
            rings = self._tried_rings(library)
            self.problem.kept[key] = Refreshed.of(judge, rings, degrees, as_written)
        found: Refreshed = self.problem.kept[key]
        return found

    def _tried_rings(self, library: Library) -> tuple[int, ...]:
        return tuple(n for n in self._rings(library) if n >= LEAST_RING)

    def _no_bootstrap(self, ring: int) -> Rejection:
        reason = (
            f"no bootstrap leaves a level at {self.wish.security}-bit security up to "
            f"N = {power_of_two(ring)}, and no ring alone is deep enough"
        )
        return Rejection("security", reason, inf, "make the computation less deep, or ask for less security")

    def _to_beat(self, judge: Judge, best: Columns) -> float:
        """The score of the best set without bootstraps, here or elsewhere; infinite where all with bootstraps
        are of interest: without such a set, or with limits, which say what they keep out."""
        if self.every or self.limited:
            return inf
        score, seconds = (float(best[k][0]) if len(best) else inf for k in ("score", "evaluate_seconds"))
        if self.elsewhere is None or judge.profile is None:  # without a profile, no times are known
            return score
        return min(score, self.elsewhere(self.problem, seconds))

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
        without bootstraps, one that bootstraps is enough: it says what bootstraps would take."""
        right = refreshing = 0
        for choice, beaten in choices:
            if not self.every and (right >= ENOUGH_REFRESHED or (beaten and refreshing)):
                return
            judged = self._within(self._alone(judge, choice))
            yield judged
            right += len(judged.feasible)
            found = (self._known[place] for place in judged.feasible.places.tolist())
            refreshing += sum(c.program.bootstraps for c in found)

    def _first_right(self, judge: Judge, tried: Refreshed) -> Iterator[Judged]:
        """The judgements of the roughly cheapest choices until one is right: of a few at a time the cheapest
        first. Their programs are dear to write, and the set that is found only says what bootstraps would
        take, so it may take a little more than another one."""
        if tried.told is not None:  # by a search that asks almost the same
            yield (judged := self._within(self._alone(judge, tried.told)))
            if len(judged.feasible):
                return
        cheapest = islice(tried.by_work(judge), MOST_BEATEN)
        while some := list(islice(cheapest, AT_A_TIME)):
            for choice, _ in self._scored(judge, [choice for choice, _ in some]):
                judged = self._within(self._alone(judge, choice))
                yield judged
                if len(judged.feasible):
                    tried.told = choice
                    return

    # -- joined inputs ---------------------------------------------------------------------------

    def _joined(self, judge: Judge, start: Columns, walked: set[tuple[Layout, bool]]) -> Iterator[Judged]:
        """The judgements of sets whose inputs are joined: of all where that clearly helps the start, or else
        of those with its technique and degrees, in its ring or twice that. Layouts that were `walked` are not
        walked again."""
        place, n = int(start.places[0]), int(start["ring_dimension"][0])
        choice, sized = self.choices[place][1], self._choice(place, *sizes(start, 0))
        tried = [ring for ring in self._rings(judge.library) if ring in (n, 2 * n)]
        score = float(start["score"][0])
        for laid_out, ring, clearly in joined_choices(judge, choice, sized, score, tried, walked):
            style = laid_out.style
            if clearly:
                walked.add((style.layout, style.as_written))
                yield from self._walked(judge, style.as_written, (style.layout,))
            else:
                yield from map(self._within, self.alike(judge, laid_out, ring))

    def _joined_refreshed(self, judge: Judge, best: Columns) -> Iterator[Judged]:
        """The judgements of the best set with bootstraps, with its inputs joined, where that takes less."""
        if len(best) and "layout" not in self.pins:
            choice, n = self.choices[int(best.places[0])][1], int(best["ring_dimension"][0])
            for laid_out in joined_refreshed(judge, choice, float(best["score"][0]), n):
                yield self._within(self._alone(judge, laid_out))

    # -- split vectors ---------------------------------------------------------------------------

    def _starts(self, judge: Judge, best: Columns) -> Iterator[Columns]:
        """The sets to split: the best set; and for each technique, the set that a single limit keeps out by
        the least, unless it is out of reach. The latter have an infinite score, so that any other set is
        better."""
        if len(best):
            yield best
        rows = Columns.joined(
            part.with_columns(score=excess(part, name, self.wish))
            for name, parts in self.freed.items()
            for part in parts
        )
        rows = rows.take((rows["library"] == judge.library.name) & (rows["scheme"] == judge.scheme))
        rows = rows.take(rows["score"] <= IN_REACH)
        for technique in np.unique(rows["technique"]):
            alike = least(Columns.empty(), rows.take(rows["technique"] == technique))
            yield alike.with_columns(score=np.full(len(alike), np.inf))

    def _split(
        self, judge: Judge, best: Columns, wrong: Container[Hashable], tried: set[Hashable]
    ) -> Iterator[Judged]:
        """The judgements of sets with half of the slots and a quarter. They are made in the ring and
        technique of the best set, where splitting would hardly take more; and in half of that ring, where
        sets were only a little `wrong`, since a split makes less noise. (Without rotations a split only
        repeats operations.)"""
        choice = self.choices[int(best.places[0])][1]
        n = int(best["ring_dimension"][0])
        tried_rings = (n // 2, n) if _kind(replace(choice, ring_dimension=n // 2)) in wrong else (n,)
        for ring in filter(partial(self.pins.allow, "ring_dimension"), tried_rings):
            program = self.problem.lowerings(choice.degrees, choice.style.exact).program(choice.style, ring)
            for slots in (program.slots // part for part in PARTS if program.turns and program.slots >= part):
                share = self._share_if_split(judge, best, ring, slots)
                if share > HOPEFUL and not self.limited:
                    break
                hopeful = share < HOPEFUL
                split = _kind(replace(choice, ring_dimension=ring)), slots
                hopeful &= split not in tried
                tried |= {split} if hopeful else set()
                for judged in self.alike(judge, replace(choice, slots=slots), ring) if hopeful else ():
                    yield (allowed := self._within(judged))
                    best = least(best, allowed.feasible)

    def _share_if_split(self, judge: Judge, best: Columns, ring: int, slots: int) -> float:
        """What so many slots would take in that ring, as a share of what the best set takes. It counts as 0
        in a smaller ring, and where limits keep the best set out; as infinite in a larger ring. BGV may do
        without spare levels then."""
        if ring != best["ring_dimension"][0]:
            return 0.0 if ring < best["ring_dimension"][0] else np.inf
        if np.isinf(best["score"][0]):
            return 0.0
        sized = self._choice(int(best.places[0]), *sizes(best, 0))
        if sized.style.exact:
            sized = replace(sized, style=replace(sized.style, spare=0))
        return score_if(judge, replace(sized, slots=slots), self.wish) / float(best["score"][0])

    def alike(self, judge: Judge, choice: Choice, n: int) -> Iterator[Judged]:
        """The judgements of every key switching, and all sizes, of sets with the choice's program."""
        style, slots = choice.style, choice.slots
        if judge.floods:
            every = flooded(judge.library, choice.degrees, style.as_written, style.layout)
            alike = (replace(c, slots=slots) for c in every if c.technique == choice.technique)
            yield from (self._alone(judge, c) for c in alike if as_pinned(self.pins, judge.library, c))
        elif judge.scheme == "ckks":
            technique = choice.technique or ""
            written = slots, style.spare, style.as_written, style.layout
            choices = list(ckks(judge.library, technique, choice.degrees, n, *written))
            yield from self._of_ckks(judge, choices)[1]
        else:
            on = self._integer_sets(judge, n)
            yield from self._of_integers(on, style, slots)

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

    def why_nothing(self, library: Library, scheme: str, nearest: Nearest) -> Rejection:
        """The rejection of the nearest miss of a scheme of which nothing is feasible, which `nearest` is if
        what it misses by is known."""
        missed = isinstance(nearest, Miss) and STAGES[nearest.stage] == "correctness"
        if self.enough == inf or not missed or scheme == "ckks":
            return self.reason(nearest)
        walk = Walk(self.problem, self.wish, self.profiles, self.every, self.whole, self.largest_ring)
        found: Nearest = None
        for judged in walk.judged(library, scheme):
            found = nearer(found, judged.nearest)
        return walk.reason(found)

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


def _kind(choice: Choice) -> Hashable:
    """What choices that are walked together have in common. For integers, all techniques are walked
    together."""
    technique = None if choice.style.exact else choice.technique
    style = choice.style
    return technique, choice.degrees, style.as_written, style.layout, choice.ring_dimension
