"""Rows with bars, ticks across the bars, and dots, which show how values differ between rows and within a
row."""

from typing import Any

from fheasible.reports import axes, labels
from fheasible.reports.axes import Axis
from fheasible.reports.curves import position
from fheasible.reports.drawing import alt
from fheasible.reports.figures import Mark, MarkedRows, Marks
from fheasible.reports.meanings import Look, looks
from fheasible.reports.theme import Frame

_THREAD: dict[str, Any] = {"color": "#C8C8C8", "strokeWidth": 1.5}
_BAND: dict[str, Any] = {"color": "#7F7F7F", "opacity": 0.25, "size": 16}
_ROOM = 0.16  # least share of the axis for the words at the rows' ends
_LETTER, _AROUND = 6.6, 30  # pixels of a letter, and around words
_FEW = 20  # letters of a row's name on one line, where figures are narrow
_LETTERS: dict[str, Any] = {"align": "left", "dx": 8, "fontSize": 13, "color": "#222222"}


def layers(figure: MarkedRows, frame: Frame) -> alt.LayerChart:
    """The layers from bottom to top: a pale line through the dots of each row, bands, bars, ticks, dots and
    words."""
    values = [v for one in figure.marks for v in one.values if v is not None]
    axis = _axis(figure, [*values, *(end for band in figure.bands for end in band)], frame)
    where = {
        "y": labels.rows("row", figure.names, frame.row_letters),
        "x": position(alt.X, "value", figure.value_label, axis),
    }
    drawn = [_thread(figure, where)] if figure.log else []
    drawn += [_bands(figure, where)] if figure.bands else []
    drawn += [_drawn(figure, one, where, frame) for one in _in_order(figure.marks)]
    if figure.words:
        drawn.append(_words(figure, where, frame))
    return alt.LayerChart(layer=drawn)


def _axis(figure: MarkedRows, values: list[float], frame: Frame) -> Axis:
    """The axis of the values. Where it is linear it contains 0, where bars begin, and leaves room for words
    behind the longest bar."""
    most = max(values) * (1 + _room(figure, frame))
    return axes.upwards(values, log=True) if figure.log else axes.upwards([0.0, min(values), most])


def _room(figure: MarkedRows, frame: Frame) -> float:
    """The room for words behind the longest bar, as a share of it."""
    if not figure.words:
        return 0.0
    names = min(max(map(len, figure.names)), frame.row_letters)
    wide = frame.width - _LETTER * names - _AROUND
    taken = _LETTER * max(len(word) for word in _said(figure, frame)) + _AROUND
    return max(_ROOM, taken / (wide - taken))


def _said(figure: MarkedRows, frame: Frame) -> list[str]:
    """The words at the ends of the rows; where a row has little room, only those before the first comma."""
    return [word if frame.row_letters > _FEW else word.partition(",")[0] for word in figure.words]


def _in_order(marks: tuple[Marks, ...]) -> list[Marks]:
    order = [Mark.BAR, Mark.TICK, Mark.DOT]
    return sorted(marks, key=lambda one: order.index(one.mark))


def _drawn(figure: MarkedRows, one: Marks, where: dict[str, Any], frame: Frame) -> alt.Chart:
    words = figure.words or ("",) * len(figure.names)
    rows = [
        {
            "row": name,
            "name": one.name,
            "value": float(value),
            "label": _label(figure, one, name, value, word),
        }
        for name, value, word in zip(figure.names, one.values, words, strict=True)
        if value is not None
    ]
    base: alt.Chart = alt.Chart(alt.InlineData(rows)).encode(
        **where, color=_colours(figure, frame), description="label:N"
    )
    size = max(10, min(30, 250 // len(figure.names)))
    drawn: dict[Mark, alt.Chart] = {
        Mark.BAR: base.mark_bar(size=size, opacity=0.75),
        Mark.TICK: base.mark_tick(size=size + 8, thickness=3, opacity=1),
        Mark.DOT: base.mark_point(filled=True, size=90, opacity=0.95).encode(shape=_shapes(figure, frame)),
    }
    return drawn[one.mark]


def _label(figure: MarkedRows, one: Marks, name: str, value: float, word: str) -> str:
    """What is said of a mark: the words at its row's end, or where several marks have a row, its own."""
    if word and not figure.keyed:
        return f"{name}: {word}"
    return f"{name}, {one.name}: {value:.3g} {figure.value_label}"


def _thread(figure: MarkedRows, where: dict[str, Any]) -> alt.Chart:
    rows = []
    for place, name in enumerate(figure.names):
        there = [v for one in figure.marks if (v := one.values[place]) is not None]
        if len(there) > 1:
            rows.append({"row": name, "value": min(there), "most": max(there)})
    drawn: alt.Chart = alt.Chart(alt.InlineData(rows)).mark_rule(**_THREAD).encode(**where, x2="most:Q")
    return drawn


def _bands(figure: MarkedRows, where: dict[str, Any]) -> alt.Chart:
    rows = [
        {"row": name, "value": low, "most": high}
        for name, (low, high) in zip(figure.names, figure.bands, strict=True)
    ]
    drawn: alt.Chart = alt.Chart(alt.InlineData(rows)).mark_bar(**_BAND).encode(**where, x2="most:Q")
    return drawn


def _words(figure: MarkedRows, where: dict[str, Any], frame: Frame) -> alt.Chart:
    rows = [
        {
            "row": name,
            "word": word,
            "value": max(v for one in figure.marks if (v := one.values[i]) is not None),
        }
        for i, (name, word) in enumerate(zip(figure.names, _said(figure, frame), strict=True))
    ]
    drawn: alt.Chart = alt.Chart(alt.InlineData(rows)).mark_text(**_LETTERS).encode(**where, text="word:N")
    return drawn


def _colours(figure: MarkedRows, frame: Frame) -> alt.Color:
    colours = [look.colour for look in _looks(figure)]
    return alt.Color("name:N", scale=_scale(figure, colours), sort=None, legend=_legend(figure, frame))


def _shapes(figure: MarkedRows, frame: Frame) -> alt.Shape:
    shapes = [look.shape for look in _looks(figure)]
    return alt.Shape("name:N", scale=_scale(figure, shapes), sort=None, legend=_legend(figure, frame))


def _looks(figure: MarkedRows) -> list[Look]:
    return looks([one.name for one in figure.marks])


def _scale(figure: MarkedRows, given: list[str]) -> alt.Scale:
    return alt.Scale(domain=[one.name for one in figure.marks], range=given)


def _legend(figure: MarkedRows, frame: Frame) -> alt.Legend | None:
    if not figure.keyed:
        return None
    columns = labels.columns([one.name for one in figure.marks], frame)
    return alt.Legend(title=None, orient="top", direction="horizontal", symbolOpacity=1, columns=columns)
