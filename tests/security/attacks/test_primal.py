"""The primal attacks against lattice-estimator, and against plain loops over their definitions."""

from math import ceil, inf, lgamma, log, log2, pi, sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fheasible.security.attacks.cost import Attack
from fheasible.security.attacks.lattice import Lattice
from fheasible.security.attacks.lwe import problem
from fheasible.security.attacks.primal import bdd, usvp
from fheasible.security.attacks.reduction import MODELS, delta
from security.figures import known

MATZOV = MODELS["matzov"]
SETS = [
    (630, 32, "binary"),
    (1024, 20, "ternary"),
    (1024, 28, "gaussian"),
    (4096, 106, "sparse:64"),
    (16384, 1500, "ternary"),
]
WEAK = (60_305, 4482, "ternary")  # LLL is the dearest part: it pays to reduce a smaller dimension further


@pytest.mark.parametrize(("attack", "within"), [("usvp", 0.01), ("bdd", 0.1)])
def test_figures_are_those_of_lattice_estimator(attack: str, within: float) -> None:
    attacks = {"usvp": usvp, "bdd": bdd}
    groups = known(attack)
    assert sum(len(group.n) for group in groups) > 30
    for group in groups:
        given_, _ = problem(group.n, group.log_q, group.secret, group.sigma)
        cost = attacks[attack](given_, MODELS[group.model])
        sound = group.bits > 60  # below, lifting may fail, and the figures are up to a bit low
        np.testing.assert_allclose(cost.bits[sound], group.bits[sound], atol=within, rtol=0)
        assert (np.abs(cost.bits - group.bits) < 1).all()
        assert (np.abs(cost.block_size - group.block_size) <= 3).all()


@pytest.mark.parametrize(("n", "log_q", "secret"), [*SETS, WEAK])
def test_usvp_is_the_least_over_all_block_sizes_and_dimensions(n: int, log_q: int, secret: str) -> None:
    given_, _ = problem(n, log_q, secret)
    found = usvp(given_, MATZOV)
    xi, sigma = log(given_.sigma[0] / given_.secret_sigma[0]), log(given_.sigma[0])
    d = np.arange(n + 1, 4 * n)
    volume = ((d - n - 1) * log_q * log(2) + n * xi + sigma) / d
    least = inf
    for beta in range(max(found.block_size[0] - 3, 40), found.block_size[0] + 40):
        reached = (2 * beta - d - 1) * log(delta(beta)) + volume >= sigma + log(beta) / 2
        enough = d[reached & (d > beta)]
        if len(enough):
            least = min(least, float(MATZOV.reduction(beta, enough[0])))
    assert found.bits[0] == pytest.approx(least)


@pytest.mark.parametrize(("n", "log_q", "secret"), SETS)
def test_bdd_is_the_least_over_all_block_sizes_and_dimensions(n: int, log_q: int, secret: str) -> None:
    given_, _ = problem(n, log_q, secret)
    lattice = Lattice(
        given_.n, given_.log_q * log(2), given_.log_scale, np.log(given_.sigma)
    )  # its eta is tested below
    most = usvp(given_, MATZOV).block_size[0]
    beta = np.arange(max(most - 80, 40), most + 2)[:, None]
    d = np.arange(n + 1, 3 * n, 3)
    eta = lattice.last_block(np.log(delta(beta)), d)
    last = np.where(eta <= d, MATZOV.reduction(eta + 1, eta + 1), inf)
    least = np.logaddexp2(MATZOV.reduction(beta, d), last)[(d > beta) & (eta > 0)].min()
    within = 0.03 if least > 60 else 0.15  # where the cost of LLL counts, d^3, a step of the grid does too
    assert bdd(given_, MATZOV).bits[0] == pytest.approx(least, abs=within)


def _gaussian_heuristic(dimension: int, log_volume: float) -> float:
    return (log_volume - dimension / 2 * log(pi) + lgamma(dimension / 2 + 1)) / dimension


@given(
    st.integers(60, 2000), st.floats(10, 200), st.floats(0, 8), st.floats(0, 5), st.integers(45, 500),
    st.floats(1.2, 3),
)  # fmt: skip
def test_the_last_block_is_the_smallest_in_which_the_error_stands_out(
    n: int, log_q: float, log_scale: float, log_sigma: float, beta: int, stretch: float
) -> None:
    d = max(ceil(stretch * n), beta)
    ln_q = log_q * log(2)
    arrays = (np.array([float(value)]) for value in (n, ln_q, log_scale, log_sigma))
    slope = log(delta(beta))
    eta = int(Lattice(*arrays).last_block(np.array([slope]), np.array([d]))[0])

    def excess(k: int) -> float:  # of the heuristic over the error, in the last k dimensions and the target's
        volume = k / d * ((d - n) * ln_q + n * log_scale) - k * (d - k) * slope
        return _gaussian_heuristic(k + 1, volume + log_sigma) - log_sigma - log(k + 1) / 2

    if 25 < eta <= d:
        assert excess(eta - 1) < 1e-4
        assert excess(min(eta, d)) > -1e-4


@pytest.mark.parametrize("attack", [usvp, bdd])
@pytest.mark.parametrize(("n", "log_q"), [(100, 6), (150, 6), (250, 7)])
def test_a_small_lattice_is_not_dearer_than_one_sieve_over_it(attack: Attack, n: int, log_q: int) -> None:
    given_, _ = problem(n, log_q)
    ln_q, log_sigma, log_scale = log_q * log(2), log(3.19), float(given_.log_scale[0])
    d = next(
        d
        for d in range(n + 1, 9 * n)
        if _gaussian_heuristic(d + 1, (d - n) * ln_q + n * log_scale + log_sigma)
        >= log_sigma + log(d + 1) / 2
    )
    sieve = MATZOV.reduction(d + 1, d + 1)
    assert attack(given_, MATZOV).bits[0] <= sieve + 1e-9
    if log_q == 6:  # nothing is cheaper
        assert attack(given_, MATZOV).bits[0] == pytest.approx(sieve)


@given(st.integers(20, 2000), st.floats(8, 60), st.integers(40, 1000))
def test_a_lattice_is_larger_than_its_secret_and_its_blocks(n: int, log_q: float, beta: int) -> None:
    lattice = Lattice(*(np.array([float(value)]) for value in (n, log_q * log(2), 1.0, 1.0)))
    assert lattice.smallest_dimension(np.array([beta])) > max(n, beta)
    assert lattice.widest(np.array([log(delta(beta))])) > n


@given(st.integers(64, 3000), st.floats(12, 60), st.floats(0, 3))
def test_a_whole_lattice_is_the_smallest_whose_target_is_its_shortest_vector(
    n: int, log_q: float, log_scale: float
) -> None:
    ln_q, log_sigma = log_q * log(2), log(3.19)
    lattice = Lattice(*(np.array([float(value)]) for value in (n, ln_q, log_scale, log_sigma)))
    d = int(lattice.whole()[0])

    def excess(dimension: int) -> float:
        volume = (dimension - n) * ln_q + n * log_scale + log_sigma
        return _gaussian_heuristic(dimension + 1, volume) - log_sigma - log(dimension + 1) / 2

    assert excess(d) > -1e-6
    assert d == n + 1 or excess(d - 1) < 1e-6


def test_a_secret_as_wide_as_the_error_is_not_scaled() -> None:
    gaussian, _ = problem(1024, 27, "gaussian")
    ternary, _ = problem(1024, 27, "ternary")
    assert gaussian.log_scale[0] == 0
    assert np.exp(ternary.log_scale[0]) == pytest.approx(3.19 / sqrt(2 / 3))


@settings(max_examples=30)
@given(st.sampled_from(sorted(MODELS)), st.integers(500, 1 << 17), st.floats(0.012, 0.05))
def test_bdd_is_never_much_dearer_than_usvp(model: str, n: int, ratio: float) -> None:
    given_, _ = problem(n, max(20.0, n * ratio), "ternary")
    waiting, searching = usvp(given_, MODELS[model]), bdd(given_, MODELS[model])
    assume(waiting.bits[0] > 60)  # below, core-SVP models leave lifting as the dearest part
    assert searching.bits[0] <= waiting.bits[0] + 1.2
    assert (searching.dimension > n).all()
    assert (waiting.dimension > waiting.block_size).all()


def test_a_hopeless_set_is_priced_as_if_the_largest_block_sufficed() -> None:
    given_, _ = problem([1 << 17, 1 << 17], [8, 4000])
    cost = usvp(given_, MATZOV)
    assert np.isfinite(cost.bits).all()
    assert cost.bits[0] > 10_000 > 200 > cost.bits[1]
    assert log2(cost.block_size[0]) == 16
