"""The libraries, by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fheasible.errors import UnknownName
from fheasible.libraries.added import WithAdded
from fheasible.libraries.following import vectors
from fheasible.libraries.lattigo.library import LATTIGO
from fheasible.libraries.library import Library
from fheasible.libraries.openfhe.library import OPENFHE
from fheasible.libraries.seal.library import NODE_SEAL, SEAL

CATALOGUE: Final[Mapping[str, Library]] = MappingProxyType(
    {lib.name: lib for lib in (OPENFHE, SEAL, LATTIGO)}
)
OWN: Final[Mapping[str, Library]] = MappingProxyType({**CATALOGUE, NODE_SEAL.name: NODE_SEAL})
BY_NAME: Final[Mapping[str, Library]] = WithAdded(OWN, vectors)
"""The libraries, other builds of them, and those that the user has added; the latter two are meant only where
they are named."""


def library(name: str) -> Library:
    """The library of that name, in upper or lower case. UnknownName for any other name."""
    found = BY_NAME.get(name.lower())
    if found is None:
        raise UnknownName(f"no library is named {name!r}", f"choose one of {', '.join(BY_NAME)}")
    return found


def scheme_of(library: Library, name: str) -> str:
    """The scheme of that name, in upper or lower case. UnknownName where the library does not have it."""
    if name.lower() not in library.schemes:
        raise UnknownName(
            f"{library.name} has no scheme {name!r}", f"choose one of {', '.join(library.schemes)}"
        )
    return name.lower()
