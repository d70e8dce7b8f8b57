"""Names beside rows, broken into lines, and legends in columns that fit."""

import json
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from fheasible.reports.drawing import alt
from fheasible.reports.theme import Frame

_LINE = 14  # pixels from one line of a name to the next
_ROW = 34  # pixels of a row, at least
_GAP, _AROUND = 10, 140  # pixels between rows, and of axis, legend and margins together
_LETTER, _SYMBOL = 6.2, 40  # pixels of a legend's letter, and of its symbol with its margins
_BESIDE = 0.72  # share of a legend's width that is left beside the names of rows
_MANY = 12  # rows that leave no room for two lines


def rows(field: str, names: Sequence[str], letters: int, limit: int = 260) -> alt.Y:
    """The vertical axis of named rows, in the order given, with at most that many letters on a line."""
    broken = _broken(names, letters)
    axis = alt.Axis(
        title=None, labelExpr=f"{json.dumps(broken)}[indexof({json.dumps(list(names))}, datum.value)]",
        labelOverlap=False, labelLimit=limit, labelLineHeight=_LINE, labelOffset=_raised(names, broken),
        ticks=False, domain=False,
    )  # fmt: skip
    scale = alt.Scale(domain=list(names))
    return alt.Y(f"{field}:N", sort=list(names), axis=axis, scale=scale)


def height(names: Sequence[str], frame: Frame) -> int:
    """The height in pixels of a figure with those rows: what the names need, and at least the frame's."""
    lines = max(map(len, _broken(names, frame.row_letters)))
    if len(names) >= _MANY:
        return frame.height
    return max(frame.rows_height, _AROUND + len(names) * max(lines * _LINE + _GAP, _ROW))


def columns(names: Sequence[str], frame: Frame) -> int:
    """The number of columns of a legend above rows that have names beside them."""
    widest = max(map(len, names)) * _LETTER + _SYMBOL
    return max(1, min(len(names), int(_BESIDE * frame.legend_width // widest)))


def _broken(names: Sequence[str], letters: int) -> list[list[str]]:
    return [wrap(n, letters, break_long_words=False) if len(names) < _MANY else [n] for n in names]


def _raised(names: Sequence[str], broken: Sequence[Sequence[str]]) -> Any:
    """The offset of each name. The first line of a name stands at the middle of its row, so a name of several
    lines is raised by half of the further ones."""
    tests = []
    for count in sorted({len(lines) for lines in broken if len(lines) > 1}):
        alike = [name for name, lines in zip(names, broken, strict=True) if len(lines) == count]
        test = f"indexof({json.dumps(alike)}, datum.value) >= 0"
        tests.append({"test": test, "value": -(count - 1) * _LINE / 2})
    return {"condition": tests, "value": 0} if tests else 0
