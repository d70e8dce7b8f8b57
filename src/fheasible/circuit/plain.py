"""Operands of encrypted vectors, checked: other vectors, and plain numbers and rows of numbers, which become
float64 or int64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.limits import checked_elements, count
from fheasible.circuit.node import Kind, Node, Op, Values, node
from fheasible.circuit.refusals import fail
from fheasible.circuit.where import here

_IN_PARTS = "Give numbers below 2^63; where results wrap around a modulus t, give them modulo t: value % t."


def counted_elements(values: Any) -> int:
    """The length of a list or tuple, found without a copy; 0 for anything else."""
    return len(values) if isinstance(values, list | tuple) else 0


def is_whole(value: Any) -> bool:
    """Whether it is a whole number of Python or numpy; True and False are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def number_type(kind: Kind) -> type[np.float64] | type[np.int64]:
    return np.float64 if kind is Kind.REAL else np.int64


def plain(values: Any, kind: Kind) -> Values:
    """A checked plain operand for an encrypted vector of that kind: float64 or int64."""
    checked_elements(counted_elements(values), "a plain vector")
    found = numbers(values, kind)
    checked_elements(len(found), "a plain vector")
    return found


def numbers(values: Any, kind: Kind) -> Values:
    """A checked plain operand of any length for an encrypted vector of that kind: float64 or int64."""
    unmasked(values)
    try:
        array = np.atleast_1d(np.asarray(values))
    except ValueError:
        fail("a plain vector must be one row of numbers")
    array = _within_words(array, kind)
    if array.dtype.kind not in "biuf" or array.ndim != 1 or not len(array):
        fail(
            f"an encrypted vector can be combined with numbers and rows of numbers, not with {said(values)}",
            "Write v.ravel() for a table v of one row."
            if array.ndim > 1
            else "Write float(v) for a Decimal or Fraction v; text and complex numbers are not possible.",
        )
    if kind is Kind.REAL:
        return Values(_finite(array.astype(np.float64)))
    if array.dtype.kind == "f":
        fail(
            f"encrypted integers can be combined with whole numbers, not with {said(values)}",
            "Write whole numbers (2, not 2.0), or declare the input with fh.reals.",
        )
    if array.dtype.kind == "u" and array.max() > np.iinfo(np.int64).max:
        fail("whole numbers beyond 63 bits cannot be used", _IN_PARTS)
    return Values(array)


def unmasked(values: Any) -> None:
    if np.ma.is_masked(values):
        fail("a plain operand has masked elements", "Give a value for them: v.filled(0).")


def _within_words(array: NDArray[Any], kind: Kind) -> NDArray[Any]:
    """The array; Python integers too large for numpy become doubles for reals, CircuitError for integers."""
    if array.dtype.kind != "O" or not all(isinstance(v, int | float) for v in array.flat):
        return array
    if kind is not Kind.REAL:
        fail("whole numbers beyond 63 bits cannot be used", _IN_PARTS)
    try:
        return array.astype(np.float64)
    except OverflowError:
        fail("a plain operand is larger than any double", "Give numbers up to 1e308.")


def _finite(array: NDArray[np.float64]) -> NDArray[np.float64]:
    if not np.isfinite(array).all():
        fail("a plain operand holds NaN or infinity", "Give finite numbers.")
    return array


def said(values: Any) -> str:
    text = repr(values)
    return text if len(text) <= 40 else f"{type(values).__name__} {text[:36]}..."


def combined(op: Op, sides: Sequence[Any], attribute: Any = None) -> Node:
    """The node of an elementwise operation on these sides, some of which are encrypted vectors.

    A side of length 1 stands for each element of a longer one. CircuitError for other lengths.
    """
    kinds = [side.node.kind for side in sides if encrypts(side)]
    kind = Kind.REAL if Kind.REAL in kinds else Kind.INTEGER
    nodes = [operand(side, kind) for side in sides]
    length = max(n.length for n in nodes)
    odd = next((n.length for n in nodes if n.length not in (1, length)), None)
    if odd is not None:
        first, second = (odd, length) if nodes[0].length == odd else (length, odd)
        fail(
            f"vectors of {first:,} and {second:,} elements cannot be combined",
            "Use vectors of the same length; a vector of length 1 can be combined with any.",
        )
    count(length)
    return node(op, *nodes, attribute=attribute, length=length, kind=kind, where=here())


def encrypts(side: Any) -> bool:
    """Whether that is an encrypted vector."""
    return hasattr(type(side), "node")


def operand(side: Any, kind: Kind) -> Node:
    """The node of an encrypted vector, or of a plain operand for a vector of that kind."""
    if encrypts(side):
        found: Node = side.node
        return found
    values = plain(side, kind)
    return node(Op.CONSTANT, attribute=values, length=len(values), kind=kind, where=here())
