"""Which of the libraries are installed here, and which are calibrated."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from fheasible.aliases import Json
from fheasible.api.remedies import nothing_fits
from fheasible.errors import LibraryMissing
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.library import Library
from fheasible.measurement.registry import command

C = TypeVar("C")
CALIBRATE = "fheasible calibrate"


def installed(name: str) -> bool:
    """Whether a worker for the library is installed."""
    return command(name).installed


def best_installed(found: Exploration) -> Candidate:
    """The best candidate of a library that is installed. It raises the same errors as `all_installed`."""
    return all_installed(found)[0]


def best(found: Exploration) -> Candidate:
    """The best candidate, whatever is installed; InfeasibleParameters where nothing fits."""
    if found.best is None:
        raise nothing_fits(found)
    return found.best


def all_installed(found: Exploration) -> tuple[Candidate, ...]:
    """The candidates of libraries that are installed, best first. InfeasibleParameters where nothing fits,
    LibraryMissing where none of the libraries that fit is installed."""
    best(found)
    return of_installed(found.candidates, lambda c: c.library)


def of_installed(candidates: Iterable[C], worker: Callable[[C], str]) -> tuple[C, ...]:
    """Those of the candidates whose worker is installed; `worker`: the name of the library that has it.
    LibraryMissing where there are none."""
    workers = {c: worker(c) for c in candidates}
    there = tuple(c for c, name in workers.items() if installed(name))
    if not there:
        names = list(dict.fromkeys(workers.values()))
        raise LibraryMissing(
            f"every set that fits needs {' or '.join(names)}, which is not installed",
            f"fheasible libraries install {' '.join(names)}",
        )
    return there


def availability(libraries: Iterable[Library], profiles: Mapping[str, Profile]) -> list[Json]:
    """Which of the libraries are installed and calibrated, with a remedy for those that are not."""
    known = ((lib.name, profiles.get(lib.name)) for lib in libraries)
    return [state(name, p is not None and not p.origin, p.build if p else None) for name, p in known]


def state(name: str, calibrated: bool, build: str | None, calibrate: str = CALIBRATE) -> Json:
    """Whether a library is installed, and `calibrated` on this machine, with the remedy where it is not;
    `calibrate`: the command that does so."""
    here = command(name)
    return {
        "library": name,
        "installed": here.installed,
        "calibrated": calibrated,
        "build": build,
        "remedy": here.remedy if not here.installed else None if calibrated else calibrate,
    }
