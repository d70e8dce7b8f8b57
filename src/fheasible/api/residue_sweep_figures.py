"""The figures of a sweep of a library's parameters: each quantity over each setting that is a number."""

from collections.abc import Iterator, Sequence
from math import log2
from typing import TYPE_CHECKING, Any

from fheasible.api.naming import setting
from fheasible.api.residue_sweep_text import MOST_LINES, is_number, key, named
from fheasible.reports.figures import Figure, FigureStyle, Series
from fheasible.units import MIB

if TYPE_CHECKING:
    from fheasible.exploration.sweeps.cells import CellGrid, Grid
    from fheasible.exploration.sweeps.swept import SweptSet

_DRAWN = (  # (name, label, column, unit by which it is divided)
    ("time", "CPU time of a run (s)", "cpu_seconds", 1.0),
    ("precision", "precision (bit)", "precision_bits", 1.0),
    ("ring", "log2 of the ring dimension N", "ring_dimension", 0.0),
    ("memory", "peak memory (MiB)", "peak_bytes", float(MIB)),
    ("ciphertext", "ciphertext (MiB)", "ciphertext_bytes", float(MIB)),
    ("keys", "evaluation keys (MiB)", "evaluation_key_bytes", float(MIB)),
)


def figures(app: str, wanted: "CellGrid", sets: "Sequence[SweptSet]") -> Iterator[tuple[str, Figure]]:
    """(file name without its ending, figure) for each setting of numbers that varies. Each combination of the
    other settings has a line where they are few; else they have their first values. Measured figures are
    points."""
    found = {key(s.cell.told): s for s in sets}
    for axis in wanted.grid.axes:
        if len(axis.values) > 1 and all(map(is_number, axis.values)):
            parts = wanted.grid.slices(axis.name, MOST_LINES)
            for name, label, column, unit in _DRAWN:
                series = [
                    line
                    for part in parts
                    for line in _lines(
                        wanted, axis.name, part, [found[key(p)] for p in part.points()], column, unit
                    )
                ]
                if series:
                    yield f"{axis.name}_{name}", _figure(app, wanted, axis.name, parts, label, series)


def _lines(
    wanted: "CellGrid", axis: str, part: "Grid", sets: "Sequence[SweptSet]", column: str, unit: float
) -> Iterator[Series]:
    """The line of what is predicted, and the points of what was measured."""
    name = named(wanted.grid, axis, part) or setting(wanted.library.name, wanted.scheme)
    told = [(float(s.cell.told[axis]), s.figures.get(column)) for s in sets]
    seen = [(float(s.cell.told[axis]), s.found.get(column)) for s in sets]
    for label, pairs, style in (
        (name, told, FigureStyle.LINE),
        (f"{name}: measured", seen, FigureStyle.POINTS),
    ):
        there = [(x, _scaled(y, unit)) for x, y in pairs if y is not None]
        if there:
            yield Series(label, tuple(x for x, _ in there), tuple(y for _, y in there), style, group=name)


def _scaled(value: Any, unit: float) -> float:
    return float(value) / unit if unit else log2(value)


def _figure(
    app: str, wanted: "CellGrid", axis: str, parts: "Sequence[Grid]", label: str, series: Sequence[Series]
) -> Figure:
    shared = parts[0].fixed if len(parts) == 1 else wanted.grid.fixed
    note = ", ".join(f"{name} = {value}" for name, value in shared.items())
    title = f"{app}, {setting(wanted.library.name, wanted.scheme)}: {label} over {axis}"
    return Figure(title, axis, label, tuple(series), log_x=axis == "ring_dimension", note=note)
