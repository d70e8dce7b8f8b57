"""p-calibration, on curves that are known and on the paper's own arithmetic."""

from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as at_most
from hypothesis import strategies as st

from fheasible.aliases import Floats
from fheasible.calibration.interpolation import Method, applicable, curve
from fheasible.calibration.points import CalibrationEffort, best, chosen, judge
from fheasible.errors import DataError, UsageError

SWEEP = np.linspace(1.7e9, 8.8e11, 41)  # integer multiplications, as FV's over log2 q

counts = st.integers(0, 10**13)
seconds = st.floats(1e-3, 1e4)
factors = st.floats(1e-6, 1e6)


def points(least: int = 1, most: int = 7) -> st.SearchStrategy[list[tuple[int, float]]]:
    """Executed points whose x differ by more than rounding."""

    def apart(made: list[tuple[int, float]]) -> bool:
        xs = sorted(x for x, _ in made)
        return all(b - a > 1e-6 * xs[-1] for a, b in pairwise(xs))

    return st.lists(st.tuples(counts, seconds), min_size=least, max_size=most).filter(apart)


# the curves


def test_one_point_is_a_factor_two_are_a_line_and_more_a_polynomial() -> None:
    assert applicable(1) == (Method.FACTOR,)
    assert [applicable(p)[0] for p in (2, 3, 9)] == [Method.LINE, Method.POLYNOMIAL, Method.POLYNOMIAL]


def test_a_factor_by_hand() -> None:
    # 200 multiplications in 3 s: 0.015 s each
    assert curve([200], [3.0], Method.FACTOR).predict([0, 100, 1000]) == pytest.approx([0, 1.5, 15])


def test_a_line_by_hand() -> None:
    # through (100, 2) and (300, 8): y = 0.03 x - 1, as Eq. 1 of the paper solves to
    found = curve([300, 100], [8.0, 2.0], Method.LINE)
    assert found.predict([100, 200, 300, 500]) == pytest.approx([2, 5, 8, 14])


def test_a_parabola_and_segments_by_hand() -> None:
    # through (0, 1), (1, 2), (3, 10): y = x^2 + 1; the segments have the slopes 1 and 4
    x, y = [0, 1, 3], [1.0, 2.0, 10.0]
    assert curve(x, y, Method.POLYNOMIAL).predict([0.5, 2, 4]) == pytest.approx([1.25, 5, 17])
    assert curve(x, y, Method.PIECEWISE).predict([0.5, 2, 4]) == pytest.approx([1.5, 6, 14])


def test_least_squares_of_relative_errors_by_hand() -> None:
    # y = 1, 1, 2 at x = 0, 1, 1 has weights 4, 4, 1: at x = 1 the best is (4·1 + 1·2) / 5 = 1.2, at 0 it is 1
    assert curve([0, 1, 1], [1.0, 1.0, 2.0], Method.LEAST_SQUARES).predict([0, 1, 2]) == pytest.approx(
        [1, 1.2, 1.4]
    )


@given(points())
def test_every_curve_but_least_squares_goes_exactly_through_its_points(made: list[tuple[int, float]]) -> None:
    x, y = zip(*made, strict=True)
    for method in applicable(len(made)):
        if (method is Method.LEAST_SQUARES and len(made) > 2) or (len(made) == 1 and x[0] == 0):
            continue
        assert curve(x, y, method).predict(x) == pytest.approx(y, rel=1e-7)


@given(a=st.floats(1e-12, 1e-9), b=st.floats(0, 10), x=st.lists(counts, min_size=2, max_size=9, unique=True))
def test_a_line_comes_back_from_every_method(a: float, b: float, x: list[int]) -> None:
    spread = [10**6 * i + v % 10**5 for i, v in enumerate(x, start=1)]
    y = [a * v + b for v in spread]
    for method in applicable(len(x)):
        inside = np.linspace(min(spread), max(spread), 13)
        assert curve(spread, y, method).predict(inside) == pytest.approx(a * inside + b, rel=1e-6)


@given(st.lists(st.floats(0.1, 10), min_size=3, max_size=10))
def test_a_polynomial_of_degree_p_minus_1_comes_back_from_p_points(coefficients: list[float]) -> None:
    def truth(x: Floats) -> Floats:
        return np.polynomial.polynomial.polyval((x - SWEEP[0]) / np.ptp(SWEEP), coefficients)

    at = list(chosen(len(SWEEP), len(coefficients)))
    found = curve(SWEEP[at], truth(SWEEP[at]), Method.POLYNOMIAL).predict(SWEEP)
    assert found == pytest.approx(truth(SWEEP), rel=1e-9)


def test_twenty_points_far_from_zero_lose_no_precision() -> None:
    # powers of 1e12 up to the 19th would have nothing left of these figures
    u = np.cos(np.pi * (2 * np.arange(20) + 1) / 40)
    nodes, dense = 1e12 + 1e9 * u, 1e12 + 1e9 * np.linspace(-1, 1, 101)
    found = curve(nodes, np.exp(u), Method.POLYNOMIAL).predict(dense)
    assert found == pytest.approx(np.exp((dense - 1e12) / 1e9), rel=1e-10)


@given(made=points(), factor_x=factors, factor_y=factors)
def test_units_do_not_matter(made: list[tuple[int, float]], factor_x: float, factor_y: float) -> None:
    x, y = (np.array(side, dtype=float) for side in zip(*made, strict=True))
    inside = np.linspace(x.min(), x.max(), 13)
    for method in applicable(len(made)) if x.any() else ():
        found = curve(x, y, method).predict(inside)
        scaled = curve(factor_x * x, factor_y * y, method).predict(factor_x * inside) / factor_y
        assert scaled == pytest.approx(found, rel=1e-6, abs=1e-7 * found.max())


@given(points().flatmap(lambda made: st.tuples(st.just(made), st.permutations(made))))
def test_the_order_of_the_points_does_not_change_a_bit(
    orders: tuple[list[tuple[int, float]], list[tuple[int, float]]],
) -> None:
    given_order, other = orders
    if other == [(0, other[0][1])]:  # no factor
        return
    x, y = zip(*given_order, strict=True)
    shuffled_x, shuffled_y = zip(*other, strict=True)
    for method in applicable(len(x)):
        assert curve(x, y, method) == curve(shuffled_x, shuffled_y, method)
    assert best(x, y) == best(shuffled_x, shuffled_y)


@pytest.mark.parametrize("p", [2, 3, 5])
def test_where_the_theory_does_not_change_the_mean_is_predicted(p: int) -> None:
    x, y = [7e9] * p, [float(i) for i in range(1, p + 1)]
    for method in applicable(p):
        found = curve(x, y, method)
        assert found.constant
        assert found.predict([7e9, 9e9]) == pytest.approx([(p + 1) / 2] * 2)
    assert best(x, y).curve.predict(7e9) == pytest.approx((p + 1) / 2)


def test_points_that_share_an_x_are_averaged_and_rounding_does_not_tell_them_apart() -> None:
    for same in (2.0, 2.0 * (1 + 1e-12)):
        for method in (Method.POLYNOMIAL, Method.PIECEWISE):
            found = curve([2.0, 1.0, same], [3.0, 1.0, 5.0], method)
            assert found.predict([1, 2, 3]) == pytest.approx([1, 4, 7])
            assert not found.constant


@given(made=points(), far=st.lists(st.floats(0, 1e30), min_size=1))
def test_no_prediction_is_negative_or_not_a_number(made: list[tuple[int, float]], far: list[float]) -> None:
    x, y = zip(*made, strict=True)
    for method in applicable(len(made)):
        if len(made) > 1 or x[0] > 0:
            found = curve(x, y, method).predict(far)
            assert np.all(np.isfinite(found) & (found >= 0))


def test_below_zero_there_is_no_prediction_and_outside_the_points_it_is_an_extrapolation() -> None:
    found = curve([100, 200], [1.0, 3.0], Method.LINE)  # y = 0.02 x - 1
    assert found.predict([25, 50, 75, 250]) == pytest.approx([0, 0, 0.5, 4])
    assert found.extrapolates([25, 100, 150, 200, 250]).tolist() == [True, False, False, False, True]


def test_an_overflow_is_no_prediction() -> None:
    nodes = np.arange(30.0)
    assert curve(nodes, 1 + nodes % 2, Method.POLYNOMIAL).predict([1e300, 3]) == pytest.approx([0, 2])
    assert curve([1e-10], [1.0], Method.FACTOR).predict([1e300, 1]) == pytest.approx([0, 1e10])


def test_a_prediction_has_the_shape_of_what_was_asked() -> None:
    for p in (1, 2, 3):
        for method in applicable(p):
            found = curve([1, 2, 3][:p], [1, 2, 3][:p], method)
            assert found.predict(2).shape == ()
            assert found.predict(np.ones((2, 5))).shape == (2, 5)


@pytest.mark.parametrize(
    ("x", "y"),
    [([1, 2], [1, 0]), ([1, 2], [1, np.nan]), ([-1, 2], [1, 1]), ([1, np.inf], [1, 1]), ([1], [1, 2])],
)
def test_points_that_are_no_figures_are_refused(x: list[float], y: list[float]) -> None:
    with pytest.raises(DataError):
        best(x, y)


def test_a_method_for_another_number_of_points_is_refused() -> None:
    for count, method in (
        (2, Method.FACTOR),
        (3, Method.LINE),
        (2, Method.POLYNOMIAL),
        (1, Method.PIECEWISE),
    ):
        with pytest.raises(UsageError, match=method):
            curve(range(1, count + 1), range(1, count + 1), method)
    with pytest.raises(UsageError):
        best([], [])


def test_no_factor_turns_nothing_into_something() -> None:
    with pytest.raises(DataError):
        best([0], [1.0])


# which points


def test_the_points_of_the_paper() -> None:
    assert chosen(21, 2) == (0, 20)  # log2 q = 100 and 300 of 100:300:10
    assert chosen(21, 1) == (10,)
    assert chosen(32, 3) == (0, 16, 31)  # log2 w = 2, 34, 64 of 2:64:2


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, min(n, 40)))))
def test_chosen_points_are_distinct_evenly_spaced_and_reach_both_ends(sizes: tuple[int, int]) -> None:
    count, p = sizes
    at = chosen(count, p)
    gaps = [b - a for a, b in pairwise(at)]
    assert len(at) == p
    assert p == 1 or (at[0], at[-1]) == (0, count - 1)
    assert p == 1 or (min(gaps) >= 1 and max(gaps) - min(gaps) <= 1)
    assert chosen(count, count) == tuple(range(count)) or count == 1


@pytest.mark.parametrize(("count", "p"), [(3, 0), (3, 4), (1, 2), (0, 1), (3, -1)])
def test_a_number_of_points_that_a_sweep_does_not_have_is_refused(count: int, p: int) -> None:
    with pytest.raises(UsageError):
        chosen(count, p)


# which method


def test_up_to_two_points_leave_nothing_to_compare() -> None:
    one, two = best([5], [1.0]), best([5, 6], [1.0, 2.0])
    assert (one.curve.method, two.curve.method) == (Method.FACTOR, Method.LINE)
    assert (one.scores, two.scores, two.score) == ({}, {}, None)


@given(points(least=3, most=3))
def test_three_points_tie_and_the_polynomial_is_the_default(made: list[tuple[int, float]]) -> None:
    found = best(*zip(*made, strict=True))
    assert len(found.scores) == 3
    assert list(found.scores.values()) == pytest.approx([found.score] * 3, rel=1e-8, abs=1e-8)
    assert found.curve.method is Method.POLYNOMIAL


def test_scores_by_hand() -> None:
    # (1, 1), (2, 2), (3, 3), (4, 8). Segments: without 1: 1 at 1; without 2: 2; without 3: 5 for 3;
    # without 4: 4 for 8. Errors 0, 0, 2/3, 1/2.
    found = best([1, 2, 3, 4], [1.0, 2.0, 3.0, 8.0])
    assert found.scores[Method.PIECEWISE] == pytest.approx((2 / 3 + 1 / 2) / 4)
    # Parabolas: the third difference is 8 - 3·3 + 3·2 - 1 = 4, and the one through three of four equidistant
    # points misses the fourth by 4 over its binomial coefficient (1, 3, 3, 1).
    expected = (4 / 1 + 4 / 3 / 2 + 4 / 3 / 3 + 4 / 8) / 4
    assert found.scores[Method.POLYNOMIAL] == pytest.approx(expected)
    assert found.curve.method is Method.PIECEWISE
    assert found.score == found.scores[Method.PIECEWISE]


@pytest.mark.parametrize("p", [4, 5, 6, 8])
def test_smooth_curves_are_a_polynomials(p: int) -> None:
    x = SWEEP[list(chosen(len(SWEEP), p))]
    u = x / SWEEP[-1]
    for y in (1 + u**2, 0.5 + u**3, 2 + u + 3 * u**2.2):
        assert best(x, y).curve.method is Method.POLYNOMIAL


@pytest.mark.parametrize("p", [5, 6, 8])
def test_noise_on_a_line_is_not_a_polynomials(p: int) -> None:
    x = SWEEP[list(chosen(len(SWEEP), p))]
    draw = np.random.default_rng(3)
    noisy = [(3e-11 * x + 0.5) * (1 + 0.03 * draw.standard_normal(p)) for _ in range(200)]
    picked = [best(x, y).curve.method for y in noisy]
    assert picked.count(Method.POLYNOMIAL) < 20
    assert picked.count(Method.LEAST_SQUARES) > 120


@at_most(max_examples=50, deadline=None)
@given(made=points(least=3), factor=factors)
def test_the_choice_does_not_depend_on_units(made: list[tuple[int, float]], factor: float) -> None:
    x, y = (np.array(side, dtype=float) for side in zip(*made, strict=True))
    here, there = best(x, y), best(x * factor, y / factor)
    for method, score in here.scores.items():
        assert there.scores[method] == pytest.approx(score, rel=1e-4, abs=1e-6)


# how well


def minutes(m: int, s: float) -> float:
    return 60 * m + s


TABLE_2 = {  # calibration, execution, and the speedup that is printed
    "FV": (CalibrationEffort(32.2, minutes(7, 25)), 13.8),
    "YASHE": (CalibrationEffort(minutes(2, 46), minutes(41, 4)), 14.8),
    "SHIELD": (CalibrationEffort(58.3, minutes(6, 30)), 6.7),
    "F-NTRU": (CalibrationEffort(37, minutes(2, 27)), 4.0),
}


@pytest.mark.parametrize("scheme", TABLE_2)
def test_the_speedups_of_the_paper(scheme: str) -> None:
    effort, published = TABLE_2[scheme]
    assert round(effort.speedup, 1) == published


def test_the_speedup_of_the_whole_paper() -> None:
    whole = reduce(add, (effort for effort, _ in TABLE_2.values()))
    assert round(whole.calibrating_seconds) in (293, 294)  # 4'54"
    assert whole.executing_seconds == minutes(57, 26)
    assert round(whole.speedup, 1) == 11.7


def test_a_judgement_by_hand() -> None:
    found = judge([1, 3, 3, 0], [1, 2, 4, 5], at=(0, 2), seconds=[10, 20, 40, 50])
    assert found.errors == (0, 0.5, 0.25, 1)
    assert found.seen == (True, False, True, False)
    assert (found.mean, found.max) == (1.75 / 4, 1)
    assert (found.unseen_mean, found.unseen_max) == (0.75, 1)
    assert found.absent == 1
    assert found.effort == CalibrationEffort(50, 120)
    assert found.effort.speedup == 2.4


def test_judgements_of_several_sweeps_add_up() -> None:
    one = judge([1, 3], [1, 2], at=(0,), seconds=[1, 2])
    two = judge([4, 0, 6], [4, 5, 8], at=(0, 2), seconds=[4, 5, 8])
    whole = judge([1, 3, 4, 0, 6], [1, 2, 4, 5, 8], at=(0, 2, 4), seconds=[1, 2, 4, 5, 8])
    assert one + two == whole


def test_where_everything_was_executed_nothing_is_unseen() -> None:
    found = judge([1, 2], [1, 2], at=(0, 1), seconds=[1, 2])
    assert (found.mean, found.unseen_mean, found.unseen_max) == (0, None, None)
    assert found.effort.speedup == 1


@given(made=points(least=2), p=st.integers(1, 7))
def test_more_than_the_calibrated_values_is_never_faster_to_execute(
    made: list[tuple[int, float]], p: int
) -> None:
    truth = np.array([y for _, y in made])
    found = judge(truth, truth, chosen(len(made), min(p, len(made))), truth)
    assert found.max == 0
    assert found.effort.speedup >= 1 - 1e-12


@pytest.mark.parametrize("at", [(), (0, 0), (2,), (-1,)])
def test_indices_that_are_not_the_sweeps_are_refused(at: tuple[int, ...]) -> None:
    with pytest.raises(UsageError):
        judge([1, 2], [1, 2], at, [1, 2])


def test_a_judgement_needs_what_really_ran() -> None:
    for practical, took in (([1, 0], [1, 1]), ([1, 2], [1, 0]), ([1, 2, 3], [1, 1]), ([1, 2], [1])):
        with pytest.raises(DataError):
            judge([1, 2], practical, (0,), took)


def test_a_quadratic_sweep_from_three_points_to_its_judgement() -> None:
    practical = 0.4 + 2 * (SWEEP / SWEEP[-1]) ** 2
    at = chosen(len(SWEEP), 3)
    found = best(SWEEP[list(at)], practical[list(at)])
    report = judge(found.curve.predict(SWEEP), practical, at, practical)
    assert report.max < 1e-9
    assert report.effort.speedup == pytest.approx(np.sum(practical) / np.sum(practical[[0, 20, 40]]))
