"""Normal form: least depth or as written, and the same values either way."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.balance import normalise
from fheasible.circuit.cleartext import evaluate, values
from fheasible.circuit.depth import depth
from fheasible.circuit.node import Circuit, Op

from .random_circuits import Instruction, both_ways, circuit, inputs, instructions

NORMAL = {
    Op.INPUT,
    Op.CONSTANT,
    Op.ADD,
    Op.SUBTRACT,
    Op.NEGATE,
    Op.MULTIPLY,
    Op.SUM,
    Op.MEAN,
    Op.ROTATE,
    Op.BOOTSTRAP,
    Op.POLYNOMIAL,
    Op.CHEBYSHEV,
    Op.LINEAR,
}


def traced(function: Callable[..., Any], names: str, kind: str = "real", minimise: bool = True) -> Circuit:
    spec = fh.reals(4, low=-1, high=1) if kind == "real" else fh.integers(4, low=-1, high=1)
    return fh.app(minimise_depth=minimise, **dict.fromkeys(names.split(), spec))(function).trace()


def products(found: Circuit) -> int:
    return sum(n.op is Op.MULTIPLY and Op.CONSTANT not in {a.op for a in n.args} for n in found.nodes())


def squares(found: Circuit) -> int:
    return sum(n.op is Op.MULTIPLY and n.args[0] is n.args[1] for n in found.nodes())


# (power, depth = ceil(log2 k), products = squarings + ones of k in binary - 1)
@pytest.mark.parametrize(
    ("k", "deep", "count"), [(2, 1, 1), (3, 2, 2), (5, 3, 3), (8, 3, 3), (15, 4, 6), (100, 7, 8)]
)
def test_powers_are_balanced_by_repeated_squaring(k: int, deep: int, count: int) -> None:
    found = normalise(traced(lambda x: x**k, "x"))
    assert (depth(found, "ckks"), products(found)) == (deep, count)


def test_as_written_a_power_is_a_chain_of_products() -> None:
    found = normalise(traced(lambda x: x**7, "x", minimise=False))
    assert (depth(found, "ckks"), products(found), squares(found)) == (6, 6, 1)


def test_powers_of_one_value_share_their_squares() -> None:
    found = normalise(traced(lambda x: x**4 + x**5 + x**8, "x"))
    assert products(found) == 4  # x2, x4, x5, x8


@pytest.mark.parametrize(
    ("function", "names", "written", "least"),
    [
        (lambda a, b, c, d: a * b * c * d, "a b c d", 3, 2),
        (lambda a, b, c, d: -(a * -b) * (-c * d), "a b c d", 2, 2),
        (lambda a, b: a * a * a * a * b, "a b", 4, 3),
        (lambda a, b: (a * b + 1) * a * a, "a b", 3, 2),  # a a pairs while a b is still being made
        (lambda a, b: a * 0.5 * b * 0.5, "a b", 3, 2),  # the plain factors become one
        (lambda a, b: a * b * 2, "a b", 1, 1),  # twice is an addition
        (lambda a: fh.mean(a) * a * a, "a", 3, 2),
    ],
)
def test_products_are_as_shallow_as_their_factors_allow(
    function: Callable[..., Any], names: str, written: int, least: int
) -> None:
    minimal, as_is = both_ways(traced(function, names))
    assert depth(normalise(as_is), "ckks") == written
    assert depth(normalise(minimal), "ckks") == least


def test_doubling_twice_never_becomes_a_product_by_four() -> None:
    assert depth(normalise(traced(lambda x: x * 2 * 2, "x")), "ckks") == 0


def test_in_exact_schemes_plain_factors_are_gathered_for_nothing() -> None:
    found = normalise(traced(lambda a, b: a * 3 * b * 5, "a b", kind="integer"))
    assert depth(found, "bfv") == 1
    plains = [n for n in found.nodes() if n.op is Op.CONSTANT]
    assert [n.attribute.array.tolist() for n in plains] == [[15]]


def test_a_shared_product_is_computed_once_where_depth_allows() -> None:
    def application(a: Any, b: Any, c: Any) -> Any:
        shared = a * b
        return c * shared, shared + c  # opened, the first would pair c with a

    found = normalise(traced(application, "a b c"))
    assert (depth(found, "ckks"), products(found)) == (2, 2)


def test_a_shared_product_is_opened_where_it_is_too_deep() -> None:
    def application(a: Any, b: Any, c: Any, d: Any) -> Any:
        shared = a * b * c  # depth 2; with d and d four factors, of depth 3 if kept and of 3 if opened
        deep = shared * d * d * d * d  # kept: max(2, 2) + 1; opened: seven factors, 3
        return deep * a, shared  # eight factors: 3 if opened, 4 if shared stays whole

    found = normalise(traced(application, "a b c d"))
    assert depth(found, "ckks") == 3


def test_a_plain_factor_counts_where_shared_products_are_weighed() -> None:
    def application(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
        left, right = a * b * c, d * e * f
        return (
            left * right * 0.3,
            left,
            right,
        )  # six factors and a plain one: 3; of two products of depth 2: 4

    assert depth(normalise(traced(application, "a b c d e f")), "ckks") == 3


def test_an_even_power_of_an_opened_product_loses_its_sign() -> None:
    circuit = traced(lambda a, b, c, d, e: (-(a * b * c)) ** 2 * d * e, "a b c d e")
    assert depth(normalise(circuit), "ckks") == 3  # eight factors: the square was opened
    data = {name: np.full(4, 0.5) for name in "abcde"}
    assert evaluate(normalise(circuit), data)["result"].tolist() == [2.0**-8] * 4


def test_as_written_a_polynomial_follows_horner() -> None:
    found = normalise(traced(lambda x: fh.polynomial(x, [1, 2, 0.5, 3]), "x", minimise=False))
    assert Op.POLYNOMIAL not in {n.op for n in found.nodes()}
    assert (depth(found, "ckks"), products(found)) == (3, 2)
    kept = normalise(traced(lambda x: fh.polynomial(x, [1, 2, 0.5, 3]), "x"))
    assert Op.POLYNOMIAL in {n.op for n in kept.nodes()}


def test_products_that_only_differ_in_order_are_one() -> None:
    found = normalise(traced(lambda a, b: a * b + b * a, "a b"))
    assert products(found) == 1


def test_repeated_squaring_of_a_shared_value_stays_linear() -> None:
    def application(x: Any) -> Any:
        for _ in range(40):
            x = x * x
        return x

    assert products(normalise(traced(application, "x"))) == 40


@given(st.sampled_from(["real", "integer"]), st.booleans(), instructions(), st.integers(0, 2**32))
def test_normalising_never_changes_a_value(
    kind: str, minimise: bool, program: list[Instruction], seed: int
) -> None:
    written = circuit(kind, program, minimise)
    data = inputs(kind, seed)
    before, after = evaluate(written, data), evaluate(normalise(written), data)
    largest = max(float(np.abs(v).max()) for v in values(written, data).values())
    for name in before:
        assert before[name].shape == after[name].shape
        np.testing.assert_allclose(after[name], before[name], rtol=0, atol=1e-11 * largest * (kind == "real"))


@given(st.sampled_from(["real", "integer"]), instructions())
def test_balancing_never_deepens(kind: str, program: list[Instruction]) -> None:
    scheme = "ckks" if kind == "real" else "bgv"
    minimal, as_is = both_ways(circuit(kind, program))
    assert depth(normalise(minimal), scheme) <= depth(normalise(as_is), scheme)
    assert depth(normalise(minimal), scheme) <= depth(minimal, scheme)


@given(st.sampled_from(["real", "integer"]), st.booleans(), instructions())
def test_the_normal_form_has_no_other_operations(
    kind: str, minimise: bool, program: list[Instruction]
) -> None:
    found = normalise(circuit(kind, program, minimise))
    allowed = NORMAL if minimise else NORMAL - {Op.POLYNOMIAL}
    assert {n.op for n in found.nodes()} <= allowed
    assert found.minimise_depth is minimise
    again = normalise(replace(found))
    assert depth(again, "ckks") <= depth(found, "ckks") or kind == "integer"


# A step of a recurrence with two inputs and a number.
STEPS: dict[str, Callable[[Any, Any, float], Any]] = {
    "c (z z + y)": lambda z, y, c: c * (z * z + y),
    "c z z + c y": lambda z, y, c: c * z * z + c * y,
    "c (y - z z)": lambda z, y, c: c * (y - z * z),
    "c (z y + y)": lambda z, y, c: c * (z * y + y),
}


@pytest.mark.parametrize("name", STEPS)
@given(number=st.floats(0.1, 0.5), negative=st.booleans(), steps=st.integers(2, 24))
@settings(max_examples=20, deadline=None)
def test_a_number_before_a_sum_takes_no_level_in_each_step(
    name: str, number: float, negative: bool, steps: int
) -> None:
    """0.5 (z z + y) is u u + y / 4 for u = z / 2."""
    c = -number if negative else number

    def application(x: Any, y: Any) -> Any:
        for _ in range(steps):
            x = STEPS[name](x, y, c)
        return x

    written = traced(application, "x y")
    found = normalise(written)
    assert depth(found, "ckks") <= steps + 2
    assert products(found) == steps
    data = {each: np.random.default_rng(steps).uniform(-1, 1, 4) for each in ("x", "y")}
    for named, exact in evaluate(written, data).items():
        np.testing.assert_allclose(evaluate(found, data)[named], exact, rtol=0, atol=1e-13)


def test_no_summand_is_multiplied_where_that_saves_no_level() -> None:
    """The number goes into the product that is there, and y has a level to spare but needs none."""
    found = normalise(traced(lambda x, y: 0.5 * (x * x + y) + x * x * x * x, "x y"))
    assert depth(found, "ckks") == 2
    assert sum(n.op is Op.MULTIPLY and n.args[1].op is Op.CONSTANT for n in found.nodes()) == 1
