"""Explorations: stored whole with the machine that made them, and read back."""

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fheasible.errors import StoreError
from fheasible.store.rows import Explored
from fheasible.store.store import Store

Json = dict[str, Any]
EXPLORED = Explored(
    "std_dev", "ab" * 8, {"security": 128, "objective": "time"}, {"why": ["N = 2^14: ..."]}, bytes(range(256))
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def test_an_exploration_is_found_again_with_its_environment(path: Path, environment: Json) -> None:
    with Store.open(path) as store:
        number = store.add_exploration(EXPLORED, environment)
    with Store.open(path) as store:
        (found,) = store.explorations()
    assert (found.id, found.explored, found.environment) == (number, EXPLORED, environment)
    assert found.created.endswith("+00:00")


def test_what_json_cannot_say_is_stored_as_nothing(path: Path, environment: Json) -> None:
    with Store.open(path) as store:
        store.add_exploration(replace(EXPLORED, content={"bits": float("inf"), "sets": (1, 2)}), environment)
        assert store.explorations()[0].explored.content == {"bits": None, "sets": [1, 2]}


def test_the_newest_exploration_of_an_application_comes_first(path: Path, environment: Json) -> None:
    with Store.open(path) as store:
        first = store.add_exploration(EXPLORED, environment)
        other = store.add_exploration(replace(EXPLORED, app="dot", circuit="cd" * 8), environment)
        newest = store.add_exploration(EXPLORED, environment)
        assert [e.id for e in store.explorations()] == [newest, other, first]
        assert [e.id for e in store.explorations("std_dev")] == [newest, first]
        assert [e.id for e in store.explorations(circuit="cd" * 8)] == [other]
        assert [e.id for e in store.explorations("std_dev", limit=1)] == [newest]
        assert store.explorations("unknown") == []
        assert store.explored_apps() == ["std_dev", "dot"]


def test_stored_explorations_cannot_be_edited(path: Path, environment: Json) -> None:
    with Store.open(path) as store:
        store.add_exploration(EXPLORED, environment)
    with sqlite3.connect(path) as raw:
        for change in ("UPDATE explorations SET app = 'x'", "DELETE FROM explorations"):
            with pytest.raises(sqlite3.IntegrityError, match="never edited"):
                raw.execute(change)


def test_an_exploration_without_its_machine_is_not_stored(path: Path, environment: Json) -> None:
    with Store.open(path) as store:
        for bad in ({}, environment | {"machine": ""}):
            with pytest.raises(StoreError, match="lacks machine"):
                store.add_exploration(EXPLORED, bad)
        with pytest.raises(StoreError):
            store.add_exploration(replace(EXPLORED, content={"odd": object()}), environment)
        assert store.explorations() == []


def test_a_file_from_before_there_were_explorations_keeps_what_it_has_and_takes_some(
    path: Path, environment: Json
) -> None:
    with Store.open(path) as store:
        store.add_profile("f83c2388b75de23a", "seal", "4.4.0", 1, {"prices": [1.0]})
    with sqlite3.connect(path) as raw:
        raw.execute("DROP TABLE explorations")
    with Store.open(path) as store:
        assert len(store.profiles()) == 1
        assert store.explorations() == []
        store.add_exploration(EXPLORED, environment)
        assert [e.explored for e in store.explorations()] == [EXPLORED]
