"""Waits for other processes that use the same database, and says so when that takes long."""

import sqlite3
import time
from collections.abc import Callable

from sqlalchemy.exc import DBAPIError

SLICE_SECONDS = 2.0  # of one attempt: after the first it is said that we wait; after each, Ctrl-C is heard
OPENING_SECONDS = 10.0  # the longest wait for a place that cannot be read
WRITING_SECONDS = 60.0  # the longest wait to store what is there, and would be lost
_LOCKED = ("locked", "lock timeout")  # said by SQLite; by PostgreSQL

Told = Callable[[str], None]


def patiently(attempt: Callable[[float], None], seconds: float, told: Told, place: str) -> None:
    """Makes attempts until one succeeds, each of which waits for other processes as long as it is told.
    `told` is called once, after the first. After `seconds`, the error of the last attempt is raised."""
    late, spoken = time.monotonic() + seconds, False
    while True:
        left = late - time.monotonic()
        try:
            attempt(max(min(left, SLICE_SECONDS), 0.0))
        except (DBAPIError, sqlite3.OperationalError) as error:
            left = late - time.monotonic()
            if left <= 0 or not is_locked(str(getattr(error, "orig", error))):
                raise
            if not spoken:
                told(waiting(place, left))
                spoken = True
        else:
            return


def is_locked(words: str) -> bool:
    """Whether a database's error says that another process holds it."""
    return any(word in words for word in _LOCKED)


def waiting(place: str, seconds: float) -> str:
    return f"another process is writing to {place}: waiting up to {seconds:.0f} seconds for it"
