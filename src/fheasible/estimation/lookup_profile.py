"""A machine calibrated for a library of the TFHE family: what each kernel costs on it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from fheasible.aliases import Json


@dataclass(frozen=True, slots=True)
class LookupPoint:
    """A measured task: the set that it ran with, as JSON, its counted kernels, and its least CPU seconds."""

    task: str
    scheme: str
    parameters: Json
    kernels: Mapping[str, float]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupProfile:
    """Prices of a library's kernels on one machine, at one thread.

    `prices`: CPU seconds per kernel, of all tasks; `tasks`: of a task's own, where it does not share them.
    `error_band`: the relative error that nine of ten measured sets stay within, each predicted from the
    others; `wall_factor`: wall seconds per CPU second during calibration; `gains`: by how much several
    threads are faster, by their number. `memory_factor` and `memory_bytes`: resident bytes are
    `memory_bytes` more than `memory_factor` times the library's own count. `origin` names the processor of a
    shipped profile. `pace_seconds`: the least CPU seconds of `measurement.pace.reference_loop` meanwhile.
    """

    machine: str
    library: str
    version: str
    created: str
    prices: Mapping[str, float]
    tasks: Mapping[str, Mapping[str, float]]
    error_band: float
    wall_factor: float
    memory_factor: float = 1.0
    memory_bytes: float = 0.0
    gains: Mapping[str, float] | None = None
    points: tuple[LookupPoint, ...] = ()
    origin: str = ""
    threads: int = 1
    pace_seconds: float | None = None

    def seconds(self, task: str, kernels: Mapping[str, float]) -> float:
        """CPU seconds of a task with those kernels. A kernel without a price costs nothing."""
        prices = {**self.prices, **self.tasks.get(task, {})}
        return sum(prices.get(name, 0.0) * count for name, count in kernels.items())

    def gain(self, threads: int) -> float:
        """By how much look-ups are faster in wall time with so many threads."""
        return (self.gains or {}).get(str(threads), 1.0)

    def to_json(self) -> Json:
        return asdict(self)

    @staticmethod
    def from_json(body: Json) -> "LookupProfile":
        return LookupProfile(**{**body, "points": tuple(LookupPoint(**p) for p in body["points"])})
