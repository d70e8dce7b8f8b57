"""Attacks on NTRU keys against lattice-estimator, a plain loop over the definition, and the fatigue point."""

import json
from dataclasses import replace
from math import exp, log, pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import chdtr, digamma, gammaln

from fheasible.errors import InfeasibleParameters
from fheasible.security.attacks.lwe import problem
from fheasible.security.attacks.ntru import DENSE, dense_sublattice, estimate_key
from fheasible.security.attacks.reduction import MODELS, log_delta
from fheasible.security.ntru import fatigue_log_q

MATZOV = MODELS["matzov"]
WITHIN = 2.0  # bits
ROWS = [
    row
    for row in json.loads((Path(__file__).parents[1] / "lattice_estimator.json").read_text())
    if row["problem"] == "ntru" and row["bits"] is not None
]

# n, log2 q, width of f and g, attack, log2 of its cost, block size: [LatticeEstimator] at commit 27a581b,
# model matzov, shape "gsa", keys of the type "matrix" (its default), "circulant" where said.
FIGURES: list[tuple[int, int, str, str, float, float]] = [
    (512, 12, "ternary", "usvp", 127.985, 349),
    (512, 12, "ternary", "bdd", 124.569, 334),
    (512, 12, "ternary", "dsd", 149.051, 424.9),
    (512, 16, "ternary", "dsd", 87.697, 201.7),
    (1024, 27, "ternary", "usvp", 119.706, 314),
    (1024, 27, "ternary", "bdd", 117.886, 306),
    (1024, 27, "ternary", "dsd", 85.654, 190),
    (1024, 27, "ternary", "dsd", 85.929, 191),  # circulant
    (1024, 40, "ternary", "dsd", 52.700, 70),
    (1024, 30, "gaussian", "usvp", 123.93, 329),
    (1024, 30, "gaussian", "bdd", 122.08, 321),
    (1024, 30, "gaussian", "dsd", 90.05, 206),
    (2048, 25, "ternary", "usvp", 270.82, 853),
    (2048, 25, "ternary", "bdd", 268.35, 843),
    (2048, 25, "ternary", "dsd", 219.29, 668.0),
    (2048, 53, "ternary", "dsd", 75.733, 150),
    (4096, 106, "ternary", "usvp", 126.916, 332),
    (4096, 106, "ternary", "bdd", 126.409, 330),
    (4096, 106, "ternary", "dsd", 70.716, 128),
    (4096, 80, "ternary", "dsd", 95.749, 219),
]


@pytest.mark.parametrize(("n", "log_q", "secret", "attack", "bits", "block_size"), FIGURES)
def test_figures_are_those_of_lattice_estimator_to_two_bits(
    n: int, log_q: int, secret: str, attack: str, bits: float, block_size: float
) -> None:
    cost = estimate_key(n, log_q, secret).costs[attack]
    assert float(cost.bits) == pytest.approx(bits, abs=WITHIN)
    assert int(cost.block_size) == pytest.approx(block_size, rel=0.02)


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['n']}-{r['log_q']}-{r['attack']}-{r['model']}")
def test_every_kept_figure_of_lattice_estimator_is_met_to_two_bits(row: dict[str, Any]) -> None:
    found = estimate_key(row["n"], row["log_q"], row["secret"], model=row["model"])
    assert float(found.costs[row["attack"]].bits) == pytest.approx(row["bits"], abs=WITHIN)


def test_the_limit_of_rlwe_at_4096_leaves_about_69_bits() -> None:
    """109 bits is what OpenFHE and SEAL accept there for 128 bits of security."""
    found = estimate_key(4096, 109)
    assert found.attack == DENSE
    assert float(found.bits) == pytest.approx(69, abs=0.5)


def by_loops(n: int, log_q: float, sigma: float) -> int:
    """The smallest block, position for position as [DucWoe21, Sec. 4] have it: which vectors of the basis lie
    before, which part of the sublattice is left, and whether one call meets it."""
    level = log_q * log(2) / 2
    ball = lambda i: i / 2 * log(pi) - gammaln(i / 2 + 1)  # noqa: E731
    for beta in range(20, n):
        slope = float(log_delta(beta))
        lengths = [(2 * n - 1 - 2 * i) * slope + level for i in range(2 * n)]
        volume = n / 2 * (log(n * sigma**2) + 1 - np.euler_gamma)
        missed = 0.0
        for s in range(2 * n, n, -1):
            if s < 2 * n:
                volume += -lengths[s] + (digamma((s + 1 - n) / 2) - digamma((s + 1) / 2)) / 2
            i = s - n
            shortest = (volume - ball(i)) / i
            likely = chdtr(beta, exp(min(2 * (lengths[s - beta] - shortest) + log(s), 100)))
            missed += float(np.log1p(-min(likely, 1 - 1e-12)))
        if -(n * n // beta**2 + 3) * missed >= log(2):
            return beta
    return n


@pytest.mark.parametrize(("n", "log_q", "sigma"), [(128, 11, 0.8), (200, 14, 0.8165), (200, 15, 2.0)])
def test_the_block_is_what_a_loop_over_all_positions_finds(n: int, log_q: int, sigma: float) -> None:
    key = replace(problem(n, log_q)[0], sigma=np.array([sigma]))
    assert int(dense_sublattice(key, MATZOV).block_size[0]) == pytest.approx(by_loops(n, log_q, sigma), abs=1)


@pytest.mark.parametrize("log_n", [9, 10, 11])
def test_the_dense_sublattice_becomes_the_cheaper_attack_at_the_fatigue_point(log_n: int) -> None:
    """Two independent statements: a formula fitted by its authors, and our prices of both attacks."""
    n = 1 << log_n
    log_q = np.linspace(-2, 2, 81) + fatigue_log_q(n)
    costs = estimate_key(n, log_q).costs
    cheaper = costs[DENSE].bits < costs["usvp"].bits
    crossing = log_q[int(np.argmax(cheaper))]
    assert not cheaper[0]
    assert cheaper[-1]
    assert crossing == pytest.approx(fatigue_log_q(n), abs=0.5)


sets = st.tuples(st.integers(8, 14).map(lambda k: 1 << k), st.floats(8, 300))


@settings(deadline=None, max_examples=25)
@given(sets, st.floats(0.5, 100))
def test_a_larger_modulus_is_never_harder_and_a_larger_ring_never_easier(
    chosen: tuple[int, float], more: float
) -> None:
    n, log_q = chosen
    three = problem([n, n, 2 * n], [log_q, log_q + more, log_q], sigma=0.8)[0]
    bits = np.nan_to_num(dense_sublattice(three, MATZOV).bits, posinf=1e6)
    assert bits[1] <= bits[0] + 1e-9
    assert bits[2] >= bits[0] - 1e-9


@settings(deadline=None, max_examples=25)
@given(sets)
def test_a_wider_key_is_never_easier(chosen: tuple[int, float]) -> None:
    n, log_q = chosen
    three = replace(problem([n] * 3, log_q)[0], sigma=np.array([0.25, 0.8165, 3.19]))
    assert np.all(np.diff(np.nan_to_num(dense_sublattice(three, MATZOV).bits, posinf=1e6)) >= -1e-9)


def test_arrays_are_judged_as_their_elements() -> None:
    n, log_q = np.array([[1024], [4096]]), np.array([20.0, 40.0, 106.0])
    many = estimate_key(n, log_q)
    assert many.bits.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        assert many.bits[i, j] == pytest.approx(float(estimate_key(n[i, 0], log_q[j]).bits), abs=1e-9)


def test_errors_narrower_than_the_key_count_for_its_width() -> None:
    assert float(estimate_key(1024, 30, "gaussian", 2.0).bits) < float(
        estimate_key(1024, 30, "gaussian").bits
    )
    assert float(estimate_key(1024, 30, "ternary", 2.0).bits) == float(estimate_key(1024, 30, "ternary").bits)


def test_far_below_the_fatigue_point_no_block_meets_the_sublattice() -> None:
    found = estimate_key(512, 4)
    assert np.isinf(float(found.costs[DENSE].bits))
    assert np.isfinite(float(found.bits))


def test_only_attacks_on_keys_are_tried() -> None:
    assert not [name for name in estimate_key(1024, 20).costs if name.startswith("dual")]


def test_what_is_no_key_is_refused() -> None:
    with pytest.raises(InfeasibleParameters) as refused:
        estimate_key(32, 20, "sparse:64")
    assert "weight 64" in refused.value.message
    assert "n >= 64" in refused.value.remedy
