"""The circumstances of a measurement, without which no figure is stored."""

import platform
import subprocess
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache

from fheasible.aliases import Json
from fheasible.libraries.lookup_catalogue import threading_of
from fheasible.measurement.conditions import Conditions, conditions
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.machine import Machine, load, this_machine
from fheasible.measurement.records import Hello
from fheasible.measurement.shipped import clone

_OF_THEIR_OWN = ("machine", "hello", "conditions")  # fields with a JSON form of their own


@dataclass(frozen=True, slots=True)
class Environment:
    """The circumstances, taken before a measurement by `observe` and completed after it by `finished`.

    `hello` is None when the worker never said it; such an outcome is recorded too. `threads` is the number
    that is really used, also where it is left to the library.
    """

    machine: Machine
    library: str
    hello: Hello | None
    threads: int
    seed: int | None
    commit: str | None
    python: str
    started: str
    load_before: float
    conditions: Conditions
    threads_by_default: bool = False
    memory_limit: Json | None = None  # of the worker, as `MemoryLimit.to_json` has it
    load_after: float | None = None
    finished_at: str | None = None

    def finished(self, hello: Hello | None = None) -> "Environment":
        """The environment after the measurement; `hello` is that of the worker that did it."""
        return replace(self, hello=hello or self.hello, load_after=load(), finished_at=now())

    def to_json(self) -> Json:
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _OF_THEIR_OWN}
        told = {"conditions": self.conditions.to_json()}
        return self.machine.to_json() | own | told | _library(self.hello)


def observe(
    library: str,
    threads: int | None = 1,
    seed: int | None = None,
    hello: Hello | None = None,
    limit: MemoryLimit | None = None,
) -> Environment:
    return Environment(
        machine=this_machine(),
        library=library,
        hello=hello,
        threads=1 if threads == 1 else threading_of(library).used(threads, this_machine().cores),
        threads_by_default=threads is None,
        seed=seed,
        commit=commit(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        started=now(),
        load_before=load(),
        conditions=conditions(),
        memory_limit=None if limit is None else limit.to_json(),
    )


def now() -> str:
    """The present time in UTC, as ISO 8601, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@cache
def commit() -> str | None:
    """The commit that Fheasible runs from, with '+' where files differ from it; None outside a clone."""
    head = _git("rev-parse", "HEAD")
    if not head:
        return None
    return head + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")


def _git(*arguments: str) -> str:
    root = clone()
    if root is None:  # an environment may lie in a repository of something else
        return ""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def _library(hello: Hello | None) -> Json:
    if hello is None:
        return dict.fromkeys(("version", "binding", "build", "runtime"))
    return {
        "version": hello.version,
        "binding": hello.binding,
        "build": hello.build,
        "runtime": hello.runtime,
    }
