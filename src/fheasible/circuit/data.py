"""The values of an application's inputs: read from a file and checked, or made at random."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from fheasible.aliases import Array
from fheasible.circuit.checked import flat, vector
from fheasible.circuit.data_files import of_array, read_file
from fheasible.circuit.frames import expanded, header_of, matched, sources
from fheasible.circuit.node import Input, Kind
from fheasible.errors import DataError
from fheasible.units import listing

_GIVEN: Final = Path("the given data")  # in place of a file


class HasInputs(Protocol):
    """An application or a circuit."""

    @property
    def inputs(self) -> tuple[Input, ...]: ...


def read(path: str | Path, inputs: Sequence[Input]) -> dict[str, Array]:
    """The values of each input, float64 or int64, from a CSV or Parquet file or an `.npy` array.

    A CSV has a header that names the inputs, or the columns of a table; other columns are ignored, and a
    shorter column ends in blank cells. An array is one vector, has a field per input, or has a column per
    input in the declared order. The file decides the number of rows, but an input declared with one element
    has one. DataError, with line and value, for whatever does not fit.
    """
    found = read_file(Path(path), inputs)
    _check_lengths(Path(path), inputs, found)
    return found


def given(values: Any, inputs: Sequence[Input]) -> dict[str, Array]:
    """The values of each input, float64 or int64, checked as in `read`.

    They are sequences or arrays by name, where a table may be a dataframe, a dict of columns or an array; or
    one such table with all inputs. DataError, with element and value, for whatever does not fit.
    """
    file = _GIVEN
    if isinstance(values, np.ndarray):
        found = of_array(file, values, inputs)
    elif isinstance(values, Mapping):
        found = _by_name(file, values, inputs)
    else:
        found = _of_frame(file, values, inputs)
    _check_lengths(file, inputs, found)
    return found


def _by_name(file: Path, values: Mapping[str, Any], inputs: Sequence[Input]) -> dict[str, Array]:
    parts = expanded(values, inputs)
    there = matched(inputs, list(parts))
    missing = [name for name in there.values() if name not in parts]
    unknown = [name for name in parts if name not in there.values()]
    if missing or unknown:
        fault = f"lack {_names(missing)}" if missing else f"name {_names(unknown)}, which is not an input"
        raise DataError(f"{file} {fault}", f"Give a vector for each of {_names(there.values())}.")
    return {i.name: vector(file, i, flat(file, i, parts[there[i.name]])) for i in inputs}


def _of_frame(file: Path, frame: Any, inputs: Sequence[Input]) -> dict[str, Array]:
    """The values in a dataframe's columns. DataError for anything without named columns."""
    header = header_of(frame)
    if header is None:
        names = ", ".join(f"{name!r}: [...]" for name in dict.fromkeys(i.argument for i in inputs))
        raise DataError(
            f"data of type {type(frame).__name__} cannot be read",
            f"give a file, a dataframe, or {{{names}}}",
        )
    there = sources(file, inputs, header)
    return {i.name: vector(file, i, flat(file, i, frame[there[i.name]])) for i in inputs}


def lengths(data: Mapping[str, Array]) -> dict[str, int]:
    """The number of elements of each input, as `App.trace` takes them."""
    return {name: len(values) for name, values in data.items()}


def other_lengths(inputs: Sequence[Input], data: Mapping[str, Array], source: str) -> str:
    """That the data, which come from `source`, have other numbers of values than are declared, and the
    remedy; empty where they have not."""
    found: dict[tuple[int, int], list[str]] = {}
    for i in inputs:
        count = len(data[i.name])
        names = found.setdefault((count, i.length), []) if count != i.length else []
        if i.argument not in names:  # a table has one number of rows
            names.append(i.argument)
    said = [
        f"{listing(names)} {'has' if len(names) == 1 else 'each have'} {count:,} "
        f"value{'s' * (count != 1)}, so this is for {count:,}, not for the {declared:,} that are declared"
        for (count, declared), names in found.items()
    ]
    remedy = "for as many as are declared, give data of that length, or none"
    return f"in {source}, {'; '.join(said)}; {remedy}" if said else ""


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
        if i.shape is not None and count != i.length:
            raise DataError(
                f"{file} has {count:,} values for {i.name}, which is declared as a matrix of"
                f" {i.shape[0]:,} x {i.shape[1]:,}",
                "Give all its values, row by row.",
            )
        same = first.setdefault(i.length, i)
        if count != len(columns[same.name]):
            raise DataError(
                f"{file} has {len(columns[same.name]):,} values for {same.name} and {count:,} for {i.name},"
                " which are declared of equal length",
                "Give as many values for each." if file == _GIVEN else "Fill the blank cells.",
            )


def _names(names: Iterable[str]) -> str:
    return ", ".join(names)
