"""Every measurement and exploration with its environment, and every profile: appended, never edited."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import LABEL_STYLE_TABLENAME_PLUS_COL, Connection, Engine, Select, Table, func, select

from fheasible.errors import StoreError
from fheasible.store import attempts, checking, contents, pruning
from fheasible.store.adding import add_environment, check_machine, check_run, insert_row
from fheasible.store.damage import Damage, damage_of
from fheasible.store.engine import (
    asks_to_read,
    failing_as_store_error,
    is_missing_file,
    keeps_from_writing,
    open_engine,
    shrink,
    to_url,
    writing,
)
from fheasible.store.exporting import Parts, lines_of
from fheasible.store.for_reading import open_for_reading
from fheasible.store.importing import Taken, take_in
from fheasible.store.kinds import OF_JOB, TABLES, kinds_of
from fheasible.store.lines import ExportLine, checked, whole
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
    environments,
    explorations,
    jobs,
    measurements,
    profiles,
    samples,
    set_aside,
    trials,
)
from fheasible.store.waiting import WRITING_SECONDS

SHORT_SECONDS = 2.0  # the wait for another writer, where nothing is lost without the row
_LARGEST = 2**63 - 1  # the largest number of a row
_AT_ONCE = 16  # rows that are read together
_LEFT_OUT = "{}: it is left out. Remedy: fheasible results check"


class Store:
    """A database of results. Every call is one transaction, and raises StoreError when it cannot be done.

    Damaged rows are left out of what is read, and `told` is called once for each of them.
    """

    def __init__(
        self,
        engine: Engine,
        place: str = "",
        refusal: StoreError | None = None,
        told: Callable[[str], None] = warnings.warn,
    ) -> None:
        self._engine, self._place, self._refusal, self._told = engine, place, refusal, told
        self._known: set[Damage] = set()

    @classmethod
    def open(
        cls,
        place: str | Path | None = None,
        reading: bool = False,
        told: Callable[[str], None] = warnings.warn,
    ) -> "Store":
        """The store at `place`: a file, an SQLAlchemy URL, or None for the file in the home folder.

        With `reading`, a place that cannot be written is read all the same; a missing file counts as empty
        and is not made.
        """
        url = to_url(place)
        where = str(url.database) if url.drivername.startswith("sqlite") else url.render_as_string()
        if asks_to_read(url):
            refusal = StoreError(f"the results in {where} were opened for reading only", "leave ?mode=ro out")
            return cls(open_for_reading(place, False), where, refusal, told)
        if reading and is_missing_file(url):
            return cls(open_for_reading(place, True), where, StoreError(f"there is no file {where}"), told)
        try:
            store = cls(open_engine(place, told), where, None, told)
            store._record_lost()
        except StoreError as error:
            if not (reading and keeps_from_writing(error) and url.drivername.startswith("sqlite")):
                raise
            return cls(open_for_reading(place, True), where, error, told)
        return store

    @property
    def place(self) -> str:
        """Where the store is, without any password."""
        return self._place

    def close(self) -> None:
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def begin(self, entry: Entry, environment: Mapping[str, Any]) -> int:
        """The number of a new attempt: a run that begins now.

        If this process ends before the run has a row, the next process that opens the store adds one.
        """
        with self._writing(SHORT_SECONDS) as connection:
            return attempts.begin(connection, _now(), entry, dict(environment))

    def forget(self, attempt: int) -> None:
        """Deletes an attempt of which no row shall tell, because nothing was run."""
        with self._writing(SHORT_SECONDS) as connection:
            attempts.end(connection, attempt)

    def add_measurement(
        self, entry: Entry, environment: Mapping[str, Any], attempt: int | None = None
    ) -> int:
        """The number of the new row: the entry and its environment are stored together or not at all.

        `attempt` is the number of the attempt that has ended with this entry.
        """
        check_run(entry.outcome, environment)
        with self._writing() as connection:
            attempts.end(connection, attempt)
            return _add_entry(connection, _now(), entry, environment)

    def measurements(
        self,
        app: str | None = None,
        library: str | None = None,
        scheme: str | None = None,
        outcome: str | None = None,
        circuit: str | None = None,
        limit: int | None = None,
    ) -> list[StoredMeasurement]:
        """The measurements that agree with all that is given, newest first."""
        wanted = {"app": app, "library": library, "scheme": scheme, "outcome": outcome, "circuit": circuit}
        query = _matching(_of(measurements, environments), measurements, wanted)
        rows = self._read(query.order_by(measurements.c.id.desc()), measurements, environments, limit=limit)
        return [_measurement(row) for row in rows]

    def show(self, number: int) -> StoredMeasurement:
        """The measurement of that number. Raises StoreError where it is missing or damaged."""
        if not 0 <= number <= _LARGEST:
            raise self._no_such(number)
        query = _of(measurements, environments).where(measurements.c.id == number)
        rows = self._read(query, measurements, environments)
        if not rows:
            raise self._no_such(number)
        return _measurement(rows[0])

    def _no_such(self, number: int) -> StoreError:
        damaged = next((d for d in self._known if (d.table, d.row) == ("measurements", number)), None)
        if damaged:
            return StoreError(f"{damaged} in {self.place}", "fheasible results check --repair sets it aside")
        return StoreError(f"there is no measurement {number} in {self.place}", "fheasible results lists them")

    def count(self) -> int:
        """How many measurements there are, damaged ones among them."""
        with failing_as_store_error(self._engine.url), self._engine.connect() as connection:
            return int(connection.execute(select(func.count()).select_from(measurements)).scalar() or 0)

    def add_profile(
        self, machine: str, library: str, version: str, threads: int, content: Mapping[str, Any]
    ) -> int:
        """The number of the new row."""
        row = {"machine": machine, "library": library, "version": version, "threads": threads}
        with self._writing() as connection:
            return insert_row(connection, profiles, row | {"created": _now(), "content": plain(content)})

    def profiles(
        self,
        machine: str | None = None,
        library: str | None = None,
        version: str | None = None,
        threads: int | None = None,
        limit: int | None = None,
    ) -> list[StoredProfile]:
        """The profiles that agree with all that is given, newest first."""
        wanted = {"machine": machine, "library": library, "version": version, "threads": threads}
        query = _matching(_of(profiles), profiles, wanted).order_by(profiles.c.id.desc())
        rows = self._read(query, profiles, limit=limit)
        return [StoredProfile(**_only(StoredProfile, row["profiles"])) for row in rows]

    def latest_profile(
        self, machine: str, library: str, version: str | None = None, threads: int = 1
    ) -> StoredProfile | None:
        """The newest profile; without `version`, of whatever version was calibrated last."""
        return next(iter(self.profiles(machine, library, version, threads, limit=1)), None)

    def add_sample(self, sample: Sample, environment: Mapping[str, Any], created: str | None = None) -> int:
        """The number of the new row: what was run, the outcome and the environment are stored together.

        `created` is the time of the run, if that is not now.
        """
        check_run(sample.outcome, environment)
        own = {name: plain(getattr(sample, name)) for name in _OF_SAMPLE}
        with self._writing() as connection:
            row = {
                "created": created or _now(),
                "environment_id": add_environment(connection, environment),
                "job_id": _job(connection, sample),
                "arrays": sample.arrays,
                **own,
            }
            return insert_row(connection, samples, row)

    def samples(
        self,
        campaign: str | None = None,
        library: str | None = None,
        scheme: str | None = None,
        key: str | None = None,
        number: int | None = None,
    ) -> list[StoredSample]:
        """The samples that agree with all that is given, in order of measuring. `key` is that of the job, and
        `number` that of the pass."""
        of_sample = {"campaign": campaign, "number": number}
        query = _matching(_of(samples, jobs, environments), samples, of_sample)
        of_job = {"library": library, "scheme": scheme, "key": key}
        query = _matching(query, jobs, of_job).order_by(samples.c.id)
        rows = self._read(query, samples, jobs, environments)
        return [_sample(row) for row in rows]

    def add_exploration(self, explored: Explored, environment: Mapping[str, Any]) -> int:
        """The number of the new row: the answer and its machine are stored together or not at all."""
        check_machine(environment)
        own = {name: plain(getattr(explored, name)) for name in ("app", "circuit", "wish")}
        with self._writing() as connection:
            row = {"created": _now(), "environment_id": add_environment(connection, environment), **own}
            kept = contents.shared(connection, plain(explored.content), explored.rows)
            return insert_row(connection, explorations, row | kept)

    def explorations(
        self, app: str | None = None, circuit: str | None = None, limit: int | None = None
    ) -> list[StoredExploration]:
        """The explorations that agree with all that is given, newest first."""
        query = _matching(_of(explorations, environments), explorations, {"app": app, "circuit": circuit})
        query = query.order_by(explorations.c.id.desc())
        rows = self._read(query, explorations, environments, limit=limit)
        return [_exploration(row) for row in rows]

    def explored_apps(self) -> list[str]:
        """The applications of which an exploration is stored, the latest first."""
        latest = func.max(explorations.c.id).desc()
        query = select(explorations.c.app).group_by(explorations.c.app).order_by(latest)
        with failing_as_store_error(self._engine.url), self._engine.connect() as connection:
            return [row.app for row in connection.execute(query)]

    def add_trial(
        self, trial: str, number: int, content: Mapping[str, Any], environment: Mapping[str, Any]
    ) -> int:
        """The number of the new row: one application's result in a trial and its environment, together."""
        check_machine(environment)
        with self._writing() as connection:
            row = {
                "created": _now(),
                "environment_id": add_environment(connection, environment),
                "trial": trial,
                "number": number,
                "content": plain(content),
            }
            return insert_row(connection, trials, row)

    def trials(self, trial: str) -> list[StoredTrial]:
        """All applications of that trial, in the order in which they were tried."""
        query = _of(trials, environments).where(trials.c.trial == trial).order_by(trials.c.id)
        return [_trial(parts) for parts in self._read(query, trials, environments)]

    def lines(self, kinds: Sequence[str] | None = None) -> Iterator[ExportLine]:
        """The lines of an export of all sound rows of those kinds (see `kinds.TABLES`), or of every kind."""
        with failing_as_store_error(self._engine.url), self._engine.connect() as connection:
            yield from whole(lines_of(self._of_kinds(connection, kinds_of(kinds))))

    def add_lines(self, texts: Iterable[str], place: str) -> dict[str, Taken]:
        """How many rows of an export were added, by kind: all of them, but those that are stored, or none.

        Raises StoreError, which names the line of `place`, where the lines are not an export.
        """

        def read(kind: str, numbers: Sequence[int]) -> Iterator[Parts]:
            return self._each(connection, _numbered(kind, numbers), *TABLES[kind])

        with self._writing() as connection:
            return take_in(connection, checked(texts, place), place, read)

    def check(self) -> list[Damage]:
        """Every damaged row that has not been set aside."""
        with failing_as_store_error(self._engine.url), self._engine.connect() as connection:
            return checking.damages(connection)

    def set_aside(self, found: Sequence[Damage]) -> None:
        """Marks damaged rows so that they are read no more; they stay in the database."""
        with self._writing() as connection:
            checking.put_aside(connection, found, _now())

    def prune(self, keep: int) -> dict[str, int]:
        """How many rows were deleted, by table; their space is given back too. See `pruning.prune`."""
        with self._writing() as connection:
            gone = pruning.prune(connection, keep)
        if self._engine.dialect.name == "sqlite":
            try:
                with failing_as_store_error(self._engine.url):
                    shrink(self._engine)
            except StoreError as error:  # shrinking needs as much space again
                self._told(f"the rows are removed, but the file could not be made smaller: {error.message}")
        return gone

    @contextmanager
    def _writing(self, patience: float = WRITING_SECONDS) -> Iterator[Connection]:
        """A transaction that may write.

        Raises StoreError where the place cannot be written, or where others hold it for longer than
        `patience`.
        """
        if self._refusal is not None:
            raise self._refusal
        with (
            failing_as_store_error(self._engine.url),
            writing(self._engine, patience, self._told) as connection,
        ):
            yield connection

    def _of_kinds(self, connection: Connection, kinds: Sequence[str]) -> Iterator[tuple[str, Parts]]:
        for kind in kinds:
            tables = TABLES[kind]
            query = _of(*tables).order_by(tables[0].c.id)
            yield from ((kind, parts) for parts in self._each(connection, query, *tables))

    def _read(self, query: Select[Any], *tables: Table, limit: int | None = None) -> list[Parts]:
        """At most `limit` rows without the damaged ones, each as its columns by table.

        No row beyond the limit is decoded, because a long one takes milliseconds.
        """
        with failing_as_store_error(self._engine.url), self._engine.connect() as connection:
            return list(islice(self._each(connection, query, *tables), limit))

    def _each(self, connection: Connection, query: Select[Any], *tables: Table) -> Iterator[Parts]:
        """The rows without the damaged ones, each as its columns by table."""
        aside = {(name, row) for name, row in connection.execute(_ASIDE)}
        labelled = query.set_label_style(LABEL_STYLE_TABLENAME_PLUS_COL)
        for row in connection.execute(labelled).yield_per(_AT_ONCE):
            parts = _whole(connection, _parts(row._mapping, tables))
            if not any((name, columns["id"]) in aside for name, columns in parts.items()):
                yield from [parts] * self._sound(parts)

    def _sound(self, parts: Parts) -> bool:
        """Whether a row is as it was stored; a damaged row is reported once."""
        damaged = next(filter(None, (damage_of(name, row) for name, row in parts.items())), None)
        if damaged is None:
            return True
        first = next(iter(parts))
        own = damaged if damaged.table == first else Damage(first, parts[first]["id"], f"its {damaged}")
        if own not in self._known:
            self._known.add(own)
            self._told(_LEFT_OUT.format(own))
        return False

    def _record_lost(self) -> None:
        """Adds a row for each run whose process ended before it could store one."""
        with failing_as_store_error(self._engine.url), self._engine.connect() as connection:
            if not attempts.lost(connection):
                return
        with self._writing(SHORT_SECONDS) as connection:
            for number, created, entry, environment in attempts.lost(connection):
                _add_entry(connection, created, entry, environment)
                attempts.end(connection, number)


def _numbered(kind: str, numbers: Sequence[int]) -> Select[Any]:
    tables = TABLES[kind]
    return _of(*tables).where(tables[0].c.id.in_(numbers))


def _of(table: Table, *joined: Table) -> Select[Any]:
    query = select(table, *joined)
    for other in joined:
        query = query.join_from(table, other)
    return query


_ASIDE = select(set_aside.c.table_name, set_aside.c.row_id)


def _parts(row: Mapping[Any, Any], tables: Sequence[Table]) -> Parts:
    return {t.name: {c.name: row[f"{t.name}_{c.name}"] for c in t.columns} for t in tables}


def _whole(connection: Connection, parts: Parts) -> Parts:
    """The parts of a row, with what an exploration has in common with others filled in.

    The checksum is left out, because it is that of the row alone.
    """
    row = parts.get("explorations")
    if row is None or damage_of("explorations", row):
        return parts
    content, rows = contents.whole(connection, row["content"], row["rows"])
    return {**parts, "explorations": {**row, "content": content, "rows": rows, "checksum": None}}


def _only(kind: Any, columns: Mapping[str, Any]) -> dict[str, Any]:
    return {f.name: columns[f.name] for f in fields(kind)}


def _add_entry(connection: Connection, created: str, entry: Entry, environment: Mapping[str, Any]) -> int:
    own = {f.name: plain(getattr(entry, f.name)) for f in fields(Entry)}
    row = {"created": created, "environment_id": add_environment(connection, environment), **own}
    return insert_row(connection, measurements, row)


def _matching(query: Select[Any], table: Table, wanted: Mapping[str, Any]) -> Select[Any]:
    for name, value in wanted.items():
        if value is not None:
            query = query.where(table.c[name] == value)
    return query


def _measurement(parts: Parts) -> StoredMeasurement:
    row = parts["measurements"]
    return StoredMeasurement(
        row["id"], row["created"], Entry(**_only(Entry, row)), parts["environments"]["content"]
    )


_OF_SAMPLE = ("campaign", "number", "position", "outcome", "message", "figures", "found")


def _job(connection: Connection, sample: Sample) -> int:
    """The number of the row that says what was run; after the first run it exists already."""
    known = connection.execute(select(jobs.c.id).where(jobs.c.key == sample.key).limit(1)).scalar()
    if known is not None:
        return int(known)
    return insert_row(connection, jobs, {name: plain(getattr(sample, name)) for name in OF_JOB})


def _sample(parts: Parts) -> StoredSample:
    row = parts["samples"]
    columns = {**row, **{name: parts["sampling_jobs"][name] for name in OF_JOB}}
    environment = parts["environments"]["content"]
    return StoredSample(row["id"], row["created"], Sample(**_only(Sample, columns)), environment)


def _exploration(parts: Parts) -> StoredExploration:
    row = parts["explorations"]
    own = Explored(**_only(Explored, row))
    return StoredExploration(row["id"], row["created"], own, parts["environments"]["content"])


def _trial(parts: Parts) -> StoredTrial:
    row = {**parts["trials"], "environment": parts["environments"]["content"]}
    return StoredTrial(**_only(StoredTrial, row))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
