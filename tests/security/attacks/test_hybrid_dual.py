"""Dual hybrid attacks on sparse secrets: against lattice-estimator, every choice, and what must hold."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.security.attacks import hybrid_dual
from fheasible.security.attacks.cost import Attack
from fheasible.security.attacks.hybrid_dual import dual_enumeration_hybrid, dual_mitm_hybrid
from fheasible.security.attacks.lwe import problem
from fheasible.security.attacks.reduction import MODELS
from fheasible.security.attacks.small_secrets import enumerated, met_in_the_middle
from fheasible.security.estimator import ATTACKS

POINTS = json.loads((Path(__file__).parents[1] / "hybrid_points.json").read_text())
SOLVERS = {"dual_enumeration_hybrid": enumerated, "dual_mitm_hybrid": met_in_the_middle}
MATZOV = MODELS["matzov"]
RIPPLE = 0.3  # bits by which a search may miss the least cost, where rounding makes it jump


@pytest.mark.parametrize("row", [row for row in POINTS if row["attack"] in SOLVERS], ids=str)
def test_a_choice_costs_what_lattice_estimator_says(row: dict[str, object]) -> None:
    asked, _ = problem(row["n"], row["log_q"], str(row["secret"]))  # type: ignore[arg-type]
    choice = (np.array([[row[name]]]) for name in ("guessed", "weight", "block_size"))
    cost = hybrid_dual._cost(asked, *choice, MODELS[str(row["model"])], SOLVERS[str(row["attack"])])
    assert cost.bits[0, 0] == pytest.approx(row["bits"], abs=0.01)


# n = 1024, q = 2^32, sigma = 3, 32 coefficients 1 and 32 -1 [LatticeEstimator, lwe_dual.py, examples]
@pytest.mark.parametrize(("attack", "bits"), [(dual_enumeration_hybrid, 91.6), (dual_mitm_hybrid, 98.7)])
def test_the_estimators_own_example_has_its_own_figure(attack: Attack, bits: float) -> None:
    found = attack(problem(1024, 32, "sparse:64", 3.0)[0], MATZOV)
    assert found.bits[0] == pytest.approx(bits, abs=0.15)


@pytest.mark.parametrize("attack", SOLVERS)
@pytest.mark.parametrize("model", ["matzov", "chaloy21"])
def test_the_search_finds_the_least_of_all_choices(attack: str, model: str) -> None:
    n, weight = 256, 30
    asked, _ = problem(n, 8, f"sparse:{weight}")
    least = np.inf
    for h1 in range(weight):
        zeta = np.arange(h1, min(n - (weight - h1), n - 1) + 1)
        beta = np.arange(40, 300)
        part = asked.part(np.zeros(len(zeta), dtype=np.int64))
        blocks = np.broadcast_to(beta, (len(zeta), len(beta)))
        cost = hybrid_dual._cost(
            part, zeta[:, None], np.full_like(zeta[:, None], h1), blocks, MODELS[model], SOLVERS[attack]
        )
        least = min(least, cost.bits.min())
    found = ATTACKS[attack](asked, MODELS[model]).bits[0]
    assert least - 1e-9 <= found <= least + RIPPLE


@pytest.mark.long
@settings(max_examples=2, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(16, 200))
def test_fewer_non_zeros_and_larger_moduli_are_never_stronger(seed: int, weight: int) -> None:
    rng = np.random.default_rng(seed)
    n = np.floor(2 ** rng.uniform(10, 17, 12))
    log_q = n * rng.uniform(0.012, 0.027, 12)
    names = f"sparse:{weight}", f"sparse:{weight + weight // 4 + 1}"
    for attack in (dual_enumeration_hybrid, dual_mitm_hybrid):
        sparse = attack(problem(n, log_q, names[0])[0], MATZOV).bits
        assert (attack(problem(n, 1.1 * log_q, names[0])[0], MATZOV).bits <= sparse + RIPPLE).all()
        assert (sparse <= attack(problem(n, log_q, names[1])[0], MATZOV).bits + RIPPLE).all()


def test_dual_hybrids_are_for_secrets_of_a_fixed_weight() -> None:
    for attack in (dual_enumeration_hybrid, dual_mitm_hybrid):
        assert np.isposinf(attack(problem(1024, 27, "ternary")[0], MATZOV).bits).all()
