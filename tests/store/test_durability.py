"""Nothing stored is lost or half-written: killed writers, many writers, broken and foreign files."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from fheasible.errors import StoreError
from fheasible.store.rows import Entry
from fheasible.store.store import Store

Json = dict[str, Any]
Writer = Callable[[Path, int], "subprocess.Popen[str]"]

WRITER = """
import sys
from fheasible.store.rows import Entry
from fheasible.store.store import Store
bulky = {{"samples": [0.123456789] * 20_000}}
entry, environment = Entry(**({entry!r} | {{"measurement": bulky}})), {environment!r}
with Store.open({path!r}) as store:
    for n in range({count}):
        print(store.add_measurement(entry, environment), flush=True)
"""


@pytest.fixture
def writer(entry: Entry, environment: Json) -> Writer:
    """A process that stores `count` measurements, and tells the number of each once it is stored."""

    def start(path: Path, count: int) -> "subprocess.Popen[str]":
        code = WRITER.format(entry=asdict(entry), environment=environment, path=str(path), count=count)
        return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)

    return start


def environments_without_measurement(path: Path) -> int:
    with sqlite3.connect(path) as raw:
        query = "SELECT count(*) FROM environments WHERE id NOT IN (SELECT environment_id FROM measurements)"
        return int(raw.execute(query).fetchone()[0])


@pytest.mark.long
@pytest.mark.parametrize("milliseconds", [0, 3, 7, 13])
def test_a_writer_killed_half_way_loses_nothing_that_it_told(
    tmp_path: Path, writer: Writer, milliseconds: int
) -> None:
    path = tmp_path / "results.sqlite"
    with writer(path, 10_000) as process:
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(5)]
        time.sleep(milliseconds / 1000)
        os.kill(process.pid, signal.SIGKILL)
        told += [int(line) for line in process.stdout.read().split("\n")[:-1]]
    with Store.open(path) as store:
        stored = store.measurements()
    assert set(told) <= {m.id for m in stored}
    assert all(len(m.entry.measurement["samples"]) == 20_000 for m in stored if m.entry.measurement)
    assert environments_without_measurement(path) == 0


@pytest.mark.long
def test_many_processes_may_open_a_new_file_and_write_at_once(tmp_path: Path, writer: Writer) -> None:
    path = tmp_path / "results.sqlite"
    processes = [writer(path, 10) for _ in range(4)]
    told = [line for process in processes for line in process.communicate()[0].split()]
    assert [process.returncode for process in processes] == [0] * 4
    with Store.open(path) as store:
        assert sorted(map(int, told)) == sorted(m.id for m in store.measurements()) == list(range(1, 41))


@pytest.mark.long
def test_what_is_read_while_another_writes_is_whole(tmp_path: Path, writer: Writer) -> None:
    path = tmp_path / "results.sqlite"
    with writer(path, 30) as process, Store.open(path) as store:
        while process.poll() is None:
            assert all(m.environment and m.entry.measurement for m in store.measurements(limit=3))
    assert process.returncode == 0


@pytest.mark.long
def test_a_store_opened_twice_survives_what_another_process_closes(
    tmp_path: Path, writer: Writer, entry: Entry, environment: Json
) -> None:
    """Closing any descriptor of a file gives up all of the process's locks on it: another process would then
    take itself for the last one, and remove the log that we still write into."""
    path = tmp_path / "results.sqlite"
    with Store.open(path) as store:
        store.add_measurement(entry, environment)
        with Store.open(path) as again:
            assert len(again.measurements()) == 1
        for mine in (3, 5):
            with writer(path, 1) as process:
                assert process.stdout is not None
                assert int(process.stdout.readline()) == mine - 1
            assert store.add_measurement(entry, environment) == mine
    with Store.open(path) as store:
        assert [m.id for m in store.measurements()] == [5, 4, 3, 2, 1]


@pytest.mark.long
@pytest.mark.parametrize(
    "content", [b"no database", b"PK\x03\x04" * 5000, b"SQLite format 3\0" + b"\xff" * 8192]
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "thesis.txt"
    path.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        Store.open(path)
    assert str(path) in caught.value.message
    assert caught.value.remedy
    assert path.read_bytes() == content


def test_somebody_elses_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "photos.sqlite"
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE photos (id INTEGER)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not one that Fheasible made"):
        Store.open(path)
    assert path.read_bytes() == before


def test_a_store_of_a_later_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    Store.open(path).close()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE fheasible_schema SET version = 99")
    with pytest.raises(StoreError, match="version 99"):
        Store.open(path)


@pytest.mark.long
def test_a_file_damaged_in_the_middle_is_an_error_that_says_it_was_left_alone(
    tmp_path: Path, writer: Writer
) -> None:
    path = tmp_path / "results.sqlite"
    with writer(path, 3) as process:
        process.communicate()
    damaged = bytearray(path.read_bytes())
    damaged[4096:] = os.urandom(len(damaged) - 4096)
    path.write_bytes(damaged)
    with pytest.raises(StoreError) as caught, Store.open(path) as store:
        store.measurements()
    assert "not changed" in caught.value.remedy
    assert path.read_bytes() == bytes(damaged)


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file" / "results.sqlite", tmp_path, Path("/proc/results.sqlite")):
        with pytest.raises(StoreError) as caught:
            Store.open(place)
        assert caught.value.remedy


def test_a_full_disk_is_an_error_and_loses_nothing(tmp_path: Path, entry: Entry, environment: Json) -> None:
    path = tmp_path / "results.sqlite"
    with Store.open(path) as store:
        store.add_measurement(entry, environment)
        with store._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 1")  # SQLite's own disk limit
        huge = Entry(**(asdict(entry) | {"measurement": {"text": "x" * 10_000_000}}))
        with pytest.raises(StoreError, match="full"):
            store.add_measurement(huge, environment)
        assert len(store.measurements()) == 1
    assert environments_without_measurement(path) == 0


def test_a_place_that_is_no_url_or_has_no_driver_is_an_error() -> None:
    for place in ("nonsense://host/db", "://"):
        with pytest.raises(StoreError):
            Store.open(place)


def test_a_password_is_not_shown_in_an_error() -> None:
    with pytest.raises(StoreError) as caught:
        Store.open("nonsense://me:secret@host/db")
    assert "secret" not in caught.value.message
