"""Opening a database so that what is in it stays whole."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, insert, inspect, make_url, select
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError, StatementError

from fheasible.errors import StoreError
from fheasible.store.schema import VERSION, metadata, schema

DEFAULT_PATH = Path(".local", "share", "fheasible", "results.sqlite")  # in the home folder
BUSY_SECONDS = 60.0  # for another writer to finish
_REMEDY = "name another file or database with --store"


def open_engine(place: str | Path | None) -> Engine:
    """An engine on `place` (a path, an SQLAlchemy URL, or the default file), with its tables there.

    StoreError where it cannot be had; a file that is not ours is left as it is.
    """
    url = to_url(place)
    with failing_as_store_error(url):
        engine = _create(url)
        _check_ours(engine, url)
        _set_up(engine)
    return engine


def to_url(place: str | Path | None) -> URL:
    if place is None:
        return to_url(Path.home() / DEFAULT_PATH)
    if isinstance(place, str) and "://" in place:
        try:
            return make_url(place)
        except ArgumentError as error:
            raise StoreError(f"{place!r} is not the URL of a database", _REMEDY) from error
    return URL.create("sqlite", database=str(Path(place).expanduser().absolute()))


@contextmanager
def failing_as_store_error(url: URL) -> Iterator[None]:
    """Turns the errors of files and databases into StoreError, which says what became of the data."""
    where = url.database if url.drivername.startswith("sqlite") else url.render_as_string()
    try:
        yield
    except OSError as error:
        raise StoreError(f"the results file {where} cannot be used: {error}", _REMEDY) from error
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise StoreError(f"no driver for {where}: {error}", "install the database's Python driver") from error
    except DBAPIError as error:
        raise StoreError(f"the results in {where} cannot be used: {error.orig}", _advice(error)) from error
    except StatementError as error:
        raise StoreError(f"this cannot be stored: {error.orig}") from error
    except (SQLAlchemyError, ValueError) as error:  # ValueError: a row whose JSON is none
        raise StoreError(f"the results in {where} cannot be used: {error}", _REMEDY) from error


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that holds the right to write from its start: all of it is stored, or nothing."""
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        yield connection


def _advice(error: DBAPIError) -> str:
    words = str(error.orig)
    if "malformed" in words or "not a database" in words or "corrupt" in words:
        return f"the file was left as it is: restore it from a copy, or move it away, or {_REMEDY}"
    if "locked" in words:
        return "another process is writing to it; try again when that has finished"
    return _REMEDY


def _create(url: URL) -> Engine:
    if not url.drivername.startswith("sqlite"):
        return create_engine(url)
    if url.database and url.database != ":memory:":
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # `_begin` says how a transaction begins
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")  # a committed result survives a power cut


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _check_ours(engine: Engine, url: URL) -> None:
    """StoreError for somebody else's database or a later version of ours. Changes nothing."""
    with engine.connect() as connection:
        tables = set(inspect(connection).get_table_names())
        if schema.name not in tables:
            if tables & set(metadata.tables) or (tables and url.drivername.startswith("sqlite")):
                raise StoreError(f"{url.database} is a database, but not one of Fheasible's", _REMEDY)
            return
        version = connection.execute(select(schema.c.version)).scalar()
    if version != VERSION:
        raise StoreError(
            f"{url.database} has version {version} of the store, and this Fheasible knows {VERSION}",
            "use the Fheasible that wrote it, or " + _REMEDY,
        )


def _set_up(engine: Engine) -> None:
    """Makes the tables that are not there; of several processes that open a new file one does."""
    if engine.dialect.name == "sqlite":
        _log_ahead(engine)
    with engine.connect() as connection:
        if set(metadata.tables) <= set(inspect(connection).get_table_names()):
            return
    with writing(engine) as connection:
        new = not inspect(connection).has_table(schema.name)
        metadata.create_all(connection)  # those that are there stay as they are
        if new:
            connection.execute(insert(schema).values(version=VERSION))


def _log_ahead(engine: Engine) -> None:
    """SQLite's write-ahead log, where the file's place allows it: readers and a writer then do not wait."""
    late = time.monotonic() + BUSY_SECONDS
    connection = engine.raw_connection()
    try:
        while not _try_log_ahead(connection.cursor()) and time.monotonic() < late:
            time.sleep(0.02)
    finally:
        connection.close()


def _try_log_ahead(cursor: Any) -> bool:
    """False while others use the file: the change does not wait for them, as other statements do."""
    try:
        if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            cursor.execute("PRAGMA journal_mode = WAL").fetchone()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            return False
        raise StoreError(f"the results file cannot be used: {error}", _REMEDY) from error
    return True
