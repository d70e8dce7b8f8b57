"""Failure rates of TFHE's parameters, against those that TFHE-rs states for its named sets."""

from dataclasses import replace
from math import erfc, log2

import numpy as np
import pytest

from fheasible.noise.tfhe.noise import NEVER, failure_of, lookup_failure, noise_of
from fheasible.noise.tfhe.variances import key_switch_variance, modulus_switch_variance
from fheasible.schemes.tfhe.parameters import Gadget, Order
from noise.tfhe.sets import NamedSet, named_set, named_sets

SETS = named_sets()
USUAL = named_set("V1_7_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128")


def test_every_set_of_tfhe_rs_is_there() -> None:
    assert len(SETS) == 61
    assert {s.parameters.grouping for s in SETS} == {1, 2, 3, 4}
    assert {s.parameters.precision for s in SETS} == {2, 4, 6, 8}


@pytest.mark.parametrize("named", [s for s in SETS if not s.nominal], ids=lambda s: s.name)
def test_failure_rates_are_those_that_tfhe_rs_states(named: NamedSet) -> None:
    assert lookup_failure(named.parameters, named.norm2) == pytest.approx(named.p_fail, abs=0.01)


@pytest.mark.parametrize("named", [s for s in SETS if s.nominal], ids=lambda s: s.name)
def test_sets_with_a_nominal_rate_alone_fail_at_most_as_often(named: NamedSet) -> None:
    assert lookup_failure(named.parameters, named.norm2) < named.p_fail + 1


def test_probabilities_are_those_of_a_normal_distribution() -> None:
    deviation = 1 / 100
    assert failure_of(deviation**2, 4) == pytest.approx(log2(erfc(1 / 16 / deviation / 2**0.5)))
    assert failure_of(1e6, 4) == pytest.approx(0, abs=1e-3)
    assert failure_of(0.0, 4) == NEVER


def test_rates_far_below_the_least_double_are_finite() -> None:
    assert -3000 < failure_of((1 / 16 / 60) ** 2, 4) < -2500


def test_what_is_added_first_grows_with_the_norm_alone() -> None:
    noise = noise_of(USUAL.parameters)
    assert noise.before_table(9) - noise.before_table(4) == pytest.approx(5 * noise.bootstrap)
    after = noise_of(replace(USUAL.parameters, order=Order.PBS_KS))
    assert after.before_table(9) - after.before_table(4) == pytest.approx(
        5 * (noise.bootstrap + noise.key_switch)
    )


def test_exact_products_leave_out_the_error_of_the_fft() -> None:
    wide = replace(USUAL.parameters, pbs=Gadget(23, 2))
    assert noise_of(wide, mantissa=None).bootstrap < noise_of(wide).bootstrap / 1.3
    assert noise_of(wide, mantissa=100).bootstrap == pytest.approx(noise_of(wide, None).bootstrap)


def test_a_key_switch_adds_what_its_digits_and_its_rounding_add() -> None:
    """The same sums, drawn at random for one key of a thousand bits and keys without errors."""
    rng = np.random.default_rng(5)
    bits, base_log, level = 1000, 3, 2
    secret = rng.integers(0, 2, bits)
    numbers = rng.random((4000, bits))
    rounded = np.round(numbers * 2 ** (base_log * level)) / 2 ** (base_log * level)
    found = ((rounded - numbers) @ secret).var()
    assert key_switch_variance(bits, base_log, level, 0.0) == pytest.approx(found, rel=0.1)


@pytest.mark.parametrize("centered", [False, True])
def test_a_modulus_switch_adds_what_rounding_adds(centered: bool) -> None:
    rng = np.random.default_rng(6)
    bits, big_n = 600, 256
    secret = rng.integers(0, 2, bits)
    numbers = rng.random((6000, bits))
    errors = np.round(numbers * 2 * big_n) / (2 * big_n) - numbers
    taken = secret - 0.5 if centered else secret
    body = 0 if centered else (1 / (2 * big_n)) ** 2 / 12
    found = (errors @ taken).var() + body
    assert modulus_switch_variance(bits, big_n, centered=centered) == pytest.approx(found, rel=0.1)


def test_several_bits_at_once_are_rounded_once() -> None:
    """Of each group, the sum of the numbers whose bits are 1 is rounded, unless all bits are 0."""
    rng = np.random.default_rng(7)
    groups, grouping, big_n = 200, 3, 256
    numbers = rng.random((6000, groups, grouping))
    secret = rng.integers(0, 2, (groups, grouping))
    sums = (numbers * secret).sum(axis=2)
    errors = np.round(sums * 2 * big_n) / (2 * big_n) - sums
    found = errors.sum(axis=1).var() + (1 / (2 * big_n)) ** 2 / 12
    model = modulus_switch_variance(groups * grouping, big_n, grouping)
    assert model == pytest.approx(found, rel=0.1)
