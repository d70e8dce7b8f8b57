"""Measure a machine: the only part of calibration that runs anything."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fheasible.calibration.contexts import Setting, settings
from fheasible.calibration.fit import error_band, fit, fit_memory
from fheasible.calibration.workload import workload
from fheasible.estimation.estimate import items, memory_needs
from fheasible.estimation.features import shape
from fheasible.estimation.profile import Point, Profile
from fheasible.estimation.sizes import sizes
from fheasible.libraries.catalogue import Library
from fheasible.libraries.parameters import Parameters
from fheasible.measurement.environment import Environment
from fheasible.measurement.execute import Options, Plan, execute
from fheasible.measurement.records import Measurement
from fheasible.program.schedule import value_levels
from fheasible.program.types import Action, Operation, Program, Scheme

PASSES = 2  # apart in time, because a machine's load comes in bursts
Report = Callable[[str, int, int], None]
Choose = Callable[[str, str], Iterable[Setting]]  # the settings of a library and scheme


@dataclass(slots=True)
class _Records:
    """What the runs of one library gave so far."""

    least: dict[tuple[str, str, Any], float] = field(default_factory=dict)
    memory: dict[str, list[tuple[float, float, float, float, float]]] = field(default_factory=dict)
    wall_factors: list[float] = field(default_factory=list)
    version: str = ""

    def see(self, point: Point) -> None:
        """Keeps the least time of equal points."""
        key = (point.scheme, point.action, point.shape)
        self.least[key] = min(point.seconds, self.least.get(key, point.seconds))

    def points(self) -> list[Point]:
        return [Point(*key, seconds) for key, seconds in self.least.items()]


def jobs(libraries: Iterable[Library], choose: Choose = settings) -> list[tuple[Library, str, Setting, int]]:
    """Every run of a calibration, in order: whole passes over all libraries."""
    listed = [
        (lib, scheme, s) for lib in libraries for scheme in lib.schemes for s in choose(lib.name, scheme)
    ]
    return [(*job, number) for number in range(PASSES) for job in listed if number < job[2].passes]


def calibrate(
    libraries: Iterable[Library],
    environment: Environment,
    threads: int,
    report: Report,
    choose: Choose = settings,
) -> list[Profile]:
    """One profile per library. WorkerFailed where a library cannot run its workload at all."""
    todo = jobs(libraries, choose)
    records: dict[str, _Records] = {}
    for done, (lib, scheme, setting, number) in enumerate(todo):
        report(f"{lib.name} {scheme} N={setting.request.ring_dimension}", done, len(todo))
        _measure(lib, scheme, setting, number, threads, records.setdefault(lib.name, _Records()))
    report("", len(todo), len(todo))
    return [_profile(name, r, environment, threads) for name, r in records.items()]


def _profile(name: str, r: _Records, environment: Environment, threads: int) -> Profile:
    points = r.points()
    return Profile(
        environment.machine.fingerprint,
        name,
        r.version,
        threads,
        environment.started,
        fit(points),
        {scheme: fit_memory(rows) for scheme, rows in r.memory.items()},
        error_band(points),
        float(np.quantile(r.wall_factors, 0.25)),  # bursts of other load are no part of it
        tuple(points),
    )


def _measure(
    lib: Library, scheme: str, setting: Setting, number: int, threads: int, records: _Records
) -> None:
    parameters = lib.parameters(setting.request)
    program = _program(scheme, parameters, setting, number)
    plan = Plan(repetitions=setting.repetitions, warmup=1, threads=threads)
    inputs = {"x": np.ones(2 * program.slots)}
    measured = execute(
        lib.name, program, lib.worker_parameters(parameters), inputs, plan, Options(sizes=False), timeout=300
    )
    records.version = measured.hello.version
    for point in points_of(program, parameters, measured):
        records.see(point)
    _see_memory(program, parameters, measured, records)
    records.wall_factors.append(_wall_factor(measured))


def _program(scheme: str, p: Parameters, setting: Setting, number: int) -> Program:
    """Passes differ in the number of rotation keys and the output's level: one more point of each."""
    kind = Scheme(scheme)
    slots = p.ring_dimension // 2 if kind is Scheme.CKKS else p.ring_dimension
    levels = p.levels if kind is not Scheme.BFV else 0
    at = tuple(level for level in setting.at if level <= levels)
    return workload(kind, slots, levels, at, rotations=1 + 3 * (number % 2), low=number % 2 == 0)


def points_of(program: Program, p: Parameters, measured: Measurement) -> list[Point]:
    """One point per operation, one for decryption and one for key generation. A median over repetitions:
    a program's time is a sum, and the sum of the least times is less than any run takes."""
    assert measured.operations is not None
    seconds = np.median(measured.operations[:, :, 0], axis=0)
    found = [
        Point(program.scheme.value, item.action, item.shape(p), max(float(s), 1e-9))
        for o, item, s in zip(program.operations, items(program), seconds, strict=True)
        if not _partial_encryption(program, o)
    ]
    return found + _decryption(program, p, measured) + _keys(program, p, measured)


def _partial_encryption(program: Program, o: Operation) -> bool:
    """Below the top level some libraries encrypt in full and then drop limbs."""
    return o.action is Action.ENCRYPT and o.level < program.levels


def _decryption(program: Program, p: Parameters, measured: Measurement) -> list[Point]:
    at = shape(p, value_levels(program)[program.outputs[0].values[0]])
    return [Point(program.scheme.value, "decrypt", at, measured.phases.decrypt.cpu.median or 1e-9)]


def _keys(program: Program, p: Parameters, measured: Measurement) -> list[Point]:
    """Key generation as a whole; the number of keys tells a pair from a switching key."""
    at = shape(p, p.limbs - 1, polys=sizes(program, p).evaluation_keys)
    return [Point(program.scheme.value, "keygen", at, measured.phases.keygen.cpu.min or 1e-9)]


def _see_memory(program: Program, p: Parameters, measured: Measurement, records: _Records) -> None:
    memory = measured.memory
    if memory.peak_bytes is None or memory.baseline_bytes is None:
        return
    row = (float(memory.baseline_bytes), *memory_needs(program, p), float(memory.peak_bytes))
    records.memory.setdefault(program.scheme.value, []).append(row)


def _wall_factor(measured: Measurement) -> float:
    evaluate = measured.phases.evaluate
    return (evaluate.wall.median or 1.0) / max(evaluate.cpu.median or 1.0, 1e-9)
