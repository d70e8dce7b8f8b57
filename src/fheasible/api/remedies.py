"""What is said where nothing fits."""

from fheasible.errors import InfeasibleParameters
from fheasible.exploration.search import Exploration

REMEDY = "ask for less precision, time, memory or security, or make the computation less deep"


def nothing_fits(found: Exploration) -> InfeasibleParameters:
    """With the reason of each library and scheme."""
    reasons = [f"  {r.library} {r.scheme.upper()}: {r.reason}" for r in found.rejected]
    name = found.problem.circuit.name
    return InfeasibleParameters(
        "\n".join([f"no parameters fit {name}", *reasons]), "; or: ".join(remedies(found))
    )


def remedies(found: Exploration) -> list[str]:
    """Each that a reason has, once."""
    return list(dict.fromkeys(r.remedy for r in found.rejected if r.remedy)) or [REMEDY]
