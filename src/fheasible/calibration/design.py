"""Which few runs determine the predictions best: I-optimal design, greedily, within a budget of seconds.

Every run shows some operations, each a row of features relative to its time. What counts is the variance of
the predictions that follow, averaged over the operations that one will want to predict [Fedorov72]: a run is
worth the factor by which it lowers that, for each kind of operation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]  # (operations, features), each relative to its time

PRIOR = 1e-2  # what is known of a feature's share before any run, in rows: little


@dataclass(frozen=True, slots=True)
class Offer:
    """A run that could be made: what it is expected to take, and what it would show of each operation."""

    seconds: float
    rows: Mapping[str, Rows]


def choose(offers: Sequence[Offer], targets: Mapping[str, Rows], budget_seconds: float) -> list[int]:
    """Indices of the chosen runs, most informative per second first; together within the budget.

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
    """By how much the logarithms of all mean variances fall together."""
    return sum(knowledge[name].gain(rows) for name, rows in offer.rows.items())


class _Knowledge:
    """The covariance of one operation's prices, and what it means for the targets."""

    def __init__(self, targets: Rows) -> None:
        scale = np.abs(targets).max(axis=0)
        self._used = scale > 0
        self._scale = scale[self._used]  # in these units features are alike
        self._targets = self._scaled(targets)
        self._covariance = np.eye(len(self._scale)) / PRIOR

    def gain(self, rows: Rows) -> float:
        before = self._variance(self._covariance)
        return float(np.log(before / self._variance(self._after(rows))))

    def learn(self, rows: Rows) -> None:
        self._covariance = self._after(rows)

    def _variance(self, covariance: Rows) -> float:
        """Of the predictions, on the average over the targets, in units of one row's."""
        return float(np.einsum("ij,jk,ik->i", self._targets, covariance, self._targets).mean())

    def _after(self, rows: Rows) -> Rows:
        """C - C R' (1 + R C R')^-1 R C: the covariance when those rows are known too."""
        scaled = self._scaled(rows)
        spread = scaled @ self._covariance
        inner = np.eye(len(rows)) + spread @ scaled.T
        after: Rows = self._covariance - spread.T @ np.linalg.solve(inner, spread)
        return after

    def _scaled(self, rows: Rows) -> Rows:
        scaled: Rows = rows[:, self._used] / self._scale
        return scaled
