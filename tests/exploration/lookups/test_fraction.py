"""How many bits after the point reals need: found without writing a program, once for all wishes."""

from math import inf
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.exploration.lookups import encodings
from fheasible.exploration.lookups.encodings import encoded
from fheasible.exploration.problem.pins import Pin, Pins
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import bits

X = np.array([0.3, -0.7])


def problem(function: Any = lambda x: x * x, high: float = 1.0) -> Problem:
    return Problem(fh.app(x=fh.reals(2, low=-high, high=high))(function).trace(), {"x": X}, "chosen")


def test_the_fewest_bits_that_are_precise_enough_are_taken() -> None:
    """With 8 bits, 0.3 and 0.7 are 77 and 179 / 256: the squares come out as 23 and 125 / 256, and 125 / 256
    is 0.0017 below 0.49. With 10 bits, 717^2 / 1024 is 502, which is 0.0002 off."""
    for asked, fraction in ((8, 8), (9, 10), (11, 10), (12, 12)):
        assert encoded(problem(), bits(asked))[0][0].encoding.fraction == fraction, asked


def test_bits_are_counted_once_whatever_is_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []
    real = encodings.in_clear

    def in_clear(circuit: Any, fraction: int, data: Any) -> Any:
        counted.append(fraction)
        return real(circuit, fraction, data)

    monkeypatch.setattr(encodings, "in_clear", in_clear)
    of = problem()
    for pins in (Pins(()), Pins((Pin("message", 2, "2"),)), Pins((Pin("carry", 4, "4"),))):
        assert encoded(of, bits(8), pins=pins)[0]
    assert counted == [4, 6, 8]


def test_the_fewest_bits_that_a_table_does_not_hold_are_told() -> None:
    """From -5,000 to 5,000 there are 160,001 multiples of 2^-4."""
    sine = fh.approximate(lambda v: np.sin(v / 1000), -5000, 5000)
    ways, reason = encoded(problem(sine, 5000.0), bits(15))
    assert not ways
    assert "160,001 values in fixed point with 4 bits" in reason


def test_numbers_that_are_zero_with_few_bits_are_not_with_more() -> None:
    """0.001 is 0 with up to 8 bits, and 66 / 2^16 with 16: 0.7 % too much. With 14 it is 16 / 2^14, 2.3 % too
    little, and the result 0.0003 is rounded from 4.8 to 5 / 2^14 beside that."""
    assert encoded(problem(lambda x: x * 0.001), bits(5))[0][0].encoding.fraction == 16


def test_a_table_that_is_too_large_is_told_rather_than_zeros_with_fewer_bits() -> None:
    def function(x: Any) -> Any:
        return fh.approximate(lambda v: np.sin(v / 1000), -1000, 1000)(x) * 0.001

    ways, reason = encoded(problem(function, 1000.0), bits(15))
    assert not ways
    assert "128,001 values in fixed point with 6 bits" in reason


def test_precision_beyond_all_bits_is_refused() -> None:
    ways, reason = encoded(problem(), bits(40))
    assert not ways
    assert reason == "no fixed point of up to 28 bits gives precision >= 40 bits"


@pytest.mark.parametrize("asked", [8, 40])
def test_programs_of_more_steps_than_wanted_are_told_whatever_the_precision(asked: int) -> None:
    assert encoded(problem(), bits(8), longest=inf)[0]
    ways, reason = encoded(problem(), bits(asked), longest=2)
    assert not ways
    assert reason.startswith("the program has more than 10 steps with message 4, carry 4; only programs of")
