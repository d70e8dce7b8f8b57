"""What bounds the precision: every number in the sentences is computed anew."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.data import random_data
from fheasible.exploration.bounds import bounds, over_the_domain
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.problem import Problem
from fheasible.exploration.search import Exploration, explore
from fheasible.exploration.wish import Wish, bits
from fheasible.libraries.catalogue import CATALOGUE

LIMITS = {2**12: 106, 2**13: 214, 2**14: 430, 2**15: 868}  # log2 QP, 128 bits, ternary [Bossuat24]


@fh.app(x=fh.reals(16, low=0, high=1))
def root(x: fh.Vector) -> fh.Vector:
    return fh.sqrt(fh.mean(x), low=0, high=1)


@cache
def found(asked: float, drawn: bool = True) -> Exploration:
    circuit = root.trace()
    problem = Problem(circuit, random_data(circuit, 3), "random data", drawn)
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
    assert f"Degree {shorter}, a level less," in text
    assert numbers(text)[-1] < 14


def test_half_the_ring_is_weighed_against_its_limit() -> None:
    e = found(14)
    p = best(e).parameters
    fewer = -(-(p.log_qp - LIMITS[p.ring_dimension // 2]) // (len(p.q) + len(p.p)))
    assert f"each of the {len(p.q) + len(p.p)} primes {fewer:.0f} bits less" in sentence(e, "Security")


def test_the_first_modulus_is_named() -> None:
    e = found(14)
    text = sentence(e, "The first modulus")
    assert (
        f"of {best(e).parameters.q[0].bit_length()} bits" in text
        or f"{np.log2(best(e).parameters.q[0]):.0f}" in text
    )
    assert numbers(text)[1] == 1  # the root of at most 1


def test_the_worst_case_stands_beside_what_holds_for_drawn_data() -> None:
    """At zero the root is steepest, and its series farthest off: by what is found there."""
    e = over_the_domain(found(14))
    worst = best(e).estimate.worst_case_bits
    assert worst is not None
    assert worst < best(e).estimate.precision_bits
    x = np.zeros(1)
    series = e.problem.lowerings(best(e).degrees).circuit.outputs[0][1].attribute
    at_zero = abs(np.polynomial.chebyshev.chebval(-1.0, series.coefficients) - np.sqrt(x))[0]
    assert worst <= -np.log2(at_zero) + 0.1
    assert f"{worst:.1f} bits of the largest result" in sentence(e, "That holds")
    assert best(e) in e.front


def test_given_data_have_no_worst_case_beside_them() -> None:
    e = found(14, drawn=False)
    assert over_the_domain(e) is e
    assert best(e).estimate.to_json()["worst_case_bits"] is None
    assert not any(s.startswith("That holds") for s in bounds(e, best(e)))


def test_the_approximations_are_told_in_the_document() -> None:
    e = found(14)
    (told,) = e.to_json()["approximations"]
    assert (told["function"], told["low"], told["high"]) == ("sqrt", 0.0, 1.0)
    assert told["degree"] == best(e).degrees[0]
    assert told["largest_error"] > told["average_error"] > 0
