"""Which libraries are asked for, which of them are installed, and which are calibrated."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fheasible import units
from fheasible.api import asking
from fheasible.api.installed import installed
from fheasible.cli.names import title
from fheasible.cli.session import Session
from fheasible.errors import LibraryMissing, UnknownName, UsageError
from fheasible.estimation.profile import Profile
from fheasible.libraries.library import Library

REFERENCE = "reference"  # the ring schemes on the exact ring: they must be named, and are not among "all"


def libraries_of(names: Sequence[str] | None, scheme: str | None) -> list[Library]:
    """The libraries of those names, or all where none is named; with that scheme alone where one is named."""
    try:
        return asking.libraries_of(names, scheme)
    except UnknownName as error:
        remedy = f"{error.remedy}; or --library {REFERENCE}, the ring schemes, alone"
        raise UnknownName(error.message, remedy) from None


def profiles_of(session: Session, libraries: Iterable[Library], threads: int = 1) -> Mapping[str, Profile]:
    """The newest profile of this machine for each library that has one, and the shipped one for each other
    library."""
    return asking.profiles_of(session.place, libraries, threads, lambda line: session.say(f"warning: {line}"))


def refuse_ring_options(**given: Any) -> None:
    """Raises UsageError where an option of the ring schemes is given for libraries."""
    named = _options(given)
    if named:
        raise UsageError(
            f"only the ring schemes have {units.listing(named)}",
            f"add --library {REFERENCE}, or leave it out",
        )


def refuse_library_options(**given: Any) -> None:
    """Raises UsageError where an option of the libraries is given for ring schemes."""
    named = _options(given)
    if named:
        raise UsageError(
            f"the ring schemes have no {units.listing(named, 'or')}",
            f"leave it out, or leave --library {REFERENCE} out",
        )


def _options(given: Mapping[str, Any]) -> list[str]:
    """The options that have a value, as they are typed."""
    return [
        f"--{name.replace('_', '-')}"
        for name, value in given.items()
        if value is not None and value is not False
    ]


def installed_of(session: Session, libraries: Sequence[Library], named: bool) -> list[Library]:
    """The libraries whose worker is installed. LibraryMissing where a named one is not installed, or none
    is."""
    missing = [lib.name for lib in libraries if not installed(lib.name)]
    if missing and (named or len(missing) == len(libraries)):
        raise LibraryMissing(
            f"{', '.join(map(title, missing))} cannot be run: not installed",
            f"fheasible libraries install {' '.join(missing)}",
        )
    for name in missing:
        session.say(f"{title(name)} is left out: it is not installed (fheasible libraries install {name})")
    return [lib for lib in libraries if lib.name not in missing]
