"""The client of the worker protocol (workers/PROTOCOL.md): one library, in a process of its own."""

import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from math import inf
from pathlib import Path
from subprocess import SubprocessError
from types import TracebackType
from typing import Self

from fheasible.aliases import Json
from fheasible.errors import (
    KilledForMemory,
    LibraryMissing,
    LimitImpossible,
    WorkerDied,
    WorkerTimedOut,
)
from fheasible.libraries.manifest import REQUESTS
from fheasible.measurement.channel import Channel
from fheasible.measurement.events import Events
from fheasible.measurement.failures import explain_status, out_of_memory, quoted, refusal, understanding
from fheasible.measurement.limited.confined import Confined
from fheasible.measurement.records import (
    Context,
    Hello,
    Measurement,
    measurement_from_message,
    watched_from_message,
)
from fheasible.measurement.registry import WorkerCommand, command
from fheasible.measurement.resident import Sampler
from fheasible.units import listing

Progress = Callable[[str, int, int], None]
"""A function that receives the phase, the repetitions done, and their total number."""

PROTOCOL = 1
HELLO_SECONDS = 120.0
_GRACE_SECONDS = 2.0  # for a worker to end by itself once its stdin has ended
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "GOMAXPROCS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Go: memory that its collector has freed stays mapped until the kernel wants it. Otherwise the operation that
# happens to use it next pays for page faults, up to eight times what an addition takes.
_CALM = {"GODEBUG": "madvdontneed=0"}
_FOREIGN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__", "NODE_OPTIONS", "NODE_PATH")


class Worker:
    """A running library, within a `with` block: `hello`, `describe`, `run`.

    It is gone when the block is left, however the block is left. `on_start` receives its process id before
    the library is loaded. A worker that is `watched` counts what each run uses, and its resident set is
    followed. It is `confined` to a group with a limit on its memory from before its program is loaded. From
    its start to its last answer it may take `timeout` seconds. `threads` None sets no number of threads, so
    that the library does what it does by default.
    """

    hello: Hello
    called: str  # the name that the worker gives itself

    def __init__(
        self,
        library: str | WorkerCommand,
        threads: int | None = 1,
        hello_seconds: float = HELLO_SECONDS,
        on_start: Callable[[int], None] | None = None,
        watched: bool = False,
        confined: Confined | None = None,
        timeout: float | None = None,
    ) -> None:
        self._command = command(library) if isinstance(library, str) else library
        self.threads = threads
        self._hello_seconds = hello_seconds
        self._on_start = on_start
        self._events = Events() if watched else None
        self._confined = confined
        self._timeout = inf if timeout is None else timeout
        self._late = inf  # when the timeout is over
        self._channel: Channel | None = None
        self._requests = 0
        self._last_words = ""

    @property
    def library(self) -> str:
        return self._command.library

    @property
    def pid(self) -> int:
        return self._open_channel().pid

    def __enter__(self) -> Self:
        """Starts the worker. Raises LibraryMissing where it is not installed or does not say hello, and
        WorkerTimedOut where its time is over before that."""
        if not self._command.installed:
            raise LibraryMissing(f"{self.library} is not installed", self._command.remedy)
        self._late = time.monotonic() + self._timeout
        try:
            self._channel = self._started()
            self.hello = self._read_hello(self._channel)
        except OSError as error:
            raise self._missing(f"cannot be started: {error}") from error
        except SubprocessError as error:  # what the child does before its program failed
            raise LimitImpossible(
                f"{self.library}'s worker cannot join the control group that limits its memory",
                "run it as root, or with systemd-run --user --scope fheasible ...",
            ) from error
        except BaseException:
            self._end(0.0)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(_GRACE_SECONDS if kind is None else 0.0)

    def _started(self) -> Channel:
        with self._events or nullcontext() as events:
            join = self._confined.group.join if self._confined else None
            here = self._command.here
            return Channel(self._command.argv, _environment(self.threads), self._on_start, events, join, here)

    def describe(self, parameters: Json, timeout: float | None = None) -> Context:
        """The context that the library makes of `parameters`. Raises WorkerFailed where it makes none."""
        reply = self._ask({"type": "describe", "parameters": parameters}, "described", timeout)
        with understanding(self.library):
            return Context.from_message(reply)

    def run(
        self,
        program: Json,
        parameters: Json,
        inputs: Mapping[str, Path],
        folder: Path,
        plan: Json,
        options: Json | None = None,
        progress: Progress | None = None,
        timeout: float | None = None,
    ) -> Measurement:
        """Runs `program` (as a message); the arrays of its results lie in `folder`, which is empty before.

        Raises WorkerRefused with the library's reason, WorkerDied, or WorkerTimedOut after `timeout` seconds.
        """
        request = {
            "type": "run",
            "parameters": parameters,
            "program": program,
            "inputs": {name: str(path) for name, path in inputs.items()},
            "folder": str(folder),
            "plan": plan,
            "options": options or {},
        }
        with self._confined.followed() if self._confined else nullcontext() as follower:
            measured = self._measured(request, folder, progress, timeout)
        return measured if follower is None else replace(measured, limited=follower.usage())

    def _measured(
        self, request: Json, folder: Path, progress: Progress | None, timeout: float | None
    ) -> Measurement:
        if self._events is None:
            reply = self._ask(request, "measured", timeout, progress)
            with understanding(self.library):
                return measurement_from_message(reply, self.hello, folder)
        with Sampler(self.pid) as sampler:
            reply = self._ask(request | {"counters": self._events.descriptors}, "measured", timeout, progress)
        with understanding(self.library):
            return watched_from_message(reply, self.hello, folder, sampler)

    def measure(self, request: Json, progress: Progress | None = None, timeout: float | None = None) -> Json:
        """The reply to a `measure` request, whose fields are given without its type.

        Raises WorkerRefused with the library's reason, WorkerDied, or WorkerTimedOut after `timeout` seconds.
        """
        return self._ask({"type": "measure"} | request, "timed", timeout, progress)

    def bits(self, request: Json, progress: Progress | None = None, timeout: float | None = None) -> Json:
        """The reply to a `binfhe` request, as `measure` has it."""
        return self._ask({"type": "binfhe"} | request, "timed_bits", timeout, progress)

    def _ask(
        self, request: Json, wanted: str, timeout: float | None, progress: Progress | None = None
    ) -> Json:
        """The reply of type `wanted`; progress is passed on, anything else is an error."""
        self._refuse_unanswered(str(request["type"]))
        channel, name = self._open_channel(), self._next_name()
        channel.send(json.dumps(request | {"id": name}).encode())
        own = inf if timeout is None else timeout
        deadline, seconds = min((time.monotonic() + own, own), (self._late, self._timeout))
        try:
            while (reply := self._next_reply(channel, name, deadline))["type"] != wanted:
                self._take(reply, progress)
        except TimeoutError:
            self._end(0.0)
            raise WorkerTimedOut(
                f"{self.library}'s worker took more than {seconds:g} seconds and was stopped",
                "allow more time, or choose smaller parameters",
            ) from None
        except EOFError:
            raise self._died() from None
        return reply

    def _refuse_unanswered(self, kind: str) -> None:
        """Raises LibraryMissing for a request that the worker is known not to answer."""
        answers = self._command.answers
        if kind in REQUESTS and kind not in answers:
            raise LibraryMissing(
                f"{self.library}'s worker answers only {listing(answers)}, and this takes {kind!r}",
                "name another library, or write the rest of its worker: docs/bring_your_own.md",
            )

    def _next_name(self) -> str:
        self._requests += 1
        return str(self._requests)

    def _next_reply(self, channel: Channel, name: str, deadline: float) -> Json:
        """The next message that answers request `name`."""
        while (message := self._next_message(channel, deadline)).get("id") != name:
            channel.note(json.dumps(message).encode())
        return message

    def _next_message(self, channel: Channel, deadline: float) -> Json:
        """The next line that is a message; others are kept among the last words."""
        while True:
            line = channel.receive(deadline)
            message = _message(line)
            if message is not None:
                return message
            channel.note(line)

    def _take(self, reply: Json, progress: Progress | None) -> None:
        if reply["type"] == "refused":
            raise refusal(self.library, reply)
        if reply["type"] == "progress" and progress is not None:
            with understanding(self.library):
                step = str(reply["phase"]), int(reply["done"]), int(reply["total"])
            progress(*step)

    def _read_hello(self, channel: Channel) -> Hello:
        deadline = time.monotonic() + self._hello_seconds
        try:
            while (message := self._next_message(channel, min(deadline, self._late)))["type"] != "hello":
                channel.note(json.dumps(message).encode())
        except TimeoutError:
            if self._late < deadline:
                self._end(0.0)
                raise WorkerTimedOut(
                    f"{self.library}'s worker did not start within {self._timeout:g} seconds and was stopped",
                    "allow more time",
                ) from None
            raise self._missing(f"sent no hello within {self._hello_seconds:g} s") from None
        except EOFError:
            self._refuse_limit()
            raise self._missing("ended without a hello") from None
        if message.get("protocol") != PROTOCOL:
            raise self._missing(f"speaks protocol {message.get('protocol')}, not {PROTOCOL}")
        try:
            hello = Hello.from_message(message)
        except (KeyError, TypeError, ValueError) as error:
            raise self._missing(f"sent a hello without {error}") from error
        called = self.library if self._command.called is None else self._command.called or hello.library
        if hello.library != called:
            raise self._missing(f"calls itself {hello.library}")
        if not self._command.is_current(hello.made_from):
            raise self._stale()
        self.called = hello.library
        return replace(hello, library=self.library)

    def _refuse_limit(self) -> None:
        """Raises LimitImpossible where the process that said no hello had too little memory to start."""
        if self._confined is not None and self._confined.group.has_killed():
            self._end(_GRACE_SECONDS)
            raise LimitImpossible(
                f"{self.library}'s worker cannot start with {self._confined.limit}: it was killed for memory "
                "while it loaded its library",
                "give a larger --memory-limit: a worker takes 30 to 150 MiB before it runs anything",
            )

    def _missing(self, what: str) -> LibraryMissing:
        started = self._channel is not None
        self._end(_GRACE_SECONDS)
        words = quoted(self._last_words) if started else ""
        return LibraryMissing(f"{self.library}'s worker {what}{words}", self._command.remedy)

    def _stale(self) -> LibraryMissing:
        self._end(_GRACE_SECONDS)
        sources = f"its sources in {self._command.folder} have changed"
        return LibraryMissing(f"{self.library}'s worker is out of date: {sources}", self._command.remedy)

    def _died(self) -> WorkerDied:
        status = self._end(_GRACE_SECONDS)
        if self._confined is not None and self._confined.group.has_killed():
            return KilledForMemory(
                f"{self.library}'s worker was killed for memory: it was limited to {self._confined.limit}",
                "give a larger --memory-limit or --swap, or choose smaller parameters",
            )
        how = explain_status(status)
        return WorkerDied(
            f"{self.library}'s worker ended before it answered: {how}{quoted(self._last_words)}",
            "choose smaller parameters or a machine with more memory" if out_of_memory(status) else "",
        )

    def _open_channel(self) -> Channel:
        if self._channel is None:
            raise WorkerDied(f"{self.library}'s worker is not running", "start it in a `with` block")
        return self._channel

    def _end(self, grace_seconds: float) -> int | None:
        """The exit status, as `Channel.end` gives it; afterwards no process, pipe or child is left."""
        channel, self._channel = self._channel, None
        if channel is None:
            return None
        status = channel.end(grace_seconds)
        self._last_words = channel.last_words
        return status


def _message(line: bytes) -> Json | None:
    """The JSON object on `line`; None where the line is something else, or the object has no type."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):  # the latter of "[[[[..."
        return None
    return message if isinstance(message, dict) and isinstance(message.get("type"), str) else None


def _environment(threads: int | None) -> dict[str, str]:
    """Our environment variables, with the number of threads; without any number for None.

    Variables that would lead another Python, or Node, astray are left out.
    """
    kept = {name: value for name, value in os.environ.items() if name not in (*_FOREIGN, *_THREAD_VARIABLES)}
    given = {} if threads is None else dict.fromkeys(_THREAD_VARIABLES, str(threads))
    return kept | given | _CALM | {"PYTHONUNBUFFERED": "1"}
