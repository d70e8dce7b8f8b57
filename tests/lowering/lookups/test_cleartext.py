"""What programs of table look-ups give is known without writing them: every program says the same."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.drawn import random_data
from fheasible.circuit.node import Circuit
from fheasible.errors import CircuitError
from fheasible.lowering.lookups.cleartext import in_clear
from fheasible.lowering.lookups.lower import lower_lookups
from fheasible.program.lookup_values import computed

APPLICATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "products": lambda x, y, k: x * y * x - 0.3 * y,
    "powers": lambda x, y, k: x**5 + 2 * y**2,
    "a rotated mean": lambda x, y, k: fh.mean(fh.rotate(x, 1) * y) + 0 * x,
    "a polynomial": lambda x, y, k: fh.polynomial(x, [0.25, -1, 0.5, 3]),
    "a table": lambda x, y, k: fh.sigmoid(x, -4, 4) - 0.5,
    "kinks": lambda x, y, k: fh.maximum(x, y) + fh.relu(x - y),
    "weights": lambda x, y, k: np.arange(16).reshape(4, 4) / 7 @ x,
    "integers": lambda x, y, k: (k * k + 3) * x,
    "a comparison": lambda x, y, k: fh.greater(x, y, margin=0.001) * y,
    "an integer result": lambda x, y, k: k // 2 + (k > 3),
}


def circuit(name: str) -> Circuit:
    app = fh.app(
        x=fh.reals(4, low=-4, high=4), y=fh.reals(4, low=0, high=1000), k=fh.integers(4, low=0, high=9)
    )
    return app(APPLICATIONS[name]).trace()


def both(name: str, fraction: int) -> Iterator[tuple[Any, Any]]:
    """What is known without a program, and what the program gives: results, or why there are none."""
    whole = circuit(name)
    for seed in range(2):
        data = random_data(whole, seed)
        yield (
            told(partial(in_clear, whole, fraction, data)),
            told(partial(run, whole, fraction, data)),
        )


def run(whole: Circuit, fraction: int, data: Any) -> Any:
    return computed(lower_lookups(whole, 4, 4, fraction), data)


def told(made: Callable[[], Any]) -> Any:
    try:
        return {name: values.astype(np.float64).tolist() for name, values in made().items()}
    except CircuitError as error:
        return error.message


@pytest.mark.parametrize("fraction", [3, 10])
@pytest.mark.parametrize("name", APPLICATIONS)
def test_a_program_gives_what_is_known_without_it(name: str, fraction: int) -> None:
    for known, found in both(name, fraction):
        assert known == found
        assert isinstance(known, dict)


def test_a_program_that_there_cannot_be_is_refused_alike() -> None:
    for known, found in both("a table", 20):
        assert known == found
        assert "a table has at most" in known


def test_products_may_outgrow_63_bits_before_they_are_rounded() -> None:
    """1,000 squared is a product of two numbers of 38 bits, and has 76."""
    whole = fh.app(x=fh.reals(1, low=0, high=1000))(lambda x: x * x).trace()
    assert in_clear(whole, 28, {"x": np.array([1000.0])})["result"].tolist() == [1e6]


def test_values_that_may_grow_without_bounds_are_refused_whatever_the_data_are() -> None:
    def squared(x: Any) -> Any:
        for _ in range(6):
            x = x * x
        return x

    whole = fh.app(x=fh.reals(1, low=0, high=1000))(squared).trace()
    with pytest.raises(CircuitError, match="may have more than 256 bits"):
        in_clear(whole, 4, {"x": np.array([1.0])})
