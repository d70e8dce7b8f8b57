"""What may be wished for."""

import numpy as np
import pytest

from fheasible.errors import UsageError
from fheasible.exploration.problem.wish import (
    FAILURE_BITS,
    LEAST_BITS,
    NAMES,
    OBJECTIVES,
    SECURITY_LEVELS,
    SHARED_FAILURE_BITS,
    Asked,
    Measure,
    Objective,
    Wish,
    bits,
)
from fheasible.noise.achieved import Achieved


@pytest.mark.parametrize("security", [0, 100, 127, 129, 512])
def test_a_security_level_that_nobody_offers_is_refused_with_those_that_there_are(security: int) -> None:
    with pytest.raises(UsageError, match=f"security {security} is not") as caught:
        Wish(security=security)
    for level in (128, 192, 256):
        assert str(level) in caught.value.remedy


@pytest.mark.parametrize("number", [0, -3, 52.5, 64, float("nan")])
def test_a_precision_beyond_doubles_is_refused(number: float) -> None:
    with pytest.raises(UsageError, match="is not possible") as caught:
        bits(number)
    assert "52" in caught.value.remedy


def test_an_unknown_objective_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="'speed'") as caught:
        Wish(objective="speed")
    assert all(objective in caught.value.remedy for objective in OBJECTIVES)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("time:0.7,memory", "memory has no weight"),
        ("time,memory", "time has no weight"),
        ("time:0", "weight 0"),
        ("time:-1,memory:1", "weight -1"),
        ("time:inf", "weight inf"),
        ("time:much", "'much' is not a weight"),
        ("time:1,time:2", "names time twice"),
        ("size:1,communication:2", "names communication twice"),
        ("", "no objective ''"),
        ("time:1,", "no objective ''"),
    ],
)
def test_a_mix_that_says_nothing_is_refused_with_the_forms_that_there_are(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        Wish(objective=text)
    assert "time:0.7,memory:0.3" in caught.value.remedy


def test_an_objective_is_the_text_that_it_was_read_from() -> None:
    assert Wish(objective=" Time ").objective == "time"
    assert Wish(objective="size").objective == "size"
    assert Objective.parse("size").parts == (("communication", 1.0),)
    assert Objective.parse("time:3, memory:1") == "time:3,memory:1"
    assert Objective.parse("time:3,memory:1").parts == (("time", 0.75), ("memory", 0.25))


def test_a_mix_does_not_mind_units() -> None:
    """Seconds or hours, bytes or GiB: the same order, though not the same score."""
    mix = Objective.parse("time:2,memory:1")
    fast = {"time": np.array([1.0, 2.0, 4.0]), "memory": np.array([9.0, 4.0, 0.5])}
    hours = {"time": fast["time"] / 3600, "memory": fast["memory"] / 2**30}
    assert (np.argsort(mix.score(fast)) == np.argsort(mix.score(hours))).all()
    assert mix.score({"time": 8.0, "memory": 27.0}) == pytest.approx((8 * 8 * 27) ** (1 / 3))


@pytest.mark.parametrize("requests", [0, -1])
def test_no_request_at_all_is_refused(requests: int) -> None:
    with pytest.raises(UsageError, match="requests"):
        Wish(requests=requests)


def test_prices_are_needed_where_cost_is_the_objective_and_none_is_below_0() -> None:
    with pytest.raises(UsageError, match="nothing has a price") as caught:
        Wish(objective="cost")
    assert "--price-core-hour" in caught.value.remedy
    with pytest.raises(UsageError, match="nothing has a price"):
        Wish(objective="time:0.5,cost:0.5", price_gib=0.0)
    with pytest.raises(UsageError, match="price"):
        Wish(price_gib=-1.0)
    with pytest.raises(UsageError, match="price"):
        Wish(price_core_hour=float("nan"))
    assert Wish(objective="cost", price_gib=0.1).goal.names == ("cost",)


def test_everything_that_is_offered_can_be_wished_for() -> None:
    for security in SECURITY_LEVELS:
        for objective in (*OBJECTIVES, ",".join(f"{name}:0.2" for name in NAMES)):
            assert Wish(security, True, bits(52), 0.1, 1, objective, price_gib=1.0).least == bits(52)


def test_without_a_wish_a_result_must_still_be_better_than_garbage() -> None:
    assert Wish().least == bits(LEAST_BITS)
    assert LEAST_BITS > 3


@pytest.mark.parametrize(
    ("text", "measure", "value"),
    [
        ("15", Measure.BITS, 15),
        (" 12.5 ", Measure.BITS, 12.5),
        ("absolute:1e-4", Measure.ABSOLUTE, 1e-4),
        ("Relative:0.001", Measure.RELATIVE, 1e-3),
        ("bits:20", Measure.BITS, 20),
        ("mean:18", Measure.MEAN, 18),
        ("class", Measure.CLASS, 0),
        ("Class:10", Measure.CLASS, 10),
    ],
)
def test_a_precision_is_bits_mean_bits_or_an_absolute_or_a_relative_error(
    text: str, measure: Measure, value: float
) -> None:
    assert Asked.parse(text) == Asked(measure, value)


@pytest.mark.parametrize(
    "text",
    ["1e-4", "0.001", "abs:1e-4", "absolute:", "absolute:much", "absolute:0", "relative:-1", "relative:inf",
     "", "fifteen", "15:bits", "nan", "60", "mean:60", "mean:-1", "class:2.5"],
)  # fmt: skip
def test_any_other_precision_is_refused_with_the_forms_that_there_are(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        Asked.parse(text)
    for form in ("--precision 15", "mean:15", "absolute:1e-4", "relative:1e-3"):
        assert form in caught.value.remedy


def test_more_bits_and_smaller_errors_meet_a_wish() -> None:
    achieved = Achieved(bits=15.0, mean=17.0, absolute=1e-4, relative=1e-3)
    for measure, enough, more in (
        (Measure.BITS, 15.0, 15.1), (Measure.MEAN, 17.0, 17.1),
        (Measure.ABSOLUTE, 1e-4, 9e-5), (Measure.RELATIVE, 1e-3, 9e-4),
    ):  # fmt: skip
        assert Asked(measure, enough).met_by(achieved)
        assert not Asked(measure, more).met_by(achieved)


def test_shared_results_fail_less_often_unless_it_is_said_how_often() -> None:
    assert Wish().failure_bits == FAILURE_BITS == 40
    assert Wish(shared_results=True).failure_bits == SHARED_FAILURE_BITS == 128
    assert Wish(shared_results=True, failure=64).failure_bits == 64


@pytest.mark.parametrize("failure", [0, -40, 0.5, 1001, float("nan")])
def test_a_failure_probability_that_none_can_judge_is_refused(failure: float) -> None:
    with pytest.raises(UsageError, match="failure") as caught:
        Wish(failure=failure)
    assert "--failure 40" in caught.value.remedy


@pytest.mark.parametrize(
    ("asked", "figure", "relied"),
    [
        ("15", 14.96, "14.9 bits of precision can be relied on"),
        ("mean:15", 3.0, "3.0 bits of precision on average can be relied on"),
        ("15", 0.0, "no bit of precision can be relied on"),
        ("15", -351.2, "no bit of precision can be relied on"),
        ("absolute:1e-3", 0.0123, "absolute errors up to 0.012 must be expected"),
    ],
)
def test_what_can_be_relied_on_is_said_as_it_is_meant(asked: str, figure: float, relied: str) -> None:
    assert Asked.parse(asked).relied_on(figure) == relied


def test_no_bits_have_no_sign() -> None:
    assert Asked.parse("8").said(-0.01) == "0.0 bits"
