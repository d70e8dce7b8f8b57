"""Predicted variances and failure rates of look-ups, against those of toys that really run."""

from dataclasses import replace

import numpy as np
import pytest
from tests.schemes.tfhe.running import INSECURE_TOY, Run, in_batches, looked_up

from fheasible.noise.tfhe.noise import lookup_failure, noise_of
from fheasible.schemes.tfhe.parameters import ModulusSwitch, Order, TfheParameters, TUniform

KEYS = 4
VARIANCES = {
    "errors of the key": replace(INSECURE_TOY, glwe_errors=TUniform(42)),
    "two bits at once": replace(INSECURE_TOY, glwe_errors=TUniform(41), grouping=2),
    "key switch last": replace(INSECURE_TOY, order=Order.PBS_KS, lwe_errors=TUniform(48)),
}
WIDE = replace(INSECURE_TOY, message_modulus=16, carry_modulus=1)
FAILING = {  # with 64 values, each has four steps of 2N
    "rounding": replace(WIDE, message_modulus=64, modulus_switch=ModulusSwitch.CENTERED),
    "key switch": replace(WIDE, lwe_errors=TUniform(51)),
}


def errors(p: TfheParameters, count: int) -> np.ndarray:
    """The errors of so many look-ups with each of some keys."""
    runs = [Run.of(p, seed=key) for key in range(KEYS)]
    return np.stack([in_batches(count, 64, lambda size, seed, r=r: looked_up(r, size, seed)) for r in runs])


@pytest.mark.long
@pytest.mark.parametrize("name", VARIANCES)
def test_variances_are_within_a_fifth_of_those_measured(name: str) -> None:
    p = VARIANCES[name]
    found = np.mean(errors(p, 128) ** 2)
    assert noise_of(p, mantissa=None).looked_up == pytest.approx(found, rel=0.2)


@pytest.mark.long
@pytest.mark.parametrize("name", FAILING)
def test_sets_that_are_made_to_fail_fail_as_often_as_predicted(name: str) -> None:
    """Results that are off by half a value or more, for tables whose neighbouring entries differ."""
    p = FAILING[name]
    wrong = np.abs(errors(p, 128)) > 0.25 / p.plaintext_modulus
    predicted = 2.0 ** lookup_failure(p, norm2=0, mantissa=None)
    assert 0.02 < predicted < 0.3
    assert wrong.mean() == pytest.approx(predicted, rel=0.25)
