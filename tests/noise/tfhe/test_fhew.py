"""The noise of FHEW's bootstraps: by hand where that can be, and as measured in OpenFHE's wheel 1.6.1."""

from math import isclose

import pytest

from fheasible.libraries.lookup_catalogue import lookup_library
from fheasible.noise.tfhe import fhew
from fheasible.noise.tfhe.noise import failure_of, lookup_failure, noise_of
from fheasible.schemes.fhew.parameters import FhewParameters
from fheasible.schemes.tfhe.parameters import Order

MEASURED = {
    "TOY/GINX": (4.94, 3000),
    "TOY/LMKCDEY": (4.60, 3000),
    "TOY/AP": (4.39, 2000),
    "MEDIUM/GINX": (143.95, 600),
    "MEDIUM/LMKCDEY": (134.74, 600),
    "STD128/GINX": (360.97, 400),
    "STD128_LMKCDEY/LMKCDEY": (367.50, 500),
}
"""The variance of a look-up's result with one key, in units of 1 modulo q, and over how many look-ups."""


def named(name: str) -> FhewParameters:
    p = lookup_library("binfhe").named_set(name).parameters
    assert isinstance(p, FhewParameters)
    return p


@pytest.mark.parametrize("name", MEASURED)
def test_a_result_has_the_noise_that_was_measured(name: str) -> None:
    """Within 20 %: one key's errors are a sample, too."""
    p, (measured, _) = named(name), MEASURED[name]
    assert noise_of(p).looked_up * p.set.q**2 == pytest.approx(measured, rel=0.2)


def test_the_noise_of_toy_is_as_by_hand() -> None:
    """GINX: 64 steps; in each, for two keys and X^a - 1, 2 * 512 coefficients with two digits of 9 bits meet
    errors of 3.19; the digit that is left out meets two thirds of 512 secret digits, two times in three."""
    p = named("TOY/GINX")
    uniform = 512**2 / 12
    each = 4 * (2 * 512 * 2 * uniform * 3.19**2) + 2 * 2 / 3 * uniform * (512 * 2 / 3 + 1)
    assert noise_of(p).bootstrap == pytest.approx(64 * each / 134215681**2, rel=1e-3)
    assert noise_of(p).fresh == pytest.approx((3.19 / 512) ** 2)


def test_a_key_switch_rounds_twice_and_adds_an_entry_for_each_digit() -> None:
    """MEDIUM: two digits to the base 128 modulo 2^14, from 1024 numbers to 422 modulo 1024."""
    added = (1024 * 2 / 3 + 1) / 12 + 1024 * 2 * (127 / 128) * 3.19**2
    expected = added / 2**28 + (422 * 2 / 3 + 1) / 12 / 2**20
    assert fhew.key_switch_variance(named("MEDIUM/GINX")) == pytest.approx(expected)


def test_only_lmkcdey_disturbs_its_argument() -> None:
    """It adds 1 to half of 554 numbers, two thirds of which count."""
    assert noise_of(named("STD128/GINX")).modulus_switch == noise_of(named("STD128/AP")).modulus_switch == 0
    assert isclose(noise_of(named("STD128/LMKCDEY")).modulus_switch * 2048**2, 554 / 3)


def test_ciphertexts_are_under_the_small_key_between_look_ups() -> None:
    noise = noise_of(named("STD128/GINX"))
    assert noise.order is Order.PBS_KS
    assert noise.before_table(2.0, 3.0) == pytest.approx(2 * noise.looked_up + 3 * noise.fresh)


def test_sets_for_more_values_fail_less_often() -> None:
    """The sets for gates of three and four inputs, with four values below a bit of padding."""
    rates = [lookup_failure(named(f"{name}/GINX"), 2**0.5) for name in ("STD128", "STD128_3", "STD128_4")]
    assert rates == sorted(rates, reverse=True)
    assert rates[2] < -128 < rates[1] < -40 < rates[0]
    assert failure_of(noise_of(named("STD128/GINX/Q12")).before_table(2.0), 4) < -300
