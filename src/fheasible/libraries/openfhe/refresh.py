"""How OpenFHE 1.6.1 bootstraps, as choices among the published algorithms, and the kernels that it takes.

`LATE` is the wheel's own way, which was traced call by call. The reduction's bound divides the raised
coefficients for a uniform ternary secret, and the transform's matrices otherwise.
"""

from collections import Counter
from dataclasses import replace

from fheasible.libraries.refreshing import Refreshing
from fheasible.schemes.rns.bootstrap.counting import Bases, counted
from fheasible.schemes.rns.bootstrap.method import LATE, Alignment, Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure
from fheasible.schemes.rns.variant import Variant

LEAST_LEVEL = 1  # of what is bootstrapped: one rescaling goes to the correction factor
UNIFORM_BOUND = 648  # of the reduction for a uniform ternary secret
_ALIGNMENTS = {"fixedmanual": Alignment.AT_ONCE, "fixedauto": Alignment.DROPPED}
_EPHEMERAL_PRIMES = 2  # of the key to the sparse secret, beside the first prime of Q


def method(procedure: Procedure, technique: str = "") -> Method:
    """The wheel's choices for a procedure. Its factors and levels are the same for every technique."""
    return replace(
        LATE,
        bound_apart=procedure.reduction.bound == UNIFORM_BOUND,
        alignment=_ALIGNMENTS.get(technique, Alignment.CORRECTED),
    )


def counts(of: Refreshing, variant: Variant) -> Counter[str]:
    """The kernel counts of one bootstrap of a value at the lowest level possible, in limbs of n coefficients.

    The matrices and the keys were there before it. `peak_limbs` is that of the scheme's own variables.
    """
    how = method(of.procedure, of.technique)
    bases = Bases(of.limbs, of.special, _EPHEMERAL_PRIMES)
    return counted(of.procedure, of.n, how, variant, bases, 0 if of.procedure.table else LEAST_LEVEL)
