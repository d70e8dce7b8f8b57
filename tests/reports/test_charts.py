"""Figures as files: what they name, how large they are, and what they refuse."""

import html
import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fheasible.errors import UsageError
from fheasible.reports import curves, theme
from fheasible.reports.charts import chart, svg, write
from fheasible.reports.figures import BoxPlot, Drawing, Figure, FigureGroup, FigureStyle, Series, Trace

from .elements import loads

X = (100.0, 200.0, 300.0)
FIGURE = Figure(
    "Time by modulus",
    "log2 q (bit)",
    "time (s)",
    (
        Series("FV, measured", X, (0.1, 0.3, 0.7), FigureStyle.POINTS, group="FV"),
        Series("FV, predicted", X, (0.11, 0.29, 0.71), group="FV"),
        Series("limit", X, (0.5, 0.5, 0.5), FigureStyle.DASHED),
    ),
    note="n = 4,096",
)
TRACE = Trace("Memory in use", "operation", "memory (MiB)", (Series("current", (0, 1, 2), (0, 5, 3)),))
BOXES = BoxPlot("Mean errors", "error (%)", (FigureGroup("FV", (1, 2, 9)), FigureGroup("YASHE & co", (4,))))
ALL = pytest.mark.parametrize("figure", [FIGURE, TRACE, BOXES], ids=lambda figure: type(figure).__name__)


def texts(picture: str) -> list[str]:
    return [text.replace("&amp;", "&") for text in re.findall(r"<text[^>]*>([^<]*)</text>", picture)]


def marks(figure: Drawing) -> list[dict[str, Any]]:
    return [layer["mark"] for layer in chart(figure).to_dict()["layer"]]


def data(figure: Drawing) -> list[list[dict[str, Any]]]:
    """The rows that each layer draws."""
    whole = chart(figure).to_dict()
    return [whole["datasets"][layer.get("data", whole.get("data"))["name"]] for layer in whole["layer"]]


def scales(figure: Figure | Trace, channel: str) -> dict[str, Any]:
    """What each series looks like, by name, as far as that channel says."""
    for layer in chart(figure).to_dict()["layer"]:
        if channel in layer["encoding"]:
            scale = layer["encoding"][channel]["scale"]
            return dict(zip(scale["domain"], scale["range"], strict=True))
    raise AssertionError(channel)


def test_a_figure_names_its_title_its_axes_and_every_series() -> None:
    shown = texts(svg(FIGURE))
    named = {
        "Time by modulus",
        "n = 4,096",
        "log2 q (bit)",
        "time (s)",
        "measured",  # in the legend, and the others at the ends of their lines
        "FV, predicted",
        "limit",
    }
    assert named <= set(shown)


def test_a_trace_names_its_title_its_axes_and_every_series() -> None:
    assert {"Memory in use", "operation", "memory (MiB)", "current"} <= set(texts(svg(TRACE)))


def test_the_ground_below_a_trace_is_its_value_where_many_share_a_moment() -> None:
    """Not their sum, by which an area rose above its own line, and out of the picture."""
    trace = Trace("T", "work", "MiB", (Series("s", (0, 1, 1, 2), (0.1, 0.5, 0.8, 0.7)),))
    area = next(layer for layer in chart(trace).to_dict()["layer"] if layer["mark"]["type"] == "area")
    assert area["encoding"]["y"]["stack"] is None


def test_boxes_name_their_title_their_axis_and_every_group() -> None:
    assert {"Mean errors", "error (%)", "FV", "YASHE & co"} <= set(texts(svg(BOXES)))


NAMES = st.text("abcdefgh XYZ0123<&'\"\\{}[]%é", min_size=1, max_size=40).map(str.strip).filter(bool)


def letters(picture: str) -> str:
    """All that is written in a picture, without blanks."""
    found = "".join(re.findall(r">([^<]*)<", picture))
    return re.sub(r"\s", "", html.unescape(found))


@settings(max_examples=20, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=12, unique=True))
@example([f"a rather long name of a curve, number {i}" for i in range(12)])
def test_no_name_of_a_series_is_lost(names: list[str]) -> None:
    figure = Figure("T", "x", "y", tuple(Series(name, (1, 2), (1, 2)) for name in names))
    for frame in (theme.BROAD, theme.DESK, theme.NARROW):
        shown = svg(figure, frame=frame)
        at_ends = curves.named(figure, frame) is not None
        assert shown.count('class="mark-symbol role-legend-symbol"') == (0 if at_ends else len(names))
        assert "…" not in shown
        assert all(re.sub(r"\s", "", name) in letters(shown) for name in names)


def test_a_legend_has_what_points_are_once_for_all_groups() -> None:
    series = [
        Series(f"{of}: {what}", X, (1.0, 2.0, 3.0), style, group=of)
        for of in ("w = 4", "w = 8")
        for what, style in (("from 3 points", FigureStyle.LINE), ("executed", FigureStyle.POINTS))
    ]
    shown = svg(Figure("T", "x", "y", tuple(series)))
    assert shown.count('class="mark-symbol role-legend-symbol"') == 1
    assert texts(shown).count("executed") == 1
    assert {"w = 4: from 3 points", "w = 8: from 3 points"} <= set(texts(shown))


@ALL
def test_a_picture_is_800_by_500_pixels_and_a_png_twice_that(figure: Drawing, tmp_path: Path) -> None:
    for name in ("f.svg", "f.png"):
        write(figure, tmp_path / name)
    assert re.search(r'<svg[^>]* width="800" height="500"', (tmp_path / "f.svg").read_text())
    content = (tmp_path / "f.png").read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", content[16:24]) == (1600, 1000)


@ALL
def test_the_specification_is_json_with_its_data(figure: Drawing, tmp_path: Path) -> None:
    write(figure, tmp_path / "f.json")
    specification = json.loads((tmp_path / "f.json").read_text())
    assert "vega-lite" in specification["$schema"]
    assert "url" not in json.dumps(specification["layer"])


@pytest.mark.long
@ALL
def test_a_page_of_one_figure_loads_nothing(figure: Drawing, tmp_path: Path) -> None:
    write(figure, tmp_path / "f.HTML")
    page = (tmp_path / "f.HTML").read_text()
    assert figure.title in page
    assert '"editor":false' in page.replace(" ", "")  # the menu would send the data away
    assert loads(page) == []
    assert not re.search(r"\bimport\s*\(?[\"']https?:", page)


@pytest.mark.parametrize("name", ["figure.pdf", "figure", "figure.svg.gz"])
def test_another_kind_of_file_is_refused_with_those_that_are_known(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=re.escape(name)) as caught:
        write(FIGURE, tmp_path / name)
    assert all(suffix in caught.value.remedy for suffix in (".svg", ".png", ".json", ".html"))
    assert not (tmp_path / name).exists()


def test_what_was_measured_is_points_and_what_is_predicted_a_line() -> None:
    named = [{str(row.get("name")) for row in rows} for rows in data(FIGURE)]
    drawn = list(zip([mark["type"] for mark in marks(FIGURE)], named, strict=True))
    assert [(mark, names) for mark, names in drawn if mark in ("line", "point")] == [
        ("line", {"FV, predicted", "limit"}),
        ("point", {"FV, measured"}),
    ]


def test_series_of_a_group_share_a_colour_and_others_differ() -> None:
    colours = scales(FIGURE, "color")
    assert colours["FV, measured"] == colours["FV, predicted"] != colours["limit"]


def test_lines_have_their_names_and_points_differ_without_their_colour() -> None:
    names = [f"s{i}" for i in range(len(theme.DASHES))]
    lines = Figure("T", "x", "y", tuple(Series(name, (1, 2), (1, 2)) for name in names))
    points = Figure("T", "x", "y", tuple(Series(name, (1, 2), (1, 2), FigureStyle.POINTS) for name in names))
    assert set(names) <= set(texts(svg(lines)))
    assert len(set(scales(points, "shape").values())) == len(names)


def test_where_a_legend_has_the_names_lines_differ_in_their_dashes() -> None:
    names = [f"{'a name that no margin has room for ' * 2}{i}" for i in range(len(theme.DASHES))]
    lines = Figure("T", "x", "y", tuple(Series(name, (1, 2), (1, 2)) for name in names))
    assert curves.named(lines, theme.NARROW) is None
    drawn = chart(lines, theme.NARROW).to_dict()["layer"][0]["encoding"]["strokeDash"]["scale"]["range"]
    assert len(set(map(tuple, drawn))) == len(names)


def test_a_box_is_the_five_numbers() -> None:
    """By hand: 1 2 3 4 10 has quartiles 2 and 4; a single value is all five."""
    boxes = BoxPlot("T", "y", (FigureGroup("a", (4, 1, 10, 3, 2)), FigureGroup("b", (7,))))
    assert data(boxes)[0] == [
        {"name": "a", "least": 1, "lower": 2, "median": 3, "upper": 4, "most": 10},
        {"name": "b", "least": 7, "lower": 7, "median": 7, "upper": 7, "most": 7},
    ]


def test_a_long_trace_keeps_its_ends_and_its_peak() -> None:
    y = [float(i % 7) for i in range(30_000)]
    y[12_345] = 99.0
    trace = Trace("T", "x", "y", (Series("s", tuple(range(30_000)), tuple(y)),))
    (rows,) = (r for r, mark in zip(data(trace), marks(trace), strict=True) if mark["type"] == "line")
    assert len(rows) <= 4000
    assert {(row["x"], row["y"]) for row in rows} >= {(0.0, 0.0), (12_345.0, 99.0), (29_999.0, y[-1])}
    assert [row["x"] for row in rows] == sorted(row["x"] for row in rows)


def test_a_title_that_is_too_long_is_broken() -> None:
    title = "Time of a multiplication with relinearisation at every modulus that its depth allows, by scheme"
    shown = svg(Figure(title, "x", "y", FIGURE.series))
    assert title not in texts(shown)
    assert re.findall(r"<tspan[^>]*>([^<]*)</tspan>", shown)[:2] == [
        "Time of a multiplication with relinearisation at every modulus",
        "that its depth allows, by scheme",
    ]
