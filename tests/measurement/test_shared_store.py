"""Which hosts can do the work, and where their results go."""

from dataclasses import replace
from pathlib import Path

import pytest

from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement import registry
from fheasible.measurement.shared_store import place_for_hosts, store_file, unfit
from fheasible.store.store import Store


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def test_a_file_on_another_machine_is_no_shared_store(place: Path) -> None:
    with Store.open(place):
        file = store_file(place_for_hosts(place))
    assert file is not None
    assert "SQLite" not in unfit((), file)
    for other in (replace(file, boot="another machine"), replace(file, numbers=(0, 0))):
        assert "PostgreSQL" in unfit((), other)
    assert store_file("postgresql+psycopg://me@server/results") is None


def test_a_host_without_a_library_says_how_to_install_it() -> None:
    missing = [name for name in CATALOGUE if not registry.command(name).installed]
    said = unfit(tuple(CATALOGUE), None)
    assert all(f"fheasible libraries install {name}" in said for name in missing)
    assert bool(said) == bool(missing)
