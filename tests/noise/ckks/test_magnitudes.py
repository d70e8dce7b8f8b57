"""The bound of each operation's slots, beside the slots that the operation makes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fheasible.noise.ckks.magnitudes import Magnitudes
from fheasible.program.simulate import run
from fheasible.program.types import Action, Operation, Packed, Program

SLOTS = 8
PLAIN = np.linspace(-3, 2, SLOTS)
PLAINS = {
    Action.ADD_PLAIN: PLAIN,
    Action.MUL_PLAIN: PLAIN,
    Action.ADD_SCALAR: PLAIN[:1],
    Action.MUL_SCALAR: PLAIN[1:2],
}
TWO = {Action.ADD, Action.SUB, Action.MUL}
ONE = {
    Action.SQUARE,
    Action.NEG,
    Action.ROTATE,
    Action.RELINEARIZE,
    Action.RESCALE,
    Action.DROP,
    Action.EVAL_SUM,
}
VECTORS = hnp.arrays(np.float64, SLOTS, elements=st.floats(-100, 100))


def made(action: Action) -> tuple[Program, Operation]:
    """The operation on x and, where it takes two, y."""
    plains = tuple(p for a, p in PLAINS.items() if a is action)
    o = Operation(action, 2, (0, 1) if action in TWO else (0,), plain=0 if plains else None, steps=3)
    fresh = tuple(Operation(Action.ENCRYPT, i, source=name) for i, name in enumerate("xy"))
    inputs = tuple(Packed(name, SLOTS, (i,)) for i, name in enumerate("xy"))
    return Program("ckks", SLOTS, 1, (*fresh, o), plains, inputs, (Packed("z", SLOTS, (2,)),)), o


@pytest.mark.parametrize("action", sorted(TWO | ONE | PLAINS.keys()))
@given(x=VECTORS, y=VECTORS)
def test_no_slot_is_larger_and_some_slots_are_as_large(action: Action, x: np.ndarray, y: np.ndarray) -> None:
    program, o = made(action)

    def most(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
        slots = run(program, {"x": x, "y": y})
        operands = [slots[a] for a in o.args]
        return float(np.abs(slots[2]).max()), Magnitudes(program).made(o, operands, slots[2])

    largest, bound = most(x, y)
    assert largest <= bound * (1 + 1e-12)
    alike = np.full(SLOTS, -5.0)
    largest, bound = most(alike, -alike if action is Action.SUB else alike)
    assert largest == pytest.approx(bound)
