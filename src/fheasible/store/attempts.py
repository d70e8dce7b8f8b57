"""Runs that have begun, kept so that a row says what became of each, whatever ends it."""

import os
import platform
from dataclasses import asdict
from pathlib import Path

import psutil
from sqlalchemy import Connection, delete, insert, select

from fheasible.aliases import Json
from fheasible.store.documents import Damaged
from fheasible.store.rows import Entry, plain
from fheasible.store.schema import attempts

LOST = "Fheasible itself ended before this run: it was killed, or the machine stopped"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def this_process() -> str:
    """A name that no other process has: machine and its start, process number and its start."""
    return "/".join((platform.node(), boot(), str(os.getpid()), _started(os.getpid())))


def begin(connection: Connection, created: str, entry: Entry, environment: Json) -> int:
    row = {
        "created": created,
        "process": this_process(),
        "entry": plain(asdict(entry)),
        "environment": plain(environment),
    }
    return int(connection.execute(insert(attempts).values(row)).inserted_primary_key[0])  # type: ignore[index]


def end(connection: Connection, number: int | None) -> None:
    connection.execute(delete(attempts).where(attempts.c.id == number))


def lost(connection: Connection) -> list[tuple[int, str, Entry, Json]]:
    """(number, time, entry, environment) of each attempt whose process is gone from this machine."""
    rows = list(connection.execute(select(attempts)))
    return [
        (row.id, row.created, Entry(**row.entry | {"outcome": "died", "message": LOST}), row.environment)
        for row in rows
        if is_gone(row.process) and not isinstance(row.entry, Damaged)
    ]


def is_gone(process: str) -> bool:
    """Whether a process ran on this machine and has ended.

    It is False for a process of another machine, of which nothing is known.
    """
    node, _, rest = process.partition("/")
    start, number, started = rest.split("/")
    if node != platform.node():
        return False
    return start != boot() or _started(int(number)) != started


def boot() -> str:
    """A name of this start of this machine, which no other start of any machine has."""
    try:
        return _BOOT.read_text().strip()
    except OSError:
        return f"{psutil.boot_time():.0f}"


def _started(number: int) -> str:
    """When a process started; empty where it does not exist, or has ended and is not yet collected."""
    try:
        process = psutil.Process(number)
        return "" if process.status() == psutil.STATUS_ZOMBIE else f"{process.create_time():.2f}"
    except psutil.Error:
        return ""
