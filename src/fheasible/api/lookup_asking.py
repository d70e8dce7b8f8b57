"""What is asked of libraries of table look-ups: which of them, with which prices; their search and runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

from fheasible import units
from fheasible.api import proving
from fheasible.api.lookup_answer import LookupAnswer
from fheasible.api.options import Options
from fheasible.api.platform import Execution, Talk
from fheasible.errors import UnknownName
from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.pinning import excluded
from fheasible.exploration.lookups.proof import LookupProof, cautions, prove
from fheasible.exploration.lookups.search import LookupExploration, explore_lookups
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Wish
from fheasible.libraries.lookup_catalogue import LOOKUP_CATALOGUE, LOOKUP_LIBRARIES, lookup_library
from fheasible.libraries.lookup_library import LookupLibrary
from fheasible.measurement.machine import this_machine


def answered(
    problem: Problem,
    wish: Wish,
    libraries: Sequence[LookupLibrary],
    app: str | None,
    seed: int | None,
    talk: Talk,
    recommended: float | None = None,
    longest: float = inf,
) -> LookupAnswer:
    """The answer of these libraries for a problem. `recommended`: the seconds of the best set of another
    kind; nothing is searched where a run takes many times as long in any case. `longest`: the most steps of a
    program."""
    profiles = profiles_of(talk, libraries)
    found = explored(problem, wish, libraries, profiles, talk, recommended, longest)
    return LookupAnswer(found, tuple(libraries), profiles, app, seed, talk.place)


def libraries_of(asked: Options) -> list[LookupLibrary]:
    """The libraries that are asked for; all of Fheasible's own where none is named. Where a scheme is named,
    only those that have it, with that scheme alone. UnknownName where none has it."""
    named = [name for name in asked.libraries if name in LOOKUP_LIBRARIES] or list(LOOKUP_CATALOGUE)
    for name in asked.libraries:
        lookup_library(name)
    found = [LOOKUP_LIBRARIES[name] for name in named]
    if asked.scheme is None:
        return found
    scheme = asked.scheme.lower()
    having = [_with_scheme(lib, scheme) for lib in found if scheme in lib.schemes]
    if not having:
        schemes = "; ".join(f"{units.listing(lib.schemes)} ({lib.title})" for lib in found)
        raise UnknownName(
            f"none of {units.listing([lib.title for lib in found])} has a scheme {asked.scheme!r}",
            f"choose among {schemes}",
        )
    return having


def _with_scheme(library: LookupLibrary, scheme: str) -> LookupLibrary:
    named = {key: each for key, each in library.named.items() if each.scheme == scheme}
    return replace(library, schemes=(scheme,), named=named)


def profiles_of(talk: Talk, libraries: Sequence[LookupLibrary]) -> Mapping[str, LookupProfile]:
    """The newest profile of this machine for each library that has one, and the shipped one for others."""
    from fheasible.calibration.lookup_profiles import at_hand

    with talk.store(reading=True) as store:
        return at_hand(store, [lib.name for lib in libraries])


def explored(
    problem: Problem,
    wish: Wish,
    libraries: Sequence[LookupLibrary],
    profiles: Mapping[str, LookupProfile],
    talk: Talk,
    recommended: float | None = None,
    longest: float = inf,
) -> LookupExploration:
    """The result of the search, whose progress is shown."""
    with talk.progress("exploring") as step:
        begun = iter(range(len(libraries)))

        def report(what: str, _: int) -> None:
            step(what, next(begun, len(libraries)), len(libraries))

        found = explore_lookups(problem, wish, libraries, profiles, report, recommended, longest)
    return replace(found, excluded=excluded(found, libraries, profiles))


def proof_of(
    problem: Problem,
    c: LookupCandidate,
    asked: Asked,
    how: Execution,
    talk: Talk,
    seed: int | None,
    security: int | None,
) -> LookupProof:
    """The candidate's real run, which is stored whatever its outcome is."""
    for caution in cautions(problem, c, security):
        talk.say(f"warning: {caution}")
    threads, cores = c.estimate.threads, this_machine().cores
    if threads > cores:
        talk.say(f"warning: {threads} threads share {cores} cores, and wait for each other")
    wall = c.estimate.to_json()["wall_seconds"]
    plan = how.plan(wall["total"], threads)
    if said := proving.once_only(wall, how, plan):
        talk.say(said)
    what = f"running {c.title}" + proving.predicted(wall, plan)
    with talk.store() as store, talk.progress(what) as step:
        return prove(problem, c, plan, seed, store, asked, step, how.timeout, how.memory, security)
