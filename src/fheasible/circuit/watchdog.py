"""User code that hangs in native code: Python runs no signal's handler until the call returns, and only the
end of the process stops it. That is done where the process is ours alone, as that of the command line."""

import faulthandler
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TextIO

from fheasible.circuit.where import user_frame
from fheasible.errors import CircuitError

GRACE_SECONDS = 10.0  # beyond its time until the process is ended


class _Last(NamedTuple):
    """How it is told why the process ends, which gives the exit code, and where."""

    tell: Callable[[CircuitError], int]
    stdout: TextIO
    stderr: TextIO


_last: ContextVar[_Last | None] = ContextVar("last", default=None)


@contextmanager
def ending(tell: Callable[[CircuitError], int]) -> Iterator[None]:
    """In the block, user code that hangs ends the process: `tell` says why, and gives the exit code."""
    before = _last.set(_Last(tell, sys.stdout, sys.stderr))
    try:
        yield
    finally:
        _last.reset(before)


@contextmanager
def watched(seconds: float, error: Callable[[str], CircuitError]) -> Iterator[None]:
    """A block that may take so many seconds; `error` of the place where it hangs. Only within `ending`.

    A thread ends the process, as long as the call lets other threads run. Where it does not, Python's own
    watchdog does, with exit code 1: it can print no more than the place.
    """
    last = _last.get()
    if last is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    pid, over, end = os.getpid(), threading.Event(), os._exit
    with _first_descriptor() as put_back:

        def watch() -> None:
            if not over.wait(seconds + GRACE_SECONDS):
                where = user_frame(sys._current_frames().get(threading.main_thread().ident or 0))
                put_back()
                sys.stdout, sys.stderr = last.stdout, last.stderr
                end(last.tell(error(where)))

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        faulthandler.dump_traceback_later(seconds + 2 * GRACE_SECONDS, exit=True, file=2)
        try:
            yield
        finally:
            if os.getpid() == pid:  # and not a copy, which has no such threads
                faulthandler.cancel_dump_traceback_later()
                over.set()
                thread.join()


@contextmanager
def _first_descriptor() -> Iterator[Callable[[], object]]:
    """What puts it back as it is now."""
    try:
        kept = os.dup(1)
    except OSError:  # closed by whoever started us
        yield lambda: None
        return
    try:
        yield lambda: os.dup2(kept, 1)
    finally:
        os.close(kept)
