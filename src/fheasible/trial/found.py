"""The outcome of an application: each run, each reason why nothing fits, and what is a fault of ours."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from fheasible.aliases import Json

RIGHT, LEFT_OUT = "right", "not run"
FAULTS = ("wrong", "refused", "died", "timed out", "refuted", "crashed", "declined", "warned")
"""wrong: the decrypted result is not as promised. refused, died, timed out: the library gave no result.
refuted: a reason why nothing fits is not true. crashed: an unexpected exception was raised. declined: a valid
application was refused. warned: numpy or Python printed a warning."""
_FIGURES = (
    "peak_bytes", "precision_bits", "assured_bits", "absolute_error", "worst_case_bits", "security_bits",
    "error_band", "memory_band",
)  # fmt: skip


def kept(figures: Mapping[str, Any]) -> Json:
    """The figures of an estimate that are compared later."""
    return {name: figures.get(name) for name in _FIGURES} | {"cpu_seconds": figures.get("cpu_seconds")}


def measured(figures: Mapping[str, Any]) -> Json:
    """The figures of a run that are compared with them: of each phase, the least time."""
    cpu = {phase: timing["min"] for phase, timing in figures["cpu_seconds"].items()}
    names = ("peak_bytes", "precision_bits", "absolute_error", "largest_relative_error")
    return {name: figures.get(name) for name in names} | {"cpu_seconds": cpu}


def too_dear(seconds: float, size: float, most_seconds: float, most_bytes: float) -> str:
    """What a set is predicted to take, where that is more than a trial may take; else empty."""
    if seconds <= most_seconds and size <= most_bytes:
        return ""
    return f"predicted: {seconds:.3g} s, {size / 2**20:.0f} MiB"


@dataclass(frozen=True, slots=True)
class TrialRun:
    """The run of one parameter set.

    `predicted` and `measured` have the figures by name, in base units. `misses` of `tries` runs were not as
    precise as asked. `beside`: the CPU seconds of the reference loop before or after the run, whichever took
    longer.
    """

    library: str
    scheme: str
    outcome: str
    message: str
    settings: Json
    predicted: Json
    measured: Json | None = None
    tries: int = 1
    misses: int = 0
    fresh: bool = True
    beside: float | None = None

    @property
    def best(self) -> str:
        return f"{self.library} {self.scheme}"


@dataclass(frozen=True, slots=True)
class Unfit:
    """The reason why no set of a library's scheme fits.

    `tried`: the settings of the richer set that was run to refute the reason, if any. `came`: the outcome of
    that run.
    """

    library: str
    scheme: str
    reason: str
    tried: Json | None = None
    came: str = ""

    @property
    def refuted(self) -> bool:
        return self.came == RIGHT


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that must be mended. Without library and scheme, it concerns the application as a whole."""

    outcome: str
    message: str
    library: str = ""
    scheme: str = ""

    def __str__(self) -> str:
        of = f" by {self.library} {self.scheme}" if self.library else ""
        return f"{self.outcome}{of}: {self.message}"

    def like(self, other: "Fault") -> bool:
        """Whether both are the same kind of failure of the same library and scheme."""
        same = (self.outcome, self.library, self.scheme) == (other.outcome, other.library, other.scheme)
        return same and (self.outcome != "crashed" or self.kind == other.kind)

    @property
    def kind(self) -> str:
        """The exception's name, where the fault is a crash."""
        return self.message.partition(":")[0]


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """The outcome of one application.

    `app` is what `Application.to_json` gives. `outcome`: "explored"; "constant": refused for a result that
    depends on no input, which is true; "declined": refused for another reason; "crashed".
    """

    number: int
    app: Json
    outcome: str
    message: str = ""
    seconds: float = 0.0  # that exploring took
    explored: int = 0
    feasible: int = 0
    runs: tuple[TrialRun, ...] = ()
    unfit: tuple[Unfit, ...] = ()
    warned: tuple[str, ...] = ()
    shrunk: Json | None = None
    trace: str = field(default="", repr=False)

    @property
    def faults(self) -> tuple[Fault, ...]:
        return tuple(self._faults())

    def _faults(self) -> Iterator[Fault]:
        if self.outcome == "crashed" or self.outcome == "declined":
            yield Fault(self.outcome, self.message)
        for run in self.runs:
            if run.outcome in FAULTS:
                yield Fault(run.outcome, run.message, run.library, run.scheme)
        for unfit in self.unfit:
            if unfit.refuted:
                yield Fault(
                    "refuted",
                    f"{unfit.reason}; but {unfit.tried} gives a right result",
                    unfit.library,
                    unfit.scheme,
                )
        for said in self.warned:
            yield Fault("warned", said)

    def to_json(self) -> Json:
        return asdict(self)

    @staticmethod
    def from_json(stored: Json) -> "TrialOutcome":
        runs = tuple(TrialRun(**run) for run in stored["runs"])
        unfit = tuple(Unfit(**one) for one in stored["unfit"])
        return TrialOutcome(**stored | {"runs": runs, "unfit": unfit, "warned": tuple(stored["warned"])})
