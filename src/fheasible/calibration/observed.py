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
    """The points of a run: the least time of each operation and phase that it shows.

    Phases are decryption, where there is one output, and key generation.
    """
    p, program = summary.first.parameters, summary.first.program
    timed = [*_operations(program, summary), *_phases(program, p, summary)]
    return [_point(p, program.slots, item, seconds) for item, seconds in timed]


def least_of(points: Iterable[TimedShape]) -> list[TimedShape]:
    """One point for each shape: the least of its points from several programs or passes."""
    least: dict[Shape, float] = {}
    for p in points:
        least[p.shape] = min(p.seconds, least.get(p.shape, p.seconds))
    return [TimedShape(*found) for found in least.items()]


def _operations(program: Program, summary: Summary) -> Iterator[tuple[Item, float]]:
    for o, item, seconds in zip(program.operations, items(program), summary.cpu, strict=True):
        if not (_partial_encryption(program, o) or o.internal):
            yield item, float(seconds)


def _phases(program: Program, p: Parameters, summary: Summary) -> Iterator[tuple[Item, float]]:
    values = [v for out in program.outputs for v in out.values]
    if len(values) == 1:
        level, depth = value_levels(program)[values[0]], product_depths(program)[values[0]]
        item = Item("decrypt", "decrypt", level, 2, 0, depth)
        yield item, least_phase(summary.records, "decrypt")
    keys = Item("keygen", "keygen", p.limbs - 1, sizes(program, p).evaluation_keys)
    yield keys, least_phase(summary.records, "keygen")


def _partial_encryption(program: Program, o: Operation) -> bool:
    """Whether this encrypts below the top level: some libraries encrypt in full there, then drop limbs."""
    return o.action is Action.ENCRYPT and o.level < program.levels


def _point(p: Parameters, slots: int, item: Item, seconds: float) -> TimedShape:
    layout = layout_of(p)
    return TimedShape(
        Shape.of(p.ring_dimension, layout, item.task(layout), slots), max(seconds, _LEAST_SECONDS)
    )
