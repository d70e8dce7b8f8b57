"""Values of inputs, checked one by one: each fault is told with its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Never

import numpy as np
from numpy.typing import ArrayLike

from fheasible.aliases import Array
from fheasible.circuit.modulus import centred
from fheasible.circuit.node import Input, Kind
from fheasible.errors import DataError

POINT = "Write numbers with a decimal point, such as 0.5 or 1e-3, and separate them by commas."
_WHOLE = "Write whole numbers, such as 3 or -20, or declare the input with fh.reals."
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?|[+-]?inf(?:inity)?|nan", re.I
)
_DIGITS = 40  # digits of a whole number: far more than any range has
Place = Callable[[int], str]
_KINDS = {"U": "text", "S": "text", "T": "text", "M": "dates", "m": "durations", "c": "complex numbers"}


def column(file: Path, declared: Input, name: str, cells: list[str]) -> Array:
    """The values of a CSV's column, whose blank cells at the end are none. DataError, with line and value."""
    while cells and not cells[-1]:
        cells.pop()
    parse = _whole if declared.kind is Kind.INTEGER else _real
    found = []
    for line, cell in enumerate(cells, start=2):
        try:
            found.append(parse(cell))
        except ValueError as error:
            whole = declared.kind is Kind.INTEGER
            kind, numbers = ("a whole number", _WHOLE) if whole else ("a number", POINT)
            said = f"holds {cell!r}, which is not {kind}" if cell else "is blank between other values"
            remedy = numbers if cell else "Fill the cell, or leave the row out."
            raise DataError(f"{file}, line {line}, column {name} {said}", remedy) from error
    return _in_range(file, declared, found, lambda i: f"line {i + 2}, column {name}")


def flat(file: Path, declared: Input, values: ArrayLike) -> Array:
    """Given values as one vector; a matrix of the declared shape lies in it row by row."""
    _check_unmasked(file, declared, values)
    try:
        array = np.atleast_1d(np.asarray(values))
        if declared.modulus is not None and array.dtype.kind == "f" and isinstance(values, list | tuple):
            array = np.atleast_1d(np.array(values, dtype=object))  # with whole numbers beyond 2^63
    except ValueError as error:
        raise DataError(f"{file}: {declared.name} is not a vector: {error}") from error
    if declared.shape is not None and array.shape == declared.shape:
        return array.reshape(-1)
    if array.ndim != 1:
        needed = "a vector" if declared.shape is None else f"{declared.shape[0]} x {declared.shape[1]}"
        raise DataError(
            f"{file}: {declared.name} has the shape {array.shape}, but {needed} is needed",
            "Give one row: values.ravel()."
            if declared.shape is None
            else f"Give the shape {declared.shape}.",
        )
    return array


def vector(file: Path, declared: Input, part: Array) -> Array:
    """The numbers of an array as float64 or int64, in the declared range. DataError with element and
    value."""

    def place(i: int) -> str:
        if declared.shape is not None:
            return "row {}, column {} of {}".format(*divmod(i, declared.shape[1]), declared.name)
        return f"row {i}, column {declared.column}" if declared.table else f"element {i} of {declared.name}"

    _check_unmasked(file, declared, part)
    if part.dtype.kind == "O":
        part = _numbers(file, part, place)
    if part.dtype.kind not in "biufO":
        kind = _KINDS.get(part.dtype.kind, part.dtype)
        raise DataError(
            f"{file}: {declared.name} holds {kind}, but numbers are needed",
            "Give a column of integers or floats for it.",
        )
    if part.ndim != 1:
        raise DataError(
            f"{file}: {declared.name} holds rows of shape {part.shape[1:]}, but a vector is needed",
            "Give one number for each element.",
        )
    if declared.kind is Kind.INTEGER and part.dtype.kind == "f":
        broken = np.flatnonzero((part != np.floor(part)) | ~(np.abs(part) < 2.0**53))
        if len(broken):
            value = part[broken[0]]
            rounded = f"which is beyond 2^53, where {part.dtype} cannot hold every whole number"
            raise DataError(
                f"{file}, {place(broken[0])} is {value},"
                f" {rounded if value == np.floor(value) else 'which is not a whole number'}",
                "Save whole numbers: array.astype(numpy.int64).",
            )
    return _in_range(file, declared, part.tolist(), place)


def _check_unmasked(file: Path, declared: Input, values: ArrayLike) -> None:
    if np.ma.is_masked(values):
        raise DataError(
            f"{file}: {declared.name} has masked elements", "Leave them out: values.compressed()."
        )


def _numbers(file: Path, part: Array, place: Place) -> Array:
    """An array of Python objects, all of which are numbers, as one of numbers; missing ones are NaN. Whole
    numbers stay Python's."""
    found = []
    for i, value in enumerate(part.tolist()):
        missing = value is None or type(value).__name__ in ("NAType", "NaTType")
        if not missing and not isinstance(value, int | float | np.integer | np.floating | np.bool_ | Decimal):
            raise DataError(
                f"{file}, {place(i)} holds {str(value)[:40]!r}, which is not a number",
                "Correct the value, or leave its row out.",
            )
        found.append(np.nan if missing else float(value) if isinstance(value, Decimal) else value)
    whole = all(isinstance(value, int) for value in found)
    return np.array(found, dtype=object) if whole else np.array(found)


def _in_range(file: Path, declared: Input, values: Sequence[float], place: Place) -> Array:
    """The values as an array, all of them in the declared range. Residues modulo t may be given from there up
    to t - 1, too."""
    t = declared.modulus
    high = declared.high if t is None else t - 1
    for i, value in enumerate(values):
        if value != value:
            raise DataError(
                f"{file}, {place(i)} is not a number (NaN)", "Correct the value, or leave its row out."
            )
        if not declared.low <= value <= high:
            raise DataError(
                f"{file}, {place(i)} is {value!r}, outside the declared range"
                f" [{_number(declared.low)}, {_number(high)}]",
                "Correct the value, or widen low=, high= in the application."
                if t is None
                else f"Give residues modulo {t}: value % {t}.",
            )
    if t is not None:
        return centred(np.array(values, dtype=object), t)
    return np.array(values, dtype=np.int64 if declared.kind is Kind.INTEGER else np.float64)


def _real(cell: str) -> float:
    """The cell as a number; ValueError for spellings that only Python takes for numbers, such as 1_0."""
    if not _NUMBER.fullmatch(cell):
        raise ValueError(cell)
    return float(cell)


def _whole(cell: str) -> int:
    """The cell as an integer, exact also for "3.0" and "1e3"; ValueError if it is not a whole number.

    A number of more than _DIGITS digits, or infinity, becomes 10^_DIGITS with its sign.
    """
    if not _NUMBER.fullmatch(cell):
        raise ValueError(cell)
    value = Decimal(cell)
    if not value.is_finite() or value.adjusted() > _DIGITS:
        return int(Decimal(10) ** _DIGITS) * (-1 if value < 0 else 1) if value == value else _none(cell)
    if value != value.to_integral_value():
        raise ValueError(cell)
    return int(value)


def _none(cell: str) -> Never:
    raise ValueError(cell)


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
