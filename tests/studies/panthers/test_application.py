from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.load import load
from fheasible.schemes.plan import plan
from fheasible.studies.panthers.application import INPUTS, expected, inputs, ten_products

EXAMPLE = Path(__file__).parents[3] / "examples" / "7_ten_products.py"


@pytest.mark.parametrize("minimise_depth", [False, True])
def test_it_is_the_example_s_equation(minimise_depth: bool) -> None:
    example = plan(load(str(EXAMPLE)).trace(), minimise_depth)
    assert ten_products(2, minimise_depth) == example


def test_as_written_it_multiplies_ten_times_in_succession_and_five_at_least() -> None:
    assert ten_products(2).depth == 10
    assert ten_products(2, minimise_depth=True).depth == 5


def by_hand(t: int) -> int:
    """c1 = 2, c2 = 1, c3 = 2: T = 4, S = 11, and 8 * 1 * 4 * 11 * 4 * 13 * 14."""
    return 8 * 1 * 4 * 11 * 4 * 13 * 14 % t


@pytest.mark.parametrize("t", range(2, 10))
def test_what_is_expected_is_the_equation_s_value(t: int) -> None:
    (found,) = expected(t)["result"]
    assert found % t == by_hand(t)
    assert -t / 2 < found <= t / 2
    assert {name: values[0] for name, values in inputs(t).items()} == {n: v % t for n, v in INPUTS.items()}


def test_some_results_are_not_zero() -> None:
    assert [t for t in range(2, 10) if by_hand(t)] == [3, 5, 6, 9]


def test_the_oracle_of_circuits_agrees() -> None:
    circuit = load(str(EXAMPLE)).trace()
    data: dict[str, Sequence[int]] = inputs(2)
    result = evaluate(circuit, {name: np.array(values) for name, values in data.items()})
    assert result["result"].tolist() == expected(2)["result"]
