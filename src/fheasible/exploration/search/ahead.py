"""What a search will ask, found ahead of it side by side: each library's sets of one scheme, and table
look-ups beside them."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from math import inf

from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.bounded import Elsewhere
from fheasible.exploration.search.declared_ranges import explore_everywhere, first_asked
from fheasible.exploration.search.search import Exploration, explore
from fheasible.exploration.search.side_by_side import TakePart, Task, side_by_side
from fheasible.libraries.library import Library


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
    own = [(lib, s) for lib in libraries for s in lib.schemes if not problem.unsuited(s)]
    own.sort(key=_rank)
    tasks = [_walk(problem, asked, lib, scheme, profiles, elsewhere) for lib, scheme in own]
    if elsewhere is None or not elsewhere.judges(problem):
        return side_by_side(problem, (*libraries, *profiles.values()), tasks)
    first = sum(scheme == "ckks" for _, scheme in own)
    tasks.insert(first, Task("table look-ups", lambda: elsewhere.score(problem, _seconds(problem))))
    return side_by_side(problem, (*libraries, *profiles.values(), *elsewhere.parts), tasks)


def _rank(part: tuple[Library, str]) -> tuple[bool, int, int]:
    """The order of the parts: those come first that take the longest, by a rough guess. Then all processes
    end at about the same time."""
    library, scheme = part
    switching = library.most_special + len(library.digit_choices)
    return scheme != "ckks", -len(library.techniques), -switching


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
