"""Bare loops over a library's own calls, timed one call after another."""

import json
import sys
from collections.abc import Callable, Mapping
from time import thread_time_ns
from typing import Any

Call = Callable[[], Any]


def asked() -> Any:
    """The request on stdin: `parameters`, `slots`, `repetitions` and `warmup`."""
    return json.load(sys.stdin)


def answer(loops: Mapping[str, Call], repetitions: int, warmup: int) -> None:
    """Runs the loops and prints the CPU seconds of each of their calls, by the loop's name."""
    json.dump({name: samples(call, repetitions, warmup) for name, call in loops.items()}, sys.stdout)


def samples(call: Call, repetitions: int, warmup: int) -> list[float]:
    for _ in range(warmup):
        call()
    found = []
    for _ in range(repetitions):
        began = thread_time_ns()
        result = call()
        found.append((thread_time_ns() - began) * 1e-9)
        del result  # outside of what is timed, as in `fheasible measure`
    return found
