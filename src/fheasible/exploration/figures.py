"""What a set takes of its user, from what it takes of the machine: per request, per value, in money.

Numbers or columns of them.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from fheasible.exploration.wish import Wish
from fheasible.program.types import Program

GIB: Final = 2**30
HOUR: Final = 3600.0
Figures = Mapping[str, Any]


def uses(base: Figures, wish: Wish, at_once: Any, values: int = 1) -> dict[str, Any]:
    """What follows from times, memory and sizes, for this use: the objectives by name, `score` among them.

    `base` has `work` (what ranks where no profile is at hand), `cpu_seconds` and `keygen_seconds` (NaN where
    there is none), `peak_bytes`, `upload_bytes`, `download_bytes` and `key_bytes`. `at_once`: requests that
    one run can hold. `values`: of one request.
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
        "score": wish.aims.score(figures),
    }


def _cost(base: Figures, wish: Wish, communication: Any) -> Any:
    """Of a request, with its share of the keys'; infinite where a core costs and no time is known."""
    hours = (base["cpu_seconds"] + base["keygen_seconds"] / wish.requests) / HOUR
    price = wish.price_core_hour or 0.0
    computed = np.where(np.isnan(hours), np.inf, price * hours) if price else 0.0
    return computed + (wish.price_gib or 0.0) * communication / GIB


def values_of(program: Program) -> int:
    """How many elements a request brings: of its longest input."""
    return max((packed.length for packed in program.inputs), default=1)


def requests_at_once(program: Program, ring_dimension: int) -> int:
    """How often the program's period fits into a ring, where no slot ever reaches another: slots that are
    free hold further requests."""
    if program.rotations or program.swaps_rows or program.sums_slots:
        return 1
    slots = ring_dimension // 2 if program.scheme == "ckks" else ring_dimension
    return max(slots // program.slots, 1)
