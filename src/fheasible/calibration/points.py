"""p-calibration: which points of a sweep to execute, by which method, and how well it predicts the others.

The paper is [FerLL18, Sec. III]. Only figures are used: nothing is run here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fheasible.aliases import Floats
from fheasible.calibration.interpolation import Curve, Method, applicable, curve, executed, figures
from fheasible.errors import DataError, UsageError

_TIE = 1e-9  # scores that differ by less, absolutely or relatively, differ by rounding


def chosen(count: int, p: int) -> tuple[int, ...]:
    """Which of a sweep's `count` values to execute: p increasing indices, evenly spaced from end to end.

    p = 2 takes the first and the last, as [FerLL18] does. p = 1 takes the middle (the lower of two middles):
    the paper does not say which, and a factor taken at one end errs most at the other. UsageError unless 1 <=
    p <= count.
    """
    if not 1 <= p <= count:
        raise UsageError(
            f"{p} points cannot be taken from a sweep of {count} values",
            "take at least 1 and at most all values",
        )
    if p == 1:
        return ((count - 1) // 2,)
    return tuple((2 * i * (count - 1) + p - 1) // (2 * (p - 1)) for i in range(p))


@dataclass(frozen=True, slots=True)
class CurveChoice:
    """A curve, and for every method that was tried the mean relative error on points left out."""

    curve: Curve
    scores: dict[Method, float]  # fractions; empty below three points

    @property
    def score(self) -> float | None:
        """The score of the chosen method; None below three points."""
        return self.scores.get(self.curve.method)


def best(x: ArrayLike, y: ArrayLike) -> CurveChoice:
    """The curve whose method errs least on points left out: each executed point is predicted from the others.

    Only the executed points are used. One or two of them leave nothing to compare, and give the factor or the
    line. Ties go to the polynomial, as in the paper; three points always tie, since any two give the same
    line. The points at the ends count too, so a method that swings when it extrapolates is punished. The
    errors raised are those of `curve`.
    """
    xs, ys = executed(x, y)
    methods = applicable(len(xs))
    if len(xs) <= 2:
        return CurveChoice(curve(xs, ys, methods[0]), {})
    scores = {method: _left_out(method, xs, ys) for method in methods}
    tied = min(scores.values()) * (1 + _TIE) + _TIE
    return CurveChoice(curve(xs, ys, next(m for m in methods if scores[m] <= tied)), scores)


def _left_out(method: Method, x: Floats, y: Floats) -> float:
    """The mean relative error at each point of the curve through the others; values below 0 count in full."""
    curves = [Curve(method, (*x[:i], *x[i + 1 :]), (*y[:i], *y[i + 1 :])) for i in range(len(x))]
    guess = np.array([c.values(at) for c, at in zip(curves, x, strict=True)])
    errors = np.abs(guess - y) / y
    return float(np.mean(np.where(np.isnan(errors), np.inf, errors)))


@dataclass(frozen=True, slots=True)
class CalibrationEffort:
    """The seconds to execute the p points, and the seconds to execute every value."""

    calibrating_seconds: float
    executing_seconds: float

    def __add__(self, other: "CalibrationEffort") -> "CalibrationEffort":
        return CalibrationEffort(
            self.calibrating_seconds + other.calibrating_seconds,
            self.executing_seconds + other.executing_seconds,
        )

    @property
    def speedup(self) -> float:
        """How many times longer executing everything takes [FerLL18, Table II]."""
        return self.executing_seconds / self.calibrating_seconds


@dataclass(frozen=True, slots=True)
class Judgement:
    """How far predictions are from what executing gave, and what it costs to know.

    `errors` are |practical - predicted| / practical [FerLL18, Eq. 2], one per value, as fractions. `seen`:
    which values the calibration executed. `absent`: how many predictions are 0, which stands for no
    prediction. `mean` and `max` are over all values, as in the paper, including those that a curve was drawn
    through. Judgements of several sweeps add up. A judgement of times and one of memory do not, because they
    share their effort.
    """

    errors: tuple[float, ...]
    seen: tuple[bool, ...]
    absent: int
    effort: CalibrationEffort

    def __add__(self, other: "Judgement") -> "Judgement":
        return Judgement(
            self.errors + other.errors,
            self.seen + other.seen,
            self.absent + other.absent,
            self.effort + other.effort,
        )

    @property
    def mean(self) -> float:
        return float(np.mean(self.errors))

    @property
    def max(self) -> float:
        return max(self.errors)

    @property
    def unseen(self) -> tuple[float, ...]:
        """The errors at the values that the calibration did not execute."""
        return tuple(e for e, seen in zip(self.errors, self.seen, strict=True) if not seen)

    @property
    def unseen_mean(self) -> float | None:
        """The mean error at unseen values; None where the calibration executed every value."""
        return float(np.mean(self.unseen)) if self.unseen else None

    @property
    def unseen_max(self) -> float | None:
        """The largest error at unseen values; None where the calibration executed every value."""
        return max(self.unseen, default=None)


def judge(predicted: ArrayLike, practical: ArrayLike, at: Sequence[int], seconds: ArrayLike) -> Judgement:
    """The judgement of a sweep's predictions.

    The arrays have an entry for each value of the sweep; `at` has the executed indices. `seconds` is what
    executing each value took; for predicted times, it is `practical` itself. DataError unless `practical` and
    `seconds` are positive and all arrays are equally long. UsageError where `at` is empty, repeats an index
    or leaves the sweep.
    """
    guess, truth = figures("predictions", predicted), figures("practical figures", practical, positive=True)
    took = figures("seconds", seconds, positive=True)
    if not guess.shape == truth.shape == took.shape or truth.ndim != 1:
        sizes = f"{guess.size} predictions, {truth.size} practical figures and {took.size} times were given"
        raise DataError(sizes, "give one of each for every value of the sweep")
    if not at or len(set(at)) < len(at) or not 0 <= min(at) <= max(at) < len(truth):
        raise UsageError(
            f"the indices {tuple(at)} do not fit {len(truth)} values", "give distinct indices of the sweep"
        )
    errors = tuple((np.abs(truth - guess) / truth).tolist())
    effort = CalibrationEffort(float(took[list(at)].sum()), float(took.sum()))
    return Judgement(errors, tuple(i in at for i in range(len(truth))), int(np.sum(guess == 0)), effort)
