"""Published advice on CKKS, held against the search's own sets."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.reasons.advice import PLATEAU_BITS, advice, plateau
from fheasible.exploration.reasons.explain import explain
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE

from .apps import problem, whole


@cache
def root(precision: float, library: str = "openfhe", degree: int = 27) -> Exploration:
    """A series whose own error limits precision to about a dozen bits."""

    @fh.app(x=fh.reals(256, low=0.5, high=1))
    def app(x):  # type: ignore[no-untyped-def]
        return fh.sqrt(x, low=0, high=1, degree=degree)

    data = {"x": np.random.default_rng(3).uniform(0.5, 1, 256)}
    return explore(
        Problem(app.trace(), data, "test"), Wish(precision=bits(precision)), [CATALOGUE[library]], {}
    )


def said(e: Exploration) -> str:
    assert e.best is not None
    (line,) = advice(e, e.best, None)
    return line


@given(st.lists(st.floats(0, 60), min_size=1, max_size=30))
def test_from_the_plateau_on_every_set_is_as_precise_as_the_best(told: list[float]) -> None:
    first, level = plateau(told), max(told) - PLATEAU_BITS
    if told[-1] < level:
        assert first == len(told) - 1
    else:
        assert min(told[first:]) >= level
        assert first == 0 or told[first - 1] < level


def test_precision_that_still_rises_has_no_plateau() -> None:
    assert plateau([10.0, 20.0, 30.0]) == 2
    assert plateau([10.0, 29.5, 30.0, 29.8]) == 1


@pytest.mark.parametrize("library", list(CATALOGUE))
def test_the_plateau_is_the_series_own_error(library: str) -> None:
    """The error of the interpolation, worked out on the data in clear."""
    e = root(6, library)
    line = said(e)
    x = np.asarray(e.problem.data["x"])
    nodes = np.cos(np.pi * (np.arange(28) + 0.5) / 28)
    fitted = np.polynomial.chebyshev.Chebyshev.fit(nodes, np.sqrt((nodes + 1) / 2), 27)
    own = -np.log2(np.abs(fitted(2 * x - 1) - np.sqrt(x)).max() / np.sqrt(x).max())
    (told,) = [float(word) for word in line.split("here ")[1].split(" bits")[:1]]
    assert told == pytest.approx(own, abs=0.5)
    assert "[GKS25]" in line


def test_a_search_for_little_precision_stays_below_the_advised_ring() -> None:
    e = root(4)
    assert e.best is not None
    line = said(e)
    assert "the advice does not hold here" in line
    assert f"needs only N = 2^{e.best.parameters.ring_dimension.bit_length() - 1}" in line


def test_a_search_for_the_plateau_s_precision_follows_the_advice() -> None:
    ring = said(root(4)).split("with N = ")[1].split(".")[0]
    e = root(float(said(root(4)).split("here ")[1].split(" bits")[0]) - 1.5)
    assert e.best is not None
    line = said(e)
    assert ("the advice holds" in line) == (f"2^{e.best.parameters.ring_dimension.bit_length() - 1}" == ring)


def test_the_techniques_are_compared_at_the_recommended_scale() -> None:
    line = said(root(4))
    assert "flexibleautoext" in line
    assert any(verdict in line for verdict in ("holds", "of no use", "fails"))


def test_integers_and_libraries_without_techniques_are_told_nothing_of_them() -> None:
    integers = explore(problem(whole), Wish(), [CATALOGUE["seal"]], {})
    assert integers.best is not None
    assert advice(integers, integers.best, None) == []
    assert "most precise technique" not in said(root(6, "seal"))


def test_it_is_among_the_reasons() -> None:
    assert said(root(4)) in explain(root(4))
