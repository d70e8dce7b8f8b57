"""Files with the values of inputs: CSV, arrays saved by numpy, Parquet. Columns are found by their names."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final
from unicodedata import normalize

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit.checked import POINT, column, flat, vector
from fheasible.circuit.files import no_file
from fheasible.circuit.frames import sources
from fheasible.circuit.limits import MOST_ELEMENTS
from fheasible.circuit.node import Input
from fheasible.errors import DataError, FheasibleError
from fheasible.extras import need

_PART = "Give a part of them; the time for all rows is that for a part, times the number of parts."


def read_file(file: Path, inputs: Sequence[Input]) -> dict[str, Array]:
    """The values of each input, each of them checked, but not how many there are."""
    missing = no_file(file)
    if missing:
        raise DataError(
            f"the data file {file} {missing}",
            "Give a CSV file, an array saved by numpy (.npy), or a Parquet file.",
        )
    read = _READERS.get(file.suffix.lower())
    if read is None:
        raise DataError(
            f"{file} is neither .csv nor .npy nor .parquet",
            "Save it as CSV with the inputs' names in the first line.",
        )
    try:
        return read(file, inputs)
    except OSError as error:
        raise DataError(
            f"{file} cannot be read: {error.strerror or error}", "Check the permissions of the file."
        ) from error


def _csv(file: Path, inputs: Sequence[Input]) -> dict[str, Array]:
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            rows = list(islice(csv.reader(stream), MOST_ELEMENTS + 2))
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{file} is not CSV text: {error}", "Save it as CSV in UTF-8.") from error
    header = [normalize("NFKC", cell.strip()) for cell in rows[0]] if rows else []  # as Python does names
    _check_count(file, len(rows) - 1)
    there = _named(file, inputs, header)
    _check_cells(file, header, rows)
    found = {}
    for i in inputs:
        at = header.index(there[i.name])
        cells = [row[at].strip() if at < len(row) else "" for row in rows[1:]]
        found[i.name] = column(file, i, there[i.name], cells)
    return found


def _named(file: Path, inputs: Sequence[Input], header: list[str]) -> Mapping[str, str]:
    def said() -> str:
        return f"its first line is: {', '.join(header)[:80]}" if header else "it is empty"

    return sources(file, inputs, header, said)


def _check_count(file: Path, rows: int) -> None:
    if rows > MOST_ELEMENTS:
        raise DataError(f"{file} has more than {MOST_ELEMENTS:,} rows, the largest length of a vector", _PART)


def _check_cells(file: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Raises DataError for a row with more cells than names: its numbers would be read from other columns."""
    for line, row in enumerate(rows[1:], start=2):
        if any(cell.strip() for cell in row[len(header) :]):
            raise DataError(
                f"{file}, line {line} has {len(row)} cells, but the first line names {len(header)} columns:"
                f" {','.join(row)[:80]}",
                POINT,
            )


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
    return of_array(file, array, inputs)


def of_array(file: Path, array: Array, inputs: Sequence[Input]) -> dict[str, Array]:
    """The values in one array: with a field or a column for each input, or one input's alone."""
    parts = _parts(file, array, inputs)
    return {i.name: vector(file, i, part) for i, part in zip(inputs, parts, strict=True)}


def _parts(file: Path, array: Array, inputs: Sequence[Input]) -> list[Array]:
    """One vector per input, in the declared order."""
    if array.dtype.names is not None and array.ndim == 1:
        there = sources(file, inputs, array.dtype.names)
        return [array[there[i.name]] for i in inputs]
    if len(inputs) == 1 and (array.ndim == 1 or inputs[0].shape is not None):
        return [flat(file, inputs[0], array)]
    if array.ndim == 2 and array.shape[1] == len(inputs):
        return list(array.T)
    raise DataError(
        f"{file} holds an array of shape {array.shape}, but the inputs are"
        f" {', '.join(i.name for i in inputs)}",
        f"Save one row per element and one column per input: shape (n, {len(inputs)}).",
    )


def _parquet(file: Path, inputs: Sequence[Input]) -> dict[str, Array]:
    need("arrow", "Parquet files")
    from pyarrow import ArrowException, parquet  # type: ignore[import-untyped]  # few need it

    try:
        with parquet.ParquetFile(file) as stored:
            _check_count(file, stored.metadata.num_rows)
            there = sources(file, inputs, stored.schema_arrow.names)
            read = stored.read(columns=list(there.values()))
    except FheasibleError:
        raise
    except (ArrowException, ValueError) as error:
        said = " ".join(str(error).split())[:120]
        raise DataError(f"{file} is not a Parquet file: {said}", "Give a CSV file instead.") from error
    return {i.name: vector(file, i, np.asarray(read[there[i.name]])) for i in inputs}


_READERS: Final = {".csv": _csv, ".npy": _npy, ".parquet": _parquet, ".pq": _parquet}
