"""The store that the hosts of a cluster share, and whether a host has what the work needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import make_url

from fheasible.errors import StoreError
from fheasible.measurement import registry
from fheasible.store.attempts import boot
from fheasible.store.engine import to_url
from fheasible.store.store import Store

SHARED = (
    "name a PostgreSQL database that every host reaches, with --store postgresql://USER@HOST/DATABASE, or "
    "run workers on this machine alone"
)


@dataclass(frozen=True, slots=True)
class StoreFile:
    """An SQLite file, as the machine that opened it knows it. (SQLite's write-ahead log needs memory that all
    its processes share, so that no file is for several machines, whatever disk it is on.)"""

    path: str
    boot: str
    numbers: tuple[int, int] | None  # device and inode; None where there is no file


def unfit(libraries: Sequence[str], file: StoreFile | None) -> str:
    """Why this host cannot run those libraries and store their results in that file; empty where it can."""
    if file is not None and not _is_here(file):
        return (
            f"the results go into the file {file.path} on the coordinator's machine, and other machines "
            f"cannot write to an SQLite file safely; remedy: {SHARED}"
        )
    missing = [command for command in map(registry.command, libraries) if not command.installed]
    return "; ".join(f"{c.library} is not installed there; remedy: {c.remedy}" for c in missing)


def elsewhere(host: str, store: Store) -> StoreError:
    """The error where a host's result is not found in the store, though both have its name."""
    return StoreError(
        f"{host} stored a result in another place than this one, though both are named {store.place}", SHARED
    )


def place_for_hosts(place: str | Path | None) -> str:
    """The store's place as a URL that means the same whichever folder a process runs in."""
    return to_url(place).render_as_string(hide_password=False)


def store_file(place: str) -> StoreFile | None:
    """The SQLite file at that URL; None for a database on a server."""
    url = make_url(place)
    if not url.drivername.startswith("sqlite"):
        return None
    path = str(url.database)
    return StoreFile(path, boot(), _numbers(path))


def _is_here(file: StoreFile) -> bool:
    """Whether this machine is the one that made it, and that file is found at its path."""
    return file.boot == boot() and file.numbers is not None and _numbers(file.path) == file.numbers


def _numbers(path: str) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
