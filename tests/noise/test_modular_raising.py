"""How often modular raising fails: against published figures, real ciphertexts and exact sums."""

from math import comb, inf, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import InfeasibleParameters
from fheasible.libraries.bootstrapping import Bootstrapping
from fheasible.noise.ckks import modular_raising
from fheasible.noise.ckks.modular_raising import (
    bootstrap_failure_bits,
    failure_bits,
    joint_failure_bits,
    published_failure_bits,
)
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction

rings = st.sampled_from([1 << log_n for log_n in range(6, 18)])
intervals = st.integers(1, 600)


# Lattigo 6.1.1, circuits/ckks/bootstrapping/default_parameters.go: ephemeral secrets of weight 32, K = 16.
@pytest.mark.parametrize(("log_slots", "bits"), [(15, 138.7), (14, 139.7)])
def test_lattigo_s_documented_failures_are_those_of_the_published_formula(
    log_slots: int, bits: float
) -> None:
    found = published_failure_bits(2 << log_slots, 32, 16, 1 << log_slots)
    assert found == pytest.approx(bits, abs=0.05)
    assert failure_bits(2 << log_slots, 32, 16) == pytest.approx(found - 6.045, abs=0.01)


def test_the_failure_of_bmth21_is_that_of_the_published_formula() -> None:
    """2^-15.58 for 32,768 slots, weight 192 and K = 25, as the abstract of [BMTH21] has it."""
    assert published_failure_bits(1 << 16, 192, 25) == pytest.approx(15.58, abs=0.02)


def test_openfhe_s_encapsulated_bound_keeps_its_promise() -> None:
    """`K_SPARSE_ENCAPSULATED` = 16 "corresponds to probability of less than 2^{-128}" (ckksrns-fhe.h)."""
    assert failure_bits(1 << 17, 32, 16) > 128


@pytest.mark.parametrize(("weight", "k", "slots"), [(8, 2, None), (12, 3, None), (None, 6, None), (12, 3, 8)])
def test_raised_ciphertexts_fail_as_often_as_predicted(weight: int | None, k: int, slots: int | None) -> None:
    n, count, q0 = 64, 20_000, 1 << 20
    rng = np.random.default_rng(7)
    failed = 0
    for _ in range(20):
        integers = multiples_of_q0(rng, n, weight, count // 20, q0)
        read = integers if slots is None else integers[:, :: n // (2 * slots)]
        failed += int(np.sum((np.abs(read) >= k).any(axis=1)))
    predicted = count * 2 ** -failure_bits(n, weight, k, slots)
    assert predicted > 200
    assert abs(failed - predicted) < 5 * predicted**0.5 + 0.05 * predicted


def multiples_of_q0(rng: np.random.Generator, n: int, weight: int | None, count: int, q0: int) -> np.ndarray:
    """The coefficients of I in c0 + c1 s = m + q0 I, for ciphertexts of one secret and small m."""
    secret = rng.integers(-1, 2, n)
    if weight is not None:
        secret = np.zeros(n, dtype=np.int64)
        secret[rng.choice(n, weight, replace=False)] = rng.choice([-1, 1], weight)
    turned = np.array([np.append(-secret[n - i :], secret[: n - i]) for i in range(n)])
    c1, m = rng.integers(-q0 // 2, q0 // 2, (count, n)), rng.integers(-8, 9, (count, n))
    product = c1 @ turned
    c0 = (m - product + q0 // 2) % q0 - q0 // 2
    integers: np.ndarray = (c0 + product - m) // q0
    assert (c0 + product == m + q0 * integers).all()
    return integers


@given(st.integers(40, 512), st.floats(0.05, 0.95))
def test_the_saddle_point_agrees_with_the_exact_sum(terms: int, share: float) -> None:
    x = share * terms / 2
    exact = modular_raising._exact(terms, x)
    found = modular_raising._by_saddle_point(modular_raising._Sum(terms, 1.0, 0), x)
    assert found == pytest.approx(exact, abs=1e-6 + 1e-9 * abs(exact))


@pytest.mark.parametrize(("n", "x"), [(32, 2.0), (64, 5.5), (64, 9.0)])
def test_uniform_ternary_secrets_are_the_mixture_of_all_weights(n: int, x: float) -> None:
    chances = {w: comb(n, w) * 2**w / 3**n for w in range(1, n + 1) if x < w / 2}
    mixture = sum(chance * 2 ** modular_raising._exact(w, x) for w, chance in chances.items())
    found = modular_raising._by_saddle_point(modular_raising._Sum(n, 2 / 3, 0), x)
    assert found == pytest.approx(log2(mixture), abs=1e-6)


@given(rings, st.data(), intervals)
def test_heavier_secrets_and_smaller_intervals_fail_more_often(n: int, data: st.DataObject, k: int) -> None:
    weight = data.draw(st.integers(1, n - 1))
    more = data.draw(st.integers(weight + 1, n))
    assert failure_bits(n, more, k) <= failure_bits(n, weight, k) + 1e-9
    assert failure_bits(n, weight, k) <= failure_bits(n, weight, k + 1) + 1e-9


@given(rings, st.integers(1, 64), st.integers(1, 32))
def test_more_coefficients_and_larger_messages_fail_more_often(n: int, weight: int, k: int) -> None:
    bits = failure_bits(n, weight, k)
    assert bits >= 0
    assert failure_bits(n, weight, k, slots=1) >= bits
    assert failure_bits(n, weight, k, message=0.25) <= bits


def test_a_uniform_ternary_secret_fails_like_one_of_two_thirds_of_its_weight() -> None:
    n = 1 << 16
    assert failure_bits(n, None, 512) == pytest.approx(failure_bits(n, 2 * n // 3, 512), abs=0.05)
    assert failure_bits(n, None, 512) < failure_bits(n, 2 * n // 3, 512)


@pytest.mark.parametrize("k", [17, 100])
def test_what_no_sum_reaches_never_fails(k: int) -> None:
    assert failure_bits(1 << 16, 32, k) == inf
    assert joint_failure_bits([inf, inf]) == inf


def of_lattigo(
    ephemeral: int | None, weight: int | None, message_bits: int = 8, iterations: int = 1
) -> float:
    """A bootstrap with Lattigo's defaults in N = 2^16: 32,768 slots and K = 16."""
    procedure = Procedure(
        1 << 15, (4, 4, 4, 3), (5, 5, 5), Reduction(16, 30, 3), message_bits, ephemeral, iterations
    )
    return bootstrap_failure_bits(1 << 16, Bootstrapping(procedure, (97,), (193,), 1, weight))


def test_a_bootstrap_fails_by_the_secret_in_which_it_raises_the_modulus() -> None:
    assert of_lattigo(32, 192) == of_lattigo(32, None) > 130
    assert of_lattigo(None, 192) < 10
    assert of_lattigo(None, None) == 0


def test_larger_messages_and_more_iterations_fail_more_often() -> None:
    """A message of a quarter of q0, as in `N16QP1547H192H32` [Lattigo], brings I = 16 nearer."""
    near = failure_bits(1 << 16, 32, 16, message=0.25)
    assert of_lattigo(32, 192, message_bits=2) == near
    assert of_lattigo(32, 192) > near
    assert of_lattigo(32, 192, iterations=2) == pytest.approx(of_lattigo(32, 192) - 1)


def test_what_always_fails_has_no_bits() -> None:
    assert failure_bits(1 << 16, 40_000, 1) == 0
    assert failure_bits(64, 64, 0.25) == 0


def test_several_bootstrappings_fail_as_often_as_all_together() -> None:
    assert joint_failure_bits([]) == inf
    assert joint_failure_bits([132.7] * 8) == pytest.approx(129.7)
    assert joint_failure_bits([15.0, 130.0]) == pytest.approx(15.0)
    assert joint_failure_bits([0.5, 0.2]) == 0


@pytest.mark.parametrize(
    ("n", "weight", "k", "slots", "message", "said"),
    [
        (64, 65, 3, None, 0.0, "weight 65"),
        (64, 0, 3, None, 0.0, "weight 0"),
        (0, None, 3, None, 0.0, "dimension 0"),
        (64, 8, 0, None, 0.0, "not an interval"),
        (64, 8, inf, None, 0.0, "not an interval"),
        (64, 8, 3, 33, 0.0, "33 slots"),
        (64, 8, 3, None, 0.5, "1/2"),
    ],
)
def test_what_is_no_such_secret_ring_or_interval_is_refused(
    n: int, weight: int | None, k: float, slots: int | None, message: float, said: str
) -> None:
    with pytest.raises(InfeasibleParameters) as refused:
        failure_bits(n, weight, k, slots, message)
    assert said in f"{refused.value.message} {refused.value.remedy}"
    assert refused.value.remedy
