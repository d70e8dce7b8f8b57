"""The studies by name."""

from fheasible.errors import UnknownName
from fheasible.studies.panthers.study import PANTHERS
from fheasible.studies.study import Study

STUDIES: dict[str, Study] = {s.name: s for s in (PANTHERS,)}


def study(name: str) -> Study:
    """UnknownName for one that is not there; capitals do not matter."""
    if name.lower() not in STUDIES:
        raise UnknownName(f"there is no study {name!r}", f"choose among {', '.join(STUDIES)}")
    return STUDIES[name.lower()]
