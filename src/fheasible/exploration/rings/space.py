"""The parameter sets of a ring scheme that are tried, and which of them decrypt an application correctly."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fheasible.aliases import Array
from fheasible.errors import InfeasibleParameters
from fheasible.exploration.rings.wish import RingWish
from fheasible.schemes.evaluate import noise_of
from fheasible.schemes.noise import PANTHERS, Bounds, Noise
from fheasible.schemes.parameters import LARGEST_LOG_Q, RingParameters
from fheasible.schemes.plan import Plan
from fheasible.schemes.scheme import RingScheme

LEAST_LOG_Q = 8
WORDS = (*range(1, 33), *range(34, 129, 2), *range(136, 257, 8))


@dataclass(frozen=True, slots=True)
class RingSets:
    """Parameter sets of one scheme: entry i of each array belongs to set i. `depth` is the number of products
    in succession that it bears."""

    n: Array
    log_q: Array
    log_w: Array
    depth: Array

    def __len__(self) -> int:
        return len(self.n)

    def where(self, chosen: Array) -> "RingSets":
        """The sets that a mask selects, or those at given places."""
        return RingSets(self.n[chosen], self.log_q[chosen], self.log_w[chosen], self.depth[chosen])

    def parameters(self, t: int) -> RingParameters:
        return RingParameters(self.n, self.log_q, t, self.log_w)

    def at(self, i: int, t: int) -> RingParameters:
        """The parameters of set i."""
        return RingParameters(int(self.n[i]), int(self.log_q[i]), t, int(self.log_w[i]))


def grid(wish: RingWish) -> RingSets:
    """Every log2 q and log2 w <= log2 q, with the smallest ring that the rule allows for that q.

    n is 0 where there is no such ring; `depth` is not judged yet.
    """
    log_q, log_w = (a.ravel() for a in np.meshgrid(np.arange(LEAST_LOG_Q, LARGEST_LOG_Q + 1), WORDS))
    sensible = log_w <= log_q
    log_q, log_w = log_q[sensible], log_w[sensible]
    return RingSets(wish.smallest_rings(log_q), log_q, log_w, np.zeros_like(log_q))


def plain_modulus(steps: Plan) -> int:
    """The least t that distinguishes all outputs of the application."""
    if steps.modulus is not None:
        return steps.modulus
    return max([2, *(o.high - o.low + 1 for o in steps.outputs)])


def with_depths(kind: type[RingScheme], sets: RingSets, t: int, wish: RingWish, steps: Plan) -> RingSets:
    """The sets with the depth that the scheme's formula gives them."""
    return replace(sets, depth=np.asarray(_noise(kind, sets.parameters(t), wish, steps).depth()))


def bears(kind: type[RingScheme], sets: RingSets, t: int, wish: RingWish, steps: Plan) -> Array:
    """Whether the application decrypts correctly, for each set.

    With the constants of PAnTHErS, the formula of depth must allow its depth. With ours, the bound on the
    noise, followed through all its products and sums, must stay below the limit.
    """
    if wish.noise == PANTHERS:
        return np.asarray(sets.depth >= steps.depth)
    noise = _noise(kind, sets.parameters(t), wish, steps)
    return np.asarray(noise_of(steps, noise) < noise.limit())


def _noise(kind: type[RingScheme], p: RingParameters, wish: RingWish, steps: Plan) -> Noise:
    """The scheme's noise for the application. A circuit of bits has plaintexts beyond one, of which the
    published formulas take no account."""
    largest = 1 if wish.noise == PANTHERS else steps.largest
    return kind(p.counting_ring(), p.spec).noise(replace(wish.bounds(p.n), message=largest))


def smallest_log_q(
    kind: type[RingScheme],
    depth: int,
    t: int,
    log_w: int,
    rings: int | Callable[[Array], Array],
    bounds: Callable[[Any], Bounds],
) -> RingParameters:
    """The set of least log2 q that bears `depth` products in succession.

    `rings` is n, or a function that gives the n of each log_q (0 for none). InfeasibleParameters where no q
    does.
    """
    log_q = np.arange(max(LEAST_LOG_Q, log_w), LARGEST_LOG_Q + 1)
    n = np.full_like(log_q, rings) if isinstance(rings, int) else rings(log_q)
    log_q, n = log_q[n > 0], n[n > 0]
    many = RingParameters(n, log_q, t, log_w)
    deep = np.asarray(kind(many.counting_ring(), many.spec).noise(bounds(n)).depth())
    if not np.any(deep >= depth):
        most = f"the deepest set allows {deep.max()}" if len(deep) else "the rule allows no ring"
        raise InfeasibleParameters(
            f"{kind.title} does not allow depth {depth} with t = {t} and log2 w = {log_w}: {most}",
            "take a smaller w, a smaller t or a larger ring",
        )
    first = int(np.argmax(deep >= depth))
    return RingParameters(int(n[first]), int(log_q[first]), t, log_w)
