"""The front is what nothing beats, found the slow way too."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fheasible.aliases import Floats
from fheasible.exploration.judging.front import front


def slowly(points: Floats) -> list[int]:
    """Row by row, in the words of the definition."""
    found = []
    for i, row in enumerate(points):
        others = [j for j, other in enumerate(points) if j != i and (other <= row).all()]
        if not any((points[j] != row).any() or j < i for j in others):
            found.append(i)
    return found


@given(
    shape=st.tuples(st.integers(0, 60), st.integers(1, 6)),
    values=st.integers(1, 9),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_front_is_what_no_other_row_equals_or_undercuts_everywhere(
    shape: tuple[int, int], values: int, seed: int
) -> None:
    """Few values make many equal rows, and rows that differ in one column alone."""
    points = np.random.default_rng(seed).integers(0, values, shape).astype(np.float64)
    assert front(points).tolist() == slowly(points)


@given(size=st.integers(1, 80), seed=st.integers(0, 2**32 - 1))
def test_it_is_the_same_whatever_the_columns_are_measured_in(size: int, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(size, 4))
    assert front(np.exp(points) * [1, 1e-9, 1e9, 3]).tolist() == front(points).tolist() == slowly(points)


@given(sizes=st.lists(st.integers(0, 40), min_size=1, max_size=6), seed=st.integers(0, 2**32 - 1))
def test_the_front_of_fronts_is_the_front_of_all(sizes: list[int], seed: int) -> None:
    draw = np.random.default_rng(seed)
    parts = [draw.integers(0, 5, (size, 3)).astype(np.float64) for size in sizes]
    kept = np.concatenate([part[front(part)] for part in parts])
    whole = np.concatenate(parts)
    assert {*map(tuple, kept[front(kept)])} == {*map(tuple, whole[front(whole)])}


def test_more_rows_than_are_compared_at_once_make_no_difference() -> None:
    draw = np.random.default_rng(1)
    points = draw.normal(size=(20_000, 3))
    found = front(points)
    on_it = points[found]
    beaten = [bool(((on_it <= row).all(axis=1) & (on_it != row).any(axis=1)).any()) for row in points]
    assert found.tolist() == np.flatnonzero(~np.array(beaten)).tolist()
