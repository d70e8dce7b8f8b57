"""The time that swapping adds to a run: the bytes that it moves, and how fast a machine moves them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

from fheasible.aliases import Json
from fheasible.estimation.memory import MemoryModel
from fheasible.estimation.paging import Moved, moved
from fheasible.libraries.block import Sets
from fheasible.program.phases import PHASES
from fheasible.program.types import Program

PUBLISHED_BAND: Final = 0.5
"""Of the added time, where the machine is as busy as when its speed was measured. It was off by 41 % at most
in 11 such runs (benchmarks/results/limits.json)."""


@dataclass(frozen=True, slots=True)
class SwapSpeed:
    """The wall seconds that a machine takes for each byte that is read from swap, and written to it, with the
    kernel's own work. `created`: when this was measured."""

    read_seconds: float
    written_seconds: float
    machine: str = ""
    created: str = ""

    def seconds(self, read_bytes: float, written_bytes: float) -> float:
        return self.read_seconds * read_bytes + self.written_seconds * written_bytes

    def to_json(self) -> Json:
        return asdict(self)

    @staticmethod
    def from_json(body: Json) -> "SwapSpeed":
        return SwapSpeed(**body)


@dataclass(frozen=True, slots=True)
class SwapSpace:
    """What a process may have: `limit_bytes` of memory, `swap_bytes` of swap on a machine of that speed. None
    stands for as much swap as is needed."""

    limit_bytes: int
    swap_bytes: int | None
    speed: SwapSpeed

    @property
    def most_bytes(self) -> int | None:
        """Bytes of memory and swap together."""
        return None if self.swap_bytes is None else self.limit_bytes + self.swap_bytes


@dataclass(frozen=True, slots=True)
class Swapping:
    """What is predicted of a run that swaps: bytes and wall seconds of each phase, of one repetition."""

    limit_bytes: int
    read_bytes: Mapping[str, int]
    written_bytes: Mapping[str, int]
    wall_seconds: Mapping[str, float]
    band: float = PUBLISHED_BAND  # of the seconds that swapping adds

    @property
    def repeated_seconds(self) -> float:
        """The seconds that are added to every repetition, whose keys are there."""
        return sum(self.wall_seconds[phase] for phase in PHASES[1:])

    def to_json(self) -> Json:
        return asdict(self)


def swapping(program: Program, p: Sets, model: MemoryModel, space: SwapSpace) -> Swapping:
    """What swapping adds to a run of the program, which needs more memory than it may have."""
    found = moved(program, p, model, space.limit_bytes, space.swap_bytes)
    return Swapping(
        space.limit_bytes,
        dict(zip(PHASES, found.read_bytes, strict=True)),
        dict(zip(PHASES, found.written_bytes, strict=True)),
        dict(zip(PHASES, _seconds(found, space.speed), strict=True)),
    )


def _seconds(found: Moved, speed: SwapSpeed) -> list[float]:
    both = zip(found.read_bytes, found.written_bytes, strict=True)
    return [speed.seconds(read, written) for read, written in both]
