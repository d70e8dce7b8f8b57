"""A watchdog that ends the process when user code hangs in native code.

Python runs no signal handler until a native call returns, so only the end of the process stops such code. The
process is ended only where it is ours alone, as in the command line.
"""

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

GRACE_SECONDS = 10.0  # from the end of the allowed time until the process is ended


class _Last(NamedTuple):
    """How the end of the process is reported: by `tell`, which gives the exit code, on these two streams."""

    tell: Callable[[CircuitError], int]
    stdout: TextIO
    stderr: TextIO


_last: ContextVar[_Last | None] = ContextVar("last", default=None)


@contextmanager
def ending(tell: Callable[[CircuitError], int]) -> Iterator[None]:
    """A block in which user code that hangs ends the process; `tell` says why, and gives the exit code."""
    before = _last.set(_Last(tell, sys.stdout, sys.stderr))
    try:
        yield
    finally:
        _last.reset(before)


@contextmanager
def watched(seconds: float, error: Callable[[str], CircuitError]) -> Iterator[None]:
    """A block that may take `seconds`; where it hangs, the process ends with `error(place)`.

    Outside `ending`, the block is not watched. A thread ends the process if the hanging call lets other
    threads run. Otherwise Python's own watchdog ends it, with exit code 1; that can print only the place.
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
            if os.getpid() == pid:  # not in a forked copy, which has no such threads
                faulthandler.cancel_dump_traceback_later()
                over.set()
                thread.join()


@contextmanager
def _first_descriptor() -> Iterator[Callable[[], object]]:
    """A block in which file descriptor 1 may be changed; it gets a function that restores the descriptor."""
    try:
        kept = os.dup(1)
    except OSError:  # closed by whoever started us
        yield lambda: None
        return
    try:
        yield lambda: os.dup2(kept, 1)
    finally:
        os.close(kept)
