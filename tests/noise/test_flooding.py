"""What flooding must drown and what it costs, against polynomials whose slots are evaluated here."""

from dataclasses import replace
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import fheasible as fh
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters, parameters_for, request_for
from fheasible.lowering.lower import lower
from fheasible.noise.ckks.decryption import added_variance, refusal_bits
from fheasible.noise.ckks.elements import seen_variance, whole_variance
from fheasible.noise.ckks.flooding import QUERIES, noise_bits, noise_estimate, seen_bits, variance
from fheasible.noise.reach.gains import gains
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

SLOTS = 64
INSECURE_N = 2 * SLOTS
SCALE = 2.0**59
Floats = NDArray[np.float64]


def program(results: int = 1) -> Program:
    """So many encrypted vectors, decrypted as they are."""
    values = tuple(range(results))
    made = tuple(Operation(Action.ENCRYPT, v, source="x", chunk=v) for v in values)
    packed = Packed("x", results * SLOTS, values)
    return Program(Scheme.CKKS, SLOTS, 0, made, (), (packed,), (packed,))


def parameters(flooding: float = 0.0) -> Parameters:
    return parameters_for(
        "openfhe",
        "ckks",
        INSECURE_N,
        (2**60 + 1,),
        technique="fixedmanual",
        scales=(SCALE,),
        flooding=flooding,
    )


# One root of X^n + 1 of each conjugate pair, to each power.
ROOTS = np.exp(1j * np.pi * np.arange(1, INSECURE_N, 2) / INSECURE_N)
POWERS = ROOTS ** np.arange(INSECURE_N)[:, None]


def slots(coefficients: Floats) -> NDArray[np.complex128]:
    found: NDArray[np.complex128] = coefficients @ POWERS
    return found


def noises(deviation: float, count: int, seed: int) -> Floats:
    return np.random.default_rng(seed).normal(0, deviation, (count, INSECURE_N))


def whole(errors: Floats) -> Floats:
    """The mean variance of a slot's real part, of the number that it stands for."""
    return np.array([np.mean(slots(e).real ** 2) / SCALE**2 for e in errors])


def test_the_noise_is_the_norm_of_the_coefficients_of_all_results() -> None:
    errors = noises(300.0, 150, seed=1)
    of_each = np.array([noise_bits(program(), parameters(), np.array([v])) for v in whole(errors)])
    assert np.mean(4**of_each) == pytest.approx(np.mean(np.sum(errors**2, axis=1)), rel=0.05)
    three = noise_bits(program(3), parameters(), whole(errors[:3]))
    assert three == pytest.approx(np.log2(np.linalg.norm(errors[:3])), abs=0.3)


def test_noise_that_is_alike_in_all_slots_counts_in_full() -> None:
    """As of a sum in every slot: all of it lies in the constant coefficient and the one of X^(n/2)."""
    error = np.zeros((1, INSECURE_N))
    error[0, 0] = error[0, INSECURE_N // 2] = 1000.0
    assert np.allclose(slots(error[0]).real, 1000)
    assert noise_bits(program(), parameters(), whole(error)) == pytest.approx(log2(1000 * 2**0.5))


def test_what_openfhe_sees_in_the_imaginary_parts_is_half_of_the_noise() -> None:
    errors = noises(300.0, 150, seed=2)
    mirrored = np.concatenate([errors[:, :1], -errors[:, :0:-1]], axis=1)  # e(1/X)
    halves = (errors - mirrored) / 2
    seen = np.log2(np.sqrt(np.mean(halves**2, axis=1)))
    found = np.mean([4 ** seen_bits(program(), np.array([bits])) for bits in seen])
    assert found == pytest.approx(np.mean(np.sum(errors**2, axis=1)), rel=0.05)


def test_a_trial_run_may_see_no_noise_at_all() -> None:
    """OpenFHE tells log2 of 0 then, as it may of a single slot."""
    assert seen_bits(program(), np.array([-np.inf])) == -np.inf


def test_the_norm_counts_all_that_a_rotation_shifts_coefficients_by() -> None:
    """OpenFHE leaves most of that out of its estimate. Of a rescaled encryption that is rotated: the rounding
    of rescaling, of P's k primes k times as much, and the mean k/2 of that, each times 1 and the secret."""
    openfhe, n = library("openfhe"), 2048
    declared = {v: fh.reals(n // 2, low=-1, high=1) for v in "xy"}
    circuit = fh.app(**declared)(lambda x, y: fh.rotate(x, 1)).trace()
    turned = lower(circuit, replace(openfhe.style("ckks", "flexibleautoext"), spare=1), n // 2)
    asked = request_for("ckks", turned.levels, None, technique="flexibleautoext", ring_dimension=n)
    p = openfhe.parameters(asked)
    known = gains(turned, {v: np.ones(n // 2) for v in "xy"})
    k = len(p.p)
    coefficient = (1 / 12 + k / 12 + k**2 / 4) * (1 + 2 / 3 * n)
    found = noise_bits(turned, p, whole_variance(turned, p, known))
    assert found == pytest.approx(log2(n * coefficient) / 2, abs=0.01)
    assert seen_variance(turned, p, known) < 0.6 * whole_variance(turned, p, known)


def test_flooding_spreads_over_the_slots() -> None:
    flood = 2.0**30
    measured = np.mean(whole(noises(flood, 150, seed=3)))
    assert variance(program(), parameters(flood)) == pytest.approx(measured, rel=0.05, abs=0)


def test_the_decoder_adds_as_much_as_it_sees_flooding_included() -> None:
    flood, of_results = 2.0**30, np.array([0.25 * SLOTS * 2.0**60 / SCALE**2])
    flooded = SLOTS * flood**2 / SCALE**2
    added = added_variance(program(), parameters(flood), of_results)
    assert added == pytest.approx(flooded + (of_results + flooded), abs=0)


def test_flooding_can_make_openfhe_refuse_to_decrypt() -> None:
    nothing = np.array([0.0])
    assert refusal_bits(program(), parameters(2.0**54), nothing) == pytest.approx(0.5, abs=0.01)
    assert refusal_bits(program(), parameters(2.0**55), nothing) < 0


def test_without_flooding_nothing_is_added() -> None:
    assert variance(program(), parameters()) == 0


@given(st.floats(-40, -5))
def test_the_estimate_covers_many_results_and_is_no_larger_than_it_must(bits: float) -> None:
    noise = np.array([4.0**bits])
    found = noise_estimate(program(), parameters(), noise)
    least = noise_bits(program(), parameters(), noise) + log2(QUERIES) / 2
    assert least + 0.5 <= found <= least + 0.6 + 1e-9
    assert found != 0  # OpenFHE takes 0 for none


def test_an_estimate_of_zero_is_given_as_a_little_more() -> None:
    none = 4.0 ** (-(59.5 + log2(QUERIES) / 2 + 0.5 + 0.02))
    assert noise_estimate(program(), parameters(), np.array([none])) == 0.1
