"""The ring schemes by name."""

from fheasible.errors import UnknownName
from fheasible.schemes.fntru import FNTRU
from fheasible.schemes.fv import FV
from fheasible.schemes.scheme import RingScheme
from fheasible.schemes.shield import SHIELD
from fheasible.schemes.yashe import YASHE

SCHEMES: dict[str, type[RingScheme]] = {s.name: s for s in (FV, YASHE, FNTRU, SHIELD)}


def scheme(name: str) -> type[RingScheme]:
    """The scheme of this name; hyphens and capitals do not matter. UnknownName where there is none."""
    plain = name.lower().replace("-", "")
    if plain not in SCHEMES:
        titles = ", ".join(s.title for s in SCHEMES.values())
        raise UnknownName(f"there is no ring scheme {name!r}", f"choose among {titles}")
    return SCHEMES[plain]
