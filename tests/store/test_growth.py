"""What is stored twice is kept once, what is long is compressed, and what is old can be removed."""

import random
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fheasible.store import store as store_module
from fheasible.store.rows import Entry, Explored
from fheasible.store.store import Store

Json = dict[str, Any]
_CHANCE = random.Random(1)
EXPLORED = Explored(
    "std_dev",
    "ab" * 8,
    {"security": 128},
    {"details": [_CHANCE.random() for _ in range(10_000)], "seconds": 0.5},
    _CHANCE.randbytes(60_000),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def grown(path: Path) -> int:
    """Bytes, once the log is in the file."""
    with Store.open(path) as store, store._engine.connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.exec_driver_sql("BEGIN")
    return path.stat().st_size


@pytest.mark.long
def test_the_same_answer_again_takes_a_row_and_no_more(path: Path, environment: Json) -> None:
    with Store.open(path) as store:
        store.add_exploration(EXPLORED, environment)
    first = grown(path)
    slower = replace(EXPLORED, content=EXPLORED.content | {"seconds": 0.7})
    with Store.open(path) as store:
        for _ in range(10):
            store.add_exploration(slower, environment)
        assert [e.explored for e in store.explorations()] == [slower] * 10 + [EXPLORED]
    assert grown(path) - first < 10 * 5_000


def test_another_answer_is_kept_beside_it(path: Path, environment: Json) -> None:
    other = replace(EXPLORED, content=EXPLORED.content | {"details": [1]}, rows=b"PAR1")
    with Store.open(path) as store:
        store.add_exploration(EXPLORED, environment)
        store.add_exploration(other, environment)
        assert [e.explored for e in store.explorations()] == [other, EXPLORED]


def test_samples_of_many_operations_are_compressed(path: Path, entry: Entry, environment: Json) -> None:
    samples = [[round(_CHANCE.random(), 9), round(_CHANCE.random(), 9)] for _ in range(20_000)]
    with Store.open(path) as store:
        store.add_measurement(replace(entry, measurement={"operation_seconds": samples}), environment)
        assert store.measurements()[0].entry.measurement == {"operation_seconds": samples}
    assert grown(path) < 0.55 * len(repr(samples))


def test_the_newest_stay_and_everything_else_goes(path: Path, entry: Entry, environment: Json) -> None:
    with Store.open(path) as store:
        for number in range(5):
            store.add_exploration(replace(EXPLORED, rows=bytes([number]) * 50_000), environment)
            store.add_measurement(replace(entry, message=str(number)), environment)
            store.add_profile("m", "seal", "4.4.0", 1, {"number": number})
        store.add_measurement(replace(entry, app="other"), environment)
        gone = store.prune(2)
        assert gone == {
            "explorations": 3, "measurements": 3, "profiles": 4, "environments": 6, "contents": 3,
        }  # fmt: skip
        assert [e.explored.rows[0] for e in store.explorations()] == [4, 3]
        assert [m.entry.message for m in store.measurements("std_dev")] == ["4", "3"]
        assert len(store.measurements("other")) == 1
        assert [p.content for p in store.profiles()] == [{"number": 4}]
        assert store.check() == []
        with pytest.raises(Exception, match="never edited"), store._engine.connect() as connection:
            connection.exec_driver_sql("DELETE FROM measurements")
        assert store.prune(2) == dict.fromkeys(gone, 0)


def test_a_pruned_file_is_smaller(path: Path, environment: Json) -> None:
    with Store.open(path) as store:
        for number in range(10):
            store.add_exploration(replace(EXPLORED, rows=bytes([number]) + EXPLORED.rows), environment)
    before = grown(path)
    with Store.open(path) as store:
        store.prune(1)
    assert path.stat().st_size < before / 3


def test_rows_are_removed_even_where_there_is_no_room_to_shrink_the_file(
    path: Path, environment: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store_module, "shrink", full)
    told: list[str] = []
    with Store.open(path, told=told.append) as store:
        store.add_exploration(EXPLORED, environment)
        assert store.prune(0)["explorations"] == 1
    assert "could not be made smaller" in told[0]
