"""What an exploration without a limit on memory says about one with a limit is what the search finds."""

from typing import Any

import pytest

import fheasible as fh
from fheasible.exploration.search.search import Exploration
from fheasible.exploration.search.tightened import tightened

pytestmark = pytest.mark.long


@fh.app(x=fh.reals(4096, low=0, high=1), y=fh.reals(4096, low=0, high=1))
def reals(x: Any, y: Any) -> Any:
    return fh.sum(x * y)


@fh.app(x=fh.integers(1000, low=0, high=15), y=fh.integers(1000, low=0, high=15))
def integers(x: Any, y: Any) -> Any:
    return fh.inner_product(x, y)


Whole = tuple[Any, Exploration]


@pytest.fixture(scope="module", params=[reals, integers], ids=["reals", "integers"])
def whole(request: pytest.FixtureRequest) -> Whole:
    return request.param, fh.explore(request.param).exploration


@pytest.mark.parametrize("share", [0.99, 0.6, 0.3])
def test_the_best_set_that_is_left_is_that_of_a_search(whole: Whole, share: float) -> None:
    app, without = whole
    assert without.best is not None
    least = min(c.estimate.peak_bytes for c in without.candidates)
    most = max(round(share * without.best.estimate.peak_bytes), least)
    found, searched = tightened(without, most), fh.explore(app, max_bytes=most).exploration
    if found is None:
        pytest.skip("the best of them was not judged by itself")
    assert found.best is not None
    assert searched.best is not None
    assert found.best.cost(found.wish.goal) == pytest.approx(searched.best.cost(found.wish.goal))
    assert found.best.library == searched.best.library
    assert found.wish == searched.wish
    assert all(c.estimate.peak_bytes <= most for c in found.candidates)
    assert (found.kept["peak_bytes"] <= most).all()
    assert found.kept["rank"].tolist() == list(range(1, len(found.kept) + 1))


def test_a_limit_that_keeps_nothing_out_leaves_the_answer_as_it_is(whole: Whole) -> None:
    _, without = whole
    found = tightened(without, 2**50)
    assert found is not None
    assert found.best is without.best
    assert found.front == without.front
    assert found.feasible == len(without.kept)


def test_nothing_is_said_where_nothing_is_left(whole: Whole) -> None:
    _, without = whole
    assert tightened(without, 1) is None
