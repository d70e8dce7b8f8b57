"""A program run on plain slots with the noise, and the rounded numbers, of a library."""

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.data import random_data
from fheasible.exploration.judging.chosen import chosen, request_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import bits
from fheasible.exploration.proof.proof import prove
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.registry import command
from fheasible.noise.ckks import rehearsal
from fheasible.noise.ckks.decryption import copies
from fheasible.noise.ckks.elements import FIXED, added, drift, drift_to
from fheasible.noise.ckks.magnitudes import measured
from fheasible.noise.ckks.precision import precision
from fheasible.noise.ckks.rehearsal import Rehearsed, rehearsed
from fheasible.noise.reach.sources import OFFSETS

from .test_sets import APPS, LAYOUTS, made, prepared

PAIRS = 150
SCALE = 40
APART = ("openfhe, flooding", "lattigo, none", "openfhe, bv")  # as another; no keys; more noise than values


@fh.app(x=fh.reals(8193, low=36, high=42))
def variance_of_three_ciphertexts(x: fh.Vector) -> fh.Vector:
    apart = x - fh.mean(x)
    return fh.sum(apart * apart) / len(apart)


@fh.app(x=fh.reals(512, low=-1, high=1))
def sixteenth(x: fh.Vector) -> fh.Vector:
    return x**16


def case(app: str, layout: str, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    program, known, _ = prepared(app, layout)
    p = made(layout, program.levels, SCALE, 60)
    if p is None or program.slots > 1024:
        pytest.skip("the library has no such set" if p is None else "long vectors are like short ones")
    monkeypatch.setattr(rehearsal, "_pairs", lambda program: PAIRS)
    return program, p, known


def data_of(app: str) -> dict[str, np.ndarray]:
    """Those of `prepared`."""
    circuit, draw = APPS[app].trace(), np.random.default_rng(5)
    for i in circuit.inputs:
        draw.uniform(i.low, i.high, i.length)
    return {i.name: draw.uniform(i.low, i.high, i.length) for i in circuit.inputs}


@pytest.mark.parametrize("app", [app for app in APPS if app not in ("integers", "a long vector")])
@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout not in APART])
def test_noise_that_is_small_has_the_variance_of_first_order(
    app: str, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, p, known = case(app, layout, monkeypatch)
    found = rehearsed(program, p, data_of(app), known)
    spread = np.array([s.kind not in OFFSETS for s in known.sources])
    told = added(program, p, known)[spread] @ known.variances[spread]
    odd = np.concatenate([found[name].odd for name in known.outputs], axis=-1) / np.sqrt(copies(program, p))
    seen = (odd**2).mean(axis=0)[known.judged.of_columns]
    assert 0.6 * told.mean() < seen.mean() < 1.4 * told.mean()
    even = np.concatenate([found[name].even for name in known.outputs], axis=-1)
    assert np.sqrt((even**2).mean()) < 0.02 * np.sqrt(told.mean())


@pytest.mark.parametrize("app", [app for app in APPS if app not in ("integers", "a long vector")])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("louder", [1.0, 2.0**12])
def test_no_slot_exceeds_what_is_said_of_it_without_a_look(
    app: str, layout: str, louder: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And so no value outgrows its modulus where none is said to, which is much sooner seen."""
    program, p, known = case(app, layout, monkeypatch)
    monkeypatch.setattr(rehearsal, "_pairs", lambda program: 2)
    disturb, shares = rehearsal._Noise.__call__, []

    def watched(noise, o, operands, made):  # type: ignore[no-untyped-def]
        found = disturb(noise, o, operands, made)
        if np.ndim(found) == 2:
            shares.append(measured(found) / noise._sizes.of(o.out, found))
            beyond = noise._beyond(o, found[0], found)
            assert not (beyond.any() and noise._surely_within(o, found))
        return found

    monkeypatch.setattr(rehearsal._Noise, "__call__", watched)
    rehearsed(program, p, data_of(app), known, louder)
    assert shares
    assert max(shares) <= 1 + 1e-9
    assert max(shares) > 0.01  # so that it is no bound of anything


@pytest.mark.parametrize("app", ["a sum of reals", "slots that mix", "several outputs"])
@pytest.mark.parametrize("layout", FIXED)
def test_what_every_encryption_has_alike_is_the_drift_of_first_order(
    app: str, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, p, known = case(app, layout, monkeypatch)
    found = rehearsed(program, p, data_of(app), known)
    off = np.concatenate([found[name].still - known.outputs[name] for name in known.outputs])
    told = drift(p, known)
    np.testing.assert_allclose(off[known.judged.of_columns], told, rtol=1e-3, atol=2e-3 * np.abs(told).max())


@pytest.mark.parametrize("scale", [20, 23])
def test_a_power_is_bent_by_the_square_of_its_noise(scale: int) -> None:
    """Of (x + d)^16 the mean is off by 120 x^14 E[d^2]: of complex noise d^2 is 0 on average, and its real
    part has the deviation of |d|^2."""
    problem = Problem(sixteenth.trace(), {"x": np.ones(512)}, "ones")
    settings = {"scale_bits": str(scale), "first_bits": str(scale + 6), "ring_dimension": "8192"}
    c = chosen(problem, CATALOGUE["lattigo"], request_from("ckks", settings, 128), None)
    found = rehearsed(c.program, c.parameters, problem.data, problem.gains(c.program))["result"]
    moved = found.odd.std() / 16
    assert 0.3 < np.abs(found.even).mean() / (120 * moved**2) < 3


def test_noise_is_left_out_where_first_order_tells_all_of_it() -> None:
    for layout in ("seal", "fixedauto"):
        program, known, _ = prepared("several outputs", layout)
        p = made(layout, program.levels, SCALE, 60)
        assert p is not None
        assert all(len(r.odd) for r in rehearsed(program, p, data_of("several outputs"), known).values())
    circuit = fh.app(x=fh.reals(64, low=0, high=1))(lambda x: fh.mean(x) * 0.3).trace()
    problem = Problem(circuit, random_data(circuit, 1), "random data")
    c = chosen(problem, CATALOGUE["seal"], request_from("ckks", {}, 128), None)
    found = rehearsed(c.program, c.parameters, problem.data, problem.gains(c.program))["result"]
    assert not len(found.odd)
    assert found.off(problem.truth["result"]) == np.abs(found.still - problem.truth["result"])


def test_half_of_an_error_in_one_pair_is_seen_whichever_sign_it_has() -> None:
    """By hand: 2 for 1, and in the second pair 0.25 more in both and 0.5 more and less."""
    found = Rehearsed(np.array([2.0]), np.array([[0.0], [0.5]]), np.array([[0.0], [0.5]]), 1.0)
    assert found.off(np.array([1.0])) == pytest.approx(1.25 + 0.25 + 0.5)
    of_many = found._replace(copies=100.0)
    assert of_many.off(np.array([1.0])) == pytest.approx(1.25 + 0.075)


@pytest.mark.worker
@pytest.mark.parametrize("library", ["seal", "lattigo", "openfhe"])
@pytest.mark.parametrize("scale", [25, 30])
def test_a_mask_of_one_slot_is_lost_as_really_run(library: str, scale: int) -> None:
    """The third ciphertext holds one element of 8,193, from which the mean is taken by a mask of 1/8193."""
    if not command(library).installed:
        pytest.skip(f"{library} is not installed")
    circuit = variance_of_three_ciphertexts.trace()
    problem = Problem(circuit, random_data(circuit, 3), "random data", trusted=True)
    settings = {"scale_bits": str(scale), "first_bits": str(scale + 6), "ring_dimension": "8192"}
    settings |= {"technique": "flexibleauto"} if library == "openfhe" else {}
    c = chosen(problem, CATALOGUE[library], request_from("ckks", settings, None), None)
    told = rehearsed(c.program, c.parameters, problem.data, problem.gains(c.program))["result"]
    proof = prove(problem, c, RunPlan(repetitions=1, warmup=0), asked=bits(0.1))
    off = float(proof.result["result"][0] - problem.truth["result"][0])
    assert off == pytest.approx(float(told.still[0] - problem.truth["result"][0]), rel=0.1)


@fh.app(x=fh.reals(32, low=-1, high=1))
def beside_a_half(x: fh.Vector) -> fh.Vector:
    return fh.polynomial(x / 100, [0.5, 0.197, 0, -0.004])


@pytest.mark.parametrize("technique", FIXED)
def test_a_number_is_added_so_that_it_is_right_once_it_has_been_divided(technique: str) -> None:
    """OpenFHE divides 1/2 by a prime that is 9e-6 off the scale: without that rule it would be as far off."""
    problem = Problem(beside_a_half.trace(), {"x": np.linspace(-1, 1, 32)}, "data")
    given = {"scale_bits": "36", "first_bits": "38", "technique": technique}
    c = chosen(problem, CATALOGUE["openfhe"], request_from("ckks", given, 128), None)
    known = problem.gains(c.program)
    assert np.abs(drift_to(c.parameters, np.arange(c.program.levels))).max() > 1e-6
    off = rehearsed(c.program, c.parameters, problem.data, known)["result"].still - problem.truth["result"]
    np.testing.assert_allclose(off[known.judged.of_columns], drift(c.parameters, known), atol=1e-9)
    if command("openfhe").installed:
        told = precision(c.program, c.parameters, known, problem.truth).bits
        measured = prove(problem, c, RunPlan(repetitions=1, warmup=0), asked=bits(10)).precision_bits
        assert measured == pytest.approx(told, abs=0.5)


DRIFTING = {
    "less a lower one": lambda x: x - 0.3 * x * x,
    "less a higher one": lambda x: 0.3 * x * x - x,
    "numbers at every level": lambda x: (0.1 - x) * (x * x - 0.4) * 0.7 + 0.2,
    "a product of both": lambda x: (x * x * x - 0.25) * x,
    "a polynomial": lambda x: fh.polynomial(x, [0.3, -0.1, 0.4, 0.2, -0.5]),
    "a sum less a square": lambda x: fh.sum(x * x) - x * x,
}


@pytest.mark.parametrize("app", DRIFTING)
@pytest.mark.parametrize("technique", FIXED)
def test_what_drifts_in_a_rehearsal_is_what_drifts_to_first_order(app: str, technique: str) -> None:
    """A subtrahend that was brought to the other's scale is off by what it was, with the other sign."""
    made = fh.app(x=fh.reals(32, low=0, high=1))(DRIFTING[app])
    problem = Problem(made.trace(), {"x": np.linspace(0, 1, 32)}, "data")
    given = {"scale_bits": "38", "first_bits": "50", "technique": technique, "ring_dimension": "16384"}
    c = chosen(problem, CATALOGUE["openfhe"], request_from("ckks", given, 128), None)
    known = problem.gains(c.program)
    off = rehearsed(c.program, c.parameters, problem.data, known)["result"].still - problem.truth["result"]
    told = drift(c.parameters, known)
    np.testing.assert_allclose(off[known.judged.of_columns], told, rtol=1e-3, atol=1e-8)
    assert technique == "fixedmanual" or np.abs(told).max() > 1e-7


def test_what_outgrows_all_numbers_is_off_by_more_than_any() -> None:
    still, noise = np.array([1.0, np.inf]), np.array([[0.1, np.inf]])
    found = Rehearsed(still, np.array([[0.0, np.inf]]), noise, 1.0)
    np.testing.assert_array_equal(found.off(np.ones(2)), [0.1, np.inf])
    assert found.errors(np.ones(2))[:, 1].tolist() == [np.inf, np.inf]
    assert found.usual(np.ones(2))[1] == np.inf


def test_a_mean_of_slots_that_outgrows_all_numbers_gives_no_warning() -> None:
    """Each slot holds 1e308, and their sum is beyond all doubles."""
    circuit = fh.app(x=fh.reals(1, low=-1, high=1))(lambda x: x * x).trace()
    problem = Problem(circuit, {"x": np.ones(1)}, "one")
    c = chosen(problem, CATALOGUE["seal"], request_from("ckks", {}, 128), None)
    with np.errstate(all="raise"):
        found = rehearsed(c.program, c.ckks, {"x": np.array([1e154])}, problem.gains(c.program))["result"]
    assert found.off(np.ones(1)).tolist() == [np.inf]
