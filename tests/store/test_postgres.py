"""PostgreSQL as a shared store, on a server that these tests start for themselves."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, NullPool, create_engine, text
from sqlalchemy.exc import IntegrityError

from fheasible.errors import StoreError
from fheasible.store.rows import Entry, Explored, Sample
from fheasible.store.store import Store
from store.exported import packed, table

Json = dict[str, Any]
OWNER = "feasible"
OLD = Path(__file__).with_name("version_2.sql")
SAMPLE = Sample(
    "calibration", "ab" * 16, "seal", "ckks", {"program": {"slots": 4}, "q": ["1152921504606830593"]},
    number=1, position=3, outcome="measured", figures={"memory": {"peak_bytes": 2**31}}, found={"bits": 19.5},
    arrays=packed(0.25),
)  # fmt: skip
EXPLORED = Explored("std_dev", "c0", {"security": 128}, {"seconds": 1.5, "why": ["µ"]}, table(1))


def program(name: str) -> str | None:
    """A program of PostgreSQL's server, which Debian keeps away from the PATH."""
    folders = [str(f) for f in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    return shutil.which(name) or shutil.which(name, path=":".join(folders))


INITDB, CONTROL = program("initdb"), program("pg_ctl")
server = pytest.mark.skipif(
    not (INITDB and CONTROL and find_spec("psycopg")),
    reason="needs a PostgreSQL server (Debian: apt-get install postgresql) and the extra postgres",
)


def unprivileged() -> Json:
    """How a process is started that is not root's: the server refuses to run as root."""
    if os.getuid() != 0:
        return {}
    who = pwd.getpwnam("nobody")
    return {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}


@contextmanager
def running() -> Iterator[str]:
    """The folder of the socket of a new server, which nothing outside this machine can reach."""
    folder = tempfile.mkdtemp(prefix="feasible-", dir="/tmp")  # a socket's path must be short
    if who := unprivileged():
        os.chown(folder, who["user"], who["group"])
    data, options = f"{folder}/data", f"-k {folder} -c listen_addresses= -c fsync=off"

    def call(*words: str) -> None:
        log = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(words, check=True, cwd=folder, timeout=120, **log, **unprivileged())

    try:
        assert INITDB
        assert CONTROL
        call(INITDB, "-D", data, "-U", OWNER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        call(CONTROL, "-D", data, "-w", "-o", options, "start")
        try:
            yield folder
        finally:
            call(CONTROL, "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def folder() -> Iterator[str]:
    with running() as found:
        yield found


@pytest.fixture
def place(folder: str, request: pytest.FixtureRequest) -> str:
    """The URL of a new, empty database."""
    name = f"db{time.monotonic_ns()}"
    admin = create_engine(url_of(folder, "postgres"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    admin.dispose()
    return url_of(folder, name).replace("+psycopg", "")


def url_of(folder: str, name: str) -> str:
    return f"postgresql+psycopg://{OWNER}@/{name}?host={folder}"


def engine_of(place: str) -> Engine:
    """An engine that keeps no connection."""
    return create_engine(place.replace("postgresql:", "postgresql+psycopg:"), poolclass=NullPool)


def do(place: str, statement: str) -> Any:
    engine = engine_of(place)
    try:
        with engine.begin() as connection:
            return connection.execute(text(statement))
    finally:
        engine.dispose()


def fill(store: Store, entry: Entry, environment: Json) -> None:
    store.add_measurement(entry, environment)
    store.add_sample(SAMPLE, environment)
    store.add_sample(replace(SAMPLE, number=2), environment)
    store.add_exploration(EXPLORED, environment)
    store.add_exploration(replace(EXPLORED, content={**EXPLORED.content, "seconds": 2.5}), environment)
    store.add_trial("seed 1", 4, {"steps": [1, 2]}, environment)
    store.add_profile("ab12", "seal", "4.4.0", 1, {"prices": [1e-9]})


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_without_the_driver_one_message_names_the_remedy(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("psycopg", "psycopg.adapt"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(StoreError, match="there is no driver") as caught:
        Store.open(f"{scheme}://me:secret@nowhere.invalid/results")
    assert "extra postgres" in caught.value.remedy
    assert "secret" not in str(caught.value)


@pytest.mark.skipif(not find_spec("psycopg"), reason="needs the extra postgres")
def test_a_server_that_is_not_there_is_one_message(tmp_path: Path) -> None:
    for word in ("", "&mode=ro"):
        with pytest.raises(StoreError, match="cannot be used") as caught:
            Store.open(f"postgresql://me:secret@/results?host={tmp_path}{word}")
        assert "see that the server runs" in caught.value.remedy
        assert "secret" not in caught.value.message


@server
@pytest.mark.long
def test_everything_is_read_back_as_it_was_stored(place: str, entry: Entry, environment: Json) -> None:
    with Store.open(place) as store:
        fill(store, entry, environment)
    with Store.open(place) as store:
        assert [(m.entry, m.environment) for m in store.measurements()] == [(entry, environment)]
        assert store.samples()[0].sample == SAMPLE
        assert [e.explored.content["seconds"] for e in store.explorations()] == [2.5, 1.5]
        assert store.explorations()[1].explored == EXPLORED
        assert store.trials("seed 1")[0].content == {"steps": [1, 2]}
        assert store.profiles()[0].content == {"prices": [1e-9]}
        assert store.check() == []
    assert do(place, "SELECT count(*) FROM sampling_jobs").scalar() == 1
    assert do(place, "SELECT count(*) FROM contents").scalar() == 2


@server
@pytest.mark.long
def test_a_changed_row_is_found_left_out_and_set_aside(place: str, entry: Entry, environment: Json) -> None:
    told: list[str] = []
    with Store.open(place, told=told.append) as store:
        for _ in range(3):
            fill(store, entry, environment)
        do(place, "UPDATE measurements SET app = 'other' WHERE id = 2")
        do(place, "UPDATE samples SET figures = '{}' WHERE id = 3")
        assert [m.id for m in store.measurements()] == [3, 1]
        assert [(d.table, d.row) for d in store.check()] == [("measurements", 2), ("samples", 3)]
        store.set_aside(store.check())
        assert store.check() == []
        assert len(store.samples()) == 5
    assert "result 2 is damaged" in told[0]


@server
@pytest.mark.long
def test_an_export_is_the_same_bytes_from_either_database(
    place: str, entry: Entry, environment: Json
) -> None:
    with Store.open(place) as store, Store.open("sqlite:///:memory:") as other:
        fill(store, entry, environment)
        texts = [line.text for line in store.lines()]
        other.add_lines(texts, "file")
        assert [line.text for line in other.lines()] == texts
        assert sum(taken.added for taken in store.add_lines(texts, "file").values()) == 0
        with pytest.raises(StoreError, match=r"line \d+: the file ends"):
            store.add_lines(texts[:-1], "file")


@server
@pytest.mark.long
def test_old_rows_are_pruned(place: str, entry: Entry, environment: Json) -> None:
    with Store.open(place) as store:
        for _ in range(4):
            fill(store, entry, environment)
        gone = store.prune(1)
        assert (gone["measurements"], gone["explorations"], gone["profiles"]) == (3, 7, 3)
        assert [m.id for m in store.measurements()] == [4]
        assert [e.id for e in store.explorations()] == [8]
        assert len(store.samples()) == 8
        assert store.check() == []


@server
@pytest.mark.long
def test_a_place_to_be_read_only_is_only_read(place: str, entry: Entry, environment: Json) -> None:
    with pytest.raises(StoreError, match="holds no store"):
        Store.open(f"{place}&mode=ro")
    with Store.open(place) as store:
        store.add_measurement(entry, environment)
    with Store.open(f"{place}&mode=ro") as store:
        assert len(store.measurements()) == 1
        with pytest.raises(StoreError, match="for reading only"):
            store.add_measurement(entry, environment)


@server
@pytest.mark.long
def test_who_writes_too_long_is_named_to_who_waits(place: str, entry: Entry, environment: Json) -> None:
    with Store.open(place) as one, Store.open(place) as other, one._writing():
        assert other.measurements() == []  # readers do not wait
        with pytest.raises(StoreError) as caught:
            other.begin(entry, environment)  # which waits two seconds
    assert "another process is writing" in caught.value.remedy


WRITER = """
from fheasible.store.rows import Entry, Explored, Sample
from fheasible.store.store import Store
bulky = {{"samples": [0.123456789] * 5_000}}
environment = {environment!r}
print("ready", flush=True)
input()  # so that all begin at once
with Store.open({place!r}) as store:
    for n in range({count}):
        number = f"{name}/{{n}}"
        entry = Entry(**({entry!r} | {{"message": number, "measurement": bulky}}))
        attempt = store.begin(entry, environment)
        store.add_measurement(entry, environment, attempt)
        sample = Sample("c", f"key{{n}}", "seal", "ckks", {{}}, n, {name}, "measured")
        store.add_sample(sample, environment)
        explored = Explored("app", "c", {{}}, {{"n": n, "seconds": {name}}}, b"%d" % n)
        store.add_exploration(explored, environment)
        print(number, flush=True)
"""


def writer(place: str, name: int, count: int, entry: Entry, environment: Json) -> "subprocess.Popen[str]":
    code = WRITER.format(name=name, count=count, place=place, entry=asdict(entry), environment=environment)
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


@server
@pytest.mark.long
def test_of_eight_writers_one_is_killed_and_nothing_is_lost_or_doubled(
    place: str, entry: Entry, environment: Json
) -> None:
    """They open the same empty database at once, too."""
    count = 12
    processes = [writer(place, name, count, entry, environment) for name in range(8)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        print(file=process.stdin, flush=True)
    victim, others = processes[0], processes[1:]
    assert victim.stdout is not None
    told = [victim.stdout.readline().strip() for _ in range(3)]
    victim.send_signal(signal.SIGKILL)
    with Store.open(place) as store:  # while the others write
        assert {m.entry.message for m in store.measurements()} >= set(told)
    told += victim.communicate()[0].split()
    for process in others:
        told += process.communicate()[0].split()
    assert [process.returncode for process in others] == [0] * 7
    with Store.open(place) as store:
        found = store.measurements(outcome="measured")
        messages = [m.entry.message for m in found]
        assert len(messages) == len(set(messages))
        assert set(told) <= set(messages)
        assert 7 * count + 3 <= len(messages) < 8 * count
        assert all(len(m.entry.measurement["samples"]) == 5_000 for m in found if m.entry.measurement)
        passes = [(s.sample.number, s.sample.position) for s in store.samples()]
        assert len(passes) == len(set(passes)) >= len(told)
        died = store.measurements(outcome="died")
        assert len(died) <= 1  # the run that the victim was at
        assert store.check() == []
    assert do(place, "SELECT count(*) FROM sampling_jobs").scalar() == count
    assert do(place, "SELECT count(*) FROM attempts").scalar() == 0


@pytest.fixture
def old(place: str) -> str:
    """A database of version 2, as an older Fheasible left it."""
    with engine_of(place).begin() as connection:
        connection.exec_driver_sql(OLD.read_text(encoding="utf-8"))
    return place


def outcomes_refused(place: str) -> list[str]:
    """The tables that refuse the outcome which version 3 has added."""
    refused = []
    for name in ("measurements", "samples"):
        try:
            do(place, f"UPDATE {name} SET outcome = 'killed for memory' WHERE id = 1")
        except IntegrityError:
            refused.append(name)
    return refused


def conditions(place: str) -> Any:
    """How many conditions on outcomes each table has."""
    return do(
        place,
        "SELECT c.relname, count(*) FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid "
        "WHERE k.contype = 'c' AND c.relname IN ('measurements', 'samples') GROUP BY c.relname ORDER BY 1",
    ).all()


@server
@pytest.mark.long
def test_a_database_of_version_2_takes_the_new_outcome_and_keeps_its_rows(
    old: str, entry: Entry, environment: Json
) -> None:
    assert outcomes_refused(old) == ["measurements", "samples"]
    with pytest.raises(StoreError, match="holds no store of version"):
        Store.open(f"{old}&mode=ro")
    killed = replace(entry, outcome="killed for memory", measurement=None)
    with Store.open(old) as store:
        assert [(m.entry, m.environment) for m in store.measurements()] == [(entry, environment)]
        bytes_then = replace(SAMPLE, arrays=bytes(range(256)))
        assert [s.sample for s in store.samples()] == [bytes_then, replace(bytes_then, number=2)]
        assert store.explorations()[1].explored == replace(EXPLORED, rows=b"PAR1 rows")
        assert store.profiles()[0].content == {"prices": [1e-9]}
        store.add_measurement(killed, environment)
        store.add_sample(replace(SAMPLE, outcome="killed for memory", figures=None), environment)
        assert store.check() == []
    with Store.open(f"{old}&mode=ro") as store:
        assert [m.entry.outcome for m in store.measurements()] == ["killed for memory", "measured"]
    assert do(old, "SELECT version FROM fheasible_schema").all() == [(3,)]
    with pytest.raises(IntegrityError, match="known_outcome"):
        do(old, "UPDATE measurements SET outcome = 'nonsense'")


@server
@pytest.mark.long
def test_processes_that_find_an_old_database_at_once_change_it_once_and_lose_nothing(
    old: str, entry: Entry, environment: Json
) -> None:
    count = 3
    killed = replace(entry, outcome="killed for memory")
    processes = [writer(old, name, count, killed, environment) for name in range(4)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    with engine_of(old).connect() as reader:  # whom the change has to wait for
        reader.execute(text("SELECT count(*) FROM measurements"))
        for process in processes:
            assert process.stdin is not None
            print(file=process.stdin, flush=True)
        time.sleep(1)
        assert do(old, "SELECT version FROM fheasible_schema").all() == [(2,)]
    told = [process.communicate()[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    with Store.open(old) as store:
        found = store.measurements(outcome="killed for memory")
        assert sorted(m.entry.message for m in found) == sorted(m for of in told for m in of)
        assert len(found) == 4 * count
        assert len(store.measurements()) == 4 * count + 1
        assert store.check() == []
    assert conditions(old) == [("measurements", 1), ("samples", 1)]
    assert do(old, "SELECT version FROM fheasible_schema").all() == [(3,)]


@server
@pytest.mark.long
def test_who_may_not_change_an_old_database_is_told_who_may(old: str, folder: str) -> None:
    name = f"guest{time.monotonic_ns()}"
    do(old, f"CREATE ROLE {name} LOGIN")
    do(old, f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {name}")
    do(old, f"GRANT CREATE ON SCHEMA public TO {name}")
    with pytest.raises(StoreError, match="must be owner") as caught:
        Store.open(old.replace(f"{OWNER}@", f"{name}@"))
    assert "as the owner of its tables" in caught.value.remedy
    assert do(old, "SELECT version FROM fheasible_schema").all() == [(2,)]
    Store.open(old).close()
    with Store.open(old.replace(f"{OWNER}@", f"{name}@")) as store:
        assert len(store.measurements()) == 1


@server
@pytest.mark.long
def test_a_run_whose_process_was_killed_has_one_row(place: str, entry: Entry, environment: Json) -> None:
    code = f"""
import time
from fheasible.store.rows import Entry
from fheasible.store.store import Store
store = Store.open({place!r})
print(store.begin(Entry(**{asdict(entry)!r}), {environment!r}), flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"1\n"
        with Store.open(place) as store:
            assert store.measurements() == []  # it is still running
        process.kill()
    for _ in range(2):
        with Store.open(place) as store:
            assert [m.entry.outcome for m in store.measurements()] == ["died"]
