"""What no figure can show is refused before it is drawn."""

import pytest

from fheasible.errors import UsageError
from fheasible.reports.figures import BoxPlot, Figure, FigureGroup, Series, Trace


def test_every_x_needs_a_y() -> None:
    with pytest.raises(UsageError, match="'FV' has 2 values of x but 1 of y"):
        Series("FV", (1, 2), (1,))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_value_is_finite(value: float) -> None:
    with pytest.raises(UsageError, match="'FV' has the value"):
        Series("FV", (1,), (value,))
    with pytest.raises(UsageError, match="'FV' has the value"):
        FigureGroup("FV", (value,))


@pytest.mark.parametrize(("log_x", "log_y", "axis"), [(True, False, "x"), (False, True, "y")])
def test_a_logarithm_needs_positive_values(log_x: bool, log_y: bool, axis: str) -> None:
    with pytest.raises(UsageError, match=f"'FV' has 0 on the logarithmic {axis} axis"):
        Figure("T", "x", "y", (Series("FV", (0, 1), (1, 0)),), log_x, log_y)


def test_names_are_distinct() -> None:
    twice = (Series("FV", (1,), (1,)), Series("FV", (2,), (2,)))
    for kind in (Figure, Trace):
        with pytest.raises(UsageError, match="more than one series called FV"):
            kind("T", "x", "y", twice)
    with pytest.raises(UsageError, match="more than one series called FV"):
        BoxPlot("T", "y", (FigureGroup("FV", (1,)), FigureGroup("FV", (2,))))


def test_there_is_something_to_draw() -> None:
    for kind in (Figure, Trace):
        for series in ((), (Series("FV", (), ()),)):
            with pytest.raises(UsageError, match="nothing to draw"):
                kind("T", "x", "y", series)
    with pytest.raises(UsageError, match="'T' has nothing to draw"):
        BoxPlot("T", "y", ())
    with pytest.raises(UsageError, match="'FV' has nothing to draw"):
        FigureGroup("FV", ())
