"""What is measured to calibrate a library of the TFHE family: single operations, with a few sets.

Times depend neither on how large errors are nor on whether a set is secure. So sets differ in what counts:
the number and size of polynomials, the digits of both decompositions, the groups of bits, and from which
distribution the errors are drawn, one by turns with the other.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from fheasible.estimation.lookup_profile import LookupPoint
from fheasible.libraries.lookup_library import LookupLibrary, LookupTask
from fheasible.measurement.lookups import TimedLookups, measure_on
from fheasible.measurement.worker import Worker
from fheasible.schemes.tfhe.parameters import Errors, Gadget, Gaussian, TfheParameters, TUniform

Report = Callable[[str, int, int], None]
OPERATIONS: Final[Mapping[str, LookupTask]] = {
    "lookup": LookupTask.LOOKUP,
    "encrypt": LookupTask.ENCRYPT,
    "decrypt": LookupTask.DECRYPT,
    "add": LookupTask.ADD,
    "mul_scalar": LookupTask.SCALE,
}
"""Which task a measured operation shows."""
KEYGEN: Final = "keygen"
PASSES, REPETITIONS = 8, 3
_ERRORS: Final = (Gaussian(2.0**-40), TUniform(24))


def sets() -> list[TfheParameters]:
    """INSECURE sets: dimension, polynomials, their size, levels of the bootstrap and key switch, grouping."""
    grid = [
        (512, 1, 256, 3, 4, 1),
        (480, 4, 512, 1, 3, 1),
        (240, 2, 512, 2, 6, 1),
        (600, 2, 1024, 1, 4, 1),
        (300, 1, 1024, 3, 2, 1),
        (800, 1, 2048, 1, 5, 1),
        (200, 1, 2048, 2, 3, 1),
        (300, 1, 4096, 1, 6, 1),
        (80, 1, 4096, 2, 2, 1),
        (80, 1, 8192, 2, 4, 1),
        (24, 1, 16384, 2, 3, 1),
        (8, 1, 32768, 3, 2, 1),
        (480, 2, 1024, 1, 4, 2),
        (400, 1, 2048, 1, 3, 4),
        (120, 1, 2048, 2, 5, 3),
        (32, 1, 8192, 2, 3, 4),
    ]
    return [_parameters(*row, _ERRORS[i % len(_ERRORS)]) for i, row in enumerate(grid)]


def _parameters(
    n: int, k: int, size: int, level: int, switch: int, grouping: int, errors: Errors
) -> TfheParameters:
    return TfheParameters(
        lwe_dimension=n,
        glwe_dimension=k,
        polynomial_size=size,
        lwe_errors=errors,
        glwe_errors=errors,
        pbs=Gadget(40 // level, level),
        ks=Gadget(16 // switch, switch),
        message_modulus=4,
        carry_modulus=4,
        grouping=grouping,
    )


def measured(
    library: LookupLibrary, report: Report, chosen: Sequence[TfheParameters] | None = None
) -> list[LookupPoint]:
    """The least CPU seconds of each operation with each set, as points."""
    able = [p for p in chosen or sets() if not library.refusal(library.schemes[0], p)]
    found = least_seconds(library, able, report)
    return [point for p, seconds in zip(able, found, strict=True) for point in points(library, p, seconds)]


def least_seconds(
    library: LookupLibrary, able: Sequence[TfheParameters], report: Report, passes: int = PASSES
) -> list[dict[str, float]]:
    """The least CPU seconds of each operation with each set. In every pass each set has its turn, so that all
    of them meet the same load. The process keeps all keys, which it makes in the first pass."""
    scheme = library.schemes[0]
    least: list[dict[str, float]] = [{} for _ in able]
    with Worker(library.worker_of, 1) as worker:
        for step in range(passes):
            for i, p in enumerate(able):
                report("calibrating", step * len(able) + i, passes * len(able))
                asked = (*OPERATIONS, *library.parts(scheme, p))
                told = library.worker_parameters(scheme, p)
                timed = measure_on(worker, told, asked, REPETITIONS, keep=True)
                least[i] = _least(timed, least[i])
    return least


def _least(timed: TimedLookups, before: Mapping[str, float]) -> dict[str, float]:
    """The least CPU seconds of each operation, now or before."""
    now = {name: min(timing.cpu.seconds) for name, timing in timed.timings.items()}
    if timed.keygen is not None:
        now[KEYGEN] = timed.keygen[0]
    return {**before, **{name: min(seconds, before.get(name, seconds)) for name, seconds in now.items()}}


def points(library: LookupLibrary, p: TfheParameters, seconds: Mapping[str, float]) -> Iterator[LookupPoint]:
    """The points of one set, from the seconds of its operations by name."""
    scheme = library.schemes[0]
    tasks = {task: seconds[name] for name, task in OPERATIONS.items()}
    tasks[LookupTask.KEYGEN] = seconds[KEYGEN]
    for task, least in tasks.items():
        yield LookupPoint(task, scheme, p.to_json(), dict(library.work(task, scheme, p)), least)
    for name, part in library.parts(scheme, p).items():
        yield LookupPoint(name, scheme, p.to_json(), dict(part), seconds[name])
