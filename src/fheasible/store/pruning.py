"""Makes a database smaller: old rows are deleted, and with them what nothing else needs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import Column, Connection, Table, and_, delete, func, select, text

from fheasible.store import contents
from fheasible.store.schema import (
    contents as kept_once,
)
from fheasible.store.schema import (
    environments,
    explorations,
    measurements,
    profiles,
    samples,
    set_aside,
    trials,
    trigger,
)

_ALIKE: tuple[tuple[Table, tuple[str, ...]], ...] = (
    (explorations, ("app",)),
    (measurements, ("app", "library", "scheme")),
)
_PROFILE = ("machine", "library", "version", "threads")


def prune(connection: Connection, keep: int) -> dict[str, int]:
    """How many rows were deleted, by table.

    The newest `keep` explorations of each application stay, and as many results of each application, library
    and scheme. The newest profile of each machine, library, version and number of threads stays, and so do
    all samples. Each row is deleted as a whole or not at all.
    """
    gone = {}
    with _deletable(connection, (*(t for t, _ in _ALIKE), profiles, environments, kept_once, set_aside)):
        for table, alike in _ALIKE:
            gone[table.name] = _drop_older(connection, table, alike, keep)
        gone["profiles"] = _drop_older(connection, profiles, _PROFILE, 1)
        gone["environments"] = _drop_unused(connection)
        gone["contents"] = _drop_contents(connection)
    return gone


@contextmanager
def _deletable(connection: Connection, tables: Sequence[Table]) -> Iterator[None]:
    """Removes the triggers that forbid deleting, and restores them before the transaction ends."""
    if connection.dialect.name != "sqlite":
        yield
        return
    for table in tables:
        connection.execute(text(f"DROP TRIGGER IF EXISTS {table.name}_no_delete"))
    yield
    for table in tables:
        connection.exec_driver_sql(trigger(table, "DELETE"))


def _drop_older(connection: Connection, table: Table, alike: Sequence[str], keep: int) -> int:
    """How many rows were deleted: all but the newest `keep` of those that agree in the given columns."""
    place = func.row_number().over(partition_by=[table.c[name] for name in alike], order_by=table.c.id.desc())
    ranked = select(table.c.id, place.label("place")).subquery()
    old = list(connection.execute(select(ranked.c.id).where(ranked.c.place > keep)).scalars())
    _delete(connection, table.c.id, old)
    for number in old:
        named = and_(set_aside.c.table_name == table.name, set_aside.c.row_id == number)
        connection.execute(delete(set_aside).where(named))
    return len(old)


def _drop_unused(connection: Connection) -> int:
    """How many environments were deleted: those whose rows are gone."""
    used = [select(table.c.environment_id) for table in (measurements, samples, explorations, trials)]
    unused = select(environments.c.id)
    for others in used:
        unused = unused.where(environments.c.id.not_in(others))
    old = list(connection.execute(unused).scalars())
    _delete(connection, environments.c.id, old)
    return len(old)


def _drop_contents(connection: Connection) -> int:
    """How many contents were deleted: those that no exploration needs any more."""
    rows = connection.execute(select(explorations.c.content, explorations.c.rows))
    used = {name for content, table in rows for name in contents.digests(content, table)}
    old = [name for name in connection.execute(select(kept_once.c.digest)).scalars() if name not in used]
    _delete(connection, kept_once.c.digest, old)
    return len(old)


def _delete(connection: Connection, key: "Column[int] | Column[str]", old: Sequence[int | str]) -> None:
    for one in old:
        connection.execute(delete(key.table).where(key == one))
