"""What a search will ask, found ahead of it side by side: each library's sets of one scheme, and table
look-ups beside them."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from math import inf
from typing import Final

from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.bounded import Elsewhere
from fheasible.exploration.search.declared_ranges import explore_everywhere, first_asked
from fheasible.exploration.search.search import Exploration, explore
from fheasible.exploration.search.side_by_side import TakePart, Task, side_by_side
from fheasible.libraries.library import Library

_OF_LOOKUPS: Final = 12  # beside the `_length` of other tasks: after CKKS with its many key switches


def ahead(
    problem: Problem,
    wish: Wish,
    libraries: Sequence[Library],
    profiles: Mapping[str, Profile],
    elsewhere: Elsewhere | None = None,
) -> AbstractContextManager[TakePart]:
    """A `with` block in which copies of this process work out what a search of integers with these arguments
    will ask (`side_by_side`). What all of them need is worked out before. Reals are searched by this process
    alone: the worst inputs of the best set are asked of all libraries, and their programs would be written
    again here."""
    if problem.real:
        return side_by_side(problem, (), [])
    asked = first_asked(problem, wish)
    tasks = [
        (_length(lib, scheme), _walk(problem, asked, lib, scheme, profiles, elsewhere))
        for lib in libraries
        for scheme in lib.schemes
        if not problem.unsuited(scheme)
    ]
    parts = (*libraries, *profiles.values())
    if elsewhere is not None and elsewhere.judges(problem):
        lookups = Task("table look-ups", lambda: elsewhere.score(problem, _seconds(problem)))
        tasks, parts = [*tasks, (_OF_LOOKUPS, lookups)], (*parts, *elsewhere.parts)
    tasks.sort(key=lambda each: -each[0])  # then all processes end at about the same time
    return side_by_side(problem, parts, [task for _, task in tasks])


def _length(library: Library, scheme: str) -> int:
    """About how long a library's sets of that scheme take, in any unit: CKKS is walked for each technique, at
    several inputs."""
    switching = library.most_special + len(library.digit_choices)
    return switching * (1 + len(library.techniques)) if scheme == "ckks" else switching


def _walk(
    problem: Problem,
    asked: tuple[Problem, Wish],
    library: Library,
    scheme: str,
    profiles: Mapping[str, Profile],
    elsewhere: Elsewhere | None,
) -> Task:
    """All that is asked of one library's sets of that scheme. Integers in CKKS are asked at further inputs,
    until the first set rounds them right."""

    def searched(of: Problem, wish: Wish, leads: bool = False) -> Exploration:
        return explore(
            of, wish, [library], profiles, elsewhere=elsewhere, why=False, schemes=(scheme,), leads=leads
        )

    def do() -> None:
        if scheme != "ckks":
            searched(*asked)
        else:
            explore_everywhere(problem, asked[1], searched, partial(searched, leads=True))

    return Task(f"{library.name} {scheme}", do)


def _seconds(problem: Problem) -> float:
    """The seconds of the fastest set that was judged so far; infinite where there is none."""
    found = (c for key, c in problem.kept.items() if key[0] == "verdict" and isinstance(c, Candidate))
    return min((c.estimate.run_seconds for c in found if c.estimate.run_seconds), default=inf)
