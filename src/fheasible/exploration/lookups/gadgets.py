"""The decompositions that are worth trying: of each number of levels, the base with the least noise.

The cost of a decomposition depends on its levels alone, so that no other base could be better.
"""

from dataclasses import dataclass

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.noise.tfhe.variances import bootstrap_variance, key_switch_variance
from fheasible.schemes.tfhe.parameters import TORUS_BITS

_BASES = np.arange(1, TORUS_BITS + 1)


@dataclass(frozen=True, slots=True, eq=False)
class Gadgets:
    """Variances with the best base of each number of levels, 1, 2, ..., on the last axis; `bases` are their
    base logs. `variances` never rise along that axis: where another level would add noise, the entry repeats
    the one before, and is never chosen, for it costs more."""

    variances: Floats
    bases: Ints

    @property
    def levels(self) -> Ints:
        return np.arange(1, self.variances.shape[-1] + 1)


def bootstrap_gadgets(
    glwe_dimension: int, polynomial_size: int, key_variance: float, grouping: int, mantissa: int | None
) -> Gadgets:
    """The noise that the bootstrap adds for each bit of the small key; shape (levels,)."""

    def added(level: int, bases: Ints) -> Floats:
        return bootstrap_variance(
            1, glwe_dimension, polynomial_size, bases, level, key_variance, grouping, mantissa
        )

    found = [_best(added(level, _bases(level))) for level in range(1, TORUS_BITS + 1)]
    return _gadgets([v for v, _ in found], [b for _, b in found])


def switch_gadgets(key_variance: Floats, most: int) -> Gadgets:
    """The noise that the key switch adds for each number that it switches, for each variance of its key;
    shape (variances, levels), with at most `most` levels."""
    column = key_variance[:, None]
    found = [_best(key_switch_variance(1, _bases(level), level, column)) for level in range(1, most + 1)]
    return _gadgets([v for v, _ in found], [b for _, b in found])


def _bases(level: int) -> Ints:
    return _BASES[_BASES * level <= TORUS_BITS]


def _best(variances: Floats) -> tuple[Floats, Ints]:
    """The least of the last axis, whose entries are for bases 1, 2, ..., and its base."""
    return variances.min(axis=-1), np.asarray(variances.argmin(axis=-1) + 1)


def _gadgets(variances: list[Floats], bases: list[Ints]) -> Gadgets:
    all_variances, all_bases = np.stack(variances, axis=-1), np.stack(bases, axis=-1)
    least = np.minimum.accumulate(all_variances, axis=-1)
    if least.ndim == 1:  # levels beyond the least noise are never needed
        last = int(np.argmin(least)) + 1
        least, all_bases = least[:last], all_bases[:last]
    return Gadgets(least, all_bases)
