"""The error and the remedies where nothing fits."""

from fheasible.errors import InfeasibleParameters
from fheasible.exploration.search.search import Exploration

LESS_PINNED = "leave a pinned parameter out"
REMEDY = "ask for less precision, time, memory or security, or make the computation less deep"


ANOTHER_SCHEME = "leave --scheme and --library out, or choose a scheme that computes on this kind of numbers"


def nothing_fits(found: Exploration) -> InfeasibleParameters:
    """An error that nothing fits, with the reason of each library and scheme."""
    reasons = [f"  {r.library} {r.scheme.upper()}: {r.reason}" for r in found.rejected]
    name = found.problem.circuit.name
    return InfeasibleParameters(
        "\n".join([f"no parameters fit {name}", *found.excluded, *reasons]), "; or: ".join(remedies(found))
    )


def remedies(found: Exploration) -> list[str]:
    """The remedies of the reasons, each once; where no reason has one, a general remedy."""
    told = list(dict.fromkeys(r.remedy for r in found.rejected if r.remedy))
    told += [LESS_PINNED] if found.wish.pins else []
    unsuited = all(found.problem.unsuited(r.scheme) for r in found.rejected)
    return told or [ANOTHER_SCHEME if unsuited else REMEDY]
