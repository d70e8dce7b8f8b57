"""Opens a database so that its contents stay intact."""

import errno
import os
import re
import sqlite3
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakSet

from sqlalchemy import URL, Connection, Engine, create_engine, event, insert, inspect, make_url, select, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError, StatementError
from sqlalchemy.pool import QueuePool, StaticPool

from fheasible.errors import StoreError
from fheasible.store import postgres
from fheasible.store.schema import CHECKED, KNOWN_OUTCOME, OUTCOMES_SINCE, RULED, VERSION, metadata, schema
from fheasible.store.waiting import (
    OPENING_SECONDS,
    SLICE_SECONDS,
    WRITING_SECONDS,
    Told,
    is_locked,
    patiently,
    waiting,
)
from fheasible.system import data_folder

DEFAULT_FILE = "results.sqlite"  # in the folder of the user's data
OWNER_ONLY = 0o600  # inputs of applications and times of machines are their owner's business
_REMEDY = "name another file or database with --store"
_NOT_TO_BE_WRITTEN = (
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOENT
)  # fmt: skip
_engines: WeakSet[Engine] = WeakSet()  # the engines on SQLite's files
_MODE = "mode"  # the query of a URL or a path: "ro" is for reading only
_QUERY = r"\w+=[\w&=]*"  # what stands behind a path is an option of SQLite and no part of the name


def open_engine(place: str | Path | None, told: Told = warnings.warn) -> Engine:
    """An engine on `place` (a path, an SQLAlchemy URL, or the default file), with its tables in place. `told`
    is called where that takes a while, because another process is writing there.

    Raises StoreError where there can be no such engine. A file that is not ours, or not whole, is left as it
    is.
    """
    url = to_url(place)
    with failing_as_store_error(url):
        _check_regular(url)
        _check_whole(url)
        engine = _create(url)
        _await_readable(engine, told)
        _check_ours(engine, url)
        _set_up(engine, told)
    return engine


def to_url(place: str | Path | None) -> URL:
    """The URL of `place`; `?mode=ro` behind a path or a URL is kept in the URL's query.

    Raises StoreError for what names no place.
    """
    if place is None:
        return to_url(data_folder() / DEFAULT_FILE)
    if isinstance(place, str) and "://" in place:
        try:
            return postgres.with_driver(make_url(place))
        except ArgumentError as error:
            raise StoreError(f"{place!r} is not the URL of a database", _REMEDY) from error
    path, query = _path(str(place))
    return URL.create("sqlite", database=str(Path(path).expanduser().absolute()), query=query)


def _path(place: str) -> tuple[str, dict[str, str]]:
    """(the path without SQLite's `file:` before it, the mode behind it as a query)."""
    path, mark, query = place.removeprefix("file:").rpartition("?")
    name, _, mode = query.partition("=")
    asked = bool(mark) and re.fullmatch(_QUERY, query) is not None
    if place in ("", "-") or (asked and (name != _MODE or mode not in ("ro", "rw", "rwc"))):
        raise StoreError(
            f"{place!r} is not the name of a results file",
            f"{_REMEDY}; only ?{_MODE}=ro may stand behind it; ./- is a file with the name -",
        )
    return (path, {_MODE: mode}) if asked else (place.removeprefix("file:"), {})


def asks_to_read(url: URL) -> bool:
    """Whether the place itself says that nothing is to be written."""
    return url.query.get(_MODE) == "ro"


def is_missing_file(url: URL) -> bool:
    """Whether the place is a file that does not exist."""
    file = url.database if url.drivername.startswith("sqlite") else None
    return file not in (None, "", ":memory:") and not os.path.lexists(str(file))


@contextmanager
def failing_as_store_error(url: URL) -> Iterator[None]:
    """Turns the errors of files and databases into StoreError, which says what became of the data."""
    where = _named(url)
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise StoreError(f"the results file {where} cannot be used: {why}", _REMEDY) from error
    except sqlite3.Error as error:  # raised by the driver itself
        raise StoreError(f"the results in {where} cannot be used: {error}", _advice(str(error))) from error
    except (NoSuchModuleError, ImportError) as error:
        remedy = postgres.EXTRA if postgres.is_postgres(url) else "install the database's Python driver"
        raise StoreError(f"there is no driver for {where}: {error}", remedy) from error
    except DBAPIError as error:
        raise StoreError(
            f"the results in {where} cannot be used: {error.orig}", _advice(str(error.orig))
        ) from error
    except StatementError as error:
        raise StoreError(f"a result cannot be stored: {error.orig}") from error
    except TypeError as error:  # a value that JSON cannot express
        raise StoreError(f"a result cannot be stored: {error}") from error
    except (SQLAlchemyError, ValueError) as error:
        raise StoreError(f"the results in {where} cannot be used: {error}", _REMEDY) from error


@contextmanager
def writing(
    engine: Engine, patience: float = WRITING_SECONDS, told: Told = warnings.warn
) -> Iterator[Connection]:
    """A transaction that holds the right to write from its start: all of it is stored, or nothing.

    It waits up to `patience` seconds for another writer, and `told` is called where that takes a while.
    """
    options = {"writes": True, "patience": patience, "told": told}
    with engine.connect().execution_options(**options) as connection, connection.begin():
        if engine.dialect.name == postgres.NAME:
            turn = partial(postgres.take_turn, connection)
            patiently(turn, patience, told, _named(engine.url))
        yield connection


def keeps_from_writing(error: StoreError) -> bool:
    """Whether the error says that a place cannot be written; such a place may still be readable."""
    cause = error.__cause__
    if isinstance(cause, OSError):
        return cause.errno in _NOT_TO_BE_WRITTEN
    words = str(getattr(cause, "orig", cause))
    return any(told in words for told in ("readonly", "unable to open", "is full", "disk I/O", "locked"))


def _advice(words: str) -> str:
    if "malformed" in words or "not a database" in words or "corrupt" in words:
        return f"the file was not changed: restore it from a copy, move it away, or {_REMEDY}"
    if is_locked(words):
        return "another process is writing to it; try again when that process has finished"
    return postgres.advice(words) or _REMEDY


def _check_regular(url: URL) -> None:
    """Raises StoreError for an existing folder, device or pipe, where a file should be."""
    path = Path(url.database or "")
    if url.drivername.startswith("sqlite") and path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "no ordinary file"
        raise StoreError(f"the results cannot be in {path}, which is {kind}", _REMEDY)


def _check_whole(url: URL) -> None:
    """Raises StoreError for an SQLite file that is shorter than its header says.

    Nothing is to be written into such a file. While another process moves its log into the file, the header
    may say more for a moment, so the check is repeated.
    """
    path = Path(url.database or "")
    if not url.drivername.startswith("sqlite") or not path.is_file() or _in_use(path):
        return
    for _ in range(20):
        said, there = _said_bytes(path), path.stat().st_size
        if there >= said:
            return
        time.sleep(0.05)
    raise StoreError(
        f"the results file {path} is cut off: its header says {said:,} bytes, but it has {there:,}",
        f"the file was not changed: restore it from a copy, move it away, or {_REMEDY}",
    )


def _in_use(path: Path) -> bool:
    """Whether this process has a connection to the file.

    Such a file is not opened a second time. Closing any descriptor of a file gives up all locks that a
    process has on it, and another process would then remove the log that this one still writes into.
    """
    return any(
        engine.pool.checkedin() + engine.pool.checkedout() and path.samefile(engine.url.database or "")
        for engine in list(_engines)
        if isinstance(engine.pool, QueuePool) and Path(engine.url.database or "").is_file()
    )


def _said_bytes(path: Path) -> int:
    """The number of pages times their size, as the header of an SQLite file says; 0 for other files."""
    with path.open("rb") as file:
        header = file.read(100)
    if len(header) < 100 or not header.startswith(b"SQLite format 3\0") or header[24:28] != header[92:96]:
        return 0
    size = int.from_bytes(header[16:18], "big")
    return int.from_bytes(header[28:32], "big") * (65_536 if size == 1 else size)


def _create(url: URL) -> Engine:
    if postgres.is_postgres(url):
        return postgres.create(url)
    if not url.drivername.startswith("sqlite"):
        return create_engine(url)
    if url.database and url.database != ":memory:":
        path = Path(url.database)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():  # SQLite gives its own files the mode of this one
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, OWNER_ONLY))
    bare = URL.create(url.drivername, database=url.database)
    engine = create_engine(bare, connect_args={"timeout": SLICE_SECONDS})
    _engines.add(engine)
    return prepared(engine)


def in_memory() -> Engine:
    """An engine on a database in memory, which ends with it; it has no tables yet."""
    return prepared(create_engine("sqlite://", poolclass=StaticPool))


def prepared(engine: Engine) -> Engine:
    """An engine of SQLite that prepares its connections and begins its transactions as ours do."""
    event.listen(engine, "connect", prepare)
    event.listen(engine, "begin", begin)
    return engine


def prepare(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # `begin` says how a transaction begins
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")  # a committed result survives a power cut


def begin(connection: Connection) -> None:
    """Begins a transaction of SQLite, as the options of the connection say."""
    options = connection.get_execution_options()

    def attempt(seconds: float) -> None:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {int(1000 * seconds)}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writes") else "BEGIN")

    if not options.get("writes"):
        attempt(OPENING_SECONDS)  # for all that is read
        return
    patiently(attempt, options["patience"], options["told"], _named(connection.engine.url))


def _check_ours(engine: Engine, url: URL) -> None:
    """Raises StoreError for somebody else's database or a later version of ours. Changes nothing."""
    version = version_of(engine, url)
    if version is not None and version > VERSION:
        raise StoreError(
            f"{url.database} has version {version} of the store, but this Fheasible knows only {VERSION}",
            "use the Fheasible that wrote it, or " + _REMEDY,
        )


def version_of(engine: Engine, url: URL) -> int | None:
    """The version of the store in a database; None where it has no tables yet.

    Raises StoreError for somebody else's database.
    """
    with engine.connect() as connection:
        tables = set(inspect(connection).get_table_names())
        if schema.name not in tables:
            if tables & set(metadata.tables) or (tables and url.drivername.startswith("sqlite")):
                raise StoreError(f"{url.database} is a database, but not one that Fheasible made", _REMEDY)
            return None
        return int(connection.execute(select(schema.c.version)).scalar() or 0)


def _named(url: URL) -> str:
    """The place in messages, without any password."""
    return str(url.database) if url.drivername.startswith("sqlite") else url.render_as_string()


def _await_readable(engine: Engine, told: Told) -> None:
    """Waits until a file can be read. Only a process that shuts all others out keeps it from that."""
    if engine.dialect.name != "sqlite":
        return

    def attempt(seconds: float) -> None:
        connection = engine.raw_connection()  # which may have to wait, too
        try:
            connection.cursor().execute(f"PRAGMA busy_timeout = {int(1000 * seconds)}")
            connection.cursor().execute("SELECT count(*) FROM sqlite_schema").fetchone()
        finally:
            connection.close()

    patiently(attempt, OPENING_SECONDS, told, _named(engine.url))


def _set_up(engine: Engine, told: Told) -> None:
    """Makes the tables that are missing; of several processes that open a new file, one does so."""
    if engine.dialect.name == "sqlite":
        _log_ahead(engine, told)
    with engine.connect() as connection:
        whole = set(metadata.tables) <= set(inspect(connection).get_table_names())
        if whole and connection.execute(select(schema.c.version)).scalar() == VERSION:
            return
    with writing(engine, told=told) as connection:
        set_up_tables(connection)


def set_up_tables(connection: Connection) -> None:
    """Makes all tables in the form of this version; existing tables keep their rows."""
    new = not inspect(connection).has_table(schema.name)
    metadata.create_all(connection)
    if new:
        connection.execute(insert(schema).values(version=VERSION))
        return
    for table in CHECKED:
        if "checksum" not in {column["name"] for column in inspect(connection).get_columns(table.name)}:
            connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN checksum VARCHAR(64)"))
    if (connection.execute(select(schema.c.version)).scalar() or 0) < OUTCOMES_SINCE:
        _admit_outcomes(connection)
    connection.execute(schema.update().values(version=VERSION))


def _admit_outcomes(connection: Connection) -> None:
    """Lets the tables of an older version take the outcomes of this one.

    SQLite has no statement that changes a condition. Its documentation (lang_altertable.html, section 7) has
    the text of the table edited instead, which leaves all rows as they are.
    """
    for table, name in RULED.items():
        if connection.dialect.name == "sqlite":
            _edit_condition(connection, table)
        else:
            connection.execute(text(f"ALTER TABLE {table} DROP CONSTRAINT {name}"))
            connection.execute(text(f"ALTER TABLE {table} ADD CONSTRAINT {name} CHECK ({KNOWN_OUTCOME})"))


def _edit_condition(connection: Connection, table: str) -> None:
    run = connection.exec_driver_sql
    told = run("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).scalar_one()
    edited = re.sub(r"outcome IN \([^)]*\)", KNOWN_OUTCOME, told)
    number = run("PRAGMA schema_version").scalar_one()
    run("PRAGMA writable_schema = ON")
    run("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (edited, table))
    run(f"PRAGMA schema_version = {number + 1}")  # other connections read the tables again
    run("PRAGMA writable_schema = OFF")


def shrink(engine: Engine) -> None:
    """Gives the space of deleted rows back to the system."""
    connection = engine.raw_connection()
    try:
        for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
            connection.cursor().execute(statement).fetchall()
    finally:
        connection.close()


def _log_ahead(engine: Engine, told: Told) -> None:
    """Turns on SQLite's write-ahead log where the file's place allows it.

    With this log, readers and a writer do not wait for each other.
    """
    begun, spoken = time.monotonic(), False
    connection = engine.raw_connection()
    try:
        while not _try_log_ahead(connection.cursor()) and time.monotonic() < begun + OPENING_SECONDS:
            if not spoken and time.monotonic() > begun + SLICE_SECONDS:
                told(waiting(_named(engine.url), OPENING_SECONDS - SLICE_SECONDS))
                spoken = True
            time.sleep(0.02)
    finally:
        connection.close()


def _try_log_ahead(cursor: Any) -> bool:
    """Whether the change of the log is done or pointless; False while others use the file.

    Unlike other statements, this change does not wait for them.
    """
    try:
        if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            cursor.execute("PRAGMA journal_mode = WAL").fetchone()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            return False
        raise StoreError(f"the results file cannot be used: {error}", _REMEDY) from error
    return True
