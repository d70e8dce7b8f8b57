"""The few runs that determine the predictions best: a greedy I-optimal design within a budget of seconds.

Every run shows some operations, each as a row of features relative to its time. What counts is the variance
of the resulting predictions, averaged over the operations that are to be predicted [Fedorov72]. A run is
worth the factor by which it lowers this variance, for each kind of operation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]  # (operations, features), each relative to its time

PRIOR = 1e-2  # how much is known of a feature's share before any run, in rows: little


@dataclass(frozen=True, slots=True)
class Offer:
    """A run that could be made: the seconds that it should take, and the rows for each operation."""

    seconds: float
    rows: Mapping[str, Rows]


def choose(offers: Sequence[Offer], targets: Mapping[str, Rows], budget_seconds: float) -> list[int]:
    """The indices of the chosen runs, the most informative per second first; they fit the budget together.

    `targets`: the operations to be predicted. Ties go to the earlier offer.
    """
    knowledge = {name: _Knowledge(rows) for name, rows in targets.items()}
    chosen: list[int] = []
    left = budget_seconds
    while True:
        open_ones = [i for i, o in enumerate(offers) if i not in chosen and o.seconds <= left]
        if not open_ones:
            return chosen
        gains = [_gain(knowledge, offers[i]) / offers[i].seconds for i in open_ones]
        best = open_ones[int(np.argmax(gains))]
        for name, rows in offers[best].rows.items():
            knowledge[name].learn(rows)
        left -= offers[best].seconds
        chosen.append(best)


def _gain(knowledge: Mapping[str, "_Knowledge"], offer: Offer) -> float:
    """The sum, over the offer's operations, of how far the logarithm of the mean variance falls."""
    return sum(knowledge[name].gain(rows) for name, rows in offer.rows.items())


class _Knowledge:
    """The covariance of one operation's prices, and what it means for the predictions of the targets."""

    def __init__(self, targets: Rows) -> None:
        scale = np.abs(targets).max(axis=0)
        self._used = scale > 0
        self._scale = scale[self._used]  # in these units, features are of similar size
        self._targets = self._scaled(targets)
        self._covariance = np.eye(len(self._scale)) / PRIOR

    def gain(self, rows: Rows) -> float:
        before = self._variance(self._covariance)
        return float(np.log(before / self._variance(self._after(rows))))

    def learn(self, rows: Rows) -> None:
        self._covariance = self._after(rows)

    def _variance(self, covariance: Rows) -> float:
        """The variance of the predictions, averaged over the targets, in units of one row's variance."""
        return float(np.einsum("ij,jk,ik->i", self._targets, covariance, self._targets).mean())

    def _after(self, rows: Rows) -> Rows:
        """The covariance once those rows are known too: C - C R' (1 + R C R')^-1 R C."""
        scaled = self._scaled(rows)
        spread = scaled @ self._covariance
        inner = np.eye(len(rows)) + spread @ scaled.T
        after: Rows = self._covariance - spread.T @ np.linalg.solve(inner, spread)
        return after

    def _scaled(self, rows: Rows) -> Rows:
        scaled: Rows = rows[:, self._used] / self._scale
        return scaled
