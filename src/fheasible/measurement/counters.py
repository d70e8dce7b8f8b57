"""What a run used of the processor and the system, phase by phase, from a worker's marks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Json
from fheasible.measurement.events import EVENTS

MARKED = ("context", "keygen", "encrypt", "evaluate", "decrypt", "other")  # phases by their numbers in marks
COUNTED = MARKED[1:5]
CLOCKS = ("wall_seconds", "process_seconds")
SYSTEM = ("minor_faults", "major_faults", "voluntary_switches", "involuntary_switches")
_OWN = 2 + len(CLOCKS) + len(SYSTEM)  # columns of a mark before those of the events
_NANO = 1e-9
MOST_STRETCHES = 256

Marks = NDArray[np.int64]
Used = Mapping[str, tuple[float, ...] | None]


@dataclass(frozen=True, slots=True)
class Counters:
    """What each phase used, by the names of `CLOCKS`, `SYSTEM` and `EVENTS`, each time that it was done.

    None where the kernel does not count that here. `process_seconds` is the CPU time of all threads.
    """

    phases: Mapping[str, Used]

    def typical(self, phase: str) -> dict[str, float | None]:
        """The median of each value, with `cpu_utilisation` (of one core) and `instructions_per_cycle`."""
        found = {
            name: None if values is None else median(values)
            for name, values in self.phases.get(phase, {}).items()
        }
        return found | {
            "cpu_utilisation": _ratio(found, "process_seconds", "wall_seconds"),
            "instructions_per_cycle": _ratio(found, "instructions", "cycles"),
        }

    def utilisation(self) -> float | None:
        """CPU time of all threads over wall time, encryption to decryption; 2 where two cores were used."""
        used = [self.phases.get(phase, {}) for phase in COUNTED[1:]]
        wall, process = (sum(sum(phase.get(name) or ()) for phase in used) for name in CLOCKS)
        return process / wall if wall and process else None

    def to_json(self) -> Json:
        return {phase: {k: _listed(v) for k, v in used.items()} for phase, used in self.phases.items()}

    @staticmethod
    def from_json(stored: Json) -> "Counters":
        return Counters(
            {
                phase: {name: None if v is None else tuple(v) for name, v in used.items()}
                for phase, used in stored.items()
            }
        )


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a run that belongs to one phase, by the monotonic clock."""

    phase: str
    begin: float
    end: float


def counters(marks: Marks, repetitions: int) -> Counters:
    """What the phases used in the last `repetitions`, warm-ups left out, and in every key generation.

    Raises ValueError for an array that holds no marks.
    """
    _check(marks)
    used, number = np.diff(marks, axis=0), marks[:-1, 1]
    warmups = int(marks[:, 1].max(initial=0)) + 1 - repetitions
    found = {}
    for phase in COUNTED:
        chosen = marks[:-1, 0] == MARKED.index(phase)
        if phase != "keygen":
            chosen &= number >= warmups
        if chosen.any():
            found[phase] = dict(_used(used[chosen], marks[:-1][chosen], number[chosen]))
    return Counters(found)


def stretches(marks: Marks) -> list[Stretch]:
    """The phases in order; from `MOST_STRETCHES` on everything is one stretch called 'repetitions'."""
    _check(marks)
    seconds = (marks[:, 2] * _NANO).tolist()
    names = [MARKED[i] for i in marks[:, 0].tolist()]
    found = list(map(Stretch, names[:-1], seconds, seconds[1:]))
    if len(found) <= MOST_STRETCHES:
        return found
    kept = found[:MOST_STRETCHES]
    return [*kept, Stretch("repetitions", kept[-1].end, seconds[-1])]


def _check(marks: Marks) -> None:
    width = _OWN + 3 * len(EVENTS)
    if marks.ndim != 2 or marks.shape[1] != width or not len(marks):
        raise ValueError(f"marks of shape {marks.shape} have no {width} columns")


def _used(used: Marks, began: Marks, number: Marks) -> Iterator[tuple[str, tuple[float, ...] | None]]:
    """Each name with its value for each repetition; a phase may have several stretches in one."""
    first = np.concatenate([[0], np.flatnonzero(np.diff(number)) + 1])
    for column, name in enumerate((*CLOCKS, *SYSTEM), 2):
        known = (began[:, column] >= 0).all()
        unit = _NANO if name in CLOCKS else 1
        yield name, tuple((np.add.reduceat(used[:, column], first) * unit).tolist()) if known else None
    for place, name in enumerate(EVENTS):
        columns = slice(_OWN + 3 * place, _OWN + 3 * place + 3)
        counted = _counted(used[:, columns], began[:, columns])
        yield name, None if counted is None else tuple(np.add.reduceat(counted, first).tolist())


def _counted(used: Marks, began: Marks) -> NDArray[Any] | None:
    """The counts of an event, scaled up where the kernel counted for a part of the time only."""
    value, enabled, running = used.T
    if (began < 0).any() or ((running == 0) & (enabled > 0)).any():
        return None
    scaled: NDArray[Any] = np.rint(value * (enabled / np.maximum(running, 1)))
    return scaled


def _ratio(found: Mapping[str, float | None], over: str, under: str) -> float | None:
    x, y = found.get(over), found.get(under)
    return None if x is None or not y else x / y


def _listed(values: tuple[float, ...] | None) -> list[float] | None:
    """The values as JSON; whole numbers as such."""
    return None if values is None else [int(v) if v == int(v) else round(v, 9) for v in values]
