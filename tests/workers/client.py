"""A worker's other end, small on purpose: it shares no code with what it tests nor with `fheasible`."""

import json
import os
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import numpy as np
from numpy.typing import NDArray

Json = dict[str, Any]
Arrays = dict[str, NDArray[Any]]


class Died(Exception):
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
    """A running worker; `hello` is what it said first."""

    command: list[str]
    folder: Path
    threads: int | None = 1
    hello: Json = field(init=False)
    _requests: int = 0

    def __post_init__(self) -> None:
        self.stderr = tempfile.TemporaryFile("w+")  # noqa: SIM115 -- it lives as long as the worker
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.stderr,
            text=True,
            env=_environment(self.threads),
        )
        self._lines: Queue[str] = Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self.hello = self.read()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put("")  # the end

    def send_line(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self, timeout: float = 60) -> Json:
        """The next reply; raises Died at the end of the worker's stdout."""
        try:
            line = self._lines.get(timeout=timeout)
        except Empty:
            self.close()
            raise TimeoutError(f"no reply within {timeout} s; stderr: {self.last_words()}") from None
        if not line:
            raise Died(f"exit code {self.process.wait(10)}; stderr: {self.last_words()}")
        reply: Json = json.loads(line)
        return reply

    def ask(self, kind: str, **fields: Any) -> tuple[Json, list[Json]]:
        """The final reply to a request, and the progress before it."""
        self._requests += 1
        name = str(self._requests)
        self.send_line(json.dumps({"type": kind, "id": name, **fields}))
        progress: list[Json] = []
        while True:
            reply = self.read()
            assert reply.get("id") == name, f"a reply to {reply.get('id')!r} while waiting for {name!r}"
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
        """The measured run, its files read; asserts that it was not refused."""
        reply, progress = self.try_run(parameters, program, inputs, plan, options)
        assert reply["type"] == "measured", reply
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
        room = Path(tempfile.mkdtemp(dir=self.folder))
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

    def last_words(self) -> str:
        self.stderr.seek(0)
        return self.stderr.read()[-2000:]

    def close(self) -> int:
        """Ends stdin, as a caller does when it is done; the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def _save(arrays: Arrays, room: Path) -> dict[str, str]:
    for name, array in arrays.items():
        np.save(room / f"{name}.npy", array)
    return {name: str(room / f"{name}.npy") for name in arrays}


def _load(paths: dict[str, str]) -> Arrays:
    return {name: np.load(path) for name, path in paths.items()}


def _with_plains(program: Json, room: Path) -> Json:
    """The program, its vector operands (under "vectors") in a file as the protocol has them."""
    vectors = program.get("vectors", {})
    if vectors:
        np.savez(room / "plains.npz", **vectors)
    path = str(room / "plains.npz") if vectors else None
    return {**{k: v for k, v in program.items() if k != "vectors"}, "plains": path}
