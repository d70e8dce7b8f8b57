"""The space, walked: choices in turn, judged chunk by chunk."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from fheasible.circuit.degrees import Degrees
from fheasible.circuit.node import Op
from fheasible.estimation.profile import Profile
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.columns import Columns
from fheasible.exploration.described import row
from fheasible.exploration.integers import Integers
from fheasible.exploration.judge import STAGES, Judge, Rejection
from fheasible.exploration.problem import Problem
from fheasible.exploration.sieve import Judged, Miss, Nearest
from fheasible.exploration.sites import SECRET, Site
from fheasible.exploration.space import LARGEST_SPECIAL, SCALES, Choice, ckks, flooded, integers, rings
from fheasible.exploration.wish import Wish
from fheasible.libraries.catalogue import Library
from fheasible.security.lookup import allowed_log_q

SATURATED_BITS: Final = 0.1  # of precision, by which three scales differ that grow no more precise
_SCALES_ALIKE: Final = 3


class Walk:
    """What is walked for one problem and wish. `choices` stand in the order in which they are judged: rows
    know theirs by its place. Of `every` row those alone that may be kept are described, unless the `whole` is
    asked for."""

    def __init__(
        self,
        problem: Problem,
        wish: Wish,
        profiles: Mapping[str, Profile],
        every: bool = False,
        whole: bool = True,
    ) -> None:
        self.problem, self.wish, self.profiles, self.every = problem, wish, profiles, every
        self.contending = every and not whole
        self.choices: list[tuple[Library, Choice]] = []
        self._known: dict[int, Candidate] = {}  # whose sizes were found one by one

    def judge(self, library: Library, scheme: str) -> Judge:
        return Judge(self.problem, library, scheme, self.wish, self.profiles.get(library.name))

    def judged(self, library: Library, scheme: str) -> Iterator[Judged]:
        """All choices of one library and scheme. CircuitError where it cannot express the problem."""
        judge = self.judge(library, scheme)
        if scheme != "ckks":
            yield from self._integers(judge)
            return
        for degrees in self.problem.degrees_to_try(self.wish.least):
            if judge.floods:
                yield from (self._alone(judge, choice) for choice in flooded(library, degrees))
            else:
                for technique in library.techniques:
                    yield from self._in_rings(judge, technique, degrees)

    def _integers(self, judge: Judge) -> Iterator[Judged]:
        """Without `every` no further than to the ring beyond the first in which something is right: a larger
        one takes longer, and buys nothing but security beyond what is asked."""
        library, found = judge.library, 0
        for n in rings(library):
            on = Integers(self.problem, library, judge.scheme, self.wish, judge.profile, n)
            before = found
            for choices in integers(library, judge.scheme, n):
                for choice in choices:
                    if not self.every and _more_than_q(choice, choice.limbs or on.limbs(choice)):
                        continue
                    judged = on.judged(choice, self._place(library, choice), self.every)
                    yield judged
                    found += len(judged.feasible)
                    if not self.every and _settled(judged):
                        break
            if before and not self.every:
                return

    def _in_rings(self, judge: Judge, technique: str, degrees: Degrees) -> Iterator[Judged]:
        """Without `every` no further than to the ring where a larger one buys nothing but security beyond
        what is asked: every scale is secure there, or precision grows no more, and digits are few."""
        for n in rings(judge.library):
            if not self.every and self._too_deep(n, degrees):
                continue
            choices = list(ckks(judge.library, technique, degrees, n))
            site = Site(self.problem, judge.library, self.wish, judge.profile, choices[0])
            tried = [c for c in choices if self.every or not _more_than_q(c, site.depth + 1)]
            found = [self._sized(site, choice) for choice in tried]
            yield from found
            rows = Columns.joined(judged.feasible for judged in found)
            precise = site.all_secure or _saturated(rows)
            if not self.every and precise and (len(choices) == 1 or _few_digits(rows)):
                return

    def _too_deep(self, n: int, degrees: Degrees) -> bool:
        """Whether the depth that no program can spare is insecure in the smallest primes."""
        circuit = self.problem.lowerings(degrees).circuit
        spared = sum(node.op is Op.LINEAR for node in circuit.nodes())  # parts of vectors need no masks
        least = (self.problem.depth("ckks", degrees) - spared + 1) * (SCALES[0] - 1.0)
        return least > allowed_log_q(n, SECRET, self.wish.security, self.wish.quantum)

    def _sized(self, site: Site, choice: Choice) -> Judged:
        return site.judged(choice, self._place(site.library, choice), self.every, self.contending)

    def _alone(self, judge: Judge, choice: Choice) -> Judged:
        """A set that the library sizes."""
        found = judge(choice)
        if isinstance(found, Rejection):
            return Judged(1, Columns.empty(), found)
        place = self._place(judge.library, choice)
        self._known[place] = found
        return Judged(1, row(found, place), None)

    def _place(self, library: Library, choice: Choice) -> int:
        self.choices.append((library, choice))
        return len(self.choices) - 1

    # -- rows as candidates ----------------------------------------------------------------------

    def candidate(self, rows: Columns, i: int) -> Candidate | Rejection:
        """The row, judged by itself."""
        place = int(rows.places[i])
        if place in self._known:
            return self._known[place]
        scale = "scale_bits" if rows["scheme"][i] == "ckks" else "level_bits"
        sizes = (rows[name][i] for name in (scale, "first_bits", "special_bits"))
        return self._verdict(place, *(0 if np.isnan(size) else int(size) for size in sizes))

    def limit(self, c: Candidate, rows: Columns, i: int) -> Candidate:
        """With the reason why primes one bit smaller do not do, where they do not."""
        place = int(rows.places[i])
        size = rows["scale_bits" if c.scheme == "ckks" else "level_bits"][i]
        if place in self._known or np.isnan(size):
            return c
        first, special = (int(np.nan_to_num(rows[k][i])) for k in ("first_bits", "special_bits"))
        smaller = self._verdict(place, int(size) - 1, first - 1, special - 1)
        return replace(c, limit=smaller.reason) if isinstance(smaller, Rejection) else c

    def reason(self, nearest: Nearest) -> Rejection:
        """Of the nearest miss, in words."""
        if isinstance(nearest, Miss):
            verdict = self._verdict(nearest.place, *nearest.sizes)
            nearest = verdict if isinstance(verdict, Rejection) else None
        return nearest or Rejection("parameters", "the library has no parameters for it")

    def _verdict(self, place: int, size: int, first: int, special: int) -> Candidate | Rejection:
        """`size`: bits of the scale, or of every prime but the first."""
        library, choice = self.choices[place]
        scheme = choice.style.scheme.value
        if scheme == "ckks":
            own = special if library.name in LARGEST_SPECIAL else None
            sized = replace(choice, scale_bits=size, first_bits=first, special_bits=own)
        elif library.name == "openfhe":
            sized = choice
        else:
            sized = replace(choice, level_bits=size, first_bits=first if scheme == "bgv" else None)
        return self.judge(library, scheme)(sized)


def _more_than_q(choice: Choice, limbs: int) -> bool:
    """Whether P has more primes than all of Q: it only takes modulus, where as many make one digit."""
    return choice.special is not None and choice.special > max(limbs, 1)


def _settled(judged: Judged) -> bool:
    """Of BFV with more and more primes: whether some size is right, or even the smallest is insecure."""
    insecure = judged.nearest is not None and judged.nearest.distance[0] >= -STAGES.index("security")
    return bool(len(judged.feasible)) or insecure


def _few_digits(rows: Columns) -> bool:
    """Whether fewer digits cannot make up for a larger ring: key switching takes some digits * (limbs of QP)
    transforms, at the least 2 * (limbs of Q), each twice as long in twice the ring."""
    switched = rows["digits"] * (rows["limbs"] + rows["special_limbs"])
    return bool(len(rows)) and bool((switched <= 4 * rows["limbs"]).any())


def _saturated(rows: Columns) -> bool:
    """Whether the largest scales of a ring are no more precise than each other."""
    scales = np.unique(rows["scale_bits"])[-_SCALES_ALIKE:]
    if len(scales) < _SCALES_ALIKE:
        return False
    best = [rows["precision_bits"][rows["scale_bits"] == scale].max() for scale in scales]
    return bool(max(best) - min(best) < SATURATED_BITS)
