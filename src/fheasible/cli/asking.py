"""Turns what was typed into the problem and the wish, and searches for candidates."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fheasible.api import asking as api
from fheasible.cli.session import Session
from fheasible.estimation.profile import Profile
from fheasible.exploration.columns import Columns
from fheasible.exploration.everywhere import explore_everywhere
from fheasible.exploration.failed import without_failed
from fheasible.exploration.problem import Problem
from fheasible.exploration.search import Exploration
from fheasible.exploration.search import explore as search
from fheasible.exploration.wish import Asked, Wish
from fheasible.libraries.library import Library

MIB = 2**20


def wish_of(
    security: int,
    precision: str | None = None,
    max_memory: float | None = None,
    max_ciphertext: float | None = None,
    max_keys: float | None = None,
    **given: Any,
) -> Wish:
    """The wish that was typed, with sizes in MiB; `given` are the wish's own fields."""
    return Wish(
        security=security,
        precision=None if precision is None else Asked.parse(precision),
        max_bytes=_bytes(max_memory),
        max_ciphertext_bytes=_bytes(max_ciphertext),
        max_key_bytes=_bytes(max_keys),
        **given,
    )


def _bytes(mebibytes: float | None) -> int | None:
    return None if mebibytes is None else int(mebibytes * MIB)


def problem_of(app: str, data: Path | None, seed: int, trust_data: bool = False) -> Problem:
    """The application with the file's data, or with random data of that seed."""
    return api.problem_of(app, data, seed, trust_data)


def exploration_of(
    session: Session,
    problem: Problem,
    wish: Wish,
    libraries: Sequence[Library],
    profiles: Mapping[str, Profile],
    every: bool = False,
    each: Callable[[Columns], None] | None = None,
) -> Exploration:
    """The result of the search, whose progress is shown. A warning names the libraries for which a limit of
    time cannot be judged. `every`: walk the whole space, not only as far as the answer needs. `each` is
    called with every part of the feasible sets."""
    unknown = [lib.name for lib in libraries if lib.name not in profiles]
    if unknown and wish.max_seconds is not None:
        session.say(
            f"warning: no limit of time holds for {', '.join(unknown)}: there is no profile of it; "
            "remedy: fheasible calibrate"
        )
    total = sum(len(lib.schemes) for lib in libraries)
    with session.progress("exploring") as step:
        begun = iter(range(total))

        def report(what: str, _: int) -> None:
            step(what, next(begun, total), total)

        def searched(of: Problem, asked: Wish) -> Exploration:
            found = search(of, asked, libraries, profiles, report, every, each)
            step("the worst inputs in the declared ranges", 0, 0)
            return found

        found = explore_everywhere(problem, wish, searched)
    with session.store(reading=True) as store:
        return without_failed(found, store)
