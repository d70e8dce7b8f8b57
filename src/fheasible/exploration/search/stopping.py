"""When a walk has gone far enough, because what comes after gains nothing."""

from typing import Final

import numpy as np

from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.judge import STAGES
from fheasible.exploration.judging.sieve import Judged

SATURATED_BITS: Final = 0.1  # of precision: scales that differ by less grow no more precise
_SCALES_ALIKE: Final = 3


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
