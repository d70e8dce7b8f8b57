"""Predicted failure rates of look-ups, against those of toys that really run and are made to fail."""

from dataclasses import replace

import numpy as np
import pytest

from fheasible.noise.tfhe.noise import lookup_failure
from fheasible.schemes.tfhe.parameters import ModulusSwitch, TfheParameters, TUniform
from schemes.tfhe.running import INSECURE_TOY, Run, in_batches, looked_up

KEYS = 4
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
@pytest.mark.parametrize("name", FAILING)
def test_sets_that_are_made_to_fail_fail_as_often_as_predicted(name: str) -> None:
    """Results that are off by half a value or more, for tables whose neighbouring entries differ."""
    p = FAILING[name]
    wrong = np.abs(errors(p, 128)) > 0.25 / p.plaintext_modulus
    predicted = 2.0 ** lookup_failure(p, norm2=0, mantissa=None)
    assert 0.02 < predicted < 0.3
    assert wrong.mean() == pytest.approx(predicted, rel=0.25)
