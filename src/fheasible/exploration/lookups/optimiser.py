"""The cheapest parameters of TFHE for a precision, a 2-norm, a failure rate and a security level.

The search is exhaustive over the ring (k, N), the dimension n of the small key, both decompositions and the
number of bits that are taken at once; the errors are the least secure ones. What is left out is left out for
certain: of each number of levels, all bases but that with the least noise; dimensions whose rounding to 2N
steps alone fails too often; and whatever costs more than the best found so far even with the cheapest
of the choices that are left. The same was done by [ConcreteOptimizer].
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from math import log

import numpy as np
from scipy.special import ndtri_exp

from fheasible.aliases import Floats
from fheasible.exploration.lookups.complexity import Complexity, LookupCost
from fheasible.exploration.lookups.gadgets import Gadgets, bootstrap_gadgets, switch_gadgets
from fheasible.noise.tfhe.noise import lookup_failure, room
from fheasible.noise.tfhe.variances import DOUBLE, modulus_switch_variance
from fheasible.schemes.tfhe.parameters import (
    TORUS_BITS,
    Errors,
    Gadget,
    Gaussian,
    ModulusSwitch,
    Order,
    TfheParameters,
    TUniform,
)
from fheasible.security.tfhe import least_std

LeastStd = Callable[[Floats], Floats]
"""The least secure standard deviations, as parts of the torus, for the dimensions of binary secrets."""

SMALL = np.arange(450, 2048)  # dimensions of the small key
GLWE = tuple(range(1, 7))  # dimensions of the large key, in polynomials
RINGS = tuple(1 << log_n for log_n in range(8, 18))
_SWITCH_LEVELS = 32  # of a key switch; with 2 bits each they reach the last bit of the torus


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a look-up shall do. `norm2`: the largest 2-norm of the factors of the sums that are looked up.
    `log2_failure`: log2 of the largest probability that a look-up fails.

    `tuniform`: errors are TUniform, as TFHE-rs's default sets have them, or else Gaussian. `groupings`: how
    many bits of the small key one external product may take. `mantissa`: the precision of the transforms.
    """

    plaintext_modulus: int
    norm2: float
    log2_failure: float
    security: int = 128
    quantum: bool = False
    groupings: tuple[int, ...] = (1,)
    modulus_switch: ModulusSwitch = ModulusSwitch.CENTERED
    order: Order = Order.KS_PBS
    tuniform: bool = True
    mantissa: int | None = DOUBLE
    small: tuple[int, int] = (int(SMALL[0]), int(SMALL[-1]))
    glwe: tuple[int, ...] = GLWE
    rings: tuple[int, ...] = RINGS

    @property
    def allowed(self) -> float:
        """The largest variance with which a look-up fails seldom enough."""
        reach = -float(ndtri_exp((self.log2_failure - 1) * log(2)))
        return (room(self.plaintext_modulus) / reach) ** 2


@dataclass(frozen=True, slots=True)
class Optimised:
    """A set with its cost, and log2 of how often a look-up at the 2-norm asked for fails with it."""

    parameters: TfheParameters
    cost: float
    log2_failure: float


def optimised(asked: Asked, cost: LookupCost | None = None, least: LeastStd | None = None) -> list[Optimised]:
    """The cheapest set of each grouping that is asked for, the cheapest first; groupings with which no set
    does what is asked are absent.

    `cost` is what is made least: without it, the number of operations. `least`: which errors are secure;
    without it, those of the security level that is asked for.
    """
    priced = Complexity() if cost is None else cost
    secure = _secure(asked.security, asked.quantum) if least is None else least
    searches = (_Search(asked, priced, secure, grouping) for grouping in asked.groupings)
    found = [best for best in (search.best() for search in searches) if best is not None]
    return sorted(found, key=lambda each: each.cost)


@lru_cache(maxsize=64)
def _secure(security: int, quantum: bool) -> LeastStd:
    return lambda dimensions: least_std(dimensions, security, quantum)


@dataclass(frozen=True, slots=True)
class _Ring:
    """One choice of k and N, with its decompositions in the bootstrap and the cost of a step with each."""

    k: int
    n: int
    gadgets: Gadgets
    steps: Floats

    @property
    def large(self) -> int:
        return self.k * self.n


@dataclass(slots=True)
class _Found:
    """The best set so far: its ring, small dimension, and indices of the levels of both decompositions."""

    cost: float = float("inf")
    variance: float = float("inf")
    ring: _Ring | None = None
    dimension: int = 0
    pbs: int = 0
    ks: int = 0


@dataclass(slots=True)
class _Search:
    """The search with one grouping."""

    asked: Asked
    cost: LookupCost
    least: LeastStd
    grouping: int
    cuts: bool = True  # without them every set is looked at: for tests
    small: Floats = field(init=False)
    switch: Gadgets = field(init=False)
    found: _Found = field(init=False)

    def __post_init__(self) -> None:
        first, last = self.asked.small
        dimensions = np.arange(first, last + 1)
        self.small = dimensions[dimensions % self.grouping == 0].astype(np.float64)
        self.switch = _switch(self.least, self.asked.tuniform, tuple(self.small.astype(int).tolist()))
        self.found = _Found()

    def best(self) -> Optimised | None:
        """The cheapest set; None where no set does what is asked."""
        rings = product(self.asked.glwe, self.asked.rings)
        for least, k, n in sorted((self._least_step(k, n), k, n) for k, n in rings):
            if self.cuts and not self._affordable(least):
                break  # the rings after it cost even more
            self._try_ring(self._ring(k, n))
        if self.found.ring is None:
            return None
        parameters = self._parameters(self.found, self.found.ring)
        failure = lookup_failure(parameters, self.asked.norm2, self.asked.mantissa)
        return Optimised(parameters, self.found.cost, failure)

    def _least_step(self, k: int, n: int) -> float:
        """The cost of a step with one level, in the ring of that k and N."""
        return float(self.cost.external_product(k, n, 1, self.grouping))

    def _ring(self, k: int, n: int) -> _Ring:
        gadgets = _bootstrap(self.least, self.asked.tuniform, k, n, self.grouping, self.asked.mantissa)
        return _Ring(k, n, gadgets, self.cost.external_product(k, n, gadgets.levels, self.grouping))

    def _affordable(self, step: float) -> bool:
        """Whether the fewest steps of that cost take no more than the best set so far."""
        return float(self.small[0]) / self.grouping * step <= self.found.cost

    def _try_ring(self, ring: _Ring) -> None:
        """Looks at every small dimension and decomposition with this ring."""
        centered = self.asked.modulus_switch is ModulusSwitch.CENTERED
        rounded = modulus_switch_variance(self.small, ring.n, self.grouping, centered)
        left = self.asked.allowed - rounded
        switches = self.cost.key_switch(ring.large, self.small, 1)
        for index, step in enumerate(ring.steps.tolist()):
            if self.cuts and not self._affordable(step):
                return  # more levels cost even more
            added = self.asked.norm2**2 * self.small * ring.gadgets.variances[index]
            if self.cuts and added[0] >= left[0]:
                continue  # a larger key has more noise from both
            bootstraps = self.small / self.grouping * step
            possible = added < left
            if self.cuts:
                possible &= bootstraps + switches <= self.found.cost
            here = np.flatnonzero(possible)
            if len(here):
                self._try_switches(ring, index, here, bootstraps[here], (left - added)[here], added + rounded)

    def _try_switches(
        self, ring: _Ring, pbs: int, here: np.ndarray, bootstraps: Floats, left: Floats, added: Floats
    ) -> None:
        """Takes, for each small dimension, the fewest levels of the key switch whose noise fits."""
        factor = ring.large * (1.0 if self.asked.order is Order.KS_PBS else self.asked.norm2**2)
        variances = self.switch.variances[here] * factor
        levels = np.sum(variances > left[:, None], axis=1)
        fits = levels < variances.shape[1]
        if not fits.any():
            return
        here, levels, bootstraps, variances = here[fits], levels[fits], bootstraps[fits], variances[fits]
        costs = bootstraps + self.cost.key_switch(ring.large, self.small[here], levels + 1)
        total = added[here] + variances[np.arange(len(here)), levels]
        best = int(np.lexsort((total, costs))[0])
        if (costs[best], total[best]) < (self.found.cost, self.found.variance):
            self.found = _Found(
                float(costs[best]),
                float(total[best]),
                ring,
                int(self.small[here[best]]),
                pbs,
                int(levels[best]),
            )

    def _parameters(self, found: _Found, ring: _Ring) -> TfheParameters:
        row = int(np.flatnonzero(self.small == found.dimension)[0])
        return TfheParameters(
            lwe_dimension=found.dimension,
            glwe_dimension=ring.k,
            polynomial_size=ring.n,
            lwe_errors=_errors(self.least, self.asked.tuniform, found.dimension),
            glwe_errors=_errors(self.least, self.asked.tuniform, ring.large),
            pbs=Gadget(int(ring.gadgets.bases[found.pbs]), found.pbs + 1),
            ks=Gadget(int(self.switch.bases[row, found.ks]), found.ks + 1),
            message_modulus=self.asked.plaintext_modulus,
            carry_modulus=1,
            order=self.asked.order,
            modulus_switch=self.asked.modulus_switch,
            grouping=self.grouping,
        )


def _errors(least: LeastStd, tuniform: bool, dimension: int) -> Errors:
    """The narrowest secure errors for a dimension."""
    std = float(least(np.array([float(dimension)]))[0])
    return TUniform(int(_bounds(np.array([std]))[0])) if tuniform else Gaussian(std)


def _variances(least: LeastStd, tuniform: bool, dimensions: Floats) -> Floats:
    """The variances of the narrowest secure errors for each dimension."""
    deviations = least(dimensions)
    if not tuniform:
        return deviations**2
    return np.array([TUniform(bound).variance for bound in _bounds(deviations).tolist()])


def _bounds(deviations: Floats) -> np.ndarray:
    """The least bounds with which TUniform errors are at least as wide."""
    wanted = (6 * (deviations * 2.0**TORUS_BITS) ** 2 - 1) / 2
    return np.ceil(np.log2(wanted) / 2 - 1e-9).astype(int)


@lru_cache(maxsize=64)
def _switch(least: LeastStd, tuniform: bool, small: tuple[int, ...]) -> Gadgets:
    variances = _variances(least, tuniform, np.array(small, dtype=np.float64))
    different, each = np.unique(variances, return_inverse=True)  # TUniform errors have few
    found = switch_gadgets(different, _SWITCH_LEVELS)
    return Gadgets(found.variances[each], found.bases[each])


@lru_cache(maxsize=1024)
def _bootstrap(
    least: LeastStd, tuniform: bool, k: int, n: int, grouping: int, mantissa: int | None
) -> Gadgets:
    variance = float(_variances(least, tuniform, np.array([float(k * n)]))[0])
    return bootstrap_gadgets(k, n, variance, grouping, mantissa)
