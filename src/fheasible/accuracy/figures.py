"""Every predicted and measured figure as one table, in base units."""

from collections.abc import Iterator

from fheasible.accuracy.compare import ComparedApplication, ComparedFigure, ComparedOperation
from fheasible.accuracy.evaluation import Evaluation

Cell = str | float | None
COLUMNS = (
    "kind", "what", "figure", "library", "scheme", "technique", "key_switching", "n", "limbs", "special",
    "digits", "level", "polys", "dropped", "depth", "machine", "measured", "predicted", "relative_error",
)  # fmt: skip


def rows(found: Evaluation) -> Iterator[tuple[Cell, ...]]:
    """A row for each figure, with a cell for each of COLUMNS: seconds, bytes or bits."""
    for o in (*found.operations, *found.key_generation):
        yield _row("operation", o.action, "cpu_seconds", o, o.cpu)
    for a in found.applications:
        for name, figure in _figures(a):
            yield _row("application", a.name, name, a, figure)


def _row(
    kind: str, what: str, name: str, row: ComparedOperation | ComparedApplication, f: ComparedFigure
) -> tuple[Cell, ...]:
    where = (getattr(row, column, None) for column in COLUMNS[3:-3])
    return (kind, what, name, *where, f.measured, f.predicted, f.error)


def _figures(a: ComparedApplication) -> Iterator[tuple[str, ComparedFigure]]:
    yield from ((f"cpu_seconds.{phase}", f) for phase, f in a.cpu.items())
    yield from ((f"wall_seconds.{phase}", f) for phase, f in a.wall.items())
    yield from ((f"{name}_bytes", f) for name, f in a.sizes.items())
    if a.peak:
        yield "peak_bytes", a.peak
    if a.precision:
        yield "precision_bits", a.precision
