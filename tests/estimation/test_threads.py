"""Amdahl's law over limbs, against ratios worked out by hand."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.estimation.threads import Serial, ThreadModel, loop_limbs, ratio
from fheasible.program.types import Action

MODEL = ThreadModel(
    "openfhe", "1.6.1", "m", (1, 2), {"ckks/mul": Serial(0, 0), "ckks/rotate": Serial(1, 0.25)}, 0.03
)
serials = st.builds(Serial, st.floats(0, 64), st.floats(0, 1))


@pytest.mark.parametrize(
    ("serial", "loop", "threads", "expected"),
    [
        (Serial(0, 0), 4, 2, 0.5),
        (Serial(0, 0), 3, 2, 2 / 3),  # two turns of two limbs and one: ceil(3/2) of 3
        (Serial(0, 0), 5, 4, 2 / 5),
        (Serial(0, 0), 1, 2, 1.0),  # one limb is for one thread
        (Serial(0, 0), 2, 8, 0.5),
        (Serial(0, 1), 8, 2, 1.0),
        (Serial(0, 0.5), 8, 2, 0.75),
        (Serial(1, 0), 1, 2, 1.0),
        (Serial(1, 0), 4, 2, 1 / 5 + 4 / 5 / 2),  # a limb's worth beside the four: a fifth is serial
        (Serial(2, 0.5), 8, 2, 0.6 + 0.4 / 2),  # (2 + 4) / (2 + 8) serial
        (Serial(5, 0.3), 0, 2, 1.0),
    ],
)
def test_ratios_are_those_worked_out_by_hand(
    serial: Serial, loop: int, threads: int, expected: float
) -> None:
    assert ratio(serial, loop, threads) == pytest.approx(expected)


@given(serials, st.integers(0, 64), st.integers(1, 64))
def test_threads_never_slow_down_and_never_gain_more_than_their_number(
    serial: Serial, loop: int, threads: int
) -> None:
    found = ratio(serial, loop, threads)
    assert 1 / threads - 1e-12 <= found <= 1 + 1e-12
    assert ratio(serial, loop, 1) == pytest.approx(1.0)
    assert found <= ratio(serial, loop, max(threads - 1, 1)) + 1e-12


@given(st.integers(1, 64), st.integers(1, 16), st.floats(0, 32), st.floats(0, 32))
def test_more_serial_work_gains_less(loop: int, threads: int, x: float, y: float) -> None:
    less, more = sorted((x, y))
    assert ratio(Serial(less, 0.2), loop, threads) <= ratio(Serial(more, 0.2), loop, threads) + 1e-12


def test_key_switching_loops_over_special_limbs_too_and_rescaling_not_over_the_dropped_one() -> None:
    assert [loop_limbs(a, 5, 2) for a in (Action.ROTATE, Action.RELINEARIZE, "keygen")] == [7, 7, 7]
    assert loop_limbs(Action.RESCALE, 5, 2) == 4
    assert [loop_limbs(a, 5, 2) for a in (Action.ADD, "decrypt", Action.ENCRYPT)] == [5, 5, 5]


def test_the_speed_up_is_the_ratio_turned_over() -> None:
    assert MODEL.speedup("ckks", "mul", 4, 2) == pytest.approx(2.0)
    # 3 + 1 limbs: (1 + 1) / (1 + 4) serial, the rest halved
    assert MODEL.speedup("ckks", "rotate", 3, 2, special=1) == pytest.approx(1 / (0.4 + 0.6 / 2))
    assert MODEL.speedup("ckks", "rotate", 3, 1, special=1) == pytest.approx(1.0)


def test_what_never_was_measured_gains_nothing() -> None:
    assert MODEL.speedup("bgv", "mul", 4, 2) == 1.0
    assert MODEL.speedup("ckks", "eval_sum", 4, 2) == 1.0


def test_a_model_is_the_same_after_json() -> None:
    assert ThreadModel.from_json(json.loads(json.dumps(MODEL.to_json()))) == MODEL
