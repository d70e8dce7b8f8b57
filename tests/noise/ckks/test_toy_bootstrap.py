"""Bootstraps on the exact ring have the noise that the formulas say."""

import numpy as np
import pytest

from fheasible.noise.ckks.bootstrap import added
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction
from noise.ckks.toy_bootstrap import Toy

FULL = Procedure(32, (3, 2), (2, 3), Reduction(12, 63, 2), 10)
SPARSE = Procedure(8, (2, 1), (1, 2), Reduction(12, 63, 2), 10)
TOYS = {
    "scales chosen beforehand": Toy("lattigo", FULL),
    "scales chosen beforehand, sparse": Toy("lattigo", SPARSE),
    "operands aligned on the way": Toy("openfhe", FULL),
    "one scale for all levels": Toy("openfhe", FULL, "fixedmanual"),
    "one scale for all levels, rescaled late": Toy("openfhe", SPARSE, "fixedauto"),
}
ALIKE = 0.2  # relative difference of the variances
FEW_ALIKE = 0.3  # of some 1,000 errors, whose variance is off by 4 % to begin with, under two secrets
KEYS, PAIRS = 10, 10  # two bootstraps each, five toys: a thousand


def off(toy: Toy, keys: int, pairs: int, level: int = 1) -> float:
    """The variance of the error in a slot's real or imaginary part, over the predicted one, less 1."""
    found = np.mean(np.abs(toy.errors(keys, pairs, level)) ** 2) / 2
    return float(found / added(toy.parameters()[0], level).total - 1)


@pytest.mark.long
@pytest.mark.parametrize("name", ["scales chosen beforehand", "one scale for all levels"])
def test_a_few_bootstraps_have_the_noise_that_the_formulas_say(name: str) -> None:
    assert off(TOYS[name], 2, 8) == pytest.approx(0, abs=FEW_ALIKE)


@pytest.mark.slow
@pytest.mark.parametrize("name", TOYS)
def test_a_thousand_bootstraps_have_the_noise_that_the_formulas_say(name: str) -> None:
    assert off(TOYS[name], KEYS, PAIRS) == pytest.approx(0, abs=ALIKE)
