"""Loops over elements become operations on vectors."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.depth import depth
from fheasible.circuit.drawn import random_data
from fheasible.circuit.like_terms import with_like_terms
from fheasible.circuit.node import Circuit, Op
from fheasible.circuit.simplify import simplify

from .random_circuits import traced as varying

N = 8
W = np.linspace(-1, 1, N)
SPECS = {
    "reals": fh.reals(N, low=-3, high=2),
    "integers": fh.integers(N, low=-30, high=20),
    "wrapping": fh.integers(N, modulo=65537),
}


SHORTER = {
    "reals": {"k": fh.reals(1, low=-3, high=2), "s": fh.reals(3, low=-3, high=2)},
    "integers": {"k": fh.integers(1, low=-30, high=20), "s": fh.integers(3, low=-30, high=20)},
    "wrapping": {"k": fh.integers(1, modulo=65537), "s": fh.integers(3, modulo=65537)},
}


def traced(
    kind: str, function: Callable[..., Any], shorter: bool = False, levels: int = 0
) -> tuple[Circuit, Circuit]:
    """As it is written, and with vectors, which gives the same results and takes so many levels more at most.
    The function may have inputs that are `shorter`."""
    specs = SHORTER[kind] if shorter else {}
    written = simplify(varying(fh.app(x=SPECS[kind], y=SPECS[kind], **specs)(function)))
    found = with_like_terms(written)
    for seed in range(3):
        data = dict(random_data(written, seed))
        before, after = evaluate(written, data), evaluate(found, data)
        for name, values in before.items():
            np.testing.assert_allclose(after[name], values, rtol=1e-9, atol=1e-9 * (kind == "reals"))
    scheme = "ckks" if kind == "reals" else "bfv"
    assert depth(found, scheme) <= depth(written, scheme) + levels
    return written, found


def ops(found: Circuit) -> Counter[Op]:
    return Counter(n.op for n in found.nodes() if n.op not in (Op.INPUT, Op.CONSTANT))


def total(terms: Any) -> Any:
    result = 0
    for term in terms:
        result = result + term
    return result


@pytest.mark.parametrize("kind", list(SPECS))
@pytest.mark.parametrize(
    ("loop", "whole"),
    [
        (lambda x, y: total(x[i] * (2 + i) for i in range(N)), lambda x, y: fh.sum(x * np.arange(2, N + 2))),
        (lambda x, y: total(x[i] * y[i] for i in range(N)), lambda x, y: fh.sum(x * y)),
        (
            lambda x, y: total(3 * x[i] * (y[i] - x[i]) for i in range(N)),
            lambda x, y: fh.sum(x * (y - x) * 3),
        ),
        (
            lambda x, y: total((x[i] - x[i + 1]) ** 2 for i in range(N - 1)),
            lambda x, y: fh.sum((x - x.rotate(1)) ** 2 * ([1] * (N - 1) + [0])),
        ),
        (lambda x, y: fh.concatenate([x[i] * x[i] - 3 * x[i] for i in range(N)]), lambda x, y: x * x - 3 * x),
        (
            lambda x, y: fh.concatenate([total(i * x[j] * (j - 2) for j in range(N)) for i in range(1, 4)]),
            lambda x, y: fh.matmul([[i * (j - 2) for j in range(N)] for i in range(1, 4)], x),
        ),
        (
            lambda x, y: fh.concatenate([2 * x[3] * y[3], x[1] * y[1] * 5, x[3] * y[3]]),
            lambda x, y: fh.matmul(np.array([[0, 0, 0, 2], [0, 5, 0, 0], [0, 0, 0, 1]]), (x * y)[:4]),
        ),
        (
            lambda x, y: total((x[i] - (2 * i - 3)) ** 2 for i in range(N)),
            lambda x, y: fh.sum((x - np.arange(-3, 2 * N - 3, 2)) ** 2),
        ),
        (
            lambda x, y: total((3 * x[i] * y[i] + 7 * (i + 1)) * (y[i] - (i + 1)) for i in range(N)),
            lambda x, y: fh.sum((3 * x * y + 7 * np.arange(1, N + 1)) * (y - np.arange(1, N + 1))),
        ),
        (lambda x, y: fh.sum(x) + 3 * x[2], None),
        (lambda x, y: x[0] * y[1] + x[1] * y[2] - y[0], None),
    ],
)
def test_a_loop_is_what_the_vectors_are(
    kind: str, loop: Callable[..., Any], whole: Callable[..., Any] | None
) -> None:
    _, found = traced(kind, loop)
    if whole is not None:
        _, expected = traced(kind, whole)
        assert sum(ops(found).values()) <= sum(ops(expected).values()) + 2
        assert ops(found)[Op.SUM] + ops(found)[Op.LINEAR] <= 1


def test_comparisons_of_elements_are_one_of_vectors() -> None:
    _, found = traced("integers", lambda x, y: total(x[i] > i for i in range(N)))
    assert ops(found)[Op.DISCRETE] == 1
    assert ops(found)[Op.SUM] == 1


@pytest.mark.parametrize("kind", list(SPECS))
@pytest.mark.parametrize(
    ("loop", "whole", "levels"),
    [
        (
            lambda x, y, k, s: total(x[i] * y[i] * k for i in range(N)),
            lambda x, y, k, s: fh.sum(x * y * k), 0,
        ),
        (
            lambda x, y, k, s: total((k - 2 * x[i]) ** 2 for i in range(N)),
            lambda x, y, k, s: fh.sum((k - 2 * x) ** 2), 0,
        ),
        (
            lambda x, y, k, s: total(x[i] ** 2 * (fh.sum(s) - y[i]) for i in range(N)),
            lambda x, y, k, s: fh.sum(x**2 * (fh.sum(s) - y)), 1,
        ),
        (
            lambda x, y, k, s: total((s[1] + x[i]) * (x[i] - s[2]) for i in range(N)),
            lambda x, y, k, s: fh.sum((s[1] + x) * (x - s[2])), 1,
        ),
    ],
)  # fmt: skip
def test_a_number_meets_every_element(
    kind: str, loop: Callable[..., Any], whole: Callable[..., Any], levels: int
) -> None:
    _, found = traced(kind, loop, shorter=True, levels=levels)
    _, expected = traced(kind, whole, shorter=True)
    assert sum(ops(found).values()) <= sum(ops(expected).values()) + 2


def test_a_number_that_cancels_to_a_plain_one_is_plain() -> None:
    def loop(x: Any, y: Any, k: Any, s: Any) -> Any:
        three = (k + s[0]) - (s[0] + k) + 3
        return total(x[i] * three + (three > 2) for i in range(N))

    _, found = traced("integers", loop, shorter=True)
    assert ops(found)[Op.MULTIPLY] <= 1


def test_a_pattern_is_compared_with_a_whole_text_at_once() -> None:
    """Element by element: 6 places times 3 letters; as vectors, one comparison for each letter."""

    def loop(x: Any, y: Any, k: Any, s: Any) -> Any:
        places = range(N - 2)
        return total((x[i] == s[0]) * (x[i + 1] == s[1]) * (x[i + 2] == s[2]) for i in places)

    written, found = traced("integers", loop, shorter=True, levels=1)
    assert ops(written)[Op.DISCRETE] == 18
    assert ops(found)[Op.DISCRETE] == 3


def prefixes(x: Any) -> list[Any]:
    return [total(x[j] * (j - i) for j in range(i + 1)) for i in range(1, N)]


@pytest.mark.parametrize(
    ("kind", "function"),
    [
        ("integers", lambda v: v > 7),
        ("integers", lambda v: fh.maximum(2, v)),
        ("integers", lambda v: v % 3),
        ("reals", lambda v: fh.exp(v, low=-90, high=90)),
    ],
)
@pytest.mark.parametrize("beside", [True, False])
def test_a_function_of_several_sums_is_one_of_a_vector(
    kind: str, function: Callable[[Any], Any], beside: bool
) -> None:
    def loop(x: Any, y: Any) -> Any:
        values = [function(v) for v in prefixes(x)]
        return fh.concatenate(values) if beside else total((2 * i - 3) * v for i, v in enumerate(values))

    written, found = traced(kind, loop, levels=1)
    functions = (Op.DISCRETE, Op.CHEBYSHEV)
    assert sum(ops(written)[op] for op in functions) == N - 1
    assert [n.length for n in found.nodes() if n.op in functions] == [N - 1]
    apart = with_like_terms(written, together=False)
    assert [n.length for n in apart.nodes() if n.op in functions] == [1] * (N - 1)


def test_layers_that_loops_compute_are_maps_and_functions_of_vectors() -> None:
    weights = np.random.default_rng(3).normal(size=(2, N, N)) / N

    def network(x: Any, y: Any) -> Any:
        values = [x[i] for i in range(N)]
        for layer in weights:
            sums = [total(w * v for w, v in zip(row, values, strict=True)) for row in layer]
            values = [fh.sigmoid(v, low=-9, high=9) for v in sums]
        return fh.concatenate(values)

    _, found = traced("reals", network, levels=1)
    assert ops(found) == {Op.LINEAR: 2, Op.CHEBYSHEV: 2}
    lines = {n.op: n.where.split(": ")[0] for n in found.nodes() if n.op is not Op.CONSTANT}
    assert lines[Op.LINEAR] != lines[Op.CHEBYSHEV]  # each is that of the user's own operation


def test_functions_of_sums_that_need_rotations_each_stay_alone() -> None:
    def loop(x: Any, y: Any) -> Any:
        return total(fh.sum(v) > 3 for v in (x, y, x * y, x - 2 * y))

    assert ops(traced("integers", loop)[1])[Op.DISCRETE] == 4


def test_three_elements_are_not_worth_a_level() -> None:
    def loop(count: int) -> Callable[..., Any]:
        return lambda x, y, k, s: total((x[i] - s[1]) ** 2 for i in range(count))

    few = traced("reals", loop(3), shorter=True)[1]
    assert ops(few)[Op.SUM] == 4  # each element is picked, and that of s
    more = traced("reals", loop(4), shorter=True, levels=1)[1]
    assert ops(more)[Op.SUM] == 2


def test_what_is_promised_of_some_elements_is_not_asked_of_others() -> None:
    def loop(x: Any, y: Any) -> Any:
        return total(fh.exp(x[i], low=-3, high=0) for i in range(3))

    written = simplify(fh.app(x=SPECS["reals"], y=SPECS["reals"])(loop).trace())
    assert ops(with_like_terms(written))[Op.CHEBYSHEV] == 3

    def whole(x: Any, y: Any) -> Any:
        return total(fh.exp(x[i], low=-3, high=2) for i in range(N))

    assert ops(traced("reals", whole)[1])[Op.CHEBYSHEV] == 1


def test_vectors_come_from_the_line_that_computes_an_element() -> None:
    _, found = traced("reals", lambda x, y: total(x[i] * y[i] for i in range(N)))
    (product,) = (n for n in found.nodes() if n.op is Op.MULTIPLY)
    assert "test_lanes.py:" in product.where


def test_one_element_alone_stays() -> None:
    written, found = traced("reals", lambda x, y: x[0] * y[0] + 1)
    assert ops(found) == ops(written)


@pytest.mark.parametrize("step", [lambda z: z * z - 1, lambda z: z * 0.5 - 0.25, lambda z: (z + z) - z * 0.5])
def test_a_long_computation_on_an_element_takes_little_time(step: Callable[[Any], Any]) -> None:
    def function(x: Any, y: Any) -> Any:
        z = x[0]
        for _ in range(40 if step(3) == 8 else 4_000):
            z = step(z)
        return z + x[1]

    written = simplify(fh.app(x=SPECS["reals"], y=SPECS["reals"])(function).trace())
    assert len(list(with_like_terms(written).nodes())) <= len(list(written.nodes()))


STEP: dict[str, Callable[[Any, Any, int], Any]] = {
    "add": lambda p, q, number: p + q,
    "sub": lambda p, q, number: p - 2 * q,
    "mul": lambda p, q, number: p * q,
    "square": lambda p, q, number: p**2,
    "times": lambda p, q, number: p * number,
    "plus": lambda p, q, number: p + number,
    "neg": lambda p, q, number: -p,
}
STEPS = st.lists(
    st.tuples(
        st.sampled_from(list(STEP)),
        st.integers(0, 12), st.integers(0, 12),
    ),
    max_size=4,
)  # fmt: skip


@given(
    st.sampled_from(["reals", "integers", "wrapping"]),
    STEPS,
    st.lists(
        st.tuples(st.integers(0, N - 1), st.integers(0, N - 1), st.integers(-2, 3)), min_size=1, max_size=10
    ),
    st.booleans(),
    st.booleans(),
)
def test_any_loop_means_the_same(
    kind: str,
    steps: list[tuple[str, int, int]],
    elements: list[tuple[int, int, int]],
    beside: bool,
    shorter: bool,
) -> None:
    def term(x: Any, y: Any, numbers: Any, i: int, j: int, weight: int) -> Any:
        made = [*numbers, x[i], y[j]]
        for name, a, b in steps:
            p, q = made[-1 - a % len(made)], made[-1 - b % len(made)]
            number = b % 4 - 1 + (weight if a % 2 else 0)
            made.append(STEP[name](p, q, number))
        return made[-1] * weight

    def loop(x: Any, y: Any, k: Any = 2, s: Any = (1, 3, 2)) -> Any:
        numbers = [k, s[2], fh.sum(s)] if shorter else []
        terms = [term(x, y, numbers, i, j, weight) for i, j, weight in elements]
        return x[0] + (fh.concatenate([t + 0 * x[1] for t in terms]) if beside else total(terms))

    traced(kind, loop, shorter, levels=1)
