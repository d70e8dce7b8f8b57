"""Rows that something else has changed are found, named and left out; the others are read all the same."""

import json
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fheasible.errors import StoreError
from fheasible.store.rows import Entry, Explored
from fheasible.store.schema import CHECKED, trigger
from fheasible.store.store import Store

Json = dict[str, Any]
PROFILE = ("m", "seal", "4.4.0", 1)
EXPLORED = Explored(
    "std_dev", "ab" * 8, {"security": 128}, {"candidates": [1, 2], "seconds": 0.5}, b"PAR1" * 900
)


@pytest.fixture
def path(tmp_path: Path, entry: Entry, environment: Json) -> Path:
    """Two results, two profiles and an exploration."""
    found = tmp_path / "results.sqlite"
    with Store.open(found) as store:
        for peak in (1, 2):
            store.add_measurement(replace(entry, measurement={"peak_bytes": peak}), environment)
            store.add_profile(*PROFILE, {"nanoseconds": {"ntt": peak}})
        store.add_exploration(EXPLORED, environment)
    return found


@pytest.fixture
def told() -> list[str]:
    return []


def spoil(path: Path, statement: str, *values: object) -> None:
    """What no call of Fheasible does."""
    with sqlite3.connect(path) as raw:
        for table in (*(t.name for t in CHECKED), "contents"):
            raw.execute(f"DROP TRIGGER {table}_no_update")
        assert raw.execute(statement, values).rowcount == 1


@pytest.fixture
def opened(path: Path, told: list[str]) -> Iterator[Store]:
    with Store.open(path, told=told.append) as store:
        yield store


SPOILT = {
    "UPDATE measurements SET measurement = '{' WHERE id = 2": "not JSON",
    "UPDATE measurements SET measurement = '{\"peak_bytes\": 3}' WHERE id = 2": "checksum",
    "UPDATE measurements SET outcome = 'wrong' WHERE id = 2": "checksum",
    "UPDATE environments SET content = replace(content, 'avx2', 'avx5') WHERE id = 2": "environment 2",
}


@pytest.mark.parametrize("statement", SPOILT)
def test_a_damaged_result_is_named_and_the_others_are_listed(
    path: Path, told: list[str], statement: str
) -> None:
    spoil(path, statement)
    with Store.open(path, told=told.append) as store:
        assert [m.id for m in store.measurements()] == [1]
        assert [m.id for m in store.measurements(limit=1)] == [1]
        with pytest.raises(StoreError, match="result 2 is damaged"):
            store.show(2)
        assert store.show(1).entry.measurement == {"peak_bytes": 1}
    assert len(told) == 1  # once, however often it is read
    assert "result 2 is damaged" in told[0]
    assert SPOILT[statement] in told[0]


def test_an_edited_profile_is_not_used(path: Path, told: list[str]) -> None:
    spoil(path, "UPDATE profiles SET content = replace(content, '2', '9') WHERE id = 2")
    with Store.open(path, told=told.append) as store:
        latest = store.latest_profile(*PROFILE)
    assert latest is not None
    assert latest.content == {"nanoseconds": {"ntt": 1}}
    assert "profile 2 is damaged" in told[0]


def test_a_changed_part_that_explorations_share_is_found(path: Path, told: list[str]) -> None:
    spoil(path, "UPDATE contents SET content = ? WHERE length(content) < 1000", zlib.compress(b"{}"))
    with Store.open(path, told=told.append) as store:
        assert store.explorations() == []
        assert [(d.table, d.row) for d in store.check()] == [("explorations", 1)]
    assert "exploration 1 is damaged" in told[0]


def test_what_is_whole_passes_the_check(opened: Store, told: list[str]) -> None:
    assert opened.check() == []
    assert opened.explorations()[0].explored == EXPLORED
    assert told == []


def test_damaged_rows_are_set_aside_and_stay_stored(path: Path, told: list[str]) -> None:
    spoil(path, "UPDATE measurements SET measurement = '{' WHERE id = 2")
    with Store.open(path, told=told.append) as store:
        found = store.check()
        assert [(d.table, d.row) for d in found] == [("measurements", 2)]
        store.set_aside(found)
        assert store.check() == []
        assert [m.id for m in store.measurements()] == [1]
    assert told == []
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT measurement FROM measurements WHERE id = 2").fetchone() == ("{",)


def as_version_1(path: Path) -> None:
    """The file as it was before checksums and what came with them."""
    with sqlite3.connect(path) as raw:
        for table in CHECKED:
            raw.execute(f"DROP TRIGGER {table.name}_no_update")
            raw.execute(f"ALTER TABLE {table.name} DROP COLUMN checksum")
            raw.execute(trigger(table, "UPDATE"))
        row = {"content": json.dumps(EXPLORED.content), "rows": EXPLORED.rows}
        raw.execute("DROP TRIGGER explorations_no_update")
        raw.execute("UPDATE explorations SET content = :content, rows = :rows", row)
        for table_name in ("contents", "attempts", "set_aside"):
            raw.execute(f"DROP TABLE {table_name}")
        raw.execute("UPDATE fheasible_schema SET version = 1")


def test_an_older_file_is_read_and_goes_on_with_checksums(
    path: Path, told: list[str], entry: Entry, environment: Json
) -> None:
    as_version_1(path)
    with Store.open(path, told=told.append) as store:
        assert [m.entry.measurement for m in store.measurements()] == [{"peak_bytes": 2}, {"peak_bytes": 1}]
        assert [p.content["nanoseconds"]["ntt"] for p in store.profiles()] == [2, 1]
        assert store.explorations()[0].explored == EXPLORED
        assert store.check() == []
        store.add_measurement(entry, environment)
    with sqlite3.connect(path) as raw:
        raw.execute("DROP TRIGGER measurements_no_update")
        raw.execute("UPDATE measurements SET message = 'better' WHERE id = 3")
    with Store.open(path, told=told.append) as store:
        assert [m.id for m in store.measurements()] == [2, 1]


def test_an_older_file_that_cannot_be_written_is_read_as_it_is(path: Path, told: list[str]) -> None:
    as_version_1(path)
    before = path.read_bytes()
    with Store.open(f"{path}?mode=ro", told=told.append) as store:
        assert len(store.measurements()) == 2
        assert store.explorations()[0].explored == EXPLORED
    assert path.read_bytes() == before


_ADDED = "'killed for memory', "
_COPY = (
    "INSERT INTO measurements SELECT 9, created, environment_id, app, circuit, library, scheme, request, "
    "parameters, estimate, measurement, ?, message, checksum FROM measurements WHERE id = 1"
)


def as_version_2(path: Path) -> None:
    """The file as it was before the outcome "killed for memory"."""
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA writable_schema = ON")
        raw.execute("UPDATE sqlite_schema SET sql = replace(sql, ?, '')", (_ADDED,))
        raw.execute("UPDATE fheasible_schema SET version = 2")


def test_a_file_of_version_2_takes_the_new_outcome_and_keeps_its_rows(
    path: Path, entry: Entry, environment: Json
) -> None:
    as_version_2(path)
    with sqlite3.connect(path) as raw, pytest.raises(sqlite3.IntegrityError, match="known_outcome"):
        raw.execute(_COPY, ("killed for memory",))
    with Store.open(path) as store:
        store.add_measurement(replace(entry, outcome="killed for memory", measurement=None), environment)
        assert [m.entry.outcome for m in store.measurements()] == [
            "killed for memory",
            "measured",
            "measured",
        ]
        assert store.check() == []
    with sqlite3.connect(path) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        with pytest.raises(sqlite3.IntegrityError, match="known_outcome"):
            raw.execute(_COPY, ("nonsense",))


def test_a_file_of_version_2_is_read_as_it_is_where_it_cannot_be_written(path: Path) -> None:
    as_version_2(path)
    before = path.read_bytes()
    with Store.open(f"{path}?mode=ro") as store:
        assert len(store.measurements()) == 2
    assert path.read_bytes() == before
