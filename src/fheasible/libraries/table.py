"""Kernel counts from a table: what each library counts (`Cells.counted`), made once for the usual layouts.

The table (`data/counts.npz`, made by `tabulation.py`) is read by library and scheme, and apart for long
chains, each part when it is first asked for. A cell that it does not have is counted when it is asked for.
For key generation it has up to two switching keys, because each further key costs as much as the second.

Bootstraps have a table of their own (`data/bootstraps.npz`, made by `exploration/space/tabulation.py`): those
that a search tries at the usual level of security.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.catalogue import library
from fheasible.libraries.layout import Cell
from fheasible.rings.rns.kernels import KERNELS

COLUMNS: Final = (*KERNELS, "peak_limbs", "operand_limbs")
ACTIONS: Final = (
    "add", "add_plain", "add_scalar", "decrypt", "drop", "encrypt", "keygen", "mul", "mul_plain",
    "mul_scalar", "neg", "relinearize", "rescale", "rotate", "rotate_hoist", "rotate_hoisted", "square",
)  # fmt: skip
SHORT: Final = 32  # limbs: few programs have longer chains
LARGEST_KEYS: Final = 2  # the most switching keys that key generation is counted with
_NUMBERS: Final = {name: number for number, name in enumerate(ACTIONS)}
_BITS: Final = (7, 6, 16, 2, 7, 7, 7)  # of the numbers that `key_of` puts together
_LIMITS: Final = tuple(1 << bits for bits in _BITS)
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class CountTable:
    """The counts of cells by their keys, which are in ascending order."""

    keys: Rows
    rows: NDArray[np.int32]

    def find(self, key: int) -> NDArray[np.int32] | None:
        """The counts of the cell with that key; None where the table does not have it."""
        place = int(self.keys.searchsorted(key))
        return self.rows[place] if place < len(self.keys) and self.keys[place] == key else None


def rows(cells: Sequence[Cell]) -> Rows:
    """The counts of each cell, in the order of `COLUMNS`."""
    return np.array([_row(cell) for cell in cells], dtype=np.int64).reshape(len(cells), len(COLUMNS))


@lru_cache(maxsize=1 << 16)
def _row(cell: Cell) -> NDArray[np.int64]:
    if cell.action == "keygen" and cell.polys > LARGEST_KEYS:
        first, second = (_row(cell._replace(polys=keys)) for keys in (1, 2))
        return second + (cell.polys - 2) * (second - first)
    if cell.bootstrap is not None:
        found = _bootstraps().find(bootstrap_key(cell))
    else:
        key = key_of(cell)
        found = None if key is None else _table(part(cell)).find(key)
    return row_of(cell) if found is None else found.astype(np.int64)


def row_of(cell: Cell) -> NDArray[np.int64]:
    """The counts of a cell as its library counts it, without the table."""
    found = library(cell.library).cells.counted(cell)
    return np.array([found.get(name, 0) for name in COLUMNS], dtype=np.int64)


def key_of(cell: Cell) -> int | None:
    """A number for the cell, unique in its library and scheme, and close to those of cells with like counts.

    None where the table cannot hold the cell.
    """
    action = _NUMBERS.get(cell.action)
    if action is None:
        return None
    key = action
    parts = (cell.digit, cell.special, cell.own, cell.polys, cell.dropped, cell.chain, cell.level)
    for number, bits, limit in zip(parts, _BITS, _LIMITS, strict=True):
        if not 0 <= number < limit:
            return None
        key = key << bits | number
    return key


def bootstrap_key(cell: Cell) -> int:
    """A number for the cell of a bootstrap: a hash of all that decides its counts."""
    return int.from_bytes(sha256(repr(cell).encode()).digest()[:8], "big", signed=True)


@cache
def _bootstraps() -> CountTable:
    """The stored table of bootstraps. The file has differences of rows, in an order in which they are
    alike."""
    with (files("fheasible.libraries") / "data" / "bootstraps.npz").open("rb") as f, np.load(f) as stored:
        keys, differences = stored["keys"], stored["rows"]
    order = np.argsort(keys)
    return CountTable(keys[order], np.cumsum(differences, axis=1, dtype=np.int32).T[order])


def part(cell: Cell) -> str:
    """The name of the part of the table that may have the cell."""
    return f"{library(cell.library).family}_{cell.scheme}{'_long' if cell.chain > SHORT else ''}"


@cache
def _table(part: str) -> CountTable:
    """That part of the stored table; empty where there is none, as for a library that is new since the file
    was made.

    The file has differences of keys and rows, by column, which are mostly zeros.
    """
    with (files("fheasible.libraries") / "data" / "counts.npz").open("rb") as file, np.load(file) as stored:
        if f"{part}_keys" not in stored:
            return CountTable(np.empty(0, dtype=np.int64), np.empty((0, len(COLUMNS)), dtype=np.int32))
        keys, differences = stored[f"{part}_keys"], stored[f"{part}_rows"]
    return CountTable(np.cumsum(keys), np.cumsum(differences, axis=1, dtype=np.int32).T)
