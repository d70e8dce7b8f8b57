"""What is measured to calibrate a library of table look-ups: single operations, with its samples."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, Final

from fheasible.estimation.lookup_profile import LookupPoint
from fheasible.libraries.lookup_library import LookupLibrary, LookupTask
from fheasible.measurement.lookups import TimedLookups, measure_on
from fheasible.measurement.worker import Worker

Report = Callable[[str, int, int], None]
Sample = tuple[str, Any]  # a scheme, and a set of the library's own type
OPERATIONS: Final[Mapping[str, LookupTask]] = {
    "lookup": LookupTask.LOOKUP,
    "encrypt": LookupTask.ENCRYPT,
    "decrypt": LookupTask.DECRYPT,
    "add": LookupTask.ADD,
    "mul_scalar": LookupTask.SCALE,
}
"""Which task a measured operation shows."""
KEYGEN: Final = "keygen"
PLACEMENTS, PASSES, REPETITIONS = 3, 3, 3
"""Processes, each with keys of its own; passes of each; and repetitions in a pass.

Keys take tens of MiB in pages of 4 KiB. Where these lie in memory decides how fast a key is read, as long as
it lives: key switches of one set take up to 40 % more with some keys than with others, and whole look-ups up
to 10 %. A single placement would stand for none of the others.
"""


def measured(
    library: LookupLibrary, report: Report, chosen: Sequence[Sample] | None = None
) -> list[LookupPoint]:
    """The usual CPU seconds of each operation with each set, as points."""
    able = [(scheme, p) for scheme, p in chosen or library.samples() if not library.refusal(scheme, p)]
    found = usual_seconds(library, able, report)
    return [
        point
        for sample, seconds in zip(able, found, strict=True)
        for point in points(library, sample, seconds)
    ]


def usual_seconds(
    library: LookupLibrary, able: Sequence[Sample], report: Report, placements: int = PLACEMENTS
) -> list[dict[str, float]]:
    """The CPU seconds of each operation with each set: the mean over processes, which have their keys at
    different places of memory, of the least seconds in each. Keys are made once in a process, so that of key
    generation the least seconds count."""
    total = placements * PASSES * len(able)

    def told(placement: int) -> Callable[[int], None]:
        return lambda done: report("calibrating", placement * PASSES * len(able) + done, total)

    each = [least_seconds(library, able, told(placement)) for placement in range(placements)]
    return [
        {name: (min if name == KEYGEN else fmean)([one[name] for one in of_set]) for name in of_set[0]}
        for of_set in zip(*each, strict=True)
    ]


def least_seconds(
    library: LookupLibrary, able: Sequence[Sample], told: Callable[[int], None] = lambda _: None
) -> list[dict[str, float]]:
    """The least CPU seconds of each operation with each set, in one process. In every pass each set has its
    turn, so that all of them meet the same load. The process keeps all keys, which it makes in the first
    pass."""
    least: list[dict[str, float]] = [{} for _ in able]
    with Worker(library.worker_of, 1) as worker:
        for step in range(PASSES):
            for i, (scheme, p) in enumerate(able):
                told(step * len(able) + i)
                asked = (*OPERATIONS, *library.parts(scheme, p))
                timed = measure_on(
                    worker, library.worker_parameters(scheme, p), asked, REPETITIONS, keep=True
                )
                least[i] = _least(timed, least[i])
    return least


def _least(timed: TimedLookups, before: Mapping[str, float]) -> dict[str, float]:
    """The least CPU seconds of each operation, now or before."""
    now = {name: min(timing.cpu.seconds) for name, timing in timed.timings.items()}
    if timed.keygen is not None:
        now[KEYGEN] = timed.keygen[0]
    return {**before, **{name: min(seconds, before.get(name, seconds)) for name, seconds in now.items()}}


def points(library: LookupLibrary, sample: Sample, seconds: Mapping[str, float]) -> Iterator[LookupPoint]:
    """The points of one set, from the seconds of its operations by name."""
    scheme, p = sample
    tasks = {task: seconds[name] for name, task in OPERATIONS.items()}
    tasks[LookupTask.KEYGEN] = seconds[KEYGEN]
    for task, least in tasks.items():
        yield LookupPoint(task, scheme, p.to_json(), dict(library.work(task, scheme, p)), least)
    for name, part in library.parts(scheme, p).items():
        yield LookupPoint(name, scheme, p.to_json(), dict(part), seconds[name])
