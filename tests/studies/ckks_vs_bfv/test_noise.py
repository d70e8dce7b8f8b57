"""The noise itself: predictions, beside precision from measured errors."""

import pytest

from fheasible.studies.ckks_vs_bfv import noise
from fheasible.studies.ckks_vs_bfv.sets import CHAINS, NUMBERS
from studies.ckks_vs_bfv import invented


def test_a_product_leaves_less_than_a_sum() -> None:
    for scheme in ("ckks", "bfv"):
        for number in NUMBERS:
            assert noise.predicted(scheme, number, noise.PRODUCT) < noise.predicted(scheme, number, noise.SUM)


def test_ckks_has_fewer_bits_than_its_scale_and_bfv_a_budget_below_its_modulus() -> None:
    for number in NUMBERS:
        assert 0 < noise.predicted("ckks", number, noise.SUM) < CHAINS["ckks", number].scale_bits
        assert 0 < noise.predicted("bfv", number, noise.SUM) < sum(CHAINS["bfv", number].q) - 16


def test_precision_is_that_of_the_largest_error() -> None:
    there = invented.results(lambda *_: 1.0)
    assert noise.measured_precision(there, noise.SUM) == dict.fromkeys(NUMBERS, 21.0)
    assert noise.measured_precision(there, noise.PRODUCT) == {}


@pytest.mark.parametrize("number", NUMBERS)
def test_errors_of_ckks_depend_on_the_scale_alone(number: int) -> None:
    lost = CHAINS["ckks", number].scale_bits - noise.predicted("ckks", number, noise.SUM)
    assert 10 < lost < 14  # the standard deviation of a fresh ciphertext, its tail, and the sum of two
