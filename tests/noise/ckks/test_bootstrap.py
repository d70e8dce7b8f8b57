"""The noise of a bootstrap beside published figures, and beside errors that were measured."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.libraries.bootstrapping import BootstrapRequest
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import CkksParameters, CkksRequest
from fheasible.lowering.lower import lower
from fheasible.noise.ckks.bootstrap import _whole, added, reduced
from fheasible.noise.primitive import UNIFORM, fresh
from fheasible.program.style import Style
from fheasible.program.types import Scheme
from libraries.lattigo_sets import SETS

# Mean bits for all slots, from circuits/ckks/bootstrapping/default_parameters.go [Lattigo].
DOCUMENTED = {
    "N16QP1546H192H32": 26.6,
    "N16QP1547H192H32": 32.1,
    "N16QP1553H192H32": 19.1,
    "N15QP768H192H32": 15.4,
    "N16QP1767H32768H32": 23.8,
    "N16QP1788H32768H32": 29.8,
    "N16QP1793H32768H32": 17.8,
    "N15QP880H16384H32": 17.3,
}
MEAN_BITS_OF_ONE = -0.084  # the mean of -log2 of a complex normal number whose parts have deviation 1

ENCAPSULATED, UNIFORM_SECRET, SPARSE = "sparse_encapsulated", "uniform_ternary", "sparse_ternary"

# log2 of the standard deviation of the real slots' errors, of OpenFHE's wheel 1.6.1, whose decryption adds as
# much noise again: (secret, N, slots, scale, first prime, correction, technique): measured.
MEASURED = {
    (ENCAPSULATED, 2048, 1024, 50, 60, 11, "flexibleauto"): -15.08,
    (ENCAPSULATED, 2048, 1024, 52, 60, 11, "flexibleauto"): -17.00,
    (ENCAPSULATED, 2048, 1024, 54, 60, 11, "flexibleauto"): -21.18,
    (ENCAPSULATED, 2048, 1024, 56, 60, 11, "flexibleauto"): -25.16,
    (ENCAPSULATED, 2048, 1024, 58, 60, 11, "flexibleauto"): -25.44,
    (ENCAPSULATED, 2048, 1024, 54, 60, 8, "flexibleauto"): -23.85,
    (ENCAPSULATED, 2048, 1024, 54, 60, 14, "flexibleauto"): -18.14,
    (ENCAPSULATED, 2048, 1024, 50, 55, 11, "flexibleauto"): -16.26,
    (ENCAPSULATED, 2048, 1024, 58, 58, 11, "flexibleauto"): -20.82,
    (ENCAPSULATED, 2048, 1024, 59, 59, 11, "flexibleauto"): -20.84,
    (ENCAPSULATED, 2048, 1024, 54, 60, 11, "flexibleautoext"): -21.10,
    (ENCAPSULATED, 1024, 512, 58, 60, 11, "flexibleauto"): -25.87,
    (ENCAPSULATED, 4096, 2048, 58, 60, 11, "flexibleauto"): -24.42,
    (UNIFORM_SECRET, 2048, 1024, 50, 60, 11, "flexibleauto"): -12.04,
    (UNIFORM_SECRET, 2048, 1024, 54, 60, 11, "flexibleauto"): -16.67,
    (UNIFORM_SECRET, 2048, 1024, 58, 60, 11, "flexibleauto"): -20.70,
    (UNIFORM_SECRET, 2048, 1024, 58, 58, 11, "flexibleauto"): -18.14,
    (UNIFORM_SECRET, 2048, 1024, 54, 60, 14, "flexibleauto"): -13.70,
    (UNIFORM_SECRET, 1024, 512, 58, 60, 11, "flexibleauto"): -21.85,
    (UNIFORM_SECRET, 4096, 2048, 58, 60, 11, "flexibleauto"): -19.23,
    (SPARSE, 2048, 1024, 50, 60, 11, "flexibleauto"): -13.80,
    (ENCAPSULATED, 2048, 1024, 54, 60, 11, "fixedauto"): -16.75,
    (ENCAPSULATED, 2048, 1024, 58, 60, 11, "fixedmanual"): -20.44,
    (UNIFORM_SECRET, 2048, 1024, 54, 60, 11, "fixedauto"): -8.93,
}
ALIKE_BITS = 0.3


def openfhe(
    secret: str, n: int, slots: int, scale: int, first: int, correction: int, technique: str
) -> CkksParameters:
    asked = BootstrapRequest(slots=slots, encode_levels=3, decode_levels=3, message_bits=correction)
    request = CkksRequest(
        "ckks", 3, None, ring_dimension=n, scale_bits=scale, first_bits=first, technique=technique,
        secret=secret, bootstrap=asked,
    )  # fmt: skip
    return _real(library("openfhe").parameters(request))


def _real(p: object) -> CkksParameters:
    assert isinstance(p, CkksParameters)
    return p


def log2_deviation(p: CkksParameters, floods: bool) -> float:
    """log2 of the standard deviation of real slots that hold random numbers between -1 and 1."""
    assert p.bootstrap is not None
    values = np.random.default_rng(1).uniform(-1, 1, p.bootstrap.procedure.slots)
    found = added(p).total * (2 if floods else 1) + float(np.var(reduced(p, values) - values))
    return float(np.log2(found)) / 2


@pytest.mark.parametrize("case", MEASURED, ids=str)
def test_openfhes_errors_are_as_predicted(case: tuple[str, int, int, int, int, int, str]) -> None:
    assert log2_deviation(openfhe(*case), floods=True) == pytest.approx(MEASURED[case], abs=ALIKE_BITS)


def test_lattigos_default_sets_are_as_precise_as_documented() -> None:
    off = []
    for name, request in SETS.items():
        p = _real(library("lattigo").parameters(request))
        p = replace(p, scales=(2.0 ** (request.scale_bits or 0),) * len(p.scales))  # one scale at all levels
        encrypted = (fresh(p) + UNIFORM) * p.ring_dimension / 2 / p.scales[-1] ** 2
        deviation = np.sqrt(2 ** (2 * log2_deviation(p, floods=False)) + encrypted)
        off.append(MEAN_BITS_OF_ONE - np.log2(deviation) - DOCUMENTED[name])
    assert np.mean(np.abs(off)) < 0.6
    assert max(off) < 1.0  # optimistic by no more


def cubic(slots: int, bits: int) -> CkksParameters:
    """A set without an arcsine."""
    request = CkksRequest(
        "ckks", 2, None, ring_dimension=2048, scale_bits=40, prime_bits=(60, 40, 40), special_bits=(61,),
        bootstrap=BootstrapRequest(slots=slots, message_bits=bits),
    )  # fmt: skip
    return _real(library("lattigo").parameters(request))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([16, 256, 1024]), st.sampled_from([8, 10, 12]))
def test_a_reduction_without_arcsine_has_the_sines_cubic_error(seed: int, slots: int, bits: int) -> None:
    """sin(2 pi x) / 2 pi is x - (2 pi)^2 x^3 / 6 for a small x; a single number has a single coefficient."""
    p = cubic(slots, bits)
    value = np.random.default_rng(seed).uniform(0.5, 1)
    error = reduced(p, np.full(slots, value)).mean() - value
    assert error == pytest.approx(-((2 * np.pi) ** 2) / 6 * value**3 * 4.0**-bits, rel=0.02, abs=1e-9)


def test_a_second_iteration_makes_the_error_smaller_by_its_bits() -> None:
    once = openfhe(ENCAPSULATED, 2048, 1024, 58, 60, 9, "flexibleauto")
    assert once.bootstrap is not None
    procedure = replace(once.bootstrap.procedure, iterations=2, iteration_bits=10)
    twice = replace(once, bootstrap=replace(once.bootstrap, procedure=procedure))
    assert log2_deviation(twice, True) == pytest.approx(log2_deviation(once, True) - 10, abs=0.1)


def test_more_coefficients_and_a_heavier_secret_add_more() -> None:
    small, large = (openfhe(ENCAPSULATED, n, n // 2, 58, 60, 9, "flexibleauto") for n in (1024, 4096))
    assert added(small).total < added(large).total
    dense = openfhe(UNIFORM_SECRET, 1024, 512, 58, 60, 9, "flexibleauto")
    assert added(small).total < added(dense).total


def test_an_output_that_no_double_holds_is_as_wrong_as_can_be_and_still_a_number() -> None:
    @fh.app(x=fh.reals(4, low=-1, high=1))
    def same(x: fh.Vector) -> fh.Vector:
        return x * x

    program = lower(same.trace(), Style(Scheme.CKKS), 4)
    found = _whole(np.array([np.nan, np.inf, -np.inf, 0.5]), program)
    assert np.isfinite(found**2).all()
    assert (np.abs(found) > 1e80).tolist() == [True, True, True, False]
    assert found[3] == 0.5
