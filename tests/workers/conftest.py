"""Which workers there are on this machine, each started once for the whole suite."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

import pytest

from fheasible.measurement.conformance.client import Worker

ROOT = Path(__file__).resolve().parents[2] / "workers"


NODE_FLAGS = ("--single-threaded", "--no-liftoff", "--expose-gc")


def command(library: str) -> list[str]:
    """How the worker is started; its first word is missing where the library is not installed."""
    if library == "node-seal":
        installed = (ROOT / "node_seal" / "node_modules" / "installed").is_file()
        node = (installed and which("node")) or "/no/node"
        own = ROOT / "node_seal"
        return [node, *NODE_FLAGS, str(own / "worker.js"), str(own / "node_modules")]
    if library == "lattigo":
        return [str(ROOT / "lattigo" / "bin" / "lattigo_worker")]
    if library == "tfhe_rs":
        return [str(ROOT / "tfhe_rs" / "target" / "release" / "tfhe_rs_worker")]
    python = ROOT / library / ".venv" / "bin" / "python"
    return [str(python), str(ROOT / "python" / f"{library}_worker.py")]


class Workers:
    """Workers by library, started when first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: dict[str, Worker] = {}
        self._others: list[Worker] = []

    def __getitem__(self, library: str) -> Worker:
        if library not in self._running:
            self._running[library] = self.fresh(library)
        return self._running[library]

    def fresh(self, library: str) -> Worker:
        """Another process, for a test that ends it."""
        if not Path(command(library)[0]).exists():
            pytest.skip(f"{library} is not installed")
        self._others.append(Worker(command(library), self.folder))
        return self._others[-1]

    @contextmanager
    def in_threads(self, library: str, threads: int | None) -> Iterator[Worker]:
        """A worker with so many threads: another process where the number holds from its start."""
        if library != "openfhe":
            yield self[library]
            return
        self[library]  # skips where it is not installed
        worker = Worker(command(library), self.folder, threads)
        try:
            yield worker
        finally:
            worker.close()

    def close(self) -> None:
        for worker in (*self._running.values(), *self._others):
            worker.close()


@pytest.fixture(scope="session")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    running = Workers(tmp_path_factory.mktemp("workers"))
    yield running
    running.close()
