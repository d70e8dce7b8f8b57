"""Real processes that break the worker protocol, each in its own way."""

import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from fheasible.measurement.registry import WorkerCommand

MakeWorker = Callable[..., WorkerCommand]

HELLO = """
import json, os, sys, time
def say(**message): print(json.dumps(message), flush=True)
def hello(**more):
    own = {"protocol": 1, "library": "broken", "version": "0", "schemes": [], "operations": []}
    say(type="hello", **(own | {"made_from": MADE_FROM} | more))
def heard(): return json.loads(sys.stdin.readline())
"""


@pytest.fixture
def worker_that(tmp_path: Path) -> MakeWorker:
    """A worker whose whole behaviour is the given Python."""

    def make(behaviour: str) -> WorkerCommand:
        script, python = tmp_path / "worker.py", Path(sys.executable)
        command = WorkerCommand("broken", (str(python), str(script)), tmp_path, python, tmp_path / "lock")
        script.write_text(f"MADE_FROM = {command.made_from!r}\n" + HELLO + dedent(behaviour))
        return command

    return make
