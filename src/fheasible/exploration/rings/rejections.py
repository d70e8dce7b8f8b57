"""Why a ring scheme has no feasible set: the nearest miss, with its numbers."""

import numpy as np

from fheasible import units
from fheasible.exploration.rings.pool import RingPool
from fheasible.exploration.rings.space import RingSets
from fheasible.exploration.rings.wish import SECRET, RingWish
from fheasible.schemes.plan import Plan
from fheasible.schemes.scheme import RingScheme
from fheasible.security.verdict import verdict, verdicts


def not_bits(kind: type[RingScheme], steps: Plan, t: int) -> str:
    return f"plaintexts of {kind.title} are bits (t = 2), but {steps.name} needs t = {t}"


def too_shallow(sets: RingSets, depth: int, wish: RingWish) -> str:
    """Why no set in reach bears the depth, or the noise of the sums in addition to it."""
    i = int(np.lexsort((sets.log_w, sets.log_q, -sets.depth))[0])
    deepest = f"{_set(sets, i)}, allows {sets.depth[i]}"
    if sets.depth[i] >= depth:
        return (
            "the noise of its sums and products is too large for every set, although the deepest set, "
            f"{deepest} products in succession"
        )
    return (
        f"depth {depth} is needed, but the deepest set, {deepest}; {wish.rule} allows no log2 q beyond "
        f"{sets.log_q.max()} in rings up to {units.power_of_two(int(sets.n.max()))}"
    )


def insecure(kind: type[RingScheme], sets: RingSets, depth: int, wish: RingWish) -> str:
    """Why no set is secure, by the set to which today's estimate gives most bits; of those without a figure,
    the one of least q."""
    bits = verdicts(kind.problem, sets.n, sets.log_q, SECRET, wish.quantum).bits
    i = int(np.lexsort((sets.log_q, -np.nan_to_num(bits, nan=-1.0)))[0])
    found = verdict(kind.problem, int(sets.n[i]), float(sets.log_q[i]), SECRET, wish.quantum)
    enough = bits[i] >= wish.least_bits  # enough bits, but with a warning: overstretched NTRU
    warned = (
        f"today's estimate warns about every set of depth {depth}"
        if enough
        else f"no set of depth {depth} has {wish.least_bits} bits by today's estimate"
    )
    return f"{warned}; the nearest, with log2 w = {sets.log_w[i]}: {'; '.join(found.warnings)}"


def too_large(pool: RingPool, most: int) -> str:
    i = int(np.argmin(pool.bytes))
    return (
        f"the least memory is {units.size(float(pool.bytes[i]))}, at {_set(pool.sets, i)}, "
        f"but only {units.size(most)} are allowed"
    )


def too_slow(pool: RingPool, most: float) -> str:
    assert pool.seconds is not None
    i = int(np.argmin(pool.seconds["total"]))
    return (
        f"the least time is {units.seconds(float(pool.seconds['total'][i]))}, at {_set(pool.sets, i)}, "
        f"but only {units.seconds(most)} are allowed"
    )


def _set(sets: RingSets, i: int) -> str:
    n = units.power_of_two(int(sets.n[i]))
    return f"n = {n}, log2 q = {sets.log_q[i]}, log2 w = {sets.log_w[i]}"
