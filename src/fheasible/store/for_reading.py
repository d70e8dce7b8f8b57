"""Opens a database that cannot be written, or must not be: it is read, and nothing is changed."""

import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Engine, StaticPool, create_engine, inspect

from fheasible.errors import StoreError
from fheasible.store import engine as opening
from fheasible.store import postgres
from fheasible.store.empty import statements
from fheasible.store.schema import VERSION, metadata
from fheasible.store.waiting import OPENING_SECONDS


def open_for_reading(place: str | Path | None, missing_is_empty: bool) -> Engine:
    """An engine that reads the file or the PostgreSQL database at `place`.

    Where there is no file and `missing_is_empty`, it is an empty store. Raises StoreError where the place
    cannot be read, or is not ours.
    """
    url = opening.to_url(place)
    if postgres.is_postgres(url):
        return _on_server(url)
    with opening.failing_as_store_error(url):
        if not Path(url.database or "").exists():
            if missing_is_empty:
                return _in_memory(None)
            raise StoreError(
                f"there is no results file {url.database}", "leave ?mode=ro out, so that the file is made"
            )
        engine = _reading(url)
        version = opening.version_of(engine, url)
        if version is not None and version > VERSION:
            raise StoreError(
                f"{url.database} has version {version} of the store, but this Fheasible has {VERSION}"
            )
        with engine.connect() as connection:
            tables = set(inspect(connection).get_table_names())
        if version == VERSION and set(metadata.tables) <= tables:
            return engine
        return _in_memory(engine)  # an older form is brought up to date in a copy, which changes no file


def _on_server(url: URL) -> Engine:
    with opening.failing_as_store_error(url):
        engine = postgres.create(url, reading=True)
        if opening.version_of(engine, url) == VERSION:
            return engine
    raise StoreError(
        f"{url.database} holds no store of version {VERSION}", "leave ?mode=ro out, so that it is set up"
    )


def _reading(url: URL) -> Engine:
    """An engine that only reads the file.

    SQLite reads a file that has a log only where it can lock the file, unless it is told that nobody writes.
    """
    path = quote(str(url.database))

    def connect() -> Any:
        for mode in ("mode=ro", "mode=ro&immutable=1"):
            connection = sqlite3.connect(f"file:{path}?{mode}", uri=True, timeout=OPENING_SECONDS)
            try:
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            except sqlite3.OperationalError as error:
                connection.close()
                if "locked" in str(error) or "immutable" in mode:
                    raise
                continue
            return connection
        raise AssertionError("the second way returns or raises")

    return opening.prepared(create_engine("sqlite://", creator=connect, poolclass=StaticPool))


def _in_memory(source: Engine | None) -> Engine:
    """A copy of the database in memory, in the form of this version; without a source it is empty."""
    engine = opening.in_memory()
    into = engine.raw_connection()
    if source is None:
        into.driver_connection.executescript(statements())  # type: ignore[union-attr]
        into.close()
        return engine
    raw = source.raw_connection()
    raw.driver_connection.backup(into.driver_connection)  # type: ignore[union-attr]
    raw.close()
    into.close()
    with opening.writing(engine) as connection:
        opening.set_up_tables(connection)
    return engine
