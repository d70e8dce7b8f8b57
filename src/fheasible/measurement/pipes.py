"""The three pipes of a child process, served together: what is written goes out while replies come in.

Where the system can wait for pipes, one thread serves all three. Windows waits for sockets alone; there each
pipe has a thread of its own.
"""

import os
import selectors
import threading
from abc import ABC, abstractmethod
from contextlib import suppress
from queue import Empty, SimpleQueue
from subprocess import Popen
from typing import IO, Final

from fheasible.system import FORKS

OUTPUT: Final = "output"
ERRORS: Final = "errors"
READ_BYTES: Final = 65_536
Piece = tuple[str, bytes]


class Pipes(ABC):
    """The pipes of one child."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Queues what is written while pieces are awaited. A child that no longer listens is no error."""

    @abstractmethod
    def read(self, seconds: float) -> list[Piece] | None:
        """What has come within `seconds`, at OUTPUT or ERRORS; an empty piece is a pipe's end.

        None where nothing has moved.
        """

    @abstractmethod
    def hang_up(self) -> None:
        """Ends the child's input, without what is still queued."""

    @abstractmethod
    def close(self) -> None:
        """Gives the pipes back, once the child is gone."""


def pipes(process: "Popen[bytes]") -> Pipes:
    """The pipes of a child that was started with all three, unbuffered."""
    return PolledPipes(process) if FORKS else ThreadedPipes(process)


def _open(process: "Popen[bytes]") -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise AssertionError("all three are pipes")
    return process.stdin, process.stdout, process.stderr


class PolledPipes(Pipes):
    """Served by one thread, the caller's, which waits for whichever pipe is ready."""

    def __init__(self, process: "Popen[bytes]") -> None:
        self._streams = _open(process)
        for stream in self._streams:
            os.set_blocking(stream.fileno(), False)
        self._stdin = self._streams[0].fileno()
        self._outgoing = bytearray()
        self._selector = selectors.DefaultSelector()
        for stream, name in zip(self._streams[1:], (OUTPUT, ERRORS), strict=True):
            self._selector.register(stream.fileno(), selectors.EVENT_READ, name)

    def write(self, data: bytes) -> None:
        self._outgoing += data
        if self._stdin not in self._selector.get_map():
            self._selector.register(self._stdin, selectors.EVENT_WRITE)

    def read(self, seconds: float) -> list[Piece] | None:
        found, ready = [], self._selector.select(seconds)
        for key, _ in ready:
            if key.fd == self._stdin:
                self._send()
                continue
            piece = os.read(key.fd, READ_BYTES)
            found.append((key.data, piece))
            if not piece:
                self._selector.unregister(key.fd)
        return found if ready else None

    def _send(self) -> None:
        try:
            del self._outgoing[: os.write(self._stdin, self._outgoing)]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it no longer listens; what it says last is still read
            self._outgoing.clear()
        if not self._outgoing:
            self._selector.unregister(self._stdin)

    def hang_up(self) -> None:
        if self._stdin in self._selector.get_map():
            self._selector.unregister(self._stdin)
        with suppress(OSError):
            self._streams[0].close()

    def close(self) -> None:
        self._selector.close()
        for stream in self._streams:
            stream.close()


class ThreadedPipes(Pipes):
    """Served by a thread for each pipe, which waits for it alone."""

    def __init__(self, process: "Popen[bytes]") -> None:
        self._streams = _open(process)
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._incoming: SimpleQueue[Piece] = SimpleQueue()
        readers = zip(self._streams[1:], (OUTPUT, ERRORS), strict=True)
        self._threads = [threading.Thread(target=self._listen, args=pair, daemon=True) for pair in readers]
        self._threads.append(threading.Thread(target=self._send, daemon=True))
        for thread in self._threads:
            thread.start()

    def write(self, data: bytes) -> None:
        self._outgoing.put(data)

    def read(self, seconds: float) -> list[Piece] | None:
        try:
            found = [self._incoming.get(timeout=seconds) if seconds > 0 else self._incoming.get_nowait()]
        except Empty:
            return None
        with suppress(Empty):
            while True:
                found.append(self._incoming.get_nowait())
        return found

    def _listen(self, stream: IO[bytes], name: str) -> None:
        while True:
            try:
                piece = os.read(stream.fileno(), READ_BYTES)
            except (OSError, ValueError):  # closed from this side
                piece = b""
            self._incoming.put((name, piece))
            if not piece:
                return

    def _send(self) -> None:
        """Writes what is queued until the input is to end. A child that is gone reads no more."""
        stdin = self._streams[0]
        with suppress(OSError, ValueError):
            while (data := self._outgoing.get()) is not None:
                while data:
                    data = data[os.write(stdin.fileno(), data) :]
        with suppress(OSError):
            stdin.close()

    def hang_up(self) -> None:
        self._outgoing.put(None)

    def close(self) -> None:
        """The threads end with the child, but for one that a stranger who holds the pipe keeps waiting."""
        for thread in self._threads:
            thread.join(1.0)
        for stream in self._streams:
            with suppress(OSError):
                stream.close()
