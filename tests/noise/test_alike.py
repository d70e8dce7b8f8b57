"""Values that are told to be alike in every slot are, whatever the data; and sums are told."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.lowering.lower import lower
from fheasible.noise.reach.alike import alike
from fheasible.program.simulate import run
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

from .programs import AUTOMATIC, BOOTSTRAPPED, CKKS, COMPOSITES, FUNCTIONS, data, program

SLOTS = 8
PRIME = 2**31 - 1
STYLES = {"manual": CKKS, "automatic": AUTOMATIC, "composites": COMPOSITES, "bootstraps": BOOTSTRAPPED}


def constant(found: Program) -> frozenset[int]:
    """By running modulo a prime, so that nothing is rounded."""
    draw = np.random.default_rng(1)
    values = run(found, {p.name: draw.integers(0, PRIME, p.length) for p in found.inputs}, PRIME)
    return frozenset(v for v, slots in values.items() if np.all(slots == slots[0]))


Turn = tuple[int, int, Action]


def summing(turns: list[Turn]) -> Program:
    """A value plus or minus itself, turned, again and again; `turns`: (how far, how far the first was turned,
    which)."""
    made = [Operation(Action.ENCRYPT, 0, source="x")]
    last = 0
    for more, first, action in turns:
        n = len(made)
        made += [
            Operation(Action.ROTATE, n, (last,), steps=(first + more) % SLOTS),
            Operation(Action.ROTATE, n + 1, (last,), steps=first),
            Operation(action, n + 2, (n, n + 1)),
        ]
        last = n + 2
    packed = Packed("x", SLOTS, (0,))
    return Program(Scheme.BFV, SLOTS, 0, tuple(made), (), (packed,), (Packed("y", SLOTS, (last,)),))


TURNS = st.tuples(
    st.integers(1, SLOTS - 1),
    st.integers(0, SLOTS - 1),
    st.sampled_from([Action.ADD, Action.ADD, Action.SUB]),
)


@given(st.lists(TURNS, min_size=1, max_size=6))
def test_nothing_is_told_of_turned_copies_that_running_disproves(turns: list[Turn]) -> None:
    found = summing(turns)
    assert alike(found) <= constant(found)


@given(st.lists(TURNS.map(lambda t: (t[0], t[1], Action.ADD)), min_size=1, max_size=6))
def test_sums_over_turned_copies_are_alike_exactly_where_running_says_so(turns: list[Turn]) -> None:
    found = summing(turns)
    assert alike(found) == constant(found)


def test_a_difference_is_no_sum() -> None:
    found = summing([(k, 0, Action.SUB) for k in (1, 2, 4)])
    assert not alike(found)


@pytest.mark.parametrize("order", [(1, 2, 4), (4, 2, 1), (3, 6, 4), (2, 4, 5)])
def test_a_sum_is_alike_in_whatever_order_it_is_made(order: tuple[int, ...]) -> None:
    found = summing([(k, 0, Action.ADD) for k in order])
    assert found.outputs[0].values[0] in alike(found)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_nothing_is_told_that_the_data_can_disprove(name: str, style: str) -> None:
    found = program(name, STYLES[style], slots=SLOTS)
    values = run(found, data())
    for v in alike(found):
        np.testing.assert_allclose(values[v], values[v][0], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("style", STYLES)
def test_what_is_made_of_sums_alone_is_told_and_what_meets_a_vector_is_not(style: str) -> None:
    @fh.app(x=fh.reals(SLOTS, low=-1, high=1), c=fh.reals(1, low=0, high=1))
    def made(x, c):  # type: ignore[no-untyped-def]
        total = fh.sum(x)
        return {"number": (total * total * 0.3 + c) * c - 1, "vector": x * total}

    found = lower(made.trace(), STYLES[style], SLOTS)
    number, vector = (p.values[0] for p in found.outputs)
    assert number in alike(found)
    assert vector not in alike(found)


@settings(max_examples=50)
@given(st.lists(st.sampled_from(["turn", "add", "sub", "mul", "square", "plain", "scale"]), max_size=8))
def test_no_mixture_of_operations_is_told_wrongly(actions: list[str]) -> None:
    made, plains = [Operation(Action.ENCRYPT, 0, source="x")], (np.arange(1, 9), np.array([3]))
    for k, action in enumerate(actions, start=1):
        a, b = (k - 1,), (k - 1, max(k - 2, 0))
        made.append(
            {
                "turn": Operation(Action.ROTATE, k, a, steps=1 << k % 3),
                "add": Operation(Action.ADD, k, b),
                "sub": Operation(Action.SUB, k, b),
                "mul": Operation(Action.MUL, k, b),
                "square": Operation(Action.SQUARE, k, a),
                "plain": Operation(Action.ADD_PLAIN, k, a, plain=0),
                "scale": Operation(Action.MUL_SCALAR, k, a, plain=1),
            }[action]
        )
    packed = Packed("x", SLOTS, (0,))
    found = Program(Scheme.BFV, SLOTS, 0, tuple(made), plains, (packed,), (packed,))
    assert alike(found) <= constant(found)
