"""Which runs are chosen, judged by covariances that are inverted in full, and by trying all sets."""

from collections.abc import Sequence
from itertools import combinations, pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.calibration.design import PRIOR, Offer, Rows, choose

Targets = dict[str, Rows]


def variance(offers: Sequence[Offer], runs: Sequence[int], targets: Rows, name: str) -> float:
    """The mean variance of the predictions of one operation: rows T of targets, R of what the runs show,
    both in units of the targets' largest features; the mean diagonal of T (PRIOR + R'R)^-1 T'."""
    size = np.abs(targets).max(axis=0)
    size, used = size[size > 0], size > 0
    precision = PRIOR * np.eye(len(size))
    for i in runs:
        rows = offers[i].rows.get(name, np.zeros((0, len(used))))[:, used] / size
        precision += rows.T @ rows
    wanted = targets[:, used] / size
    return float(np.mean(np.diag(wanted @ np.linalg.inv(precision) @ wanted.T)))


def known(offers: Sequence[Offer], runs: Sequence[int], targets: Targets) -> float:
    """By how much the logarithms of all variances fall."""
    return sum(
        log(variance(offers, [], t, name) / variance(offers, runs, t, name)) for name, t in targets.items()
    )


def drawn(seed: int, runs: int, features: int = 3, operations: int = 2) -> tuple[list[Offer], Targets]:
    """Runs of up to two rows of some operations, each row like one that is to be predicted."""
    draw = np.random.default_rng(seed)
    targets = {f"o{k}": draw.exponential(size=(6, features)) for k in range(operations)}
    offers = []
    for _ in range(runs):
        shown = {name: t[draw.integers(0, 6, draw.integers(1, 3))] for name, t in targets.items()}
        offers.append(Offer(float(draw.uniform(0.5, 3)), shown))
    return offers, targets


def seconds(offers: Sequence[Offer], runs: Sequence[int]) -> float:
    return sum(offers[i].seconds for i in runs)


@given(seed=st.integers(0, 10_000), runs=st.integers(0, 12), budget=st.floats(0, 12))
@settings(max_examples=50, deadline=None)
def test_the_chosen_fit_the_budget_and_nothing_else_would(seed: int, runs: int, budget: float) -> None:
    offers, targets = drawn(seed, runs)
    found = choose(offers, targets, budget)
    assert len(found) == len(set(found))
    assert seconds(offers, found) <= budget + 1e-9
    left = budget - seconds(offers, found)
    assert all(o.seconds > left for i, o in enumerate(offers) if i not in found)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_each_in_turn_is_the_one_that_tells_most_per_second(seed: int) -> None:
    offers, targets = drawn(seed, 6)
    found = choose(offers, targets, 6.0)
    for turn, run in enumerate(found):
        before = found[:turn]
        left = 6.0 - seconds(offers, before)
        now = known(offers, before, targets)
        rates = {
            i: (known(offers, [*before, i], targets) - now) / o.seconds
            for i, o in enumerate(offers)
            if i not in before and o.seconds <= left
        }
        assert rates[run] == pytest.approx(max(rates.values()), rel=1e-6, abs=1e-9)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_another_run_never_tells_less(seed: int) -> None:
    offers, targets = drawn(seed, 8)
    found = choose(offers, targets, 100.0)
    assert sorted(found) == list(range(8))
    for name, t in targets.items():
        falling = [variance(offers, found[:k], t, name) for k in range(9)]
        assert all(b <= a * (1 + 1e-9) for a, b in pairwise(falling))


@pytest.mark.parametrize(("budget", "least"), [(3.0, 0.5), (5.0, 0.7), (8.0, 0.85)])
def test_it_comes_near_the_best_of_all_sets(budget: float, least: float) -> None:
    """The more runs, the nearer: to choose one after another is no proof of the best."""
    ratios = []
    for seed in range(16):
        offers, targets = drawn(seed, 8)
        sets = (s for size in range(9) for s in combinations(range(8), size))
        best = max(known(offers, s, targets) for s in sets if seconds(offers, s) <= budget)
        ratios.append(known(offers, choose(offers, targets, budget), targets) / best)
    assert max(ratios) <= 1 + 1e-9
    assert min(ratios) >= least
    assert np.mean(ratios) >= 0.9


def single(seconds: float, **sizes: float) -> Offer:
    """A row of one feature for each operation."""
    return Offer(seconds, {name: np.array([[x]]) for name, x in sizes.items()})


ONE = {"a": np.array([[1.0]]), "b": np.array([[1.0]])}


@given(
    costs=st.lists(st.floats(0.5, 3), min_size=1, max_size=8),
    budgets=st.tuples(st.floats(0, 10), st.floats(0, 10)),
    data=st.data(),
)
@settings(max_examples=60, deadline=None)
def test_with_one_feature_a_larger_budget_never_tells_less(
    costs: list[float], budgets: tuple[float, float], data: st.DataObject
) -> None:
    """What a run tells then falls with what is known, so that the best per second is worth its place."""
    size = st.floats(0.1, 10)
    offers = [single(s, a=data.draw(size), b=data.draw(size)) for s in costs]
    less, more = (known(offers, choose(offers, ONE, b), ONE) for b in sorted(budgets))
    assert more >= less - 1e-9


def test_by_hand() -> None:
    """Variances of a and of b are 100 before. A run whose row is x leaves 1 / (0.01 + x²), so that "both"
    gains 2 log 101 in 2 seconds, "a" log 401 in one; then "both" gains log(5.01 / 4.01) + log 101 in 2, and
    b's own less than half of that in 1."""
    offers = [single(2.0, a=1.0, b=1.0), single(1.0, a=2.0), single(1.0, b=0.1)]
    assert choose(offers, ONE, 4.0) == [1, 0, 2]
    assert choose(offers, ONE, 3.0) == [1, 0]
    assert choose(offers, ONE, 2.0) == [1, 2]  # nothing of both is left
    assert choose(offers, ONE, 0.9) == []


def test_the_same_again_is_worth_less() -> None:
    """So another operation, of which a run tells no more, comes between."""
    offers = [single(1.0, a=1.0), single(1.0, a=1.0), single(1.0, b=0.5)]
    assert choose(offers, ONE, 3.0) == [0, 2, 1]
    assert known(offers, [0], ONE) > known(offers, [0, 1], ONE) - known(offers, [0], ONE) > 0


@given(seed=st.integers(0, 10_000), times=st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_every_repetition_is_worth_less_than_the_one_before(seed: int, times: int) -> None:
    (offer, *_), targets = drawn(seed, 1)
    knowledge = [known([offer] * 7, range(k), targets) for k in range(times + 2)]
    gains = np.diff(knowledge)
    assert np.all(gains > 0)
    assert np.all(np.diff(gains) <= 1e-9)


def test_what_tells_nothing_comes_last() -> None:
    """Rows without features, and features that nothing to be predicted has."""
    wide = {"a": np.array([[1.0, 0.0]])}
    empty = Offer(0.01, {"a": np.zeros((3, 2))})
    foreign = Offer(0.01, {"a": np.array([[0.0, 5.0]])})
    useful = Offer(9.0, {"a": np.array([[0.01, 0.0]])})
    assert choose([empty, foreign, useful], wide, 10.0) == [2, 0, 1]


def test_of_equal_runs_the_earlier_comes_first() -> None:
    offers = [single(1.0, a=1.0)] * 3
    assert choose(offers, ONE, 2.0) == [0, 1]


def test_a_run_beyond_the_budget_does_not_stop_the_others() -> None:
    offers = [single(5.0, a=100.0, b=100.0), single(1.0, a=1.0)]
    assert choose(offers, ONE, 2.0) == [1]


@given(seed=st.integers(0, 1000), factors=st.lists(st.floats(1e-9, 1e9), min_size=3, max_size=3))
@settings(max_examples=20, deadline=None)
def test_units_of_features_do_not_matter(seed: int, factors: list[float]) -> None:
    """Transforms are few and bytes many."""
    offers, targets = drawn(seed, 6)
    scaled = [Offer(o.seconds, {k: r * factors for k, r in o.rows.items()}) for o in offers]
    large = {k: t * factors for k, t in targets.items()}
    budget = 5.0
    one, other = choose(offers, targets, budget), choose(scaled, large, budget)
    assert known(offers, other, targets) == pytest.approx(known(offers, one, targets), rel=1e-6)
