"""Constants that are folded into neighbours: the levels that it saves, and that it never costs one."""

from collections.abc import Callable
from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit import balance
from fheasible.circuit.balance import normalise
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.fold import fold
from fheasible.circuit.node import Circuit, Op
from fheasible.lowering.lower import lower
from fheasible.program.style import Style
from fheasible.program.types import Program

from .random_circuits import STYLES, Instruction, circuit, inputs, instructions

CKKS = STYLES["ckks"]
REALS = [name for name, style in STYLES.items() if not style.exact]
LENGTH = 64
WEIGHTS = np.linspace(-1, 1, LENGTH)


def traced(function: Callable[[fh.Vector], fh.Vector], length: int = LENGTH) -> Circuit:
    @fh.app(x=fh.reals(length, low=-1, high=1))
    def application(x: fh.Vector) -> fh.Vector:
        return function(x)

    return application.trace()


def levels(function: Callable[[fh.Vector], fh.Vector], length: int = LENGTH) -> int:
    return lower(traced(function, length), CKKS, length).levels


def root(x: fh.Vector) -> fh.Vector:
    return fh.sqrt(x, low=1, high=9, degree=15)


def score(x: fh.Vector) -> fh.Vector:
    return fh.sigmoid(fh.sum(x * WEIGHTS) + 0.5, low=-40, high=40, degree=31)


# with what the application must multiply, one product after another, however constants are placed
CASES: list[tuple[Callable[[fh.Vector], fh.Vector], int]] = [
    (score, 1 + 5),  # weights, and with them the map onto [-1, 1]; degree 31
    (lambda x: 3 * root(x + 5), 1 + 4),  # the map; degree 15, and with it the 3
    (lambda x: 3 * -root(x + 5).rotate(2), 1 + 4),
    (lambda x: fh.mean(x * WEIGHTS), 1),
    (lambda x: fh.mean(x * WEIGHTS) + 0.5 * fh.sum(x * WEIGHTS[::-1]), 1),
    (lambda x: fh.polynomial(x * 0.5, [1, 2, 3, 4]), 2),
    (lambda x: fh.sqrt(0.3 * x + 0.7 * x.rotate(1) + 5, low=1, high=9, degree=15), 1 + 4),
    (lambda x: 0.7 * (x * WEIGHTS + x.rotate(1) * 0.3), 1),
    (lambda x: 0.3 * fh.polynomial(x, [0.1, 0.5, 0.5, 0.5]), 2),
    # the standard deviation by moments: a square, a mean that takes the map with it, degree 31
    (lambda x: fh.sqrt(fh.mean((x - fh.mean(x)) ** 2), low=0, high=1.5, degree=31), 1 + 1 + 5),
]


@pytest.mark.parametrize(("function", "least"), CASES)
def test_constants_cost_no_level_beside_a_product_that_is_due(
    function: Callable[[fh.Vector], fh.Vector], least: int
) -> None:
    assert levels(function) == least


@pytest.mark.parametrize("function", [function for function, _ in CASES])
@pytest.mark.parametrize("exact", [True, False])
def test_what_is_folded_computes_the_same(function: Callable[[fh.Vector], fh.Vector], exact: bool) -> None:
    made = traced(function)
    data = {"x": np.random.default_rng(1).uniform(-1, 1, LENGTH)}
    wanted, found = (evaluate(c, data, exact=exact)["result"] for c in (made, normalise(made)))
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


def test_the_standard_deviation_takes_two_levels_less_than_as_written() -> None:
    """One for the constants that are folded, one for the moments."""

    def std_dev(x: fh.Vector) -> fh.Vector:
        return fh.sqrt(fh.mean((x - fh.mean(x)) ** 2), low=0, high=1.5, degree=31)

    made = traced(std_dev)
    written = Circuit(made.name, made.inputs, made.outputs, minimise_depth=False)
    assert lower(written, CKKS, LENGTH).levels - lower(made, CKKS, LENGTH).levels == 2


def test_a_value_that_is_used_twice_is_computed_once() -> None:
    def twice(x: fh.Vector) -> fh.Vector:
        weighted = fh.sum(x * WEIGHTS)
        return fh.sigmoid(weighted + 0.5, low=-40, high=40, degree=31) + weighted

    normal = normalise(traced(twice))
    assert sum(n.op is Op.SUM for n in normal.nodes()) == 1


@pytest.mark.parametrize(("length", "pushed"), [(16, True), (1 << 16, False)])
def test_a_constant_is_left_behind_a_sum_where_noise_would_cost_more_than_the_level(
    length: int, pushed: bool
) -> None:
    """Before the sum it makes log2(n) / 2 bits more noise, at each of the six levels that are left."""

    def scored(x: fh.Vector) -> fh.Vector:
        weights = np.linspace(-1, 1, length)
        return fh.sigmoid(fh.sum(x * weights), low=-(2.0**16), high=2.0**16, degree=31)

    assert (lower(traced(scored, length), CKKS, length).levels == 1 + 5) == pushed
    assert (log2(length) / 2 * 7 <= 30) == pushed


def both(made: Circuit, style: Style, capacity: int) -> tuple[Program, Program]:
    """With constants folded, and without."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(balance, "fold", lambda found: found)
        without = lower(made, style, capacity)
    return lower(made, style, capacity), without


@settings(max_examples=150, deadline=None)
@given(program=instructions(), name=st.sampled_from(REALS), length=st.sampled_from([1, 8, 21]))
def test_folding_never_takes_a_level_more(program: list[Instruction], name: str, length: int) -> None:
    made = circuit(True, length, program, True)
    folded, without = both(made, STYLES[name], 1 << ceil(log2(max(length, 2))))
    assert folded.levels <= without.levels


@settings(max_examples=150, deadline=None)
@given(program=instructions(), seed=st.integers(0, 99))
def test_folded_circuits_compute_the_same(program: list[Instruction], seed: int) -> None:
    made = circuit(True, 8, program, True)
    data = inputs(True, 8, seed)
    for exact in (True, False):
        wanted, found = (evaluate(c, data, exact=exact) for c in (made, normalise(made)))
        for name in wanted:
            size = max(float(np.abs(wanted[name]).max()), 1.0)
            np.testing.assert_allclose(found[name], wanted[name], rtol=1e-6, atol=1e-7 * size)


def test_a_polynomial_of_nothing_is_left_alone() -> None:
    made = fh.app(x=fh.reals(4, low=-1, high=1))(lambda x: fh.polynomial(x * 0.0, [1, 2, 3]) + x).trace()
    data = {"x": np.linspace(-1, 1, 4)}
    np.testing.assert_allclose(evaluate(fold(made), data)["result"], 1 + data["x"])


@pytest.mark.parametrize("length", [99, 250, 1000])
def test_a_long_chain_of_sums_and_factors_is_no_deeper_a_recursion(length: int) -> None:
    def chain(x: fh.Vector) -> fh.Vector:
        found = x
        for i in range(length):
            found = (found + x * (i % 5)) * 0.5
        return found

    assert fold(traced(chain)).outputs
