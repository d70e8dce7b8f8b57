"""Applications that are emitted, and run as client and server in two processes."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.api.emitting import Emitted, emit
from fheasible.api.options import Options
from fheasible.api.platform import Silent
from fheasible.circuit.trace import App

EXAMPLES = Path(__file__).parents[2] / "examples"
BEYOND = 1.5  # times the error that 999 of 1000 runs stay below: a single run does, too, but once in 10^6


@dataclass(frozen=True, slots=True)
class Commands:
    """What builds the emitted code (empty where nothing is built), and what starts client and server."""

    client: Sequence[str]
    server: Sequence[str]
    build: Sequence[Sequence[str]] = ()


def example(number: int) -> str:
    (file,) = EXAMPLES.glob(f"{number}_*.py")
    return str(file)


def emitted(
    app: App | str, to: str, folder: Path, params: Mapping[str, str] | None = None, **asked: Any
) -> Emitted:
    return emit(app, to, folder, Options(**asked), params, Silent(folder.parent / "store.sqlite"))


def run(folder: Path, commands: Commands, timeout: float = 600) -> dict[str, NDArray[Any]]:
    """The decrypted results by name, after four processes: keys, encrypt, evaluate, decrypt."""
    for build in commands.build:
        _call(build, folder, timeout)
    for words in ("keys", "encrypt"):
        _call([*commands.client, words], folder, timeout)
    secret = (folder / "client" / "secret.key").rename(folder.parent / "secret.key")
    _call(commands.server, folder, timeout)  # which has no secret key to read
    secret.rename(folder / "client" / "secret.key")
    _call([*commands.client, "decrypt"], folder, timeout)
    told = json.loads((folder / "parameters.json").read_text())
    return {v["name"]: numbers(folder / "client" / "results" / f"{v['file']}.txt") for v in told["outputs"]}


def _call(words: Sequence[str], folder: Path, timeout: float) -> None:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"{words} in {folder}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"


def numbers(path: Path) -> NDArray[Any]:
    return np.array([float(line) for line in path.read_text().split()])


def check(made: Emitted, found: Mapping[str, NDArray[Any]]) -> None:
    """The results are those of the cleartext computation: exact, or as precise as was predicted."""
    limit = made.candidate["estimate"].get("absolute_error")
    exact = limit is None or made.candidate.get("rounded", False)
    assert found.keys() == made.facts.expected.keys()
    for name, truth in made.facts.expected.items():
        if exact:
            np.testing.assert_array_equal(found[name], np.asarray(truth, dtype=np.float64))
        else:
            assert np.abs(found[name] - truth).max() <= BEYOND * limit


def secrets_are_kept(folder: Path) -> None:
    """The secret key is in the client's folder alone, whatever the names of files are."""
    secret = (folder / "client" / "secret.key").read_bytes()
    core = secret[len(secret) // 2 : len(secret) // 2 + 64]
    for place in ("server", "to_server", "to_client", "common"):
        for file in (folder / place).rglob("*"):
            assert not (file.is_file() and core in file.read_bytes()), f"{file} has the secret key"
