"""Tracing: what a user may write, and what the messages say where it cannot be."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.errors import CircuitError


def real(function: Callable[[Any], Any], n: int = 3) -> Any:
    return fh.app(x=fh.reals(n, low=-2, high=2))(function)


def whole(function: Callable[[Any], Any], n: int = 3) -> Any:
    return fh.app(x=fh.integers(n, low=0, high=9))(function)


X = np.array([0.5, -1.5, 2.0])
K = np.array([1, 2, 9])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x + 1, X + 1),
        (lambda x: 1 - x, 1 - X),
        (lambda x: x - [1, 2, 3], X - [1, 2, 3]),
        (lambda x: np.array([1, 2, 3]) * x, X * [1, 2, 3]),
        (lambda x: np.float64(2) * x, 2 * X),
        (lambda x: -x / 4, -X / 4),
        (lambda x: x / 10**20, X / 1e20),  # beyond every whole number of numpy's
        (lambda x: x * [10**20, -(2**70), 3], X * [1e20, -(2.0**70), 3]),
        (lambda x: +x, X),
        (lambda x: x**3, X**3),
        (lambda x: fh.square(x) - fh.power(x, 1), X**2 - X),
        (lambda x: fh.sum(x), [1.0]),
        (lambda x: fh.mean(x) * x, X / 3),
        (lambda x: fh.inner_product(x, [1, 2, 3]), [0.5 - 3.0 + 6.0]),
        (lambda x: x.rotate(1), [-1.5, 2.0, 0.5]),
        (lambda x: fh.rotate(x, -1), [2.0, 0.5, -1.5]),
        (lambda x: x.rotate(3), X),
        (lambda x: fh.polynomial(x, [1, 0, 2]), 1 + 2 * X**2),
        (lambda x: fh.exp(x, low=-2, high=2), np.exp(X)),
        (lambda x: fh.sigmoid(x, -2, 2), 1 / (1 + np.exp(-X))),
        (lambda x: fh.reciprocal(x + 3, low=1, high=5), 1 / (X + 3)),
        (lambda x: fh.approximate(math.atan, low=-2, high=2)(x), np.arctan(X)),
        (lambda x: np.arange(6).reshape(2, 3) @ x, [-1.5 + 4.0, 1.5 - 6.0 + 10.0]),
        (lambda x: fh.matmul([[1, 2, 3]], x), [0.5 - 3.0 + 6.0]),
        (lambda x: fh.matmul(csr_array([[0, 2, 0], [0, 0, 0]]), x), [-3.0, 0.0]),
        (lambda x: x @ [[1, 2], [3, 4], [5, 6]], X @ [[1, 2], [3, 4], [5, 6]]),
        (lambda x: fh.matmul(x, [1, 2, 3]), [0.5 - 3.0 + 6.0]),
        (lambda x: [1, 2, 3] @ x, [0.5 - 3.0 + 6.0]),
        (lambda x: x @ x, [0.25 + 2.25 + 4.0]),
        (lambda x: x[1:], X[1:]),
        (lambda x: x[::-2], X[::-2]),
        (lambda x: x[-1], [2.0]),
        (lambda x: x[[2, 0, 2, 2]], X[[2, 0, 2, 2]]),
        (lambda x: x[np.array([True, False, True])], [0.5, 2.0]),
        (lambda x: fh.concatenate([[7], x[:2], x[2], 8, x]), [7, *X, 8, *X]),
        (lambda x: fh.columns(fh.concatenate([x, x + 1]), [-1, 0], 3), [2.0, 0.5, 3.0, 1.5]),
        (lambda x: fh.columns(x, "b", ("a", "b", "c")), [-1.5]),
    ],
)
def test_operations_on_reals(function: Callable[[Any], Any], expected: Any) -> None:
    np.testing.assert_allclose(evaluate(real(function).trace(), {"x": X})["result"], expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: 3 * x - 1, [2, 5, 26]),
        (lambda x: x * np.array([1, 2, 3], dtype=np.uint8), [1, 4, 27]),
        (lambda x: fh.polynomial(x, [0, 1, 1]), [2, 6, 90]),
        (lambda x: fh.sum(x), [12]),
        (lambda x: x * fh.sum(x), [12, 24, 108]),
        (lambda x: [[1, -2, 3], [0, 0, 10**17]] @ x, [1 - 4 + 27, 9 * 10**17]),
        (lambda x: fh.concatenate([x[1], x, [5]]), [2, 1, 2, 9, 5]),
    ],
)
def test_operations_on_integers(function: Callable[[Any], Any], expected: Any) -> None:
    found = evaluate(whole(function).trace(), {"x": K})["result"]
    assert found.dtype == np.int64
    assert found.tolist() == expected


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x if x > 0 else -x, "compared"),
        (lambda x: x if x else -x, "`if`"),
        (lambda x: x == 1, "compared"),
        (lambda x: 1 / x, "divisor"),
        (lambda x: x / x, "divisor"),
        (lambda x: x // 2, "with rounding"),
        (lambda x: x % 2, "remainder"),
        (lambda x: x / 0, "division by zero"),
        (lambda x: x * 10**400, "larger than any double"),
        (lambda x: x["a"], "cannot be indexed like this"),
        (lambda x: x[3], "3 elements cannot be indexed like this"),
        (lambda x: x[[True, False]], "cannot be indexed like this"),
        (lambda x: x[2:1], "selects nothing"),
        (lambda x: x[None], "no single row of elements"),
        (lambda x: x[x], "cannot be an index"),
        (lambda x: x.__setitem__(0, 1), "cannot be changed"),
        (lambda x: np.ones((2, 4)) @ x, "2 x 4 cannot multiply a vector of 3 elements"),
        (lambda x: fh.matmul([[1, 2, 3], [4]], x), "the same length|rows of numbers"),
        (lambda x: fh.matmul([[1, 2, None]], x), "rows of numbers"),
        (lambda x: fh.matmul(np.ones((1, 1, 3)), x), "rows of numbers"),
        (lambda x: fh.matmul([[1, 2, float("inf")]], x), "NaN or infinity"),
        (lambda x: fh.matmul(np.eye(3), np.ones(3)), "neither operand is encrypted"),
        (lambda x: x + fh.matmul(csr_array((0, 3)), x), "shape \\(0, 3\\)"),
        (lambda x: fh.matmul(x, csr_array((3, 0))), "shape \\(3, 0\\)"),
        (lambda x: fh.matmul(coo_array(np.ones(3)), x), "shape \\(3,\\)"),
        (lambda x: fh.columns(x, 0, 3.0), "width of a table is a whole number"),
        (lambda x: fh.columns(x, [0, [1]], 3), "no column \\[1\\]"),
        (lambda x: fh.concatenate(5), "list of parts"),
        (lambda x: x @ np.ones((2, 3)), "3 x 2 cannot multiply"),
        (lambda x: [1, 2] @ x, "3 and 2 elements|2 and 3 elements"),
        (lambda x: fh.concatenate(x), "a list of parts"),
        (lambda x: fh.concatenate([[1], [2]]), "a list of parts"),
        (lambda x: fh.concatenate([x, "a"]), "not with 'a'"),
        (lambda x: fh.columns([1, 2], 0, 2), "encrypted vector, not list"),
        (lambda x: fh.columns(x, 0, 2), "3 elements do not make whole rows of 2 columns"),
        (lambda x: fh.columns(x, 3, 3), "no column 3; it has 3 columns, numbered from 0"),
        (lambda x: fh.columns(x, ["a", "d"], ("a", "b", "c")), "no column 'd'; the columns are a, b, c"),
        (lambda x: fh.columns(x, "a", 3), "no column 'a'"),
        (lambda x: fh.columns(x, [], 3), "no column"),
        (lambda x: fh.columns(x, 0, ("a", "a", "b")), "width of a table"),
        (lambda x: fh.columns(x, 0, "abc"), "width of a table"),
        (lambda x: [v + 1 for v in x], "iterated"),
        (lambda x: sum(x), "iterated"),
        (lambda x: x + np.ones(2), "3 and 2 elements"),
        (lambda x: x + np.ones((2, 3)), "rows of numbers"),
        (lambda x: x + "one", "not with 'one'"),
        (lambda x: x + None, "not with None"),
        (lambda x: x * float("nan"), "NaN"),
        (lambda x: x**0.5, "whole powers"),
        (lambda x: x**-1, "whole powers"),
        (lambda x: 2**x, "exponent"),
        (lambda x: abs(x), "abs"),
        (lambda x: math.sqrt(x), "plain number"),
        (lambda x: np.asarray(x), "numpy"),
        (lambda x: np.sqrt(x), "numpy.sqrt cannot"),
        (lambda x: x.rotate(0.5), "whole number of steps"),
        (lambda x: fh.sum([1, 2]), "encrypted vector, not list"),
        (lambda x: fh.sqrt(x, low=0, high=4, degree=0), "whole degree"),
        (lambda x: fh.sqrt(x, low=0, high=4, degree=9, bits=9), "Give one|each of them determines"),
        (lambda x: fh.sqrt(x, low=4, high=0), "low < high"),
        (lambda x: fh.sqrt(x, low=-1, high=4, degree=9), "no finite value"),
        (lambda x: fh.log(x, low=0, high=4, bits=9), "no finite value at 0"),
        (lambda x: fh.reciprocal(x, low=-1, high=1), "not finite"),
        (lambda x: fh.sqrt(x, low=0, high=1, bits=20), r"to \d+\.\d bits with degree 2047"),
        (lambda x: undefined_name, "NameError"),  # type: ignore[name-defined] # noqa: F821
        (lambda x: None, "returns nothing"),
        (lambda x: 3, "no encrypted vector"),
        (lambda x: {"a": x, "b": 3.5}, "returns no encrypted vector as b, but a value of type float"),
        (lambda x: (x, [x]), "no encrypted vector as result_2, but a value of type list"),
        (lambda x: x - x, "does not depend on any input"),
        (lambda x: x * 0 + 1, "does not depend on any input"),
    ],
)
def test_what_cannot_be_expressed_is_refused_at_the_users_line(
    function: Callable[[Any], Any], message: str
) -> None:
    with pytest.raises(CircuitError, match=message) as caught:
        real(function).trace()
    assert f"test_trace.py:{function.__code__.co_firstlineno}: " in caught.value.message


@pytest.mark.parametrize(
    ("function", "message", "remedy"),
    [
        (lambda x: fh.mean(x), "mean of integers", "fh.sum"),
        (lambda x: x * 0.5, "whole numbers, not with 0.5", "fh.reals"),
        (lambda x: x / 2, "cannot be divided", "fh.reals"),
        (lambda x: [[0.5, 1, 1]] @ x, "whole numbers", "fh.reals"),
        (lambda x: fh.exp(x, low=0, high=9), "exp of integers", "fh.reals"),
        (lambda x: x + 2**64 - 1, "63 bits|rows of numbers", ""),
    ],
)
def test_what_integers_cannot_do_is_refused_with_a_way_out(
    function: Callable[[Any], Any], message: str, remedy: str
) -> None:
    with pytest.raises(CircuitError, match=message) as caught:
        whole(function).trace()
    assert remedy in caught.value.remedy


def test_the_line_is_that_of_the_operation_and_not_of_the_application() -> None:
    @fh.app(x=fh.reals(3, low=0, high=1))
    def f(x: fh.Vector) -> fh.Vector:
        y = x + 1
        return y * [1, 2]

    with pytest.raises(CircuitError) as caught:
        f.trace()
    assert f"test_trace.py:{f.function.__code__.co_firstlineno + 3}: " in caught.value.message


@pytest.mark.parametrize(("n", "m"), [(1, 4), (4, 1), (4, 4)])
def test_one_element_goes_with_any_number(n: int, m: int) -> None:
    @fh.app(x=fh.reals(n, low=0, high=9), y=fh.reals(m, low=0, high=9))
    def f(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        return x * y - x

    x, y = np.arange(1.0, n + 1), np.arange(2.0, m + 2)
    result = evaluate(f.trace(), {"x": x, "y": y})["result"]
    assert len(dict(f.trace().outputs)["result"].args) == 2
    np.testing.assert_array_equal(result, np.broadcast_to(x * y - x, (4,)))


def test_the_number_of_rows_can_be_another_than_declared() -> None:
    @fh.app(x=fh.reals(65_536, low=0, high=1), scale=fh.reals(1, low=0, high=1))
    def f(x: fh.Vector, scale: fh.Vector) -> fh.Vector:
        return fh.mean(x) * scale

    circuit = f.trace({"x": 3})
    assert [i.length for i in circuit.inputs] == [3, 1]
    assert f.trace().inputs[0].length == 65_536
    result = evaluate(circuit, {"x": np.array([0.0, 0.5, 1.0]), "scale": np.array([0.5])})
    assert result["result"].tolist() == [0.25]


def test_outputs_take_the_names_of_a_dict_or_are_numbered() -> None:
    assert [name for name, _ in real(lambda x: {"a": x, "b": x + 1}).trace().outputs] == ["a", "b"]
    assert [name for name, _ in real(lambda x: (x, x + 1)).trace().outputs] == ["result_1", "result_2"]


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: fh.reals(0, low=0, high=1), "at least 1"),
        (lambda: fh.reals(2.5, low=0, high=1), "at least 1"),  # type: ignore[arg-type]
        (lambda: fh.reals(2, low=1, high=1), "low < high"),
        (lambda: fh.reals(2, low=0, high=math.inf), "low < high"),
        (lambda: fh.integers(2, low=0.5, high=1), "whole numbers low"),  # type: ignore[arg-type]
        (lambda: fh.integers(2), "whole numbers low"),
        (lambda: fh.integers(2, low=0, high=2**63), "2.62"),
        (lambda: fh.integers(2, low=0, high=1, modulo=5), "cannot be given with low="),
        (lambda: fh.integers(2, modulo=1), "from 2"),
        (lambda: fh.app(), "no inputs"),
        (lambda: fh.app(x=3), "x is not a declared vector"),
        (lambda: fh.app(minimise_depth=fh.reals(2, low=0, high=1)), "may not be named minimise_depth"),
        (lambda: fh.app(minimise_depth="no", x=fh.reals(2, low=0, high=1)), "True or False"),
        (lambda: fh.app(lambda x: x), "no inputs by name"),
        (lambda: fh.app(x=fh.reals(2, low=0, high=1))(lambda y: y), r"takes \(y\), but \(x\)"),
        (
            lambda: fh.app(x=fh.integers(2, modulo=17), y=fh.integers(2, low=0, high=1)),
            "different moduli .x: 17, y: none",
        ),
    ],
)
def test_declarations_are_checked(declare: Callable[[], Any], message: str) -> None:
    with pytest.raises(CircuitError, match=message):
        declare()


def test_residues_are_declared_in_their_signed_range() -> None:
    odd, even = fh.integers(1, modulo=17), fh.integers(1, modulo=16)
    assert (odd.low, odd.high) == (-8, 8)
    assert (even.low, even.high) == (-7, 8)
