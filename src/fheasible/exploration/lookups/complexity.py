"""How much work a table look-up is, as a number of operations: what the search for parameters makes least.

The count is that of [ConcreteOptimizer, computing_cost] and of the comments in TFHE-rs's sets: N log2 N + N
for a transform either way, one for each product or sum of two numbers.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from fheasible.aliases import Floats
from fheasible.schemes.tfhe.parameters import TfheParameters


class LookupCost(Protocol):
    """The cost of the two parts of a look-up, in any unit. Both grow with every argument but `grouping`, and
    both work element by element on arrays."""

    def external_product(
        self, glwe_dimension: int, polynomial_size: int, level: ArrayLike, grouping: int
    ) -> Floats:
        """One step of the blind rotation, which takes `grouping` bits of the small key."""

    def key_switch(self, large_dimension: int, lwe_dimension: ArrayLike, level: ArrayLike) -> Floats:
        """A key switch from the large key to the small one."""


@dataclass(frozen=True, slots=True)
class Complexity:
    """Numbers of operations. `sums`: how many ciphertexts under the large key are added up before each
    look-up, whose sums are counted too."""

    sums: int = 0

    def external_product(
        self, glwe_dimension: int, polynomial_size: int, level: ArrayLike, grouping: int
    ) -> Floats:
        """Transforms of the digits and of the result, products in between; with several bits at once, the
        sums of the keys' parts, one for each choice of bits but none."""
        k1, n, levels = glwe_dimension + 1, polynomial_size, np.asarray(level, dtype=np.float64)
        transform = n * np.log2(n) + n
        key = k1 * k1 * levels * n
        chosen = 2 * (2**grouping - 1) * key if grouping > 1 else 0.0
        return np.asarray(k1 * (levels + 1) * transform + key + chosen)

    def key_switch(self, large_dimension: int, lwe_dimension: ArrayLike, level: ArrayLike) -> Floats:
        """Every digit times a row of the key, and their sums; and the sums before the look-up."""
        rows = large_dimension * np.asarray(level, dtype=np.float64)
        size = np.asarray(lwe_dimension, dtype=np.float64) + 1
        return np.asarray(rows + rows * size + (rows - 1) * size + 1 + self.sums * large_dimension)


def lookup_cost(parameters: TfheParameters, cost: LookupCost) -> float:
    """The cost of one look-up with these parameters."""
    p = parameters
    steps = p.lwe_dimension / p.grouping
    each = cost.external_product(p.glwe_dimension, p.polynomial_size, p.pbs.level, p.grouping)
    return float(steps * each + cost.key_switch(p.large_dimension, p.lwe_dimension, p.ks.level))
