"""Guessing a sparse secret: sizes and probabilities against counting every secret, and against each other."""

from itertools import combinations, product
from math import comb, log, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.security.attacks.guessing import (
    SUCCESS,
    GuessedWeights,
    guesses,
    log2_drop,
    log2_repetitions,
    log_binomial,
    weights,
)
from fheasible.security.attacks.lwe import problem


def one_secret(n: int, weight: int, values: int = 2) -> GuessedWeights:
    return GuessedWeights(np.array([float(n)]), np.array([float(weight)]), values)


@st.composite
def guessers(draw: st.DrawFn) -> tuple[int, int, int]:
    n = draw(st.integers(2, 1 << 17))
    return n, draw(st.integers(1, min(n, 300))), draw(st.integers(0, n - 1))


@pytest.mark.parametrize(("n", "weight", "zeta"), [(7, 3, 4), (7, 3, 6), (8, 5, 5), (6, 1, 3), (5, 5, 2)])
def test_hits_and_sizes_are_those_of_counting_every_secret(n: int, weight: int, zeta: int) -> None:
    secrets = [set(places) for places in combinations(range(n), weight)]  # signs change no weight
    inside = [len({place for place in secret if place < zeta}) for secret in secrets]
    vectors = [sum(map(abs, vector)) for vector in product((-1, 0, 1), repeat=zeta)]
    found = guesses(one_secret(n, weight), np.array([float(zeta)]))
    first = int(found.first[0])
    assert first == min(inside)
    for w in range(found.log_hit.shape[1]):
        hit = sum(count <= first + w for count in inside) / len(secrets)
        size = sum(first <= count <= first + w for count in vectors)
        assert 2 ** found.log_hit[0, w] == pytest.approx(hit)
        assert 2 ** found.log_size[0, w] == pytest.approx(size)
    assert first + found.log_hit.shape[1] - 1 == max(inside)


def test_a_drop_has_the_probability_of_counting_every_secret() -> None:
    inside = [sum(place < 4 for place in places) for places in combinations(range(9), 4)]
    for w in range(5):
        drop = log2_drop(one_secret(9, 4), np.array([4.0]), np.array([float(w)]))
        assert 2 ** drop[0] == pytest.approx(inside.count(w) / comb(9, 4))


@settings(max_examples=60, deadline=None)
@given(guessers())
def test_probabilities_of_all_weights_sum_to_one(guesser: tuple[int, int, int]) -> None:
    n, weight, zeta = guesser
    found = guesses(one_secret(n, weight), np.array([float(zeta)]))
    counts = np.arange(weight + 1.0)
    drops = log2_drop(one_secret(n, weight), np.full_like(counts, zeta), counts)
    assert np.exp2(drops).sum() == pytest.approx(1, abs=1e-7)
    assert found.log_hit[0, -1] == pytest.approx(0, abs=1e-7)
    assert (found.log_hit <= 0).all()


@settings(max_examples=60, deadline=None)
@given(guessers())
def test_more_non_zeros_hit_more_often_and_are_more_guesses(guesser: tuple[int, int, int]) -> None:
    n, weight, zeta = guesser
    found = guesses(one_secret(n, weight), np.array([float(zeta)]))
    hit = found.log_hit[0]
    assert (np.diff(hit[np.isfinite(hit)]) >= 0).all()
    assert (np.diff(found.log_size[0][np.isfinite(found.log_size[0])]) >= 0).all()


def test_many_rows_give_what_each_gives() -> None:
    secrets = GuessedWeights(np.array([1024.0, 4096.0, 50.0]), np.array([64.0, 192.0, 40.0]), 2)
    zeta = np.array([500.0, 700.0, 30.0])
    together = guesses(secrets, zeta)
    for i in range(3):
        alone = guesses(secrets.part(np.array([i])), zeta[i : i + 1])
        width = alone.log_hit.shape[1]
        np.testing.assert_array_equal(together.log_hit[i, :width], alone.log_hit[0])
        np.testing.assert_array_equal(together.log_size[i, :width], alone.log_size[0])
        assert (together.log_size[i, width:] == alone.log_size[0, -1]).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 300_000), st.integers(-3, 300_000))
def test_a_binomial_is_that_of_integers(n: int, k: int) -> None:
    near = min(k, 200) if k >= 0 else k
    expected = log(comb(n, near)) if 0 <= near <= n else -np.inf
    assert log_binomial(np.array(n), np.array(near)) == pytest.approx(expected, rel=1e-9, abs=1e-8)


@settings(deadline=None)
@given(st.floats(-20, -0.001))
def test_repetitions_are_the_fewest_that_succeed(log_probability: float) -> None:
    times = round(2 ** log2_repetitions(np.array(log_probability)))
    failure = 1 - 2**log_probability
    assert 1 - failure**times >= SUCCESS - 1e-9
    assert times == 1 or 1 - failure ** (times - 1) < SUCCESS + 1e-9


def test_rare_successes_take_the_inverse_of_their_probability() -> None:
    assert log2_repetitions(np.array(-500.0)) == pytest.approx(500 + log2(log(100)))
    assert log2_repetitions(np.array(0.0)) == 0


def test_what_there_is_to_guess_follows_the_secret() -> None:
    for name, weight, values in (("sparse:192", 192, 2), ("ternary", 683, 2), ("binary", 512, 1)):
        found = weights(problem(1024, 27, name)[0])
        assert found is not None
        assert (found.weight[0], found.values) == (weight, values)
    assert weights(problem(1024, 27, "gaussian")[0]) is None
