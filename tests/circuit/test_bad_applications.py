"""What users write that cannot be: each gets one line with its place, what is possible, and a remedy."""

import copy
import json
import math
import pickle
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.limits import MOST_NODES, MOST_OUTPUTS
from fheasible.circuit.refusals import _NAMES
from fheasible.errors import CircuitError

from .alike import alike

fh_untyped: Any = fh
REALS = fh.reals(10, low=0.5, high=1)
COMPARED, NUMBER, ITERATED = "cannot be compared", "not a plain number", "cannot be iterated"
ROUNDED, BITS, INTERVAL = "with rounding", "the bits of encrypted reals", "needs the interval"

CASES: dict[str, list[Callable[[Any], Any]]] = {
    r"fh.approximate\(\) got multiple.*; Write fh.approximate\(f, low=0, high=1\)\(x\)": [
        lambda x: fh_untyped.approximate(x, math.exp, low=0, high=1)
    ],
    "takes the function to be approximated": [
        lambda x: fh_untyped.approximate(x, 0, 1),
        lambda x: fh_untyped.approximate(3, 0, 1)(x),
        lambda x: fh_untyped.approximate(None)(x),
    ],
    r"fh.approximate\(\) takes from": [lambda x: fh_untyped.approximate(math.exp, 0, 1, x)],
    INTERVAL: [
        lambda x: fh.sqrt(x),
        lambda x: fh.sqrt(x, low=0),
        lambda x: fh.sqrt(x, low=1, high=0),
        lambda x: fh_untyped.sqrt(x, low="a", high=1),
        lambda x: fh_untyped.sqrt(x, low=[0], high=1),
        lambda x: fh.sqrt(x, low=0, high=math.inf),
        lambda x: fh.sqrt(x, low=0, high=math.nan),
        lambda x: fh.approximate(math.exp)(x),
        lambda x: fh.approximate(math.exp, -1e308, 1e308)(x),
        lambda x: fh.reciprocal(x),
        lambda x: fh_untyped.reciprocal(x, low="a", high=1),
        lambda x: fh_untyped.absolute(x, low=None, high=x),
    ],
    r"degree from 1 to 8,191": [
        lambda x: fh.sqrt(x, low=0, high=1, degree=True),
        lambda x: fh_untyped.sqrt(x, low=0, high=1, degree=3.5),
        lambda x: fh.sqrt(x, low=0, high=1, degree=0),
        lambda x: fh.sqrt(x, low=0, high=1, degree=10**6),
        lambda x: fh.sqrt(x, low=0, high=1, degree=10**9),
    ],
    r"bits= above 0, and up to 60": [
        lambda x: fh.sqrt(x, low=0.1, high=1, bits=-3),
        lambda x: fh.sqrt(x, low=0.1, high=1, bits=math.nan),
        lambda x: fh.sqrt(x, low=0.1, high=1, bits=500),
        lambda x: fh_untyped.sqrt(x, low=0.1, high=1, bits="a"),
    ],
    "remainder": [lambda x: x % 7, lambda x: 7 % x, lambda x: divmod(x, 2)],
    r"numpy\.mean.*Write fh\.mean\(x\)": [lambda x: np.mean(x)],
    r"numpy\.sum.*Write fh\.sum\(x\)": [lambda x: np.sum(x)],
    r"numpy\.\w+ cannot compute.*; Write .*fh\.|numpy\.\w+ cannot compute.*; Write .*x": [
        lambda x: np.dot(x, x),
        lambda x: np.dot(np.ones(10), x),
        lambda x: np.exp(x),
        lambda x: np.sqrt(x),
        lambda x: np.abs(x),
        lambda x: np.concatenate([x, x]),
        lambda x: np.maximum(x, 0),
        lambda x: np.roll(x, 1),
        lambda x: np.linalg.norm(x),
        lambda x: np.var(x),
        lambda x: np.max(x),
        lambda x: np.outer(x, x),
        lambda x: np.convolve(x, [1, 2]),
        lambda x: np.clip(x, 0, 1),
        lambda x: np.einsum("i,i", x, x),
        lambda x: np.diff(x),
        lambda x: np.fft.fft(x),
    ],
    r"; (All products of two vectors are|Write) fh\.concatenate\(\[x\[i\] \* y for i in range": [
        lambda x: x[:, None] * x[None, :],
        lambda x: np.outer(x, x),
        lambda x: np.kron(x, x),
    ],
    r"no outer; write fh\.concatenate\(\[x\[i\] \* y": [lambda x: fh_untyped.outer(x, x)],
    "numpy cannot compute": [lambda x: np.array([x, x]), lambda x: np.asarray(x)],
    "`if` cannot test it": [lambda x: 1 if x else x, lambda x: bool(x), lambda x: not x],
    COMPARED: [
        lambda x: x > 0,
        lambda x: x == 0,
        lambda x: 3 in x,
        lambda x: np.where(x > 0, x, 0),
        lambda x: np.greater(x, 0),
        lambda x: max(x, 0),
        lambda x: min(x, x + 1),
    ],
    ITERATED: [lambda x: [v for v in x], lambda x: sum(x), lambda x: max(x), lambda x: sorted(x)],  # noqa: C416
    NUMBER: [
        lambda x: float(x),
        lambda x: int(x),
        lambda x: round(x),
        lambda x: f"{x:.2f}",
        lambda x: math.sqrt(x),
        lambda x: math.floor(x),
        lambda x: math.ceil(x),
        lambda x: math.trunc(x),
        lambda x: [1, 2, 3][x],
    ],
    "cannot be a divisor; Multiply by fh.reciprocal": [lambda x: x / x, lambda x: 1 / x, lambda x: 1 // x],
    ROUNDED: [lambda x: x // 2],
    r"whole powers from 1 to 65,536, not .*": [
        lambda x: x**10**9,
        lambda x: x**10**30,
        lambda x: x**1.5,
        lambda x: x**True,
        lambda x: x**math.nan,
        lambda x: x**math.inf,
        lambda x: x ** "a",
    ],
    r"not to 0\.5; Write fh\.sqrt": [lambda x: x**0.5],
    r"not to -1; Write fh\.reciprocal": [lambda x: x**-1],
    r"not to 0; Write 1 instead": [lambda x: x**0],
    "encrypted exponent": [lambda x: x**x, lambda x: 2**x],
    r"modulo=t": [lambda x: pow(x, 2, 5)],
    "Write fh.absolute": [lambda x: abs(x)],
    "division by zero; ": [lambda x: x / 0, lambda x: x / [0] * 10],
    "NaN or infinity; ": [
        lambda x: x * math.nan,
        lambda x: x + 1e400,
        lambda x: fh.polynomial(x, [1, math.nan]),
    ],
    "can be combined with numbers": [
        lambda x: x + "a",
        lambda x: x + None,
        lambda x: x * 1j,
        lambda x: np.add(x, [[1] * 10]),
        lambda x: x + {},
        lambda x: x + Decimal("0.1"),
        lambda x: x * Fraction(1, 3),
        lambda x: fh.concatenate(["a", x]),
        lambda x: fh_untyped.polynomial(x, []),
    ],
    "masked elements; Give a value": [
        lambda x: x * np.ma.array([1.0] * 10, mask=[0, 1] * 5),
        lambda x: np.ma.masked_less(np.eye(10), 1) @ x,
        lambda x: fh.matmul(np.ma.masked_less(np.eye(10), 1), x),
    ],
    r"Write v\.ravel": [lambda x: x * np.ones((1, 10))],
    "cannot be combined": [lambda x: np.add(x, [1, 2])],
    BITS: [
        lambda x: x & 1,
        lambda x: 1 | x,
        lambda x: x ^ 1,
        lambda x: ~x,
        lambda x: x << 1,
        lambda x: 1 >> x,
    ],
    r"Its elements are x\[0\] to x\[9\]": [
        lambda x: x["a"],
        lambda x: x[99],
        lambda x: x[:0],
        lambda x: x[0.5],
        lambda x: x[None],
        lambda x: x[0, 0],
    ],
    "cannot be changed": [lambda x: x.__setitem__(0, 1), lambda x: x.__delitem__(0)],
    r"no var; write fh\.var": [lambda x: x.var()],
    r"no shape; write len\(x\)": [lambda x: x.shape],
    "encrypted vector has no T": [lambda x: x.T],
    "is not a function": [lambda x: x(1)],
    r"takes an encrypted vector, not list; fh\.concatenate": [lambda x: fh_untyped.sum([x, x])],
    r"takes an encrypted vector, not \w+; Write fh": [
        lambda x: fh_untyped.sum([1, 2]),
        lambda x: fh_untyped.mean(1),
        lambda x: fh_untyped.approximate(math.exp, 0, 1)([1, 2]),
    ],
    "degree up to 8,191": [lambda x: fh.polynomial(x, [1] * 10**5)],
    "whole number of steps": [lambda x: fh_untyped.rotate(x, 1.5)],
    r"fh\.\w+\(\) (missing|takes).*; Write fh\.": [
        lambda x: fh_untyped.power(x),
        lambda x: fh_untyped.inner_product(x),
        lambda x: fh_untyped.concatenate(x, x),
        lambda x: fh_untyped.columns(x, 1),
    ],
    "neither operand is encrypted": [lambda x: fh.inner_product([1, 2], [3, 4])],
    "3 x 4 cannot multiply": [lambda x: np.ones((3, 4)) @ x],
    "rows of numbers": [lambda x: np.ones((3, 4, 10)) @ x, lambda x: np.zeros((0, 10)) @ x],
    "elements is too long": [
        lambda x: fh.concatenate([x] * 10**6),
        lambda x: x[0] * np.zeros(10**7),
        lambda x: x[[0] * 10**7],
    ],
    "returns no encrypted vector": [
        lambda x: 3,
        lambda x: [],
        lambda x: [x, 3],
        lambda x: [[x]],
        lambda x: lambda: x,
        lambda x: str(x),
    ],
    "returns nothing": [lambda x: None],
    "several outputs have the same name": [lambda x: {1: x, "1": x + 1}],
    "output cannot be named": [lambda x: {"../x": x}, lambda x: {"": x}, lambda x: {"a/b": x}],
    "RecursionError": [lambda x: (lambda f: f(f))(lambda f: f(f))],
    "cannot be copied or saved": [lambda x: copy.deepcopy(x), lambda x: pickle.dumps(x)],
    "not JSON serializable": [lambda x: json.dumps(x)],
    "complex values": [lambda x: fh.approximate(lambda v: v + 1j, 0, 1)(x)],
    "no finite value": [
        lambda x: fh.log(x, low=0, high=1),
        lambda x: fh.approximate(lambda v: "a", 0, 1)(x),
        lambda x: fh.approximate(lambda v: None, 0, 1)(x),
    ],
}


@pytest.mark.parametrize(
    ("said", "function"), [(said, f) for said, functions in CASES.items() for f in functions]
)
def test_each_mistake_has_a_line_a_place_and_a_remedy(said: str, function: Callable[[Any], Any]) -> None:
    with pytest.raises(CircuitError) as caught:
        fh.app(x=REALS)(function).trace()
    assert __name__.rpartition(".")[2] + ".py:" in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.remedy
    text = f"{caught.value.message}; {caught.value.remedy}"
    assert re.search(said, text), text


def test_there_are_many() -> None:
    assert sum(map(len, CASES.values())) > 140


def test_what_numpy_can_say_in_our_words_works() -> None:
    for written, meant in [
        (lambda x: np.add(x, 1), lambda x: x + 1),
        (lambda x: np.subtract(3, x), lambda x: 3 - x),
        (lambda x: np.arange(10) * x, lambda x: x.__rmul__(np.arange(10))),
        (lambda x: np.float64(2) * x, lambda x: 2 * x),
        (lambda x: np.matmul(np.ones((3, 10)), x), lambda x: np.ones((3, 10)) @ x),
        (lambda x: np.power(x, 3), lambda x: x**3),
        (lambda x: x**2.0, lambda x: x**2),
        (lambda x: x ** np.int64(4), lambda x: x**4),
        (lambda x: np.negative(x), lambda x: -x),
        (lambda x: x.rotate(np.int64(3)), lambda x: fh.rotate(x, 3)),
        (lambda x: x * len(x), lambda x: x * 10),
    ]:
        left, right = (fh.app(x=REALS)(f).trace() for f in (written, meant))
        assert alike(left, right)


def test_an_endless_loop_of_operations_is_stopped() -> None:
    def endless(x: Any) -> Any:
        while True:
            x = x + 1

    with pytest.raises(CircuitError, match=f"more than {MOST_NODES:,} operations") as caught:
        fh.app(x=REALS)(endless).trace()
    assert "loop" in caught.value.remedy


def test_more_outputs_than_can_be_judged_are_refused() -> None:
    def each(count: int) -> Any:
        return fh.app(x=REALS)(lambda x: [x * (i + 2) for i in range(count)])

    assert len(each(MOST_OUTPUTS).trace().outputs) == MOST_OUTPUTS
    with pytest.raises(CircuitError, match="returns 1,001 outputs; it may return 1,000") as caught:
        each(MOST_OUTPUTS + 1).trace()
    assert "fh.concatenate" in caught.value.remedy


def test_columns_may_come_as_keywords_and_parameters_may_have_defaults() -> None:
    @fh.app(age=REALS, weight=REALS)
    def score(**columns: Any) -> Any:
        return columns["age"] * columns["weight"]

    @fh.app(x=REALS)
    def scaled(x: Any, factor: int = 3) -> Any:
        return x * factor

    assert [i.name for i in score.trace().inputs] == ["age", "weight"]
    assert alike(scaled.trace(), fh.app(x=REALS)(lambda x: x * 3).trace())


@pytest.mark.parametrize(
    ("declare", "said"),
    [
        (lambda: fh.reals(10), "low=None"),
        (lambda: fh.reals(10, high=1), "low=None"),
        (lambda: fh.reals(10, low=1, high=0), "low=1, high=0"),
        (lambda: fh.reals(10, low=-1e308, high=1e308), r"below 1e\+100"),
        (lambda: fh.reals(10, low=0, high=math.inf), r"below 1e\+100"),
        (lambda: fh.reals(10, low=0, high=5e-324), r"values that reach 1e-100"),
        (lambda: fh.reals(10, low=-1e-200, high=1e-200), r"Declare them in a smaller unit"),
        (lambda: fh.reals(10, low=False, high=True), "low=False"),
        (lambda: fh_untyped.reals(10, low="0", high="1"), "low='0'"),
        (lambda: fh_untyped.reals("10", 0, 1), "must be a whole number of at least 1"),
        (lambda: fh_untyped.reals(10.0, 0, 1), "must be a whole number of at least 1"),
        (lambda: fh.reals(-1, 0, 1), "must be a whole number of at least 1"),
        (lambda: fh.reals(10**8, 0, 1), "elements is too long"),
        (lambda: fh.reals(10**30, 0, 1), "elements is too long"),
        (lambda: fh.integers(10), "low=None"),
        (lambda: fh.integers(10, 0, 2**70), r"below 2\^62"),
        (lambda: fh_untyped.integers(10, 0.5, 2), "whole numbers low"),
        (lambda: fh.integers(10, modulo=2**65), r"BFV and BGV compute modulo primes up to 2\^60"),
        (lambda: fh.integers(10, modulo=1), "from 2 to"),
        (lambda: fh.integers(10, 0, 3, modulo=7), "cannot be given with low="),
        (lambda: fh.app(x=REALS)(int), "not of a type"),
        (lambda: fh_untyped.app(x=REALS)(3), "not of a int"),
        (lambda: fh.app(**{"../x": REALS})(lambda **c: c), "an input cannot be named"),
        (lambda: fh.app(x=REALS)(lambda *x: x), r"takes \(\*x\), but \(x\) is declared"),
        (lambda: fh.app(x=REALS)(lambda x, /: x), r"takes \(x, /\)"),
        (lambda: fh.app(x=REALS)(lambda x, y: x), r"takes \(x, y\)"),
        (lambda: fh.app(x=REALS, y=REALS)(lambda x: x), r"but \(x, y\) is declared"),
    ],
)
def test_each_bad_declaration_says_what_to_write(declare: Callable[[], Any], said: str) -> None:
    with pytest.raises(CircuitError) as caught:
        declare()
    assert re.search(said, f"{caught.value.message}; {caught.value.remedy}")
    assert caught.value.remedy


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: 3.2 * x * (1 - x),
        lambda x: np.ones(10) * x,
        lambda x: np.eye(10) @ x,
        lambda x: np.mean(x),
        lambda x: -x,
        lambda x: x**2,
        lambda x: x / 2,
        lambda x: x[3],
        lambda x: x > 0.7,
        lambda x: sum(x),
        lambda x: fh.mean(x),
        lambda x: fh.sqrt(x, low=0, high=1),
        lambda x: fh.inner_product(x, x),
        lambda x: fh.concatenate([x, x]),
        lambda x: fh.matmul(np.eye(10), x),
        lambda x: fh.columns(x, [0], width=2),
    ],
)
def test_who_computes_outside_a_function_is_told_to_write_one(compute: Callable[[Any], Any]) -> None:
    with pytest.raises(CircuitError, match="outside an application") as caught:
        compute(REALS)
    assert "@fh.app(" in caught.value.remedy


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("bits", "fh.integers(n, low=0, high=1)"),
        ("group_sum", "fh.sum_by"),
        ("maximun", "fh.maximum"),
        ("max", "fh.maximum"),
    ],
)
def test_a_name_that_is_not_there_is_answered_with_what_to_write(name: str, instead: str) -> None:
    with pytest.raises(AttributeError, match=re.escape(f"fheasible has no {name}; write {instead}")):
        getattr(fh, name)


def test_a_median_is_found_by_sorting_and_not_by_what_is_spelled_like_it() -> None:
    with pytest.raises(AttributeError, match=r"no median; write fh\.sort\(x\)\[len\(x\) // 2\]$"):
        _ = fh.median
    median = fh.app(x=fh.integers(5, low=0, high=9))(lambda x: fh.sort(x)[len(x) // 2])
    assert median(x=[9, 0, 4, 7, 5]).tolist() == [5]


def test_a_name_like_nothing_is_only_said_not_to_be_there() -> None:
    with pytest.raises(AttributeError, match=r"fheasible has no quuxify$"):
        _ = fh.quuxify


def test_what_is_to_be_written_in_place_of_other_names_is_there() -> None:
    for instead in _NAMES.values():
        named = re.match(r"fh\.(\w+)", instead)
        assert named is not None
        assert hasattr(fh, named[1])
