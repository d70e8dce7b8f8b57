"""The predicted figures of a program at given parameters, before it is run."""

from dataclasses import dataclass, replace

from fheasible.aliases import Json
from fheasible.estimation import batch, memory
from fheasible.estimation.profile import Profile
from fheasible.estimation.sizes import Sizes, evaluation_key_count, sizes
from fheasible.estimation.swapping import Swapping, SwapSpace, swapping
from fheasible.estimation.walls import wall_seconds
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.work import layout_of
from fheasible.program.phases import PHASES, PHASES_AND_TOTAL
from fheasible.program.types import Program


@dataclass(frozen=True, slots=True)
class Estimate:
    """Predicted figures; times are None without a profile.

    CPU seconds are those of one thread that does all the work, wall seconds those with so many `threads`.
    """

    cpu_seconds: dict[str, float] | None
    wall_seconds: dict[str, float] | None
    peak_bytes: int
    sizes: Sizes
    precision_bits: float | None
    security_bits: float
    standard_bits: int | None
    library_bits: int | None
    error_band: float | None
    mean_precision_bits: float | None = None  # -log2 of the relative error, averaged over a result's elements
    absolute_error: float | None = None  # CKKS: no element's error exceeds this in 999 of 1000 runs
    largest_relative_error: float | None = None  # the same limit for error / `noise.achieved.reference`
    worst_case_bits: float | None = None  # CKKS precision in the declared ranges; 0: some values overflow
    memory_band: float | None = None  # the error band of `peak_bytes`; `error_band` is that of times
    pace_seconds: float | None = None  # CPU time of `measurement.pace.reference_loop` on this machine
    origin: str = ""  # the processor that a shipped profile was measured on; empty if it was this machine
    threads: int = 1  # that execute the program
    swap: Swapping | None = None  # of a run with less memory than it needs; its seconds are in `wall_seconds`

    @property
    def timed(self) -> bool:
        return self.cpu_seconds is not None

    @property
    def run_seconds(self) -> float | None:
        """Seconds of a run without its key generation: its CPU time, and the time that it waits for swap."""
        if self.cpu_seconds is None:
            return None
        return self.cpu_seconds["total"] + (self.swap.repeated_seconds if self.swap else 0.0)

    @property
    def calibrated(self) -> bool:
        """Whether the times come from a calibration of this machine."""
        return self.timed and not self.origin

    def to_json(self) -> Json:
        """The estimate as JSON, in the shape E of the command line's contract."""
        swapped = {} if self.swap is None else {"swap": self.swap.to_json()}
        return swapped | {
            "cpu_seconds": self.cpu_seconds or dict.fromkeys(PHASES_AND_TOTAL),
            "wall_seconds": self.wall_seconds or dict.fromkeys(PHASES_AND_TOTAL),
            "peak_bytes": self.peak_bytes,
            "ciphertext_bytes": self.sizes.ciphertext_bytes,
            "public_key_bytes": self.sizes.public_key_bytes,
            "evaluation_key_bytes": self.sizes.evaluation_key_bytes,
            "evaluation_keys": self.sizes.evaluation_keys,
            "secret_key_bytes": self.sizes.secret_key_bytes,
            "precision_bits": self.precision_bits,
            "mean_precision_bits": self.mean_precision_bits,
            "absolute_error": self.absolute_error,
            "largest_relative_error": self.largest_relative_error,
            "worst_case_bits": self.worst_case_bits,
            "security_bits": self.security_bits,
            "standard_bits": self.standard_bits,
            "library_bits": self.library_bits,
            "calibrated": self.calibrated,
            "error_band": self.error_band,
            "memory_band": self.memory_band,
            "profile_of": self.origin or None,
        }


def cpu_seconds(program: Program, p: Parameters, profile: Profile) -> dict[str, float]:
    """CPU seconds by phase; "total" is the sum of all phases but key generation."""
    keys = evaluation_key_count(program, p)
    found = batch.seconds(program, p.ring_dimension, (layout_of(p),), keys, profile)[0]
    times = dict(zip(PHASES, found.tolist(), strict=True))
    return times | {"total": times["encrypt"] + times["evaluate"] + times["decrypt"]}


def work(program: Program, p: Parameters) -> float:
    """The unweighted sum of all features of all operations except key generation.

    It ranks parameters where there is no profile.
    """
    return batch.unweighted(program, p.ring_dimension, layout_of(p))


def peak_bytes(program: Program, p: Parameters, profile: Profile | None, threads: int | None = 1) -> int:
    """Peak resident bytes of the process that runs the program with so many threads.

    They follow from counts alone where no memory model was fitted.
    """
    return memory.peak_bytes(batch.model_of(profile, p), memory.needs(program, p, threads))


def estimate(
    program: Program,
    p: Parameters,
    profile: Profile | None,
    *,
    precision_bits: float | None,
    security_bits: float,
    standard_bits: int | None,
    library_bits: int | None,
    mean_precision_bits: float | None = None,
    absolute_error: float | None = None,
    largest_relative_error: float | None = None,
    threads: int | None = 1,
    cores: int = 1,
) -> Estimate:
    """Everything that is predicted for a program at these parameters.

    `threads` are asked for on a machine of so many `cores`; None leaves their number to the library.
    """
    number = library(p.library).threading.used(threads, cores)
    cpu = cpu_seconds(program, p, profile) if profile else None
    wall = dict(wall_seconds(program, p, profile, min(number, cores))) if profile else None
    return Estimate(
        cpu,
        wall,
        peak_bytes(program, p, profile, threads),
        sizes(program, p),
        precision_bits,
        security_bits,
        standard_bits,
        library_bits,
        band(profile, number, program) if profile else None,
        mean_precision_bits,
        absolute_error,
        largest_relative_error,
        memory_band=batch.model_of(profile, p).error_band,
        pace_seconds=profile.pace_seconds if profile and not profile.origin else None,
        origin=profile.origin if profile else "",
        threads=number,
    )


def band(profile: Profile, threads: int, program: Program) -> float:
    """The error band of a program's times with so many threads."""
    alone = profile.band_of(program)
    if threads == 1 or profile.parallel is None:
        return alone
    return max(alone, profile.parallel.error_band)


def swapped(
    e: Estimate, program: Program, p: Parameters, profile: Profile | None, space: SwapSpace
) -> Estimate:
    """The estimate where the process has no more than that memory and swap; as it is where that is enough."""
    if e.peak_bytes <= space.limit_bytes:
        return e
    found = swapping(program, p, batch.model_of(profile, p), space)
    added = dict(found.wall_seconds) | {"total": found.repeated_seconds}
    wall = e.wall_seconds and {name: s + added[name] for name, s in e.wall_seconds.items()}
    return replace(e, swap=found, wall_seconds=wall)


def unswapped(e: Estimate) -> Estimate:
    """The estimate of a process with as much memory as it needs."""
    if e.swap is None:
        return e
    added = dict(e.swap.wall_seconds) | {"total": e.swap.repeated_seconds}
    wall = e.wall_seconds and {name: s - added[name] for name, s in e.wall_seconds.items()}
    return replace(e, swap=None, wall_seconds=wall)
