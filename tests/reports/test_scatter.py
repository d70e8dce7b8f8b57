"""Predicted bits against measured ones: points, whiskers and the band are where the numbers say."""

import pytest

from fheasible.errors import UsageError
from fheasible.reports import charts
from fheasible.reports.figures import FigureSamples, Scatter

ONE = FigureSamples("one", (10.0, 20.0), (10.5, 18.0), (0.25, 1.0))


def drawn(difference: bool) -> dict[str, list[dict[str, float]]]:
    """The rows of every layer by its mark."""
    figure = Scatter("title", "measured (bit)", "predicted (bit)", (ONE,), -1.0, 0.5, difference)
    drawn = charts.chart(figure).to_dict()
    return {layer["mark"]["type"]: drawn["datasets"][layer["data"]["name"]] for layer in drawn["layer"]}


def test_a_difference_is_predicted_less_measured_with_its_whisker_upwards() -> None:
    rows = drawn(True)["point"]
    assert [(r["x"], r["y"], r["low"], r["high"]) for r in rows] == [(10, 0.5, 0.25, 0.75), (20, -2, -3, -1)]


def test_a_prediction_has_the_whisker_of_what_was_measured_across() -> None:
    rows = drawn(False)["rule"]
    assert [(r["x"], r["y"], r["low"], r["high"]) for r in rows] == [
        (10, 10.5, 9.75, 10.25),
        (20, 18, 19, 21),
    ]


@pytest.mark.parametrize("difference", [True, False])
def test_the_band_lies_about_perfect_predictions(difference: bool) -> None:
    for row in drawn(difference)["area"]:
        perfect = 0.0 if difference else row["x"]
        assert (row["y"], row["low"], row["high"]) == (perfect, perfect - 1, perfect + 0.5)


def test_it_can_be_drawn() -> None:
    svg = charts.svg(Scatter("A title", "x", "y", (ONE,), -1.0, 0.5, True))
    assert "A title" in svg


def test_every_measured_value_needs_a_prediction_and_an_interval() -> None:
    with pytest.raises(UsageError):
        FigureSamples("one", (1.0, 2.0), (1.0,), (0.0, 0.0))
    with pytest.raises(UsageError):
        FigureSamples("one", (1.0,), (1.0,), (float("inf"),))
