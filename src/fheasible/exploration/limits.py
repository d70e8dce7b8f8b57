"""What is allowed of time, memory and bytes that are sent, and what would be there without one limit."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fheasible.exploration.columns import Columns
from fheasible.exploration.judge import STAGES
from fheasible.exploration.rank import OF_A_KIND, order
from fheasible.exploration.sieve import Judged, Miss, nearer
from fheasible.exploration.wish import Wish

Flags = NDArray[np.bool_]
_LEAST = 1e-9  # seconds or bytes: how far all is above a limit of 0 can still be compared
LIMITS: Final[Mapping[str, tuple[str, str]]] = {
    "max_bytes": ("memory", "peak_bytes"),
    "max_ciphertext_bytes": ("size", "ciphertext_bytes"),
    "max_key_bytes": ("size", "key_bytes"),
    "max_seconds": ("time", "cpu_seconds"),
}
"""Of each limit of a wish, the stage of judgement and the column; in the order of `judge.STAGES`."""


def limits(wish: Wish) -> dict[str, float]:
    """Those that are set."""
    return {name: most for name in LIMITS if (most := getattr(wish, name)) is not None}


def without(wish: Wish, *names: str) -> Wish:
    """The wish without those limits; without any where none is named."""
    freed: dict[str, Any] = dict.fromkeys(names or LIMITS)
    return replace(wish, **freed)


@dataclass(frozen=True, slots=True)
class Within:
    """A chunk without what takes more than is allowed. `freed`: by each limit, the best of what that one
    alone keeps out."""

    judged: Judged
    freed: Mapping[str, Columns]


def within(judged: Judged, wish: Wish) -> Within:
    """`judged` by everything but the limits."""
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
    """What is unknown may fit."""
    return np.asarray(~(rows[LIMITS[name][1]] > most))


def excess(rows: Columns, name: str, wish: Wish) -> NDArray[np.float64]:
    """Times as much as that limit allows."""
    found: NDArray[np.float64] = rows[LIMITS[name][1]] / max(limits(wish)[name], _LEAST)
    return found


def _miss(rows: Columns, out: NDArray[Any], name: str) -> Iterator[Miss]:
    """The nearest of what that limit keeps out."""
    if not len(out):
        return
    stage, column = LIMITS[name]
    at = int(out[np.argmin(rows[column][out])])
    yield Miss(STAGES.index(stage), float(rows[column][at]), int(rows.places[at]), sizes(rows, at))


def _freed(rows: Columns, fits: Mapping[str, Flags]) -> Iterator[tuple[str, Columns]]:
    """The best few that meet every limit but the one: should the first be refused when it is judged alone."""
    for name, fit in fits.items():
        others = [other for key, other in fits.items() if key != name]
        out = rows.take(np.all([~fit, *others], axis=0))
        if len(out):
            yield name, out.take(order(out)[:OF_A_KIND])


def sizes(rows: Columns, i: int) -> tuple[int, int, int]:
    """Bits of a row's scale (or of every prime but the first), of its first prime, of its special ones."""
    scale = "scale_bits" if rows["scheme"][i] == "ckks" else "level_bits"
    return tuple(  # type: ignore[return-value]
        0 if np.isnan(rows[name][i]) else int(rows[name][i]) for name in (scale, "first_bits", "special_bits")
    )
