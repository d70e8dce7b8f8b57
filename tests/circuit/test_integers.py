"""Operations that only vectors of integers have, beside Python's own on each element."""

import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import evaluate, values
from fheasible.circuit.drawn import random_data
from fheasible.circuit.node import Circuit, Op
from fheasible.circuit.ranges import intervals
from fheasible.circuit.simplify import simplify
from fheasible.errors import CircuitError, DataError, UnsupportedOperation
from fheasible.schemes.plan import plan

PAIRS = ("gt", "ge", "lt", "le", "eq", "ne", "and_", "or_", "xor")
BY_NUMBER = ("floordiv", "mod", "gt", "le", "eq", "and_", "or_", "xor")


def traced(function: Callable[..., Any], *specs: fh.VectorSpec) -> Circuit:
    names = ("x", "y")[: len(specs)]
    return fh.app(**dict(zip(names, specs, strict=True)))(function).trace()


@given(st.sampled_from(PAIRS), st.lists(st.integers(-9, 9), min_size=2, max_size=2))
def test_operators_of_two_vectors_are_pythons(name: str, numbers: list[int]) -> None:
    found = getattr(operator, name)
    circuit = traced(lambda x, y: found(x, y), *[fh.integers(1, low=-9, high=9)] * 2)
    x, y = numbers
    assert evaluate(circuit, {"x": np.array([x]), "y": np.array([y])})["result"][0] == found(x, y)


@given(st.sampled_from(BY_NUMBER), st.integers(-40, 40), st.integers(-9, 9).filter(bool))
def test_operators_with_a_plain_number_are_pythons(name: str, x: int, number: int) -> None:
    found = getattr(operator, name)
    circuit = traced(lambda x: found(x, number), fh.integers(1, low=-40, high=40))
    assert evaluate(circuit, {"x": np.array([x])})["result"][0] == found(x, number)


def many(x: Any, y: Any) -> dict[str, Any]:
    return {
        "greatest": fh.maximum(x, y),
        "least": fh.minimum(x, 3),
        "chosen": fh.where(x > y, x - y, 7),
        "entry": fh.lookup(abs(x), [v * v - 50 for v in range(17)]),
        "sorted": fh.sort(x),
        "largest": fh.argmax(x),
        "bits": (x & 12) | (y ^ -3),
        "shifted": (x << 2) + (y >> 1),
        "sign": fh.sign(x) * fh.relu(y),
        "remainder": x % 5 - y % -3,
    }


def by_numpy(x: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    return {
        "greatest": np.maximum(x, y),
        "least": np.minimum(x, 3),
        "chosen": np.where(x > y, x - y, 7),
        "entry": x * x - 50,
        "sorted": np.sort(x),
        "largest": (np.arange(len(x)) == np.argmax(x)).astype(int),
        "bits": (x & 12) | (y ^ -3),
        "shifted": (x << 2) + (y >> 1),
        "sign": np.sign(x) * np.maximum(y, 0),
        "remainder": x % 5 - y % -3,
    }


@given(st.integers(2, 6), st.integers(0, 10**6))
def test_every_function_is_numpys_and_stays_in_its_range(length: int, seed: int) -> None:
    circuit = traced(many, *[fh.integers(length, low=-16, high=15)] * 2)
    data = random_data(circuit, seed)
    expected, found = by_numpy(data["x"], data["y"]), evaluate(circuit, data)
    assert {name: list(v) for name, v in found.items()} == {n: list(v) for n, v in expected.items()}
    bounds = intervals(circuit)
    for node, value in values(circuit, data).items():
        assert bounds[node][0] <= value.min()
        assert value.max() <= bounds[node][1]


def test_residues_are_compared_with_their_signs_also_modulo_2_to_the_64() -> None:
    for t in (97, 2**64):
        circuit = traced(lambda x, y: (x * y, x > y, x // 3), *[fh.integers(3, modulo=t)] * 2)
        x, y = np.array([t // 2 - 1, -5, 7]), np.array([5, t // 3, -8])
        found = evaluate(circuit, {"x": x, "y": y})
        residues = [(int(a) * int(b)) % t for a, b in zip(x, y, strict=True)]
        assert [int(v) % t for v in found["result_1"]] == residues
        assert list(found["result_2"]) == list((x > y).astype(int))
        assert list(found["result_3"]) == list(x // 3)


def test_comparisons_are_no_polynomials_and_none_is_taken_for_a_constant() -> None:
    """x > 1,000 is 0 at 0 and at 1, where constants are looked for."""
    circuit = traced(lambda x: (x > 1000, (x > 1000) - (x > 1000) + x), fh.integers(1, low=0, high=4000))
    assert [n.op for _, n in simplify(circuit).outputs] == [Op.DISCRETE, Op.INPUT]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x: x // 0, "other than 0"),
        (lambda x: x % 2.5, "one whole number"),
        (lambda x: x % x, "cannot be a divisor"),
        (lambda x: x // [1, 2], "one whole number"),
        (lambda x: x << 70, "from 0 to 61"),
        (lambda x: x >> x, "from 0 to 61"),
        (lambda x: x > 2.5, "whole numbers"),
        (lambda x: fh.lookup(x, [1, 2, 3]), r"anywhere in \[-4, 4\].*low=-4"),
        (lambda x: fh.lookup(x, range(10**5)), "65,536"),
        (lambda x: fh.greater(x, 2, margin=0.5), "takes no margin"),
        (lambda x: x if x > 2 else -x, "`if` cannot test it.*fh.where"),
        (lambda x: x > 1 and x < 3, r"`and`.*\(0 < x\) & \(x < 5\)"),
        (lambda x: max(x[0], x[1]), r"fh.maximum\(x, y\) for max"),
        (lambda x: 1 << x, r"1 << x has.*fh.lookup\(x, \[1 << v for v in range"),
        (lambda x: 7 // (x + 5), r"fh.lookup\(x, \[7 // v for v"),
        (lambda x: 7 % x, r"fh.lookup\(x, \[7 % v for v"),
        (lambda x: 2**x, r"fh.lookup\(x, \[2 \*\* v for v"),
        (lambda x: x[x > 1], r"fh.sum\(fh.where\(x > 3, x, 0\)\)"),
        (lambda x: fh.lookup(x, [0] * 20, low=-4.5), "whole number as low=, not -4.5"),
        (lambda x: x * 2**63, "beyond 63 bits.*value % t"),
        (lambda x: x + np.uint64(2**63), "beyond 63 bits.*value % t"),
        (lambda x: fh.where(~(x > 3), x, 0), r"anywhere in \[-2, -1\]; Write 1 - mask for `not`"),
        (lambda x: fh.where(x, 5, 7), r"anywhere in \[-4, 4\]; Compare it: fh.where\(mask != 0"),
        (lambda x: fh.where((x == 1) + (x > 0), x, 7), r"anywhere in \[0, 2\].*\| for `or`"),
        (lambda x: fh.lookup(x, abs), r"not a builtin_function.*\[f\(v\) for v in range"),
    ],
)
def test_each_mistake_says_what_is_possible(function: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(CircuitError, match=r"test_integers\.py:") as caught:
        traced(function, fh.integers(2, low=-4, high=4))
    assert re.search(said, f"{caught.value.message}; {caught.value.remedy}")


def test_a_mask_of_integers_that_is_not_0_or_1_is_refused_beside_reals_too() -> None:
    """~(age >= 18) is -1 or -2, with which a choice would be twice the salary, or three times."""
    app = fh.app(age=fh.integers(2, low=0, high=99), salary=fh.reals(2, low=0, high=10))
    with pytest.raises(CircuitError, match=r"anywhere in \[-2, -1\]"):
        app(lambda age, salary: fh.where(~(age >= 18), salary, 0)).trace()


def test_a_residue_that_may_be_0_or_1_is_a_mask() -> None:
    app = fh.app(m=fh.integers(2, modulo=17), x=fh.integers(2, modulo=17))(lambda m, x: fh.where(m, x, 3))
    assert app(m=[1, 0], x=[5, 6]).tolist() == [5, 3]


def test_an_element_at_an_encrypted_place_is_taken_as_the_remedy_says() -> None:
    app = fh.app(x=fh.integers(3, low=0, high=9), i=fh.integers(1, low=0, high=2))(
        lambda x, i: fh.sum(fh.where(i == range(len(x)), x, 0))
    )
    assert [int(app(x=[4, 5, 6], i=i)[0]) for i in range(3)] == [4, 5, 6]


@pytest.mark.parametrize("given", [[5, 6], [-2, -1], [5, -1], np.array([5, 6], dtype=np.uint64)])
def test_residues_are_given_from_0_on_or_with_their_signs(given: Any) -> None:
    """25 is 4 modulo 7, which is -3; 36 is 1."""
    app = fh.app(x=fh.integers(2, modulo=7))(lambda x: x * x)
    assert app(x=given).tolist() == [-3, 1]


def test_residues_modulo_2_to_the_64_are_given_as_64_bits_without_sign() -> None:
    app = fh.app(**dict.fromkeys("xy", fh.integers(2, modulo=2**64)))(lambda x, y: x * y)
    assert app(x=[2**64 - 1, 2**63 + 5], y=[3, 2**64 - 7]).tolist() == [-3, 2**63 - 35]


@pytest.mark.parametrize("given", [[7, 0], [-4, 0], [2**70, 0]])
def test_what_is_no_residue_is_refused_with_those_there_are(given: list[int]) -> None:
    with pytest.raises(DataError, match=r"declared range \[-3, 6\]") as caught:
        fh.app(x=fh.integers(2, modulo=7))(lambda x: x * x)(x=given)
    assert caught.value.remedy == "Give residues modulo 7: value % 7."


def test_ring_schemes_refuse_with_the_line() -> None:
    circuit = traced(lambda x: x > 2, fh.integers(2, low=-4, high=4))
    with pytest.raises(UnsupportedOperation, match=r"test_integers.py:\d+: ring schemes have no x > y"):
        plan(circuit)
