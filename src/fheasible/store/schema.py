"""The tables. Rows are appended and never edited; triggers see to it in SQLite.

A table that an older Fheasible did not know is made when its file is opened, and leaves the version as it is:
both go on reading the rest. `VERSION` rises when a table that is there changes.
"""

from sqlalchemy import (
    DDL,
    JSON,
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

jobs = Table(
    "sampling_jobs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", String(64), nullable=False),
    Column("library", String(40), nullable=False),
    Column("scheme", String(40), nullable=False),
    Column("content", JSON, nullable=False),
    Index("sampling_jobs_by_key", "key"),
)

samples = Table(
    "samples",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("created", String(40), nullable=False),
    Column("environment_id", ForeignKey("environments.id"), nullable=False),
    Column("job_id", ForeignKey("sampling_jobs.id"), nullable=False),
    Column("campaign", String(200), nullable=False),
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("outcome", String(20), nullable=False),
    Column("message", Text, nullable=False, default=""),
    Column("figures", JSON(none_as_null=True)),
    Column("found", JSON(none_as_null=True)),
    Column("arrays", LargeBinary),
    CheckConstraint(f"outcome IN {OUTCOMES}", name="known_sample_outcome"),
    Index("samples_by_campaign", "campaign", "number"),
)

explorations = Table(
    "explorations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("created", String(40), nullable=False),
    Column("environment_id", ForeignKey("environments.id"), nullable=False),
    Column("app", String(200), nullable=False),
    Column("circuit", String(128), nullable=False),
    Column("wish", JSON, nullable=False),
    Column("content", JSON, nullable=False),
    Column("rows", LargeBinary, nullable=False),
    Index("explorations_by_app", "app", "circuit"),
)

trials = Table(
    "trials",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("created", String(40), nullable=False),
    Column("environment_id", ForeignKey("environments.id"), nullable=False),
    Column("trial", String(400), nullable=False),
    Column("number", Integer, nullable=False),
    Column("content", JSON, nullable=False),
    Index("trials_by_name", "trial", "number"),
)

for _table in (environments, measurements, profiles, jobs, samples, explorations, trials):
    for _change in ("UPDATE", "DELETE"):
        event.listen(
            _table,
            "after_create",
            DDL(  # type: ignore[no-untyped-call]
                f"CREATE TRIGGER {_table.name}_no_{_change.lower()} BEFORE {_change} ON {_table.name} "
                "BEGIN SELECT RAISE(ABORT, 'results are appended, never edited'); END"
            ).execute_if(dialect="sqlite"),
        )
