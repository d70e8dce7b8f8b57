"""The ring schemes by name."""

from fheasible.errors import UnknownName
from fheasible.schemes.fntru import FNTRU
from fheasible.schemes.fv import FV
from fheasible.schemes.scheme import RingScheme
from fheasible.schemes.shield import SHIELD
from fheasible.schemes.yashe import YASHE
from fheasible.schemes.yashe_variants import YashePanthers, YasheProper

SCHEMES: dict[str, type[RingScheme]] = {s.name: s for s in (FV, YASHE, FNTRU, SHIELD)}
VARIANTS: dict[str, type[RingScheme]] = {s.name: s for s in (YasheProper, YashePanthers)}  # on request only


def scheme(name: str) -> type[RingScheme]:
    """The scheme of this name; hyphens and capitals do not matter. UnknownName where there is none."""
    known, plain = SCHEMES | VARIANTS, name.lower().replace("-", "")
    if plain not in known:
        titles = ", ".join([*(s.title for s in SCHEMES.values()), *VARIANTS])
        raise UnknownName(f"there is no ring scheme {name!r}", f"choose among {titles}")
    return known[plain]
