"""A `run` request from its parameters to its reply."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from worker import memory
from worker.backend import Backend, Library, Sizes
from worker.execute import Arrays, Clocks, Execution, Runner, phase, timed
from worker.marks import UNKNOWN, Mark, Marks, unmarked
from worker.refusal import UNSUPPORTED, Refusal, calling_library, reading
from worker.request import (
    Json,
    Options,
    Plan,
    Program,
    check,
    read_counters,
    read_inputs,
    read_options,
    read_plan,
    read_program,
)

Progress = Callable[[str, int, int], None]  # phase, done, total


@dataclass(frozen=True)
class Request:
    """A checked `run` request."""

    parameters: Json
    program: Program
    plan: Plan
    inputs: Arrays
    folder: Path
    options: Options
    counters: tuple[int, ...] | None  # descriptors of the kernel's counters; None where no marks are wanted


def run(library: Library, message: Json, progress: Progress) -> Json:
    """The fields of `measured`."""
    request = _read(library, message)
    marks = None if request.counters is None else Marks(request.counters)
    mark = marks or unmarked
    memory.settle()
    used = {"baseline_bytes": memory.resident()}
    mark("context", UNKNOWN)
    backend, context = timed(lambda: opened(library, request.parameters, request.program))
    try:
        mark("other", UNKNOWN)
        memory.trim()  # what the making of it left: whether it went by itself would depend on addresses
        used["context_bytes"] = memory.resident()
        keygens = _keygen(backend, request.plan, progress, mark)
        used["keys_bytes"] = memory.resident()
        execution = _execute(backend, request, progress, mark)
        used["peak_bytes"] = memory.peak()
        phases = _phases(execution, request.program, context, keygens)
        reply = {**backend.describe(), **_save(execution, request.folder), "phases": phases, "memory": used}
        reply["threads"] = library.threads()
        reply |= save_marks(marks, request.folder)
        return {**reply, "sizes": _told(_sizes(backend, request) if request.options.sizes else _UNKNOWN)}
    finally:
        backend.close()


def _read(library: Library, message: Json) -> Request:
    """The request, or a refusal: whatever can be seen to be wrong is seen before anything runs."""
    with reading("request"):
        parameters, folder, inputs = message["parameters"], Path(message["folder"]), message["inputs"]
        options = read_options(message.get("options", {}))
        program, plan = read_program(message["program"]), read_plan(message.get("plan", {}))
    check(program, library.actions(program.scheme, program.automatic))
    library.object_to(program)
    _check_options(options, program)
    arrays = read_inputs(inputs, program)
    return Request(parameters, program, plan, arrays, folder, options, read_counters(message))


def _check_options(options: Options, program: Program) -> None:
    if options.noise and program.scheme == "ckks":
        raise Refusal(UNSUPPORTED, "CKKS keeps its noise within the message: compare what it decrypts to")


def _execute(backend: Backend, request: Request, progress: Progress, mark: Mark) -> Execution:
    key = backend.stranger() if request.options.wrong_key else backend.secret()
    runner = Runner(backend, request.program, request.inputs, key, request.options, mark)
    return runner.run(request.plan, lambda done, total: progress("run", done, total))


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


def opened(library: Library, parameters: Json, program: Program) -> Backend:
    """The context, prepared for the program."""
    with calling_library("context"):
        backend = library.open(parameters)
        try:
            backend.prepare(program)
        except Exception:
            backend.close()
            raise
    return backend


def _keygen(backend: Backend, plan: Plan, progress: Progress, mark: Mark) -> list[Clocks]:
    clocks = []
    for done in range(plan.keygens):
        mark("keygen", done)
        with calling_library("keygen"):
            clocks.append(timed(backend.keygen)[1])
        mark("other", done)
        progress("keygen", done + 1, plan.keygens)
    return clocks


def _save(execution: Execution, folder: Path) -> Json:
    np.save(folder / "samples.npy", execution.samples)
    reply: Json = {
        "outputs": save_arrays(execution.outputs, folder / "outputs"),
        "samples": str(folder / "samples.npy"),
    }
    if execution.inputs_after:
        reply["inputs_after"] = save_arrays(execution.inputs_after, folder / "inputs_after")
    if execution.noise:
        reply["noise"] = save_arrays(execution.noise, folder / "noise")
    return reply


def save_marks(marks: Marks | None, folder: Path) -> Json:
    if marks is None:
        return {}
    np.save(folder / "marks.npy", marks.rows)
    return {"marks": str(folder / "marks.npy")}


def save_arrays(arrays: Arrays, folder: Path) -> dict[str, str]:
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


def _told(sizes: Sizes) -> Json:
    """The sizes by name, without those of a bootstrap where there is none."""
    return {name: size for name, size in asdict(sizes).items() if name != "bootstrap_keys" or size}


def _sizes(backend: Backend, request: Request) -> Sizes:
    first = next((o for o in request.program.operations if o.action == "encrypt"), None)
    fresh = None if first is None else backend.encrypt(request.inputs[first.source][first.chunk], first.level)
    return backend.sizes(fresh)
