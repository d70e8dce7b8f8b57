"""What threads gain for the recommended set, and what limits them."""

from collections.abc import Iterator
from dataclasses import replace

from fheasible import units
from fheasible.estimation.profile import Profile
from fheasible.estimation.walls import wall_seconds
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.catalogue import BY_NAME, library
from fheasible.libraries.library import Library, Parallelism

_UNLIMITED = 1 << 20
_SAME = 0.005  # a smaller relative gain is none


def in_threads(e: Exploration, best: Candidate, profile: Profile | None) -> list[str]:
    """Sentences about the threads that execute the best candidate; empty where nothing is asked of them."""
    if not e.wish.compares_walls or e.wish.threads == (1,):
        return []
    lib = library(best.library)
    said = []
    if profile is not None and best.estimate.wall_seconds:
        said += [_gain(best), *_limits(e, best, lib, profile)]
    return [*said, *_alone(e)]


def _gain(best: Candidate) -> str:
    """A sentence on the wall time with each number of threads."""
    known = {name: wall for name, wall in best.walls.items() if wall is not None}
    one = known["1"]
    told = [
        f"{units.seconds(wall)} with {_number(name, best)} ({wall / one:.2f} times)"
        for name, wall in known.items()
        if name != "1"
    ]
    return f"A run takes {units.seconds(one)} of wall time with one thread, {units.listing(told)}."


def _number(name: str, best: Candidate) -> str:
    return "the library's default" if name == "default" else f"{name} threads"


def _limits(e: Exploration, best: Candidate, lib: Library, profile: Profile) -> Iterator[str]:
    """Sentences on what threads of that library cannot do for this program."""
    if lib.threading.parallelism is Parallelism.NONE:
        return
    yield lib.threading.limits
    if profile.parallel is None:
        if lib.threading.parallelism is Parallelism.LIMBS:
            most = max((n for n in e.wish.threads if n is not None), default=e.wish.cores)
            yield (
                f"What its threads gain was not measured on this machine, so no gain is counted. "
                f"Remedy: fheasible calibrate --library {lib.name} --threads {max(most, 2)}"
            )
            return
        yield "How much they slow each other down was not measured here, so nothing is counted for it."
    yield _floor(best, lib, profile)


def _floor(best: Candidate, lib: Library, profile: Profile) -> str:
    """A sentence on the time that no number of threads could save."""
    limbs = lib.threading.parallelism is Parallelism.LIMBS
    free = profile if limbs else replace(profile, parallel=None)
    one, least = (
        wall_seconds(best.program, best.parameters, of, number)["total"]
        for of, number in ((profile, 1), (free, _UNLIMITED if limbs else len(best.program.operations)))
    )
    if least > (1 - _SAME) * one:
        return "No number of threads would make it faster."
    what = (
        "the part of its operations that is not parallel, and one limb at a time, take so long"
        if limbs
        else "its longest chain of operations takes so long"
    )
    found = f"With any number of threads it would take {units.seconds(least)} or more, because {what}."
    return f"{found} {_turns(best)}".strip() if limbs else found


def _turns(best: Candidate) -> str:
    """A sentence on how the limbs are shared out."""
    threads, limbs = best.estimate.threads, best.parameters.limbs
    if threads == 1:
        return ""
    turns = -(-limbs // threads)
    return f"Limbs are shared out in whole: {threads} threads work through {limbs} of them in {turns} turns."


def _alone(e: Exploration) -> Iterator[str]:
    """A sentence for each library among the candidates whose programs take one thread."""
    for name in sorted({c.library for c in e.candidates}):
        of = BY_NAME[name].threading
        if of.parallelism is Parallelism.NONE:
            yield of.limits
