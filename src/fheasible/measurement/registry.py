"""Where each library's worker is, how it is started, and what it is made from."""

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path

from fheasible.errors import UnknownName
from fheasible.libraries.added import LANGUAGE, RECORD, Added, registered
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.library import Library
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES
from fheasible.libraries.lookup_library import LookupLibrary
from fheasible.libraries.manifest import FILE, REQUESTS
from fheasible.measurement.shipped import kept, shipped
from fheasible.system import WINDOWS

_PROGRAM = ".exe" if WINDOWS else ""  # how the name of a program ends


@dataclass(frozen=True, slots=True)
class WorkerCommand:
    """How to start the worker of a library. `environment` is what `libraries install` makes."""

    library: str
    argv: tuple[str, ...]
    folder: Path
    environment: Path  # the file that is absent where the library was never installed
    lock: Path  # what pins the environment
    answers: tuple[str, ...] = REQUESTS  # the requests that it answers
    called: str | None = None  # the name that it gives itself, where that is not the library's; "" for any
    here: Path | None = None  # the folder that it is started in; None for that of the caller

    @property
    def installed(self) -> bool:
        """Whether the environment is there; only its hello can tell whether it works."""
        return self.environment.is_file()

    @property
    def stamp(self) -> Path:
        """The file that keeps the `made_from` of the time when the environment was made."""
        return self.environment.parent / "installed"

    @property
    def made_from(self) -> str:
        """A hash of what the environment is made from, as it is now: the lock, and sources in Go or Rust."""
        own = [
            *self.folder.glob("*.go"),
            *self.folder.glob("src/*.rs"),
            *self.folder.glob("Cargo.toml"),
            *self.folder.glob("build.rs"),
        ]
        sources = sorted(p for p in own if not p.name.endswith("_test.go"))
        digest = hashlib.sha256(str(kept(self.folder)).encode())  # a virtual environment cannot be moved
        for path in [self.lock, *sources]:
            digest.update(path.read_bytes() if path.is_file() else b"")
        return digest.hexdigest()

    def is_current(self, said: str) -> bool:
        """Whether the worker, which said that it was `made_from` that, was made from what is there now."""
        return said == self.made_from

    @property
    def remedy(self) -> str:
        return f"fheasible libraries install {self.library}"


@dataclass(frozen=True, slots=True)
class AddedCommand(WorkerCommand):
    """How to start the worker of a library that the user has added. What it was built from is kept where it
    is registered, because nothing obliges it to say so."""

    added: Added | None = None

    @property
    def installed(self) -> bool:
        return self.added is not None and bool(self.added.made_from)

    @property
    def made_from(self) -> str:
        return self.added.sources() if self.added is not None else ""

    def is_current(self, said: str) -> bool:
        return self.added is not None and self.added.made_from == self.made_from

    @property
    def remedy(self) -> str:
        if self.lock.is_file():
            return f"fheasible libraries install {self.library}"
        return f"put {self.lock} back, or fheasible libraries remove {self.library}"


def libraries() -> tuple[str, ...]:
    """The names of all libraries, each of which has a worker."""
    return (*BY_NAME, *(lib.name for lib in LOOKUP_LIBRARIES.values() if lib.worker_of == lib.name))


def command(name: str) -> WorkerCommand:
    """The worker of a library, named in any case."""
    found = with_worker(name)
    return _COMMANDS[found.worker.language](found.name, workers_folder())


def with_worker(name: str) -> Library | LookupLibrary:
    """The library whose worker the library of that name has: itself for most, whatever the scheme.

    UnknownName for any other name.
    """
    own, shared = BY_NAME.get(name.lower()), LOOKUP_LIBRARIES.get(name.lower())
    if own is not None:
        return own
    if shared is None:
        raise UnknownName(f"no library is named {name!r}", f"choose one of {', '.join(libraries())}")
    return shared if shared.worker_of == shared.name else with_worker(shared.worker_of)


def workers_folder() -> Path:
    """The folder with the sources of all workers."""
    return shipped("workers")


def _python(name: str, workers: Path) -> WorkerCommand:
    folder = workers / name
    python = python_in(kept(folder) / ".venv")
    script = workers / "python" / f"{name}_worker.py"
    return WorkerCommand(name, (str(python), str(script)), folder, python, folder / "requirements.lock")


def _go(name: str, workers: Path) -> WorkerCommand:
    folder = workers / name
    binary = kept(folder) / "bin" / f"{name}_worker{_PROGRAM}"
    return WorkerCommand(name, (str(binary),), folder, binary, folder / "go.sum")


def _node(name: str, workers: Path) -> WorkerCommand:
    """V8 does all its work in one thread, so that the CPU time of the process is that of the operations. It
    compiles each function once, on the first call, instead of a second time while samples are taken."""
    folder = workers / name.replace("-", "_")
    flags = ("--single-threaded", "--no-liftoff", "--expose-gc")
    packages = kept(folder) / "node_modules" / ".package-lock.json"
    argv = (shutil.which("node") or "node", *flags, str(folder / "worker.js"), str(packages.parent))
    return WorkerCommand(name, argv, folder, packages, folder / "package-lock.json")


def _added(name: str, workers: Path) -> WorkerCommand:
    return added_command(registered()[name])


def added_command(added: Added) -> AddedCommand:
    """The worker of an added library."""
    given = added.manifest
    return AddedCommand(
        added.name,
        added.command(given.start),
        added.source,
        added.folder / RECORD,
        added.source / FILE,
        given.answers,
        added.called,
        added.source,
        added,
    )


def _rust(name: str, workers: Path) -> WorkerCommand:
    folder = workers / name
    binary = kept(folder) / "target" / "release" / f"{name}_worker{_PROGRAM}"
    return WorkerCommand(name, (str(binary),), folder, binary, folder / "Cargo.lock")


_COMMANDS = {"python": _python, "go": _go, "node": _node, "rust": _rust, LANGUAGE: _added}
"""How the worker of a library is found, by the language that it is written in."""


def python_in(environment: Path) -> Path:
    """The Python of a virtual environment."""
    return environment / ("Scripts/python.exe" if WINDOWS else "bin/python")
