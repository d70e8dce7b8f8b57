"""One run of a sampling campaign with every sample, and the form in which it is stored."""

import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Json
from fheasible.circuit.node import Column
from fheasible.libraries.forms import parameters_form, parameters_of
from fheasible.libraries.parameters import Parameters
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.job import Job
from fheasible.measurement.records import Context, Hello, MeasuredSizes, Measurement, Phases, ResidentMemory
from fheasible.program.types import Action, Operation, Packed, Program, Scheme
from fheasible.store.rows import Sample, StoredSample

_OPERATIONS = "operations"  # the array of every operation's samples; the others are named after their phase


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """The outcome of a job in one pass of a campaign.

    `measurement` is None where there was no result; `outcome` and `message` then say why. It holds no
    outputs, and the stored program holds no values of plain operands.

    `number` is the pass, from 0; `position` is the place in the pass, in the order that `seed` made. `found`
    is what the check of the outputs found. `environment` has the form of `Environment.to_json`, with the load
    before and after.
    """

    campaign: str
    key: str  # of the job
    number: int
    position: int
    seed: int
    parameters: Parameters
    program: Program
    plan: RunPlan
    options: RunOptions
    label: str
    outcome: str
    message: str
    environment: Json
    measurement: Measurement | None
    found: Json = field(default_factory=dict)

    @property
    def library(self) -> str:
        return self.parameters.library

    @property
    def scheme(self) -> str:
        return self.parameters.scheme

    @property
    def threads(self) -> int:
        """The number that was used, also where it was left to the library."""
        return int(self.environment["threads"]) if self.plan.threads is None else self.plan.threads

    @property
    def machine(self) -> str:
        return str(self.environment["machine"])


def to_row(r: Record) -> Sample:
    content = {
        "parameters": parameters_stored(r.parameters),
        "program": _program_json(r.program),
        "plan": r.plan.to_json(),
        "options": r.options.to_json(),
        "label": r.label,
    }
    figures = None if r.measurement is None else _figures(r.measurement)
    arrays = None if r.measurement is None else packed(_arrays(r.measurement))
    return Sample(
        r.campaign, r.key, r.library, r.scheme, content, r.number, r.position, r.outcome, r.message,
        figures, r.found, arrays,
    )  # fmt: skip


def from_row(stored: StoredSample) -> Record:
    """The record of a stored row. A field that this version does not know is an error of the store."""
    s = stored.sample
    return Record(
        s.campaign,
        s.key,
        s.number,
        s.position,
        stored.environment["seed"],
        _parameters(s.content["parameters"]),
        _program(s.content["program"]),
        RunPlan(**s.content["plan"]),
        RunOptions(**s.content["options"]),
        s.content["label"],
        s.outcome,
        s.message,
        stored.environment,
        _measurement(s.figures, s.arrays),
        s.found or {},
    )


def packed(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A compressed .npz file as bytes."""
    made = io.BytesIO()
    np.savez_compressed(made, **arrays)  # type: ignore[arg-type]  # numpy's stub mistakes names for a flag
    return made.getvalue()


def unpacked(content: bytes) -> dict[str, NDArray[Any]]:
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        return dict(found)


def _arrays(m: Measurement) -> dict[str, NDArray[Any]]:
    """Arrays of seconds [cpu, wall], by name.

    Those of the operations have shape (repetitions, operations, 2), and those of a phase (times, 2).
    """
    phases = {f.name: getattr(m.phases, f.name) for f in fields(Phases)}
    pairs = {
        name: np.array([t.cpu.seconds, t.wall.seconds], dtype=np.float64).T for name, t in phases.items()
    }
    return pairs if m.operations is None else pairs | {_OPERATIONS: m.operations}


def _figures(m: Measurement) -> Json:
    return {
        "worker": asdict(m.hello),
        "context": m.context.to_json(),
        "sizes": asdict(m.sizes),
        "memory": asdict(m.memory),
    }


def _measurement(figures: Json | None, content: bytes | None) -> Measurement | None:
    if figures is None or content is None:
        return None
    arrays = unpacked(content)
    return Measurement(
        Hello.from_message(figures["worker"]),
        Context.from_message(figures["context"]),
        Phases.from_message(arrays),
        MeasuredSizes(**figures["sizes"]),
        ResidentMemory(**figures["memory"]),
        arrays.get(_OPERATIONS),
    )


def parameters_stored(p: Parameters) -> Json:
    """The parameters as JSON, with primes and t as decimal strings, which no JSON reader rounds."""
    form, t = parameters_form(p), None if p.scheme == "ckks" else str(p.plain_modulus)
    return form | {"q": list(map(str, p.q)), "p": list(map(str, p.p)), "plain_modulus": t}


def _parameters(stored: Json) -> Parameters:
    t = stored["plain_modulus"]
    numbers = {"q": tuple(map(int, stored["q"])), "p": tuple(map(int, stored["p"]))}
    return parameters_of(stored | numbers | {"plain_modulus": None if t is None else int(t)})


def _program_json(program: Program) -> Json:
    """The program as JSON, without the values of plain operands, which may take megabytes."""
    own = {f.name: getattr(program, f.name) for f in fields(Program)}
    lists = {
        "plains": [len(p) for p in program.plains],
        "operations": [_operation_json(o) for o in program.operations],
        "inputs": [asdict(p) for p in program.inputs],
        "outputs": [asdict(p) for p in program.outputs],
    }
    return own | lists


def _operation_json(o: Operation) -> Json:
    """The action and output of an operation, and the fields that differ from their defaults."""
    empty = Operation(o.action, o.out)
    return {"action": o.action.value, "out": o.out} | {
        f.name: getattr(o, f.name) for f in fields(o) if getattr(o, f.name) != getattr(empty, f.name)
    }


def _program(stored: Json) -> Program:
    kind = np.float64 if stored["scheme"] == Scheme.CKKS else np.int64
    return Program(
        **stored
        | {
            "scheme": Scheme(stored["scheme"]),
            "plains": tuple(np.zeros(length, dtype=kind) for length in stored["plains"]),
            "operations": tuple(map(_operation, stored["operations"])),
            "inputs": tuple(map(_packed, stored["inputs"])),
            "outputs": tuple(map(_packed, stored["outputs"])),
        }
    )


def _operation(stored: Json) -> Operation:
    lists = {name: tuple(v) for name, v in stored.items() if isinstance(v, list)}
    internal = {"internal": tuple(map(tuple, stored["internal"]))} if "internal" in stored else {}
    return Operation(**stored | lists | internal | {"action": Action(stored["action"])})


def _packed(stored: Json) -> Packed:
    columns = {"columns": tuple(Column(*each) for each in stored.get("columns", ()))}
    return Packed(**stored | {"values": tuple(stored["values"])} | columns)


def record_of(
    job: Job, campaign: str, number: int, position: int, seed: int, environment: Json, outcome: str,
    message: str = "", measurement: Measurement | None = None, found: Json | None = None,
) -> Record:  # fmt: skip
    """The record of a job that has just run, without its outputs.

    Without them, hundreds of records fit in memory.
    """
    kept = None if measurement is None else replace(measurement, outputs={}, inputs_after={}, noise={})
    return Record(
        campaign, job.key, number, position, seed, job.parameters, job.program, job.plan, job.options,
        job.label, outcome, message, environment, kept, found or {},
    )  # fmt: skip
