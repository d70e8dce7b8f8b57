"""A worker's other end, small on purpose: it shares no code with what it asks, or `measurement/worker.py`."""

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.system import FORKS, kill_group

Json = dict[str, Any]
Arrays = dict[str, NDArray[Any]]


class Misbehaved(Exception):
    """The worker did not do what was expected of it."""


class Died(Misbehaved):
    """The worker ended instead of answering."""


@dataclass
class Measured:
    """A reply to `run`, with the files that it names."""

    reply: Json
    outputs: Arrays
    inputs_after: Arrays
    samples: NDArray[np.float64]
    progress: list[Json]


def _environment(threads: int | None) -> dict[str, str]:
    """Without a number of threads for None."""
    kept = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    return kept if threads is None else kept | {"OMP_NUM_THREADS": str(threads)}


@dataclass
class Worker:
    """A running worker; `hello` is what it said first. `folder` takes the files that requests name; `here` is
    the folder that the worker is started in. It may take `seconds` for each answer."""

    command: Sequence[str]
    folder: Path
    threads: int | None = 1
    here: Path | None = None
    seconds: float = 60.0
    hello: Json = field(init=False)
    _requests: int = 0

    def __post_init__(self) -> None:
        self.stderr = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 -- it lives as long as this
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.stderr,
            text=True,
            errors="replace",
            env=_environment(self.threads),
            cwd=self.here,
            start_new_session=FORKS,
        )
        self._lines: Queue[str] = Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            self.hello = self.read()
        except BaseException:
            self.kill()
            raise

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put("")  # the end

    def send_line(self, line: str) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except OSError:
            raise self._died() from None

    def read(self, seconds: float | None = None) -> Json:
        """The next reply. Raises Died at the end of the worker's stdout, and Misbehaved for a line that is no
        object, or for none at all."""
        patience = self.seconds if seconds is None else seconds
        try:
            line = self._lines.get(timeout=patience)
        except Empty:
            self.kill()
            raise Misbehaved(f"no reply within {patience:g} s{self._words()}") from None
        if not line:
            raise self._died()
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            raise Misbehaved(f"a line that is no JSON: {line.strip()[:200]!r}") from None
        if not isinstance(reply, dict) or "type" not in reply:
            raise Misbehaved(f"a line that is no message with a type: {line.strip()[:200]!r}")
        return reply

    def ask(self, kind: str, **fields: Any) -> tuple[Json, list[Json]]:
        """The final reply to a request, and the progress before it."""
        self._requests += 1
        name = str(self._requests)
        self.send_line(json.dumps({"type": kind, "id": name, **fields}))
        progress: list[Json] = []
        while True:
            reply = self.read()
            if reply.get("id") != name:
                raise Misbehaved(f"the id {reply.get('id')!r} in a reply to the request {name!r}")
            if reply["type"] != "progress":
                return reply, progress
            progress.append(reply)

    def run(
        self,
        parameters: Json,
        program: Json,
        inputs: Arrays,
        plan: Json | None = None,
        options: Json | None = None,
    ) -> Measured:
        """The measured run, its files read. Raises Misbehaved where it was refused."""
        reply, progress = self.try_run(parameters, program, inputs, plan, options)
        if reply["type"] != "measured":
            raise Misbehaved(f"a run that is possible was answered with {str(reply)[:500]}")
        load = {kind: _load(reply.get(kind, {})) for kind in ("outputs", "inputs_after")}
        out = Path(reply["samples"]).parent / "inputs_after"
        after = {p.stem: np.load(p) for p in out.glob("*.npy")}
        return Measured(reply, load["outputs"], after, np.load(reply["samples"]), progress)

    def try_run(
        self,
        parameters: Json,
        program: Json,
        inputs: Arrays,
        plan: Json | None = None,
        options: Json | None = None,
    ) -> tuple[Json, list[Json]]:
        """The reply to a `run`, whatever it is."""
        room = self.room()
        (room / "out").mkdir()
        return self.ask(
            "run",
            parameters=parameters,
            program=_with_plains(program, room),
            inputs=_save(inputs, room),
            folder=str(room / "out"),
            plan=plan or {"repetitions": 1, "warmup": 0, "threads": 1, "min_seconds": 0},
            options=options or {},
        )

    def room(self) -> Path:
        """A new folder for the files of one request."""
        return Path(tempfile.mkdtemp(dir=self.folder))

    def last_words(self) -> str:
        self.stderr.seek(0)
        return self.stderr.read()[-2000:]

    def close(self) -> int:
        """Ends stdin, as a caller does when it is done; the exit code."""
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.process.wait()

    def kill(self) -> None:
        """Ends the worker, and what it has started, at once."""
        with suppress(OSError):
            kill_group(self.process.pid)
        self.process.wait()

    def _died(self) -> Died:
        try:
            how = f"exit code {self.process.wait(10)}"
        except subprocess.TimeoutExpired:
            self.kill()
            how = "it closed its output but kept running"
        return Died(f"the worker ended instead of answering: {how}{self._words()}")

    def _words(self) -> str:
        words = self.last_words().strip()
        return f"; its stderr ends: {words[-500:]}" if words else ""


def _save(arrays: Arrays, room: Path) -> dict[str, str]:
    for name, array in arrays.items():
        np.save(room / f"{name}.npy", array)
    return {name: str(room / f"{name}.npy") for name in arrays}


def _load(paths: dict[str, str]) -> Arrays:
    return {name: np.load(path) for name, path in paths.items()}


def _with_plains(program: Json, room: Path) -> Json:
    """The program, its vector operands (under "vectors") in a file as the protocol has them."""
    if "vectors" not in program:  # a program of table look-ups holds all its numbers
        return program
    vectors, path = program["vectors"], None
    if vectors:
        path = str(room / "plains.npz")
        np.savez(path, **vectors)
    return {**{k: v for k, v in program.items() if k != "vectors"}, "plains": path}
