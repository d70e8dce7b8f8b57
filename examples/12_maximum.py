"""The largest of 16 encrypted numbers from 0 to 255, by a tournament: half of them meet the other half.

Four rounds of comparisons and choices, each of which needs the result of the one before.
"""

import fheasible as fh

NUMBERS = 16


@fh.app(x=fh.integers(NUMBERS, low=0, high=255))
def maximum(x):
    while len(x) > 1:
        half = len(x) // 2
        x = fh.maximum(x[:half], x[half:])
    return x
