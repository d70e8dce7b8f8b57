"""What is measured to calibrate a library of table look-ups: single operations, with its samples."""

from collections.abc import Callable, Iterator, Mapping, Sequence
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
PASSES, REPETITIONS = 4, 6


def measured(
    library: LookupLibrary, report: Report, chosen: Sequence[Sample] | None = None
) -> list[LookupPoint]:
    """The least CPU seconds of each operation with each set, as points."""
    able = [(scheme, p) for scheme, p in chosen or library.samples() if not library.refusal(scheme, p)]
    found = least_seconds(library, able, report)
    return [
        point
        for sample, seconds in zip(able, found, strict=True)
        for point in points(library, sample, seconds)
    ]


def least_seconds(
    library: LookupLibrary, able: Sequence[Sample], report: Report, passes: int = PASSES
) -> list[dict[str, float]]:
    """The least CPU seconds of each operation with each set. In every pass each set has its turn, so that all
    of them meet the same load, and a fresh process, as it has when a program runs: keys that a process makes
    first lie in other pages of memory than those it makes later, and are up to a quarter slower to read."""
    least: list[dict[str, float]] = [{} for _ in able]
    for step in range(passes):
        for i, (scheme, p) in enumerate(able):
            report("calibrating", step * len(able) + i, passes * len(able))
            asked = (*OPERATIONS, *library.parts(scheme, p))
            with Worker(library.worker_of, 1) as worker:
                timed = measure_on(worker, library.worker_parameters(scheme, p), asked, REPETITIONS)
            least[i] = _least(timed, least[i])
    return least


def _least(timed: TimedLookups, before: Mapping[str, float]) -> dict[str, float]:
    """The least CPU seconds of each operation, now or before."""
    now = {name: min(timing.cpu.seconds) for name, timing in timed.timings.items()}
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
