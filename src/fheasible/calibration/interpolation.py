"""Curves through the p executed points of a p-calibration, x theoretical and y practical figures.

x is what an analysis gives at a value of the swept parameter (integer multiplications, 32-bit integers, a
kernel view's cost), y what executing gives (seconds, MiB).
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fheasible.errors import DataError, UsageError

Array = NDArray[np.float64]

_SAME = 1e-9  # figures that differ by less of the largest differ by rounding: their slope would be noise


class Method(StrEnum):
    """How y follows from x."""

    FACTOR = "factor"  # y = a x
    LINE = "line"  # y = a x + b through both points [FerLL18, Eq. 1]
    POLYNOMIAL = "polynomial"  # of degree p - 1, through the p points
    PIECEWISE = "piecewise"  # straight between neighbours in x, the end segments continued
    LEAST_SQUARES = "least_squares"  # the line of least squares of relative errors


def applicable(p: int) -> tuple[Method, ...]:
    """The methods for p points, the paper's own first: it is the default where nothing speaks for another.

    Of two points, piecewise and least-squares lines are the line itself. UsageError where p < 1.
    """
    if p < 1:
        raise UsageError(f"no calibration has {p} points", "take at least 1")
    if p == 1:
        return (Method.FACTOR,)
    first = Method.LINE if p == 2 else Method.POLYNOMIAL
    return (first, Method.PIECEWISE, Method.LEAST_SQUARES)


@dataclass(frozen=True, slots=True)
class Curve:
    """What turns theoretical figures into practical ones; the points by increasing x."""

    method: Method
    x: tuple[float, ...]
    y: tuple[float, ...]

    def predict(self, x: ArrayLike) -> Array:
        """The practical figures at x >= 0, of x's shape: finite, and never negative.

        A curve that falls to 0 or below (a polynomial's swing, a line's extrapolation) has no figure there: 0
        stands for none, since nothing takes 0 s or 0 MiB, and a judgement counts it as an error of 100 %.
        Where all points have the same x, the parameter does not change the theory (t in FV), and the mean of
        y is predicted everywhere; curves through the points take the mean of those that share an x.
        """
        values = self.values(figures("theoretical figures", x))
        return np.where(np.isfinite(values) & (values > 0), values, 0.0)

    def values(self, at: Array) -> Array:
        """The curve itself, whatever its sign."""
        x, y = np.array(self.x), np.array(self.y)
        nodes, means = merged(x, y)
        with np.errstate(over="ignore", invalid="ignore"):  # far outside, a high degree overflows
            if self.method is Method.FACTOR:
                scaled: Array = at * (y[0] / x[0])
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
        """Several points, all with the same x: whatever the method, the mean of y is predicted."""
        return len(self.x) > 1 and len(merged(np.array(self.x), np.array(self.y))[0]) == 1


def curve(x: ArrayLike, y: ArrayLike, method: Method) -> Curve:
    """The curve of that method through the executed points, in any order.

    UsageError where the method is not for so many points. DataError unless all x >= 0 and y > 0 (relative
    errors need it) are finite, or where a factor is asked of x = 0.
    """
    xs, ys = executed(x, y)
    if method not in applicable(len(xs)):
        possible = ", ".join(applicable(len(xs)))
        raise UsageError(f"{method} is no calibration with {len(xs)} points", f"choose one of {possible}")
    if method is Method.FACTOR and xs[0] == 0:
        raise DataError(f"no factor turns 0 into {ys[0]}", "execute another value, or two")
    return Curve(method, tuple(xs.tolist()), tuple(ys.tolist()))


def executed(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """The points by increasing x: the order they are given in must not change a bit of any result."""
    xs, ys = figures("theoretical figures", x), figures("practical figures", y, positive=True)
    if xs.shape != ys.shape or xs.ndim != 1:
        raise DataError(f"{xs.size} theoretical figures, {ys.size} practical", "give one of each per point")
    order = np.lexsort((ys, xs))
    return xs[order], ys[order]


def figures(name: str, given: ArrayLike, positive: bool = False) -> Array:
    """As an array. DataError unless all are finite and at least 0, or above it."""
    made = np.asarray(given, dtype=np.float64)
    right = np.isfinite(made) & ((made > 0) if positive else (made >= 0))
    if not np.all(right):
        least = "above 0" if positive else "at least 0"
        raise DataError(f"{name} must be {least}, not {made[~right][0]}", "leave out what did not run")
    return made


def merged(x: Array, y: Array) -> tuple[Array, Array]:
    """Strictly increasing nodes, and the mean of y at each; x by increasing size. Figures that agree to a
    billionth of the largest are one node."""
    new = np.concatenate(([True], np.diff(x) > _SAME * x[-1]))
    node = np.cumsum(new) - 1
    return x[new], np.bincount(node, y) / np.bincount(node)


def polynomial(nodes: Array, values: Array, x: Array) -> Array:
    """The polynomial of degree len(nodes) - 1 at x, of x's shape; exactly `values` at the nodes.

    Lagrange's products: every factor is a ratio of differences, so neither the size of x nor its distance
    from 0 costs precision, as powers of x would.
    """
    total = np.zeros_like(x)
    for j, (node, value) in enumerate(zip(nodes, values, strict=True)):
        others = np.delete(nodes, j)
        total += value * np.prod((x[..., None] - others) / (node - others), axis=-1)
    return total


def piecewise(nodes: Array, values: Array, x: Array) -> Array:
    """Straight between neighbouring nodes, the end segments continued; of x's shape, exactly `values` at the
    nodes. At least two nodes."""
    left = np.clip(np.searchsorted(nodes, x) - 1, 0, len(nodes) - 2)
    share = (x - nodes[left]) / (nodes[left + 1] - nodes[left])
    line: Array = values[left] * (1 - share) + values[left + 1] * share
    return line


def least_squares(x: Array, y: Array, at: Array) -> Array:
    """The line a x + b at `at` that minimises the sum of ((a x + b - y) / y)^2; y > 0, two x that differ.

    The relative error's square is the error's weighted by 1/y^2: a point of a millisecond counts as much as
    one of an hour. Under noise of relative size e the line lies about e^2 low (0.1 % at 3 %), since an error
    is relative to the noisy y; that is far below the noise itself.
    """
    weights = (y.min() / y) ** 2
    x0, y0 = np.average(x, weights=weights), np.average(y, weights=weights)  # centred: no cancellation
    slope = np.sum(weights * (x - x0) * (y - y0)) / np.sum(weights * (x - x0) ** 2)
    line: Array = y0 + slope * (at - x0)
    return line
