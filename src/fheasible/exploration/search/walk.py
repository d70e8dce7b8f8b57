"""The walk through the space of parameter sets: choices in turn, judged chunk by chunk."""

from collections.abc import Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import inf

import numpy as np

from fheasible.circuit.degrees import Degrees
from fheasible.exploration.judging.ckks import CkksSets
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.integers import IntegerSets, choice_groups, more_than_q
from fheasible.exploration.judging.judge import STAGES, Judge, Rejection
from fheasible.exploration.judging.rank import together
from fheasible.exploration.judging.secure import most
from fheasible.exploration.judging.sieve import Judged, Miss, Nearest, nearer
from fheasible.exploration.search.joining import joined_choices
from fheasible.exploration.search.limits import excess, sizes
from fheasible.exploration.search.refreshing import Refreshing
from fheasible.exploration.search.verdicts import Walked
from fheasible.exploration.search.worth_a_walk import (
    HOPEFUL,
    IN_REACH,
    MORE_BITS,
    WORTH_A_WALK,
    few_digits,
    least,
    nearly_right,
    saturated,
    score_if,
    settled,
)
from fheasible.exploration.space.pinned import as_pinned
from fheasible.exploration.space.requests import PARTS, SCALES, Choice, ckks, flooded, larger, shapes
from fheasible.libraries.library import Library
from fheasible.lowering.plan import SPARES
from fheasible.program.style import Layout, Style


class Walk(Refreshing):
    """A walk through the sets for one problem and wish.

    How far it goes follows from which sets are right, whatever they take; but see `_integers` for limits that
    keep out all of them.
    """

    def judged(self, library: Library, scheme: str) -> Iterator[Judged]:
        """The judgements of all choices of one library and scheme, made once for all searches that ask the
        same of them. CircuitError where the scheme cannot express the problem."""
        asked = self.judge(library, scheme, self.wish).asked
        key = ("walked", *asked, self.largest_ring, self.enough, not self.elsewhere, self.to_beat)
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
                together(found),
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
        yield found.judged

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
        longer grows, or integers are rounded right, and digits are few."""
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
            rounded = not self.problem.real and len(rows) > 0
            precise = bool(tried) and (rounded or sets.all_secure or saturated(rows))
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
        """What so many slots would take in that ring, as a share of what the best set takes. In a smaller
        ring, primes of the same sizes, or in CKKS of the largest sizes that the library takes there, stand
        for smaller ones, which take as long. It counts as 0 where the library takes none of these, and where
        limits keep the best set out, and as infinite in a larger ring. BGV may do without spare levels
        then."""
        n, score = int(best["ring_dimension"][0]), float(best["score"][0])
        if ring > n:
            return np.inf
        if np.isinf(score):
            return 0.0
        sized = replace(self._choice(int(best.places[0]), *sizes(best, 0)), slots=slots)
        if sized.style.exact:
            sized = replace(sized, style=replace(sized.style, spare=0))
        if ring == n:
            return score_if(judge, sized, self.wish) / score
        smaller = replace(sized, ring_dimension=ring)
        tried = [smaller] if sized.style.exact else (larger(smaller, -fewer) for fewer in MORE_BITS)
        scores = (score_if(judge, each, self.wish) for each in tried)
        return next((taken / score for taken in scores if taken < np.inf), 0.0)

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


def _kind(choice: Choice) -> Hashable:
    """What choices that are walked together have in common. For integers, all techniques are walked
    together."""
    technique = None if choice.style.exact else choice.technique
    style = choice.style
    return technique, choice.degrees, style.as_written, style.layout, choice.ring_dimension
