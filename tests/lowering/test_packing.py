"""Long and short vectors in few and many slots: padding never reaches a result."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.node import Circuit
from fheasible.errors import UnsupportedOperation
from fheasible.lowering.lower import lower
from fheasible.lowering.packing import PackedVector, chunks_of, has_padding, slots_for, valid
from fheasible.program.simulate import simulate
from fheasible.program.style import Style
from fheasible.program.types import Action, Program, Scheme

from .checker import check
from .random_circuits import T, styles

CKKS, BFV = Style(Scheme.CKKS), Style(Scheme.BFV)


def application(length: int, real: bool) -> Circuit:
    """Constants in the padding, sums over it, rotations through it, and broadcasting into it."""

    def spec(n: int) -> fh.VectorSpec:
        return fh.reals(n, low=-1, high=1) if real else fh.integers(n, modulo=T)

    weights = np.linspace(-1, 1, length) if real else np.arange(length) - 7

    @fh.app(x=spec(length), y=spec(length), z=spec(1))
    def everything(x: fh.Vector, y: fh.Vector, z: fh.Vector) -> dict[str, fh.Vector]:
        shifted = x + 1
        total = fh.mean(y + 1) if real else fh.sum(y + 1)
        return {
            "sum": fh.sum(shifted * shifted),
            "broadcast": fh.sum((shifted - z) * y) + z,
            "deviation": (x - total) ** 2,
            "spread": fh.sum((x - total) ** 2),
            "rotated": fh.rotate(shifted, 1) * y + fh.rotate(x, max(1, length - 3)),
            "weighted": fh.sum(weights * z) - fh.sum(weights * shifted),
            "constant": fh.sum(fh.polynomial(x, [1, 0, 2, 1])),
            "single": z * z - 3,
        }

    return everything.trace()


def data(length: int, real: bool) -> dict[str, NDArray[Any]]:
    draw = np.random.default_rng(5)
    lengths = {"x": length, "y": length, "z": 1}
    if real:
        return {name: draw.uniform(-1, 1, n) for name, n in lengths.items()}
    return {name: draw.integers(-(T // 2), T // 2 + 1, n) for name, n in lengths.items()}


@given(
    style=styles,
    length=st.integers(1, 3000) | st.sampled_from((1, 2, 512, 1000, 20_000)),
    log_capacity=st.integers(9, 15),
)
@settings(max_examples=50)
def test_what_sits_in_padding_never_reaches_a_result(style: Style, length: int, log_capacity: int) -> None:
    real, capacity = not style.exact, 1 << log_capacity
    found, given = application(length, real), data(length, real)
    program = lower(found, style, capacity)
    check(program, style)
    wanted = evaluate(found, given, exact=False)
    result = simulate(program, given, None if real else T)
    for name, values in wanted.items():
        np.testing.assert_allclose(result[name], values, rtol=1e-9, atol=1e-8 if real else 0, err_msg=name)


WAITING: dict[str, Callable[[fh.Vector, fh.Vector], fh.Vector]] = {
    "products of means": lambda x, y: fh.mean(x) * fh.mean(y),
    "a mean times a vector": lambda x, y: fh.mean(x) * y,
    "a vector times a mean": lambda x, y: y * fh.mean(x),
    "a mean less a vector": lambda x, y: fh.mean(x) - y * 0.3,
    "two scaled vectors": lambda x, y: (x * 0.3) * (y * 0.7),
    "a scaled sum": lambda x, y: fh.sum(x * 0.3 + y * 0.3) * 0.7,
    "masked because of a number": lambda x, y: fh.sum((x + fh.mean(y)) * 0.3),
    "shifted after scaling": lambda x, y: fh.sum(x * 0.3 + 1),
    "a vector of its own": lambda x, y: fh.mean(x) * 0.3 * np.arange(len(y)),
    "rotated": lambda x, y: fh.rotate(x * 0.3, 3),
    "rotated by whole ciphertexts": lambda x, y: fh.rotate(x * 0.3, 8) + y,
    "negated": lambda x, y: -(x * 0.3) + y,
    "a power": lambda x, y: (x * 0.3) ** 3,
    "a polynomial": lambda x, y: fh.polynomial(x * 0.3, [1.0, 2.0, 3.0]),
    "a series": lambda x, y: fh.approximate(np.tanh, -1, 2, degree=7)(x * 0.3),
}


@pytest.mark.parametrize("case", WAITING)
@given(style=styles.filter(lambda style: not style.exact), length=st.integers(2, 40))
@settings(max_examples=20)
def test_factors_that_wait_are_never_forgotten(case: str, length: int, style: Style) -> None:
    declared = {v: fh.reals(length, low=-1, high=1) for v in "xy"}
    found = fh.app(**declared)(lambda x, y: WAITING[case](x, y)).trace()
    draw = np.random.default_rng(8)
    given = {v: draw.uniform(-1, 1, length) for v in "xy"}
    for minimise in (True, False):
        program = lower(replace(found, minimise_depth=minimise), style, 8)
        check(program, style)
        wanted = evaluate(found, given, exact=False)["result"]
        np.testing.assert_allclose(simulate(program, given)["result"], wanted, atol=1e-12)


def sums(length: int, style: Style, capacity: int, plus: float = 0) -> Program:
    @fh.app(x=fh.integers(length, low=-9, high=9))
    def added(x: fh.Vector) -> fh.Vector:
        return fh.sum(x + int(plus))

    return lower(added.trace(), style, capacity)


def count(program: Program, *actions: Action) -> int:
    return sum(o.action in actions for o in program.operations)


def test_a_sum_takes_as_many_rotations_as_its_slots_have_bits() -> None:
    program = sums(20_000, CKKS, 4096)
    assert program.rotations == tuple(1 << i for i in range(12))
    assert count(program, Action.ENCRYPT) == 5
    assert count(program, Action.ADD) == 4 + 12
    assert count(program, Action.MUL_PLAIN, Action.MUL_SCALAR) == 0


def test_two_rows_are_added_by_one_exchange() -> None:
    program = sums(4096, BFV, 4096)
    assert (program.slots, program.two_rows, program.swaps_rows) == (4096, True, True)
    assert program.rotations == tuple(1 << i for i in range(11))


def test_a_vector_that_leaves_a_row_free_needs_no_exchange() -> None:
    program = sums(2048, BFV, 4096)
    assert (program.slots, program.two_rows, program.swaps_rows) == (2048, False, False)


def test_only_the_last_ciphertext_is_masked_and_only_if_need_be() -> None:
    assert count(sums(20_000, CKKS, 4096, plus=1), Action.MUL_PLAIN) == 0  # the constant is masked instead
    assert count(sums(20_480, CKKS, 4096, plus=1), Action.ADD_PLAIN, Action.MUL_PLAIN) == 0

    @fh.app(x=fh.reals(20_000, low=0, high=1), z=fh.reals(1, low=0, high=1))
    def broadcast(x: fh.Vector, z: fh.Vector) -> fh.Vector:
        return fh.sum(x + z)

    assert count(lower(broadcast.trace(), CKKS, 4096), Action.MUL_PLAIN) == 1


def test_inputs_of_one_length_and_another_meet_in_their_sums() -> None:
    @fh.app(x=fh.reals(1000, low=-1, high=1), y=fh.reals(30, low=-1, high=1), z=fh.reals(1, low=-1, high=1))
    def mixed(x: fh.Vector, y: fh.Vector, z: fh.Vector) -> fh.Vector:
        return fh.sum(x * z) * fh.rotate(y + z, 4) + fh.sum(y - 2)

    found = mixed.trace()
    draw = np.random.default_rng(1)
    given = {"x": draw.uniform(-1, 1, 1000), "y": draw.uniform(-1, 1, 30), "z": draw.uniform(-1, 1, 1)}
    for capacity in (16, 256, 4096):
        program = lower(found, CKKS, capacity)
        check(program, CKKS)
        np.testing.assert_allclose(simulate(program, given)["result"], evaluate(found, given)["result"])


@pytest.mark.parametrize(
    ("lengths", "capacity", "slots"),
    [([1], 64, 1), ([2, 1], 64, 2), ([3], 64, 4), ([64], 64, 64), ([65], 64, 64), ([1000, 20], 4096, 1024)],
)
def test_slots_are_the_next_power_of_two_up_to_the_capacity(
    lengths: list[int], capacity: int, slots: int
) -> None:
    assert slots_for(lengths, capacity) == slots


def test_padding_is_what_lies_beyond_the_end() -> None:
    assert chunks_of(20, 8) == 3
    assert has_padding(20, 8)
    assert not has_padding(16, 8)
    assert not has_padding(1, 8)  # a single value lies in every slot
    assert valid(20, 8, 2).tolist() == [True] * 4 + [False] * 4
    assert PackedVector(1, ()).spread
    assert not PackedVector(2, ()).spread


@pytest.mark.parametrize("scheme", [Scheme.BGV, Scheme.BFV])
def test_real_numbers_are_refused_by_schemes_of_integers(scheme: Scheme) -> None:
    @fh.app(x=fh.reals(8, low=0, high=1))
    def halved(x: fh.Vector) -> fh.Vector:
        return x * 0.5

    @fh.app(x=fh.reals(8, low=0, high=1))
    def rooted(x: fh.Vector) -> fh.Vector:
        return fh.sqrt(x, low=0, high=1, degree=3)

    with pytest.raises(UnsupportedOperation, match="input x needs real numbers"):
        lower(halved.trace(), Style(scheme), 64)
    with pytest.raises(UnsupportedOperation, match=rf"test_packing.py:\d+: sqrt .* {scheme.upper()}"):
        lower(rooted.trace(), Style(scheme), 64)
