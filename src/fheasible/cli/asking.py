"""From what was typed to the problem and the wish, and through the search to a candidate."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path

from fheasible.circuit.data import lengths, random_data, read
from fheasible.circuit.load import load
from fheasible.cli.session import Session
from fheasible.cli.which import installed
from fheasible.errors import InfeasibleParameters, LibraryMissing
from fheasible.estimation.profile import Profile
from fheasible.exploration.bounds import over_the_domain
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.problem import Problem
from fheasible.exploration.search import Exploration
from fheasible.exploration.search import explore as search
from fheasible.exploration.wish import Asked, Wish
from fheasible.libraries.catalogue import Library

MIB = 2**20


def wish_of(
    security: int,
    quantum: bool = False,
    precision: str | None = None,
    max_time: float | None = None,
    max_memory: float | None = None,
    objective: str = "time",
    failure: float | None = None,
    shared_results: bool = False,
) -> Wish:
    asked = None if precision is None else Asked.parse(precision)
    most = None if max_memory is None else int(max_memory * MIB)
    return Wish(security, quantum, asked, max_time, most, objective.lower(), failure, shared_results)


def problem_of(app: str, data: Path | None, seed: int) -> Problem:
    """The application with the file's data, or with random data of that seed."""
    with redirect_stdout(sys.stderr):  # what the user's file prints is talk
        application = load(app)
        if data is not None:
            values = read(data, application.inputs)
            return Problem(application.trace(lengths(values)), values, str(data))
        circuit = application.trace()
        source = f"random data, uniform in the declared ranges (seed {seed})"
        return Problem(circuit, random_data(circuit, seed), source, drawn=True)


def exploration_of(
    session: Session,
    problem: Problem,
    wish: Wish,
    libraries: Sequence[Library],
    profiles: Mapping[str, Profile],
) -> Exploration:
    """The search, with its progress shown; it tells which limits it cannot judge."""
    unknown = [lib.name for lib in libraries if lib.name not in profiles]
    if unknown and wish.max_seconds is not None:
        session.say(
            f"warning: no limit of time holds for {', '.join(unknown)}: there is no profile of it; "
            "remedy: fheasible calibrate"
        )
    total = sum(len(lib.schemes) for lib in libraries)
    with session.progress("exploring") as step:
        begun = iter(range(total))
        found = search(problem, wish, libraries, profiles, lambda what, _: step(what, next(begun), total))
        return over_the_domain(found)


def best_installed(exploration: Exploration) -> Candidate:
    """The best candidate of a library that is installed. InfeasibleParameters where nothing fits,
    LibraryMissing where only what is not installed does."""
    if exploration.best is None:
        raise nothing_fits(exploration)
    found = next((c for c in exploration.candidates if installed(c.library)), None)
    if found is None:
        names = list(dict.fromkeys(c.library for c in exploration.candidates))
        raise LibraryMissing(
            f"what fits needs {' or '.join(names)}, and that is not installed",
            f"fheasible libraries install {' '.join(names)}",
        )
    return found


def nothing_fits(exploration: Exploration) -> InfeasibleParameters:
    reasons = [f"  {r.library} {r.scheme.upper()}: {r.reason}" for r in exploration.rejected]
    name = exploration.problem.circuit.name
    return InfeasibleParameters(
        "\n".join([f"no parameters fit {name}", *reasons]), "; or: ".join(remedies(exploration))
    )


def remedies(exploration: Exploration) -> list[str]:
    """Each that a reason has, once."""
    return list(dict.fromkeys(r.remedy for r in exploration.rejected if r.remedy)) or [REMEDY]


REMEDY = "ask for less precision, time, memory or security, or make the computation less deep"
