"""The parts of a parameter set that the work and the memory of a bootstrap depend on."""

from dataclasses import dataclass

from fheasible.errors import UsageError
from fheasible.libraries.block import Sets
from fheasible.libraries.parameters import CkksParameters
from fheasible.schemes.rns.bootstrap.procedure import Procedure


@dataclass(frozen=True, slots=True)
class Refreshing:
    """A bootstrap in a ring of dimension n, over `limbs` limbs of Q and `special` of P."""

    procedure: Procedure
    n: int
    limbs: int
    special: int
    digits: int
    technique: str = ""


def refreshed(p: Sets) -> Refreshing:
    """The bootstrap of a set; UsageError where it has none."""
    found = refreshing(p)
    if found is None:
        raise UsageError("the program bootstraps, and these parameters have no bootstrap", "give them one")
    return found


def refreshing(p: Sets) -> Refreshing | None:
    """The bootstrap of a set; None where it has none."""
    if not isinstance(p, CkksParameters) or p.bootstrap is None:
        return None
    own = p.bootstrap
    return Refreshing(own.procedure, p.ring_dimension, len(own.q), len(own.p), own.digits, p.technique)
