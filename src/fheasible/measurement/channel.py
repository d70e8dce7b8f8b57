"""A child process that exchanges lines with its parent, and neither blocks nor outlives it."""

import ctypes
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

from fheasible.measurement.events import Events

TAIL_BYTES = 65_536  # how much of the end of stderr is kept
LINE_BYTES = 256 * 2**20  # a longer line is no reply
_ROUND_SECONDS = 0.25  # how often a silent process is checked
_READ_BYTES = 65_536
_MARK = "FHEASIBLE_WORKER"  # a variable in the environment of a worker and of all that it starts
_PARENT_DEATH_SIGNAL = 1  # prctl's PR_SET_PDEATHSIG


class Channel:
    """Sends lines to the stdin of a process and receives lines of its stdout; keeps the end of its stderr.

    All three pipes are served together, so that a worker that prints while it is written to cannot lock both
    up.
    """

    def __init__(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        on_start: Callable[[int], None] | None = None,
        events: Events | None = None,
        first: Callable[[], None] | None = None,
    ) -> None:
        """Starts the process, whose id `on_start` receives at once; it inherits the descriptors of `events`.

        `first` is called in the child, before its program is loaded. Raises OSError where it cannot start.
        """
        self._family = f"{os.getpid()}-{uuid4().hex}"
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment) | {_MARK: self._family},
            bufsize=0,
            start_new_session=True,  # Ctrl-C reaches us alone, and the child's whole group can be killed
            preexec_fn=_beginning(first, events),
            pass_fds=() if events is None else events.descriptors,
        )
        self._stdin, self._stdout, self._stderr = map(_descriptor, self._pipes)
        self._incoming, self._outgoing, self._tail = bytearray(), bytearray(), bytearray()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ, self._incoming)
        self._selector.register(self._stderr, selectors.EVENT_READ, self._tail)
        self._answering = True
        if on_start is not None:
            on_start(self._process.pid)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def last_words(self) -> str:
        """The end of what the process printed to stderr."""
        lines = self._tail.decode("utf-8", "replace").strip().splitlines()
        return "\n".join(lines[-12:])[-2000:]

    def note(self, words: bytes) -> None:
        """Adds to the last words what came through the wrong channel."""
        self._tail += words[:_READ_BYTES] + b"\n"
        del self._tail[:-TAIL_BYTES]

    def send(self, line: bytes) -> None:
        """Queues a line, which is sent while a reply is awaited."""
        self._outgoing += line + b"\n"
        if self._stdin not in self._selector.get_map():
            self._selector.register(self._stdin, selectors.EVENT_WRITE)

    def receive(self, deadline: float | None = None) -> bytes:
        """The next line, awaited until time.monotonic() is `deadline`.

        Raises TimeoutError when it is late, and EOFError when the process ends or closes its output before
        that.
        """
        scanned = 0
        while (end := self._incoming.find(b"\n", scanned)) < 0:
            scanned = len(self._incoming)
            if not self._answering or scanned > LINE_BYTES:
                raise EOFError
            left = _ROUND_SECONDS if deadline is None else deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if not self._serve(min(left, _ROUND_SECONDS)) and self._process.poll() is not None:
                self._answering = False
        line = bytes(self._incoming[:end])
        del self._incoming[: end + 1]
        return line

    def end(self, grace_seconds: float) -> int | None:
        """The exit status (-n for signal n) once stdin is closed; None if the process had to be killed."""
        late = time.monotonic() + grace_seconds
        try:
            self._hang_up()
            while self._process.poll() is None and time.monotonic() < late:
                self._serve(0.02)
        finally:
            status = self._process.poll()
            self._kill()
        while self._serve(0.0):  # what still lies in the pipes
            pass
        self._selector.close()
        for pipe in self._pipes:
            pipe.close()
        return status

    @property
    def _pipes(self) -> tuple[IO[bytes], ...]:
        process = self._process
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise AssertionError("all three are pipes")
        return process.stdin, process.stdout, process.stderr

    def _hang_up(self) -> None:
        if self._stdin in self._selector.get_map():
            self._selector.unregister(self._stdin)
        with suppress(OSError):
            self._pipes[0].close()

    def _kill(self) -> None:
        """Kills the process, its group, and whatever it started that has left both."""
        if self._process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):  # it ended in between
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        for other in _marked(self._family):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(other, signal.SIGKILL)

    def _serve(self, seconds: float) -> bool:
        """Whether anything moved through the pipes within `seconds`."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            if key.fd == self._stdin:
                self._write()
            else:
                self._read(key.fd, key.data)
        return bool(ready)

    def _read(self, pipe: int, into: bytearray) -> None:
        piece = os.read(pipe, _READ_BYTES)
        into += piece
        if not piece:
            self._selector.unregister(pipe)
            self._answering = self._answering and pipe != self._stdout
        if into is self._tail:
            del self._tail[:-TAIL_BYTES]

    def _write(self) -> None:
        try:
            del self._outgoing[: os.write(self._stdin, self._outgoing)]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it no longer listens; what it says last is still read
            self._outgoing.clear()
        if not self._outgoing:
            self._selector.unregister(self._stdin)


def _marked(family: str) -> Iterator[int]:
    """Processes that have inherited the mark, which stays with them whoever their parent is by now."""
    word = f"{_MARK}={family}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            if word in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)


def _descriptor(pipe: IO[bytes]) -> int:
    os.set_blocking(pipe.fileno(), False)
    return pipe.fileno()


def _beginning(first: Callable[[], None] | None, events: Events | None) -> Callable[[], None] | None:
    """What the child does before its program begins; None where there is nothing."""
    steps = [step for step in (first, _die_with_parent(), events and events.open_here) if step]

    def begin() -> None:
        for step in steps:
            step()

    return begin if steps else None


def _die_with_parent() -> Callable[[], None] | None:
    """A function that has the kernel kill the child when this process dies, however it dies.

    It is None outside Linux.
    """
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
