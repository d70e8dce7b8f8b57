"""What the scripts of all tools share: one application is prepared, then run some times, and told as JSON.

    python TOOL/run.py APPLICATION INPUTS.npz [--repetitions 2]

The last line of the output is an object: the version, the parameters, CPU seconds by phase, a list of the
repetitions' seconds for each phase but the first, and the decrypted results. A script that raises is not
measured; what it raised is the reason. Needs numpy alone, and CPython 3.10.
"""

import argparse
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

SQUARINGS = 10
PLAIN_MODULUS = 65537  # of integers: as HEIR's default, and prime to batch in every ring that occurs


@dataclass
class Prepared:
    """An application with its keys. `parameters`: what was chosen, by name."""

    parameters: dict[str, Any]
    encrypt: Callable[[], Any]
    evaluate: Callable[[Any], Any]
    decrypt: Callable[[Any], Any]


def main(package: str, prepare: Callable[[str, Mapping[str, Any]], Prepared]) -> None:
    """Runs what the command line asks for. CPU time is that of all threads of this process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("application")
    parser.add_argument("inputs")
    parser.add_argument("--repetitions", type=int, default=2)
    given = parser.parse_args()
    inputs = dict(np.load(given.inputs))
    before = time.process_time()
    prepared = prepare(given.application, inputs)
    seconds: dict[str, Any] = {"keys": time.process_time() - before}
    for _ in range(given.repetitions):
        decrypted = repetition(prepared, seconds)
    told = {"version": version(package), "parameters": prepared.parameters, "cpu_seconds": seconds}
    print(json.dumps(told | {"outputs": np.asarray(decrypted, dtype=float).tolist()}))


def repetition(prepared: Prepared, seconds: dict[str, list[float]]) -> Any:
    """The decrypted results; each phase's seconds are appended to `seconds`."""
    clock = [time.process_time()]
    value = prepared.encrypt()
    clock.append(time.process_time())
    value = prepared.evaluate(value)
    clock.append(time.process_time())
    value = prepared.decrypt(value)
    clock.append(time.process_time())
    for i, phase in enumerate(("encrypt", "evaluate", "decrypt")):
        seconds.setdefault(phase, []).append(clock[i + 1] - clock[i])
    return value
