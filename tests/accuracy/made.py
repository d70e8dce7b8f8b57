"""Runs that were never made, and a profile that says what a test wants it to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.calibration.workload import workload
from fheasible.estimation.features import NAMES, Caches, Shape
from fheasible.estimation.profile import Profile, TaskKinds, TimedShape
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.layout import Task
from fheasible.libraries.parameters import Parameters, request_for
from fheasible.libraries.work import layout_of
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.job import Job
from fheasible.measurement.machine import this_machine
from fheasible.measurement.records import Context, Hello, MeasuredSizes, Measurement, Phases, ResidentMemory
from fheasible.measurement.sampled import Record, record_of
from fheasible.measurement.samples import Timing
from fheasible.measurement.sampling import Attempt
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

PRICES = tuple(1e-9 if place == 0 else 0.0 for place in range(len(NAMES)))


@dataclass(frozen=True, slots=True)
class Told(Profile):
    """A profile whose prediction of an operation is the table's number for its action, and else `other`."""

    table: Mapping[str, float] = field(default_factory=dict)
    other: float = 0.0
    __hash__ = Profile.__hash__  # a table has none

    def parts(self, kinds: TaskKinds, n: int, slots: int = 0) -> NDArray[np.float64]:
        found = np.zeros((len(kinds.action), len(NAMES)))
        found[:, 0] = [self.table.get(kinds.actions[place], self.other) for place in kinds.action]
        return found


def told(
    library: str = "seal", points: tuple[TimedShape, ...] = (), other: float = 0.0, **table: float
) -> Told:
    return Told(
        this_machine().fingerprint,
        library,
        CATALOGUE[library].version,
        threads=1,
        created="2026-01-02T03:04:05.000+00:00",
        caches=Caches(),
        prices=PRICES,
        coefficients={},
        memory={},
        error_band=0.25,
        wall_factor=1.5,
        points=points,
        table=table,
        other=other,
    )


def insecure(library: str = "seal", n: int = 4096, limbs: int = 2) -> Parameters:
    """A chain of CKKS."""
    technique = "fixedmanual" if library == "openfhe" else None
    asked = request_for(
        "ckks", limbs - 1, None, scale_bits=40, first_bits=50, technique=technique, ring_dimension=n
    )
    return CATALOGUE[library].parameters(asked)


def sums(levels: int = 1) -> Program:
    """Two encryptions, their sum, and its double."""
    operations = (
        Operation(Action.ENCRYPT, 0, level=levels, source="x", chunk=0),
        Operation(Action.ENCRYPT, 1, level=levels, source="x", chunk=1),
        Operation(Action.ADD, 2, (0, 1), levels),
        Operation(Action.ADD, 3, (2, 2), levels),
    )
    return Program(
        Scheme.CKKS, 8, levels, operations, (), (Packed("x", 16, (0, 1)),), (Packed("y", 8, (3,)),)
    )


def a_job(p: Parameters | None = None, program: Program | None = None, label: str = "a run") -> Job:
    return Job(p or insecure(), program or sums(), {"x": np.zeros(16)}, RunPlan(2), RunOptions(), label=label)


def a_measurement(
    job: Job, seconds: float = 1e-3, sizes: MeasuredSizes | None = None, **times: float
) -> Measurement:
    """Each operation, decryption and key generation take `seconds`, or what `times` says of them, and more
    the second time; wall time is twice CPU time."""
    each = np.array([times.get(o.action.value, seconds) for o in job.program.operations])
    cpu = np.stack([each, 1.5 * each])
    both = np.stack([cpu, 2 * cpu], axis=-1)
    encrypts = np.array([o.action is Action.ENCRYPT for o in job.program.operations])
    p = job.parameters

    def phase(name: str, chosen: Any) -> Timing:
        given = times.get(name, seconds if chosen is None else None)
        if given is not None:
            return Timing.of_pairs([(given, 2 * given), (2 * given, 4 * given)])
        return Timing.of_pairs([tuple(pair) for pair in both[:, chosen].sum(axis=1)])

    return Measurement(
        hello(p.library),
        Context(p.ring_dimension, p.q, p.p),
        Phases(
            context=Timing.of_pairs([(0.1, 0.1)]),
            keygen=phase("keygen", None),
            encrypt=phase("encrypt_phase", encrypts),
            evaluate=phase("evaluate", ~encrypts),
            decrypt=phase("decrypt", None),
        ),
        sizes or MeasuredSizes(),
        ResidentMemory(peak_bytes=int(times.get("peak", 0)) or None),
        both,
    )


def hello(library: str) -> Hello:
    return Hello(library, CATALOGUE[library].version, "", {}, "", (), ())


def a_record(
    job: Job, measured: Measurement | None, number: int = 0, outcome: str = "measured", **found: Any
) -> Record:
    return record_of(
        job, "made up", number, 0, 0, environment(job.library, number), outcome, "", measured, found
    )


def environment(library: str, number: int = 0) -> dict[str, Any]:
    machine = this_machine()
    return machine.to_json() | {
        "library": library,
        "version": CATALOGUE[library].version,
        "binding": "",
        "build": {},
        "runtime": "",
        "threads": 1,
        "seed": 0,
        "commit": None,
        "python": "",
        "started": f"2026-01-02T0{number}:00:00.000+00:00",
        "finished_at": f"2026-01-02T0{number}:30:00.000+00:00",
        "load_before": 0.5 + number,
        "load_after": 1.25,
    }


def point(p: Parameters, action: str, level: int, seconds: float = 1.0) -> TimedShape:
    return TimedShape(Shape(p.ring_dimension, layout_of(p), Task(action, level)), seconds)


def every_primitive(p: Parameters) -> Program:
    slots = p.ring_dimension // 2
    return workload(Scheme(p.scheme), slots, p.levels, tuple(range(p.levels + 1)), 1, low=True)


def measuring(done: list[Job], seconds: float = 1e-3) -> Any:
    """Runs nothing: notes the job, and measures the same time of everything."""

    def attempted(job: Job) -> Attempt:
        done.append(job)
        return Attempt("measured", "", a_measurement(job, seconds), hello(job.library))

    return attempted
