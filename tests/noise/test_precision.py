"""Precision of CKKS programs: bits by hand and against random draws, and noise added up by hand."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fheasible as fh
from fheasible.libraries.parameters import CkksParameters, Parameters
from fheasible.lowering.lower import lower
from fheasible.noise.achieved import bits_of, mean_bits
from fheasible.noise.ckks.elements import ElementErrors, drift, errors, variance
from fheasible.noise.ckks.mixture import nearest
from fheasible.noise.ckks.precision import expected_bits, precision
from fheasible.noise.primitive import (
    UNIFORM,
    digits,
    division,
    encryption_shares,
    fresh,
    keyed,
    rounding,
    switched,
    variant,
)
from fheasible.noise.reach.gains import Gains, gains
from fheasible.noise.shape import shape
from fheasible.program.style import Style
from fheasible.program.types import Action, Program, Scheme

from .programs import data, program

N = 1 << 12
Floats = NDArray[np.float64]


def parameters(levels: int, technique: str = "", library: str = "lattigo") -> Parameters:
    """Primes of which each is its own power of two times something, so that no two scales agree."""
    q = tuple(2**40 + 2**30 * l + 1 for l in range(levels + 1))
    scales = [2.0**40]
    for prime in q[:0:-1]:
        scales.append(scales[-1] ** 2 / prime)
    return CkksParameters(
        library, "ckks", N, q, (2**50 + 1,), levels + 1, technique, "hybrid", scales=tuple(scales[::-1]),
        levels=levels,
    )  # fmt: skip


# -- bits ----------------------------------------------------------------------------------------


def test_bits_are_those_of_the_relative_error() -> None:
    assert bits_of(np.array([1.25]), np.array([1.0])) == 2
    assert bits_of(np.array([-2.5, 8.5]), np.array([-2.0, 8.0])) == (2 + 4) / 2


def test_where_the_truth_is_zero_the_error_is_absolute() -> None:
    assert bits_of(np.array([0.125, -0.5]), np.array([0.0, 0.0])) == (3 + 1) / 2


def spread(bias: Floats, sigma: float, normal: bool = True) -> ElementErrors:
    rows = nearest(np.full(len(bias), 1e9 if normal else 1.0))
    one, sizes = np.ones(len(bias)), np.full(len(bias), sigma)
    return ElementErrors(bias, sizes, rows, one, 0 * one, sigma, np.full(1, sigma**2))


def test_no_error_counts_as_the_resolution_of_a_double() -> None:
    assert bits_of(np.array([3.0]), np.array([3.0])) == 53
    assert expected_bits(np.array([3.0]), spread(np.zeros(1), 0.0)) == 53


def test_the_bits_of_pure_noise_are_known() -> None:
    # E[-log2 |z|] of a standard normal z is (gamma + ln 2) / (2 ln 2)
    wanted = (np.euler_gamma + np.log(2)) / (2 * np.log(2)) + 20
    assert expected_bits(np.ones(1), spread(np.zeros(1), 2.0**-20)) == pytest.approx(wanted, abs=0.01)


CASES: dict[str, tuple[Floats, Floats, float]] = {
    "noise alone": (np.linspace(-3, 3, 40), np.zeros(40), 1e-5),
    "approximation alone": (np.linspace(0.1, 3, 40), 1e-4 * np.sin(np.arange(1, 41)), 1e-9),
    "as much of each": (np.linspace(0.1, 3, 40), np.full(40, 1e-5), 1e-5),
    "values that are zero": (np.array([0.0, 1.0, 0.0, 64.0]), np.zeros(4), 1e-3),
    "a single value": (np.array([0.3]), np.array([1e-6]), 3e-6),
    "a long vector": (np.random.default_rng(1).normal(0, 1, 5000), np.zeros(5000), 1e-6),
}


@pytest.mark.parametrize("normal", [True, False], ids=["normal", "one slot's"])
@pytest.mark.parametrize("case", CASES)
def test_expected_bits_are_what_random_noise_gives_on_average(case: str, normal: bool) -> None:
    exact, bias, sigma = CASES[case]
    draw = np.random.default_rng(6)
    times = max(100_000 // len(exact), 100)
    z = draw.normal(0, 1, (times, len(exact))) if normal else draw.laplace(0, 2**-0.5, (times, len(exact)))
    found = expected_bits(exact, spread(bias, sigma, normal)).mean()
    assert found == pytest.approx(mean_bits(np.abs(bias + sigma * z), exact), abs=0.1)


# -- the noise of a program ----------------------------------------------------------------------


def slot(coefficient: float, scale: float, slots: int = 4) -> float:
    """Variance of a slot's real part: of 2 slots coefficients, whatever the ring has."""
    return coefficient * slots / scale**2


def of_elements(known: Gains, columns: Floats) -> Floats:
    return columns[known.judged.columns]


def test_the_noise_of_a_product_is_added_up_by_hand() -> None:
    found, p, given = program("product"), parameters(1), data()
    assert [o.action for o in found.operations[2:5]] == [Action.ENCRYPT, Action.ENCRYPT, Action.MUL]
    s0, s1 = p.scales
    wanted = slot(fresh(p) + UNIFORM, s1) * (given["x"] ** 2 + given["y"] ** 2)
    wanted += slot(key_switch(p, 1), s1**2) + slot(rounding(p), s0)
    known = gains(found, given)
    np.testing.assert_allclose(of_elements(known, variance(found, p, known)), wanted, rtol=1e-9)


def key_switch(p: Parameters, level: int) -> float:
    """Lattigo's has no offset."""
    assert switched(p, level).offset == 0
    return switched(p, level).spread


def test_plain_operands_bring_the_rounding_of_their_encoding() -> None:
    found, p, given = program("weighted"), parameters(1), data()
    weights = np.array([0.5, -1.5, 0.25, 1.0, -0.75])
    s0, s1 = p.scales
    wanted = 2 * slot(fresh(p) + UNIFORM, s1) * weights**2
    wanted += slot(UNIFORM, s1) * (given["x"] ** 2 + given["y"] ** 2)  # two products
    wanted += slot(UNIFORM, s1**2) + slot(rounding(p), s0)  # a summand of degree 2, and one rescaling
    known = gains(found, given)
    np.testing.assert_allclose(of_elements(known, variance(found, p, known)), wanted, rtol=1e-9)


def test_openfhe_encodes_a_summand_of_degree_two_at_the_scale_of_degree_one() -> None:
    """And multiplies it by that scale: its rounding is that of a factor."""
    found, p, given = program("weighted"), parameters(1, "flexibleauto", "openfhe"), data()
    weights = np.array([0.5, -1.5, 0.25, 1.0, -0.75])
    s0, s1 = p.scales
    wanted = 2 * slot(fresh(p) + UNIFORM, s1) * weights**2
    wanted += slot(UNIFORM, s1) * (given["x"] ** 2 + given["y"] ** 2)
    wanted += slot(UNIFORM, s1) + slot(rounding(p), s0)
    known = gains(found, given)
    np.testing.assert_allclose(of_elements(known, variance(found, p, known)), wanted, rtol=1e-9)


def test_a_rotation_in_openfhe_leaves_offsets_in_slot_0() -> None:
    @fh.app(x=fh.reals(2048, low=-1, high=1))
    def turned(x):  # type: ignore[no-untyped-def]
        return fh.rotate(x * x, 1) + fh.rotate(x * x, 5)

    found = lower(turned.trace(), Style(Scheme.CKKS), 2048)
    p = replace(parameters(1, "fixedmanual", "openfhe"), p=(2**50 + 1, 2**50 + 3))
    values = {"x": np.random.default_rng(0).uniform(-1, 1, 2048)}
    known = gains(found, values)
    own = dict(zip(known.judged.elements, of_elements(known, variance(found, p, known)), strict=True))
    offset = division(p, variant(p).mod_down, 2).offset
    turns = 2 * switched(p, 0).spread + 4 * offset * shape(2048)[0] + 2 * keyed(p, 0).offset * shape(2048)[0]
    x = values["x"]
    sums = 2 * slot(rounding(p), p.scales[0], 2048) + slot(turns, p.scales[0], 2048)
    sums += slot(fresh(p) + UNIFORM, p.scales[1], 2048) * 4 * (x[1] ** 2 + x[5] ** 2)
    relinearised = 2 * slot(switched(p, 1).spread, p.scales[1] ** 2, 2048)
    assert own[0] == pytest.approx(sums + relinearised, rel=1e-6, abs=0)
    assert own[0] > 1000 * slot(switched(p, 0).spread, p.scales[0], 2048)


def test_where_the_means_of_digits_prevail_a_slots_noise_is_of_as_many_keys_as_digits() -> None:
    """Of OpenFHE, with a P so small that dividing by it leaves key errors large; means lie in slot 0."""
    app = fh.app(x=fh.reals(2048, low=-1, high=1))(lambda x: fh.rotate(x, 1))
    found = lower(app.trace(), Style(Scheme.CKKS), 2048)
    p = replace(parameters(found.levels, "fixedmanual", "openfhe"), p=(2**20 + 1,), q=(2**40 + 1, 2**40 + 3))
    p = replace(p, digits=2, scales=(2.0**40,) * 2, levels=1)
    known = gains(found, {"x": np.linspace(-1, 1, 2048)})
    own = errors(found, p, known, np.zeros(len(known.judged.elements)))
    (at,) = np.flatnonzero(known.judged.elements == 0)
    assert digits(p) == 2
    assert own.rows[at] == nearest(np.array([2.0]))[0]


@pytest.mark.parametrize("library", ["seal", "lattigo"])
def test_the_average_noise_is_that_of_the_elements_as_they_are_read(library: str) -> None:
    """With a P so small that the means of digits prevail in one of 512 copies, which SEAL leaves out.
    All elements are judged, and none of the two adds noise when it decrypts."""
    found, given = program("rotated"), data()
    p = replace(parameters(0, "", library), p=(2**20 + 1,))
    known = gains(found, given)
    own = errors(found, p, known, np.zeros(len(known.judged.elements)))
    assert own.deviation**2 == pytest.approx(np.mean(own.sigma**2), rel=1e-9, abs=0)


@pytest.mark.parametrize("library", ["seal", "lattigo", "openfhe"])
def test_a_vector_of_few_slots_is_read_from_a_subring(library: str) -> None:
    """By OpenFHE itself; of the others the mean of all copies is taken. Noise of N / (2 slots) copies."""
    found, given = program("product"), data()
    p, known = parameters(1, "flexibleauto" if library == "openfhe" else "", library), gains(found, data())
    in_every_slot = (fresh(p) + UNIFORM) * N / 2 / p.scales[1] ** 2
    wanted = in_every_slot / (N / 2 / 4) * (given["x"] ** 2 + given["y"] ** 2)
    most = wanted * {"openfhe": 1.02}.get(
        library, 2.0
    )  # with other noise, beside which SEAL encrypts with little
    own = of_elements(known, variance(found, p, known))
    assert np.all((wanted <= own) & (own < most))


def test_a_larger_scale_is_more_precise_by_as_many_bits() -> None:
    found, given = program("product"), data()
    p, known = parameters(1), gains(found, given)
    finer = replace(p, q=tuple(x << 8 for x in p.q), scales=tuple(s * 2**8 for s in p.scales))
    truth = {"result": given["x"] * given["y"]}
    coarse, fine = (precision(found, x, known, truth) for x in (p, finer))
    assert fine.bits - coarse.bits == pytest.approx(8, abs=0.1)
    assert coarse.noise / fine.noise == pytest.approx(2**8, rel=0.1, abs=0)


def test_precision_knows_noise_from_approximation() -> None:
    found, given = program("series"), data()
    truth = {"result": np.tanh(given["x"]) * given["y"]}
    p = parameters(found.levels)
    known = gains(found, given)
    result = precision(found, p, known, truth)
    functions = known.outputs["result"] - truth["result"]
    alike = functions + of_elements(known, drift(p, known))
    assert result.approximation == pytest.approx(np.sqrt(np.mean(alike**2)), rel=1e-6, abs=0)
    of_noise = np.sqrt(np.mean(of_elements(known, variance(found, p, known))))
    assert result.noise == pytest.approx(of_noise, rel=1e-9, abs=0)
    assert result.mean_bits <= bits_of(known.outputs["result"], truth["result"]) + 0.1


def test_elements_that_differ_much_in_noise_are_averaged_as_bits_not_as_variances() -> None:
    values = {"x": 2.0 ** (4 - np.arange(10.0) / 3)}
    found = lower(fh.app(x=fh.reals(10, low=0, high=16))(lambda x: x**4).trace(), Style(Scheme.CKKS), 16)
    p, known, truth = alone(found), gains(found, values), {"result": values["x"] ** 4}
    result, own = precision(found, p, known, truth), errors(found, p, known, np.zeros(10))
    z = np.random.default_rng(0).laplace(0, 2**-0.5, (40_000, 10))
    assert result.mean_bits == pytest.approx(mean_bits(np.abs(z * own.sigma), truth["result"]), abs=0.05)
    worst = np.abs(z * own.sigma).max(axis=1) / truth["result"].max()
    assert result.bits == pytest.approx(np.median(-np.log2(worst)), abs=0.1)
    alike = mean_bits(np.abs(z * result.noise), truth["result"])
    assert alike < result.mean_bits - 2  # what one variance for all would have said


def alone(found: Program) -> Parameters:
    """In a ring that has no second copy: one slot of the secret is in each slot's noise."""
    return replace(parameters(found.levels), ring_dimension=2 * found.slots)


def test_the_bits_of_one_number_are_those_of_its_median_error() -> None:
    """Of a standard normal variable half is beyond 0.6745."""
    found = lower(fh.app(x=fh.reals(3, low=0, high=1))(lambda x: fh.sum(x)).trace(), Style(Scheme.CKKS), 4)
    given = {"x": np.array([0.25, 0.5, 0.75])}
    p, known = parameters(found.levels), gains(found, given)
    told = precision(found, p, known, {"result": np.array([1.5])})
    assert told.bits == pytest.approx(-np.log2(0.6745 * told.noise / 1.5), abs=0.05)


SAMPLED: dict[str, Callable[[fh.Vector], fh.Vector]] = {
    "slot by slot": lambda x: x * x * x,
    "mixed": lambda x: fh.rotate(x, 1) * x - fh.mean(x),
}


@pytest.mark.parametrize("name", SAMPLED)
def test_what_is_assured_is_what_all_but_one_in_a_thousand_reach(name: str) -> None:
    """Noise is drawn as `mixture` has it, for every element by itself."""
    app = fh.app(x=fh.reals(64, low=-1, high=1))(lambda x: SAMPLED[name](x))
    found = lower(app.trace(), Style(Scheme.CKKS), 64)
    values = {"x": np.random.default_rng(1).uniform(-1, 1, 64)}
    p, known = alone(found), gains(found, values)
    truth = known.outputs
    result, own = precision(found, p, known, truth), errors(found, p, known, np.zeros(64))
    z = np.random.default_rng(2).laplace(0, 2**-0.5, (20_000, 64))
    drawn = np.abs(z * own.sigma + own.bias)
    bits = [bits_of(truth["result"] + e, truth["result"]) for e in drawn]
    largest = drawn.max(axis=1)
    margin = 2**0.5  # that the model may be off
    assert np.mean(np.array(bits) < result.assured_mean + 0.5) <= 0.002
    assert np.mean(bits) - 3 < result.assured_mean < np.mean(bits) - 0.5
    of_largest = -np.log2(largest / np.abs(truth["result"]).max())
    assert result.bits == pytest.approx(np.median(of_largest), abs=0.25)
    assert np.mean(of_largest < result.assured_bits + 0.5) <= 0.001
    assert result.assured_bits > np.quantile(of_largest, 0.001) - 2
    assert np.mean(largest > result.assured_absolute / margin) <= 0.001
    assert result.assured_absolute < 4 * np.quantile(largest, 0.999)
    assert result.absolute_error == pytest.approx(drawn.mean(), rel=0.04, abs=0)
    sizes = np.abs(truth["result"])
    worst = np.median(-np.log2((drawn / sizes).max(axis=1)))
    assert result.worst_slot_bits == pytest.approx(worst, abs=0.5)
    assert result.worst_error > result.assured_absolute


def test_of_relative_errors_the_largest_counts_not_that_of_the_largest_element() -> None:
    """Of so many elements some are judged. A series that is off by a thousandth of every element,
    of which the model is sure, and noise that is next to nothing."""
    app = fh.app(x=fh.reals(2048, low=1, high=1000))(lambda x: x * x)
    found = lower(app.trace(), Style(Scheme.CKKS), 2048)
    values = {"x": np.linspace(1, 1000, 2048) ** 0.5}
    known = gains(found, values)
    assert len(known.judged.elements) < 2048
    truth = {name: v / 1.001 for name, v in known.outputs.items()}
    result = precision(found, parameters(1), known, truth)
    assert result.assured_relative == pytest.approx(1e-3, rel=0.02, abs=0)
    assert result.assured_absolute == pytest.approx(1.0, rel=0.02, abs=0)


@settings(max_examples=30, deadline=None)
@for_all(st.integers(25, 44), st.integers(1, 12), st.sampled_from(["seal", "lattigo", "openfhe"]))
def test_more_bits_of_scale_never_cost_precision(bits: int, more: int, library: str) -> None:
    found, given = PRODUCT
    p = parameters(1, "flexibleauto" if library == "openfhe" else "", library)
    coarse, fine = (replace(p, q=(2**60 + 1, 2**b + 1), scales=(2.0**b, 2.0**b)) for b in (bits, bits + more))
    truth = {"result": given["x"] * given["y"]}
    first, second = (precision(found, x, PRODUCT_GAINS, truth) for x in (coarse, fine))
    assert second.bits > first.bits + more - 0.1
    assert second.assured_absolute < first.assured_absolute
    assert second.worst_error < first.worst_error


PRODUCT = program("product"), data()
PRODUCT_GAINS = gains(*PRODUCT)


def test_the_secret_and_the_public_key_share_what_an_encryption_brings() -> None:
    """OpenFHE: v e + e_0 + e_1 s, with v and s alike; the others divide all but a rounding away."""
    assert encryption_shares(parameters(1, library="openfhe")) == pytest.approx((0.5, 0.5), abs=1e-3)
    secret, key = encryption_shares(parameters(1))
    assert secret == pytest.approx(1, abs=1e-3)
    assert key == 0


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
    assert drift(p, gains(found, values)) == pytest.approx(
        (rounded - factor) * np.sum(values["x"]), rel=1e-9, abs=0
    )
    assert precision(found, p, gains(found, values), truth).approximation == pytest.approx(
        wanted, rel=1e-6, abs=0
    )


def test_a_number_that_is_added_is_right_after_the_division_whatever_the_prime() -> None:
    """FIXEDMANUAL, by hand: x^2 + 3 is (x^2 S^2 + 3 S q) / q, and S was meant."""
    app = fh.app(x=fh.reals(8, low=-1, high=1))(lambda x: x * x + 3)
    found = lower(app.trace(), Style(Scheme.CKKS), 8)
    p = replace(
        parameters(1, "fixedmanual", "openfhe"), q=(2**50 + 1, 2**40 + 2**25 + 1), scales=(2.0**40,) * 2
    )
    values = {"x": np.linspace(-1, 1, 8)}
    known = gains(found, values)
    wanted = values["x"] ** 2 * (2**40 / p.q[1] - 1)
    np.testing.assert_allclose(of_elements(known, drift(p, known)), wanted, rtol=1e-9)


def test_errors_of_doubles_are_reckoned_with_where_the_noise_is_smaller() -> None:
    """Noise at a scale of 2^40 is some 10^-24 of numbers of 10^15; doubles leave 10^-16."""
    made = lower(fh.app(x=fh.reals(4, low=0, high=1e15))(lambda x: x * x).trace(), Style(Scheme.CKKS), N // 2)
    given = {"x": np.array([1.0, 0.5, 0.7, 0.9]) * 1e15}
    found = gains(made, given)
    exact = next(iter(found.outputs.values()))
    reached = precision(made, parameters(made.levels), found, found.outputs)
    assert 2.0**-50 < reached.assured_absolute / exact.max() < 2.0**-40
    assert 2.0**-50 < reached.assured_relative < 2.0**-40
