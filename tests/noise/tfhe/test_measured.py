"""The formulas beside what exact runs measure: variances within 20 %."""

from dataclasses import replace

import numpy as np
import pytest

from fheasible.noise.tfhe.noise import noise_of
from fheasible.schemes.tfhe.parameters import Gadget, TUniform
from schemes.tfhe.errors import bootstrapped, key_switched, modulus_switched
from schemes.tfhe.running import INSECURE_TOY, VARIANTS, Run, in_batches


@pytest.mark.long
@pytest.mark.parametrize("variant", ["two polynomials", "groups of two", "32 bits"])
def test_measured_variances_are_those_of_the_formulas(variant: str) -> None:
    p = VARIANTS[variant]
    noise, runs = noise_of(p, None), [Run.of(p, seed) for seed in range(4)]
    found = np.concatenate([bootstrapped(run, 100, 0) for run in runs])
    assert np.mean(found**2) == pytest.approx(noise.bootstrap, rel=0.2)
    found = np.concatenate([key_switched(run, 200) for run in runs])
    assert np.mean(found**2) == pytest.approx(noise.key_switch, rel=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_ten_thousand_bootstraps_have_the_variance_of_the_formula(variant: str) -> None:
    p = VARIANTS[variant]
    noise, found, switched, rounded = noise_of(p, None), [], [], []
    for key in range(20):
        run = Run.of(p, key)
        found.append(in_batches(500, 32, lambda size, seed, run=run: bootstrapped(run, size, seed)))
        switched.append(key_switched(run, 500))
        rounded.append(modulus_switched(run, 500))
    assert sum(map(len, found)) == 10_000
    assert np.mean(np.concatenate(found) ** 2) == pytest.approx(noise.bootstrap, rel=0.1)
    assert np.mean(np.concatenate(switched) ** 2) == pytest.approx(noise.key_switch, rel=0.1)
    if p.grouping == 1:
        variance = np.concatenate(rounded).var() / (2 * p.polynomial_size) ** 2
        assert variance == pytest.approx(noise.modulus_switch, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("base_log", [23, 26])
def test_products_in_doubles_add_what_was_fitted_to_a_library(base_log: int) -> None:
    """TFHE-rs's fit to its own FFT holds for ours within a factor of two: keys without errors and one large
    digit, so that the errors of doubles are most of the noise."""
    p = replace(
        INSECURE_TOY, lwe_dimension=40, polynomial_size=1024, pbs=Gadget(base_log, 1), glwe_errors=TUniform(0)
    )
    exact, doubles = noise_of(p, None).bootstrap, noise_of(p).bootstrap
    found = bootstrapped(Run.of(p, 1, doubles=True), 200, 0)
    assert (doubles - exact) / 2 < np.mean(found**2) - exact < 2 * (doubles - exact)
