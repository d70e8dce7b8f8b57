"""Statistics of an encrypted vector: its variance, its standard deviation, and sums by plain groups."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, Never

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.comparisons import range_of
from fheasible.circuit.declared import LARGEST
from fheasible.circuit.functions import encrypted, sqrt
from fheasible.circuit.limits import checked_elements
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.node import Kind
from fheasible.circuit.plain import counted_elements, encrypts, is_whole, number_type, said
from fheasible.circuit.refusals import fail
from fheasible.circuit.vector import Vector, multiplied

_GROUPED = "Give a label for each element: fh.sum_by(salary, ['north', 'south', 'north'])."


def var(x: Vector, ddof: int = 0) -> Vector:
    """The variance of all elements, a vector of length 1: the sum of the squared deviations from the mean,
    divided by n - ddof as in numpy. Only for reals.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=0, high=9))(lambda x: fh.var(x))
        >>> app(x=[1, 2, 6])
        array([4.66666667])
    """
    x = _several(x, "var")
    n = len(x)
    if not is_whole(ddof) or not 0 <= ddof < n:
        fail(
            f"fh.var of {n:,} elements divides by n - ddof, with a whole ddof from 0 to {n - 1:,}, not"
            f" {ddof!r}",
            "Leave ddof= out, or write ddof=1 for a sample of something larger.",
        )
    spread: Vector = ((x - x.mean()) ** 2).mean()
    return spread * (n / (n - int(ddof))) if ddof else spread


def std(
    x: Vector,
    ddof: int = 0,
    *,
    low: float | None = None,
    high: float | None = None,
    degree: int | None = None,
    bits: float | None = None,
) -> Vector:
    """The standard deviation of all elements, a vector of length 1: fh.sqrt of fh.var. Only for reals.

    The caller promises that the variance lies in [low, high]; by default from 0 to the most that the declared
    inputs allow. A larger `low` takes a lower degree, since the root is steep near 0.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=0, high=9))(lambda x: fh.std(x))
        >>> app(x=[1, 2, 6])
        array([2.1602469])
    """
    found = var(_several(x, "std"), ddof)
    least, most = 0.0 if low is None else low, range_of(found)[1] if high is None else high
    if high is None and not (isfinite(most) and 0 < most < LARGEST):
        fail(
            "the range of what fh.std takes is not known, or holds only one value",
            "Give the least and the largest variance: fh.std(x, low=..., high=...).",
        )
    return sqrt(found, least, most, degree=degree, bits=bits)


def sum_by(x: Vector, groups: Sequence[Any] | NDArray[Any]) -> Vector:
    """The sum of the elements of each group: `groups` has a plain label for each element of x.

    Labels are whole numbers, texts or dates. The sums are in the order of the distinct labels, ascending as
    in numpy.unique(groups). Means are sums divided by the plain numbers of elements.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=0, high=9))(lambda x: fh.sum_by(x, ["b", "a", "b"]))
        >>> app(x=[1, 2, 6])
        array([2., 7.])
    """
    rows, count = _grouped(encrypted(x, "sum_by"), groups)
    own = np.arange(len(x))
    ones = np.ones(len(x), number_type(x.node.kind))
    return multiplied(Matrix((count, len(x)), rows, own, ones), x)


def _several(x: Any, function: str) -> Vector:
    """The vector, if it has a variance; else CircuitError."""
    if encrypted(x, function).node.kind is Kind.INTEGER:
        fail(
            f"fh.{function} of integers is not an integer, but integers are computed exactly",
            f"Declare fh.reals, or compute it from the decrypted fh.sum(x * x) and fh.sum(x): the variance is"
            f" their difference mean(x^2) - mean(x)^2, with n = {len(x):,}.",
        )
    if len(x) < 2:
        fail(f"fh.{function} of one element is always 0", "Give a vector of at least two elements.")
    found: Vector = x
    return found


def _grouped(x: Vector, groups: Any) -> tuple[NDArray[np.int64], int]:
    """The number of each element's group, and how many groups there are."""
    checked_elements(counted_elements(groups), "a list of groups")
    if encrypts(groups):
        fail(
            "fh.sum_by takes plain groups, but the given ones are encrypted",
            "For few encrypted labels, compare integers: fh.sum(fh.where(group == 3, x, 0)).",
        )
    try:
        labels = np.asarray(groups)
    except ValueError:
        _no_labels(groups)
    if labels.ndim != 1 or labels.dtype.kind not in "biufUSMO" or not len(labels):
        _no_labels(groups)
    if len(labels) != len(x):
        fail(
            f"fh.sum_by was given {len(labels):,} groups for a vector of {len(x):,} elements",
            _GROUPED,
        )
    try:
        found, rows = np.unique(labels, return_inverse=True)
    except TypeError:
        _no_labels(groups)
    if (found != found).any():
        fail(
            "fh.sum_by was given NaN or a missing date as a group",
            "Give these elements a label of their own, such as -1.",
        )
    return rows.astype(np.int64), len(found)


def _no_labels(groups: Any) -> Never:
    fail(f"fh.sum_by takes one row of labels, numbers or texts, not {said(groups)}", _GROUPED)
