"""The values of an application's inputs: read from a file and checked, or made at random."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any, Never, Protocol
from unicodedata import normalize

import numpy as np
from numpy.typing import ArrayLike

from fheasible.aliases import Array
from fheasible.circuit.files import no_file
from fheasible.circuit.limits import MOST_ELEMENTS
from fheasible.circuit.node import Input, Kind
from fheasible.errors import DataError


class HasInputs(Protocol):
    """An application or a circuit."""

    @property
    def inputs(self) -> tuple[Input, ...]: ...


def read(path: str | Path, inputs: Sequence[Input]) -> dict[str, Array]:
    """The values of each input, float64 or int64, from a CSV file or an `.npy` array.

    A CSV has a header that names the inputs; columns of other names are ignored, and a shorter column
    ends in blank cells. An array is one vector, has a field per input, or has a column per input in the
    declared order. The file decides the number of rows, but an input declared with one element has one.
    DataError, with line and value, for whatever does not fit.
    """
    file = Path(path)
    missing = no_file(file)
    if missing:
        raise DataError(
            f"the data file {file} {missing}", "Give a CSV file, or an array saved by numpy (.npy)."
        )
    if file.suffix.lower() not in (".csv", ".npy"):
        raise DataError(
            f"{file} is neither .csv nor .npy", "Save it as CSV with the inputs' names in the first line."
        )
    try:
        columns = _csv(file, inputs) if file.suffix.lower() == ".csv" else _npy(file, inputs)
    except OSError as error:
        raise DataError(
            f"{file} cannot be read: {error.strerror or error}", "Check the permissions of the file."
        ) from error
    _check_lengths(file, inputs, columns)
    return columns


def given(values: Mapping[str, ArrayLike], inputs: Sequence[Input]) -> dict[str, Array]:
    """The values of each input, float64 or int64, from sequences or arrays by name, checked as in `read`.

    DataError, with element and value, for whatever does not fit.
    """
    file, wanted = Path("the given data"), [i.name for i in inputs]
    missing = [name for name in wanted if name not in values]
    unknown = [str(name) for name in values if name not in wanted]
    if missing or unknown:
        fault = f"lack {_names(missing)}" if missing else f"name {_names(unknown)}, which is not an input"
        raise DataError(f"{file} {fault}", f"Give a vector for each of {_names(wanted)}.")
    columns = {i.name: _vector(file, i, _flat(file, i, values[i.name])) for i in inputs}
    _check_lengths(file, inputs, columns)
    return columns


def _flat(file: Path, declared: Input, values: ArrayLike) -> Array:
    if np.ma.is_masked(values):
        raise DataError(
            f"{file}: {declared.name} has masked elements", "Leave them out: values.compressed()."
        )
    try:
        array = np.atleast_1d(np.asarray(values))
    except ValueError as error:
        raise DataError(f"{file}: {declared.name} is not a vector: {error}") from error
    if array.ndim != 1:
        raise DataError(
            f"{file}: {declared.name} has the shape {array.shape}, but a vector is needed",
            "Give one row: values.ravel().",
        )
    return array


def lengths(data: Mapping[str, Array]) -> dict[str, int]:
    """The number of elements of each input, as `App.trace` takes them."""
    return {name: len(values) for name, values in data.items()}


def random_data(app: HasInputs, seed: int) -> dict[str, Array]:
    """Reproducible values for every input, uniform in its declared range; for a circuit's promises, see
    `drawn.py`."""
    generator = np.random.default_rng(seed)
    return {i.name: drawn(i, generator) for i in app.inputs}


def drawn(declared: Input, generator: np.random.Generator) -> Array:
    """Values for that input, uniform in its declared range."""
    if declared.kind is Kind.INTEGER:
        low, high = int(declared.low), int(declared.high)
        return generator.integers(low, high, declared.length, dtype=np.int64, endpoint=True)
    return generator.uniform(declared.low, declared.high, declared.length)


def _csv(file: Path, inputs: Sequence[Input]) -> dict[str, Array]:
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            rows = list(islice(csv.reader(stream), MOST_ELEMENTS + 2))
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{file} is not CSV text: {error}", "Save it as CSV in UTF-8.") from error
    header = [normalize("NFKC", cell.strip()) for cell in rows[0]] if rows else []  # as Python does names
    if len(rows) > MOST_ELEMENTS + 1:
        raise DataError(
            f"{file} has more than {MOST_ELEMENTS:,} rows, the largest length of a vector",
            "Give a part of them; the time for all rows is that for a part, times the number of parts.",
        )
    _check_header(file, header, inputs)
    _check_cells(file, header, rows)
    return {i.name: _column(file, i, rows[1:], header.index(i.name)) for i in inputs}


def _check_header(file: Path, header: list[str], inputs: Sequence[Input]) -> None:
    wanted = [i.name for i in inputs]
    missing = [name for name in wanted if name not in header]
    twice = [name for name in wanted if header.count(name) > 1]
    if missing or twice:
        fault = f"has no column {_names(missing)}" if missing else f"has the column {_names(twice)} twice"
        there = f"its first line is: {', '.join(header)[:80]}" if header else "it is empty"
        raise DataError(
            f"{file} {fault}; {there}",
            f"Name the inputs in the first line, separated by commas: {','.join(wanted)}",
        )


def _check_cells(file: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Raises DataError for a row with more cells than names: its numbers would be read from other columns."""
    for line, row in enumerate(rows[1:], start=2):
        if any(cell.strip() for cell in row[len(header) :]):
            raise DataError(
                f"{file}, line {line} has {len(row)} cells, but the first line names {len(header)} columns:"
                f" {','.join(row)[:80]}",
                _POINT,
            )


def _column(file: Path, declared: Input, rows: Sequence[Sequence[str]], at: int) -> Array:
    cells = [row[at].strip() if at < len(row) else "" for row in rows]
    while cells and not cells[-1]:
        cells.pop()
    parse = _whole if declared.kind is Kind.INTEGER else _real
    found = []
    for line, cell in enumerate(cells, start=2):
        try:
            found.append(parse(cell))
        except ValueError as error:
            kind = "a whole number" if declared.kind is Kind.INTEGER else "a number"
            said = f"holds {cell!r}, which is not {kind}" if cell else "is blank between other values"
            remedy = _POINT if cell else "Fill the cell, or leave the row out."
            raise DataError(f"{file}, line {line}, column {declared.name} {said}", remedy) from error
    return _checked(file, declared, found, lambda i: f"line {i + 2}, column {declared.name}")


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


_NUMBER = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?|[+-]?inf(?:inity)?|nan", re.I
)
_DIGITS = 40  # digits of a whole number: far more than any range has
_POINT = "Write numbers with a decimal point, such as 0.5 or 1e-3, and separate them by commas."


def _npy(file: Path, inputs: Sequence[Input]) -> dict[str, Array]:
    try:
        array = np.load(file, allow_pickle=False)
    except OSError:
        raise
    except Exception as error:  # a header may hold anything, and ask for any memory
        said = str(error) or type(error).__name__
        raise DataError(f"{file} is not a numpy array: {said}", "Write it with numpy.save.") from error
    if not isinstance(array, np.ndarray):
        array.close()
        raise DataError(f"{file} holds several arrays (.npz)", "Write one array with numpy.save.")
    parts = _parts(file, array, inputs)
    return {i.name: _vector(file, i, part) for i, part in zip(inputs, parts, strict=True)}


def _parts(file: Path, array: Array, inputs: Sequence[Input]) -> list[Array]:
    """One vector per input, in the declared order."""
    wanted = [i.name for i in inputs]
    if array.dtype.names is not None and array.ndim == 1:
        missing = [name for name in wanted if name not in array.dtype.names]
        if missing:
            there = ", ".join(array.dtype.names)
            raise DataError(
                f"{file} has no field {_names(missing)}; it has: {there}",
                f"Name a field after each input: {_names(wanted)}.",
            )
        return [array[name] for name in wanted]
    if array.ndim == 1 and len(inputs) == 1:
        return [array]
    if array.ndim == 2 and array.shape[1] == len(inputs):
        return list(array.T)
    raise DataError(
        f"{file} holds an array of shape {array.shape}, but the inputs are {_names(wanted)}",
        f"Save one row per element and one column per input: shape (n, {len(inputs)}).",
    )


def _vector(file: Path, declared: Input, part: Array) -> Array:
    def place(i: int) -> str:
        return f"element {i} of {declared.name}"

    if part.dtype.kind not in "biuf":
        raise DataError(
            f"{file}: {declared.name} holds {part.dtype}, but numbers are needed",
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
    return _checked(file, declared, part.tolist(), place)


def _checked(file: Path, declared: Input, values: Sequence[float], place: Any) -> Array:
    """The values as an array, all of them in the declared range."""
    for i, value in enumerate(values):
        if value != value:
            raise DataError(
                f"{file}, {place(i)} is not a number (NaN)", "Correct the value, or leave its row out."
            )
        if not declared.low <= value <= declared.high:
            raise DataError(
                f"{file}, {place(i)} is {value!r}, outside the declared range"
                f" [{_number(declared.low)}, {_number(declared.high)}]",
                "Correct the value, or widen low=, high= in the application.",
            )
    return np.array(values, dtype=np.int64 if declared.kind is Kind.INTEGER else np.float64)


def _check_lengths(file: Path, inputs: Sequence[Input], columns: Mapping[str, Array]) -> None:
    first: dict[int, Input] = {}
    for i in inputs:
        count = len(columns[i.name])
        if count == 0:
            raise DataError(f"{file} has no values for {i.name}", "Give at least one row.")
        if i.length == 1 and count > 1:
            raise DataError(
                f"{file} has {count:,} values for {i.name}, which is declared as one value",
                "Leave all cells but the first blank.",
            )
        same = first.setdefault(i.length, i)
        if count != len(columns[same.name]):
            raise DataError(
                f"{file} has {len(columns[same.name]):,} values for {same.name} and {count:,} for {i.name},"
                " which are declared of equal length",
                "Fill the blank cells.",
            )


def _names(names: Iterable[str]) -> str:
    return ", ".join(names)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
