"""Figures of studies: lines are predictions, points are measurements, the paper's own are dashed."""

from dataclasses import replace

from fheasible.reports.figures import FigureStyle
from fheasible.store.store import Store
from fheasible.studies import results
from fheasible.studies.curves import Curves
from fheasible.studies.experiment import Prediction, ResultRow, StudyCell, StudyPlan
from studies import toy

EXPERIMENT = replace(
    toy.PRODUCTS,
    all_cells=tuple(StudyCell({"n": n, "kind": kind}) for kind in ("a", "b") for n in (64, 16)),
    predict=lambda cells, profiles: [Prediction({"seconds": float(c.parameters["n"])}) for c in cells],
)
CURVES = Curves(
    title="t", experiments=[EXPERIMENT], x="n", y="seconds", x_label="n", y_label="s", by=("kind",), unit=2
)


def found(store: Store, *, run: bool) -> results.Results:
    rows = {}
    if run:
        made = EXPERIMENT.execute("toy", EXPERIMENT.cells[0], StudyPlan(1), store)
        rows = {EXPERIMENT.name: {made.cell.key: replace(made, figures={"seconds": 8.0})}}
    return results.Results("toy", "here", rows)


def test_a_curve_for_each_value_in_the_order_of_x_and_in_its_unit(store: Store) -> None:
    figure = CURVES.figure(found(store, run=False))
    assert figure is not None
    assert [s.name for s in figure.series] == ["kind a, predicted", "kind b, predicted"]
    assert [(s.x, s.y) for s in figure.series] == [((16, 64), (8, 32))] * 2


def test_measured_points_have_the_colour_of_their_line_and_the_paper_s_are_dashed(store: Store) -> None:
    curves = replace(CURVES, published={"kind a": ((16, 7), (64, 9)), "alone": ((16, 5),)})
    figure = curves.figure(found(store, run=True))
    assert figure is not None
    styles = {s.name: (s.style, s.group, s.y) for s in figure.series}
    assert styles["kind a, measured"] == (FigureStyle.POINTS, "kind a", (4,))
    assert styles["kind a, the paper"] == (FigureStyle.DASHED, "kind a", (7, 9))
    assert styles["alone, the paper"] == (FigureStyle.POINTS, "alone", (5,))
    assert "kind b, measured" not in styles


def test_a_cell_that_died_has_no_point(store: Store) -> None:
    results_with = found(store, run=True)
    (row,) = results_with.rows[EXPERIMENT.name].values()
    assert isinstance(row, ResultRow)
    dead = replace(row, outcome="died")
    there = results.Results("toy", "here", {EXPERIMENT.name: {dead.cell.key: dead}})
    figure = CURVES.figure(there)
    assert figure is not None
    assert {s.style for s in figure.series} == {FigureStyle.LINE}


def test_nothing_known_makes_no_figure(store: Store) -> None:
    assert replace(CURVES, y="bytes").figure(found(store, run=False)) is None
