"""Functions of encrypted integers, exact at every value. For reals, `comparisons.py` approximates them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Interval
from fheasible.circuit.declared import no_declaration
from fheasible.circuit.discrete import Discrete, Function
from fheasible.circuit.functions import encrypted
from fheasible.circuit.integer_operators import discrete
from fheasible.circuit.linear import concatenate
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.node import Input, Kind, Node, Op
from fheasible.circuit.plain import is_whole, plain
from fheasible.circuit.ranges import Ranges
from fheasible.circuit.refusals import fail
from fheasible.circuit.vector import Vector, multiplied, selected

MOST_ENTRIES = 1 << 16  # of a table
_COMPARED = "Compare it: fh.where(mask != 0, a, b) takes a where the mask is not 0. "
_known: WeakKeyDictionary[Node, Interval] = WeakKeyDictionary()


def integers(*given: Any) -> bool:
    """Whether all encrypted vectors among these are integers, and there is one."""
    no_declaration(*given)
    kinds = [v.node.kind for v in given if isinstance(v, Vector)]
    return bool(kinds) and Kind.REAL not in kinds


def exactly(function: str, **given: Any) -> None:
    """Raises CircuitError where settings were given that only approximations of reals have."""
    named = [name for name, value in given.items() if value is not None]
    if named:
        fail(
            f"fh.{function} of integers is exact, and takes no {' or '.join(named)}",
            f"Leave {named[0]}= out, or declare the input with fh.reals.",
        )


def maximum(a: Any, b: Any) -> Vector:
    return discrete(_vector(a, b), Discrete(Function.MAXIMUM), a, b)


def minimum(a: Any, b: Any) -> Vector:
    return discrete(_vector(a, b), Discrete(Function.MINIMUM), a, b)


def where(mask: Any, a: Any, b: Any) -> Vector | None:
    """a where the mask is 1, b where it is 0; None where the mask is not known to have no other values."""
    if not isinstance(mask, Vector) or not _is_mask(mask):
        return None
    return discrete(mask, Discrete(Function.SELECT), mask, a, b)


def _is_mask(x: Vector) -> bool:
    least, most = range_of(x)
    return least >= 0 and most <= 1


def only_zeros_and_ones(mask: Vector) -> None:
    """Raises CircuitError where integers that stand as a mask may be something else than 0 or 1.

    Residues have no declared range. They are refused only where they cannot be both.
    """
    if mask.node.kind is Kind.REAL or _is_mask(mask):
        return
    least, most = range_of(mask)
    if _modulus(mask.node) is None or least > 0 or most < 1:
        fail(
            f"the mask of fh.where is 1 or 0 in each place, but this one may lie anywhere in [{least},"
            f" {most}]",
            _COMPARED * (least <= 0 <= most)
            + "Write 1 - mask for `not` (~ changes all bits, and makes -1 of 0), and | for `or`.",
        )


def lookup(x: Any, table: Sequence[int] | NDArray[Any], low: int = 0) -> Vector:
    """For each element of x, the entry of a plain table: table[x - low].

    Every value that x can have, by the declared ranges, must have an entry. The entries are whole numbers;
    tables have at most 65,536 of them.

    Example:
        >>> app = fh.app(x=fh.integers(3, low=0, high=3))(lambda x: fh.lookup(x, [1, 10, 100, 1000]))
        >>> app(x=[2, 0, 3])
        array([ 100,    1, 1000])
    """
    if encrypted(x, "lookup").node.kind is Kind.REAL:
        fail(
            "fh.lookup takes encrypted integers, which are places in its table",
            "Declare the input with fh.integers; for reals, approximate: fh.approximate(f, low=..., high=...)"
            "(x).",
        )
    if not is_whole(low):
        fail(f"fh.lookup takes a whole number as low=, not {low!r}", "It is the value of the first entry.")
    if callable(table) or isinstance(table, dict):
        fail(
            f"fh.lookup takes a table as a row of numbers, not a {type(table).__name__}",
            "Write its values: fh.lookup(x, [f(v) for v in range(low, high + 1)], low=low).",
        )
    entries = plain(table, Kind.INTEGER).array
    least, most = range_of(x)
    if len(entries) > MOST_ENTRIES:
        fail(f"fh.lookup takes a table of up to {MOST_ENTRIES:,} entries, not {len(entries):,}")
    if least < low or most > low + len(entries) - 1:
        fail(
            f"fh.lookup has entries for values from {low} to {low + len(entries) - 1}, but x may lie anywhere"
            f" in [{least}, {most}]",
            f"Give {min(most - least + 1, MOST_ENTRIES)} entries with low={least}, declare x in a smaller"
            f" range, or write fh.lookup(x % {len(entries)}, table).",
        )
    found: Vector = discrete(x, Discrete(Function.LOOKUP, int(low), tuple(entries.tolist())), x)
    return found


def argmax(x: Vector) -> Vector:
    """1 in the place of the largest element, or of the first of several equal ones, and 0 in all others.

    Every element is compared with every other one. The largest wins all of its comparisons.
    """
    n = len(x)
    first, second = np.triu_indices(n, 1)
    won: Vector = selected(x, first) >= selected(x, second)
    pairs, ones = np.arange(len(first)), np.ones(len(first), dtype=np.int64)
    wins = Matrix((n, len(first)), np.r_[first, second], np.r_[pairs, pairs], np.r_[ones, -ones])
    losses = np.arange(n)  # comparisons in which the element is the second one
    found: Vector = multiplied(wins, won) + losses
    best: Vector = found == n - 1
    return best


def exchanged(x: Vector, first: NDArray[Any], second: NDArray[Any]) -> Vector:
    """x with the elements of each pair of places in ascending order."""
    a, b = selected(x, first), selected(x, second)
    untouched = np.setdiff1d(np.arange(len(x)), np.r_[first, second])
    parts = [minimum(a, b), maximum(a, b), *([selected(x, untouched)] if len(untouched) else [])]
    return selected(concatenate(parts), np.argsort(np.r_[first, second, untouched]))


def range_of(x: Vector) -> Interval:
    """The interval that follows from the declared inputs."""
    return Ranges(_known, _modulus(x.node)).of(x.node)


def _modulus(n: Node) -> int | None:
    """The modulus of a node's inputs, all of which have the same one; None where integers do not wrap."""
    while n.op is not Op.INPUT:
        below = [a for a in n.args if a.op is not Op.CONSTANT]
        if not below:
            return None
        n = below[0]
    declared: Input = n.attribute
    return declared.modulus


def _vector(*given: Any) -> Vector:
    return next(v for v in given if isinstance(v, Vector))
