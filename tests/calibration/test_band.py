"""The error band, by hand."""

import pytest

from fheasible.calibration.band import error_band


def test_nine_tenths_of_the_time_are_within_the_band() -> None:
    assert error_band([0.5, -0.1, 0.02], [1.0, 5.0, 4.0]) == 0.1
    assert error_band([0.5, -0.1, 0.02], [1.1, 5.0, 4.0]) == 0.5
    assert error_band([-0.03], [7.0]) == 0.03


@pytest.mark.parametrize("count", [10, 100])
def test_of_operations_that_take_alike_nine_of_ten_are(count: int) -> None:
    errors = [(-1) ** i * i / count for i in range(1, count + 1)]
    assert error_band(errors, [2.0] * count) == pytest.approx(0.9)


def test_of_none_nothing_is_known() -> None:
    assert error_band([], []) == 1.0
