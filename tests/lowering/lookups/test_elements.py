"""Only those elements are computed that an output needs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.drawn import random_data
from fheasible.lowering.lookups.lower import lower_lookups
from fheasible.program.lookup_values import computed

TABLE = [(7 * v) % 16 for v in range(16)]


def found(function: Callable[[Any], Any], n: int = 6, high: int = 15) -> int:
    """The look-ups of a function of integers, which gives what it says."""
    circuit = fh.app(x=fh.integers(n, low=0, high=high))(function).trace()
    program = lower_lookups(circuit, 4, 4)
    for seed in range(3):
        data = dict(random_data(circuit, seed))
        for name, values in computed(program, data).items():
            assert [int(v) for v in values] == [int(v) for v in evaluate(circuit, data)[name]]
    return program.lookups


@pytest.mark.parametrize(
    ("function", "alone", "elements"),
    [
        (lambda x: fh.lookup(x, TABLE), lambda x: fh.lookup(x, TABLE), 6),
        (lambda x: fh.lookup(x, TABLE)[2], lambda x: fh.lookup(x, TABLE), 1),
        (lambda x: fh.lookup(x, TABLE)[1:3], lambda x: fh.lookup(x, TABLE), 2),
        (lambda x: (fh.lookup(x, TABLE)[0], fh.lookup(x, TABLE)[5]), lambda x: fh.lookup(x, TABLE), 2),
        (lambda x: fh.concatenate([fh.lookup(x, TABLE), x])[5:8], lambda x: fh.lookup(x, TABLE), 1),
        (
            lambda x: fh.sum(fh.lookup(x, TABLE) * [0, 1, 0, 0, 1, 0]),
            lambda x: fh.sum(fh.lookup(x, TABLE)),
            2,
        ),
        (
            lambda x: fh.sum(fh.lookup(x, TABLE)[np.array([4, 4, 1])]),
            lambda x: fh.sum(fh.lookup(x, TABLE)[np.array([0, 0, 1])]),
            2,
        ),
        (
            lambda x: fh.lookup(x, TABLE).rotate(2)[np.array([0, 0, 0])] % 4,
            lambda x: fh.lookup(x, TABLE)[np.array([0, 0, 0])] % 4,
            2,
        ),
        (
            lambda x: np.array([[0, 2, 0, 0, 0, 0], [0, 1, 0, 1, 0, 0]]) @ fh.lookup(x, TABLE),
            lambda x: np.array([[2, 0], [1, 1]]) @ fh.lookup(x, TABLE),
            2,
        ),
    ],
)
def test_a_table_is_looked_up_for_the_elements_that_are_used(
    function: Callable[[Any], Any], alone: Callable[[Any], Any], elements: int
) -> None:
    assert found(function) == found(alone, elements)


def test_a_pair_that_is_exchanged_takes_one_comparison() -> None:
    assert found(lambda x: fh.sort(x), 2, 63) == found(lambda x: fh.maximum(x[0], x[1]), 2, 63)


def test_elements_that_are_taken_by_themselves_take_no_lookups() -> None:
    alone = found(lambda x: fh.maximum(x[0], x[1]), 2, 63)
    assert found(lambda x: fh.maximum(x[3], x[5]), 8, 63) == alone


def test_a_network_takes_a_comparison_for_each_exchange() -> None:
    exchange = found(lambda x: fh.sort(x), 2, 63)
    assert [found(lambda x: fh.sort(x), n, 63) for n in (3, 4, 5)] == [exchange * k for k in (3, 5, 9)]


def test_of_sorted_values_what_is_not_taken_is_not_sorted() -> None:
    assert found(lambda x: fh.sort(x)[:2], 8, 63) < found(lambda x: fh.sort(x), 8, 63)
