"""Lattice reduction's models against the figures of their papers, and against each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import UnknownName
from fheasible.security.attacks.reduction import (
    LOG_DELTAS,
    MODELS,
    Model,
    block_size,
    delta,
    free_dimensions,
    log_gaussian_heuristic,
    model_named,
)

models = st.sampled_from(sorted(MODELS.values(), key=lambda model: model.name))
# The cost of list decoding as fitted to AGPS20 rather than [MATZOV22]: lattice-estimator documents figures.
KYBER = Model("kyber", "AGPS20", quantum=False, slope=0.2988026130564745, offset=26.011121212891872,
              progressive=True)  # fmt: skip


def test_block_sizes_are_those_that_chen_reports() -> None:
    # As [LatticeEstimator] documents them; for the last, [Chen13] has 800.
    assert block_size([1.0121, 1.0093, 1.0024]).tolist() == [50, 100, 808]


def test_small_block_sizes_have_the_measured_deltas() -> None:
    assert delta([2, 5, 20, 39, 40]).tolist() == pytest.approx([1.0219, 1.01862, 1.0142, 1.01331, 1.01295])


@given(st.integers(41, 1 << 16))
def test_block_size_undoes_delta(beta: int) -> None:
    assert block_size(delta(beta)) == beta
    assert delta(beta) < delta(beta - 1)
    assert np.exp(LOG_DELTAS[beta]) == delta(beta)


def test_a_delta_that_no_block_size_reaches_asks_for_an_infinite_one() -> None:
    assert block_size(1 + 1e-9) == np.inf
    assert block_size(1.5) == 40


def test_a_shortest_vector_is_as_long_as_a_ball_of_the_lattices_volume() -> None:
    # In 2 dimensions pi r^2 = 4, in 3 dimensions 4/3 pi r^3 = 4.
    radius = np.exp(log_gaussian_heuristic([2, 3], np.log(4.0)))
    assert radius.tolist() == pytest.approx([(4 / np.pi) ** 0.5, (3 / np.pi) ** (1 / 3)])


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        ("bdgl16", 175.4),
        ("laamospol14", 161.9),
        ("adps16", 146.0),
        ("adps16_quantum", 132.5),
        ("chaloy21", 128.5),
    ],
)
def test_a_reduction_costs_what_the_models_say(name: str, bits: float) -> None:
    # 0.292 500 + 16.4 + log2(8 1024), and so on: beta = 500, d = 1024.
    assert MODELS[name].reduction(500, 1024) == pytest.approx(bits, abs=1e-6)


def test_a_progressive_model_counts_free_dimensions_and_all_smaller_sieves() -> None:
    assert free_dimensions(500) == pytest.approx(42.597, abs=1e-3)
    assert KYBER.reduction(500, 1024) == pytest.approx(176.55419197058822, abs=1e-9)


def test_a_sieve_yields_its_list_of_short_vectors() -> None:
    # Documented in lattice-estimator for ADPS16: (rho, cost, count, dimension) at beta = 100, d = 500.
    found = MODELS["adps16"].short_vectors(100, 500, np.log2(1000))
    assert 2**found.log_stretch == pytest.approx(1.1547, abs=1e-4)
    assert 2**found.log_cost == pytest.approx(6.16702733460158e8)
    assert 2**found.log_count == pytest.approx(1763487, abs=1)
    assert found.sieve_dimension == 100


def test_a_progressive_model_sieves_beyond_its_blocks() -> None:
    # [GuoJoh21] with the cost of AGPS20, as documented in lattice-estimator.
    found = KYBER.short_vectors(100, 500, np.log2(1000))
    assert 2**found.log_stretch == pytest.approx(1.04228014727497)
    assert 2**found.log_cost == pytest.approx(5.3894147166e19)
    assert 2**found.log_count == pytest.approx(36150192, abs=1)
    assert found.sieve_dimension == 121


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_more_vectors_than_a_list_holds_take_as_many_sieves(model: Model) -> None:
    once = model.short_vectors(300, 1000, 0.0)
    more = model.short_vectors(300, 1000, once.log_count + np.log2(2.5))
    assert more.log_cost == pytest.approx(once.log_cost + np.log2(3))
    assert more.log_count == pytest.approx(once.log_count + np.log2(3))


@given(models, st.integers(20, 4000), st.integers(1, 100_000))
def test_larger_blocks_and_dimensions_never_cost_less(model: Model, beta: int, more: int) -> None:
    d = beta + more
    cost = model.reduction(beta, d)
    assert cost <= model.reduction(beta, d + 1)
    assert cost < model.reduction(beta + 1, d + 1)
    assert model.reduction(beta, beta) <= cost


@given(st.integers(40, 2000), st.integers(1, 10_000))
def test_quantum_attackers_never_pay_more_than_classical_ones_in_the_same_metric(
    beta: int, more: int
) -> None:
    cost = {name: float(model.reduction(beta, beta + more)) for name, model in MODELS.items()}
    assert cost["laamospol14"] <= cost["bdgl16"]
    assert cost["chaloy21"] <= cost["adps16_quantum"] <= cost["adps16"]


@given(models, st.integers(40, 3000), st.integers(0, 3000))
def test_arrays_give_what_their_entries_give(model: Model, beta: int, more: int) -> None:
    both = model.reduction([[beta], [beta + 1]], [beta + more + 1, beta + more + 2])
    assert both.shape == (2, 2)
    assert both[1, 0] == model.reduction(beta + 1, beta + more + 1)


def test_an_unknown_model_is_refused_with_the_choices() -> None:
    assert model_named("MATZOV") is MODELS["matzov"]
    with pytest.raises(UnknownName, match="abc") as refused:
        model_named("abc")
    assert "bdgl16" in refused.value.remedy
