"""Makes the table of bootstraps' counts that `libraries/table.py` reads. This takes a few minutes.

    python -m fheasible.exploration.space.tabulation

It writes `libraries/data/bootstraps.npz`, with the counts of every bootstrap that a search may try at the
usual level of security, whatever the application. Run it whenever `libraries.tabulation` has to be run, and
whenever the settings change that are tried: what is not in the table is counted when it is asked for.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import fheasible
from fheasible.exploration.problem.rings_and_moduli import RINGS
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.space.refreshed import LEAST_RING, parameters, refreshed
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.layout import Cell, Task
from fheasible.libraries.library import Library
from fheasible.libraries.table import bootstrap_key, row_of
from fheasible.libraries.tabulation import digest
from fheasible.libraries.work import cell_of, layout_of

PLACE = Path(fheasible.__file__).parent / "libraries" / "data" / "bootstraps.npz"


def cells(library: Library, wish: Wish) -> Iterator[Cell]:
    """The bootstraps that a search may try, for vectors of all lengths."""
    rings = tuple(n for n in RINGS if LEAST_RING <= n <= library.largest_ring)
    slots = 1
    while library.bootstrap_method is not None and slots <= rings[-1] // 2:
        for choice in refreshed(library, wish, (), rings, slots):
            budget, n = choice.style.budget, choice.ring_dimension
            assert budget is not None
            assert n is not None
            p = parameters(library, wish, choice, min(slots, n // 2), budget.levels)
            if p is not None:
                yield cell_of(layout_of(p), Task("bootstrap", p.limbs - 1))
        slots *= 2


def table() -> dict[str, np.ndarray]:
    """The keys, and the rows as differences by column."""
    each = dict.fromkeys(cell for library in CATALOGUE.values() for cell in cells(library, Wish()))
    rows = np.array([row_of(cell) for cell in each]).T
    return {
        "keys": np.array([bootstrap_key(cell) for cell in each], dtype=np.int64),
        "rows": np.diff(rows, prepend=0).astype(np.int32),
    }


def main() -> None:
    np.savez_compressed(PLACE, allow_pickle=False, digest=np.array(digest()), **table())


if __name__ == "__main__":
    main()
