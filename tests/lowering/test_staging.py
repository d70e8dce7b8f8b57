"""Plain matrices as products of several: the same map, with few diagonals each."""

from functools import reduce
from itertools import pairwise
from unittest.mock import ANY

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

import fheasible as fh
from fheasible.circuit.matrix import Matrix
from fheasible.lowering.routing import stops
from fheasible.lowering.staging import factorings
from fheasible.program.style import Style
from fheasible.program.types import Action, Scheme

from .random_circuits import styles
from .test_linear import CKKS, checked, circuit, count, plain


def dense(matrix: Matrix) -> NDArray[np.float64]:
    full = np.zeros(matrix.shape)
    full[matrix.rows, matrix.columns] = matrix.values
    return full


def diagonals(matrix: Matrix) -> int:
    return len(np.unique(matrix.columns - matrix.rows))


@given(
    rows=st.integers(1, 6), columns=st.integers(1, 6), times=st.integers(1, 12),
    density=st.sampled_from((1.0, 0.5)), seed=st.integers(0, 99),
)  # fmt: skip
def test_factors_multiplied_are_the_matrix(
    rows: int, columns: int, times: int, density: float, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    each = np.where(draw.random((rows, columns)) < density, draw.integers(1, 9, (rows, columns)), 0)
    matrix = Matrix.dense(np.kron(np.eye(times), each))
    for factors in factorings(matrix) if len(matrix) else ():
        assert all(before.shape[0] == after.shape[1] for before, after in pairwise(factors))
        product = reduce(lambda found, factor: dense(factor) @ found, factors, np.eye(matrix.shape[1]))
        np.testing.assert_array_equal(product, dense(matrix))


def test_the_digits_of_distances_are_few() -> None:
    """256 rows of ten: results move by 9, 18, ... 9 * 255 places, in two stages by 16 digits each."""
    matrix = Matrix.dense(np.kron(np.eye(256), np.arange(1, 11)))
    assert diagonals(matrix) == 9 * 255 + 10
    ways = {len(factors): [diagonals(f) for f in factors] for factors in factorings(matrix)}
    assert ways[2] == [10, 256]
    assert ways[3] == [10, 16, 16]


def test_what_has_no_structure_has_no_factors() -> None:
    full = np.random.default_rng(0).normal(size=(40, 40))
    assert not list(factorings(Matrix.dense(full)))


@given(
    before=st.integers(1, 70), after=st.integers(1, 70), share=st.floats(0, 1), seed=st.integers(0, 99),
)  # fmt: skip
def test_elements_in_any_order_are_carried_to_any_places(
    before: int, after: int, share: float, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    count = max(round(share * min(before, after)), 1)
    starts, ends = draw.permutation(before)[:count], draw.permutation(after)[:count]
    matrix = Matrix((after, before), ends, starts, draw.integers(1, 9, count))
    for factors in factorings(matrix):
        product = reduce(lambda found, factor: dense(factor) @ found, factors, np.eye(before))
        np.testing.assert_array_equal(product, dense(matrix))


@given(length=st.integers(1, 3000), share=st.floats(0, 1), seed=st.integers(0, 99))
def test_no_two_meet_on_their_way_through_blocks(length: int, share: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    count = max(round(share * length), 1)
    starts, ends = (draw.permutation(length)[:count] for _ in range(2))
    route = stops(starts, ends, length)
    np.testing.assert_array_equal(route[0], starts)
    np.testing.assert_array_equal(route[3], ends)
    assert all(len(np.unique(places)) == count for places in route)
    least = 2 ** round(np.log2(max(length, 2)) / 2)
    for first, second in (route[:2], route[2:]):
        np.testing.assert_array_equal(first // least, second // least)
    np.testing.assert_array_equal(route[1] % least, route[2] % least)
    assert min(map(np.min, route)) >= 0
    assert max(map(np.max, route)) < -(-length // least) * least


def test_a_reversal_is_few_diagonals() -> None:
    """4,096 elements that each move by another distance: by two digits of 64 values, or three of 16. In any
    order: by at most 127 distances in each of three stages."""
    back = Matrix.selecting(np.arange(4096)[::-1].copy(), 4096)
    assert [[diagonals(f) for f in factors] for factors in factorings(back)] == [
        [64, 64], [16, 16, 16], [8, 8, 8, 8], ANY
    ]  # fmt: skip
    mixed = Matrix.selecting(np.random.default_rng(1).permutation(4096), 4096)
    assert diagonals(mixed) > 3000
    assert all(max(map(diagonals, factors)) <= 127 for factors in factorings(mixed))
    assert len(list(factorings(mixed))) == 1


@given(style=styles, chosen=st.sampled_from([(2048, False), (8192, False), (8192, True)]))
@settings(max_examples=15)
def test_elements_in_another_order_are_few_products(style: Style, chosen: tuple[int, bool]) -> None:
    capacity, mixed = chosen
    places = np.random.default_rng(2).permutation(3000) if mixed else np.arange(3000)[::-1]
    program = checked(circuit(lambda x: x[places], 3000, style), style, capacity)
    ciphertexts = -(-3000 // program.slots)
    assert count(program, Action.MUL_PLAIN) <= (600 if mixed else 250) * ciphertexts


@given(style=styles, spread=st.booleans(), capacity=st.sampled_from((2048, 8192)))
@settings(max_examples=15)
def test_a_batch_of_rows_is_few_products(style: Style, spread: bool, capacity: int) -> None:
    """600 rows of ten, or 600 numbers that become ten each: at once it would be thousands of diagonals."""
    each = plain(1, 10, style) + 1
    matrix = sparse.kron(sparse.eye(600, dtype=each.dtype), each.T if spread else each)
    program = checked(circuit(lambda x: fh.matmul(matrix, x), matrix.shape[1], style), style, capacity)
    ciphertexts = -(-6000 // program.slots)
    assert count(program, Action.MUL_PLAIN) <= 100 * ciphertexts


def test_every_tenth_element_is_few_products() -> None:
    program = checked(circuit(lambda x: x[::10], 5000, CKKS), CKKS, 8192)
    assert count(program, Action.MUL_PLAIN) < 80
    assert program.levels <= 3


def test_where_nothing_is_won_a_matrix_takes_one_level() -> None:
    matrix = plain(300, 300, CKKS)
    program = checked(circuit(lambda x: fh.matmul(matrix, x), 300, CKKS), CKKS, 512)
    assert program.levels == 1
    assert program.scheme is Scheme.CKKS
