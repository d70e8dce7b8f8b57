"""Puts into words what went wrong in a worker."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from fheasible.aliases import Json
from fheasible.errors import (
    FheasibleError,
    KilledForMemory,
    WorkerDied,
    WorkerDisbelieved,
    WorkerFailed,
    WorkerRefused,
    WorkerTimedOut,
    WrongResult,
)
from fheasible.system import killed


def refusal(library: str, reply: Json) -> WorkerRefused:
    """The error for a `refused` reply; its `reason` is the kind that the worker gave."""
    reason = str(reply.get("kind", "BadRequest"))
    error = WorkerRefused(f"{library} refuses ({reason}): {reply.get('message', '')}")
    error.reason = reason
    return error


def explain_status(status: int | None) -> str:
    """How a process ended: 'exit code 1', 'SIGABRT: the library aborted its process', ...

    The status None is that of a process that had to be stopped.
    """
    if status is None:
        return "it closed its output but kept running"
    if out_of_memory(status):
        return "killed by SIGKILL, which the system sends when memory runs out"
    if status >= 0:
        return f"exit code {status}"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    return f"{name}: the library aborted its process" if -status == signal.SIGABRT else name


def out_of_memory(status: int | None) -> bool:
    """Whether the status is SIGKILL, by itself or as a shell reports it.

    The kernel sends this signal when memory is short.
    """
    return killed(status)


def quoted(last_words: str) -> str:
    """The end of a message, which quotes what a worker said last."""
    return f"; its last output was:\n{last_words}" if last_words else "; it printed nothing"


@contextmanager
def understanding(library: str) -> Iterator[None]:
    """Turns the errors that a reply against the protocol causes into WorkerFailed."""
    try:
        yield
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise WorkerFailed(
            f"{library}'s worker violated the protocol: {type(error).__name__}: {error}",
            f"fheasible libraries install {library}",
        ) from error


def outcome_of(error: FheasibleError) -> str:
    """How a run that failed is recorded: one of the store's OUTCOMES."""
    kinds = (
        (WorkerRefused, "refused"),
        (WorkerTimedOut, "timed out"),
        (KilledForMemory, "killed for memory"),
        (WorkerDied, "died"),
        (WrongResult, "wrong"),
        (WorkerDisbelieved, "wrong"),
    )
    return next((name for kind, name in kinds if isinstance(error, kind)), "died")
