"""Precision of CKKS programs: bits by hand and against random draws, and noise added up by hand."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import fheasible as fh
from fheasible.libraries.parameters import Parameters
from fheasible.lowering.lower import lower
from fheasible.noise.ckks import bits_of, drift, expected_bits, precision, variance
from fheasible.noise.gains import gains
from fheasible.noise.primitive import fresh, key_switch, rounding
from fheasible.program.style import Style
from fheasible.program.types import Action, Program, Scheme

from .programs import data, program

N = 1 << 12
UNIFORM = 1 / 12
Floats = NDArray[np.float64]


def parameters(levels: int, technique: str = "", library: str = "lattigo") -> Parameters:
    """Primes of which each is its own power of two times something, so that no two scales agree."""
    q = tuple(2**40 + 2**30 * l + 1 for l in range(levels + 1))
    scales = [2.0**40]
    for prime in q[:0:-1]:
        scales.append(scales[-1] ** 2 / prime)
    return Parameters(
        library, "ckks", N, q, (2**50 + 1,), levels + 1, technique, "hybrid", scales=tuple(scales[::-1]),
        levels=levels,
    )  # fmt: skip


# -- bits ----------------------------------------------------------------------------------------


def test_bits_are_those_of_the_relative_error() -> None:
    assert bits_of(np.array([1.25]), np.array([1.0])) == 2
    assert bits_of(np.array([-2.5, 8.5]), np.array([-2.0, 8.0])) == (2 + 4) / 2


def test_where_the_truth_is_zero_the_error_is_absolute() -> None:
    assert bits_of(np.array([0.125, -0.5]), np.array([0.0, 0.0])) == (3 + 1) / 2


def test_no_error_counts_as_the_resolution_of_a_double() -> None:
    assert bits_of(np.array([3.0]), np.array([3.0])) == 53
    assert expected_bits(np.array([3.0]), np.array([0.0]), 0.0) == 53


def test_the_bits_of_pure_noise_are_known() -> None:
    # E[-log2 |z|] of a standard normal z is (gamma + ln 2) / (2 ln 2)
    wanted = (np.euler_gamma + np.log(2)) / (2 * np.log(2)) + 20
    assert expected_bits(np.ones(1), np.zeros(1), 2.0**-20) == pytest.approx(wanted, abs=0.01)


CASES: dict[str, tuple[Floats, Floats, float]] = {
    "noise alone": (np.linspace(-3, 3, 40), np.zeros(40), 1e-5),
    "approximation alone": (np.linspace(0.1, 3, 40), 1e-4 * np.sin(np.arange(1, 41)), 1e-9),
    "as much of each": (np.linspace(0.1, 3, 40), np.full(40, 1e-5), 1e-5),
    "values that are zero": (np.array([0.0, 1.0, 0.0, 64.0]), np.zeros(4), 1e-3),
    "a single value": (np.array([0.3]), np.array([1e-6]), 3e-6),
    "a long vector": (np.random.default_rng(1).normal(0, 1, 5000), np.zeros(5000), 1e-6),
}


@pytest.mark.parametrize("case", CASES)
def test_expected_bits_are_what_random_noise_gives_on_average(case: str) -> None:
    exact, bias, sigma = CASES[case]
    draw = np.random.default_rng(6)
    times = max(200_000 // len(exact), 100)
    drawn = [
        bits_of(exact + bias + draw.normal(0, sigma, len(exact)), exact) for _ in range(min(times, 4000))
    ]
    if len(exact) == 1:
        drawn = [bits_of(exact + bias + sigma * draw.normal(0, 1, 100_000), np.full(100_000, exact[0]))]
    assert expected_bits(exact, bias, sigma) == pytest.approx(np.mean(drawn), abs=0.1)


# -- the noise of a program ----------------------------------------------------------------------


def slot(coefficient: float, scale: float) -> float:
    """Variance of a slot's real part."""
    return coefficient * N / 2 / scale**2


def test_the_noise_of_a_product_is_added_up_by_hand() -> None:
    found, p, given = program("product"), parameters(1), data()
    assert [o.action for o in found.operations[2:5]] == [Action.ENCRYPT, Action.ENCRYPT, Action.MUL]
    s0, s1 = p.scales
    wanted = slot(fresh(p) + UNIFORM, s1) * np.mean(given["x"] ** 2 + given["y"] ** 2)
    wanted += slot(key_switch(p, 1), s1**2) + slot(rounding(p), s0)
    assert variance(found, p, gains(found, given)) == pytest.approx(wanted, rel=1e-9, abs=0)


def test_plain_operands_bring_the_rounding_of_their_encoding() -> None:
    found, p, given = program("weighted"), parameters(1), data()
    weights = np.array([0.5, -1.5, 0.25, 1.0, -0.75])
    s0, s1 = p.scales
    wanted = 2 * slot(fresh(p) + UNIFORM, s1) * np.mean(weights**2)
    wanted += slot(UNIFORM, s1) * np.mean(given["x"] ** 2 + given["y"] ** 2)  # two products
    wanted += slot(UNIFORM, s1**2) + slot(rounding(p), s0)  # a summand of degree 2, and one rescaling
    assert variance(found, p, gains(found, given)) == pytest.approx(wanted, rel=1e-9, abs=0)


def test_a_larger_scale_is_more_precise_by_as_many_bits() -> None:
    found, given = program("product"), data()
    p, known = parameters(1), gains(found, given)
    finer = replace(p, q=tuple(x << 8 for x in p.q), scales=tuple(s * 2**8 for s in p.scales))
    truth = {"result": given["x"] * given["y"]}
    coarse, fine = (precision(found, x, known, truth) for x in (p, finer))
    assert fine.bits - coarse.bits == pytest.approx(8, abs=0.1)
    assert coarse.noise / fine.noise == pytest.approx(2**8, rel=0.1)


def test_precision_knows_noise_from_approximation() -> None:
    found, given = program("series"), data()
    truth = {"result": np.tanh(given["x"]) * given["y"]}
    p = parameters(found.levels)
    known = gains(found, given)
    result = precision(found, p, known, truth)
    error = known.outputs["result"] - truth["result"]
    always = drift(found, p, known)
    alike = error + always if len(error) == 1 else np.hypot(error, always)
    assert result.approximation == pytest.approx(np.sqrt(np.mean(alike**2)), abs=0)
    assert result.noise == pytest.approx(variance(found, p, known) ** 0.5, abs=0)
    assert result.bits <= bits_of(known.outputs["result"], truth["result"]) + 0.1


def drifted(found: Program, p: Parameters) -> float:
    """The factor that a run brings in which divides by primes and takes them for the scale."""
    factor: dict[int, float] = {}
    for o in found.operations:
        behind = [factor[a] for a in o.args] or [1.0]
        made = behind[0]
        if o.action in (Action.MUL, Action.SQUARE):
            made = behind[0] * behind[-1]
        elif o.action is Action.RESCALE:
            made = behind[0] * p.scales[0] / p.q[o.level + 1]
        factor[o.out] = made
    return factor[found.outputs[0].values[0]]


def test_fixed_scales_drift_by_what_the_primes_differ_from_them() -> None:
    found = program("sum of powers", slots=8)
    q = tuple(2**40 + 2**22 * l for l in (0, 3, -5, 1, 9))
    p = replace(parameters(4, "fixedmanual", "openfhe"), q=q, scales=(2.0**40,) * 5)
    known, truth = gains(found, data()), {"result": np.sum(data()["x"] ** 16, keepdims=True)}
    fixed, flexible = (
        precision(found, replace(p, technique=t), known, truth) for t in ("fixedmanual", "flexibleauto")
    )
    wanted = abs(drifted(found, p) - 1) * truth["result"][0]
    assert fixed.noise == flexible.noise  # it is the same in every encryption
    assert fixed.approximation == pytest.approx(wanted, rel=1e-3, abs=0)
    assert flexible.approximation < 1e-3 * wanted


@pytest.mark.parametrize("factor", [0.3, 2**-13 / 3, -7e-4])
def test_a_factor_is_multiplied_in_as_a_whole_number_of_its_scale(factor: float) -> None:
    @fh.app(x=fh.reals(8, low=0.5, high=1))
    def scaled(x):  # type: ignore[no-untyped-def]
        return fh.sum(x) * factor

    found = lower(scaled.trace(), Style(Scheme.CKKS), 8)
    p = replace(parameters(found.levels), scales=(2.0**26,) * (found.levels + 1), technique="")
    values = {"x": np.linspace(0.5, 1, 8)}
    truth = {"result": np.sum(values["x"], keepdims=True) * factor}
    rounded = np.round(factor * 2**26) / 2**26  # derived by hand from the rule of program/types.py
    wanted = abs((rounded - factor) * np.sum(values["x"]))
    assert drift(found, p, gains(found, values)) == pytest.approx(
        (rounded - factor) * np.sum(values["x"]), rel=1e-9
    )
    assert precision(found, p, gains(found, values), truth).approximation == pytest.approx(wanted, rel=1e-6)
