"""The figures of a sweep of a ring scheme: for each swept parameter drawings of work, memory and depth."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fheasible.api.subjects import said
from fheasible.exploration.sweeps.ring_analysis import analyse
from fheasible.exploration.sweeps.ring_runs import FEW
from fheasible.reports.figures import Figure, FigureStyle, Series
from fheasible.units import MIB

if TYPE_CHECKING:
    from fheasible.exploration.sweeps.ring_analysis import Subject
    from fheasible.exploration.sweeps.ring_grid import Grid
    from fheasible.exploration.sweeps.ring_runs import Calibration

_LABELS = {
    "n": "ring degree n", "log_q": "log2 q", "log_w": "log2 w", "t": "plaintext modulus t", "sigma": "sigma",
}  # fmt: skip
_DRAWN = (  # (name, label, column, unit by which it is divided)
    ("multiplications", "integer multiplications", "integer_multiplications", 1.0),
    ("memory", "memory (MiB of 32-bit integers)", "memory_max_words", MIB / 4),
    ("peak", "memory of the exact ring (MiB)", "peak_bytes", float(MIB)),
    ("depth", "multiplications in succession", "depth", 1.0),
)
_MEASURED = {"cpu_seconds": ("CPU time (s)", 1.0), "peak_bytes": ("peak memory (MiB)", float(MIB))}


def figures(
    chosen: "Subject", wanted: "Grid", calibrated: "Sequence[Calibration]"
) -> Iterator[tuple[str, Figure]]:
    """(file name without its ending, figure) for each swept parameter. The other parameters have their first
    values; where their choices are few, each choice has a line. First come the figures from theory, then
    those of what was predicted from a few points beside all that was measured."""
    for axis in wanted.axes:
        if len(axis.values) > 1:
            yield from _theoretical(chosen, wanted, axis.name)
            yield from _measured(chosen, wanted, axis.name, calibrated)


def _theoretical(chosen: "Subject", wanted: "Grid", axis: str) -> Iterator[tuple[str, Figure]]:
    parts = wanted.slices(axis, FEW)
    columns = [analyse(chosen, list(part.points())).columns() for part in parts]
    for name, label, column, unit in _DRAWN:
        series = tuple(
            Series(
                _name(wanted, axis, part, chosen),
                tuple(map(float, found[axis])),
                tuple(float(v) / unit for v in found[column]),
            )
            for part, found in zip(parts, columns, strict=True)
        )
        yield f"{axis}_{name}", _figure(chosen, wanted, axis, parts, label, series)


def _measured(
    chosen: "Subject", wanted: "Grid", axis: str, calibrated: "Sequence[Calibration]"
) -> Iterator[tuple[str, Figure]]:
    parts = wanted.slices(axis, FEW)
    for quantity, (label, unit) in _MEASURED.items():
        series: list[Series] = []
        for c in calibrated:
            if (c.axis, c.quantity) == (axis, quantity):
                part = next(p for p in parts if p.fixed == c.fixed)
                series += _pair(c, _name(wanted, axis, part, chosen), unit)
        if series:
            yield f"{axis}_{quantity}", _figure(chosen, wanted, axis, parts, label, tuple(series))


def _pair(c: "Calibration", name: str, unit: float) -> tuple[Series, Series]:
    predicted = tuple(v / unit for v in c.predicted)
    practical = tuple(v / unit for v in c.executed)
    return (
        Series(f"{name}: from {c.p} points", c.all_values, predicted, group=name),
        Series(f"{name}: executed", c.values, practical, FigureStyle.POINTS, group=name),
    )


def _figure(
    chosen: "Subject",
    wanted: "Grid",
    axis: str,
    parts: "Sequence[Grid]",
    label: str,
    series: tuple[Series, ...],
) -> Figure:
    shared = parts[0].fixed if len(parts) == 1 else wanted.fixed
    note = ", ".join(f"{name} = {value}" for name, value in shared.items())
    title = f"{chosen.scheme.title}, {said(chosen)}: {label} over {_LABELS[axis]}"
    return Figure(title, _LABELS[axis], label, series, log_x=axis == "n", note=note)


def _name(wanted: "Grid", axis: str, part: "Grid", chosen: "Subject") -> str:
    others = [a.name for a in wanted.axes if a.name != axis]
    return ", ".join(f"{name} = {part.fixed[name]}" for name in others) or chosen.scheme.title
