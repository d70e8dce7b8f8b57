"""The libraries of the TFHE family, by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fheasible.errors import UnknownName
from fheasible.libraries.lookup_library import LookupLibrary
from fheasible.libraries.tfhe_rs.library import TFHE_RS

_ALL: Final[tuple[LookupLibrary, ...]] = (TFHE_RS,)
LOOKUP_LIBRARIES: Final[Mapping[str, LookupLibrary]] = MappingProxyType({lib.name: lib for lib in _ALL})


def lookup_library(name: str) -> LookupLibrary:
    """The library of that name, in upper or lower case. UnknownName for any other name."""
    found = LOOKUP_LIBRARIES.get(name.lower())
    if found is None:
        raise UnknownName(f"no library is named {name!r}", f"choose one of {', '.join(LOOKUP_LIBRARIES)}")
    return found
