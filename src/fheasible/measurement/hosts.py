"""What a host of a cluster does: it says what it is, and it does one piece of work at a time.

These functions run in the Dask workers of that host.
"""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any

from fheasible import __version__
from fheasible.errors import FheasibleError
from fheasible.measurement.machine import this_machine
from fheasible.store.attempts import boot


@dataclass(frozen=True, slots=True)
class Host:
    """A machine as one of its Dask workers describes it. `identity` is the same for all workers of the
    machine, and `machine` its fingerprint. `running` is the key of the piece that this worker is doing; empty
    where it does none. `unfit` says why the host cannot be used; empty where it can."""

    name: str
    identity: str
    machine: str
    running: str
    unfit: str


_turn = Lock()
_running: list[str] = []  # the key of the piece that has its turn


def this_host() -> str:
    """The same text for all processes of one machine, and another one for every other machine."""
    return boot()


def versions() -> str:
    """The versions that coordinator and hosts must have in common, in words."""
    return f"Fheasible {__version__} on Python {'.'.join(platform.python_version_tuple()[:2])}"


def introduce(check: Callable[[], str], coordinator: str) -> Host:
    """What this host is. `check` says why it cannot do the work; `coordinator` are the `versions` that the
    work was made by."""
    unfit = ""
    if versions() != coordinator:
        unfit = f"it has {versions()}, but the sets are sent by {coordinator}: install the same versions"
    try:
        unfit = unfit or check()
    except FheasibleError as error:
        unfit = f"{error.message}; remedy: {error.remedy}"
    running = "".join(_running)
    return Host(platform.node(), this_host(), this_machine().fingerprint, running, unfit)


def do(key: str, work: Callable[[bytes], Any], sent: bytes) -> Any:
    """The result of `work` on what was sent, or the expected failure that keeps this host from doing it.

    A piece waits for the one before, such as one whose coordinator was killed, whatever number of threads a
    Dask worker has.
    """
    with _turn:
        _running.append(key)
        try:
            return work(sent)
        except FheasibleError as error:
            return error
        finally:
            _running.clear()
