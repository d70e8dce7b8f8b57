"""The shipped table of counts: what it has is what the ways count, and it is of the sources as they are."""

import random
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

from fheasible.calibration.candidates import PLAIN_MODULUS
from fheasible.errors import InfeasibleParameters, UnsupportedOperation
from fheasible.libraries import table, tabulation
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.layout import SWITCHING, Cell, Layout, Task
from fheasible.libraries.parameters import Parameters, Request, request_for
from fheasible.libraries.table import ACTIONS, COLUMNS, key_of, row_of, rows
from fheasible.libraries.work import cell_of, count_rows, counts, layout_of

from .chains import LIBRARIES, SCHEMES
from .layouts import HOISTED, of

PAIRS = [(library, scheme) for library in LIBRARIES for scheme in SCHEMES]
every_pair = pytest.mark.parametrize(("library", "scheme"), PAIRS)
MEBIBYTE = 1 << 20
PARTS = ("digit", "special", "own", "polys", "dropped", "chain", "level")


def cell_at(library: str, scheme: str, key: int) -> Cell:
    """A key taken apart."""
    found = {}
    for name, bits in zip(reversed(PARTS), reversed(table._BITS), strict=True):
        found[name] = key & ((1 << bits) - 1)
        key >>= bits
    return Cell(library, scheme, ACTIONS[key], **found)


def stored() -> "np.lib.npyio.NpzFile":
    return np.load(str(files("fheasible.libraries") / "data" / "counts.npz"))


def test_the_table_is_of_the_sources_as_they_are() -> None:
    """Where this fails: python -m fheasible.libraries.tabulation"""
    with stored() as found:
        assert str(found["digest"]) == tabulation.digest()
        assert tuple(found["columns"]) == COLUMNS
    assert (files("fheasible.libraries") / "data" / "counts.npz").stat().st_size < MEBIBYTE  # type: ignore[attr-defined]


def test_another_source_has_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    before = tabulation.digest()
    monkeypatch.setattr(tabulation, "_SOURCES", tabulation._SOURCES[:-1])
    assert tabulation.digest() != before


def test_a_library_that_is_new_since_the_table_was_made_has_no_rows_in_it() -> None:
    assert table._table("toy_bfv").find(0) is None  # so its operations are counted there and then


@pytest.mark.parametrize("long", [False, True])
@every_pair
def test_random_rows_of_the_table_are_what_the_ways_count(library: str, scheme: str, long: bool) -> None:
    """And each is in the part in which it is looked for; most long chains are those of CKKS."""
    part = f"{library}_{scheme}{'_long' * long}"
    known = table._table(part)
    assert np.all(np.diff(known.keys) > 0)
    assert len(known.keys) or (long and (scheme != "ckks" or library == "seal"))
    for place in random.Random(part).sample(range(len(known.keys)), 60 if len(known.keys) else 0):
        key = int(known.keys[place])
        cell = cell_at(library, scheme, key)
        assert key_of(cell) == key
        assert table.part(cell) == part
        assert known.rows[place].tolist() == row_of(cell).tolist()


def chosen(library: str, asked: Request) -> Parameters | None:
    try:
        return CATALOGUE[library].parameters(asked)
    except InfeasibleParameters:
        return None


@every_pair
def test_what_libraries_usually_make_is_in_the_table(library: str, scheme: str) -> None:
    """So that a new process counts next to nothing."""
    exact = {"scale_bits": 40, "first_bits": 50} if scheme == "ckks" else {"plain_modulus": PLAIN_MODULUS}
    varied = [{"digits": d} for d in (1, 2, 3, 4)] if library == "openfhe" else [{}]
    usual = [(depth, more, 1 << 15) for depth in (1, 4, 9, 14) for more in varied]
    long = [(depth, {"digits": 8}, 1 << 16) for depth in (35, 50)]
    missing, found = [], 0
    for depth, more, n in usual + long * (scheme == "ckks" and library != "seal"):
        asked = request_for(scheme, depth, None, ring_dimension=n, **exact, **more)
        p = chosen(library, asked)
        for task in tasks_of(p) if p else ():
            cell = cell_of(layout_of(p), task)
            key = key_of(cell)
            there = key is not None and table._table(table.part(cell)).find(key) is not None
            found += there
            missing += [] if there else [cell]
    assert found > 50
    assert missing == []


def tasks_of(p: Parameters) -> list[Task]:
    """Every action at every level."""
    polys = {"mul": 3, "square": 3, "keygen": 2} | dict.fromkeys(SWITCHING, 2)
    actions = [a for a in of(p.scheme) if p.library != "seal" or a not in HOISTED]
    levels = range(p.limbs - 1, p.limbs) if p.scheme == "bfv" else range(p.limbs)
    found = [Task(a, level, polys.get(a, 2), depth=1) for a in actions for level in levels]
    return [t for t in found if not (t.action == "rescale" and t.level == 0)]


def test_what_the_table_has_not_is_counted() -> None:
    long = Layout("openfhe", "ckks", 80, 5, 10)
    cell = cell_of(long, Task("rotate", 79))
    assert table._table(table.part(cell)).find(key_of(cell) or 0) is None
    assert rows((cell,))[0].tolist() == row_of(cell).tolist()
    vast = cell_of(replace(long, limbs=200), Task("add", 199))
    assert key_of(vast) is None
    assert rows((vast,))[0].tolist() == row_of(vast).tolist()


def test_rows_are_counts_in_the_order_of_the_columns() -> None:
    layout, asked = Layout("seal", "bgv", 4, 1, 4), (Task("mul", 3, 3), Task("keygen", 3, 5), Task("add", 0))
    found = count_rows(layout, asked)
    assert found.shape == (3, len(COLUMNS))
    for row, task in zip(found.tolist(), asked, strict=True):
        assert {name: n for name, n in zip(COLUMNS, row, strict=True) if n} == counts(layout, task)


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_no_library_has_is_in_no_table(library: str) -> None:
    with pytest.raises(UnsupportedOperation, match="bootstrap"):
        rows((cell_of(Layout(library, "ckks", 3, 1, 3), Task("bootstrap", 2)),))
