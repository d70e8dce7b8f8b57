"""What a program of table look-ups takes at given parameters: time, memory and sizes, before it is run."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Final

from fheasible.aliases import Json
from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.libraries.lookup_library import EVALUATION, LookupLibrary, LookupSizes, LookupTask
from fheasible.program.lookups import LookupProgram, LookupStep, Step
from fheasible.program.phases import PHASES_AND_TOTAL
from fheasible.schemes.lookups import LookupParameters

Tasks = Counter[LookupTask]
UNMEASURED_BAND: Final = 0.5  # the error band of a profile that was made on another machine


def tasks_of(program: LookupProgram) -> Tasks:
    """How many ciphertexts each task of the program has; keys are generated once."""
    total: Tasks = Counter({LookupTask.KEYGEN: 1})
    lengths: dict[int, int] = {}
    for step in program.steps:
        total.update(_tasks(step, [lengths[a] for a in step.args]))
        lengths[step.out] = step.length
    total[LookupTask.DECRYPT] += sum(out.length * len(out.values) for out in program.outputs)
    return +total


def _tasks(step: LookupStep, lengths: list[int]) -> Mapping[LookupTask, int]:
    n = step.length
    match step.step:  # the most frequent first
        case Step.LINEAR:
            return _linear(step, n)
        case Step.LOOKUP:
            return {LookupTask.LOOKUP: n}
        case Step.PICK | Step.JOIN:
            return {LookupTask.COPY: n}
        case Step.FOLD:
            return {LookupTask.COPY: n, LookupTask.ADD: lengths[0] - n}
        case Step.TRIVIAL:
            return {LookupTask.TRIVIAL: n}
        case Step.ENCRYPT:
            return {LookupTask.ENCRYPT: n}


def _linear(step: LookupStep, n: int) -> Mapping[LookupTask, int]:
    scaled = sum(weight != 1 for weight in step.weights)
    kept = bool(step.weights) and not scaled  # the first argument is copied where it is not scaled
    return {
        LookupTask.SCALE: n * scaled,
        LookupTask.COPY: n * kept,
        LookupTask.ADD: n * max(len(step.weights) - 1, 0),
        LookupTask.ADD_PLAIN: n * (step.plain is not None),
    }


def most_ciphertexts(program: LookupProgram) -> int:
    """The most ciphertexts that are in memory at once: those that a later step or an output needs."""
    alive: dict[int, int] = {}
    outputs = {value for out in program.outputs for value in out.values}
    most = now = 0
    for step in program.steps:
        now += step.length - alive.get(step.out, 0)
        alive[step.out] = step.length
        most = max(most, now)
        for value in step.frees:
            if value not in outputs:
                now -= alive.pop(value, 0)
    return most


@dataclass(frozen=True, slots=True)
class Workload:
    """What a program asks for, whatever the parameters."""

    tasks: Tasks
    most_ciphertexts: int
    tables: int
    inputs: int  # fresh ciphertexts

    @staticmethod
    def of(program: LookupProgram) -> "Workload":
        tasks = tasks_of(program)
        return Workload(
            tasks, most_ciphertexts(program), len(program.tables), tasks.get(LookupTask.ENCRYPT, 0)
        )

    @property
    def lookups(self) -> int:
        return self.tasks.get(LookupTask.LOOKUP, 0)


@dataclass(frozen=True, slots=True)
class LookupEstimate:
    """Predicted figures. Times are None without a profile.

    CPU seconds are those of one thread that does all the work, wall seconds those with so many `threads`.
    `log2_failure`: how often any look-up of the program, or the decryption of its results, goes wrong;
    `log2_lookup_failure`: the look-up that does so most often.
    """

    cpu_seconds: Mapping[str, float] | None
    wall_seconds: Mapping[str, float] | None
    peak_bytes: int
    sizes: LookupSizes
    log2_failure: float
    log2_lookup_failure: float
    security_bits: float
    error_band: float | None
    origin: str = ""
    threads: int = 1
    pace_seconds: float | None = None  # CPU time of `measurement.pace.reference_loop` on this machine

    @property
    def timed(self) -> bool:
        return self.cpu_seconds is not None

    def to_json(self) -> Json:
        """The estimate as JSON, in the shape E of the command line's contract."""
        absent: Mapping[str, float | None] = dict.fromkeys(PHASES_AND_TOTAL)
        return {
            "cpu_seconds": dict(self.cpu_seconds or absent),
            "wall_seconds": dict(self.wall_seconds or absent),
            "peak_bytes": self.peak_bytes,
            "ciphertext_bytes": self.sizes.ciphertext,
            "public_key_bytes": self.sizes.public_key or 0,
            "evaluation_key_bytes": self.sizes.evaluation_key,
            "evaluation_keys": 2,
            "secret_key_bytes": self.sizes.secret_key,
            "precision_bits": None,
            "log2_failure": self.log2_failure,
            "log2_lookup_failure": self.log2_lookup_failure,
            "security_bits": self.security_bits,
            "standard_bits": None,
            "library_bits": None,
            "calibrated": self.timed and not self.origin,
            "error_band": self.error_band,
            "profile_of": self.origin or None,
        }


def cpu_seconds(
    work: Workload, library: LookupLibrary, scheme: str, p: LookupParameters, profile: LookupProfile
) -> dict[str, float]:
    """CPU seconds by phase; "total" is the sum of all phases but key generation."""

    def of(*tasks: LookupTask) -> float:
        return sum(
            work.tasks[task] * profile.seconds(task, library.work(task, scheme, p))
            for task in tasks
            if work.tasks.get(task)
        )

    times = {
        "keygen": of(LookupTask.KEYGEN),
        "encrypt": of(LookupTask.ENCRYPT),
        "evaluate": of(*EVALUATION),
        "decrypt": of(LookupTask.DECRYPT),
    }
    return times | {"total": times["encrypt"] + times["evaluate"] + times["decrypt"]}


def work_units(work: Workload, library: LookupLibrary, scheme: str, p: LookupParameters) -> float:
    """The unweighted kernels of all look-ups, by which sets are ranked where there is no profile. Of a run
    without look-ups, all kernels."""
    tasks = {LookupTask.LOOKUP: work.lookups} if work.lookups else work.tasks
    return sum(number * sum(library.work(task, scheme, p).values()) for task, number in tasks.items())


def peak_bytes(
    work: Workload,
    library: LookupLibrary,
    scheme: str,
    p: LookupParameters,
    profile: LookupProfile | None,
    threads: int = 1,
) -> int:
    """Peak resident bytes of the process that runs the program."""
    m = library.memory(scheme, p)
    running = work.most_ciphertexts * m.ciphertext + threads * m.lookup + work.tables * m.table
    counted = m.keys + max(m.key_generation, running)
    if profile is None:
        return ceil(m.baseline + counted)
    return ceil(m.baseline + profile.memory_bytes + profile.memory_factor * counted)


def estimate(
    work: Workload,
    library: LookupLibrary,
    scheme: str,
    p: LookupParameters,
    profile: LookupProfile | None,
    *,
    log2_failure: float,
    log2_lookup_failure: float,
    security_bits: float,
    threads: int = 1,
) -> LookupEstimate:
    """Everything that is predicted of a program at these parameters."""
    cpu = cpu_seconds(work, library, scheme, p, profile) if profile else None
    return LookupEstimate(
        cpu,
        _walls(cpu, profile, threads) if cpu and profile else None,
        peak_bytes(work, library, scheme, p, profile, threads),
        library.sizes(scheme, p),
        log2_failure,
        log2_lookup_failure,
        security_bits,
        _band(profile) if profile else None,
        profile.origin if profile else "",
        threads,
        profile.pace_seconds if profile and not profile.origin else None,
    )


def _band(profile: LookupProfile) -> float:
    return max(profile.error_band, UNMEASURED_BAND) if profile.origin else profile.error_band


def _walls(cpu: Mapping[str, float], profile: LookupProfile, threads: int) -> dict[str, float]:
    """Wall seconds: look-ups that do not need each other are shared out among the threads."""
    wall = {name: seconds * profile.wall_factor for name, seconds in cpu.items() if name != "total"}
    wall["evaluate"] /= profile.gain(threads)
    return wall | {"total": wall["encrypt"] + wall["evaluate"] + wall["decrypt"]}
