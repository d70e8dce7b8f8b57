"""The platforms, and which of them the names of libraries ask for."""

from collections.abc import Iterable
from typing import Final

from fheasible.api.platform import Platform
from fheasible.api.residues import Residues
from fheasible.api.rings import Rings

PLATFORMS: Final[tuple[Platform, ...]] = (Residues(), Rings())  # the first is meant where no library is named


def platform_of(names: Iterable[str]) -> Platform:
    """The platform that has one of those libraries. Where several have, it is the last one, which then says
    that it stands alone; where none has, the first one, which then says which libraries there are."""
    asked = set(names)
    found = [platform for platform in PLATFORMS if asked & set(platform.names())]
    return found[-1] if found else PLATFORMS[0]
