"""A child process that exchanges lines with its parent, and neither blocks nor outlives it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from fheasible.measurement.events import Events
from fheasible.measurement.pipes import OUTPUT, READ_BYTES, pipes
from fheasible.system import FORKS, KILL, c_library, kill_group

TAIL_BYTES = 65_536  # how much of the end of stderr is kept
LINE_BYTES = 256 * 2**20  # a longer line is no reply
_ROUND_SECONDS = 0.25  # how often a silent process is checked
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
        folder: Path | None = None,
    ) -> None:
        """Starts the process, whose id `on_start` receives at once; it inherits the descriptors of `events`.

        `first` is called in the child, before its program is loaded. `folder` is its current folder; None for
        that of this process. Raises OSError where it cannot start.
        """
        self._family = f"{os.getpid()}-{uuid4().hex}"
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment) | {_MARK: self._family},
            bufsize=0,
            cwd=folder,
            start_new_session=True,  # Ctrl-C reaches us alone, and the child's whole group can be killed
            preexec_fn=_beginning(first, events) if FORKS else None,
            pass_fds=events.descriptors if FORKS and events is not None else (),
        )
        self._pipes = pipes(self._process)
        self._incoming, self._tail = bytearray(), bytearray()
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
        self._tail += words[:READ_BYTES] + b"\n"
        del self._tail[:-TAIL_BYTES]

    def send(self, line: bytes) -> None:
        """Queues a line, which is sent while a reply is awaited."""
        self._pipes.write(line + b"\n")

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
            self._pipes.hang_up()
            while self._process.poll() is None and time.monotonic() < late:
                self._serve(0.02)
        finally:
            status = self._process.poll()
            self._kill()
        while self._serve(0.0):  # what still lies in the pipes
            pass
        self._pipes.close()
        return status

    def _kill(self) -> None:
        """Kills the process, its group, and whatever it started that has left both."""
        if self._process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):  # it ended in between
                kill_group(self._process.pid)
            self._process.wait()
        for other in _marked(self._family):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(other, KILL)

    def _serve(self, seconds: float) -> bool:
        """Whether anything moved through the pipes within `seconds`."""
        found = self._pipes.read(seconds)
        for name, piece in found or ():
            if name == OUTPUT:
                self._incoming += piece
                self._answering = self._answering and bool(piece)
            else:
                self._tail += piece
                del self._tail[:-TAIL_BYTES]
        return found is not None


def _marked(family: str) -> Iterator[int]:
    """Processes that have inherited the mark, which stays with them whoever their parent is by now."""
    word = f"{_MARK}={family}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            if word in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)


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
    prctl = c_library().prctl
    return lambda: prctl(_PARENT_DEATH_SIGNAL, KILL)
