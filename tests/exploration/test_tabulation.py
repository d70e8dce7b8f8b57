"""The shipped table of bootstraps' counts has what searches try, and its rows are what libraries count."""

import random
from functools import cache
from importlib.resources import files

import numpy as np
import pytest

from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.space.tabulation import PLACE, cells
from fheasible.libraries import table, tabulation
from fheasible.libraries.catalogue import CATALOGUE, library
from fheasible.libraries.layout import Cell
from fheasible.libraries.table import bootstrap_key, row_of, rows

BOOTSTRAPPING = tuple(name for name, lib in CATALOGUE.items() if lib.bootstrap_method)
MEBIBYTE = 1 << 20


@cache
def tried(name: str) -> list[Cell]:
    return list(dict.fromkeys(cells(library(name), Wish())))


def test_the_table_is_of_the_sources_as_they_are() -> None:
    """Where this fails: python -m fheasible.exploration.space.tabulation"""
    place = files("fheasible.libraries") / "data" / "bootstraps.npz"
    with np.load(str(place)) as found:
        assert str(found["digest"]) == tabulation.digest()
    assert PLACE.samefile(str(place))
    assert PLACE.stat().st_size < MEBIBYTE


@pytest.mark.parametrize("name", BOOTSTRAPPING)
def test_what_searches_try_at_the_usual_security_is_in_the_table(name: str) -> None:
    """So that a new process counts no bootstrap."""
    assert len(tried(name)) > 100
    assert [cell for cell in tried(name) if table._bootstraps().find(bootstrap_key(cell)) is None] == []


@pytest.mark.parametrize("name", BOOTSTRAPPING)
def test_random_rows_of_the_table_are_what_the_library_counts(name: str) -> None:
    for cell in random.Random(name).sample(tried(name), 4):
        found = table._bootstraps().find(bootstrap_key(cell))
        assert found is not None
        assert found.tolist() == row_of(cell).tolist()


def test_a_library_without_bootstraps_has_none_in_the_table() -> None:
    assert list(cells(library("seal"), Wish())) == []


def test_what_the_table_has_not_is_counted() -> None:
    other = next(cells(library("openfhe"), Wish(security=192)))
    assert table._bootstraps().find(bootstrap_key(other)) is None
    assert rows((other,))[0].tolist() == row_of(other).tolist()
