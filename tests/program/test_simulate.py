"""Each action on slots, by hand; integers of any size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.program.simulate import run, simulate, turned, unpack
from fheasible.program.types import Action, Operation, Packed, Scheme, chunk

from .programs import by_hand

X, Y = np.array([1, 2, 3, 4]), np.array([5, -6, 7, 0])
ROW = np.array([2, 0, -1, 3])
NUMBER = np.array([10])

CASES = {
    Action.ADD: ((0, 1), None, [6, -4, 10, 4]),
    Action.SUB: ((0, 1), None, [-4, 8, -4, 4]),
    Action.NEG: ((1,), None, [-5, 6, -7, 0]),
    Action.MUL: ((0, 1), None, [5, -12, 21, 0]),
    Action.SQUARE: ((1,), None, [25, 36, 49, 0]),
    Action.RELINEARIZE: ((0,), None, [1, 2, 3, 4]),
    Action.RESCALE: ((0,), None, [1, 2, 3, 4]),
    Action.DROP: ((0,), None, [1, 2, 3, 4]),
    Action.BOOTSTRAP: ((0,), None, [1, 2, 3, 4]),
    Action.ADD_PLAIN: ((0,), 0, [3, 2, 2, 7]),
    Action.MUL_PLAIN: ((0,), 0, [2, 0, -3, 12]),
    Action.ADD_SCALAR: ((0,), 1, [11, 12, 13, 14]),
    Action.MUL_SCALAR: ((0,), 1, [10, 20, 30, 40]),
    Action.SWAP_ROWS: ((0,), None, [1, 2, 3, 4]),  # with one row there is nothing to exchange
    Action.EVAL_SUM: ((0,), None, [10, 10, 10, 10]),
}


@pytest.mark.parametrize("scheme", Scheme)
@pytest.mark.parametrize("action", CASES)
def test_every_action_does_what_it_says(action: Action, scheme: Scheme) -> None:
    args, plain, wanted = CASES[action]
    operation = Operation(action, 2, args, plain=plain)
    program = by_hand(operation, plains=(ROW, NUMBER), inputs=2, scheme=scheme)
    result = simulate(program, {"x_0": X, "x_1": Y})["result_2"]
    assert result.tolist() == wanted
    assert (result.dtype == np.float64) == (scheme is Scheme.CKKS)


def test_there_is_a_case_for_every_action() -> None:
    assert CASES.keys() | {Action.ENCRYPT, Action.ROTATE, Action.EVAL_CHEBYSHEV} == set(Action)


def test_a_composite_series_is_mapped_from_its_interval() -> None:
    series = np.array([1.0, 3.0, 0.5, 0.0, 2.0])  # 0.5 + 2 T_2(x - 2) on [1, 3]; T_2(u) = 2 u^2 - 1
    program = by_hand(
        Operation(Action.EVAL_CHEBYSHEV, 1, (0,), plain=0), plains=(series,), scheme=Scheme.CKKS
    )
    result = simulate(program, {"x_0": np.array([1.0, 2.0, 2.5, 3.0])})["result_1"]
    np.testing.assert_allclose(result, [2.5, -1.5, -0.5, 2.5])


@pytest.mark.parametrize(
    ("two_rows", "steps", "wanted"),
    [
        (False, 1, [1, 2, 3, 4, 5, 6, 7, 0]),
        (False, 5, [5, 6, 7, 0, 1, 2, 3, 4]),
        (True, 1, [1, 2, 3, 0, 5, 6, 7, 4]),
        (True, 3, [3, 0, 1, 2, 7, 4, 5, 6]),
    ],
)
def test_a_rotation_stays_in_its_row(two_rows: bool, steps: int, wanted: list[int]) -> None:
    program = by_hand(Operation(Action.ROTATE, 1, (0,), steps=steps), slots=8, two_rows=two_rows)
    assert simulate(program, {"x_0": np.arange(8)})["result_1"].tolist() == wanted


def test_two_rows_are_exchanged() -> None:
    program = by_hand(Operation(Action.SWAP_ROWS, 1, (0,)), slots=8, two_rows=True)
    assert simulate(program, {"x_0": np.arange(8)})["result_1"].tolist() == [4, 5, 6, 7, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("modulus", "wanted"),
    [(7, [-3, -2, -1, 0, 1, 2, 3, -3]), (8, [-3, -2, -1, 0, 1, 2, 3, 4])],
)
def test_integers_wrap_around_to_the_signed_residue(modulus: int, wanted: list[int]) -> None:
    program = by_hand(
        Operation(Action.ADD_SCALAR, 1, (0,), plain=0), plains=(np.array([modulus - 3]),), slots=8
    )
    assert simulate(program, {"x_0": np.arange(8)}, modulus)["result_1"].tolist() == wanted


@given(
    st.sampled_from([17, 1_000_003, 2**31 - 1, 2**39 - 7, 1_152_921_504_606_830_593, 2**61 - 1]),
    *[st.integers(-(2**62), 2**62)] * 3,
)
def test_no_integer_overflows_whatever_the_modulus(t: int, x: int, y: int, c: int) -> None:
    program = by_hand(
        Operation(Action.MUL, 2, (0, 1)),
        Operation(Action.MUL_PLAIN, 3, (2,), plain=0),
        Operation(Action.SQUARE, 4, (3,)),
        Operation(Action.ADD_SCALAR, 5, (4,), plain=1),
        plains=(np.array([c, 1]), np.array([c])),
        inputs=2,
        slots=2,
    )
    result = simulate(program, {"x_0": np.array([x, x]), "x_1": np.array([y, 1])}, t)["result_5"]
    for found, wanted in zip(result, [(x * y * c) ** 2 + c, x**2 + c], strict=True):
        assert (int(found) - wanted) % t == 0
        assert -t < 2 * int(found) <= t


def test_without_a_modulus_integers_are_as_long_as_they_must_be() -> None:
    squares = [Operation(Action.SQUARE, i + 1, (i,)) for i in range(5)]
    program = by_hand(*squares, slots=1)
    assert simulate(program, {"x_0": np.array([1000])})["result_5"].tolist() == [1000**32]


def test_every_value_of_the_run_is_there() -> None:
    program = by_hand(Operation(Action.NEG, 2, (0,)), Operation(Action.ADD, 3, (2, 1)), inputs=2)
    slots = run(program, {"x_0": X, "x_1": Y})
    assert {v: s.tolist() for v, s in slots.items()} == {
        0: X.tolist(), 1: Y.tolist(), 2: [-1, -2, -3, -4], 3: [4, -8, 4, -4],
    }  # fmt: skip


def test_a_long_vector_is_cut_into_rows_and_joined_again() -> None:
    rows = chunk(np.arange(1, 11), 4)
    assert rows.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 0, 0]]
    assert unpack(Packed("x", 10, (0, 1, 2)), list(rows)).tolist() == list(range(1, 11))


def test_a_single_value_lies_in_every_slot() -> None:
    assert chunk(np.array([7.0]), 4).tolist() == [[7.0] * 4]
    assert unpack(Packed("x", 1, (0,)), [np.array([7] * 4)]).tolist() == [7]
    # the mean of slots that have an error each
    assert unpack(Packed("x", 1, (0,)), [np.array([6.0, 7.0, 7.5, 7.5])]).tolist() == [7.0]


def test_the_sum_of_one_number_that_stands_for_all_slots_counts_each_of_them() -> None:
    program = by_hand(Operation(Action.EVAL_SUM, 1, (0,)), scheme=Scheme.CKKS)
    values = run(program, {"x_0": np.full(4, 2.5)}, disturb=lambda o, _, slots: slots[:1])
    assert values[1].tolist() == [10.0]


@pytest.mark.parametrize("action", [a for a in CASES if a is not Action.SWAP_ROWS])
def test_several_executions_at_once_are_each_as_alone(action: Action) -> None:
    args, plain, _ = CASES[action]
    operation = Operation(action, 2, args, plain=plain)
    program = by_hand(operation, plains=(ROW, NUMBER), inputs=2, scheme=Scheme.CKKS)
    apart = np.arange(12.0).reshape(3, 4)

    def several(o: Operation, _: object, slots: np.ndarray) -> np.ndarray:
        return slots + apart if o.action is Action.ENCRYPT else slots

    together = run(program, {"x_0": X, "x_1": Y}, disturb=several)[2]
    for k in range(3):
        alone = run(program, {"x_0": X + apart[k], "x_1": Y + apart[k]})[2]
        np.testing.assert_array_equal(together[k], alone)


@pytest.mark.parametrize("two_rows", [False, True])
@pytest.mark.parametrize("action", [Action.ROTATE, Action.SWAP_ROWS])
def test_several_executions_turn_each_within_its_own_slots(action: Action, two_rows: bool) -> None:
    program = by_hand(Operation(action, 1, (0,), steps=1), slots=8, two_rows=two_rows, scheme=Scheme.CKKS)
    rows = np.arange(16.0).reshape(2, 8)
    both = run(program, {"x_0": rows[0]}, disturb=lambda o, _, x: rows if o.out == 0 else x)[1]
    for k in range(2):
        np.testing.assert_array_equal(both[k], run(program, {"x_0": rows[k]})[1])


def test_a_number_of_several_executions_is_the_mean_over_the_slots_of_each() -> None:
    packed = Packed("x", 1, (0,))
    assert unpack(packed, [np.array([[1.0, 3.0], [5.0, 9.0]])]).tolist() == [[2.0], [7.0]]


@given(st.integers(1, 9), st.integers(-20, 20), st.sampled_from([np.float64, object]))
def test_slots_are_turned_along_the_last_axis(length: int, steps: int, kind: type) -> None:
    slots = np.arange(3 * length).reshape(3, length).astype(kind)
    assert np.array_equal(turned(slots, steps), np.roll(slots, steps, axis=-1))
    assert turned(slots, steps).dtype == slots.dtype
