"""Prices that are fitted to measured points, by non-negative least squares on relative errors.

Only records are used here. A library's prices are fitted to all its points. Then the prices of each operation
are fitted, and are held to the library's prices as firmly as a few points would hold them. So an operation
with few points costs what its kernels cost elsewhere, and an operation with many points costs what they show.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from fheasible.aliases import Floats
from fheasible.estimation.features import NAMES, Caches, Features, features
from fheasible.estimation.profile import TimedShape

ROUNDS = 6  # rounds of reweighting, which lets outliers count for less [Huber64]
LEAST_SHARE = 0.01  # a feature that nowhere has this share of an operation's time is left out
# The highest price of a feature, in seconds. For a byte beyond a cache, it is a twenty-fifth of a nanosecond,
# since cores stream some tens of gigabytes a second from there. (Sums of words on a two-core Xeon take
# 0.024 ns more per byte beyond the second level, and 0.033 ns more beyond the third.) A few small runs do not
# determine this price, yet large rings are priced by it.
MOST = np.array([4e-11 if name.endswith("missed_bytes") else np.inf for name in NAMES])
HOLD = 0.3  # how many points the library's prices count as, in the fit of an operation's own


@dataclass(frozen=True, slots=True)
class Prices:
    """The seconds per feature: the prices that the library's operations share, and each operation's own."""

    shared: Features
    own: Mapping[str, Features]

    def seconds(self, point: TimedShape, caches: Caches) -> float:
        prices = self.own.get(point.name, self.shared)
        return float(np.dot(prices, features(point.shape, caches)))


def fit(points: Sequence[TimedShape], caches: Caches) -> Prices:
    """The prices of one library. ValueError without points."""
    if not points:
        raise ValueError("prices need at least one point")
    relative = {name: _relative(group, caches) for name, group in grouped(points).items()}
    shared = _shared(list(relative.values()))
    return Prices(tuple(shared), {name: tuple(_own(table, shared)) for name, table in relative.items()})


def own_prices(points: Sequence[TimedShape], shared: Features, caches: Caches) -> dict[str, Features]:
    """The prices of each operation that the points show, held to prices that are known already."""
    groups = grouped(points).items()
    return {name: tuple(_own(_relative(group, caches), np.array(shared))) for name, group in groups}


def grouped(points: Iterable[TimedShape]) -> dict[str, list[TimedShape]]:
    """The points of each operation, by "scheme/action"."""
    groups: dict[str, list[TimedShape]] = defaultdict(list)
    for p in points:
        groups[p.name].append(p)
    return dict(groups)


def _relative(points: Sequence[TimedShape], caches: Caches) -> Floats:
    """The features divided by the seconds, of shape (points, features): prices should bring each row to 1."""
    table = np.array([features(p.shape, caches) for p in points], dtype=np.float64)
    seconds = np.array([[p.seconds] for p in points], dtype=np.float64)
    found: Floats = table / seconds
    return found


def _shared(tables: Sequence[Floats]) -> Floats:
    """The prices that fit all points, with few features.

    Each operation counts the same, however many points it has.
    """
    weights = np.concatenate([np.full(len(t), len(t) ** -0.5) for t in tables])
    table = np.concatenate(tables)
    prices = robust(table, weights, MOST)
    needed = (table * prices).max(axis=0) >= LEAST_SHARE
    found = np.zeros(table.shape[1])
    found[needed] = robust(table[:, needed], weights, MOST[needed])
    return found


def _own(table: Floats, shared: Floats) -> Floats:
    """The prices of one operation, held to the shared ones by HOLD points' worth of each feature's share.

    A feature that none of its points has keeps the shared price.
    """
    seen = table.any(axis=0)
    hold = np.diag(np.sqrt(HOLD * (table[:, seen] ** 2).mean(axis=0)))
    found = shared.copy()
    found[seen] = robust(table[:, seen], np.ones(len(table)), MOST[seen], hold, hold @ shared[seen])
    return found


def robust(
    table: Floats,
    weights: Floats,
    most: Floats,
    extra: Floats | None = None,
    extra_target: Floats | None = None,
) -> Floats:
    """The non-negative x that brings table x close to 1; outliers count for less, by Huber's weights."""
    huber = np.ones(len(table))
    x = np.zeros(table.shape[1])
    for _ in range(ROUNDS):
        w = weights * np.sqrt(huber)
        a, b = table * w[:, None], w
        if extra is not None and extra_target is not None:
            a, b = np.concatenate([a, extra]), np.concatenate([b, extra_target])
        x = _bounded(a, b, most)
        off = np.abs(table @ x - 1)
        usual = max(1.5 * float(np.median(off)), 0.005)
        huber = np.minimum(1.0, usual / np.maximum(off, 1e-12))
    return x


def _bounded(a: Floats, b: Floats, most: Floats) -> Floats:
    """The least-squares solution x >= 0, with no entry above `most`.

    Entries that would exceed `most` are set to it, and the others are solved for again.
    """
    x = _non_negative(a, b)
    high = x > most
    if high.any():
        x = np.where(high, most, 0.0)
        x[~high] = _non_negative(a[:, ~high], b - a[:, high] @ most[high])
    return x


def _non_negative(a: Floats, b: Floats) -> Floats:
    size = np.maximum(
        np.abs(a).max(axis=0, initial=0.0), 1e-300
    )  # columns of like size, for the solver's sake
    solution, _ = nnls(a / size, b, maxiter=50 * a.shape[1])
    return np.asarray(solution / size)
