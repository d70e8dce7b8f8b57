"""Other tools on the applications of benchmarks/peers: each by its own code, in an environment of its own.

A tool is a line of tools.json and a folder of TOOLS_FOLDER: what is installed (requirements.lock), and
run.py, whose last line of output tells the parameters, CPU seconds by phase and the decrypted results. What
cannot be installed or run has the reason that was met in place of figures.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fheasible.accuracy.peers import FOLDER
from fheasible.aliases import Json
from fheasible.measurement.install import python_here
from fheasible.measurement.uv import uv
from fheasible.noise.achieved import achieved
from fheasible.system import WINDOWS

TOOLS_FOLDER = FOLDER / "tools"
APPLICATIONS: Final = ("variance", "squarings", "network")
COMPARED: Final = ("encrypt", "evaluate", "decrypt")
OURS: Final = "fheasible"
_LONG_SECONDS: Final = 900.0  # the limit of a step; the machine may be busy
_LAST_WORDS: Final = 300


@dataclass(frozen=True, slots=True)
class Tool:
    """`python`: the CPython that its packages are locked for; None for the one that runs this program."""

    name: str
    title: str
    python: tuple[int, int] | None
    applications: tuple[str, ...] = APPLICATIONS

    @property
    def folder(self) -> Path:
        return TOOLS_FOLDER / self.name

    @property
    def made_from(self) -> str:
        """A hash of all that a run of it is made from; for Fheasible, of its script alone."""
        shared = [] if self.name == OURS else sorted(TOOLS_FOLDER.glob("*.py"))
        files = [p for p in sorted(self.folder.rglob("*")) if p.is_file() and "__pycache__" not in p.parts]
        told = b"".join(p.name.encode() + p.read_bytes() for p in [*shared, *files])
        return hashlib.sha256(told).hexdigest()[:16]


def _tools() -> tuple[Tool, ...]:
    read = json.loads((FOLDER / "tools.json").read_text())
    return tuple(
        Tool(
            row["name"],
            row["title"],
            row["python"] and tuple(row["python"]),
            tuple(row.get("applications", APPLICATIONS)),
        )
        for row in read
    )


TOOLS: Final = _tools()


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One run of a tool, or the reason why it has none.

    `asked_bits`: the precision that Fheasible was asked for. `precision_bits`: that of real results, as in
    `Achieved.bits`. `right`: whether results of integers are the true ones when they are rounded.
    """

    tool: str
    application: str
    made_from: str
    asked_bits: float | None = None
    reason: str | None = None
    version: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cpu_seconds: Mapping[str, Any] = field(default_factory=dict)
    precision_bits: float | None = None
    right: bool | None = None
    load: float | None = None  # processes that wanted to run, before it

    def to_json(self) -> Json:
        return asdict(self)

    @property
    def key(self) -> tuple[str, str, str, float | None]:
        """What passes of the same run have in common."""
        return self.tool, self.application, self.made_from, self.asked_bits


class NotHad(Exception):
    """A tool cannot be installed or run, for the reason that it says."""


def environment(tool: Tool, kept: Path, say: Callable[[str], None]) -> Path:
    """The Python of the tool's environment in the folder `kept`, which is made where there is none yet."""
    if tool.python is None:
        return Path(sys.executable)
    folder, lock = kept / tool.name, tool.folder / "requirements.lock"
    python = folder / ("Scripts/python.exe" if WINDOWS else "bin/python")
    stamp, now = folder / "installed", hashlib.sha256(lock.read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text() == now:
        return python
    say(f"installing {tool.title}")
    shutil.rmtree(folder, ignore_errors=True)
    found, maker = python_here(tool.python), uv(say)
    version = str(found) if found else "{}.{}".format(*tool.python)
    _output([maker, "venv", "--quiet", "--python", version, folder])
    sync: list[str | Path] = [maker, "pip", "sync", "--quiet", "--require-hashes", "--only-binary", ":all:"]
    _output([*sync, "--python", python, lock])
    stamp.write_text(now)
    return python


def run(
    tool: Tool, application: str, inputs: Path, python: Path, more: Sequence[str] = (), repetitions: int = 2
) -> Json:
    """What the tool's run.py told, with one thread. NotHad with its last words where it failed."""
    argv: list[str | Path] = [
        python,
        tool.folder / "run.py",
        application,
        inputs,
        "--repetitions",
        str(repetitions),
    ]
    return told(_output([*argv, *more], os.environ | {"OMP_NUM_THREADS": "1"}))


def told(output: str) -> Json:
    """The object in the last line of the output. NotHad where there is none."""
    lines = output.strip().splitlines()
    try:
        found: Json = json.loads(lines[-1])
        return {name: found[name] for name in ("version", "parameters", "cpu_seconds", "outputs")}
    except (IndexError, ValueError, KeyError, TypeError):
        raise NotHad(f"it printed no figures: {output.strip()[-_LAST_WORDS:] or 'nothing'}") from None


def _output(argv: Sequence[str | Path], variables: Mapping[str, str] | None = None) -> str:
    """What a command printed. NotHad with the last line of its errors where it failed."""
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=variables,
            timeout=_LONG_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise NotHad(f"it took more than {_LONG_SECONDS:.0f} s") from None
    except OSError as error:
        raise NotHad(f"{argv[0]} cannot be run: {error}") from error
    if done.returncode:
        raise NotHad(last_words(done.stderr or done.stdout, done.returncode))
    return done.stdout


def last_words(text: str, code: int) -> str:
    """The last line that says something; the exit status where there is none."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:_LAST_WORDS] if lines else f"it ended with status {code} and said nothing"


def judged(run: Json, truth: NDArray[Any], real: bool) -> Json:
    """The run with its outputs replaced by how far they are off."""
    outputs = np.asarray(run["outputs"], dtype=np.float64)
    kept = {name: value for name, value in run.items() if name != "outputs"}
    if outputs.shape != np.shape(truth):
        raise NotHad(f"it gave results of shape {outputs.shape}, not {np.shape(truth)}")
    if real:
        return kept | {"precision_bits": achieved({"result": outputs}, {"result": truth}).bits}
    return kept | {"right": bool(np.array_equal(np.rint(outputs), truth))}
