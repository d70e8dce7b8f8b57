"""The sets that libraries publish, as a search among sets is asked for them: with the least errors that they
take for secure, of which they publish a curve."""

from collections.abc import Callable

import numpy as np

from fheasible.aliases import Floats
from fheasible.exploration.lookups.optimiser import Asked, LeastStd
from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, TfheParameters, TUniform
from noise.tfhe.sets import NamedSet, named_sets

CONCRETE = {  # log2 of the deviation = slope * n + bias [ConcreteOptimizer, curves_gen.rs]
    128: (-0.025696778711484593, 2.675931372549016),
    132: (-0.024891456582633045, 2.65734593837534),
}


def gaussian_132(dimensions: Floats) -> Floats:
    """TFHE-rs's least Gaussian errors [TfheRs, secure_noise.rs]."""
    return np.asarray(np.sqrt(2.0**-124 + np.exp2(5.31469187675068 - 0.0497829131652661 * dimensions)))


def tuniform_132(dimensions: Floats) -> Floats:
    """TFHE-rs's least TUniform errors."""
    bounds = np.maximum(np.ceil(-0.025167785 * dimensions + 68.10067100000001), 3)
    return np.asarray(np.sqrt((np.exp2(2 * bounds + 1) + 1) / 6) * 2.0**-64)


def concrete(level: int) -> Callable[[Floats], Floats]:
    """Concrete's least Gaussian errors for a level of security."""
    slope, bias = CONCRETE[level]
    return lambda dimensions: np.asarray(np.maximum(np.exp2(slope * dimensions + bias), 2.0**-62))


def sets_for_processors() -> list[NamedSet]:
    """TFHE-rs's named sets for processors whose cost it states."""
    return [each for each in named_sets() if each.cost is not None and "GPU" not in each.name]


def as_tfhe_rs_asks(named: NamedSet) -> tuple[Asked, LeastStd]:
    """What a named set promises, and the least errors of its kind."""
    p = named.parameters
    tuniform = isinstance(p.glwe_errors, TUniform)
    asked = Asked(
        plaintext_modulus=p.plaintext_modulus,
        norm2=named.norm2,
        log2_failure=-128,
        groupings=(p.grouping,),
        modulus_switch=p.modulus_switch,
        tuniform=tuniform,
    )
    return asked, tuniform_132 if tuniform else gaussian_132


def published(
    bits: int, k: int, size: int, n: int, pbs: Gadget, ks: Gadget, least: LeastStd
) -> TfheParameters:
    """A set of Concrete's table, for a number of `bits`: n, k polynomials of that size, and both
    decompositions, with the least errors."""

    def errors(dimension: int) -> Gaussian:
        return Gaussian(float(least(np.array([float(dimension)]))[0]))

    return TfheParameters(
        lwe_dimension=n,
        glwe_dimension=k,
        polynomial_size=size,
        lwe_errors=errors(n),
        glwe_errors=errors(k * size),
        pbs=pbs,
        ks=ks,
        message_modulus=1 << bits,
        carry_modulus=1,
    )
