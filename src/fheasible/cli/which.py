"""Which libraries are meant, which of them are here, and which are calibrated."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fheasible.cli.names import title
from fheasible.cli.session import Session
from fheasible.errors import LibraryMissing, UnknownName
from fheasible.estimation.profile import Profile
from fheasible.libraries.catalogue import CATALOGUE, Library, library, scheme_of
from fheasible.measurement.registry import command

REFERENCE = "reference"  # the ring schemes on the exact ring: named where they are meant, never among "all"


def libraries_of(names: Sequence[str] | None, scheme: str | None) -> list[Library]:
    """The libraries of those names (all where none is named), with that scheme alone where one is."""
    chosen = list(dict.fromkeys(_library(name).name for name in named(names))) or list(CATALOGUE)
    found = [CATALOGUE[name] for name in chosen]
    return found if scheme is None else [replace(lib, schemes=(scheme_of(lib, scheme),)) for lib in found]


def _library(name: str) -> Library:
    try:
        return library(name)
    except UnknownName as error:
        remedy = f"{error.remedy}; or {REFERENCE}, the ring schemes, alone"
        raise UnknownName(error.message, remedy) from None


def named(names: Sequence[str] | None) -> list[str]:
    """The names that were typed, one by one, in small letters."""
    return [name.strip().lower() for word in names or () for name in word.split(",")]


def profiles_of(session: Session, libraries: Iterable[Library], threads: int = 1) -> Mapping[str, Profile]:
    """The newest profile on this machine of each library that has one; of the others the shipped one."""
    from fheasible.calibration.profiles import at_hand

    with session.store() as store:
        return at_hand(store, [lib.name for lib in libraries], threads)


def installed(name: str) -> bool:
    return command(name).installed


def installed_of(session: Session, libraries: Sequence[Library], named: bool) -> list[Library]:
    """Those whose worker is installed; LibraryMissing where a named one is not, or none is."""
    missing = [lib.name for lib in libraries if not installed(lib.name)]
    if missing and (named or len(missing) == len(libraries)):
        raise LibraryMissing(
            f"{', '.join(map(title, missing))} cannot be run: not installed",
            f"fheasible libraries install {' '.join(missing)}",
        )
    for name in missing:
        session.say(f"{title(name)} is left out: it is not installed (fheasible libraries install {name})")
    return [lib for lib in libraries if lib.name not in missing]
