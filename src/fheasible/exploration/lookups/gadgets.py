"""The decompositions that are worth trying: of each number of levels, the base with the least noise.

The cost of a decomposition depends on its levels alone, so that no other base could be better.
"""

from dataclasses import dataclass

import numpy as np

from fheasible.aliases import Floats, Ints
from fheasible.noise.tfhe.variances import bootstrap_variance, key_switch_variance
from fheasible.schemes.tfhe.parameters import TORUS_BITS

_LARGEST_BASE = TORUS_BITS // 2
"""log2. With one level, the errors of the key and what is dropped add the same noise where the square
of the base is 1 / sigma or less; with more levels at a smaller base. sigma is 2^-62 at least."""


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
    base, level = _bases_and_levels(TORUS_BITS)
    variances = bootstrap_variance(
        1, glwe_dimension, polynomial_size, base, level, key_variance, grouping, mantissa
    )
    found = _best(variances, base, level)
    last = int(np.argmin(found.variances)) + 1  # levels beyond the least noise are never needed
    return Gadgets(found.variances[:last], found.bases[:last])


def switch_gadgets(key_variance: Floats, most: int) -> Gadgets:
    """The noise that the key switch adds for each number that it switches, for each variance of its key;
    shape (variances, levels), with at most `most` levels."""
    base, level = _bases_and_levels(most)
    variances = key_switch_variance(1, base, level, key_variance[:, None, None])
    return _best(variances, base, level)


def _bases_and_levels(most: int) -> tuple[Ints, Ints]:
    """All bases along the last axis, and up to `most` levels along the one before."""
    return np.arange(1, _LARGEST_BASE + 1), np.arange(1, most + 1)[:, None]


def _best(variances: Floats, base: Ints, level: Ints) -> Gadgets:
    """For each level the base with the least variance, among those whose digits fit into the torus."""
    fitting = np.where(base * level <= TORUS_BITS, variances, np.inf)
    least = np.minimum.accumulate(fitting.min(axis=-1), axis=-1)
    return Gadgets(least, np.asarray(fitting.argmin(axis=-1) + 1))
