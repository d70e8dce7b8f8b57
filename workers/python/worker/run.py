"""A `run` request from its parameters to its reply."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from worker import memory
from worker.backend import Backend, Library, Sizes
from worker.execute import Arrays, Clocks, Execution, Runner, phase, timed
from worker.refusal import calling_library, reading
from worker.request import Json, Plan, Program, check, read_inputs, read_plan, read_program

Progress = Callable[[str, int, int], None]  # phase, done, total


def run(library: Library, message: Json, progress: Progress) -> Json:
    """The fields of `measured`."""
    with reading("request"):
        parameters, options = message["parameters"], message.get("options", {})
        folder, inputs = Path(message["folder"]), message["inputs"]
        wrong_key, check_inputs = bool(options.get("wrong_key")), bool(options.get("check_inputs"))
        program, plan = read_program(message["program"]), read_plan(message.get("plan", {}))
    check(program, library.actions(program.scheme, program.automatic))
    library.object_to(program)
    arrays = read_inputs(inputs, program)
    memory.settle()
    remembered = {"baseline_bytes": memory.resident()}
    backend, context = timed(lambda: _open(library, parameters, program))
    try:
        remembered["context_bytes"] = memory.resident()
        keygens = _keygen(backend, plan, progress)
        remembered["keys_bytes"] = memory.resident()
        key = backend.stranger() if wrong_key else backend.secret()
        runner = Runner(backend, program, arrays, key, keep_inputs=check_inputs, may_fail=wrong_key)
        execution = runner.run(plan, lambda done, total: progress("run", done, total))
        remembered["peak_bytes"] = memory.peak()
        reply = _save(execution, folder)
        reply["phases"] = _phases(execution, program, context, keygens)
        reply["sizes"] = _sizes(backend, program, arrays) if options.get("sizes", True) else asdict(_UNKNOWN)
        return {**backend.describe(), **reply, "memory": remembered}
    finally:
        backend.close()


_UNKNOWN = Sizes(None, None, None, None, None, 0)


def describe(library: Library, message: Json) -> Json:
    """The fields of `described`."""
    with reading("request"):
        parameters = message["parameters"]
    with calling_library("context"):
        backend = library.open(parameters)
        try:
            return backend.describe()
        finally:
            backend.close()


def _open(library: Library, parameters: Json, program: Program) -> Backend:
    with calling_library("context"):
        backend = library.open(parameters)
        backend.prepare(program)
    return backend


def _keygen(backend: Backend, plan: Plan, progress: Progress) -> list[Clocks]:
    clocks = []
    for done in range(plan.keygens):
        with calling_library("keygen"):
            clocks.append(timed(backend.keygen)[1])
        progress("keygen", done + 1, plan.keygens)
    return clocks


def _save(execution: Execution, folder: Path) -> Json:
    np.save(folder / "samples.npy", execution.samples)
    reply: Json = {
        "outputs": _save_arrays(execution.outputs, folder / "outputs"),
        "samples": str(folder / "samples.npy"),
    }
    if execution.inputs_after:
        reply["inputs_after"] = _save_arrays(execution.inputs_after, folder / "inputs_after")
    return reply


def _save_arrays(arrays: Arrays, folder: Path) -> dict[str, str]:
    folder.mkdir(exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return {name: str(folder / f"{name}.npy") for name in arrays}


def _phases(execution: Execution, program: Program, context: Clocks, keygens: list[Clocks]) -> Json:
    return {
        "context": [context],
        "keygen": keygens,
        "encrypt": phase(execution.samples, program, encryption=True),
        "evaluate": phase(execution.samples, program, encryption=False),
        "decrypt": execution.decrypts,
    }


def _sizes(backend: Backend, program: Program, arrays: Arrays) -> dict[str, Any]:
    first = next((o for o in program.operations if o.action == "encrypt"), None)
    sample = None if first is None else backend.encrypt(arrays[first.source][first.chunk], first.level)
    return asdict(backend.sizes(sample))
