"""The studies by name."""

from fheasible.errors import UnknownName
from fheasible.studies.ckks_parameters.study import CKKS_PARAMETERS
from fheasible.studies.panthers.study import PANTHERS
from fheasible.studies.study import Study

STUDIES: dict[str, Study] = {s.name: s for s in (CKKS_PARAMETERS, PANTHERS)}


def study(name: str) -> Study:
    """The study of that name; capitals do not matter. UnknownName where no study has it."""
    if name.lower() not in STUDIES:
        raise UnknownName(f"there is no study {name!r}", f"choose among {', '.join(STUDIES)}")
    return STUDIES[name.lower()]
