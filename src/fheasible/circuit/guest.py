"""Runs the user's own code so that it cannot spoil the answer: the code cannot print into our output, end the
process, or go on for ever."""

import io
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from types import FrameType
from typing import Any, Never
from unittest.mock import patch

import numpy as np
import psutil

from fheasible.circuit.watchdog import watched
from fheasible.circuit.where import at, user_frame
from fheasible.errors import CircuitError
from fheasible.system import ALARMS, data_limited

FIRST_LINE_AFTER = 2.0  # seconds
LOAD_SECONDS, TRACE_SECONDS = 300.0, 30.0
_HANDLED = (signal.SIGINT, signal.SIGTERM)
_ENDING = ("_exit", "abort", "execv", "execve")  # other functions that replace a process call the last two


@contextmanager
def guest(what: str, seconds: float) -> Iterator[None]:
    """A block in which standard output goes to standard error, also that of programs that are started.

    A call that would end the process raises Ended. A block that takes longer than `seconds` raises
    CircuitError. Where the block hangs in a call that Python cannot stop, the process ends, if it may
    (`watchdog`).
    """
    pid, end = os.getpid(), os._exit
    with ExitStack() as stack:
        stack.enter_context(watched(seconds, lambda where: _too_long(what, seconds, where)))
        stack.enter_context(_put_back())
        stack.enter_context(_memory())
        stack.enter_context(_talking())
        for name in _ENDING:
            stack.enter_context(patch.object(os, name, _refused(name, getattr(os, name), pid)))
        stack.enter_context(_limited(what, seconds))
        yield
    if os.getpid() != pid:
        end(0)  # this is a copy that the user's code has made with os.fork


def _refused(name: str, original: Callable[..., Any], pid: int) -> Callable[..., Any]:
    """A function that raises Ended in this process; in those that the user's code starts it is `original`."""

    def refusing(*given: Any) -> Any:
        if os.getpid() != pid:
            return original(*given)
        raise Ended(f"os.{name}")

    return refusing


class Ended(BaseException):
    """The user's code called the function that the message names, which would end the process."""


def ended(error: BaseException) -> str:
    """The name of the function that was called to end the process; "" for other errors."""
    if isinstance(error, Ended):
        return str(error)
    return "sys.exit" if isinstance(error, SystemExit) else ""


@contextmanager
def _put_back() -> Iterator[None]:
    """A block after which the settings of the process that the user's code may change are as before."""
    folder, path, depth = os.getcwd(), list(sys.path), sys.getrecursionlimit()
    here = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in _HANDLED} if here else {}
    try:
        with warnings.catch_warnings(), np.errstate():
            yield
    finally:
        os.chdir(folder)
        sys.path[:] = path
        sys.setrecursionlimit(depth)
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextmanager
def _memory() -> Iterator[None]:
    """A block in which asking for more memory than is free raises MemoryError.

    Otherwise the system would end the process without a word.
    """
    with data_limited(psutil.virtual_memory().available):
        yield


@contextmanager
def _talking() -> Iterator[None]:
    """A block in which all that is printed goes to standard error, whoever prints it."""
    talk = _Talk(sys.stderr)
    with (
        _first_descriptor(),
        redirect_stdout(talk),
        redirect_stderr(talk),
        patch.object(sys, "__stdout__", talk),
        patch.object(sys, "__stderr__", talk),
    ):
        yield


@contextmanager
def _first_descriptor() -> Iterator[None]:
    try:
        sys.stdout.flush()
        kept = os.dup(1)
    except (OSError, ValueError):  # closed by whoever started us
        yield
        return
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


class _Talk(io.TextIOBase):
    """Standard error, which the user's code may close without harm."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return int(self._stream.write(text) or len(text))

    def flush(self) -> None:
        self._stream.flush()

    def fileno(self) -> int:
        return int(self._stream.fileno())

    def isatty(self) -> bool:
        return False

    @property
    def buffer(self) -> Any:
        return self._stream.buffer

    def close(self) -> None:
        """Does nothing: standard error stays open."""


class _TooLong(BaseException):
    """The time is over. It is a BaseException, so that the user's `except Exception` does not catch it."""


@contextmanager
def _limited(what: str, seconds: float) -> Iterator[None]:
    """A block with a line on stderr every few seconds; CircuitError when the time is over.

    Only the main thread can do that, on systems with alarms; elsewhere the block has no limit of its own.
    """
    if not ALARMS or threading.current_thread() is not threading.main_thread():
        yield
        return
    start = time.monotonic()

    def tick(_: int, frame: FrameType | None) -> None:
        passed, where = time.monotonic() - start, user_frame(frame)
        if passed >= seconds:
            raise _TooLong(where)
        told = at(
            where,
            f"{what} has taken {passed:.0f} s so far and will be stopped after {seconds:.0f} s (Ctrl-C "
            "stops it now)",
        )
        print(told, file=sys.stderr, flush=True)

    handler = signal.signal(signal.SIGALRM, tick)
    timer = signal.setitimer(
        signal.ITIMER_REAL, min(FIRST_LINE_AFTER, seconds), min(FIRST_LINE_AFTER, seconds)
    )
    try:
        yield
    except _TooLong as over:
        _never_ends(what, seconds, str(over))
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)


def _never_ends(what: str, seconds: float, where: str) -> Never:
    raise _too_long(what, seconds, where) from None


def _too_long(what: str, seconds: float, where: str) -> CircuitError:
    return CircuitError(
        at(where, f"{what} did not end within {seconds:.0f} s"),
        "Check whether a loop never ends. Move slow preparations, such as the training of a model, into a"
        " program of their own that saves what the application loads.",
    )
