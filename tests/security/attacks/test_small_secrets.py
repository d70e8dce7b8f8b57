"""The small problems that dual hybrid attacks leave, against counting and figures worked out by hand."""

from itertools import product
from math import comb, exp, log, log2, pi, sqrt

import numpy as np
import pytest

from fheasible.security.attacks.small_secrets import Small, enumerated, log2_split, met_in_the_middle


def one_problem(zeta: int, weight: int, noise: float, log_q: float = 40.0) -> Small:
    whole = (np.array([[count]]) for count in (zeta, weight, weight // 2))
    return Small(*whole, np.array([[noise]]), np.array([[log_q]]))


def test_trying_all_secrets_takes_the_samples_that_tell_them_apart() -> None:
    """[EspJouKha20]: 8 exp(4 pi^2 s^2) (ln M - ln ln(1 / p)) samples for M secrets, 2 M operations each."""
    p = sqrt(0.99)
    secrets = comb(50, 4) * comb(46, 4) * p  # 8 of 50 coordinates, four of them 1
    samples = 8 * exp(4 * pi**2 * 0.3**2) * (log(secrets) - log(log(1 / p)))
    found = enumerated(one_problem(50, 8, 0.3))
    assert found.samples[0, 0] == pytest.approx(log2(samples))
    assert found.bits[0, 0] == pytest.approx(log2(2 * secrets * samples))


def test_no_coordinate_is_one_secret() -> None:
    found = enumerated(one_problem(0, 0, 0.1))
    samples = 8 * exp(4 * pi**2 * 0.1**2) * -log(log(1 / sqrt(0.99)))
    assert found.bits[0, 0] == pytest.approx(1 + log2(samples))


@pytest.mark.parametrize(("zeta", "weight", "first"), [(8, 4, 4), (7, 3, 3), (8, 5, 5), (6, 2, 3), (8, 5, 3)])
def test_a_split_has_the_probability_of_counting_every_secret(zeta: int, weight: int, first: int) -> None:
    plus, minus = weight // 2, weight - weight // 2
    secrets = [v for v in product((-1, 0, 1), repeat=zeta) if v.count(1) == plus and v.count(-1) == minus]
    half = -((zeta - 2 * weight * first) // (2 * zeta))  # the nearest integer, a half downwards
    ones = -((weight - 2 * half * plus) // (2 * weight))
    good = [v for v in secrets if v[:first].count(1) == ones and v[:first].count(-1) == half - ones]
    found = log2_split(one_problem(zeta, weight, 0.01), np.array([[float(first)]]))
    assert 2 ** found[0, 0] == pytest.approx(len(good) / len(secrets))


def test_meeting_in_the_middle_costs_about_the_root_of_trying_all() -> None:
    small = one_problem(400, 20, 1e-6)
    secrets = log2(comb(400, 20) * comb(20, 10))
    assert met_in_the_middle(small).bits[0, 0] == pytest.approx(secrets / 2, abs=16)  # and of the split


def test_meeting_fails_once_the_error_fills_the_modulus() -> None:
    assert np.isfinite(met_in_the_middle(one_problem(400, 20, 0.045)).bits[0, 0])
    assert np.isinf(met_in_the_middle(one_problem(400, 20, 0.0499)).bits[0, 0])  # 8 sqrt(2 pi) s = 1
    assert np.isinf(met_in_the_middle(one_problem(400, 0, 1e-6)).bits[0, 0])


@pytest.mark.parametrize("solver", [enumerated, met_in_the_middle])
def test_a_larger_error_or_more_non_zeros_are_harder(solver: type) -> None:
    noises = [solver(one_problem(400, 20, noise)).bits[0, 0] for noise in (1e-4, 0.01, 0.03, 0.04)]
    weights = [solver(one_problem(400, weight, 0.01)).bits[0, 0] for weight in (2, 5, 20, 80)]
    assert noises == sorted(noises)
    assert weights == sorted(weights)
