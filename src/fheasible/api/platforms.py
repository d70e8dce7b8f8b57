"""The platforms, and which of them the names of libraries ask for."""

from collections.abc import Iterable
from typing import Final

from fheasible.api.joint import Joint
from fheasible.api.lookups import Lookups
from fheasible.api.platform import Platform
from fheasible.api.residues import Residues
from fheasible.api.rings import Rings

PLATFORMS: Final[tuple[Platform, ...]] = (Residues(), Lookups(), Rings())
JOINT: Final[Platform] = Joint()  # of those that can be ranked beside each other


def platform_of(names: Iterable[str]) -> Platform:
    """The platform that has one of those libraries; the joint one where none is named, or where several have
    and can be ranked beside each other. Where one of them stands alone, it is that one, which then says so;
    where none has, the first one, which then says which libraries there are."""
    asked = set(names)
    found = [platform for platform in PLATFORMS if asked & set(platform.names())]
    if not asked or (len(found) > 1 and asked <= set(JOINT.names())):
        return JOINT
    return found[-1] if found else PLATFORMS[0]
