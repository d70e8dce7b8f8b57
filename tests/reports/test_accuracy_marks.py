"""The band about the diagonal, deviations, and rows of bars, ticks and dots are where their values are."""

from typing import Any

import pytest

from fheasible.errors import UsageError
from fheasible.reports.charts import chart, svg
from fheasible.reports.figures import Agreement, FigureStyle, Mark, MarkedRows, Marks, Series

POINTS = (
    Series("sums", (1.0, 10.0), (1.05, 12.0), FigureStyle.POINTS),
    Series("products", (100.0,), (90.0,), FigureStyle.POINTS),
)
AGREEMENT = Agreement("T", "measured (ms)", "predicted (ms)", POINTS, band=0.25)
ROWS = MarkedRows(
    "T",
    "time (s)",
    ("first", "second"),
    (Marks("measured", (2.0, 1.0), Mark.BAR), Marks("predicted", (1.5, 1.5), Mark.TICK)),
    words=("-25 %", "+50 %"),
)
DOTS = MarkedRows(
    "T",
    "price (ns)",
    ("first", "second"),
    (Marks("SEAL", (0.1, 10.0), Mark.DOT), Marks("Lattigo", (0.5, None), Mark.DOT)),
    log=True,
)


def layers(figure: Agreement | MarkedRows) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each layer with the rows that it draws."""
    whole = chart(figure).to_dict()
    return [(layer, whole["datasets"][layer["data"]["name"]]) for layer in whole["layer"]]


def of_mark(figure: Agreement | MarkedRows, mark: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    return next((layer, rows) for layer, rows in layers(figure) if layer["mark"]["type"] == mark)


def test_the_diagonal_goes_from_corner_to_corner_of_axes_that_are_alike() -> None:
    line, rows = of_mark(AGREEMENT, "line")
    assert all(row["x"] == row["y"] for row in rows)
    domains = [line["encoding"][channel]["scale"]["domain"] for channel in ("x", "y")]
    assert domains[0] == domains[1] == [rows[0]["x"], rows[-1]["x"]]
    assert domains[0] == [1, 100]


def test_the_band_is_that_share_to_both_sides_and_ends_at_the_edge() -> None:
    """Straight lines between its ends on logarithmic axes: exact wherever it is not cut off."""
    _, rows = of_mark(AGREEMENT, "area")
    assert [(row["x"], row["low"], row["high"]) for row in rows] == [
        (1, 1, 1.25),
        (pytest.approx(4 / 3), pytest.approx(1), pytest.approx(5 / 3)),
        (pytest.approx(80), pytest.approx(60), pytest.approx(100)),
        (100, 75, 100),
    ]


def test_deviations_are_per_cent_about_a_line_at_zero() -> None:
    off = Agreement("T", "measured", "error (%)", POINTS, band=0.25, deviation=True)
    _, points = of_mark(off, "point")
    assert [row["y"] for row in points] == pytest.approx([5, 20, -10])
    _, band = of_mark(off, "area")
    assert {(row["low"], row["high"]) for row in band} == {(-25, 25)}
    line, rows = of_mark(off, "line")
    assert {row["y"] for row in rows} == {0}
    low, high = line["encoding"]["y"]["scale"]["domain"]
    assert low == -high <= -25


def test_every_name_is_in_the_legend_and_every_word_at_its_row() -> None:
    drawn = svg(ROWS)
    for word in ("measured", "predicted", "first", "second", "-25 %", "+50 %"):
        assert word in drawn
    assert all(name in svg(AGREEMENT) for name in ("sums", "products"))


def test_bars_begin_at_zero_and_ticks_stand_at_their_values() -> None:
    bars, rows = of_mark(ROWS, "bar")
    assert [row["value"] for row in rows] == [2.0, 1.0]
    assert bars["encoding"]["x"]["scale"]["domain"][0] == 0
    assert [row["value"] for row in of_mark(ROWS, "tick")[1]] == [1.5, 1.5]
    assert [row["value"] for row in of_mark(ROWS, "text")[1]] == [2.0, 1.5]  # behind the longer of both


def test_rows_keep_their_order() -> None:
    bars, _ = of_mark(ROWS, "bar")
    assert bars["encoding"]["y"]["scale"]["domain"] == ["first", "second"]


def test_a_missing_value_has_no_dot_and_no_thread() -> None:
    dots = [rows for layer, rows in layers(DOTS) if layer["mark"]["type"] == "point"]
    assert [[(r["row"], r["value"]) for r in rows] for rows in dots] == [
        [("first", 0.1), ("second", 10.0)],
        [("first", 0.5)],
    ]
    _, threads = of_mark(DOTS, "rule")
    assert threads == [{"row": "first", "value": 0.1, "most": 0.5}]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Agreement("T", "x", "y", (Series("a", (1,), (0,)),)), "not positive"),
        (lambda: Agreement("T", "x", "y", ()), "nothing to draw"),
        (lambda: MarkedRows("T", "x", ("a",), (Marks("m", (1, 2), Mark.BAR),)), "2 values in 1 rows"),
        (lambda: MarkedRows("T", "x", ("a",), (Marks("m", (None,), Mark.BAR),)), "nothing to draw"),
        (lambda: MarkedRows("T", "x", ("a",), (Marks("m", (0,), Mark.DOT),), log=True), "not positive"),
        (lambda: MarkedRows("T", "x", ("a", "a"), (Marks("m", (1, 2), Mark.DOT),)), "more than one series"),
        (lambda: Marks("m", (float("nan"),), Mark.DOT), "has the value nan"),
    ],
)
def test_what_cannot_be_drawn_is_refused(make: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()
