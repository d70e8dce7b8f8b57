"""The tables. Rows are appended and never edited; triggers see to it in SQLite."""

from sqlalchemy import (
    DDL,
    JSON,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    event,
)

VERSION = 1
OUTCOMES = ("measured", "refused", "died", "timed out", "wrong")

metadata = MetaData()

schema = Table(
    "fheasible_schema", metadata, Column("version", Integer, primary_key=True, autoincrement=False)
)

environments = Table(
    "environments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("machine", String(64), nullable=False),
    Column("content", JSON, nullable=False),
)

measurements = Table(
    "measurements",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("created", String(40), nullable=False),
    Column("environment_id", ForeignKey("environments.id"), nullable=False),
    Column("app", String(200), nullable=False),
    Column("circuit", String(128), nullable=False),
    Column("library", String(40), nullable=False),
    Column("scheme", String(40), nullable=False),
    Column("request", JSON, nullable=False),
    Column("parameters", JSON, nullable=False),
    Column("estimate", JSON(none_as_null=True)),
    Column("measurement", JSON(none_as_null=True)),
    Column("outcome", String(20), nullable=False),
    Column("message", Text, nullable=False, default=""),
    CheckConstraint(f"outcome IN {OUTCOMES}", name="known_outcome"),
    Index("measurements_by_app", "app", "library", "scheme"),
)

profiles = Table(
    "profiles",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("created", String(40), nullable=False),
    Column("machine", String(64), nullable=False),
    Column("library", String(40), nullable=False),
    Column("version", String(40), nullable=False),
    Column("threads", Integer, nullable=False),
    Column("content", JSON, nullable=False),
    Index("profiles_by_machine", "machine", "library", "version", "threads"),
)

for _table in (environments, measurements, profiles):
    for _change in ("UPDATE", "DELETE"):
        event.listen(
            _table,
            "after_create",
            DDL(  # type: ignore[no-untyped-call]
                f"CREATE TRIGGER {_table.name}_no_{_change.lower()} BEFORE {_change} ON {_table.name} "
                "BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END"
            ).execute_if(dialect="sqlite"),
        )
