"""The remedy where errors are too large: it is one that helps."""

import pytest

import fheasible as fh
from fheasible.exploration.judging.finer import NARROWER, finer


def power(i: fh.Vector, v: fh.Vector) -> fh.Vector:
    return fh.mean(i**2 * v)


def of_currents(most: float) -> fh.App:
    return fh.app(i=fh.reals(10, low=-most, high=most), v=fh.reals(10, low=0.02, high=0.05))(power)


def test_the_smaller_unit_that_is_advised_for_tiny_numbers_helps() -> None:
    """Squares of picoamperes are 2^-75, and no scale has so many bits."""
    amperes, picoamperes = (fh.explore(of_currents(most), library="seal") for most in (5e-12, 5.0))
    assert amperes.best is None
    assert "give i in a smaller unit" in "".join(amperes.remedies)
    assert picoamperes.best is not None


@pytest.mark.parametrize("most", [0.01, 1.0, 1e6])
def test_numbers_that_are_not_tiny_are_asked_for_in_no_smaller_unit(most: float) -> None:
    assert "unit" not in finer(of_currents(most).trace())


def test_integers_are_never_told_to_be_less_precise() -> None:
    circuit = fh.app(x=fh.integers(4, low=0, high=9))(lambda x: x * x).trace()
    assert finer(circuit) == NARROWER
    assert "precision" not in NARROWER
