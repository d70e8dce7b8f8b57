"""At which depth sets with bootstraps overtake one large ring, estimated from one set of each kind.

Both are scaled to other depths. A program with bootstraps grows in proportion to its depth. In one ring,
every operation has as many primes as there are levels, so that time grows with the square of the depth; and
the ring doubles where its modulus is no longer secure.
"""

from math import ceil, inf
from typing import Final

from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.secure import most
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.catalogue import BY_NAME

_DEEPEST: Final = 500  # levels up to which the depth is looked for


def depth_of(e: Exploration, c: Candidate) -> int:
    """The levels that the candidate's program takes without bootstraps."""
    return e.problem.depth("ckks", c.degrees, c.as_written)


def overtaken_at(e: Exploration, refreshed: Candidate, alone: Candidate, each_seconds: float) -> int | None:
    """The least depth at which the set with bootstraps, each of which takes so long, takes less time than one
    ring. None where that is at no depth, or where a time is unknown."""
    if not (refreshed.estimate.timed and alone.estimate.timed):
        return None
    levels = range(refreshed.ckks.levels + 1, _DEEPEST)
    times = ((d, _with_bootstraps(e, refreshed, each_seconds, d), _in_one_ring(e, alone, d)) for d in levels)
    return next((d for d, refreshing, single in times if refreshing < single), None)


def _with_bootstraps(e: Exploration, c: Candidate, each_seconds: float, depth: int) -> float:
    """The seconds of the set with bootstraps at another depth, with at least one bootstrap."""
    count, share = c.program.bootstrap_count, depth / depth_of(e, c)
    others = max(_seconds(c) - count * each_seconds, 0.0)
    return others * share + max(ceil(count * share), 1) * each_seconds


def _in_one_ring(e: Exploration, c: Candidate, depth: int) -> float:
    """The seconds of a set without bootstraps at another depth; infinite where no ring is secure."""
    own = depth_of(e, c)
    log_qp = c.parameters.log_qp * (depth + 1) / (own + 1)
    n = c.parameters.ring_dimension
    while most(n, e.wish.security, e.wish.quantum) < log_qp:
        n *= 2
        if n > BY_NAME[c.library].largest_ring:
            return inf
    while depth < own and n > 2 and most(n // 2, e.wish.security, e.wish.quantum) >= log_qp:
        n //= 2
    return _seconds(c) * (depth / own) ** 2 * n / c.parameters.ring_dimension


def _seconds(c: Candidate) -> float:
    times = c.estimate.cpu_seconds
    return times["total"] if times else inf
