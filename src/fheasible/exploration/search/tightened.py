"""What an exploration without a limit on memory says about one with a limit, before that is searched."""

from dataclasses import replace

import numpy as np

from fheasible.exploration.judging.rank import exact_first, ties
from fheasible.exploration.search.search import Exploration, ranked

_SAME = 1e-6  # the part by which scores that were computed in other orders may differ


def tightened(found: Exploration, most: int) -> Exploration | None:
    """The exploration with only those sets that need no more than `most` bytes; None where the best of them
    is not known.

    What is left of the front is their front, since whatever beats a set in everything needs no more memory,
    and it has the best of them. Only sets that were kept are counted, and a search with the limit may also
    split vectors to need less memory.
    """
    goal = found.wish.goal
    left = [c for c in found.candidates if c.estimate.peak_bytes <= most]
    left.sort(key=lambda c: c.cost(goal))
    kept = found.kept.take(found.kept["peak_bytes"] <= most)
    if not left or float(np.min(kept["score"])) < left[0].cost(goal) * (1 - _SAME):
        return None
    if not found.problem.real:
        left = [left[i] for i in exact_first(list(range(len(left))), dict(enumerate(left)), goal)]
    candidates = tuple(left)
    return replace(
        found,
        wish=replace(found.wish, max_bytes=most),
        candidates=candidates,
        front=found.front & frozenset(candidates),
        ties=ties(candidates, goal),
        kept=ranked(kept),
        feasible=len(kept),
    )
