"""The figures of a sweep of table look-ups: each quantity over each setting that is a number."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from fheasible.circuit.numbers_named import read_number
from fheasible.reports.figures import Figure, FigureStyle, Series
from fheasible.units import MIB

if TYPE_CHECKING:
    from fheasible.api.lookup_swept import SweptLookups

_MOST_LINES = 6
_DRAWN = (  # (name, label, figure, unit by which it is divided)
    ("time", "CPU time of a run (s)", "cpu_seconds", 1.0),
    ("failure", "log2 of the probability of a wrong run", "log2_failure", 1.0),
    ("security", "security (bit)", "security_bits", 1.0),
    ("memory", "peak memory (MiB)", "peak_bytes", float(MIB)),
    ("keys", "evaluation keys (MiB)", "evaluation_key_bytes", float(MIB)),
)
Groups = Mapping[str, "list[SweptLookups]"]


def figures(
    app: str, axes: Mapping[str, tuple[str, ...]], sets: "Sequence[SweptLookups]"
) -> Iterator[tuple[str, Figure]]:
    """(file name without its ending, figure) for each setting of numbers that varies."""
    for axis, values in axes.items():
        if len(values) < 2 or any(read_number(v) is None for v in values):
            continue
        groups = _groups(axis, axes, sets)
        for name, label, figure, unit in _DRAWN:
            series = [s for group in groups.items() for s in _lines(axis, group, figure, unit)]
            if series:
                yield f"{axis}_{name}", Figure(f"{app}: {label} over {axis}", axis, label, tuple(series))


def _groups(axis: str, axes: Mapping[str, tuple[str, ...]], sets: "Sequence[SweptLookups]") -> Groups:
    """The sets by their other settings in words, as far as a figure tells so many lines apart."""
    found: dict[str, list[SweptLookups]] = {}
    for s in sets:
        words = ", ".join(f"{name} = {s.told[name]}" for name in axes if name != axis)
        if words in found or len(found) < _MOST_LINES:
            found.setdefault(words, []).append(s)
    return found


def _lines(axis: str, group: "tuple[str, list[SweptLookups]]", figure: str, unit: float) -> Iterator[Series]:
    """The line of what is predicted, and the points of what was measured."""
    words, sets = group
    told = [(float(s.told[axis]), s.predicted.get(figure)) for s in sets]
    seen = [(float(s.told[axis]), s.measured.get(figure)) for s in sets]
    named = words or "predicted"
    for label, pairs, style in (
        (named, told, FigureStyle.LINE),
        (f"{words}: measured" if words else "measured", seen, FigureStyle.POINTS),
    ):
        there = [(x, float(y) / unit) for x, y in pairs if y is not None]
        if there:
            yield Series(label, tuple(x for x, _ in there), tuple(y for _, y in there), style, named)
