"""Which libraries are asked for, which of them are installed, and which are calibrated."""

from collections.abc import Sequence

from fheasible.api import asking
from fheasible.api.installed import installed
from fheasible.api.naming import title
from fheasible.cli.session import TerminalSession
from fheasible.errors import LibraryMissing
from fheasible.estimation.ring_profile import LIBRARY
from fheasible.libraries.library import Library

REFERENCE = LIBRARY  # the ring schemes on the exact ring: they must be named, and are not among "all"


def libraries_of(names: Sequence[str] | None, scheme: str | None) -> list[Library]:
    """The libraries of those names, or all where none is named; with that scheme alone where one is named."""
    return asking.libraries_or_reference(names, scheme)


def installed_of(session: TerminalSession, libraries: Sequence[Library], named: bool) -> list[Library]:
    """The libraries whose worker is installed. LibraryMissing where a named one is not installed, or none
    is."""
    missing = [lib.name for lib in libraries if not installed(lib.name)]
    if missing and (named or len(missing) == len(libraries)):
        raise LibraryMissing(
            f"{', '.join(map(title, missing))} cannot be run, because it is not installed",
            f"fheasible libraries install {' '.join(missing)}",
        )
    for name in missing:
        session.say(
            f"{title(name)} is left out, because it is not installed (fheasible libraries install {name})"
        )
    return [lib for lib in libraries if lib.name not in missing]
