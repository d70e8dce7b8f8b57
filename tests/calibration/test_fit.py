"""The fit, on points made from prices that are known."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.calibration.fit import (
    HOLD,
    MOST,
    Prices,
    fit,
    grouped,
)
from fheasible.estimation.features import NAMES, Shape, features
from fheasible.estimation.profile import TimedShape
from fheasible.libraries.work import layout_of
from libraries.chains import actions, chain

from .synthetic import CACHES, TRUE, UNSEEN, points, shapes, taking


def predicted(prices: Prices, shape: Shape) -> float:
    return prices.seconds(TimedShape(shape, 1.0), CACHES)


def worst(prices: Prices, contexts: Sequence[tuple[int, int]] = UNSEEN) -> float:
    """The largest relative error of what the true prices say."""
    return max(abs(predicted(prices, s) / taking(s) - 1) for s in shapes(contexts))


def test_without_noise_the_prices_come_back() -> None:
    found = fit(points(), CACHES)
    assert found.shared == pytest.approx(TRUE, rel=1e-6, abs=1e-15)
    assert worst(found) < 1e-6
    assert set(found.own) == {f"ckks/{action}" for action in actions("ckks")}


@pytest.mark.parametrize("seed", range(3))
def test_predictions_err_less_than_the_points_do(seed: int) -> None:
    assert worst(fit(points(noise=0.05, seed=seed), CACHES)) < 0.05


def disturbed(by: float, seed: int) -> list[TimedShape]:
    """Of each operation one point in ten takes `by` times as long: load on a machine never makes it less.
    Not that of the largest context, which alone shows what it is to miss the third cache."""
    draw, made = np.random.default_rng(seed), []
    for group in grouped(points()).values():
        bad = draw.integers(len(group) - 1)
        made += [replace(p, seconds=p.seconds * (by if i == bad else 1)) for i, p in enumerate(group)]
    return made


@pytest.mark.parametrize("by", [1.3, 3.0, 100.0])
@pytest.mark.parametrize("seed", range(4))
def test_a_tenth_of_points_that_are_far_off_hardly_matters(by: float, seed: int) -> None:
    assert worst(fit(disturbed(by, seed), CACHES)) < 0.02


def test_the_order_of_points_does_not_matter() -> None:
    made = points(noise=0.1)
    shuffled = [made[i] for i in np.random.default_rng(3).permutation(len(made))]
    one, other = fit(made, CACHES), fit(shuffled, CACHES)
    for s in shapes(UNSEEN):
        assert predicted(other, s) == pytest.approx(predicted(one, s), rel=1e-6)


@given(
    seconds=st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=30),
    start=st.integers(0, 100),
)
@settings(max_examples=60, deadline=None)
def test_no_price_is_ever_negative_or_without_bound(seconds: Sequence[float], start: int) -> None:
    made = [replace(p, seconds=s) for p, s in zip(points()[start:], seconds, strict=False)]
    found = fit(made, CACHES)
    for prices in (found.shared, *found.own.values()):
        assert len(prices) == len(NAMES)
        assert all(np.isfinite(x) and x >= 0 for x in prices)
        assert any(x > 0 for x in prices)


def test_small_operations_weigh_as_much_as_large_ones() -> None:
    """Errors are relative: beside a key switch of half a second, a sum of microseconds is still seen."""
    small, large = points([(12, 1)], only=["add"]), points([(16, 40)], only=["relinearize"])
    assert large[0].seconds > 1e4 * small[0].seconds
    found = fit([*small, *large], CACHES)
    for p in (*small, *large):
        assert found.seconds(p, CACHES) == pytest.approx(p.seconds, rel=0.02)


# -- an operation's own prices


def test_an_operation_of_many_points_costs_what_they_show() -> None:
    """Twice as dear as its kernels are elsewhere, and no other operation suffers from it."""
    made = [replace(p, seconds=p.seconds * (2 if p.name == "ckks/mul" else 1)) for p in points()]
    found = fit(made, CACHES)
    for s in shapes(UNSEEN):
        expected = taking(s) * (2 if s.task.action == "mul" else 1)
        assert predicted(found, s) == pytest.approx(expected, rel=0.05)


def test_one_point_is_held_near_the_shared_prices() -> None:
    """By hand: the point is one equation sum_j d_j = r, where r is what the shared prices lack there and d_j
    what feature j costs more, in parts of the point; sum_j HOLD d_j² is added to its error. So all d_j are
    r / (k + HOLD), of k features."""
    one = points([(13, 4)], only=["mul"])[0]
    dear = replace(one, seconds=1.3 * one.seconds)
    found = fit([*(p for p in points() if p.name != "ckks/mul"), dear], CACHES)
    share = np.array(features(dear.shape, CACHES)) / dear.seconds
    lacking = 1 - float(np.dot(share, found.shared))
    assert 0.1 < lacking < 0.3  # others say that its kernels are cheaper
    used = share > 0
    more = (np.array(found.own["ckks/mul"]) - np.array(found.shared)) * share
    assert more[used] == pytest.approx(lacking / (used.sum() + HOLD))
    assert found.seconds(dear, CACHES) < dear.seconds
    assert found.seconds(dear, CACHES) == pytest.approx(dear.seconds, rel=0.02)


def test_what_no_point_of_an_operation_has_is_at_the_shared_price() -> None:
    """Products are seen where they fit the caches; of what it is to miss them, other operations tell."""
    index, large = NAMES.index("l2_missed_bytes"), shapes([(15, 10)], only=["mul"])[0]
    small = points([(12, 1), (12, 2)], only=["mul"])
    assert not any(features(p.shape, CACHES)[index] for p in small)
    assert TRUE[index] * features(large, CACHES)[index] > 0.05 * taking(large)
    found = fit([*(p for p in points() if p.name != "ckks/mul"), *small], CACHES)
    assert found.own["ckks/mul"][index] == found.shared[index] > 0
    assert predicted(found, large) == pytest.approx(taking(large), rel=1e-6)


def test_an_operation_without_points_costs_what_its_kernels_cost_elsewhere() -> None:
    found = fit([p for p in points() if p.name != "ckks/square"], CACHES)
    assert "ckks/square" not in found.own
    for s in shapes(UNSEEN, only=["square"]):
        assert predicted(found, s) == pytest.approx(taking(s), rel=1e-6)


@pytest.mark.parametrize(("times", "kept"), [(0.01, False), (1.0, True)])
def test_a_feature_that_is_nowhere_a_hundredth_of_the_time_is_left_out(times: float, kept: bool) -> None:
    """Gaussian samples, at a hundredth of what they take or at all of it."""
    index = NAMES.index("gaussian_samples")
    prices = tuple(x * (times if i == index else 1) for i, x in enumerate(TRUE))
    share = [prices[index] * features(s, CACHES)[index] / taking(s, prices) for s in shapes()]
    assert (max(share) > 0.01) == kept
    found = fit(points(prices=prices), CACHES)
    assert (found.shared[index] > 0) == kept
    for s in shapes(UNSEEN):
        assert predicted(found, s) == pytest.approx(taking(s, prices), rel=0.01)


def test_every_operation_of_every_scheme_has_prices_of_its_own() -> None:
    other = layout_of(chain("seal", "bgv", 3))
    dearer = [
        TimedShape(replace(p.shape, layout=other), 2 * p.seconds) for p in points([(13, 3)], only=["add"])
    ]
    found = fit([*points(only=["add", "neg"]), *dearer], CACHES)
    assert set(found.own) == {"ckks/add", "ckks/neg", "bgv/add"}
    assert found.seconds(dearer[0], CACHES) == pytest.approx(dearer[0].seconds, rel=0.05)


def test_nothing_follows_from_no_points() -> None:
    with pytest.raises(ValueError, match="at least one point"):
        fit([], CACHES)


# -- bytes beyond the caches


def test_a_byte_beyond_a_cache_costs_no_more_than_memory_gives() -> None:
    """Made of runs in which such bytes are ten times dearer than any memory's."""
    absurd = tuple(2e-10 if name == "l3_missed_bytes" else x for name, x in zip(NAMES, TRUE, strict=True))
    asked = shapes([(13, 2), (14, 8), (15, 7), (15, 12), (16, 8), (16, 12)], only=["add", "mul", "neg"])
    found = fit([TimedShape(s, float(np.dot(absurd, features(s, CACHES)))) for s in asked], CACHES)
    for prices in (found.shared, *found.own.values()):
        assert np.all(np.asarray(prices) <= MOST)
        assert min(prices) >= 0
