"""Every measurement and exploration with its environment, and every profile: appended, never edited."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, Engine, Row, Select, Table, func, insert, select

from fheasible.errors import StoreError
from fheasible.store.engine import failing_as_store_error, open_engine, writing
from fheasible.store.rows import (
    Entry,
    Explored,
    Sample,
    StoredExploration,
    StoredMeasurement,
    StoredProfile,
    StoredSample,
    StoredTrial,
    plain,
)
from fheasible.store.schema import (
    OUTCOMES,
    environments,
    explorations,
    jobs,
    measurements,
    profiles,
    samples,
    trials,
)

CIRCUMSTANCES = (
    "machine",
    "cpu",
    "flags",
    "library",
    "version",
    "build",
    "threads",
    "load_before",
    "commit",
    "seed",
)
"""What the environment of a measurement must name, be it as unknown (None)."""


class Store:
    """A database of results. Every call is one transaction; StoreError when it cannot be done."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @classmethod
    def open(cls, place: str | Path | None = None) -> "Store":
        """At `place`: a file, an SQLAlchemy URL, or None for the file in the home folder."""
        return cls(open_engine(place))

    @property
    def place(self) -> str:
        """Where it is, without any password."""
        url = self._engine.url
        return str(url.database) if self._engine.dialect.name == "sqlite" else url.render_as_string()

    def close(self) -> None:
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add_measurement(self, entry: Entry, environment: Mapping[str, Any]) -> int:
        """The number of the new row: the entry and its environment are stored together or not at all."""
        _check(entry.outcome, environment)
        own = {f.name: plain(getattr(entry, f.name)) for f in fields(Entry)}
        with failing_as_store_error(self._engine.url), writing(self._engine) as connection:
            row = {"created": _now(), "environment_id": _add_environment(connection, environment), **own}
            return _first(connection.execute(insert(measurements).values(row)).inserted_primary_key)

    def measurements(
        self,
        app: str | None = None,
        library: str | None = None,
        scheme: str | None = None,
        outcome: str | None = None,
        circuit: str | None = None,
        limit: int | None = None,
    ) -> list[StoredMeasurement]:
        """Those that agree with all that is given, newest first."""
        wanted = {"app": app, "library": library, "scheme": scheme, "outcome": outcome, "circuit": circuit}
        query = _matching(_with_environment(), measurements, wanted)
        return [
            _measurement(row) for row in self._read(query.order_by(measurements.c.id.desc()).limit(limit))
        ]

    def show(self, number: int) -> StoredMeasurement:
        """The measurement of that number."""
        rows = self._read(_with_environment().where(measurements.c.id == number))
        if not rows:
            raise StoreError(
                f"there is no measurement {number} in {self.place}", "fheasible results lists them"
            )
        return _measurement(rows[0])

    def add_profile(
        self, machine: str, library: str, version: str, threads: int, content: Mapping[str, Any]
    ) -> int:
        """The number of the new row."""
        row = {"machine": machine, "library": library, "version": version, "threads": threads}
        with failing_as_store_error(self._engine.url), writing(self._engine) as connection:
            done = connection.execute(insert(profiles).values(created=_now(), content=plain(content), **row))
            return _first(done.inserted_primary_key)

    def profiles(
        self,
        machine: str | None = None,
        library: str | None = None,
        version: str | None = None,
        threads: int | None = None,
        limit: int | None = None,
    ) -> list[StoredProfile]:
        """Those that agree with all that is given, newest first."""
        wanted = {"machine": machine, "library": library, "version": version, "threads": threads}
        query = _matching(select(profiles), profiles, wanted)
        rows = self._read(query.order_by(profiles.c.id.desc()).limit(limit))
        return [StoredProfile(**row._mapping) for row in rows]

    def latest_profile(
        self, machine: str, library: str, version: str | None = None, threads: int = 1
    ) -> StoredProfile | None:
        """The newest; without `version` of whatever version was calibrated last."""
        return next(iter(self.profiles(machine, library, version, threads, limit=1)), None)

    def add_sample(self, sample: Sample, environment: Mapping[str, Any], created: str | None = None) -> int:
        """The number of the new row: what was run, what came of it and its environment, together. `created`
        is its time, if that is not now."""
        _check(sample.outcome, environment)
        own = {name: plain(getattr(sample, name)) for name in _OF_SAMPLE}
        with failing_as_store_error(self._engine.url), writing(self._engine) as connection:
            row = {
                "created": created or _now(),
                "environment_id": _add_environment(connection, environment),
                "job_id": _job(connection, sample),
                "arrays": sample.arrays,
                **own,
            }
            return _first(connection.execute(insert(samples).values(row)).inserted_primary_key)

    def samples(
        self, campaign: str | None = None, library: str | None = None, scheme: str | None = None
    ) -> list[StoredSample]:
        """Those that agree with all that is given, in order of measuring."""
        query = select(samples, *_OF_JOB, environments.c.content.label("environment"))
        query = query.join_from(samples, jobs).join(environments)
        query = _matching(_matching(query, samples, {"campaign": campaign}), jobs, {"library": library})
        rows = self._read(_matching(query, jobs, {"scheme": scheme}).order_by(samples.c.id))
        return [_sample(row) for row in rows]

    def add_exploration(self, explored: Explored, environment: Mapping[str, Any]) -> int:
        """The number of the new row: the answer and the machine that gave it, together or not at all."""
        _check_machine(environment)
        own = {f.name: getattr(explored, f.name) for f in fields(Explored)}
        told = {name: value if name == "rows" else plain(value) for name, value in own.items()}
        with failing_as_store_error(self._engine.url), writing(self._engine) as connection:
            row = {"created": _now(), "environment_id": _add_environment(connection, environment), **told}
            return _first(connection.execute(insert(explorations).values(row)).inserted_primary_key)

    def explorations(
        self, app: str | None = None, circuit: str | None = None, limit: int | None = None
    ) -> list[StoredExploration]:
        """Those that agree with all that is given, newest first."""
        query = select(explorations, environments.c.content.label("environment"))
        query = query.join_from(explorations, environments)
        query = _matching(query, explorations, {"app": app, "circuit": circuit})
        return [
            _exploration(row) for row in self._read(query.order_by(explorations.c.id.desc()).limit(limit))
        ]

    def explored_apps(self) -> list[str]:
        """The applications that an exploration is stored of, the latest first."""
        latest = func.max(explorations.c.id).desc()
        query = select(explorations.c.app).group_by(explorations.c.app).order_by(latest)
        return [row.app for row in self._read(query)]

    def add_trial(
        self, trial: str, number: int, content: Mapping[str, Any], environment: Mapping[str, Any]
    ) -> int:
        """The number of the new row: what came of one application of a trial, and where, together."""
        _check_machine(environment)
        with failing_as_store_error(self._engine.url), writing(self._engine) as connection:
            row = {
                "created": _now(),
                "environment_id": _add_environment(connection, environment),
                "trial": trial,
                "number": number,
                "content": plain(content),
            }
            return _first(connection.execute(insert(trials).values(row)).inserted_primary_key)

    def trials(self, trial: str) -> list[StoredTrial]:
        """All applications of that trial, in the order in which they were tried."""
        query = select(trials, environments.c.content.label("environment")).join_from(trials, environments)
        rows = self._read(query.where(trials.c.trial == trial).order_by(trials.c.id))
        names = [f.name for f in fields(StoredTrial)]
        return [StoredTrial(**{name: row._mapping[name] for name in names}) for row in rows]

    def _read(self, query: Select[Any]) -> list[Row[Any]]:
        with failing_as_store_error(self._engine.url), self._engine.connect() as connection:
            return list(connection.execute(query))


def _check(outcome: str, environment: Mapping[str, Any]) -> None:
    if outcome not in OUTCOMES:
        raise StoreError(f"no outcome is called {outcome!r}", f"choose one of {', '.join(OUTCOMES)}")
    missing = [name for name in CIRCUMSTANCES if name not in environment]
    if missing or not environment["machine"]:
        raise StoreError(
            f"a measurement is not stored without its environment: it lacks {', '.join(missing) or 'machine'}"
        )


def _check_machine(environment: Mapping[str, Any]) -> None:
    """Predictions need no more: nothing was run."""
    if not environment.get("machine"):
        raise StoreError("an exploration is not stored without its environment: it lacks machine")


def _with_environment() -> Select[Any]:
    return select(measurements, environments.c.content).join_from(measurements, environments)


def _matching(query: Select[Any], table: Table, wanted: Mapping[str, Any]) -> Select[Any]:
    for name, value in wanted.items():
        if value is not None:
            query = query.where(table.c[name] == value)
    return query


def _measurement(row: Row[Any]) -> StoredMeasurement:
    columns = row._mapping
    entry = Entry(**{f.name: columns[f.name] for f in fields(Entry)})
    return StoredMeasurement(columns["id"], columns["created"], entry, columns["content"])


_OF_SAMPLE = ("campaign", "number", "position", "outcome", "message", "figures", "found")
_OF_JOB = (jobs.c.key, jobs.c.library, jobs.c.scheme, jobs.c.content)


def _add_environment(connection: Connection, environment: Mapping[str, Any]) -> int:
    row = {"machine": environment["machine"], "content": plain(environment)}
    return _first(connection.execute(insert(environments).values(row)).inserted_primary_key)


def _job(connection: Connection, sample: Sample) -> int:
    """The row that says what was run; there is one already after the first run."""
    known = connection.execute(select(jobs.c.id).where(jobs.c.key == sample.key).limit(1)).scalar()
    if known is not None:
        return int(known)
    row = {name: plain(getattr(sample, name)) for name in ("key", "library", "scheme", "content")}
    return _first(connection.execute(insert(jobs).values(row)).inserted_primary_key)


def _sample(row: Row[Any]) -> StoredSample:
    columns = row._mapping
    own = Sample(**{f.name: columns[f.name] for f in fields(Sample)})
    return StoredSample(columns["id"], columns["created"], own, columns["environment"])


def _exploration(row: Row[Any]) -> StoredExploration:
    columns = row._mapping
    own = Explored(**{f.name: columns[f.name] for f in fields(Explored)})
    return StoredExploration(columns["id"], columns["created"], own, columns["environment"])


def _first(key: Any) -> int:
    return int(key[0])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
