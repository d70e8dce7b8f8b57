"""Makes the table of least errors that `tfhe.py` reads, which takes some minutes.

    python -m fheasible.security.tfhe_tabulation

It writes `data/tfhe.json` beside this file. Run it whenever an attack or a cost model changes: a test
remakes a part of the table and compares it.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from fheasible.aliases import Floats
from fheasible.security.attacks.reduction import DEFAULT, DEFAULT_QUANTUM
from fheasible.security.estimator import estimate
from fheasible.security.tfhe import LEVELS, SECRET

PLACE = Path(__file__).parent / "data" / "tfhe.json"
STEP, PARTS = 32, 4  # between the dimensions of a line, and parts of a step whose ends are compared too
_LOG_Q, _FIRST_LOG_RATIO, _LAST_LOG_RATIO = 70.0, 4.5, 64.0  # as for tori of 64 bits
_LARGEST = 6400  # dimension
_ROUNDS = 14  # halvings of the span of log2 ratios: 0.004 bits are left
_MARGIN = 25  # thousandths of a bit, for dimensions between those that are looked at
_ROUNDING = 1000.0  # ratios are rounded down to a thousandth of a bit


def line(level: int, quantum: bool) -> tuple[int, int, list[float]]:
    """(the first dimension, the step, log2 of the largest q / sigma at each): nowhere above the estimator's
    among the dimensions that were looked at."""
    first, last = _span(level, quantum)
    knots = np.arange(first, last + STEP, STEP, dtype=np.float64)
    fine = np.arange(first, knots[-1] + 1, STEP // PARTS, dtype=np.float64)
    exact = largest_ratios(fine, level, quantum)
    at_knots = exact[::PARTS]
    excess = np.interp(fine, knots, at_knots) - exact
    pieces = np.maximum(excess[1:].reshape(-1, PARTS).max(axis=1), 0.0)
    lowered = at_knots - np.maximum(np.append(pieces, 0.0), np.append(0.0, pieces))
    values = (np.floor(lowered * _ROUNDING) - _MARGIN) / _ROUNDING
    return int(first), STEP, values.tolist()


def largest_ratios(dimensions: Floats, level: int, quantum: bool) -> Floats:
    """log2 of the largest q / sigma with which secrets of these dimensions have so many bits."""
    low = np.full_like(dimensions, _FIRST_LOG_RATIO)
    high = np.full_like(dimensions, _LAST_LOG_RATIO)
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        enough = _bits(dimensions, middle, quantum) >= level
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    return low


def _span(level: int, quantum: bool) -> tuple[int, int]:
    """The dimensions between which some ratio, but not every one, has so many bits."""
    tried = np.arange(STEP, _LARGEST, STEP, dtype=np.float64)
    some = _bits(tried, np.full_like(tried, _FIRST_LOG_RATIO), quantum) >= level
    every = _bits(tried, np.full_like(tried, _LAST_LOG_RATIO), quantum) >= level
    return int(tried[np.argmax(some)]), int(tried[np.argmax(every)])


def _bits(dimensions: Floats, log_ratio: Floats, quantum: bool) -> Floats:
    model = DEFAULT_QUANTUM if quantum else DEFAULT
    return estimate(dimensions, _LOG_Q, SECRET, np.exp2(_LOG_Q - log_ratio), model).bits


def table() -> Mapping[str, object]:
    """The whole table, with the names of the cost models that it was made by."""
    lines = {
        name: {str(level): line(level, quantum) for level in LEVELS}
        for name, quantum in (("classical", False), ("quantum", True))
    }
    return {"models": {"classical": DEFAULT, "quantum": DEFAULT_QUANTUM}, "lines": lines}


def main() -> None:
    PLACE.write_text(json.dumps(table(), separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
