"""Where depth budgets, packings and orders of products other than the usual ones are worth a walk, and when
a walk has gone far enough, because what comes after gains nothing.

A sum over k ciphertexts saves log2(k) of its rotations and their keys, and takes k - 1 more of each
encryption and product. A level that results keep gives values room beyond the first prime, and makes every
operation a limb longer.

Where fewer spare levels are enough, one more only costs, because of its limb. That it does not allow a
smaller ring then is a rule of thumb: two small primes may take less than a large one with its special prime.
Splits are compared exactly on the set that is best without them. Two more rules of thumb are that other sets
gain little more, and that the lower noise of a split is worth no more than half the ring. So is how much
better products as written may get than the best set with its products rewritten in that order.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import inf, log2
from typing import Final

import numpy as np

from fheasible.circuit.node import Circuit, Input, Kind, Op, node
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.judge import STAGES, Judge, Rejection, failing
from fheasible.exploration.judging.sieve import Judged, Miss, Nearest
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import HALF, Wish
from fheasible.exploration.search.limits import LIMITS, limits
from fheasible.exploration.space.requests import Choice
from fheasible.libraries.bootstrapping import Bootstrapping
from fheasible.libraries.parameters import CkksParameters
from fheasible.noise.ckks.bootstrap import at_least_added

LESS_NOISE_BITS: Final = 2.0  # with a quarter of the slots, since its sum has a quarter of the terms

# What half of the slots may take, as a share of what all take, for a quarter to be tried; and what a split
# may take to be walked, since with less noise it may need fewer or smaller digits.
HOPEFUL: Final = 1.05
# What a set with products as written may take to be walked, as a multiple of the best set, since digits and
# sizes of its own make it better (by a factor of two at most in what was tried).
WORTH_A_WALK: Final = 2.0
# Bits of scale that such a set may add (larger rings have few small primes), or lack in a smaller ring.
MORE_BITS: Final = (0, 2, 4, 6, 8, 10)
# A multiple of a limit: a set beyond it is not expected to meet the limit by a split in its ring or half.
IN_REACH: Final = 3.0

DEEP: Final = 10  # levels of a circuit from which on bootstraps are tried
MOST_REFRESHED: Final = 16  # sets with bootstraps of each library that are judged, the cheapest first
ENOUGH_REFRESHED: Final = 3  # of them that are right
AT_A_TIME: Final = 4  # sets that are compared where only one is told
MOST_BEATEN: Final = 8  # of them that are judged
BY_FAR_BITS: Final = 1.0  # that a set with bootstraps lacks, as if it bootstrapped four times as often
CLEARLY: Final = 1.5  # times a score, more than the rough order of sets with bootstraps is off by
# Times a score. The first bootstrap that is listed takes less than twice as long as any other in its ring.
FAR: Final = 2 * CLEARLY

SATURATED_BITS: Final = 0.1  # of precision: scales that differ by less grow no more precise
_SCALES_ALIKE: Final = 3
_REDUCTION_SWITCHES: Final = 25  # relinearisations of an approximate modular reduction


def least(best: Columns, found: Columns) -> Columns:
    """The one row of both tables that has the least score; `best` has one row, or none."""
    if not len(found):
        return best
    at = int(np.argmin(found["score"]))
    if len(best) and best["score"][0] <= found["score"][at]:
        return best
    return found.take(np.array([at]))


def score_if(judge: Judge, choice: Choice, wish: Wish) -> float:
    """The score of the set of that choice, without a look at its noise; infinite where the library refuses
    it, or where it takes more than is allowed."""
    made = judge.made(choice)
    if isinstance(made, Rejection):
        return inf
    figures = judge.figures(*made)
    most = {LIMITS[name][1]: limit for name, limit in limits(wish).items()}
    return inf if any(figures[name] > limit for name, limit in most.items()) else figures["score"]


def rough_work(p: CkksParameters, bootstraps: float, switches: int) -> float:
    """The limbs that the key switches of so many bootstraps, and of so many other operations at half of the
    levels, work on, once for each digit, times the ring dimension: what sets with bootstraps are told apart
    by before their programs are written."""
    assert p.bootstrap is not None
    others = switches * _switch(p.levels / 2 + 1, p.q, p.p, p.digits)
    return p.ring_dimension * (bootstraps * _bootstrap(p.ring_dimension, p.levels + 1, p.bootstrap) + others)


def _bootstrap(n: int, left: int, own: Bootstrapping) -> float:
    """The limbs that the key switches of a bootstrap work on, which leaves `left` limbs: one transform at the
    top, the other one at the bottom, and the modular reduction between them."""
    encode, decode = own.procedure.encode, own.procedure.decode
    high, low = len(own.q) - len(encode) / 2, left + len(decode) / 2
    turns = [sum(2 * 2 ** (stages / 2 + 1) for stages in factors) for factors in (encode, decode)]
    reductions = _REDUCTION_SWITCHES * (2 if 2 * own.procedure.slots == n else 1)
    parts = ((turns[0], high), (reductions, (high + low) / 2), (turns[1], low))
    once = sum(count * _switch(limbs, own.q, own.p, own.digits) for count, limbs in parts)
    return own.procedure.iterations * once


def _switch(limbs: float, q: Sequence[int], special: Sequence[int], digits: int) -> float:
    """The limbs that a key switch of so many limbs works on, in a chain with so many digits at its top."""
    return max(digits * limbs / len(q), 1.0) * (limbs + len(special))


def fewest(choice: Choice, depth: int) -> int:
    """The fewest bootstraps that any program of that depth has with the choice's levels: as many as
    successive ones are needed, and at least one."""
    budget = choice.style.budget
    assert budget is not None
    return max(-(-(depth - budget.above) // budget.levels) - 1, 1)


def least_score(judge: Judge, choice: Choice, slots: int, count: int) -> float:
    """A score that no program with so many of the choice's bootstraps goes below, of so many slots: that of
    the bootstraps and nothing else. Infinite where the library refuses them."""
    budget = choice.style.budget
    assert budget is not None
    style = replace(choice.style, as_written=False, budget=replace(budget, above=0))
    alone = Judge(_bootstraps_alone(slots, count), judge.library, judge.scheme, judge.wish, judge.profile)
    return score_if(alone, replace(choice, style=style, degrees=()), judge.wish)


@lru_cache(maxsize=64)
def _bootstraps_alone(slots: int, count: int) -> Problem:
    """So many bootstraps of one vector, one after the other, and nothing else."""
    x = Input("x", Kind.REAL, slots, -1.0, 1.0)
    made = node(Op.INPUT, attribute=x, length=slots, kind=Kind.REAL)
    for _ in range(count):
        made = node(Op.BOOTSTRAP, made, length=slots, kind=Kind.REAL)
    circuit = Circuit("bootstraps", (x,), (("result", made),))
    return Problem(circuit, {"x": np.zeros(slots)}, "zeros", trusted=True)


def precise_enough(p: CkksParameters, count: int, wish: Wish) -> bool:
    """Whether so many bootstraps fail seldom enough, and the noise of one may be within what is asked."""
    if failing(p, count, wish.failure_bits):
        return False
    return not wish.least.in_bits or log2(at_least_added(p)) / 2 <= -wish.least.value


def nearly_right(judge: Judge, nearest: Nearest) -> bool:
    """Whether the small noise reduction of split vectors could make the nearest miss feasible: rotations add
    noise up."""
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


def hopeless(judge: Judge, nearest: Nearest | None) -> bool:
    """Whether the nearest miss, a set with bootstraps, is by far too coarse."""
    asked = judge.wish.least
    if not isinstance(nearest, Rejection) or nearest.stage != "precision" or not asked.in_bits:
        return False
    return judge.problem.real and asked.value + nearest.miss > BY_FAR_BITS


def settled(judged: Judged) -> bool:
    """Whether BFV needs no more primes, or BGV no more levels: some size is right, or even the smallest is
    insecure."""
    insecure = judged.nearest is not None and judged.nearest.distance[0] >= -STAGES.index("security")
    return bool(len(judged.feasible)) or insecure


def few_digits(rows: Columns) -> bool:
    """Whether some set has so few digits that fewer cannot make up for a larger ring. Key switching takes
    some digits * (limbs of QP) transforms, at least 2 * (limbs of Q), and each is twice as long in twice the
    ring."""
    switched = rows["digits"] * (rows["limbs"] + rows["special_limbs"])
    return bool(len(rows)) and bool((switched <= 4 * rows["limbs"]).any())


def saturated(rows: Columns) -> bool:
    """Whether the largest scales of a ring are about as precise as each other."""
    scales = np.unique(rows["scale_bits"])[-_SCALES_ALIKE:]
    if len(scales) < _SCALES_ALIKE:
        return False
    best = [rows["precision_bits"][rows["scale_bits"] == scale].max() for scale in scales]
    return bool(max(best) - min(best) < SATURATED_BITS)
