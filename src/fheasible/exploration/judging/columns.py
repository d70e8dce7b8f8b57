"""Parameter sets as columns: one array for each figure, one place in it for each set."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from fheasible.aliases import Array
from fheasible.extras import need

Row = dict[str, Any]

WORDS: Final = ("library", "scheme", "technique", "degree", "layout")
WHOLE: Final = (
    "ring_dimension", "slots", "ciphertexts", "limbs", "special_limbs", "digits", "depth", "spare_levels",
    "peak_bytes", "ciphertext_bytes", "key_bytes", "upload_bytes", "download_bytes", "request_bytes",
    "setup_bytes", "threads", "rank",
)  # fmt: skip
LAST: Final = ("pareto", "confirmed")  # known only at the end of a search
FLAGS: Final = ("as_written", *LAST)
NAMES: Final = (
    "library", "scheme", "technique", "ring_dimension", "slots", "ciphertexts", "log_q", "log_p", "log_qp",
    "limbs", "special_limbs", "digits", "scale_bits", "first_bits", "special_bits", "level_bits",
    "plain_modulus", "degree", "depth", "spare_levels", "as_written", "layout", "keygen_seconds",
    "encrypt_seconds", "evaluate_seconds", "decrypt_seconds", "cpu_seconds", "wall_seconds", "threads",
    "error_band", "peak_bytes",
    "ciphertext_bytes", "key_bytes", "upload_bytes", "download_bytes", "request_bytes", "setup_bytes",
    "seeded_upload_bytes", "seeded_key_bytes", "seconds_per_value", "cost", "precision_bits", "assured_bits",
    "security_bits", "score", "rank", "pareto", "confirmed",
)  # fmt: skip
"""The columns, in the order of every table. Sizes are in bytes, times in CPU seconds but for `wall_seconds`,
with so many `threads`. NaN stands where there is no value: the scale of integers, times without a profile,
sizes with seeds where a library writes none. In an answer, `rank` counts the rows from 1, the recommendation,
in the order in which they are shown: first the `confirmed` ones, which were judged by themselves and are its
candidates, then the others by the objective."""


HIDDEN: Final = ("time", "communication", "swap_seconds")
"""Columns that no table shows: what ranks as time without a profile or with swapping, bytes with a share of
the keys, and the seconds that swapping adds."""


@dataclass(frozen=True, eq=False)
class Columns:
    """A table of parameter sets. `data` has a column for each of `NAMES` and `HIDDEN`; `places` are the
    places of the rows' choices in the list of the search."""

    data: Mapping[str, Array]
    places: Array

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, name: str) -> Array:
        return self.data[name]

    def take(self, chosen: Array) -> "Columns":
        """The chosen rows, given as places or as a flag for each row."""
        chosen = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
        return Columns({name: column[chosen] for name, column in self.data.items()}, self.places[chosen])

    def with_columns(self, **given: Array) -> "Columns":
        """The table with the given columns in place of its own."""
        return Columns({**self.data, **given}, self.places)

    def rows(self) -> Iterator[Row]:
        """The rows one by one, as Python's numbers and strings."""
        lists = {name: self.data[name].tolist() for name in NAMES}
        for i in range(len(self)):
            yield {name: column[i] for name, column in lists.items()}

    def columns(self) -> dict[str, list[Any]]:
        """The columns of every table as Python's numbers and strings, with None for NaN."""
        return {name: _listed(self.data[name]) for name in NAMES}

    def arrow(self) -> Any:
        """A `pyarrow.Table`, for whoever reads Arrow: Parquet, pandas, polars. NaN is null there."""
        need("arrow", "tables for other tools")
        import pyarrow as pa  # type: ignore[import-untyped]

        return pa.table({name: _arrow(pa, name, self.data[name]) for name in NAMES})

    @staticmethod
    def joined(parts: Iterable["Columns"]) -> "Columns":
        """The parts as one table, one below the other."""
        found = [part for part in parts if len(part)]
        if len(found) == 1:
            return found[0]
        if not found:
            return _EMPTY
        data = {name: np.concatenate([part.data[name] for part in found]) for name in _ALL}
        return Columns(data, np.concatenate([part.places for part in found]))

    @staticmethod
    def empty() -> "Columns":
        return _EMPTY

    @staticmethod
    def of(size: int, places: Array, given: Mapping[str, Any]) -> "Columns":
        """A table of `size` rows. A single value stands for all rows; a column that is not given is NaN, "",
        False or, for whole numbers, 0."""
        return Columns({name: _column(name, size, given.get(name)) for name in _ALL}, places)


_ALL: Final = (*NAMES, *HIDDEN)


def kind(name: str) -> Any:
    """The numpy type of a column."""
    if name in WORDS:
        return object
    if name in FLAGS:
        return np.bool_
    return np.int64 if name in WHOLE else np.float64


_EMPTY: Final = Columns({name: np.empty(0, dtype=kind(name)) for name in _ALL}, np.empty(0, np.int64))


def _column(name: str, size: int, given: Any) -> Array:
    dtype = kind(name)
    if isinstance(given, np.ndarray) and given.shape == (size,):
        return given.astype(dtype, copy=False)
    missing: Any = "" if dtype is object else False if dtype is np.bool_ else 0 if name in WHOLE else np.nan
    made = np.empty(size, dtype=dtype)
    made[...] = missing if given is None else given
    return made


def _listed(column: Array) -> list[Any]:
    values: list[Any] = column.tolist()
    return [None if value != value else value for value in values] if column.dtype == np.float64 else values


def _arrow(pa: Any, name: str, column: Array) -> Any:
    if name in WORDS:
        return pa.array(column.tolist(), type=pa.string())
    if column.dtype == np.float64:
        return pa.array(column, mask=np.isnan(column))
    return pa.array(column)
