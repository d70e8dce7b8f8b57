"""Which of the libraries are installed here, and which are calibrated."""

from collections.abc import Iterable, Mapping

from fheasible.aliases import Json
from fheasible.api.remedies import nothing_fits
from fheasible.errors import LibraryMissing
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.library import Library
from fheasible.measurement.registry import command


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
    there = tuple(c for c in found.candidates if installed(c.library))
    if not there:
        names = list(dict.fromkeys(c.library for c in found.candidates))
        raise LibraryMissing(
            f"every set that fits needs {' or '.join(names)}, which is not installed",
            f"fheasible libraries install {' '.join(names)}",
        )
    return there


def availability(libraries: Iterable[Library], profiles: Mapping[str, Profile]) -> list[Json]:
    """Which of the libraries are installed and calibrated, with a remedy for those that are not."""
    return [_state(lib.name, profiles.get(lib.name)) for lib in libraries]


def _state(name: str, profile: Profile | None) -> Json:
    here = command(name)
    calibrated = profile is not None and not profile.origin  # on this machine
    return {
        "library": name,
        "installed": here.installed,
        "calibrated": calibrated,
        "build": profile.build if profile else None,
        "remedy": here.remedy if not here.installed else None if calibrated else "fheasible calibrate",
    }
