"""Which libraries have what: not every library has every scheme."""

from fheasible.libraries.catalogue import CATALOGUE


def having(scheme: str) -> list[str]:
    """The libraries that have the scheme."""
    return [name for name, library in CATALOGUE.items() if scheme in library.schemes]


def pairs(*schemes: str) -> list[tuple[str, str]]:
    """Each library with each of these schemes that it has."""
    return [(name, scheme) for scheme in schemes for name in having(scheme)]
