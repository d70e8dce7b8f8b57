"""Security of TFHE's binary secrets: our estimator beside the curves that libraries document."""

from dataclasses import replace

import numpy as np
import pytest

from exploration.lookups.curves import CONCRETE
from fheasible.errors import InfeasibleParameters
from fheasible.libraries.lookup_catalogue import lookup_library
from fheasible.schemes.tfhe.parameters import Gaussian, TUniform
from fheasible.security.estimator import estimate
from fheasible.security.tfhe import (
    LEVELS,
    TfheSecurity,
    least_std,
    security_bits,
    security_of,
    security_of_all,
)
from fheasible.security.tfhe_tabulation import largest_ratios
from noise.tfhe.sets import named_set, named_sets

USUAL = named_set("V1_7_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128").parameters
ORIGINAL = replace(  # the set that TFHEpp and the first TFHE library had, n = 500, stated as 128 bits
    USUAL,
    lwe_dimension=500,
    polynomial_size=1024,
    lwe_errors=Gaussian(2.44e-5),
    glwe_errors=Gaussian(3.73e-9),
    torus_bits=32,
)


def bits(dimension: int, log_std: float) -> float:
    return float(estimate(dimension, 64.0, "binary", 2.0 ** (64 + log_std)).bits)


@pytest.mark.parametrize("level", CONCRETE)
@pytest.mark.parametrize("dimension", [500, 512, 600, 742, 860, 1000, 1100])
def test_documented_curves_have_their_security(level: int, dimension: int) -> None:
    slope, bias = CONCRETE[level]
    assert 0 <= bits(dimension, slope * dimension + bias) - level < 1.1


def test_secrets_of_fhew_are_ternary_and_judged_by_their_largest_moduli() -> None:
    """STD128: the small one is weakest in the key for key switching, modulo 2^15, not in ciphertexts modulo
    2^11. By today's estimate it has 124 bits, and the ring of 1024 with 27 bits has 126."""
    p = lookup_library("binfhe").named_set("STD128/GINX").parameters
    found = security_of(p)
    assert found.lwe == float(estimate(554, 15.0, "ternary", 3.19).bits)
    assert found.glwe == pytest.approx(float(estimate(1024, 27.0, "ternary", 3.19).bits), abs=0.1)
    assert 123 < found.bits < 125 < found.glwe < 127
    both = security_of_all([USUAL, p])  # kinds of secrets are told apart
    assert [both[0].bits, both[1].bits] == [security_bits(USUAL), found.bits]


def test_every_set_of_tfhe_rs_has_the_132_bits_that_it_documents() -> None:
    """To a tenth of a bit: the estimator's figures are stairs, and the least is 131.98."""
    found = security_of_all([each.parameters for each in named_sets()])
    assert min(each.bits for each in found) > 131.9
    assert max(each.lwe for each in found) < 136


def test_the_papers_set_of_500_coefficients_is_far_below_128_bits() -> None:
    found = security_of(ORIGINAL)
    assert found.lwe == pytest.approx(93.7, abs=0.5)
    assert found.glwe == pytest.approx(110.3, abs=0.5)
    assert found.weaker == "lwe"
    assert security_bits(ORIGINAL) == found.lwe


def test_500_coefficients_need_errors_thirty_times_as_wide() -> None:
    needed = float(least_std(500, 128))
    assert 30 < needed / 2.44e-5 < 40
    assert security_of(replace(ORIGINAL, lwe_errors=Gaussian(needed))).lwe > 128


def test_the_weaker_secret_decides() -> None:
    assert TfheSecurity(140, 130).bits == 130
    assert TfheSecurity(140, 130).weaker == "glwe"


def test_errors_of_a_smaller_modulus_are_judged_in_it() -> None:
    """The keys of a key switch modulo 2^32 have errors that are as wide, as a part of the torus."""
    narrow = replace(USUAL, lwe_errors=TUniform(13, 32))
    assert security_of(narrow).lwe == pytest.approx(security_of(USUAL).lwe, abs=0.01)


def test_errors_of_no_width_are_refused() -> None:
    with pytest.raises(InfeasibleParameters, match="hide nothing"):
        security_bits(replace(USUAL, lwe_errors=Gaussian(0.0)))


def test_quantum_attackers_need_less() -> None:
    assert security_bits(USUAL, quantum=True) < security_bits(USUAL) - 5


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("quantum", [False, True])
def test_least_errors_are_enough_and_hardly_more(level: int, quantum: bool) -> None:
    model = "chaloy21" if quantum else "matzov"
    dimensions = np.random.default_rng(level).integers(level * 3, 3000, 60).astype(np.float64)
    deviations = least_std(dimensions, level, quantum)
    met = (deviations > 2.0**-62) & (deviations < 1 / 32)
    found = estimate(dimensions[met], 64.0, "binary", deviations[met] * 2.0**64, model).bits
    assert met.sum() > 10
    assert (found >= level).all()
    assert (found < level + 1).all()


def test_errors_are_never_narrower_than_what_a_torus_can_hold() -> None:
    assert least_std(100_000, 128) == 2.0**-62
    assert least_std(100_000, 128, torus_bits=32) == 2.0**-30
    assert least_std(10, 128) == 1


def test_levels_without_a_table_are_named() -> None:
    with pytest.raises(InfeasibleParameters, match="100 bits") as raised:
        least_std(700, 100)
    assert "128" in str(raised.value.remedy)


def test_the_table_is_what_the_estimator_says() -> None:
    dimensions = np.array([608.0, 800.0, 1024.0])
    ratios = largest_ratios(dimensions, 128, quantum=False)
    assert -np.log2(least_std(dimensions, 128)) == pytest.approx(ratios, abs=0.12)
    assert (-np.log2(least_std(dimensions, 128)) < ratios).all()
