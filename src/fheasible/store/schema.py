"""The tables of the store. Rows are appended and never edited; in SQLite, triggers enforce this.

A table that an older Fheasible did not know is made when its file is opened, and the version stays as it is:
the older and the newer Fheasible both go on reading the rest. `VERSION` rises when an existing table changes.
It rose to 2 with checksums, which the rows of older files lack, and with content that is compressed or kept
once in `contents`. It rose to 3 with the outcome "killed for memory", which the tables of older files refuse.
"""

from sqlalchemy import (
    DDL,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    event,
)

from fheasible.store.documents import Document

VERSION = 3
OUTCOMES = ("measured", "refused", "died", "killed for memory", "timed out", "wrong")
OUTCOMES_SINCE = 3  # the version whose tables take all of them
KNOWN_OUTCOME = f"outcome IN {OUTCOMES}"
RULED = {"measurements": "known_outcome", "samples": "known_sample_outcome"}  # tables and conditions

metadata = MetaData()

schema = Table(
    "fheasible_schema", metadata, Column("version", Integer, primary_key=True, autoincrement=False)
)


def _number() -> Column[int]:
    return Column("id", Integer, primary_key=True)


def _created() -> Column[str]:
    return Column("created", String(40), nullable=False)


def _environment() -> Column[int]:
    return Column("environment_id", ForeignKey("environments.id"), nullable=False)


def _checksum() -> Column[str]:
    """The column for the checksum of the whole row; older files have rows without one."""
    return Column("checksum", String(64))


environments = Table(
    "environments",
    metadata,
    _number(),
    Column("machine", String(64), nullable=False),
    Column("content", Document(compressed=True), nullable=False),
    _checksum(),
)

measurements = Table(
    "measurements",
    metadata,
    _number(),
    _created(),
    _environment(),
    Column("app", String(200), nullable=False),
    Column("circuit", String(128), nullable=False),
    Column("library", String(40), nullable=False),
    Column("scheme", String(40), nullable=False),
    Column("request", Document(), nullable=False),
    Column("parameters", Document(), nullable=False),
    Column("estimate", Document()),
    Column("measurement", Document(compressed=True)),
    Column("outcome", String(20), nullable=False),
    Column("message", Text, nullable=False, default=""),
    _checksum(),
    CheckConstraint(KNOWN_OUTCOME, name="known_outcome"),
    Index("measurements_by_app", "app", "library", "scheme"),
)

profiles = Table(
    "profiles",
    metadata,
    _number(),
    _created(),
    Column("machine", String(64), nullable=False),
    Column("library", String(40), nullable=False),
    Column("version", String(40), nullable=False),
    Column("threads", Integer, nullable=False),
    Column("content", Document(), nullable=False),
    _checksum(),
    Index("profiles_by_machine", "machine", "library", "version", "threads"),
)

jobs = Table(
    "sampling_jobs",
    metadata,
    _number(),
    Column("key", String(64), nullable=False),
    Column("library", String(40), nullable=False),
    Column("scheme", String(40), nullable=False),
    Column("content", Document(compressed=True), nullable=False),
    _checksum(),
    Index("sampling_jobs_by_key", "key"),
)

samples = Table(
    "samples",
    metadata,
    _number(),
    _created(),
    _environment(),
    Column("job_id", ForeignKey("sampling_jobs.id"), nullable=False),
    Column("campaign", String(200), nullable=False),
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("outcome", String(20), nullable=False),
    Column("message", Text, nullable=False, default=""),
    Column("figures", Document(compressed=True)),
    Column("found", Document()),
    Column("arrays", LargeBinary),
    _checksum(),
    CheckConstraint(KNOWN_OUTCOME, name="known_sample_outcome"),
    Index("samples_by_campaign", "campaign", "number"),
)

explorations = Table(
    "explorations",
    metadata,
    _number(),
    _created(),
    _environment(),
    Column("app", String(200), nullable=False),
    Column("circuit", String(128), nullable=False),
    Column("wish", Document(), nullable=False),
    Column("content", Document(compressed=True), nullable=False),
    Column("rows", LargeBinary, nullable=False),
    _checksum(),
    Index("explorations_by_app", "app", "circuit"),
)

trials = Table(
    "trials",
    metadata,
    _number(),
    _created(),
    _environment(),
    Column("trial", String(400), nullable=False),
    Column("number", Integer, nullable=False),
    Column("content", Document(compressed=True), nullable=False),
    _checksum(),
    Index("trials_by_name", "trial", "number"),
)

contents = Table(
    "contents",
    metadata,
    Column("digest", String(32), primary_key=True),
    Column("content", LargeBinary, nullable=False),
)
"""Contents that several explorations share, each stored once under its digest."""

attempts = Table(
    "attempts",
    metadata,
    _number(),
    _created(),
    Column("process", String(200), nullable=False),
    Column("entry", Document(compressed=True), nullable=False),
    Column("environment", Document(compressed=True), nullable=False),
)
"""Runs that have begun, with all that is known about them. A run leaves the table when it has its own row."""

set_aside = Table(
    "set_aside",
    metadata,
    _number(),
    _created(),
    Column("table_name", String(40), nullable=False),
    Column("row_id", Integer, nullable=False),
    Column("reason", Text, nullable=False),
)
"""Damaged rows that are no longer read. The rows themselves stay where they are."""

CHECKED = (environments, measurements, profiles, jobs, samples, explorations, trials)
KEPT = (*CHECKED, contents, set_aside)


def trigger(table: Table, change: str) -> str:
    """SQLite's statement that forbids a change of a table, which is UPDATE or DELETE."""
    return (
        f"CREATE TRIGGER {table.name}_no_{change.lower()} BEFORE {change} ON {table.name} "
        "BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END"
    )


CHANGES = ("UPDATE", "DELETE")

for _table in KEPT:
    for _change in CHANGES:
        event.listen(
            _table,
            "after_create",
            DDL(trigger(_table, _change)).execute_if(dialect="sqlite"),  # type: ignore[no-untyped-call]
        )
