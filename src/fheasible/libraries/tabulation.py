"""Makes the table that `table.py` reads, from the libraries' ways: a minute or so.

    python -m fheasible.libraries.tabulation

It writes `data/counts.npz` beside itself. Run it whenever a way changes, or the ring or the schemes that it
is written against: a test compares `digest()` with that of the sources that the table was made from.
"""

from collections.abc import Iterator
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np

import fheasible
from fheasible.errors import UnsupportedOperation
from fheasible.libraries.cells import PRODUCTS, SWITCHING, TIMES, Cell
from fheasible.libraries.table import ACTIONS, COLUMNS, LARGEST_KEYS, key_of, row_of
from fheasible.libraries.work import Layout, Task

PLACE = Path(__file__).parent / "data" / "counts.npz"
LIBRARIES: Final = ("openfhe", "seal", "lattigo")
SCHEMES: Final = ("ckks", "bgv", "bfv")
MOST_LIMBS: Final = 32
MOST_BFV_LIMBS: Final = 16
_MOST_SPECIAL: Final = 8  # of Lattigo
_LONGEST_DIGIT: Final = 16  # of OpenFHE, in limbs
_LEAST_BITS, _LONGEST = 25, 60  # of a prime of Q; of one of P
_SOURCES: Final = (
    *("libraries/cells.py", "libraries/counting.py", "libraries/table.py", "libraries/tabulation.py"),
    *("libraries/openfhe/way.py", "libraries/openfhe/copies.py"),
    *(
        "libraries/seal/way.py",
        "libraries/seal/besides.py",
        "libraries/seal/peaks.py",
        "libraries/seal/case.py",
    ),
    *("libraries/lattigo/way.py", "libraries/lattigo/besides.py"),
)
_TURNS: Final = ("rotate", "rotate_hoist", "rotate_hoisted")
_FOLDERS: Final = ("rings/rns", "schemes/rns")


def digest() -> str:
    """A name for the sources of all counts."""
    root = Path(fheasible.__file__).parent
    paths = [root / name for name in _SOURCES]
    paths += sorted(path for folder in _FOLDERS for path in (root / folder).glob("*.py"))
    state = sha256()
    for path in paths:
        state.update(path.read_bytes())
    return state.hexdigest()


def cells(library: str, scheme: str) -> set[Cell]:
    """All that the table has of them, as far as the library has such actions."""
    most = MOST_BFV_LIMBS if scheme == "bfv" else MOST_LIMBS
    found = set()
    for limbs in range(1, most + 1):
        for layout in layouts(library, scheme, limbs):
            for task in tasks(layout):
                found |= set(_variations(Cell.of(layout, task)))
    return found


def layouts(library: str, scheme: str, limbs: int) -> Iterator[Layout]:
    """Those of so many limbs, whatever their primes."""
    if library == "openfhe":
        yield Layout(library, scheme, limbs, 0, limbs, "bv")
        digits = {-(-limbs // count): count for count in range(1, limbs + 1)}
        for digit, count in digits.items():
            for special in _special(scheme, digit) if digit <= _LONGEST_DIGIT else ():
                yield Layout(library, scheme, limbs, special, count, flooded=scheme == "ckks")
    else:
        for special in range(_MOST_SPECIAL + 1 if library == "lattigo" else 2):
            yield Layout(library, scheme, limbs, special, -(-limbs // max(special, 1)))


def _special(scheme: str, digit: int) -> range:
    """OpenFHE's P exceeds a digit, in primes of 60 bits; those of BFV's Q are nearly as long."""
    least = digit if scheme == "bfv" else -(-digit * _LEAST_BITS // _LONGEST)
    return range(least, digit + 2)


def tasks(layout: Layout) -> Iterator[Task]:
    """All that a program may ask of it."""
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


def _variations(cell: Cell) -> Iterator[Cell]:
    """The cell with all that `own` may be."""
    yield cell
    match cell.library, cell.scheme:
        case "openfhe", "bfv" if cell.action in (*PRODUCTS, *_TURNS):
            yield from (cell._replace(own=kept) for kept in range(1, cell.chain + 1))
        case "openfhe", "ckks" if cell.action == "decrypt":
            yield cell._replace(own=0)
        case "seal", "bfv" if cell.action in PRODUCTS:
            yield from (cell._replace(own=further) for further in (0, 1))
        case "lattigo", _ if cell.action in SWITCHING:
            yield from (cell._replace(own=own) for own in _reduced(cell))
        case "lattigo", "bfv" if cell.action in PRODUCTS:
            least = -(-cell.chain * _LEAST_BITS // 61)
            yield from (cell._replace(own=limbs) for limbs in range(least, cell.chain + 2))


def _reduced(cell: Cell) -> set[int]:
    """How often sums are reduced on the way, of as many products as fit a word beside primes of up to 60 bits
    of Q, which matter in BFV alone, and 61 of P."""
    digits = -(-(cell.level + 1) // max(cell.special, 1))
    of_q = range(-(-digits // 8)) if cell.scheme == "bfv" else range(1)
    of_p = {-(-digits // together) - 1 for together in (4, 8, 16, digits)}
    return {q * TIMES + p for q, p in product(of_q, of_p)}


def table(library: str, scheme: str) -> dict[str, np.ndarray]:
    """Keys in order and their rows, both as differences."""
    known = {}
    for cell in cells(library, scheme):
        key = key_of(cell)
        assert key is not None
        try:
            known[key] = row_of(cell)
        except UnsupportedOperation:
            continue
    keys = np.array(sorted(known), dtype=np.int64)
    found = np.array([known[key] for key in keys.tolist()]).T
    name = f"{library}_{scheme}"
    return {
        f"{name}_keys": np.diff(keys, prepend=0),
        f"{name}_rows": np.diff(found, prepend=0).astype(np.int32),
    }


def main() -> None:
    PLACE.parent.mkdir(exist_ok=True)
    arrays = {"digest": np.array(digest()), "columns": np.array(COLUMNS)}
    for library, scheme in product(LIBRARIES, SCHEMES):
        arrays |= table(library, scheme)
    np.savez_compressed(PLACE, allow_pickle=False, **arrays)


if __name__ == "__main__":
    main()
