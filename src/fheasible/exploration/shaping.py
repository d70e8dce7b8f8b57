"""Depth budgets, packings and orders of products beside the usual: where they are worth a walk.

A sum over k ciphertexts saves log2(k) of its rotations, and the keys of these, and takes k - 1 more of each
encryption and product. A level that results keep gives values room beyond the first prime, and makes every
operation a limb longer.

That a spare level only costs where fewer do is argued by its limb. That it buys no smaller ring then is a
rule of thumb: two small primes may take less than a large one with its special prime. Splits are compared on
the set that is best without them, exactly; that other sets gain little more, and that less noise by splitting
is worth no more than half the ring, are rules of thumb. So is how much better products as written may get
than the best set with them in the place of the least deep.
"""

from math import inf
from typing import Final

import numpy as np

from fheasible.exploration.columns import Columns
from fheasible.exploration.foresee import HALF
from fheasible.exploration.judge import STAGES, Judge, Rejection
from fheasible.exploration.limits import LIMITS, limits
from fheasible.exploration.sieve import Miss, Nearest
from fheasible.exploration.space import Choice
from fheasible.exploration.wish import Wish

LESS_NOISE_BITS: Final = 2.0  # that a quarter of the slots may have, as its sum has a quarter of the terms

HOPEFUL: Final = 1.05  # what half of the slots may take, of what all do, for a quarter to be tried; and what
# a split may, as less noise leaves it fewer digits, or smaller ones
WORTH_A_WALK: Final = 2.0  # times the best set: what one with products as written may take to be walked, as
# digits and sizes of its own make it better (by two times at the most in what was tried)
MORE_BITS: Final = (0, 2, 4, 6, 8, 10)  # of scale that it may take: a larger ring has fewer small primes
IN_REACH: Final = 3.0  # times a limit: beyond, no split in such a ring or half of it is expected to meet it


def least(best: Columns, found: Columns) -> Columns:
    """The one row of both that takes the least of what shall be small; `best` is one, or none."""
    if not len(found):
        return best
    at = int(np.argmin(found["score"]))
    if len(best) and best["score"][0] <= found["score"][at]:
        return best
    return found.take(np.array([at]))


def score_if(judge: Judge, choice: Choice, wish: Wish) -> float:
    """What the set of that choice would take of what shall be small, its noise unseen; infinite where the
    library refuses it, or it takes more than is allowed."""
    made = judge.made(choice)
    if isinstance(made, Rejection):
        return inf
    figures = judge.figures(*made)
    most = {LIMITS[name][1]: limit for name, limit in limits(wish).items()}
    return inf if any(figures[name] > limit for name, limit in most.items()) else figures["score"]


def nearly_right(judge: Judge, nearest: Nearest) -> bool:
    """Whether so little noise less would do that split vectors may make: rotations add it up."""
    if not isinstance(nearest, Miss) or STAGES[nearest.stage] not in ("correctness", "precision", "ranges"):
        return False
    if STAGES[nearest.stage] == "ranges":  # right on the data
        return True
    asked, miss = judge.wish.least, nearest.miss
    if STAGES[nearest.stage] == "correctness":
        return miss <= LESS_NOISE_BITS
    if not judge.problem.real:
        return miss <= HALF * 2**LESS_NOISE_BITS
    if asked.in_bits:
        return asked.value + miss <= LESS_NOISE_BITS
    return miss <= asked.value * 2**LESS_NOISE_BITS
