"""The targets by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fheasible.emission.targets.lattigo_go import LattigoGo
from fheasible.emission.targets.names import NAMES
from fheasible.emission.targets.openfhe_cpp import OpenFheCpp
from fheasible.emission.targets.openfhe_python import OpenFhePython
from fheasible.emission.targets.seal_cpp import SealCpp
from fheasible.emission.targets.seal_python import SealPython
from fheasible.emission.targets.target import Target
from fheasible.emission.targets.tfhe_rs import TfheRs
from fheasible.errors import UnknownName

_ALL: Final[tuple[Target, ...]] = (
    OpenFheCpp(),
    OpenFhePython(),
    SealPython(),
    LattigoGo(),
    SealCpp(),
    TfheRs(),
)
TARGETS: Final[Mapping[str, Target]] = MappingProxyType(dict(zip(NAMES, _ALL, strict=True)))


def target(name: str) -> Target:
    """The target of that name, in upper or lower case. UnknownName for any other name."""
    found = TARGETS.get(name.strip().lower())
    if found is None:
        raise UnknownName(f"there is no target {name!r}", f"choose one of {', '.join(TARGETS)}")
    return found
