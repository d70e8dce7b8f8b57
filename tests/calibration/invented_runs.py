"""Runs that were never made, of a library whose prices are known."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from fheasible.calibration.calibrate import caches_of
from fheasible.estimation.features import Shape
from fheasible.estimation.memory import MemoryModel, needs, resident_set
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.layout import Task
from fheasible.libraries.work import layout_of
from fheasible.measurement.job import Job
from fheasible.measurement.machine import this_machine
from fheasible.measurement.records import Hello, Measurement, ResidentMemory
from fheasible.measurement.samples import Timing
from fheasible.measurement.sampling import Attempt
from fheasible.program.types import Action
from measurement.sampled_jobs import a_measurement

from .synthetic import taking

MEMORY = MemoryModel(42e6, 2e6, 1.02, 1.01, 1.0)
WALL = 1.25  # seconds of a CPU second
SLOWER = 1.1  # the second repetition
Run = Callable[[Job], Attempt]
Takes = Callable[[Shape], float]  # seconds of an operation


def hello(library: str) -> Hello:
    return Hello(library, CATALOGUE[library].version, "a wheel", {}, "", (), ())


def follow(job: Job) -> tuple[list[Task], Task, Task]:
    """The task of every operation, of decryption and of key generation."""
    top, bfv = job.parameters.limbs - 1, job.parameters.scheme == "bfv"
    levels: dict[int, int] = {}
    sizes: dict[int, int] = {}
    tasks = []
    for o in job.program.operations:
        levels[o.out] = o.level
        size = max((sizes[a] for a in o.args), default=2)
        sizes[o.out] = {"mul": 3, "square": 3, "relinearize": 2}.get(o.action, size)
        at = o.level + (o.action == "rescale")
        dropped = levels[o.args[0]] - o.level if o.action == "drop" else 0
        tasks.append(Task(o.kind, top if bfv else at, sizes[o.out], dropped))
    wanted = job.program.outputs[0].values[0]  # all are alike
    actions = {o.action for o in job.program.operations}
    keys = len(job.program.rotations) + (Action.RELINEARIZE in actions) + (Action.SWAP_ROWS in actions)
    return tasks, Task("decrypt", top if bfv else levels[wanted]), Task("keygen", top, keys)


def here(shape: Shape) -> float:
    """The seconds of an operation on a machine whose caches are as this one tells of its own."""
    return taking(shape, caches=caches_of(this_machine()))


def measured(job: Job, takes: Takes = here) -> Measurement:
    """Every operation as the true prices have it, and slower the second time."""
    p = job.parameters
    layout = layout_of(p)
    tasks, decrypt, keygen = follow(job)

    def seconds(task: Task) -> float:
        return takes(Shape(p.ring_dimension, layout, task))

    once = np.array([seconds(task) for task in tasks])
    cpu = np.stack([once, SLOWER * once])
    found = a_measurement(np.stack([cpu, WALL * cpu], axis=-1))
    phases = replace(
        found.phases,
        evaluate=Timing.of_pairs([(s, WALL * s) for s in cpu.sum(axis=1)]),
        decrypt=Timing.of_pairs([(s, WALL * s) for s in (seconds(decrypt), 2 * seconds(decrypt))]),
        keygen=Timing.of_pairs([(seconds(keygen), seconds(keygen))]),
    )
    resident = resident_set(MEMORY, needs(job.program, p))
    memory = ResidentMemory(
        resident.baseline_bytes, resident.context_bytes, resident.keys_bytes, resident.peak_bytes
    )
    return replace(found, hello=hello(p.library), phases=phases, memory=memory)


def runner(done: list[Job], fails: Callable[[Job], bool] = lambda _: False, takes: Takes = here) -> Run:
    """Notes the job and measures it; those that `fails` names are refused."""

    def run(job: Job) -> Attempt:
        done.append(job)
        if fails(job):
            return Attempt("refused", f"no {job.parameters.scheme} today")
        return Attempt("measured", "", measured(job, takes), hello(job.library))

    return run
