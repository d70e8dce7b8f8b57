"""The front is what nothing beats; exact sets go before those that CKKS rounds, unless rounding is better
beyond the error."""

from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.aliases import Floats
from fheasible.api import listing
from fheasible.circuit.data import random_data
from fheasible.estimation.estimate import Estimate
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.rank import exact_first, front, ties
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Objective, Wish
from fheasible.exploration.reasons.bounds import bounds
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE

TIME = Objective.parse("time")


def slowly(points: Floats) -> list[int]:
    """Row by row, in the words of the definition."""
    found = []
    for i, row in enumerate(points):
        others = [j for j, other in enumerate(points) if j != i and (other <= row).all()]
        if not any((points[j] != row).any() or j < i for j in others):
            found.append(i)
    return found


@given(
    shape=st.tuples(st.integers(0, 60), st.integers(1, 6)),
    values=st.integers(1, 9),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_front_is_what_no_other_row_equals_or_undercuts_everywhere(
    shape: tuple[int, int], values: int, seed: int
) -> None:
    """Few values make many equal rows, and rows that differ in one column alone."""
    points = np.random.default_rng(seed).integers(0, values, shape).astype(np.float64)
    assert front(points).tolist() == slowly(points)


@given(size=st.integers(1, 80), seed=st.integers(0, 2**32 - 1))
def test_it_is_the_same_whatever_the_columns_are_measured_in(size: int, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(size, 4))
    assert front(np.exp(points) * [1, 1e-9, 1e9, 3]).tolist() == front(points).tolist() == slowly(points)


@given(sizes=st.lists(st.integers(0, 40), min_size=1, max_size=6), seed=st.integers(0, 2**32 - 1))
def test_the_front_of_fronts_is_the_front_of_all(sizes: list[int], seed: int) -> None:
    draw = np.random.default_rng(seed)
    parts = [draw.integers(0, 5, (size, 3)).astype(np.float64) for size in sizes]
    kept = np.concatenate([part[front(part)] for part in parts])
    whole = np.concatenate(parts)
    assert {*map(tuple, kept[front(kept)])} == {*map(tuple, whole[front(whole)])}


def test_more_rows_than_are_compared_at_once_make_no_difference() -> None:
    draw = np.random.default_rng(1)
    points = draw.normal(size=(20_000, 3))
    found = front(points)
    on_it = points[found]
    beaten = [bool(((on_it <= row).all(axis=1) & (on_it != row).any(axis=1)).any()) for row in points]
    assert found.tolist() == np.flatnonzero(~np.array(beaten)).tolist()


@fh.app(x=fh.integers(64, low=0, high=3))
def cube(x: fh.Vector) -> fh.Vector:
    return x * x * x


@pytest.fixture(scope="module")
def explored() -> Exploration:
    circuit = cube.trace()
    problem = Problem(circuit, random_data(circuit, 3), "random data")
    return explore(problem, Wish(), [CATALOGUE["lattigo"]], {})


def first_of(e: Exploration, scheme: str) -> Candidate:
    return next(c for c in e.candidates if c.scheme == scheme)


def timed(c: Candidate, seconds: float, band: float) -> Candidate:
    cpu = {"keygen": 1.0, "encrypt": 0.0, "evaluate": seconds, "decrypt": 0.0, "total": seconds}
    estimate = cast("Estimate", replace(c.estimate, cpu_seconds=cpu, error_band=band))
    return replace(c, estimate=estimate, figures={**c.figures, "score": seconds})


def led_by(e: Exploration, rounded: float, exact: float, band: float) -> str:
    """The scheme that leads of CKKS, BGV and BFV with such times, the best first."""
    found = [timed(first_of(e, s), t, band) for s, t in zip(("ckks", "bgv"), (rounded, exact), strict=True)]
    found.append(timed(first_of(e, "bfv"), 9 * exact, band))
    order = sorted(range(3), key=lambda i: found[i].figures["score"])
    return found[exact_first(order, dict(enumerate(found)), TIME)[0]].scheme


def test_ckks_is_recommended_only_where_it_is_better_beyond_the_error(explored: Exploration) -> None:
    assert led_by(explored, 1.0, 1.15, 0.1) == "bgv"  # within 1 + 0.1 + 0.1
    assert led_by(explored, 1.0, 1.25, 0.1) == "ckks"
    assert led_by(explored, 1.0, 1.25, 0.2) == "bgv"
    assert led_by(explored, 1.0, 0.5, 0.1) == "bgv"


def test_the_others_stay_in_their_order(explored: Exploration) -> None:
    found = {i: first_of(explored, s) for i, s in enumerate(("ckks", "bgv", "bfv"))}
    same = {i: timed(c, 1.0 + i / 100, 0.1) for i, c in found.items()}
    assert exact_first([0, 1, 2], same, TIME) == [1, 0, 2]
    assert exact_first([0], same, TIME) == [0]
    leading = tuple(same[i] for i in (1, 0, 2))
    assert ties(leading, TIME) == frozenset(leading[1:])


def test_tables_say_what_is_rounded(explored: Exploration) -> None:
    said = {scheme: listing.precision(first_of(explored, scheme)) for scheme in ("ckks", "bgv", "bfv")}
    assert said == {"ckks": "rounded", "bgv": "exact", "bfv": "exact"}
    assert [c.to_json(False)["rounded"] for c in explored.candidates] == [
        c.scheme == "ckks" for c in explored.candidates
    ]


def test_a_reason_says_that_ckks_might_be_faster(explored: Exploration) -> None:
    rounded, exact = timed(first_of(explored, "ckks"), 1.0, 0.5), timed(first_of(explored, "bgv"), 1.5, 0.5)
    e = replace(explored, candidates=(exact, rounded))
    assert "Exact results are preferred to those that CKKS rounds. CKKS would take 0.67 times" in " ".join(
        bounds(e, exact)
    )
    slower = replace(explored, candidates=(exact, timed(rounded, 2.0, 0.5)))
    assert "Exact results are preferred" not in " ".join(bounds(slower, exact))
