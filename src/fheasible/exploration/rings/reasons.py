"""Why a ring scheme is rejected, and why the best set is the best; every number comes from the search at
hand."""

from typing import TYPE_CHECKING

import numpy as np

from fheasible import units
from fheasible.exploration.rings.choice import RingCandidate
from fheasible.exploration.rings.pool import Pool
from fheasible.exploration.rings.space import Sets
from fheasible.exploration.rings.wish import SECRET, RingWish
from fheasible.schemes.plan import Plan
from fheasible.schemes.scheme import Scheme
from fheasible.security.verdict import verdict, verdicts

if TYPE_CHECKING:
    from fheasible.exploration.rings.search import RingExploration


def not_bits(kind: type[Scheme], steps: Plan, t: int) -> str:
    return f"plaintexts of {kind.title} are bits, t = 2; {steps.name} needs t = {t}"


def too_shallow(sets: Sets, depth: int, wish: RingWish) -> str:
    """Why no set in reach bears the depth, or the noise of the sums in addition to it."""
    i = int(np.lexsort((sets.log_w, sets.log_q, -sets.depth))[0])
    deepest = f"{_set(sets, i)} bears {sets.depth[i]}"
    if sets.depth[i] >= depth:
        return (
            f"the noise of its sums and products is beyond every set, though {deepest} products in succession"
        )
    return (
        f"depth {depth} is asked, and the deepest set, {deepest}: {wish.rule} allows no log2 q beyond "
        f"{sets.log_q.max()} in rings up to {units.power_of_two(int(sets.n.max()))}"
    )


def insecure(kind: type[Scheme], sets: Sets, depth: int, wish: RingWish) -> str:
    """Why no set is secure, by the set to which today's estimate gives most bits; of those without a figure,
    the one of least q."""
    bits = verdicts(kind.problem, sets.n, sets.log_q, SECRET, wish.quantum).bits
    i = int(np.lexsort((sets.log_q, -np.nan_to_num(bits, nan=-1.0)))[0])
    found = verdict(kind.problem, int(sets.n[i]), float(sets.log_q[i]), SECRET, wish.quantum)
    enough = bits[i] >= wish.least_bits  # enough bits, but with a warning: overstretched NTRU
    warned = (
        f"today's estimate warns of every set of depth {depth}"
        if enough
        else f"no set of depth {depth} has {wish.least_bits} bits by today's estimate"
    )
    return f"{warned}; the nearest, with log2 w = {sets.log_w[i]}: {'; '.join(found.warnings)}"


def too_large(pool: Pool, most: int) -> str:
    i = int(np.argmin(pool.bytes))
    return (
        f"{units.size(float(pool.bytes[i]))} are the least memory, at {_set(pool.sets, i)}, "
        f"and {units.size(most)} are allowed"
    )


def too_slow(pool: Pool, most: float) -> str:
    assert pool.seconds is not None
    i = int(np.argmin(pool.seconds["total"]))
    return (
        f"{units.seconds(float(pool.seconds['total'][i]))} is the least time, at {_set(pool.sets, i)}, "
        f"and {units.seconds(most)} are allowed"
    )


def _set(sets: Sets, i: int) -> str:
    n = units.power_of_two(int(sets.n[i]))
    return f"n = {n}, log2 q = {sets.log_q[i]}, log2 w = {sets.log_w[i]}"


def explain(found: "RingExploration") -> list[str]:
    """Sentences about the best candidate and the best of each other scheme. Empty where there is no
    candidate."""
    best = found.best
    if best is None:
        return []
    kinds = dict.fromkeys(c.kind for c in found.candidates[1:] if c.kind is not best.kind)
    others = [found.best_of(kind) for kind in kinds]
    return [_choice(found, best), *_larger_words(found, best), *(_dearer(best, c) for c in others if c)]


def _choice(found: "RingExploration", best: RingCandidate) -> str:
    p = best.parameters
    promised = f"bears {_products(best.depth)} in succession"
    needed = f"and {found.depth} are needed"
    if best.depth < found.depth:
        needed = (
            f"whatever their factors, and the {found.depth} of {found.app} too, since theirs bear less noise"
        )
    return (
        f"{best.kind.title} at log2 q = {p.log_q}, log2 w = {p.log_w} {promised}, {needed}; "
        f"{found.wish.rule} allow that q from n = {units.power_of_two(p.n)} on."
    )


def _products(count: int) -> str:
    return f"{count} product{'s' * (count != 1)}"


def _larger_words(found: "RingExploration", best: RingCandidate) -> list[str]:
    """A sentence on what a smaller w would have cost: the least w of the same scheme in the same ring."""
    same = [c for c in found.candidates if c.kind is best.kind and c.parameters.n == best.parameters.n]
    least = min(same, key=lambda c: c.parameters.log_w)
    if least.parameters.log_w >= best.parameters.log_w:
        return []
    return [f"With log2 w = {least.parameters.log_w} it takes {_times(least, best)}."]


def _dearer(best: RingCandidate, other: RingCandidate) -> str:
    p = other.parameters
    where = f"n = {units.power_of_two(p.n)}, log2 q = {p.log_q}, log2 w = {p.log_w}"
    return f"{other.kind.title} takes, at best ({where}), {_times(other, best)}."


def _times(one: RingCandidate, best: RingCandidate) -> str:
    unit = "multiplications" if one.seconds is None else "time"
    return (
        f"{_ratio(one.complexity / best.complexity)} times the {unit} and "
        f"{_ratio(one.memory / best.memory)} times the memory"
    )


def _ratio(x: float) -> str:
    return f"{x:,.0f}" if x >= 10 else f"{x:.2f}"
