"""The libraries of table look-ups, by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fheasible.errors import UnknownName
from fheasible.libraries.added import WithAdded
from fheasible.libraries.catalogue import BY_NAME, library
from fheasible.libraries.following import lookups
from fheasible.libraries.library import Threading
from fheasible.libraries.lookup_library import LookupLibrary
from fheasible.libraries.openfhe.lookups import BINFHE
from fheasible.libraries.tfhe_rs.library import TFHE_RS

_ALL: Final[tuple[LookupLibrary, ...]] = (TFHE_RS, BINFHE)
LOOKUP_CATALOGUE: Final[Mapping[str, LookupLibrary]] = MappingProxyType({lib.name: lib for lib in _ALL})
LOOKUP_LIBRARIES: Final[Mapping[str, LookupLibrary]] = WithAdded(LOOKUP_CATALOGUE, lookups)
"""The libraries, and those that the user has added, which are meant only where they are named."""


def lookup_library(name: str) -> LookupLibrary:
    """The library of that name, in upper or lower case. UnknownName for any other name."""
    found = LOOKUP_LIBRARIES.get(name.lower())
    if found is None:
        raise UnknownName(f"no library is named {name!r}", f"choose one of {', '.join(LOOKUP_LIBRARIES)}")
    return found


def threading_of(name: str) -> Threading:
    """What several threads gain with the library of that name, of this list or of the other."""
    return LOOKUP_LIBRARIES[name].threading if name in LOOKUP_LIBRARIES else library(name).threading


def title_of(name: str) -> str:
    """The title of a library of either list. An unknown name stays as it is."""
    known = LOOKUP_LIBRARIES.get(name) or BY_NAME.get(name)
    return known.title if known else name
