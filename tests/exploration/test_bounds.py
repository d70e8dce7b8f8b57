"""What bounds the precision: every number in the sentences is computed anew."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.data import random_data
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Measure, Wish, bits
from fheasible.exploration.reasons.bounds import bounds
from fheasible.exploration.search.declared_ranges import domain, over_the_domain
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.noise.achieved import Achieved

from .apps import whole

LIMITS = {2**12: 106, 2**13: 214, 2**14: 430, 2**15: 868}  # log2 QP, 128 bits, ternary [Bossuat24]


@fh.app(x=fh.reals(16, low=0, high=1))
def root(x: fh.Vector) -> fh.Vector:
    return fh.sqrt(fh.mean(x), low=0, high=1)


@cache
def found(asked: float, trusted: bool = False) -> Exploration:
    circuit = root.trace()
    problem = Problem(circuit, random_data(circuit, 3), "random data", trusted)
    return explore(
        problem, Wish(precision=bits(asked)), [replace(CATALOGUE["lattigo"], schemes=("ckks",))], {}
    )


def best(e: Exploration) -> Candidate:
    assert e.best is not None
    return e.best


def sentence(e: Exploration, start: str) -> str:
    return next(s for s in bounds(e, best(e)) if s.startswith(start))


def numbers(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e[-+]\d+)?", text)]


def test_the_next_smaller_scale_is_named_with_what_it_would_leave() -> None:
    e = found(14)
    text = sentence(e, "Precision")
    scale = best(e).request.scale_bits
    assert scale is not None
    assert f"a scale of {scale - 1} bits is too small" in text
    left = float(re.findall(r"too small: (\d+\.\d) bits", text)[0])
    assert left < 14
    assert best(e).limit in text


def test_a_series_is_named_with_its_errors_and_what_a_level_less_would_leave() -> None:
    e = found(14)
    (degree,) = best(e).degrees
    text = sentence(e, "sqrt on [0, 1]")
    x = np.linspace(0, 1, 100_001)
    u, fitted = (
        2 * x - 1,
        np.polynomial.chebyshev.Chebyshev.interpolate(lambda u: np.sqrt(np.clip((u + 1) / 2, 0, 1)), degree),
    )
    error = np.abs(fitted(u) - np.sqrt(x))
    told = [float(x) for x in re.findall(r"\d\.\de-\d+", text)]
    assert told == [pytest.approx(error.max(), rel=0.06), pytest.approx(error.mean(), rel=0.06)]
    shorter = 2 ** (degree.bit_length() - 1) - 1
    assert f"Degree {shorter} takes one level less" in text
    assert numbers(text)[-1] < 14


def test_half_the_ring_is_weighed_against_its_limit() -> None:
    e = found(14)
    p = best(e).parameters
    primes = len(p.q) + len(p.p)
    left, now = LIMITS[p.ring_dimension // 2] / primes, p.log_qp / primes
    said = f"leave {left:.0f} bits for each of the {primes} primes, instead of {now:.0f} on average"
    assert said in sentence(e, "Security")


def test_the_first_modulus_is_named_with_what_it_holds_and_what_may_come() -> None:
    """Half of it over the scale; the root is at most 1."""
    e = found(15)
    p, scale = best(e).parameters, best(e).request.scale_bits or 0
    text = sentence(e, f"The first modulus has {np.log2(p.q[0]):.0f} bits")
    held = p.q[0] / 2 / 2**scale
    assert numbers(text)[1] == pytest.approx(held, rel=0.02)
    assert numbers(text)[2] == 1
    assert "the largest result found in the declared ranges is 1." in text
    assert held >= 2  # a bit to spare


@fh.app(x=fh.reals(1024, low=0, high=1))
def product_sum(x: fh.Vector) -> fh.Vector:
    return fh.sum(x * x * x * x)


def test_values_that_the_declared_ranges_allow_and_the_modulus_does_not_are_told() -> None:
    """A mean of 1/5 on these data, for which the set is, and 1 at the upper ends: more than twice of it."""
    circuit = product_sum.trace()
    data = random_data(circuit, 3)
    trusted, other = (Problem(circuit, data, "random data", t) for t in (True, False))
    wish, library = Wish(precision=bits(14)), replace(CATALOGUE["seal"], schemes=("ckks",))
    e = over_the_domain(replace(explore(trusted, wish, [library], {}), problem=other))
    p, scale = best(e).parameters, best(e).request.scale_bits or 0
    held = p.q[0] / 2 / 2**scale
    assert held < 1024
    assert best(e).estimate.worst_case_bits == 0
    text = sentence(e, "That holds")
    assert "all inputs at the upper ends of their ranges, values outgrow their modulus" in text
    (beyond,) = re.findall(r"by (\d+\.\d) bits", text)
    assert float(beyond) == pytest.approx(np.log2(1024 / held), abs=0.1)
    said = sentence(e, "The first modulus")  # whose bits to spare are those of the worst inputs
    assert (
        "the largest result found in the declared ranges is 1.02e+03. Every modulus has -1.0 bits to spare."
        in said
    )


def test_the_worst_case_stands_beside_what_holds_for_the_data() -> None:
    """At zero the root is steepest, and its series farthest off: by what is found there."""
    e = over_the_domain(found(14))
    worst = best(e).estimate.worst_case_bits
    assert worst is not None
    assert worst < best(e).estimate.precision_bits
    x = np.zeros(1)
    series = e.problem.lowerings(best(e).degrees).circuit.outputs[0][1].attribute
    at_zero = abs(np.polynomial.chebyshev.chebval(-1.0, series.coefficients) - np.sqrt(x))[0]
    assert worst <= -np.log2(at_zero) + 0.1
    assert f"{worst:.1f} bits relative to the largest result" in sentence(e, "That holds")
    assert best(e) in e.front


@fh.app(x=fh.reals(16, low=-1, high=1))
def steps(x: fh.Vector) -> fh.Vector:
    """Between 0 and 1/sqrt(3) = 0.58, where 1.5 (y - y^3) is largest; by intervals alone up to 2^770."""
    y = x * x
    for _ in range(7):
        y = (y - y * y * y) * 1.5
    return y


def test_an_error_is_set_against_the_largest_result_that_was_found_not_that_which_intervals_fear() -> None:
    circuit = steps.trace()
    problem = Problem(circuit, random_data(circuit, 3), "random data")
    assert min(problem.bounds[circuit.outputs[0][1]]) < -(2.0**500)
    asked = Wish(precision=Asked(Measure.ABSOLUTE, 0.1))
    e = explore(problem, asked, [replace(CATALOGUE["lattigo"], schemes=("ckks",))], {})
    text = sentence(over_the_domain(e), "That holds")
    assert text.endswith(", and the largest result found there is 5.8e-01.")
    (error,) = re.findall(r"errors up to (\S+),", text)
    assert float(error) > 0.5


def test_an_error_is_no_smaller_than_doubles_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise that is next to nothing, where the largest result is 1."""
    e = over_the_domain(found(14))
    exact = replace(domain(e, best(e)), assured=Achieved(400.0, 400.0, 2.0**-400, 2.0**-400))
    monkeypatch.setattr("fheasible.exploration.reasons.bounds.domain", lambda *_: exact)
    assert sentence(e, "That holds").endswith("which is as small as the error of doubles.")


def test_data_that_are_trusted_have_no_worst_case_beside_them() -> None:
    e = found(14, trusted=True)
    assert over_the_domain(e) is e
    assert best(e).estimate.to_json()["worst_case_bits"] is None
    assert not any(s.startswith("That holds") for s in bounds(e, best(e)))


def test_the_approximations_are_told_in_the_document() -> None:
    e = found(14)
    (told,) = e.to_json()["approximations"]
    assert (told["function"], told["low"], told["high"]) == ("sqrt", 0.0, 1.0)
    assert told["degree"] == best(e).degrees[0]
    assert told["largest_error"] > told["average_error"] > 0


@fh.app(x=fh.integers(16, modulo=65537))
def wraps(x: fh.Vector) -> fh.Vector:
    return x * x


@pytest.mark.parametrize(
    ("app", "said"),
    [(wraps, "at which the application wraps around"), (whole, "large enough for every intermediate value")],
)
def test_what_the_plain_modulus_is_for_is_told(app: fh.App, said: str) -> None:
    circuit = app.trace()
    problem = Problem(circuit, random_data(circuit, 3), "random data")
    e = explore(problem, Wish(), [replace(CATALOGUE["lattigo"], schemes=("bgv",))], {})
    text = sentence(e, "Integers are exact")
    assert f"t = {best(e).parameters.plain_modulus} " in text
    assert said in text


def test_half_a_ring_is_out_of_reach_where_it_takes_more_bits_than_there_are() -> None:
    e = found(15)
    p, scale = best(e).parameters, best(e).request.scale_bits or 0
    fewer = -(-(p.log_qp - LIMITS[p.ring_dimension // 2]) // (len(p.q) + len(p.p)))
    few = replace(best(e).estimate, precision_bits=float(fewer) - 1)
    assert fewer <= scale / 2
    assert f"precision would be lower by about {fewer:.0f} bit" in sentence(e, "Security")
    coarse = replace(best(e), estimate=few)
    (text,) = [s for s in bounds(e, coarse) if s.startswith("Security")]
    assert text.endswith(": too few for any precision.")


def test_integers_that_ckks_rounds_wrongly_somewhere_in_the_ranges_are_not_recommended_in_it() -> None:
    """Of two candidates the first is wrong at the ranges' ends; the exact one takes its place."""

    @fh.app(x=fh.integers(64, low=0, high=15), y=fh.integers(64, low=0, high=15))
    def inner(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        return fh.sum(x * y)

    circuit = inner.trace()
    problem = Problem(circuit, random_data(circuit, 3), "random data")
    e = explore(problem, Wish(), [CATALOGUE["seal"]], {})
    first = next(c for c in e.candidates if c.scheme == "ckks")
    exact = next(c for c in e.candidates if c.scheme == "bfv")
    coarse = replace(
        first, parameters=replace(first.parameters, scales=(2.0**12,) * len(first.parameters.scales))
    )
    told = over_the_domain(replace(e, candidates=(coarse, exact)))
    assert told.best is exact
    (out,) = [r for r in told.rejected if r.scheme == "ckks"]
    assert "an integer rounds to a wrong one" in out.reason
    kept = over_the_domain(e)
    assert kept.best is not None
    assert kept.best.estimate.worst_case_bits is None or kept.best.estimate.worst_case_bits > 0


def test_one_function_that_is_used_twice_has_no_single_level_less() -> None:
    relu = fh.approximate(lambda v: np.maximum(v, 0), low=-2, high=2)
    circuit = fh.app(x=fh.reals(100, low=-1, high=1))(lambda x: relu(relu(x * 2) - 1)).trace()
    problem = Problem(circuit, random_data(circuit, 0), "random data")
    e = explore(problem, Wish(precision=bits(6)), [replace(CATALOGUE["seal"], schemes=("ckks",))], {})
    assert len(best(e).degrees) == 2
    assert "one level less" not in " ".join(bounds(e, best(e)))
