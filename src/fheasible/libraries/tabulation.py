"""Makes the table that `table.py` reads, by counting each library's algorithms. This takes a minute or two.

    python -m fheasible.libraries.tabulation

It writes `data/counts.npz` beside itself. Run it whenever a library's algorithms change, or the ring or the
schemes that they are written against: a test compares `digest()` with the digest that is in the table.
"""

from collections.abc import Iterator
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np

import fheasible
from fheasible.errors import UnsupportedOperation
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.layout import SWITCHING, Cell, Layout, Task
from fheasible.libraries.library import Library
from fheasible.libraries.table import ACTIONS, COLUMNS, LARGEST_KEYS, key_of, part, row_of
from fheasible.libraries.work import cell_of

PLACE = Path(__file__).parent / "data" / "counts.npz"
MOST_LIMBS: Final = {"ckks": 64, "bgv": 32, "bfv": 16}  # of usual rings, where they are secure
_SOURCES: Final = ("layout.py", "table.py", "tabulation.py", "work.py")
_FOLDERS: Final = ("rings/rns", "schemes/rns", "schemes/rns/bootstrap")


def digest() -> str:
    """A hash of the sources of all counts."""
    root = Path(fheasible.__file__).parent
    names = [*_SOURCES, *(f"{lib.name}/{name}" for lib in CATALOGUE.values() for name in lib.counted_by)]
    paths = [root / "libraries" / name for name in names]
    paths += sorted(path for folder in _FOLDERS for path in (root / folder).glob("*.py"))
    state = sha256()
    for path in paths:
        state.update(path.read_bytes())
    return state.hexdigest()


def cells(library: Library, scheme: str) -> set[Cell]:
    """All cells of a library and scheme for the table. The library may not have the actions of some."""
    found = set()
    for limbs in range(1, MOST_LIMBS[scheme] + 1):
        for layout in library.cells.layouts(scheme, limbs):
            for task in tasks(layout):
                cell = cell_of(layout, task)
                found |= {cell, *library.cells.variations(cell)}
    return found


def tasks(layout: Layout) -> Iterator[Task]:
    """All tasks for the table that a program may run in the layout."""
    for action, level in product(ACTIONS, range(layout.limbs)):
        if layout.scheme == "bfv" and level < layout.limbs - 1:
            continue
        match action:
            case "keygen":
                most = LARGEST_KEYS if layout.special or layout.key_switching == "bv" else 0
                yield from (Task(action, level, keys) for keys in range(most + 1))
            case "drop":
                yield from (
                    Task(action, level, *more) for more in product((2, 3), range(layout.limbs - level))
                )
            case "rescale" if level == 0:
                pass
            case _ if action in SWITCHING and not (layout.special or layout.key_switching == "bv"):
                pass
            case _:
                yield from (Task(action, level, polys) for polys in (2, 3))


def table(library: Library, scheme: str) -> dict[str, np.ndarray]:
    """For each part, the keys in ascending order and their rows, both as differences."""
    known: dict[str, dict[int, np.ndarray]] = {}
    for cell in cells(library, scheme):
        key = key_of(cell)
        assert key is not None
        try:
            known.setdefault(part(cell), {})[key] = row_of(cell)
        except UnsupportedOperation:
            continue
    found = {}
    for name, rows in known.items():
        keys = np.array(sorted(rows), dtype=np.int64)
        counts = np.array([rows[key] for key in keys.tolist()]).T
        found[f"{name}_keys"] = np.diff(keys, prepend=0)
        found[f"{name}_rows"] = np.diff(counts, prepend=0).astype(np.int32)
    return found


def main() -> None:
    PLACE.parent.mkdir(exist_ok=True)
    arrays = {"digest": np.array(digest()), "columns": np.array(COLUMNS)}
    for library in CATALOGUE.values():
        for scheme in library.schemes:
            arrays |= table(library, scheme)
    np.savez_compressed(PLACE, allow_pickle=False, **arrays)


if __name__ == "__main__":
    main()
