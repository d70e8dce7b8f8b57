"""The estimator as a whole: against lattice-estimator and the Guidelines, and properties that must hold."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fheasible.errors import UnknownName
from fheasible.security.attacks.reduction import MODELS
from fheasible.security.estimator import ATTACKS, attacks_on, estimate
from fheasible.security.tables import GUIDELINES_2024, LEVELS, SecurityTable
from security.figures import known

DENSE = ("exhaustive", "usvp", "bdd", "dual_hybrid")
secrets = st.sampled_from(["ternary", "gaussian", "binary", "sparse:64"])
models = st.sampled_from(sorted(MODELS))
ratios = st.floats(0.008, 0.1)  # log2 q over n: about 300 ... 40 bits


@pytest.mark.long
def test_the_least_of_the_attacks_is_within_a_bit_of_lattice_estimators() -> None:
    figures: dict[tuple[object, ...], dict[str, float]] = defaultdict(dict)
    for attack in DENSE[1:]:
        for group in known(attack):
            for n, log_q, sigma, bits in zip(group.n, group.log_q, group.sigma, group.bits, strict=True):
                figures[group.model, group.secret, n, log_q, sigma][attack] = bits
    whole = {key: min(bits.values()) for key, bits in figures.items() if len(bits) == 3}
    assert len(whole) > 30
    for (model, secret, n, log_q, sigma), bits in whole.items():
        ours = estimate(n, log_q, str(secret), sigma, str(model), DENSE).bits  # type: ignore[arg-type]
        assert bits - 1 < ours < bits + 0.1


@pytest.mark.parametrize(
    ("table", "quantum", "model"), [(GUIDELINES_2024, False, "matzov"), (GUIDELINES_2024, True, "chaloy21")]
)
@pytest.mark.parametrize("secret", ["ternary", "gaussian"])
def test_the_guidelines_limits_have_the_bits_that_they_claim(
    table: SecurityTable, quantum: bool, model: str, secret: str
) -> None:
    # An older version of lattice-estimator made them; one bit more of q would break the promise.
    for level in LEVELS:
        row = np.array(table.limits[secret, quantum, level], dtype=float)
        n = 2.0 ** (10 + np.arange(len(row)))[~np.isnan(row)]
        limit = row[~np.isnan(row)]
        at = estimate(n, limit, secret, model=model).bits
        beyond = estimate(n, limit * 1.01 + 1, secret, model=model).bits
        assert (at > level - 0.3).all()
        assert (beyond < level + 4).all()
        large = n >= 8192
        assert (beyond[large] < level).all()


@settings(max_examples=40)
@given(models, secrets, st.integers(128, 1 << 17), ratios, st.integers(1, 5000))
def test_more_coordinates_are_never_weaker(model: str, secret: str, n: int, ratio: float, more: int) -> None:
    assume(n * ratio > 6)
    smaller, larger = estimate([n, n + more], n * ratio, secret, model=model, attacks=DENSE).bits
    assume(smaller > 60)  # what is weaker is optimised less closely
    assert larger >= smaller - 1e-6


@settings(max_examples=40)
@given(models, secrets, st.integers(128, 1 << 17), st.floats(0.008, 0.07), st.floats(1.0001, 2))
def test_a_larger_modulus_is_never_stronger(
    model: str, secret: str, n: int, ratio: float, more: float
) -> None:
    log_q = max(n * ratio, 6.1 * more) * np.array([1 / more, 1])
    smaller, larger = estimate(n, log_q, secret, model=model, attacks=DENSE).bits
    assume(larger > 60)  # which nothing with a ratio above 0.07 has
    assert larger <= smaller + 1e-6


@settings(max_examples=40)
@given(models, secrets, st.integers(128, 1 << 17), ratios, st.floats(1, 1000), st.floats(1.0001, 100))
def test_wider_errors_are_never_weaker(
    model: str, secret: str, n: int, ratio: float, sigma: float, more: float
) -> None:
    assume(n * ratio > np.log2(sigma * more) + 4)
    narrow, wide = estimate(n, n * ratio, secret, [sigma, sigma * more], model, DENSE).bits
    assume(narrow > 60)
    assert wide >= narrow - 1e-6


@settings(max_examples=20)
@given(models, st.integers(500, 1 << 15), ratios)
def test_a_gaussian_secret_is_never_weaker_than_a_ternary_one(model: str, n: int, ratio: float) -> None:
    assume(n * ratio > 6)
    gaussian, ternary = (estimate(n, n * ratio, name, model=model).bits for name in ("gaussian", "ternary"))
    assert gaussian >= ternary - 1e-6


def test_a_batch_gives_what_each_set_gives() -> None:
    rng = np.random.default_rng(4)
    n = rng.integers(500, 1 << 16, 600)
    log_q = n * rng.uniform(0.015, 0.04, 600) + 8
    batch = estimate(n, log_q)
    for i in (0, 255, 256, 599):  # at the edges of the chunks
        one = estimate(n[i], log_q[i])
        assert one.bits == batch.bits[i]
        assert one.attack == batch.attack[i]
        assert one.block_size == batch.block_size[i]


def test_parameters_broadcast() -> None:
    found = estimate([[1024], [2048]], [27.0, 54.0, 109.0])
    assert found.bits.shape == found.attack.shape == found.block_size.shape == (2, 3)
    assert all(cost.bits.shape == (2, 3) for cost in found.costs.values())
    assert estimate([], []).bits.shape == (0,)


def test_the_named_attack_is_the_one_whose_cost_is_the_figure() -> None:
    found = estimate([1024, 4096, 20], [27, 106, 20])
    for i, attack in enumerate(found.attack):
        assert found.costs[str(attack)].bits[i] == found.bits[i]
        assert found.costs[str(attack)].block_size[i] == found.block_size[i]
        assert found.bits[i] == min(cost.bits[i] for cost in found.costs.values())


def test_a_toy_is_no_stronger_than_the_number_of_its_secrets() -> None:
    assert estimate(10, 20).bits == pytest.approx(10 * np.log2(3))
    assert estimate(10, 20, "binary").bits == pytest.approx(10)
    assert estimate(1024, 20, "sparse:1").bits <= 11 + 1e-9  # 1024 places, two signs
    assert estimate(10, 20).attack == "exhaustive"


def test_attacks_are_those_that_matter_for_the_secret_unless_named() -> None:
    assert set(estimate(1024, 27).costs) == set(attacks_on("ternary")) == set(DENSE)
    assert set(estimate(1024, 27, attacks=["usvp"]).costs) == {"usvp"}
    assert set(DENSE) < set(attacks_on("sparse")) < set(ATTACKS)
    with pytest.raises(UnknownName, match="'uspv'"):
        estimate(1024, 27, attacks=["uspv"])
    with pytest.raises(UnknownName, match="'best'"):
        estimate(1024, 27, model="best")
