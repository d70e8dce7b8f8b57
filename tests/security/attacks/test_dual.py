"""The dual hybrid attack against lattice-estimator, its formulas, and a search without shortcuts."""

from itertools import product
from math import ceil, e, exp, log, log2, pi, sqrt, tanh

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.security.attacks.dual import dual_hybrid, dual_hybrid_wide
from fheasible.security.attacks.lwe import LweProblem, problem
from fheasible.security.attacks.reduction import MODELS, Model, delta
from security.figures import known


def test_figures_are_those_of_lattice_estimator_or_lower_by_less_than_a_bit() -> None:
    # Lower where the estimator stops at the first k_enum, k_fft or p that does not help.
    groups = known("dual_hybrid")
    assert sum(len(group.n) for group in groups) > 30
    for group in groups:
        given_, _ = problem(group.n, group.log_q, group.secret, group.sigma)
        cost = dual_hybrid(given_, MODELS[group.model])
        assert (cost.bits < group.bits + 0.01).all()
        assert (cost.bits > group.bits - 1).all()


def _log_costs(
    given_: LweProblem, model: Model, beta: np.ndarray, k_enum: int, k_fft: int, p: int
) -> np.ndarray:
    """Theorem 7.6 of [MATZOV22] for one choice of (k_enum, k_fft, p) and many block sizes."""
    n, log_q = int(given_.n[0]), float(given_.log_q[0])
    sigma, secret_sigma = float(given_.sigma[0]), float(given_.secret_sigma[0])
    k_lat, d = n - k_enum - k_fft, 2 * n - k_enum - k_fft
    noise = (  # over q
        sigma ** (n / d)
        * secret_sigma ** (k_lat / d)
        * 2.0 ** (log_q * (k_lat / d - 1))
        * np.sqrt(4 / 3 * beta / (2 * pi * e))
        * delta(beta) ** (d - beta)
    )
    width = (pi * secret_sigma) ** 2
    entropy = (0.5 + log(sqrt(2 * pi) * secret_sigma / tanh(width))) / log(2)
    log_count = (
        4 * (pi * noise) ** 2
        + k_fft / 3 * (secret_sigma * pi / p) ** 2
        + log(k_enum * entropy + k_fft * log(p) + log(2))
    ) / log(2)
    base = 2 * exp(8 * width * exp(-2 * width) * tanh(width)) / sqrt(e) * 2**entropy
    once = np.logaddexp2(log2(max(1024 * k_fft * p ** (k_fft + 1), 1)), log2(4 * 160) + log_count)
    guessing = log2(base) * k_enum + once - log2(1 - exp(-1 / (2 * secret_sigma**2)))
    return np.logaddexp2(model.short_vectors(beta, d, log_count).log_cost, guessing)


@pytest.mark.parametrize("name", ["matzov", "adps16", "laamospol14"])
@pytest.mark.parametrize(
    ("n", "log_q", "secret", "sigma"),
    [
        (1024, 26.0, "ternary", 3.19),
        (630, 32.0, "binary", 2.0**14),
        (2048, 50.0, "sparse:64", 3.19),
        (3015, 47.6333338741013, "gaussian", 2**1.67),
    ],
)
def test_the_cost_is_the_least_over_every_guess_and_block_size(
    name: str, n: int, log_q: float, secret: str, sigma: float
) -> None:
    given_, _ = problem(n, log_q, secret, sigma)
    found = dual_hybrid(given_, MODELS[name]).bits[0]
    every = [
        _log_costs(given_, MODELS[name], np.arange(100, 900), k_enum, k_fft, p).min()
        for k_enum, k_fft, p in product(range(0, 50, 10), range(0, 120, 10), (2, 3, 4, 5))
    ]
    assert found == pytest.approx(min(every), abs=1e-6)


def test_a_wider_range_of_moduli_only_helps_against_wide_secrets() -> None:
    # What dual.py says of it: up to 13 bits, and the least of all attacks from 250 bits on.
    ternary, _ = problem([1024, 4096], [20, 100])
    gaussian, _ = problem([1024, 4096], [14, 100], "gaussian")
    model = MODELS["matzov"]
    assert dual_hybrid_wide(ternary, model).bits == pytest.approx(dual_hybrid(ternary, model).bits, abs=1e-9)
    saved = dual_hybrid(gaussian, model).bits - dual_hybrid_wide(gaussian, model).bits
    assert saved[0] == pytest.approx(13, abs=0.1)
    assert 0 < saved[1] < 1


@settings(max_examples=40)
@given(
    st.sampled_from(sorted(MODELS)),
    st.sampled_from(["ternary", "gaussian", "binary", "sparse:64"]),
    st.integers(500, 1 << 17),
    st.floats(0.013, 0.06),
    st.floats(1, 1000),
)
def test_guesses_fit_into_the_secret(model: str, secret: str, n: int, ratio: float, sigma: float) -> None:
    given_, _ = problem(n, max(16.0, ceil(n * ratio)), secret, sigma)
    cost = dual_hybrid(given_, MODELS[model])
    assert 0 <= cost.guessed[0] < n
    assert cost.guessed[0] % 10 == 0
    assert cost.dimension[0] == 2 * n - cost.guessed[0]
    assert cost.memory_bits[0] <= cost.bits[0]
