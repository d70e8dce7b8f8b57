"""The limits on time, memory and bytes that are sent, and what would be feasible without one of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Flags
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.judge import STAGES
from fheasible.exploration.judging.rank import OF_A_KIND, order
from fheasible.exploration.judging.sieve import Judged, Miss, nearer
from fheasible.exploration.problem.wish import Wish

_LEAST = 1e-9  # seconds or bytes in place of a limit of 0, so that what exceeds it can be compared
LIMITS: Final[Mapping[str, tuple[str, str]]] = {
    "max_bytes": ("memory", "peak_bytes"),
    "max_ciphertext_bytes": ("size", "ciphertext_bytes"),
    "max_key_bytes": ("size", "key_bytes"),
    "max_seconds": ("time", "cpu_seconds"),
}
"""The stage of judgement and the column for each limit of a wish, in the order of `judge.STAGES`."""


def limits(wish: Wish) -> dict[str, float]:
    """The limits that are set, by name."""
    return {name: most for name in LIMITS if (most := getattr(wish, name)) is not None}


def without(wish: Wish, *names: str) -> Wish:
    """The wish without the named limits; without any limit where none is named."""
    freed: dict[str, Any] = dict.fromkeys(names or LIMITS)
    return replace(wish, **freed)


@dataclass(frozen=True, slots=True)
class Within:
    """A chunk without the sets that take more than is allowed. `freed` holds, for each limit, the best sets
    that this limit alone keeps out."""

    judged: Judged
    freed: Mapping[str, Columns]


def within(judged: Judged, wish: Wish) -> Within:
    """The chunk `judged`, which was judged by everything but the limits, with the limits applied."""
    fits = {name: _fits(judged.feasible, name, most) for name, most in limits(wish).items()}
    if not fits or not len(judged.feasible):
        return Within(judged, {})
    allowed = np.all(list(fits.values()), axis=0)
    rows, left, nearest = judged.feasible, np.arange(len(judged.feasible)), judged.nearest
    for name, fit in fits.items():
        for miss in _miss(rows, left[~fit[left]], name):
            nearest = nearer(nearest, miss)
        left = left[fit[left]]
    return Within(Judged(judged.rows, rows.take(allowed), nearest), dict(_freed(rows, fits)))


def _fits(rows: Columns, name: str, most: float) -> Flags:
    """Which rows are within that limit; a figure that is not known may fit."""
    return np.asarray(~(rows[LIMITS[name][1]] > most))


def excess(rows: Columns, name: str, wish: Wish) -> NDArray[np.float64]:
    """What each row takes, as a multiple of what that limit allows."""
    found: NDArray[np.float64] = rows[LIMITS[name][1]] / max(limits(wish)[name], _LEAST)
    return found


def _miss(rows: Columns, out: NDArray[Any], name: str) -> Iterator[Miss]:
    """The nearest of the rows `out`, which that limit keeps out; nothing where there are none."""
    if not len(out):
        return
    stage, column = LIMITS[name]
    at = int(out[np.argmin(rows[column][out])])
    yield Miss(STAGES.index(stage), float(rows[column][at]), int(rows.places[at]), sizes(rows, at))


def _freed(rows: Columns, fits: Mapping[str, Flags]) -> Iterator[tuple[str, Columns]]:
    """For each limit, the best few rows that meet all other limits. There are several, in case the first is
    refused when it is judged individually."""
    for name, fit in fits.items():
        others = [other for key, other in fits.items() if key != name]
        out = rows.take(np.all([~fit, *others], axis=0))
        if len(out):
            yield name, out.take(order(out)[:OF_A_KIND])


def sizes(rows: Columns, i: int) -> tuple[int, int, int]:
    """The bits of a row's scale (or of every prime but the first, for integers), of its first prime and of
    its special primes."""
    scale = "scale_bits" if rows["scheme"][i] == "ckks" else "level_bits"
    return tuple(  # type: ignore[return-value]
        0 if np.isnan(rows[name][i]) else int(rows[name][i]) for name in (scale, "first_bits", "special_bits")
    )
