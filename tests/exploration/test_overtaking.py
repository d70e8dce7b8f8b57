"""The depth that is named for bootstraps to overtake one large ring, beside searches among either alone."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

import fheasible as fh
from fheasible.calibration.defaults import default_profile
from fheasible.circuit.data import random_data
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.sieve import Judged
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Wish
from fheasible.exploration.reasons.overtaking import depth_of, overtaken_at
from fheasible.exploration.reasons.refreshed import _each_seconds, bootstrapping
from fheasible.exploration.search.search import Exploration, explore
from fheasible.exploration.search.walk import Walk
from fheasible.libraries.catalogue import BY_NAME, library

BOOTSTRAPPING = tuple(name for name, lib in BY_NAME.items() if lib.bootstrap_method)
WISH = Wish(precision=Asked.parse("10"))
DEPTH = 44
OFF = 0.15  # what is named is said to be "about" right, and is so within this


def chain(depth: int) -> Problem:
    @fh.app(minimise_depth=False, x=fh.reals(128, low=0.95, high=1))
    def long_product(x: fh.Vector) -> fh.Vector:
        product = x
        for _ in range(depth):
            product = fh.rotate(product, 1) * x
        return product

    circuit = long_product.trace()
    assert Problem(circuit, random_data(circuit, 0), "random data").depth("ckks") == depth
    return Problem(circuit, random_data(circuit, 0), "random data")


def nothing(*_: object) -> Iterator[Judged]:
    return iter(())


def searched(name: str, depth: int, refreshed: bool) -> tuple[Exploration, Candidate | None]:
    """A search among sets with bootstraps alone, or among single rings alone, and its best set."""
    left_out = "_walked" if refreshed else "_refreshed"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Walk, left_out, nothing)
        found = explore(chain(depth), WISH, [library(name)], {name: default_profile(name)})
    best = next((c for c in found.candidates if c.scheme == "ckks"), None)
    assert best is None or best.program.bootstraps == refreshed
    return found, best


def overtaken(name: str, depth: int) -> bool:
    """Whether the best set with bootstraps takes less than the best single ring."""
    refreshing, single = (searched(name, depth, kind)[1] for kind in (True, False))
    assert refreshing is not None
    return single is None or refreshing.cost(WISH.goal) < single.cost(WISH.goal)


@pytest.mark.parametrize("name", BOOTSTRAPPING)
def test_bootstraps_overtake_one_ring_about_where_it_is_said(name: str) -> None:
    found, refreshing = searched(name, DEPTH, refreshed=True)
    single = searched(name, DEPTH, refreshed=False)[1]
    assert refreshing is not None
    assert single is not None
    assert depth_of(found, refreshing) == DEPTH
    each = _each_seconds(refreshing, default_profile(name))
    assert each is not None
    at = overtaken_at(found, refreshing, single, each)
    assert at is not None
    assert not overtaken(name, round(at * (1 - OFF)))
    assert overtaken(name, round(at * (1 + OFF)))
    both = replace(found, candidates=(single, refreshing))
    (said,) = bootstrapping(both, single, {name: default_profile(name)})
    assert f"overtake one ring at a depth of about {at}; this circuit has depth {DEPTH}." in said
