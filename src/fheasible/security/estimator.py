"""How hard sets of LWE parameters are: the cost of the cheapest attack, for many sets at once.

log2 q is always that of the whole modulus QP, which includes the special primes of the keys. The figures are
those of [LatticeEstimator] for the same attack and cost model, with unlimited samples and the geometric
series assumption, computed afresh for arrays; a test compares them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fheasible.aliases import Floats, Ints
from fheasible.errors import UnknownName
from fheasible.security.attacks import dual, exhaustive, hybrid, hybrid_dual, primal
from fheasible.security.attacks.cost import Attack, Cost, joined, shaped
from fheasible.security.attacks.lwe import LweProblem, problem
from fheasible.security.attacks.reduction import DEFAULT, Model, model_named
from fheasible.security.tables import SIGMA

ATTACKS: Mapping[str, Attack] = MappingProxyType(
    {
        "exhaustive": exhaustive.exhaustive,
        "usvp": primal.usvp,
        "bdd": primal.bdd,
        "dual_hybrid": dual.dual_hybrid,
        "dual_hybrid_wide": dual.dual_hybrid_wide,
        "bdd_hybrid": hybrid.bdd_hybrid,
        "bdd_mitm_hybrid": hybrid.bdd_mitm_hybrid,
        "dual_enumeration_hybrid": hybrid_dual.dual_enumeration_hybrid,
        "dual_mitm_hybrid": hybrid_dual.dual_mitm_hybrid,
    }
)
_DENSE = ("exhaustive", "usvp", "bdd", "dual_hybrid")
_SPARSE = (*_DENSE, "bdd_hybrid", "bdd_mitm_hybrid", "dual_enumeration_hybrid", "dual_mitm_hybrid")
_BY_SECRET = {"ternary": _DENSE, "binary": _DENSE, "gaussian": _DENSE, "sparse": _SPARSE}
_CHUNK = 256  # problems at a time, so that their arrays stay in the caches


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """The cheapest attacks, as arrays of the shape of the parameters.

    `bits` is log2 of the operations of the cheapest attack, `attack` names it and `block_size` is its BKZ
    block size; `costs` has every attack that was tried.
    """

    bits: Floats
    attack: NDArray[np.str_]
    block_size: Ints
    costs: Mapping[str, Cost]


def estimate(
    n: ArrayLike,
    log_q: ArrayLike,
    secret: str = "ternary",
    sigma: ArrayLike = SIGMA,
    model: str | Model = DEFAULT,
    attacks: Iterable[str] | None = None,
) -> Estimates:
    """The cost of the cheapest attack on each set; n, log_q and sigma broadcast against each other.

    `attacks` are names in `ATTACKS`; without them, the attacks that matter for the secret are tried. For
    dense secrets a larger n, a smaller log_q or a larger sigma never makes a set weaker, as long as 1 <=
    sigma < q / 16 and the weaker set still has 60 bits. Raises InfeasibleParameters or UnknownName for what
    is not an LWE problem.
    """
    given, shape = problem(n, log_q, secret, sigma)
    priced = model_named(model)
    chosen = tuple(attacks) if attacks is not None else attacks_on(given.secret.kind)
    return estimate_by({name: _attack(name) for name in chosen}, given, shape, priced)


def attacks_on(kind: str) -> tuple[str, ...]:
    """The names of the attacks that matter for a kind of secret."""
    return _BY_SECRET[kind]


def estimate_by(
    attacks: Mapping[str, Attack], given: LweProblem, shape: tuple[int, ...], model: Model
) -> Estimates:
    """The cost of the cheapest of these attacks on each problem."""
    return _least({name: shaped(_in_chunks(attack, given, model), shape) for name, attack in attacks.items()})


def _attack(name: str) -> Attack:
    try:
        return ATTACKS[name]
    except KeyError:
        raise UnknownName(f"no attack '{name}'", f"use some of {', '.join(ATTACKS)}") from None


def _in_chunks(attack: Attack, given: LweProblem, model: Model) -> Cost:
    starts = range(0, len(given), _CHUNK)
    return joined([attack(given.part(slice(start, start + _CHUNK)), model) for start in starts])


def _least(costs: Mapping[str, Cost]) -> Estimates:
    names = np.array(list(costs))
    bits = np.stack([cost.bits for cost in costs.values()])
    sizes = np.stack([cost.block_size for cost in costs.values()])
    best = np.argmin(bits, axis=0)
    picked = (np.take_along_axis(figures, best[None], axis=0)[0] for figures in (bits, sizes))
    least, block_size = picked
    return Estimates(least, names[best], block_size, MappingProxyType(dict(costs)))
