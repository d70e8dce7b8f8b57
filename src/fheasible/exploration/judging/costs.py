"""What a set costs its user per request, per value and in money, from what it takes of the machine.

Figures are numbers, or columns of numbers for many sets.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from fheasible.exploration.problem.wish import Wish
from fheasible.program.types import Program
from fheasible.units import GIB

HOUR: Final = 3600.0
Figures = Mapping[str, Any]


def uses(base: Figures, wish: Wish, at_once: Any, values: int = 1) -> dict[str, Any]:
    """The figures that follow from times, memory and sizes for this use, by name. Among them are the
    objectives, and `score`, the value of the wish's objective.

    `base` has `work` (which ranks sets where there is no profile), `cpu_seconds` and `keygen_seconds` (NaN
    without a profile), `peak_bytes`, `upload_bytes`, `download_bytes` and `key_bytes`. One run can hold
    `at_once` requests, of `values` values each.
    """
    requested = base["upload_bytes"] + base["download_bytes"]
    communication = requested + base["key_bytes"] / wish.requests
    time = np.where(np.isnan(base["cpu_seconds"]), base["work"], base["cpu_seconds"])
    figures = {
        "time": time,
        "memory": base["peak_bytes"],
        "communication": communication,
        "amortised": time / at_once,
        "cost": _cost(base, wish, communication),
    }
    return figures | {
        "request_bytes": requested,
        "setup_bytes": base["key_bytes"],
        "seconds_per_value": base["cpu_seconds"] / (at_once * values),
        "score": wish.goal.score(figures),
    }


def _cost(base: Figures, wish: Wish, communication: Any) -> Any:
    """The price of a request, with its share of the price of the keys; infinite where core hours have a price
    and no time is known."""
    hours = (base["cpu_seconds"] + base["keygen_seconds"] / wish.requests) / HOUR
    price = wish.price_core_hour or 0.0
    computed = np.where(np.isnan(hours), np.inf, price * hours) if price else 0.0
    return computed + (wish.price_gib or 0.0) * communication / GIB


def values_of(program: Program) -> int:
    """The number of elements that a request brings: the length of its longest input."""
    return max((packed.length for packed in program.inputs), default=1)


def requests_at_once(program: Program, ring_dimension: int) -> int:
    """The number of requests that one run can hold. Where no slot ever reaches another, free slots hold
    further requests, as often as the program's slots fit into the ring; else it is 1."""
    if program.rotations or program.swaps_rows or program.sums_slots:
        return 1
    slots = ring_dimension // 2 if program.scheme == "ckks" else ring_dimension
    return max(slots // program.slots, 1)
