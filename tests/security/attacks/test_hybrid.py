"""Primal hybrid attacks: against lattice-estimator, against every choice there is, and what must hold."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.security.attacks import hybrid
from fheasible.security.attacks.cost import Attack
from fheasible.security.attacks.hybrid import bdd_hybrid, bdd_mitm_hybrid
from fheasible.security.attacks.lwe import LweProblem, problem
from fheasible.security.attacks.primal import bdd, usvp
from fheasible.security.attacks.reduction import MODELS, Model
from fheasible.security.estimator import ATTACKS, estimate
from security.figures import known

POINTS = json.loads((Path(__file__).parents[1] / "hybrid_points.json").read_text())
MATZOV = MODELS["matzov"]
HYBRIDS = ("bdd_hybrid", "bdd_mitm_hybrid", "dual_enumeration_hybrid", "dual_mitm_hybrid")
RIPPLE = 0.3  # bits by which a search may miss the least cost, where rounding makes it jump
# LWE.primal_hybrid and dual_hybrid of [LatticeEstimator] with their own searches, minutes each.
SEARCHED = (
    (1024, 16, "sparse:64", "adps16", "bdd_hybrid", 129.55),
    (1024, 16, "sparse:64", "matzov", "bdd_hybrid", 149.08),
    (1024, 20, "sparse:192", "matzov", "bdd_hybrid", 165.05),
    (1024, 20, "sparse:64", "matzov", "bdd_hybrid", 129.41),
    (1024, 24, "sparse:192", "matzov", "bdd_hybrid", 137.55),
    (1024, 26, "ternary", "matzov", "bdd_hybrid", 132.15),
    (4096, 60, "sparse:64", "matzov", "bdd_hybrid", 147.69),
    (4096, 75, "sparse:192", "matzov", "bdd_hybrid", 172.95),
    (4096, 100, "sparse:192", "matzov", "bdd_hybrid", 132.02),
    (1024, 16, "sparse:32", "matzov", "bdd_mitm_hybrid", 98.52),
    (4096, 60, "sparse:32", "matzov", "bdd_mitm_hybrid", 97.25),
    (8192, 84, "sparse:32", "matzov", "bdd_mitm_hybrid", 109.91),
    (32768, 84, "sparse:32", "matzov", "bdd_mitm_hybrid", 158.51),
    (65536, 121, "sparse:32", "matzov", "bdd_mitm_hybrid", 171.88),
    (1024, 16, "sparse:32", "matzov", "dual_enumeration_hybrid", 104.39),
    (1024, 16, "sparse:32", "matzov", "dual_mitm_hybrid", 110.35),
    (4096, 60, "sparse:32", "matzov", "dual_mitm_hybrid", 94.13),
    (1024, 16, "sparse:64", "laamospol14", "bdd_mitm_hybrid", 139.62),
    (1024, 16, "sparse:64", "matzov", "bdd_mitm_hybrid", 141.31),
    (1024, 20, "sparse:192", "matzov", "bdd_mitm_hybrid", 188.24),
    (1024, 20, "sparse:64", "matzov", "bdd_mitm_hybrid", 124.84),
    (1024, 24, "sparse:192", "matzov", "bdd_mitm_hybrid", 159.08),
    (4096, 60, "sparse:64", "matzov", "bdd_mitm_hybrid", 134.14),
    (4096, 75, "sparse:192", "matzov", "bdd_mitm_hybrid", 169.1),
    (4096, 100, "sparse:192", "matzov", "bdd_mitm_hybrid", 132.06),
    (4096, 60, "sparse:64", "bdgl16", "dual_enumeration_hybrid", 145.35),
    (1024, 16, "sparse:64", "matzov", "dual_enumeration_hybrid", 144.05),
    (1024, 20, "sparse:192", "matzov", "dual_enumeration_hybrid", 163.36),
    (1024, 20, "sparse:64", "matzov", "dual_enumeration_hybrid", 125.79),
    (1024, 24, "sparse:192", "matzov", "dual_enumeration_hybrid", 138.35),
    (4096, 60, "sparse:64", "matzov", "dual_enumeration_hybrid", 145.03),
    (4096, 75, "sparse:192", "matzov", "dual_enumeration_hybrid", 170.26),
    (1024, 20, "sparse:192", "bdgl16", "dual_mitm_hybrid", 236.81),
    (1024, 16, "sparse:64", "matzov", "dual_mitm_hybrid", 169.37),
    (1024, 20, "sparse:64", "matzov", "dual_mitm_hybrid", 142.47),
    (1024, 24, "sparse:192", "matzov", "dual_mitm_hybrid", 186.61),
)
seeds = st.integers(0, 1 << 32)


def one(n: int, log_q: float, secret: str) -> LweProblem:
    return problem(n, log_q, secret)[0]


def some_sets(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(n, log2 q) of so many sets of about 100 to 350 bits."""
    rng = np.random.default_rng(seed)
    n = np.floor(2 ** rng.uniform(10, 17, count))
    return n, n * rng.uniform(0.012, 0.027, count)


def every_choice(given: LweProblem, zeta: np.ndarray, beta: np.ndarray, model: Model, meet: bool) -> float:
    """The least cost over all these guessed coordinates, block sizes and numbers of non-zeros, one by one."""
    part = given.part(np.zeros(len(zeta), dtype=np.int64))
    blocks = np.broadcast_to(beta, (len(zeta), len(beta)))
    reduced = hybrid._reduced(part, blocks, zeta[:, None], model, meet)
    search = hybrid._search(part, zeta, meet)
    least = np.inf
    for work, hit in zip(search.work.T, search.guesses.log_hit.T, strict=True):
        once = np.logaddexp2(reduced.reduction, reduced.call + work[:, None])
        least = min(least, (once + hybrid.log2_repetitions(hit[:, None] + reduced.success)).min())
    return float(least)


@pytest.mark.parametrize("row", [row for row in POINTS if row["weight"] is None], ids=str)
def test_a_choice_costs_what_lattice_estimator_says(row: dict[str, object]) -> None:
    given = one(row["n"], row["log_q"], row["secret"])  # type: ignore[arg-type]
    choice = np.array([row["guessed"]]), np.array([row["block_size"]])
    ours = every_choice(given, *choice, MODELS[str(row["model"])], row["attack"] == "bdd_mitm_hybrid")
    assert ours == pytest.approx(row["bits"], abs=0.01)


@pytest.mark.parametrize(("n", "log_q", "secret", "model", "attack", "bits"), SEARCHED)
def test_the_search_finds_what_lattice_estimators_does(
    n: int, log_q: int, secret: str, model: str, attack: str, bits: float
) -> None:
    found = ATTACKS[attack](one(n, log_q, secret), MODELS[model])
    assert bits - 0.5 < found.bits[0] < bits + 0.1


@pytest.mark.parametrize("attack", HYBRIDS)
def test_the_best_choice_is_within_a_bit_of_lattice_estimators(attack: str) -> None:
    """Lower where the estimator stops at the first of several least costs, or at the block size of uSVP."""
    for figures in known(attack):
        asked, _ = problem(figures.n, figures.log_q, figures.secret, figures.sigma)
        ours = ATTACKS[attack](asked, MODELS[figures.model])
        np.testing.assert_array_less(ours.bits, figures.bits + RIPPLE)
        matters = figures.bits < usvp(asked, MODELS[figures.model]).bits
        np.testing.assert_array_less(figures.bits[matters] - 1, ours.bits[matters])


@pytest.mark.long
@pytest.mark.parametrize("meet", [False, True])
@pytest.mark.parametrize(("n", "log_q", "secret"), [(256, 8, "sparse:30"), (400, 9, "sparse:64")])
@pytest.mark.parametrize("model", ["matzov", "chaloy21"])
def test_the_search_finds_the_least_of_all_choices(
    n: int, log_q: float, secret: str, model: str, meet: bool
) -> None:
    given = one(n, log_q, secret)
    found = (bdd_mitm_hybrid if meet else bdd_hybrid)(given, MODELS[model])
    least = every_choice(given, np.arange(n), np.arange(40, 400), MODELS[model], meet)
    assert least - 1e-9 <= found.bits[0] <= least + RIPPLE


@pytest.mark.long
@settings(max_examples=4, deadline=None)
@given(seeds, st.integers(16, 250), st.sampled_from(["matzov", "bdgl16"]))
def test_fewer_non_zeros_are_never_stronger(seed: int, weight: int, model: str) -> None:
    n, log_q = some_sets(seed, 24)
    for attack in (bdd_hybrid, bdd_mitm_hybrid):
        fewer, more = (
            attack(problem(n, log_q, f"sparse:{count}")[0], MODELS[model]).bits
            for count in (weight, weight + weight // 4 + 1)
        )
        assert (fewer <= more + RIPPLE).all()


@pytest.mark.long
@settings(max_examples=4, deadline=None)
@given(seeds, st.integers(16, 300), st.floats(1.02, 1.2))
def test_a_larger_modulus_is_never_stronger(seed: int, weight: int, factor: float) -> None:
    n, log_q = some_sets(seed, 24)
    for attack in (bdd_hybrid, bdd_mitm_hybrid):
        smaller, larger = (
            attack(problem(n, bits, f"sparse:{weight}")[0], MATZOV).bits for bits in (log_q, factor * log_q)
        )
        assert (larger <= smaller + RIPPLE).all()


@pytest.mark.long
@settings(max_examples=3, deadline=None)
@given(seeds, st.integers(1, 680))
def test_a_sparse_secret_is_never_stronger_than_a_ternary_one(seed: int, weight: int) -> None:
    n, log_q = some_sets(seed, 12)  # weight <= 2 n / 3
    sparse = estimate(n, log_q, f"sparse:{weight}").bits
    assert (sparse <= estimate(n, log_q, "ternary").bits + 0.1).all()


@pytest.mark.long
def test_a_weight_of_192_would_look_tens_of_bits_stronger_without_hybrid_attacks() -> None:
    for n, log_q in ((1 << 13, 90), (1 << 15, 380)):
        found = estimate(n, log_q, "sparse:192")
        without = min(cost.bits for name, cost in found.costs.items() if name not in HYBRIDS)
        assert without - found.bits > 50
        assert found.attack in HYBRIDS


@pytest.mark.parametrize(("n", "log_q"), [(1024, 26), (4096, 106), (8192, 114), (32768, 868)])
def test_guessing_hardly_helps_against_a_dense_ternary_secret(n: int, log_q: float) -> None:
    given = one(n, log_q, "ternary")
    least = min(attack(given, MATZOV).bits[0] for attack in (bdd_hybrid, bdd_mitm_hybrid))
    assert bdd(given, MATZOV).bits[0] - 1.5 < least


def test_a_dense_fixed_weight_is_as_hard_as_a_ternary_secret() -> None:
    n = 1023  # 2 n / 3 of its coefficients are not 0
    fixed, uniform = (bdd_hybrid(one(n, 26, name), MATZOV).bits[0] for name in ("sparse:682", "ternary"))
    assert fixed == pytest.approx(uniform, abs=1e-9)


@pytest.mark.parametrize("name", HYBRIDS)
def test_hybrid_attacks_do_not_apply_to_gaussian_secrets(name: str) -> None:
    cost = ATTACKS[name](problem([1024, 2048], 27, "gaussian")[0], MATZOV)
    assert np.isposinf(cost.bits).all()
    assert cost.bits.shape == cost.block_size.shape == cost.guessed.shape == (2,)


@pytest.mark.long
@pytest.mark.parametrize("name", HYBRIDS)
def test_a_batch_gives_what_each_set_gives(name: str) -> None:
    n = np.array([1024, 1500, 1 << 17])
    log_q = n * np.array([0.02, 0.015, 0.025])
    attack: Attack = ATTACKS[name]
    batch = attack(problem(n, log_q, "sparse:100")[0], MATZOV)
    for i in (0, 2):
        alone = attack(problem(n[i], log_q[i], "sparse:100")[0], MATZOV)
        assert alone.bits[0] == pytest.approx(batch.bits[i], abs=1e-9)
        assert alone.guessed[0] == batch.guessed[i]


@pytest.mark.parametrize("name", HYBRIDS)
def test_extreme_sets_have_a_figure_and_no_warning(name: str) -> None:
    with np.errstate(all="raise", under="ignore"):
        lightest = ATTACKS[name](problem([1, 2, 64, 1024], [10, 10, 3, 2000], "sparse:1")[0], MATZOV)
        others = [
            ATTACKS[name](one(n, log_q, "sparse:192"), MATZOV) for n, log_q in ((192, 10), (1 << 20, 3500))
        ]
    assert (lightest.bits > 0).all()
    assert all(cost.bits[0] > 0 for cost in others)
    assert ATTACKS[name](problem([], [], "sparse:3")[0], MATZOV).bits.shape == (0,)
