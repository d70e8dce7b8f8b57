import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.measurement.samples import Samples, Timing

TIMES = st.lists(st.floats(0, 1e6), min_size=1, max_size=20)


def test_the_median_absolute_deviation_is_that_of_the_textbook() -> None:
    # the standard worked example: median 2, deviations 1 1 0 0 2 4 7, whose median is 1
    assert Samples((1, 1, 2, 2, 4, 6, 9)).median == 2
    assert Samples((1, 1, 2, 2, 4, 6, 9)).mad == 1


def test_no_samples_have_no_figures() -> None:
    assert Samples().to_json() == {"samples": [], "min": None, "median": None, "mad": None}


@given(TIMES)
def test_figures_lie_among_the_samples(seconds: list[float]) -> None:
    samples = Samples(tuple(seconds))
    assert samples.min is not None
    assert samples.median is not None
    assert samples.mad is not None
    assert samples.min == sorted(seconds)[0] <= samples.median <= max(seconds)
    assert 0 <= samples.mad <= max(seconds) - samples.min


@given(TIMES)
def test_every_sample_survives_json_in_order(seconds: list[float]) -> None:
    assert Samples.from_json(Samples(tuple(seconds)).to_json()).seconds == tuple(seconds)


def test_timings_add_repetition_by_repetition_on_both_clocks() -> None:
    total = Timing.of_pairs([(1, 10), (2, 20)]) + Timing.of_pairs([(4, 40), (8, 80)])
    assert total == Timing.of_pairs([(5, 50), (10, 100)])


def test_timings_of_unequal_repetitions_do_not_add() -> None:
    with pytest.raises(ValueError):
        Timing.of_pairs([(1, 1)]) + Timing.of_pairs([(1, 1), (2, 2)])
