"""Results that others see: which candidates are left, what they pay, and what is said of it."""

from dataclasses import replace
from functools import cache
from math import isfinite, log2
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.data import random_data
from fheasible.errors import InfeasibleParameters, WrongResult
from fheasible.exploration.judging.chosen import chosen, request_from
from fheasible.exploration.judging.judge import wrong
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.proof.proof import prove
from fheasible.exploration.reasons.explain import explain
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import request_for
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.registry import command
from fheasible.noise.ckks.elements import whole_variance
from fheasible.noise.ckks.flooding import noise_bits
from fheasible.noise.ckks.precision import precision
from fheasible.noise.scales import scales_of

from .apps import problem, real, whole


@cache
def found(shared: bool, failure: float | None = None) -> Exploration:
    wish = Wish(precision=bits(8), shared_results=shared, failure=failure)
    return explore(problem(real), wish, list(CATALOGUE.values()), {})


@cache
def of_integers(shared: bool) -> Exploration:
    return explore(problem(whole), Wish(shared_results=shared), list(CATALOGUE.values()), {})


def test_only_a_library_that_floods_may_show_real_results_to_others() -> None:
    assert {c.library for c in found(shared=False).candidates} == {"openfhe", "seal", "lattigo"}
    assert {c.library for c in found(shared=True).candidates} == {"openfhe"}
    reasons = {r.library: r.reason for r in found(shared=True).rejected if r.scheme == "ckks"}
    assert set(reasons) == {"seal", "lattigo"}
    assert all("secret key" in reason and "adds no noise" in reason for reason in reasons.values())
    remedies = {r.remedy for r in found(shared=True).rejected if r.library in reasons and r.scheme == "ckks"}
    assert all("OpenFHE" in remedy for remedy in remedies)


def test_the_flooding_drowns_the_noise_of_each_of_a_thousand_results() -> None:
    shared = found(shared=True)
    for c in shared.candidates:
        gains = shared.problem.gains(c.program)
        norm = noise_bits(c.program, c.parameters, whole_variance(c.program, c.parameters, gains))
        # sqrt(12 tau) 2^(s / 2) t, s = 30 [LMSS22]
        assert log2(c.parameters.flooding) >= norm + 15 + log2(12 * 1024) / 2
        assert log2(c.parameters.flooding) <= norm + 15 + log2(12 * 1024) / 2 + 1


@fh.app(x=fh.reals(64, low=0.001, high=0.999))
def logistic(x: fh.Vector) -> fh.Vector:
    for _ in range(5):
        x = 2.5 * x * (1 - x)
    return x


@pytest.mark.long
def test_the_flooding_drowns_the_noise_of_other_inputs_too() -> None:
    """By hand: what is added to 0.001 is multiplied by 2.5 (1 - 2 x) in each step, 86 times in all; what is
    added to 0.45 is by 0.02. Data that are trusted stand for all that will come."""

    def flooded(value: float, trusted: bool = False) -> Any:
        own = Problem(logistic.trace(), {"x": np.full(64, value)}, "data", trusted)
        return chosen(own, CATALOGUE["openfhe"], request_from("ckks", {}, 128), None, shared=True)

    usual, least, most = flooded(0.45), flooded(0.45, trusted=True), flooded(0.001, trusted=True)
    estimates = [c.request.noise_estimate for c in (least, most, usual)]
    assert estimates[1] > estimates[0] + 5
    assert estimates[2] == estimates[1]
    if command("openfhe").installed:
        there = Problem(logistic.trace(), {"x": np.full(64, 0.001)}, "the lower ends")
        assert prove(there, usual, RunPlan(1, 0)).correct
        with pytest.raises(WrongResult, match="the flooding drowns"):
            prove(there, least, RunPlan(1, 0))


def test_flooding_costs_the_largest_scale_and_precision() -> None:
    shared = found(shared=True)
    for c in shared.candidates:
        assert c.request.scale_bits == 59
        bare = replace(c.parameters, flooding=0.0)
        kept = precision(c.program, bare, shared.problem.gains(c.program), shared.problem.truth).bits
        assert (c.estimate.precision_bits or 0) < kept - 15
    assert all(c.parameters.flooding == 0 for c in found(shared=False).candidates)


def test_values_near_one_take_a_level_more_because_the_first_prime_is_hardly_larger_than_the_scale() -> None:
    for c in found(shared=True).candidates:
        levels = {o.out: o.level for o in c.program.operations}
        assert min(levels[v] for o in c.program.outputs for v in o.values) == 1


def test_a_candidate_is_reproduced_by_its_request() -> None:
    shared = found(shared=True)
    for c in shared.candidates[:4]:
        again = chosen(shared.problem, CATALOGUE["openfhe"], replace(c.request, depth=0), None, shared=True)
        assert again.parameters == c.parameters
        assert again.estimate.precision_bits == c.estimate.precision_bits


def test_too_little_flooding_is_refused_where_results_are_shown_to_others() -> None:
    little = request_from("ckks", {"noise_estimate": "3"}, 128)
    with pytest.raises(InfeasibleParameters, match="does not drown") as caught:
        chosen(problem(real), CATALOGUE["openfhe"], little, None, shared=True)
    assert "noise_estimate=" in caught.value.remedy
    assert chosen(problem(real), CATALOGUE["openfhe"], little, None).parameters.flooding > 0


def test_a_trial_that_shows_more_noise_asks_for_what_the_library_does_not_see_too() -> None:
    """Of a sum that is turned together the mean of a division is most of the noise."""
    declared = {"x": fh.reals(64, low=-1, high=1)}
    given = problem(fh.app(**declared)(lambda x: fh.rotate(x, 1) + fh.rotate(x, 2) + x))
    asked = request_from("ckks", {"noise_estimate": "30"}, 128)
    c = chosen(given, CATALOGUE["openfhe"], asked, None, shared=True)
    seen = 25.0  # of a coefficient's half

    def run(*_: Any, **__: Any) -> Any:
        return SimpleNamespace(outputs={"out": np.full((1, 1), seen)})

    with pytest.raises(WrongResult) as caught:
        prove(given, c, RunPlan(1, 0), run=run)
    wanted = float(caught.value.remedy.split("=")[1])
    trial = seen + log2(4 * c.program.slots) / 2
    assert trial + 5 + 0.3 < wanted < trial + 5 + log2(3) / 2 + 0.1


@pytest.mark.parametrize("technique", CATALOGUE["openfhe"].techniques)
def test_every_result_is_rescaled_for_openfhe_would_flood_a_product_too_little(technique: str) -> None:
    """Even a fresh vector, which has the square of a scale in one technique."""
    shifted = fh.app(x=fh.reals(4096, low=-0.1, high=0.1))(lambda x: x + 0.1)
    settings = {"technique": technique, "ring_dimension": "8192", "security": "none"}
    made = chosen(
        problem(shifted), CATALOGUE["openfhe"], request_from("ckks", settings, 128), None, shared=True
    )
    scales = scales_of(made.program)
    assert {scales[v][1] for o in made.program.outputs for v in o.values} == {1}


def test_a_library_that_cannot_flood_is_refused_with_the_way_out() -> None:
    with pytest.raises(InfeasibleParameters, match="SEAL adds no noise") as caught:
        chosen(problem(real), CATALOGUE["seal"], request_for("ckks", 0, scale_bits=40), None, shared=True)
    assert "OpenFHE" in caught.value.remedy


def test_shared_integers_are_wrong_once_in_2_to_128_runs_at_most() -> None:
    shared = of_integers(shared=True)
    assert {c.scheme for c in shared.candidates} == {"bfv", "bgv", "ckks"}
    assert all(c.ckks.flooding == 0 for c in shared.candidates if c.scheme == "ckks")
    for c in shared.candidates:
        if c.scheme != "ckks":
            assert wrong(shared.problem, c.program, c.parameters, 128) is None


def test_some_sets_are_right_often_enough_for_their_owner_and_not_for_others() -> None:
    own = of_integers(shared=False)
    misses = [wrong(own.problem, c.program, c.parameters, 128) for c in own.candidates if c.scheme != "ckks"]
    assert any(misses)
    assert all("2^128" in miss.reason for miss in misses if miss)


@pytest.mark.parametrize(
    ("exploration", "said"),
    [
        (lambda: found(shared=False), "must not be shown to others"),
        (lambda: found(shared=True), "decryption drowns as much noise as was found"),
        (lambda: of_integers(shared=False), "once in 2^40 runs"),
        (lambda: of_integers(shared=True), "once in 2^128 runs"),
    ],
)  # fmt: skip
def test_the_explanation_says_who_may_see_the_results(exploration, said) -> None:  # type: ignore[no-untyped-def]
    assert sum(said in line for line in explain(exploration())) == 1


@pytest.mark.worker
@pytest.mark.skipif(not command("openfhe").installed, reason="OpenFHE's worker is not installed")
def test_a_shared_result_is_really_flooded_and_as_precise_as_predicted() -> None:
    @fh.app(x=fh.reals(500, low=-1, high=1))
    def weighted(x: fh.Vector) -> fh.Vector:
        return x * x + 0.5 * x

    data = {"x": np.random.default_rng(1).uniform(-1, 1, 500)}
    own = Problem(weighted.trace(), data, "data")
    best = explore(own, Wish(precision=bits(10), shared_results=True), [CATALOGUE["openfhe"]], {}).best
    assert best is not None
    proof = prove(own, best, RunPlan(1), asked=bits(10))
    assert proof.precision_bits == pytest.approx(best.estimate.precision_bits, abs=1)
    assert proof.precision_bits is not None
    assert proof.precision_bits < 25  # of the scale's 59 bits
    assert proof.noise_bits is not None


@pytest.mark.worker
@pytest.mark.skipif(not command("openfhe").installed, reason="OpenFHE's worker is not installed")
@pytest.mark.parametrize("length", [1, 100])
def test_what_doubles_leave_of_large_data_is_no_noise_that_must_be_drowned(length: int) -> None:
    """At a scale of 59 bits OpenFHE sees 4 bits more in a sum of squares of data up to 100 than noise
    brings; of one slot it takes the logarithm of the imaginary part, which half of the time has none."""

    @fh.app(x=fh.reals(length, low=0, high=100))
    def distance(x: fh.Vector) -> fh.Vector:
        return fh.sum((x - 50) * (x - 50))

    data = {"x": np.random.default_rng(1).uniform(0, 100, length)}
    own = Problem(distance.trace(), data, "data")
    asked = request_from("ckks", {"scale_bits": "59", "first_bits": "60", "technique": "flexibleauto"}, 128)
    c = chosen(own, CATALOGUE["openfhe"], asked, None, shared=True)
    proof = prove(own, c, RunPlan(1, 0), asked=bits(15))
    assert proof.correct
    assert proof.noise_bits is None or isfinite(proof.noise_bits)
    if length > 1:
        assert proof.noise_bits is not None
        drowned = noise_bits(
            c.program, c.parameters, whole_variance(c.program, c.parameters, own.gains(c.program))
        )
        assert proof.noise_bits > drowned + 2.5


def test_shared_results_that_the_declared_ranges_let_reach_the_first_prime_keep_a_level() -> None:
    """The data drawn reach less than half of what the ranges allow, and the first prime holds no more."""

    @fh.app(x=fh.reals(100, low=0, high=1))
    def squares(x):  # type: ignore[no-untyped-def]
        return fh.mean(x * x)

    circuit = squares.trace()
    drawn = Problem(circuit, random_data(circuit, 1), "random data (seed 1)")
    shared = explore(drawn, Wish(precision=bits(8), shared_results=True), [CATALOGUE["openfhe"]], {})
    assert shared.best is not None
    assert shared.best.program.spare_levels == 1
