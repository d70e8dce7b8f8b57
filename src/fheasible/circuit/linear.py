"""Linear maps of encrypted vectors: products with plain matrices, parts of vectors, and concatenation.

Each of them is one node with a sparse plain matrix, which programs multiply by its diagonals. Elements that
stay side by side move by one rotation. Where each moves by a distance of its own, each distance takes a
rotation, or each digit of the distances does, level by level.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.declared import no_declaration
from fheasible.circuit.encrypted_matrix import EncryptedMatrix
from fheasible.circuit.functions import encrypted
from fheasible.circuit.limits import checked_elements
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.node import Kind, Op
from fheasible.circuit.plain import is_whole, number_type, plain
from fheasible.circuit.refusals import fail
from fheasible.circuit.vector import Vector, derive, selected


def matmul(a: Any, b: Any) -> Any:
    """The product a @ b, as in numpy, of matrices and vectors, at least one of them encrypted; a plain matrix
    is rows of numbers, or sparse.

    An m x n matrix before a vector of n elements gives a vector of m elements; after a vector of m elements,
    it gives a vector of n elements.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=0, high=9))(lambda x: fh.matmul([[1, 0, 1], [0, 2, 0]], x))
        >>> app(x=[1, 2, 6])
        array([7., 4.])
    """
    known = [isinstance(v, Vector | EncryptedMatrix) for v in (a, b)]
    no_declaration(*(v for v, own in zip((a, b), known, strict=True) if not own))
    if not any(known):
        fail("fh.matmul takes a plain matrix and an encrypted vector, but neither operand is encrypted")
    return a @ b if known[0] else b.__rmatmul__(a)


def concatenate(parts: Sequence[Any]) -> Vector:
    """The elements of all parts, one after another: encrypted vectors, plain numbers and rows of numbers.

    Example:
        >>> app = fh.app(x=fh.reals(3, low=0, high=9))(lambda x: fh.concatenate([x[1:], [0], x]))
        >>> app(x=[1, 2, 6])
        array([2., 6., 0., 1., 2., 6.])
    """
    no_declaration(parts)
    parts = list(parts) if isinstance(parts, Iterable) and not isinstance(parts, Vector) else []
    no_declaration(*parts)
    if not any(isinstance(p, Vector) for p in parts):
        fail(
            "fh.concatenate takes a list of parts, at least one of them an encrypted vector", "Write [x, y]."
        )
    vectors = [p for p in parts if isinstance(p, Vector)]
    kind = Kind.REAL if any(p.node.kind is Kind.REAL for p in vectors) else Kind.INTEGER
    rows = [p if isinstance(p, Vector) else plain(p, kind).array for p in parts]
    ends = np.cumsum([len(r) for r in rows])
    checked_elements(int(ends[-1]))
    length, kept = int(ends[-1]), np.zeros(int(ends[-1]), number_type(kind))
    total: Vector | None = None
    for row, end in zip(rows, ends, strict=True):
        if isinstance(row, Vector):
            moved = _placed(row, int(end) - len(row), length, kind)
            total = moved if total is None else total + moved
        else:
            kept[end - len(row) : end] = row
    assert total is not None
    return total + kept if kept.any() else total


def _placed(part: Vector, start: int, length: int, kind: Kind) -> Vector:
    """A vector of that length that holds the part from `start` on, and is zero elsewhere."""
    own = np.arange(len(part))
    matrix = Matrix((length, len(part)), own + start, own, np.ones(len(part), number_type(kind)))
    return derive(Op.LINEAR, part, attribute=matrix, length=length, kind=kind)


def columns(table: Vector, chosen: int | str | Sequence[int | str], width: int | Sequence[str]) -> Vector:
    """The chosen columns, row by row, of a table that lies row by row in one vector.

    `width` is the number of the table's columns, or their names. `chosen` is one column or several, by index
    from 0 (-1 is the last) or by name. fh.columns(x, ["age", "weight"], ("age", "height", "weight")) keeps
    two of the three values of each row. A table that lies column by column is sliced instead:
    x[j * rows : (j + 1) * rows].

    Example:
        >>> app = fh.app(x=fh.reals(4, low=0, high=9))(lambda x: fh.columns(x, "b", ("a", "b")))
        >>> app(x=[1, 2, 3, 4])
        array([2., 4.])
    """
    names, count = _header(width, len(encrypted(table, "columns")))
    several = isinstance(chosen, Iterable) and not isinstance(chosen, str | Vector)
    wanted = list(chosen) if several else [chosen]  # type: ignore[arg-type]
    if not wanted:
        fail("fh.columns was asked for no column", "Choose at least one column.")
    found = np.array([_column(c, names, count) for c in wanted])
    starts: NDArray[Any] = np.arange(0, len(table), count)
    return selected(table, (starts[:, None] + found[None, :]).reshape(-1))


def _header(width: Any, length: int) -> tuple[list[str], int]:
    """The names of a table's columns, if it has any, and how many there are."""
    names = list(width) if isinstance(width, Iterable) and not isinstance(width, str | Vector) else []
    count = int(width) if is_whole(width) else len(names)
    if count < 1 or not all(isinstance(n, str) for n in names) or len(set(names)) < len(names):
        fail(f"the width of a table is a whole number of at least 1, or its columns' names, not {width!r}")
    if length % count:
        fail(f"{length:,} elements do not make whole rows of {count:,} columns")
    return names, count


def _column(chosen: Any, names: list[str], count: int) -> int:
    if isinstance(chosen, str) and chosen in names:
        return names.index(chosen)
    if not is_whole(chosen) or not -count <= chosen < count:
        there = (
            f"the columns are {', '.join(names)}" if names else f"it has {count:,} columns, numbered from 0"
        )
        fail(f"the table has no column {chosen!r}; {there}")
    return int(chosen) % count
