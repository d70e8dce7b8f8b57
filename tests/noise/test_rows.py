"""Rows of directions: whatever form they are kept in, they are the rows that plain arrays would be."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fheasible.noise.reach import rows
from fheasible.noise.reach.rows import Adjoint, Common, Full, Kernel, Rows, WindowRows, summed, units
from fheasible.noise.reach.sums import GrowingSum, Squared, Sums
from fheasible.noise.shape import shape

SLOTS = 32
Floats = NDArray[np.float64]
Step = Callable[[Adjoint, Floats], tuple[Adjoint, Floats]]


@pytest.fixture(scope="module", autouse=True)
def few_slots_are_many() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "MANY", 1)
        yield


def turned(steps: int) -> Step:
    return lambda g, dense: (g.turned(steps), np.roll(dense, steps, axis=-1))


def times(seed: int) -> Step:
    values = np.random.default_rng(seed).normal(size=SLOTS)
    return lambda g, dense: (g.times(values), dense * values)


def scaled(number: float) -> Step:
    return lambda g, dense: (g.times(np.array([number])), dense * number)


def with_itself_turned(steps: int) -> Step:
    """As the adjoint of adding a value to itself, turned; twice the first, so that factors differ."""
    return lambda g, dense: (
        g.times(np.array([2.0])).plus(g.turned(steps)),
        2 * dense + np.roll(dense, steps, axis=-1),
    )


def doubled(steps: int) -> Step:
    return lambda g, dense: (g.plus(g.turned(steps)), dense + np.roll(dense, steps, axis=-1))


def with_all(seed: int) -> Step:
    """Plus what is the same in every slot of a row."""

    def add(g: Adjoint, dense: Floats) -> tuple[Adjoint, Floats]:
        return g.plus(Adjoint(0.5, summed(g.rows))), dense + 0.5 * dense.sum(
            axis=-1, keepdims=True
        ) / g.factor

    return add


def in_every_slot(g: Adjoint, dense: Floats) -> tuple[Adjoint, Floats]:
    return Adjoint(g.factor, summed(g.rows)), np.broadcast_to(dense.sum(axis=-1, keepdims=True), dense.shape)


STEPS = st.one_of(
    st.integers(0, SLOTS - 1).map(turned),
    st.integers(0, 99).map(times),
    st.floats(0.25, 4).map(scaled),
    st.sampled_from([0, 1, 5, 16, 27]).map(with_itself_turned),
    st.sampled_from([1, 2, 4, 8, 16]).map(doubled),
    st.integers(0, 99).map(with_all),
    st.just(in_every_slot),
)


def started(at: tuple[int, ...], mean: bool) -> tuple[Adjoint, Floats]:
    dense = np.eye(SLOTS)[list(at)]
    if mean:
        dense = np.vstack([np.full((1, SLOTS), 1 / SLOTS), dense])
    return Adjoint(1.0, units(at, SLOTS, mean)), dense


@given(
    st.lists(st.integers(0, SLOTS - 1), min_size=1, max_size=4), st.booleans(), st.lists(STEPS, max_size=9)
)
def test_every_form_has_the_rows_that_arrays_have(at: list[int], mean: bool, steps: list[Step]) -> None:
    g, dense = started(tuple(at), mean)
    for step in steps:
        g, dense = step(g, dense)
    values, size = np.random.default_rng(0).normal(size=SLOTS), np.abs(dense).max()
    kept, f = g.rows, g.factor

    def same(found: Floats, wanted: Floats, power: int = 1) -> None:
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12 * size**power)

    same(f * kept.whole(), dense)
    same(f * kept.whole(1), dense[:1])
    same(f**2 * kept.squares, (dense**2).sum(axis=1), 2)
    same(f**2 * kept.offsets, dense**2 @ shape(SLOTS), 2)
    same(f * kept.sums, dense.sum(axis=1))
    same(f * kept.along(values, 1), dense[:1] @ values)
    total, products = np.ones((len(at), SLOTS)), np.ones((len(at), len(at)))
    kept.add_squares(2 * f**2, total)
    kept.add_products(2 * f**2, products)
    same(total - 1, 2 * dense[: len(at)] ** 2, 2)
    same(products - 1, 2 * dense[: len(at)] @ dense[: len(at)].T, 2)
    same(np.array([f * kept.at_slot_0(i) for i in range(len(dense))]), dense[:, 0])


def test_single_slots_are_kept_as_a_kernel_through_rotations_and_sums() -> None:
    g, _ = started((0, 3), mean=True)
    g = g.plus(g.turned(5))
    assert isinstance(g.rows, Kernel)
    assert isinstance(g.times(np.arange(1.0, SLOTS + 1)).rows, Full)


def test_what_lies_in_few_slots_is_kept_there_alone() -> None:
    values = np.arange(1.0, SLOTS + 1)
    g, _ = started((0, 3), mean=False)
    one = g.times(values)
    assert isinstance(one.rows, WindowRows)
    two = one.turned(5).plus(g).times(values)
    assert isinstance(two.rows, WindowRows)
    assert len(two.rows.away) == 2
    four = two.plus(one.turned(7)).plus(one.turned(8))
    assert isinstance(four.rows, WindowRows)
    assert isinstance(four.plus(one.turned(9)).rows, Full)  # five slots of 32


def test_windows_that_overlap_add_up() -> None:
    values = np.arange(1.0, SLOTS + 1)
    one = started((0, 3), mean=False)[0].times(values)
    both = one.plus(one.turned(2)).plus(one.turned(0).times(np.array([10.0])))
    wanted = 11 * one.rows.whole() + np.roll(one.rows.whole(), 2, axis=-1)
    np.testing.assert_allclose(both.factor * both.rows.whole(), wanted)


def test_sums_over_all_slots_leave_one_vector_for_all_rows() -> None:
    g, _ = started((0, 3, 7), mean=True)
    for k in (1, 2, 4, 8, 16):
        g = g.plus(g.turned(k))
    assert isinstance(g.rows, Common)
    np.testing.assert_array_equal(g.rows.whole(), np.ones((4, SLOTS)))
    assert isinstance(g.times(np.arange(1.0, SLOTS + 1)).rows, Common)


def test_what_multiplies_all_slots_alike_leaves_the_rows_the_same() -> None:
    g, _ = started((0,), mean=False)
    assert g.times(np.array([3.0])).rows is g.rows
    assert g.plus(g.times(np.array([3.0]))) == Adjoint(4.0, g.rows)
    assert Adjoint(0.0, units((1,), SLOTS, mean=False)).plus(g) == g


def test_sums_of_arrays_that_come_again_are_those_of_all() -> None:
    found: Sums[str] = Sums()
    x, y = np.array([1.0, 2.0]), np.array([10.0, 20.0])
    for key, number, array in (("a", 1.0, x), ("b", 2.0, y), ("a", 3.0, y), ("a", -0.5, x)):
        found.add(key, number, array)
    assert list(found.totals()) == ["a", "b"]
    np.testing.assert_allclose(found.totals()["a"], 0.5 * x + 3 * y)
    np.testing.assert_allclose(found.totals()["b"], 2 * y)


def test_arrays_that_are_gone_are_not_taken_for_others() -> None:
    found: Sums[int] = Sums()
    for k in range(50):
        found.add(0, 1.0, np.full(2, float(k)))
    np.testing.assert_array_equal(found.totals()[0], np.full(2, sum(range(50))))


@given(st.lists(st.sampled_from([1.0, 1.0, -1.0, 0.5, 0.0]), min_size=2, max_size=6), st.booleans())
def test_adjoints_are_added_up_in_place_to_the_last_digit_and_stay_as_they_are(
    factors: list[float], common: bool
) -> None:
    draw = np.random.default_rng(len(factors))
    parts = [Adjoint(factor, Full(draw.normal(size=(2, SLOTS)))) for factor in factors]
    if common:
        parts[1] = Adjoint(factors[1], Common(np.array([1.0, 2.0]), draw.normal(size=SLOTS)))
    before = [part.rows.whole().copy() for part in parts]
    found, plainly = GrowingSum(parts[0]), parts[0]
    for part in parts[1:]:
        found.add(part)
        plainly = plainly.plus(part)
    assert found.total.factor == plainly.factor
    np.testing.assert_array_equal(found.total.rows.whole(), plainly.rows.whole())
    for part, own in zip(parts, before, strict=True):
        np.testing.assert_array_equal(part.rows.whole(), own)


def test_squares_are_reckoned_once_for_rows_that_come_again_and_again() -> None:
    asked = []

    def add(came: Rows, number: float, total: Floats) -> None:
        asked.append(came)
        came.add_squares(number, total)

    found, (g, dense), (h, other) = Squared((1, SLOTS), add), started((0,), False), started((1,), False)
    assert found.total() is None
    for x in (g, g.times(np.array([2.0])), h, g):
        found.add(x)
    total = found.total()
    assert total is not None
    np.testing.assert_allclose(total, (1 + 4 + 1) * dense + other)
    assert len(asked) == 3


@pytest.mark.parametrize("slots", [1, 2, 64])
def test_a_row_of_one_slot_is_that_slot(slots: int) -> None:
    np.testing.assert_array_equal(units((slots - 1,), slots, mean=False).whole()[0], np.eye(slots)[-1])


def test_of_few_slots_none_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MANY", SLOTS + 1)
    g, dense = started((0, 3), mean=False)
    values = np.arange(1.0, SLOTS + 1)
    assert isinstance(g.times(values).rows, Full)
    np.testing.assert_array_equal(g.times(values).rows.whole(), dense * values)
