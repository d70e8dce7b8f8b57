"""Where results are: for reading only, full, cut off, to be made; who may read them."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from fheasible.errors import StoreError
from fheasible.store import empty, engine, waiting
from fheasible.store.rows import Entry
from fheasible.store.schema import metadata
from fheasible.store.store import Store

Json = dict[str, Any]
NOBODY = 65534

READ = """
import os
from fheasible.store.store import Store
Store.open({path!r}).close()  # what it imports may be root's
os.setuid({nobody})
with Store.open({path!r}, reading=True) as store:
    print([m.id for m in store.measurements()])
    try:
        store.begin(store.measurements()[0].entry, {{"machine": "m"}})
    except Exception as error:
        print(type(error).__name__)
"""


@pytest.fixture
def path(tmp_path: Path, entry: Entry, environment: Json) -> Path:
    found = tmp_path / "results.sqlite"
    with Store.open(found) as store:
        store.add_measurement(entry, environment)
    return found


def test_results_are_their_owners_alone(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_whose_mode_its_owner_changed_keeps_it(path: Path) -> None:
    path.chmod(0o664)
    Store.open(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


@pytest.mark.parametrize("form", ["{}?mode=ro", "file:{}?mode=ro", "sqlite:///{}?mode=ro"])
def test_a_place_to_be_read_only_is_only_read(path: Path, form: str, entry: Entry, environment: Json) -> None:
    before = path.read_bytes()
    with Store.open(form.format(path)) as store:
        assert len(store.measurements()) == 1
        with pytest.raises(StoreError, match="for reading only"):
            store.add_measurement(entry, environment)
    assert path.read_bytes() == before
    with pytest.raises(StoreError, match="there is no results file"):
        Store.open(form.format(path.with_name("other")))
    assert sorted(p.name for p in path.parent.iterdir() if "-" not in p.name) == ["results.sqlite"]


@pytest.mark.long
@pytest.mark.skipif(os.getuid() != 0, reason="only root can become nobody")
def test_a_file_that_cannot_be_written_is_read(path: Path) -> None:
    for folder in takewhile(lambda f: f.stat().st_mode & 0o005 != 0o005, path.parents):
        folder.chmod(0o755)
    path.chmod(0o644)
    code = READ.format(nobody=NOBODY, path=str(path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:2] == ["[1]", "StoreError"], done.stderr


def test_what_cannot_be_made_is_empty_to_who_only_reads() -> None:
    with Store.open("/proc/none/results.sqlite", reading=True) as store:
        assert store.measurements() == []
        assert store.place == "/proc/none/results.sqlite"


def test_an_empty_store_is_what_the_schema_says() -> None:
    """Where this fails: python -m fheasible.store.empty"""
    made = []
    for script in (empty.statements(), empty.worked_out()):
        with closing(sqlite3.connect(":memory:")) as raw:
            raw.executescript(script)
            kinds = raw.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()
            rows = [
                raw.execute(f"SELECT * FROM {name}").fetchall() for kind, name, _ in kinds if kind == "table"
            ]
            made.append((kinds, rows))
    assert made[0] == made[1]
    assert {name for kind, name, _ in made[0][0] if kind == "table"} == set(metadata.tables)


@pytest.mark.long
def test_a_file_that_was_cut_off_is_left_alone(path: Path, entry: Entry, environment: Json) -> None:
    with Store.open(path) as store:
        for _ in range(20):
            store.add_measurement(entry, environment)
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    short = path.read_bytes()[:-4096]
    path.write_bytes(short)
    for reading in (False, True):
        with pytest.raises(StoreError, match="is cut off") as caught:
            Store.open(path, reading)
        assert "not changed" in caught.value.remedy
    assert path.read_bytes() == short


@pytest.mark.parametrize("place", ["-", "", "x?mode=odd", "x?immutable=1", "x?mode=ro&cache=shared"])
def test_what_names_no_file_makes_none(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match="is not the name of a results file"):
        Store.open(place)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("place", "said"), [("folder", "is a folder"), ("pipe", "no ordinary file")])
@pytest.mark.parametrize("reading", [False, True])
def test_what_is_no_file_is_named_and_left_alone(
    place: str, said: str, reading: bool, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match=said):
        Store.open(tmp_path / place, reading)


def test_a_question_mark_may_be_part_of_a_name(tmp_path: Path) -> None:
    Store.open(tmp_path / "why?.sqlite").close()
    assert (tmp_path / "why?.sqlite").is_file()


def test_who_only_reads_makes_no_file_and_no_folder(tmp_path: Path) -> None:
    with Store.open(tmp_path / "typo" / "results.sqlite", reading=True) as store:
        assert store.measurements() == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [10**22, -1, 2**63])
def test_a_number_beyond_all_rows_is_not_there(path: Path, number: int) -> None:
    with Store.open(path) as store, pytest.raises(StoreError, match="there is no measurement"):
        store.show(number)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "SLICE_SECONDS", 0.1)
    monkeypatch.setattr(engine, "SLICE_SECONDS", 0.1)
    monkeypatch.setattr(engine, "OPENING_SECONDS", 0.5)


@pytest.mark.usefixtures("hurried")
def test_who_waits_for_another_process_says_so_and_stores_when_it_is_done(
    path: Path, entry: Entry, environment: Json
) -> None:
    said: list[str] = []
    with Store.open(path, told=said.append) as store:
        before = store.count()
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.5, other.close)
        timer.start()
        store.add_measurement(entry, environment)
        timer.join()
        assert store.count() == before + 1
    assert len(said) == 1
    assert f"another process is writing to {path}: waiting up to 60 seconds" in said[0]


@pytest.mark.usefixtures("hurried")
def test_a_file_that_others_may_not_even_read_is_waited_for_and_then_refused(path: Path) -> None:
    Store.open(path).close()
    said: list[str] = []
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA journal_mode = DELETE")
    other.execute("BEGIN EXCLUSIVE")
    begun = time.monotonic()
    with pytest.raises(StoreError, match="locked") as caught:
        Store.open(path, told=said.append)
    assert time.monotonic() - begun < 10
    other.close()
    assert len(said) == 1
    assert "try again when that process has finished" in caught.value.remedy
    Store.open(path).close()


@pytest.mark.long
def test_a_run_does_not_wait_long_to_begin(path: Path, entry: Entry, environment: Json) -> None:
    """Two seconds instead of sixty: nothing is lost yet."""
    with sqlite3.connect(path, isolation_level=None) as other, Store.open(path) as store:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked"):
            store.begin(entry, environment)
        other.execute("ROLLBACK")
        assert store.begin(entry, environment) == 1
