"""The figures of a sweep of a library's parameters: each quantity over each setting that is a number."""

from collections.abc import Iterator, Mapping, Sequence
from math import log2, prod
from typing import TYPE_CHECKING, Any

from fheasible.api.naming import setting
from fheasible.api.residue_sweep_text import MOST_LINES, is_number, key, named
from fheasible.exploration.sweeps.axes import Combinations
from fheasible.reports.figures import Figure, FigureStyle, Series
from fheasible.units import MIB

if TYPE_CHECKING:
    from fheasible.exploration.sweeps.cells import CellGrid, Grid
    from fheasible.exploration.sweeps.swept import SweptSet

_LINES = 4  # in a figure, each with its points: more are not told apart, and their names take its place
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
            for end, grid in _sheets(wanted.grid, axis.name):
                yield from _of_sheet(app, wanted, axis.name, grid, end, found)


def _sheets(grid: "Grid", axis: str) -> "list[tuple[str, Grid]]":
    """(end of the file's name, the sets that are drawn) for each figure of a quantity over that axis. Where
    all lines are drawn and are too many for one figure, each value of the first other setting has a figure
    of its own."""
    others = [a for a in grid.axes if a.name != axis]
    if len(others) < 2 or not _LINES < prod(len(a.values) for a in others) <= MOST_LINES:
        return [("", grid)]
    first = others[0]
    rest = tuple(a for a in grid.axes if a is not first)
    return [
        (f"_{first.name}_{value}", Combinations(rest, {**grid.fixed, first.name: value}))
        for value in first.values
    ]


def _of_sheet(
    app: str, wanted: "CellGrid", axis: str, grid: "Grid", end: str, found: "Mapping[Any, SweptSet]"
) -> Iterator[tuple[str, Figure]]:
    parts, alone = grid.slices(axis, MOST_LINES), setting(wanted.library.name, wanted.scheme)
    for name, label, column, unit in _DRAWN:
        series: list[Series] = []
        for part in parts:
            there = [found[key(point)] for point in part.points()]
            series += _lines(named(grid, axis, part) or alone, axis, there, column, unit)
        if series:
            yield f"{axis}_{name}{end}", _figure(app, wanted, axis, grid, parts, label, series)


def _lines(name: str, axis: str, sets: "Sequence[SweptSet]", column: str, unit: float) -> Iterator[Series]:
    """The line of what is predicted, and the points of what was measured."""
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
    app: str,
    wanted: "CellGrid",
    axis: str,
    grid: "Grid",
    parts: "Sequence[Grid]",
    label: str,
    series: Sequence[Series],
) -> Figure:
    shared = parts[0].fixed if len(parts) == 1 else grid.fixed
    note = ", ".join(f"{name} = {value}" for name, value in shared.items())
    title = f"{app}, {setting(wanted.library.name, wanted.scheme)}: {label} over {axis}"
    return Figure(title, axis, label, tuple(series), log_x=axis == "ring_dimension", note=note)
