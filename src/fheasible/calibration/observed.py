"""The points that a run of a program shows for each operation, to fit a model or to judge one."""

from collections.abc import Iterable, Iterator

from fheasible.estimation.features import Shape
from fheasible.estimation.profile import TimedShape
from fheasible.estimation.sizes import sizes
from fheasible.estimation.tally import Item, items
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.work import layout_of
from fheasible.measurement.least import Summary, least_phase
from fheasible.program.schedule import product_depths, value_levels
from fheasible.program.types import Action, Operation, Program

_LEAST_SECONDS = 1e-9  # for what takes less than a clock's tick


def observed(summary: Summary) -> list[TimedShape]:
    """The points of a run: the least time of each operation and phase that it shows."""
    found = shown(summary.first.parameters, summary.first.program)
    return [TimedShape(shape, max(_seconds(summary, place), _LEAST_SECONDS)) for place, shape in found]


def shown(p: Parameters, program: Program) -> list[tuple[int | str, Shape]]:
    """What a run of the program shows: each operation with its number, each phase with its name.

    Phases are decryption, where there is one output, and key generation.
    """
    layout = layout_of(p)
    found: list[tuple[int | str, Item]] = [*_operations(program), *_phases(program, p)]
    return [
        (place, Shape.of(p.ring_dimension, layout, item.task(layout), program.slots)) for place, item in found
    ]


def least_of(points: Iterable[TimedShape]) -> list[TimedShape]:
    """One point for each shape: the least of its points from several programs or passes."""
    least: dict[Shape, float] = {}
    for p in points:
        least[p.shape] = min(p.seconds, least.get(p.shape, p.seconds))
    return [TimedShape(*found) for found in least.items()]


def _seconds(summary: Summary, place: int | str) -> float:
    if isinstance(place, str):
        return least_phase(summary.records, place)
    return float(summary.cpu[place])


def _operations(program: Program) -> Iterator[tuple[int, Item]]:
    for number, (o, item) in enumerate(zip(program.operations, items(program), strict=True)):
        if not (_partial_encryption(program, o) or o.internal):
            yield number, item


def _phases(program: Program, p: Parameters) -> Iterator[tuple[str, Item]]:
    values = [v for out in program.outputs for v in out.values]
    if len(values) == 1:
        level, depth = value_levels(program)[values[0]], product_depths(program)[values[0]]
        yield "decrypt", Item("decrypt", "decrypt", level, 2, 0, depth)
    if program.bootstraps:
        return  # their keys have another chain (`calibration.bootstraps`)
    yield "keygen", Item("keygen", "keygen", p.limbs - 1, sizes(program, p).evaluation_keys)


def _partial_encryption(program: Program, o: Operation) -> bool:
    """Whether this encrypts below the top level: some libraries encrypt in full there, then drop limbs."""
    return o.action is Action.ENCRYPT and o.level < program.levels
