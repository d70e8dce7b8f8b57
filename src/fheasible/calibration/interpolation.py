"""Curves through the p executed points of a p-calibration, from theoretical figures x to practical figures y.

x is what an analysis gives at a value of the swept parameter (integer multiplications, 32-bit integers, a
kernel view's cost); y is what executing gives (seconds, MiB).
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fheasible.aliases import Floats
from fheasible.errors import DataError, UsageError

_SAME = 1e-9  # figures closer than this share of the largest differ by rounding: a slope would be noise


class Method(StrEnum):
    """How y follows from x."""

    FACTOR = "factor"  # y = a x
    LINE = "line"  # y = a x + b through both points [FerLL18, Eq. 1]
    POLYNOMIAL = "polynomial"  # of degree p - 1, through the p points
    PIECEWISE = "piecewise"  # straight lines between neighbours in x, with the end segments continued
    LEAST_SQUARES = "least_squares"  # the line of least squares of relative errors


def applicable(p: int) -> tuple[Method, ...]:
    """The methods for p points, the paper's own first: it is the default where nothing favours another.

    With two points, the piecewise and the least-squares line are the line itself. UsageError where p < 1.
    """
    if p < 1:
        raise UsageError(f"a calibration cannot have {p} points", "take at least 1")
    if p == 1:
        return (Method.FACTOR,)
    first = Method.LINE if p == 2 else Method.POLYNOMIAL
    return (first, Method.PIECEWISE, Method.LEAST_SQUARES)


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve that turns theoretical figures into practical ones; its points are ordered by increasing x."""

    method: Method
    x: tuple[float, ...]
    y: tuple[float, ...]

    def predict(self, x: ArrayLike) -> Floats:
        """The practical figures at x >= 0, of x's shape: finite, and never negative.

        A curve that falls to 0 or below (a polynomial's swing, a line's extrapolation) has no figure there.
        Then 0 stands for no figure, since nothing takes 0 s or 0 MiB, and a judgement counts it as an error
        of 100 %. Where all points have the same x, the parameter does not change the theory (t in FV), and
        the mean of y is predicted everywhere. Where only some points share an x, curves through the points
        take the mean of their y.
        """
        values = self.values(figures("theoretical figures", x))
        return np.where(np.isfinite(values) & (values > 0), values, 0.0)

    def values(self, at: Floats) -> Floats:
        """The values of the curve itself, whatever their sign."""
        x, y = np.array(self.x), np.array(self.y)
        nodes, means = merged(x, y)
        with np.errstate(over="ignore", invalid="ignore"):  # far outside, a high degree overflows
            if self.method is Method.FACTOR:
                scaled: Floats = at * (y[0] / x[0])
                return scaled
            if len(nodes) == 1:
                return np.full_like(at, means[0])
            if self.method is Method.LEAST_SQUARES:
                return least_squares(x, y, at)
            through = polynomial if self.method is Method.POLYNOMIAL else piecewise  # a line is one piece
            return through(nodes, means, at)

    def extrapolates(self, x: ArrayLike) -> NDArray[np.bool_]:
        """True where x lies outside the executed points."""
        at = figures("theoretical figures", x)
        return (at < self.x[0]) | (at > self.x[-1])

    @property
    def constant(self) -> bool:
        """Whether several points all have the same x: every method then predicts the mean of y."""
        return len(self.x) > 1 and len(merged(np.array(self.x), np.array(self.y))[0]) == 1


def curve(x: ArrayLike, y: ArrayLike, method: Method) -> Curve:
    """The curve of that method through the executed points, which may be in any order.

    UsageError where the method does not apply to that number of points. DataError unless all x >= 0 and y > 0
    (relative errors need it) are finite, or where a factor is asked for at x = 0.
    """
    xs, ys = executed(x, y)
    if method not in applicable(len(xs)):
        possible = ", ".join(applicable(len(xs)))
        raise UsageError(
            f"{method} is not a calibration method for {len(xs)} points", f"choose one of {possible}"
        )
    if method is Method.FACTOR and xs[0] == 0:
        raise DataError(f"no factor turns 0 into {ys[0]}", "execute another value, or two values")
    return Curve(method, tuple(xs.tolist()), tuple(ys.tolist()))


def executed(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """The points by increasing x: the order in which they are given must not change a bit of any result."""
    xs, ys = figures("theoretical figures", x), figures("practical figures", y, positive=True)
    if xs.shape != ys.shape or xs.ndim != 1:
        raise DataError(
            f"{xs.size} theoretical figures were given, but {ys.size} practical ones",
            "give one of each for every point",
        )
    order = np.lexsort((ys, xs))
    return xs[order], ys[order]


def figures(name: str, given: ArrayLike, positive: bool = False) -> Floats:
    """The given figures as an array. DataError unless all are finite and at least 0 (`positive`: above 0)."""
    made = np.asarray(given, dtype=np.float64)
    right = np.isfinite(made) & ((made > 0) if positive else (made >= 0))
    if not np.all(right):
        least = "above 0" if positive else "at least 0"
        raise DataError(f"{name} must be {least}, not {made[~right][0]}", "leave out sets that did not run")
    return made


def merged(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The strictly increasing nodes, and the mean of y at each; x must be sorted.

    Figures that agree to a billionth of the largest are one node.
    """
    new = np.concatenate(([True], np.diff(x) > _SAME * x[-1]))
    node = np.cumsum(new) - 1
    return x[new], np.bincount(node, y) / np.bincount(node)


def polynomial(nodes: Floats, values: Floats, x: Floats) -> Floats:
    """The polynomial of degree len(nodes) - 1 at x, of x's shape; exactly `values` at the nodes.

    It is computed by Lagrange's products. Every factor is a ratio of differences, so neither the size of x
    nor its distance from 0 costs precision, as it would with powers of x.
    """
    total = np.zeros_like(x)
    for j, (node, value) in enumerate(zip(nodes, values, strict=True)):
        others = np.delete(nodes, j)
        total += value * np.prod((x[..., None] - others) / (node - others), axis=-1)
    return total


def piecewise(nodes: Floats, values: Floats, x: Floats) -> Floats:
    """The straight lines between neighbouring nodes, evaluated at x, with the end segments continued.

    The result has x's shape, and is exactly `values` at the nodes. At least two nodes are needed.
    """
    left = np.clip(np.searchsorted(nodes, x) - 1, 0, len(nodes) - 2)
    share = (x - nodes[left]) / (nodes[left + 1] - nodes[left])
    line: Floats = values[left] * (1 - share) + values[left + 1] * share
    return line


def least_squares(x: Floats, y: Floats, at: Floats) -> Floats:
    """The line a x + b at `at` that minimises the sum of ((a x + b - y) / y)^2.

    It needs y > 0 and two x that differ. The square of a relative error is the square of the error, weighted
    by 1/y^2: a point of a millisecond counts as much as one of an hour. Under noise of relative size e, the
    line is about e^2 too low (0.1 % at 3 %), since an error is relative to the noisy y; that is far below the
    noise itself.
    """
    weights = (y.min() / y) ** 2
    x0, y0 = np.average(x, weights=weights), np.average(y, weights=weights)  # centred: no cancellation
    slope = np.sum(weights * (x - x0) * (y - y0)) / np.sum(weights * (x - x0) ** 2)
    line: Floats = y0 + slope * (at - x0)
    return line
