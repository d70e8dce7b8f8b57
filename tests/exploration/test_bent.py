"""Results that are off on the data though first order tells nothing of it."""

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.data import random_data
from fheasible.exploration.bent import needed
from fheasible.exploration.everywhere import explore_everywhere
from fheasible.exploration.problem import Problem
from fheasible.exploration.proof import prove
from fheasible.exploration.search import explore
from fheasible.exploration.wish import Wish
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.execute import Plan
from fheasible.measurement.registry import command
from fheasible.noise.domain import points


@fh.app(x=fh.reals(8193, low=36, high=42))
def variance(x: fh.Vector) -> fh.Vector:
    """Of three ciphertexts the last holds one element, and the mask that passes the mean on to it is lost."""
    apart = x - fh.mean(x)
    return fh.sum(apart * apart) / len(apart)


@fh.app(x=fh.reals(512, low=100000, high=100001), y=fh.reals(512, low=-1, high=1))
def covariance(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return fh.mean((x - fh.mean(x)) * (y - fh.mean(y)))


@fh.app(x=fh.reals(1000, low=-1, high=1))
def weighted(x: fh.Vector) -> fh.Vector:
    return x * np.linspace(-1, 1, 1000) + 0.3 * x * x


CONSTANT = {"x": np.full(512, 100001.0), "y": np.ones(512)}
CASES = [
    ("seal", variance, None), ("lattigo", variance, None), ("openfhe", variance, None),
    ("seal", covariance, CONSTANT), ("lattigo", covariance, CONSTANT),
]  # fmt: skip


def asked(app: fh.App, data: dict[str, np.ndarray] | None) -> Problem:
    circuit = app.trace()
    return Problem(circuit, random_data(circuit, 86) if data is None else data, "data")


@pytest.mark.parametrize(
    ("library", "app", "data"), CASES, ids=lambda x: getattr(x, "name", x if isinstance(x, str) else "")
)
def test_what_only_a_rehearsal_tells_is_searched_for_again(
    library: str, app: fh.App, data: dict[str, np.ndarray] | None
) -> None:
    problem, wish, chosen = asked(app, data), Wish(), [CATALOGUE[library]]
    first = explore(problem, wish, chosen, {}).best
    found = explore_everywhere(problem, wish, lambda of, to: explore(of, to, chosen, {})).best
    assert first is not None
    assert found is not None
    at = [points(problem.lowerings(c.degrees).circuit, c.program)[0] for c in (first, found)]
    assert needed(problem, first, wish.least, at[0]) is not None
    assert needed(problem, found, wish.least, at[1]) is None
    if command(library).installed:
        assert prove(problem, found, Plan(repetitions=1, warmup=0), asked=wish.least).correct


def test_what_first_order_tells_well_asks_for_nothing_more() -> None:
    chosen = [CATALOGUE["lattigo"]]
    problem = asked(weighted, None)
    found = explore_everywhere(problem, Wish(), lambda of, to: explore(of, to, chosen, {}))
    assert found.best is not None
    assert found.problem.also == ()
