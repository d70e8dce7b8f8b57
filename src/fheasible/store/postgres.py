"""PostgreSQL as the place of a store that several machines share.

Writers take turns: each transaction that writes first takes one lock of the whole database, as in SQLite.
Without it, two writers could add the same content twice, or make the same table. Readers never wait. The
server gives the lock up when a writer's connection ends, so a killed writer holds up nobody.
"""

from sqlalchemy import URL, Connection, Engine, create_engine, text

from fheasible.store.waiting import WRITING_SECONDS

NAME = "postgresql"  # of the dialect
EXTRA = 'install its driver, which is the extra postgres: pip install "psycopg[binary]"'
UNREACHABLE = "see that the server runs and takes connections from here, or name another place with --store"
OWNER = (
    "nothing was changed; open it once as the owner of its tables, such as by fheasible results, so that "
    "they are brought up to date, or have the owner grant you the right"
)
_NAMES = ("postgresql", "postgres")  # what people write before ://
_TURN = 0x6665_6173_6962_6C65  # the number of the writers' lock: "feasible"
_ALIVE = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}  # seconds, seconds, times
"""After a minute of silence, client and server both know that the other machine is gone."""


def with_driver(url: URL) -> URL:
    """The URL with the one driver that is used for PostgreSQL; other URLs as they are."""
    return url.set(drivername=f"{NAME}+psycopg") if url.get_backend_name() in _NAMES else url


def is_postgres(url: URL) -> bool:
    return url.get_backend_name() == NAME


def create(url: URL, reading: bool = False) -> Engine:
    """An engine on the database; with `reading`, the server itself refuses every change."""
    engine = create_engine(
        url.difference_update_query(["mode"]), pool_pre_ping=True, connect_args=dict(_ALIVE)
    )
    return engine.execution_options(postgresql_readonly=True) if reading else engine


def take_turn(connection: Connection, patience: float) -> None:
    """Waits up to `patience` seconds until no other transaction writes, and keeps others from writing. The
    transaction goes on even where that fails."""
    with connection.begin_nested():
        _wait_at_most(connection, patience)
        connection.execute(text("SELECT pg_advisory_xact_lock(:turn)"), {"turn": _TURN})
    _wait_at_most(connection, WRITING_SECONDS)  # for readers, where a table is to be changed


def _wait_at_most(connection: Connection, seconds: float) -> None:
    """Limits the wait for each lock in this transaction."""
    wait = {"wait": f"{max(round(1000 * seconds), 1)}ms"}  # 0 would be for ever
    connection.execute(text("SELECT set_config('lock_timeout', :wait, true)"), wait)


def advice(words: str) -> str:
    """The remedy for an error that the server or its driver has reported; empty where none is known."""
    if "must be owner" in words or "permission denied" in words:
        return OWNER
    if "connection" in words:
        return UNREACHABLE
    return ""
