"""Looking through every row of a database for damage, and setting damaged rows aside."""

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, insert, select

from fheasible.store import contents
from fheasible.store.damage import Damage, damage_of
from fheasible.store.schema import CHECKED, explorations, set_aside

_AT_ONCE = 16  # rows that are read together


def damages(connection: Connection) -> list[Damage]:
    """Every damaged row that is not set aside."""
    named = select(set_aside.c.table_name, set_aside.c.row_id)
    aside = {(name, row) for name, row in connection.execute(named)}
    return [found for found in _all(connection) if (found.table, found.row) not in aside]


def put_aside(connection: Connection, found: Sequence[Damage], created: str) -> None:
    """Marks the rows so that they are read no more; they stay where they are."""
    rows = [{"created": created, "table_name": d.table, "row_id": d.row, "reason": d.reason} for d in found]
    if rows:
        connection.execute(insert(set_aside), rows)


def _all(connection: Connection) -> Iterator[Damage]:
    for table in CHECKED:
        for row in connection.execute(select(table).order_by(table.c.id)).yield_per(_AT_ONCE):
            columns = dict(row._mapping)
            found = damage_of(table.name, columns)
            if found is None and table is explorations:
                content, rows = contents.whole(connection, columns["content"], columns["rows"])
                found = damage_of(table.name, columns | {"content": content, "rows": rows, "checksum": None})
            if found is not None:
                yield found
