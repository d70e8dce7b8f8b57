"""How far approximations may take the outputs of circuits of integers: a bound for all inputs."""

from collections.abc import Callable
from math import inf, isnan
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.composition import Composition
from fheasible.circuit.degrees import Degrees, approximation, of_degree, open_nodes, with_degrees
from fheasible.circuit.domain import tried
from fheasible.circuit.in_reals import in_reals
from fheasible.circuit.node import Circuit
from fheasible.circuit.worst_error import WorstErrors

from .test_in_reals import FUNCTIONS, of_two

COMPOSITIONS = [Composition(d) for d in ((7, 15, 15), (7, 7, 15, 15), (7, 15, 15, 15))]


def degrees(circuit: Circuit, each: Composition) -> Degrees:
    return tuple(each for _ in open_nodes(circuit))


@pytest.mark.parametrize("each", COMPOSITIONS, ids=str)
@pytest.mark.parametrize("most", [7, 300])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_error_is_larger(function: Callable[..., Any], most: int, each: Composition) -> None:
    found = of_two(function, most)
    reals = in_reals(found)
    bound = WorstErrors(reals).largest(degrees(reals, each))
    made = with_degrees(reals, degrees(reals, each))
    assert not isnan(bound)
    for _, data in tried(found) if bound < inf else ():
        exact = evaluate(found, data)["result"]
        assert np.abs(evaluate(made, data, exact=False)["result"] - exact).max() <= bound + 1e-7


def test_errors_of_masks_add_up_in_a_sum() -> None:
    """Of 20 products of a mask with a number of up to 50."""
    vector = fh.integers(20, low=0, high=300), fh.integers(20, low=-50, high=10)
    found = fh.app(x=vector[0], y=vector[1])(lambda x, y: fh.sum((x > 100) * y)).trace()
    reals = in_reals(found)
    (n,) = open_nodes(reals)
    for each in COMPOSITIONS[:2]:
        one = approximation(of_degree(n.attribute, each)).largest_error
        assert WorstErrors(reals).largest((each,)) == pytest.approx(20 * 50 * one, rel=1e-3)


@pytest.mark.parametrize(
    ("function", "times"),
    [
        (lambda mask: fh.concatenate([mask[2:], mask[:2]]), 1),  # side by side
        (lambda mask: mask[2:] + mask[:2], 2),
        (lambda mask: mask[:2] + fh.concatenate([mask[3:], [1]]), 2),  # the first element alone
    ],
)
def test_errors_of_parts_add_up_where_they_meet(function: Callable[[Any], Any], times: int) -> None:
    reals = in_reals(fh.app(x=fh.integers(4, low=0, high=300))(lambda x: function(x > 100)).trace())
    (n,) = open_nodes(reals)
    one = approximation(of_degree(n.attribute, COMPOSITIONS[0])).largest_error
    assert WorstErrors(reals).largest((COMPOSITIONS[0],)) == pytest.approx(times * one, rel=1e-3)


def test_errors_of_a_tournament_add_up_once_for_each_round() -> None:
    """Not those of both sides, of which only one is the larger number."""
    found = fh.app(x=fh.integers(8, low=0, high=255))(_largest).trace()
    reals = in_reals(found)
    each = COMPOSITIONS[1]
    rounds = [approximation(of_degree(n.attribute, each)).largest_error for n in open_nodes(reals)]
    assert len(rounds) == 3
    assert WorstErrors(reals).largest(degrees(reals, each)) <= 1.01 * sum(rounds)


def _largest(x: Any) -> Any:
    while len(x) > 1:
        x = fh.maximum(x[: len(x) // 2], x[len(x) // 2 :])
    return x


def test_what_is_too_far_from_integers_to_be_compared_has_no_bound() -> None:
    found = of_two(lambda x, y: fh.maximum(x, y) > 3 * y, 300)
    reals = in_reals(found)
    assert WorstErrors(reals).largest(degrees(reals, Composition((7, 7)))) == inf
    assert WorstErrors(reals).largest(degrees(reals, COMPOSITIONS[-1])) < 0.1


def test_circuits_without_comparisons_have_no_error() -> None:
    reals = in_reals(of_two(lambda x, y: fh.lookup(x, range(81), low=-40) * y + (x > 3), 40))
    assert WorstErrors(reals).largest(()) == 0
