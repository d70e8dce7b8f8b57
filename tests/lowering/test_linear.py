"""Plain matrices times vectors in ciphertexts: right in every packing, and in few rotations."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from math import ceil, log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.matrix import Matrix
from fheasible.circuit.node import Circuit
from fheasible.lowering import diagonals
from fheasible.lowering.diagonals import Ground, Need, choose
from fheasible.lowering.lower import lower
from fheasible.program.simulate import run, simulate
from fheasible.program.style import Style
from fheasible.program.types import Action, Program, Scheme

from .checker import check
from .random_circuits import T, styles

CKKS, BFV = Style(Scheme.CKKS), Style(Scheme.BFV)

Function = Callable[[fh.Vector], Any]


def plain(m: int, n: int, style: Style, density: float = 1.0, seed: int = 0) -> NDArray[Any]:
    draw = np.random.default_rng(seed)
    full = draw.integers(-T, T, (m, n)) if style.exact else draw.uniform(-1, 1, (m, n))
    return np.where(draw.random((m, n)) < density, full, 0)


def circuit(f: Function, n: int, style: Style) -> Circuit:
    spec = fh.integers(n, modulo=T) if style.exact else fh.reals(n, low=-1, high=1)
    return fh.app(x=spec)(lambda x: f(x)).trace()


def data(n: int, style: Style) -> dict[str, NDArray[Any]]:
    draw = np.random.default_rng(3)
    return {"x": draw.integers(-9, 10, n) if style.exact else draw.uniform(-1, 1, n)}


def checked(found: Circuit, style: Style, capacity: int) -> Program:
    """The program, which keeps the rules and gives the oracle's result."""
    program = lower(found, style, capacity)
    check(program, style)
    given = data(found.inputs[0].length, style)
    result = simulate(program, given, T if style.exact else None)
    for name, values in evaluate(found, given, exact=False).items():
        np.testing.assert_allclose(result[name].astype(float), values, atol=1e-9, err_msg=name)
    return program


def count(program: Program, action: Action) -> int:
    return sum(o.action is action for o in program.operations)


@given(
    style=styles,
    shape=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    capacity=st.sampled_from((2, 4, 16, 64, 256)),
    density=st.sampled_from((1.0, 0.3, 0.03)),
    seed=st.integers(0, 99),
)
@settings(max_examples=100)
def test_a_matrix_times_a_vector(
    style: Style, shape: tuple[int, int], capacity: int, density: float, seed: int
) -> None:
    a = plain(*shape, style, density, seed)
    a[seed % shape[0], seed % shape[1]] = 1  # not zero everywhere
    checked(circuit(lambda x: fh.matmul(a, x), shape[1], style), style, capacity)


@given(
    style=styles,
    sizes=st.lists(st.integers(2, 20), min_size=3, max_size=4),
    capacity=st.sampled_from((4, 16, 64, 256)),
    square=st.booleans(),
    end=st.sampled_from(("itself", "sum", "rotated", "polynomial", "part", "joined", "scaled", "spread")),
)
@settings(max_examples=100)
def test_layers_of_matrices(style: Style, sizes: list[int], capacity: int, square: bool, end: str) -> None:
    """Matrix, vector and square, one after another; then whatever could read padding."""
    layers = [plain(m, n, style, seed=m) for n, m in pairwise(sizes)]
    ends: dict[str, Function] = {
        "itself": lambda x: x,
        "sum": lambda x: fh.sum(x * x) - x[1],
        "rotated": lambda x: x.rotate(3) * x,
        "polynomial": lambda x: fh.sum(fh.polynomial(x, [1, 2, 1])),
        "part": lambda x: fh.sum(x[1:] * x[:-1] + 1),
        "joined": lambda x: fh.sum(fh.concatenate([x * x, [1], x]) ** 2),
        "scaled": lambda x: (x * 3 - x[0]) * np.arange(len(x)),
        "spread": lambda x: fh.sum((x + x[1]) ** 2),
    }

    def network(x: fh.Vector) -> fh.Vector:
        for layer in layers:
            x = fh.matmul(layer, x * x if square else x) + layer[:, 0]
            x = x if style.exact else x * (1 / layer.shape[1])
        return ends[end](x)

    checked(circuit(network, sizes[0], style), style, capacity)


@pytest.mark.parametrize(
    "part",
    [
        lambda x: x[:7],
        lambda x: x[7:],
        lambda x: x[3:5] * x[5:7],
        lambda x: fh.sum(x[2:9]),
        lambda x: x[::-1],
        lambda x: x[::3] + 1,
        lambda x: x[16:] - x[:4],
        lambda x: fh.columns(x, [0, 3], 4),
        lambda x: fh.columns(x, "b", ("a", "b")).rotate(1),
        lambda x: fh.concatenate([x[10:], x[:10]]),
        lambda x: fh.sum(fh.concatenate([x, x * x, [3]])),
        lambda x: fh.concatenate([x[2], fh.sum(x), x[4:6]]) ** 2,
        lambda x: x[[5]] * x,
    ],
)
@given(style=styles, log_capacity=st.integers(1, 9))
@settings(max_examples=25)
def test_parts_of_vectors(part: Function, style: Style, log_capacity: int) -> None:
    checked(circuit(part, 20, style), style, 1 << log_capacity)


@pytest.mark.parametrize(
    "scaled",
    [
        lambda x: (x * 0.3)[3:9] + 1,
        lambda x: fh.concatenate([x * x * 0.3, x * 0.7]),
        lambda x: fh.matmul(plain(3, 20, CKKS), x * 0.3) * fh.mean(x),
        lambda x: (fh.matmul(plain(3, 20, CKKS), x * x) * fh.mean(x)) @ plain(3, 5, CKKS),
        lambda x: (x * 0.3)[:7] * (x * 0.7)[13:],
    ],
)
@given(style=styles.filter(lambda style: not style.exact), log_capacity=st.integers(1, 9))
@settings(max_examples=15)
def test_factors_that_wait_are_not_forgotten(scaled: Function, style: Style, log_capacity: int) -> None:
    for minimise in (True, False):
        checked(replace(circuit(scaled, 20, style), minimise_depth=minimise), style, 1 << log_capacity)


@pytest.mark.parametrize("capacity", [4, 16, 64])
def test_integers_in_a_scheme_of_reals(capacity: int) -> None:
    found = fh.app(x=fh.integers(12, low=-9, high=9))(
        lambda x: np.arange(60).reshape(5, 12) @ x + x[:5]
    ).trace()
    program = lower(found, CKKS, capacity)
    check(program, CKKS)
    x = np.arange(12) - 5
    assert simulate(program, {"x": x})["result"].tolist() == evaluate(found, {"x": x})["result"].tolist()


def test_a_matrix_that_vanishes_modulo_t_is_zero() -> None:
    found = fh.app(x=fh.integers(4, modulo=17))(
        lambda x: [[17, 0, 34, 0], [0, 17, 0, -17]] @ x + x[:2]
    ).trace()
    program = lower(found, BFV, 8)
    check(program, BFV)
    assert program.plains == ()
    assert simulate(program, {"x": np.arange(4)}, 17)["result"].tolist() == [0, 1]


# -- what it costs --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("m", "n", "rotations"),
    [
        (64, 64, 7 + 7),  # 8 baby steps and 8 giant ones, less those of zero
        (256, 256, 15 + 15),
        (60, 50, 7 + 7),  # all that is beyond is zero
        (10, 30, 3 + 3 + 1),  # 16 diagonals of 32 slots; two copies of the result are added
        (16, 1024, 3 + 3 + 6),
        (1024, 16, 3 + 3 + 6),  # 64 copies of the operand, made by doubling
        (2, 512, 1 + 8),
    ],
)
def test_rotations_grow_as_the_root_of_the_shorter_side(m: int, n: int, rotations: int) -> None:
    program = checked(circuit(lambda x: fh.matmul(plain(m, n, CKKS), x), n, CKKS), CKKS, 4096)
    assert count(program, Action.ROTATE) == rotations
    assert program.levels == 1
    side = 1 << ceil(log2(min(m, n)))
    assert count(program, Action.MUL_PLAIN) == side


@pytest.mark.parametrize(
    ("steps", "rotations"), [((0,), 0), ((0, 1), 1), ((0, 1, 15), 2), ((0, 4, 8, 12), 2)]
)
def test_diagonals_that_are_zero_cost_nothing(steps: tuple[int, ...], rotations: int) -> None:
    a = sum(np.diag(np.arange(1, 17))[:, np.roll(np.arange(16), k)] for k in steps)
    program = checked(circuit(lambda x: fh.matmul(a, x), 16, CKKS), CKKS, 64)
    assert count(program, Action.MUL_PLAIN) == len(steps)
    assert count(program, Action.ROTATE) == rotations


def test_one_weight_for_each_column_of_a_table_is_one_product_and_a_sum_of_columns() -> None:
    """128 patients, 32 features one after another: five rotations add up 32 columns."""
    weights = np.linspace(-1, 1, 32)
    found = circuit(lambda x: fh.matmul(np.kron(weights, np.eye(128)), x), 4096, CKKS)
    program = checked(found, CKKS, 4096)
    assert count(program, Action.MUL_PLAIN) == 1
    assert program.rotations == (128, 256, 512, 1024, 2048)


def test_two_rows_are_exchanged_once() -> None:
    a = plain(32, 32, BFV)
    program = checked(circuit(lambda x: fh.matmul(a, x), 32, BFV), BFV, 32)
    assert program.two_rows
    assert count(program, Action.SWAP_ROWS) == 1
    assert count(program, Action.ROTATE) <= 3 + 7 + 3


def test_where_a_library_hoists_more_steps_are_baby_steps() -> None:
    matrix = Matrix.dense(plain(64, 64, CKKS))
    steps = {}
    for hoists in (False, True):
        way, _ = choose(matrix, Ground(64, 64), True, 0, Need.NOTHING, hoists)
        baby, giant = way.steps(64)
        steps[hoists] = len(set(baby.tolist())), len(set(giant.tolist()))
    assert steps[False] == (8, 8)
    assert steps[True][0] > steps[True][1]
    hoisting = replace(CKKS, hoists=True)
    checked(circuit(lambda x: fh.matmul(plain(64, 64, CKKS), x), 64, hoisting), hoisting, 64)


@pytest.mark.parametrize("shape", [(30, 50), (50, 30), (5, 200)])
def test_many_ciphertexts_have_the_same_diagonals(
    shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told apart by sorting, where a flag for each possible one would take too much memory."""
    matrix = Matrix.dense(plain(*shape, CKKS, 0.1))
    flagged, _ = choose(matrix, Ground(32, 16), True, 0, Need.NOTHING, False)
    monkeypatch.setattr(diagonals, "_FLAGS", 0)
    sorted_, _ = choose(matrix, Ground(32, 16), True, 0, Need.NOTHING, False)
    assert (flagged.baby, flagged.backward, flagged.folded) == (
        sorted_.baby,
        sorted_.backward,
        sorted_.folded,
    )
    assert flagged.turn.tolist() == sorted_.turn.tolist()


@pytest.mark.parametrize(
    ("part", "rotations", "levels"),
    [
        (lambda x: x[:7], 0, 0),
        (lambda x: x[4:8], 1, 0),
        (lambda x: x[1:] * x[:-1], 1, 1),
        (lambda x: x[1:] + x[:-1] ** 2, 1, 1),
        (lambda x: fh.concatenate([x, [5]]), 0, 0),
        (lambda x: fh.concatenate([x, x + x]), 1, 0),  # zeros beyond the end need no mask
        (lambda x: fh.concatenate([x[:4], x[12:]]), 1, 1),  # what else is in x does
    ],
)
def test_parts_that_move_together_need_no_product(part: Function, rotations: int, levels: int) -> None:
    program = checked(circuit(part, 16, CKKS), CKKS, 64)
    assert count(program, Action.ROTATE) == rotations
    assert program.levels == levels


def test_a_result_that_is_added_up_has_zeros_beyond_its_end() -> None:
    a = plain(10, 30, CKKS)
    once = checked(circuit(lambda x: fh.matmul(a, x) ** 2, 30, CKKS), CKKS, 64)
    summed = checked(circuit(lambda x: fh.sum(fh.matmul(a, x) ** 2), 30, CKKS), CKKS, 64)
    assert once.levels == summed.levels == 2  # no mask in between


def test_copies_of_a_result_serve_the_next_matrix() -> None:
    first, second = plain(16, 64, CKKS), plain(64, 16, CKKS)

    def network(x: fh.Vector) -> fh.Vector:
        return fh.matmul(second, (fh.matmul(first, x) + first[:, 0]) ** 2)

    program = checked(circuit(network, 64, CKKS), CKKS, 64)
    assert count(program, Action.ROTATE) == (3 + 3 + 2) + (3 + 3)


# Of equal elements a row's sum is small, and parts of it are not.
ALIKE = np.arange(40) < 32
LARGE = [np.where(ALIKE, np.where(np.arange(40) % 2, 100.01, -99.99), 0)] * 3
SUM = np.where(ALIKE, 100.0, 0)

PROMISES: dict[str, Function] = {
    "part": lambda x: x[10:13],
    "part in the middle of a computation": lambda x: (x * x)[10:13] - x[11],
    "matrix": lambda x: fh.matmul(LARGE, x * x),
    "matrix and vector": lambda x: fh.matmul([*LARGE, SUM], x * x) - [0, 0.1, 0.2, 3200 * 0.75**2],
    "matrix and encrypted vector": lambda x: fh.matmul([SUM, SUM, SUM], x) - x[10:13] * 3200,
    "matrix and number": lambda x: fh.matmul([SUM, SUM, SUM], x) - 2400,
}


@pytest.mark.parametrize("capacity", [16, 64, 1024])
@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside a long vector"])
@pytest.mark.parametrize("case", PROMISES)
def test_no_function_sees_what_its_promise_does_not_cover(case: str, beside: bool, capacity: int) -> None:
    """Elsewhere in the vector, in partial sums and where a bias is missing lie values far outside."""
    function = fh.approximate(np.tanh, -1, 1, degree=31)  # no map of the interval, which would mask

    def both(x: fh.Vector, y: fh.Vector) -> Any:
        return [function(PROMISES[case](x)), y]

    declared = {"x": fh.reals(40, low=-99, high=99), "y": fh.reals(300 if beside else 1, low=0, high=1)}
    found = fh.app(**declared)(lambda x, y: both(x, y)).trace()
    given = {"x": np.where(ALIKE, 0.75, 99), "y": np.zeros(300 if beside else 1)}
    program = lower(found, CKKS, capacity)
    check(program, CKKS)
    assert max(np.abs(v).max() for v in run(program, given).values()) < 1e6
    wanted = evaluate(found, given, exact=False)["result_1"]
    np.testing.assert_allclose(simulate(program, given)["result_1"], wanted, atol=1e-9)
    if case == "matrix":
        assert program.levels == 1 + 1 + 5  # and none for a mask
