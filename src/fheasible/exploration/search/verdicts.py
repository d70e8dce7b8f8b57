"""The choices of a walk, and its rows judged individually; and what a walk found, for the next search that
asks the same."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.judge import Judge, Rejection
from fheasible.exploration.judging.sieve import Judged, Miss, Nearest
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.limits import sizes
from fheasible.exploration.space.requests import Choice
from fheasible.libraries.library import Library


class Verdicts:
    """The choices of a walk, in the order in which they are judged. A row refers to its choice by the place
    in that list."""

    def __init__(self, problem: Problem, wish: Wish, profiles: Mapping[str, Profile]) -> None:
        self.problem, self.wish, self.profiles = problem, wish, profiles
        self.choices: list[tuple[Library, Choice]] = []
        self._known: dict[int, Candidate] = {}  # by place, where the library itself found the sizes

    def judge(self, library: Library, scheme: str, wish: Wish) -> Judge:
        return Judge(self.problem, library, scheme, wish, self.profiles.get(library.name))

    def _place(self, library: Library, choice: Choice) -> int:
        self.choices.append((library, choice))
        return len(self.choices) - 1

    def candidate(self, rows: Columns, i: int) -> Candidate | Rejection:
        """The verdict on row i, judged individually."""
        place = int(rows.places[i])
        if place in self._known:
            return self._known[place]
        return self._verdict(place, *sizes(rows, i))

    def with_limit(self, c: Candidate, rows: Columns, i: int) -> Candidate:
        """The candidate with the reason why primes one bit smaller are not enough. The reason is worked out
        only when it is asked for, since few candidates are ever asked."""
        place = int(rows.places[i])
        size = rows["scale_bits" if c.scheme == "ckks" else "level_bits"][i]
        if place in self._known or np.isnan(size):
            return c
        first, special = (int(np.nan_to_num(rows[k][i])) for k in ("first_bits", "special_bits"))
        return replace(c, smaller=cache(partial(self._limit, place, int(size), first, special)))

    def _limit(self, place: int, size: int, first: int, special: int) -> str:
        smaller = self._verdict(place, size - 1, first - 1, special - 1)
        if isinstance(smaller, Rejection) and smaller.stage == "overflow":  # because of the first prime
            smaller = self._verdict(place, size - 1, first, special)
        return smaller.reason if isinstance(smaller, Rejection) else ""

    def reason(self, nearest: Nearest) -> Rejection:
        """The rejection of the nearest miss, in words."""
        if isinstance(nearest, Miss):
            verdict = self._verdict(nearest.place, *nearest.sizes)
            nearest = verdict if isinstance(verdict, Rejection) else None
        return nearest or Rejection("parameters", "the library has no parameters for this program")

    def _verdict(
        self, place: int, size: int, first: int, special: int, wish: Wish | None = None
    ) -> Candidate | Rejection:
        """The verdict on the choice at that place with these sizes, by the walk's own wish or by another;
        made once for all searches that ask the same of it. `size` is the bits of the scale, or of every prime
        but the first."""
        library, choice = self.choices[place]
        judge = self.judge(library, choice.style.scheme.value, wish or self.wish)
        sized = self._choice(place, size, first, special)
        key = "verdict", sized, *judge.asked
        found: Candidate | Rejection = self.problem.once(key, partial(judge, sized))
        return found

    def _choice(self, place: int, size: int, first: int, special: int) -> Choice:
        """The choice at that place with these sizes; unchanged where the library finds the sizes."""
        library, choice = self.choices[place]
        scheme = choice.style.scheme.value
        if place in self._known:
            return choice
        if scheme == "ckks":
            own = special if library.own_primes is None else None
            return replace(choice, scale_bits=size, first_bits=first, special_bits=own)
        if library.own_primes is not None:
            return choice
        return replace(choice, level_bits=size, first_bits=first if scheme == "bgv" else None)


@dataclass(frozen=True, slots=True, eq=False)
class Walked:
    """`choices` are those of a walk from the place `start` on; `judged`, which has all judgements as one,
    `known` and `freed` refer to them by their places. `known` has sets that were judged individually, `freed`
    what single limits keep out."""

    start: int
    choices: tuple[tuple[Library, Choice], ...]
    judged: Judged
    known: Mapping[int, Candidate]
    freed: Mapping[str, tuple[Columns, ...]]

    def moved(self, start: int) -> "Walked":
        """The same findings for a walk in which the choices begin at another place."""
        by = start - self.start
        if not by:
            return self
        return Walked(
            start,
            self.choices,
            _moved(self.judged, by),
            {place + by: c for place, c in self.known.items()},
            {name: tuple(_rows(part, by) for part in parts) for name, parts in self.freed.items()},
        )


def _moved(judged: Judged, by: int) -> Judged:
    nearest = judged.nearest
    if isinstance(nearest, Miss):
        nearest = nearest._replace(place=nearest.place + by)
    return replace(judged, feasible=_rows(judged.feasible, by), nearest=nearest)


def _rows(rows: Columns, by: int) -> Columns:
    return Columns(rows.data, rows.places + by)
