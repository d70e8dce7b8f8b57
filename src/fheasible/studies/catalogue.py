"""The studies by name."""

from fheasible.errors import UnknownName
from fheasible.studies.ckks_parameters.study import CKKS_PARAMETERS
from fheasible.studies.ckks_vs_bfv.study import CKKS_VS_BFV
from fheasible.studies.panthers.study import PANTHERS
from fheasible.studies.schemes_and_libraries.study import SCHEMES_AND_LIBRARIES
from fheasible.studies.seal_vs_openfhe.study import SEAL_VS_OPENFHE
from fheasible.studies.study import Study

STUDIES: dict[str, Study] = {
    s.name: s for s in (CKKS_PARAMETERS, CKKS_VS_BFV, PANTHERS, SCHEMES_AND_LIBRARIES, SEAL_VS_OPENFHE)
}


def study(name: str) -> Study:
    """The study of that name; capitals do not matter. UnknownName where no study has it."""
    if name.lower() not in STUDIES:
        raise UnknownName(f"there is no study {name!r}", f"choose among {', '.join(STUDIES)}")
    return STUDIES[name.lower()]
