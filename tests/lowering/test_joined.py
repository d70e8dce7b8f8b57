"""Inputs that are joined to one vector: every layout computes the same, with fewer ciphertexts."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.data import random_data
from fheasible.circuit.node import Circuit, Column
from fheasible.lowering.grid import Grid
from fheasible.lowering.joined import joinable, joined
from fheasible.lowering.lower import lower
from fheasible.lowering.plan import Lowerings
from fheasible.program.simulate import run, simulate
from fheasible.program.style import Layout, Style
from fheasible.program.types import Action, Packed, Program, Scheme

from .checker import check

CKKS, BFV, T = Style(Scheme.CKKS), Style(Scheme.BFV), 65537
JOINED = (Layout.SIDE_BY_SIDE, Layout.BY_ROW)
Columns = list[fh.Vector]
Function = Callable[[Columns], Any]


def _covariance(a: fh.Vector, b: fh.Vector) -> fh.Vector:
    return fh.mean((a - fh.mean(a)) * (b - fh.mean(b))) if len(a) > 1 else a * b


LINEAR: dict[str, Function] = {
    "weighted": lambda x: sum((1 - 3 * i) * v for i, v in enumerate(x)) + 2,
    "a part": lambda x: x[0] - 3 * x[-1],
    "totals": lambda x: fh.concatenate([fh.sum(v) for v in x]),
    "one after another": lambda x: fh.concatenate(x),
    "turned": lambda x: sum(fh.rotate(v, 1) for v in x),
    "halves": lambda x: {
        "all": sum(x[1:], x[0]),
        "first": x[0][: (len(x[0]) + 1) // 2],
        "others": sum(v[:1] for v in x[1:]),
    },
    "by weights of rows": lambda x: sum(v * (1 + np.arange(len(v))) for v in x),
}
SQUARES: dict[str, Function] = {
    "squares": lambda x: sum((v - 2) ** 2 for v in x),
    "of a common value": lambda x: sum(v * fh.sum(x[0]) for v in x),
    "of a common vector": lambda x: fh.concatenate([fh.sum(v * x[0]) for v in x]),
    "sums of squares": lambda x: fh.concatenate([fh.sum((v - 2) ** 2) for v in x]),
    "deviations": lambda x: sum((2 * v - fh.sum(v)) ** 2 for v in x),
    "pairs": lambda x: [fh.sum(a * b) for a, b in zip(x, x[1:] + x[:1], strict=True)],
    "pairs of neighbours": lambda x: [fh.sum(a * b) for a, b in zip(x[::2], x[1::2], strict=False)],
    "pairs in other orders": lambda x: sum(
        a * b * b for a, b in zip(x[: len(x) // 2], x[::-1], strict=False)
    ),
    "pairs and all": lambda x: sum((a + 1) * (b - 2) for a, b in zip(x[::2], x[1::2], strict=False)) + sum(x),
    "two of each": lambda x: sum((v + 1) ** 2 - v * (v - 3) for v in x),
}
REALS: dict[str, Function] = {
    "variances": lambda x: fh.concatenate([fh.var(v) if len(v) > 1 else v for v in x]),
    "covariances": lambda x: fh.concatenate(
        [_covariance(a, b) for a, b in zip(x[::2], x[1::2], strict=False)]
    ),
    "curved": lambda x: sum(fh.sigmoid(v - 1, low=-4, high=4, degree=3) for v in x),
    "sums of curved": lambda x: sum(fh.sum(fh.sigmoid(v, low=-4, high=4, degree=3) * v) for v in x),
    "sums by column": lambda x: [fh.mean(fh.sigmoid(v, low=-4, high=4, degree=3)) for v in x],
    "means in common": lambda x: fh.concatenate([fh.mean(fh.polynomial(v + 1, [1, 2, 3, 4])) for v in x]),
    "far from 0": lambda x: fh.concatenate([fh.sqrt(v + 5, low=1, high=9, degree=3) for v in x]),
    "polynomials": lambda x: fh.sum(sum(fh.polynomial(v, [1, 2, 3, 4]) for v in x)),
    "a score": lambda x: fh.sigmoid(sum(x), low=-20, high=20, degree=3),
}
# Of these, some or all may treat no two inputs alike.
_MULTIPLIED = ("pairs", "pairs of neighbours", "pairs in other orders", "covariances")
APART = ("of a common value", "of a common vector", *_MULTIPLIED)
EXACT, ALL = {**LINEAR, **SQUARES}, {**LINEAR, **SQUARES, **REALS}


def app(function: Function, count: int, rows: int, exact: bool = False) -> fh.App:
    made: Any = fh.integers if exact else fh.reals
    names = [f"c{i}" for i in range(count)]
    return fh.app(t=fh.table(rows, **{name: made(low=-3, high=3) for name in names}))(
        lambda t: function([t[name] for name in names])
    )


def laid_out(circuit: Circuit, layout: Layout) -> Circuit:
    found = joined(circuit, layout)
    assert found is not None
    return found


def encryptions(program: Program) -> int:
    return Counter(o.action for o in program.operations)[Action.ENCRYPT]


@pytest.mark.parametrize("name", ALL)
@given(
    count=st.integers(2, 6),
    rows=st.integers(1, 9),
    exact=st.booleans(),
    layout=st.sampled_from(JOINED),
    capacity=st.sampled_from((8, 64, 512)),
    seed=st.integers(0, 99),
)
@settings(max_examples=12)
def test_every_layout_computes_the_same(
    name: str, count: int, rows: int, exact: bool, layout: Layout, capacity: int, seed: int
) -> None:
    exact &= name in EXACT
    made, style = app(ALL[name], count, rows, exact), BFV if exact else CKKS
    circuit, data = made.trace(), random_data(made, seed)
    form = joined(circuit, layout)
    assert form is not None or name in APART
    program = lower(form or circuit, style, capacity)
    check(program, style)
    found = simulate(program, data, T if exact else None)
    for output, truth in evaluate(circuit, data, exact=False).items():
        np.testing.assert_allclose(found[output].astype(float), truth, rtol=1e-6, atol=1e-6)


@given(lanes=st.integers(1, 9), rows=st.integers(1, 9), by_row=st.booleans())
def test_every_place_of_a_grid_holds_one_element_or_is_a_gap(lanes: int, rows: int, by_row: bool) -> None:
    grid = Grid(lanes, rows, by_row)
    held = np.concatenate([grid.places(lane) for lane in range(lanes)])
    assert len(set(held.tolist())) == lanes * rows == grid.inside.sum()
    lane, row = grid.owners
    for each in range(lanes):
        assert (lane[grid.places(each)] == each).all()
        assert row[grid.places(each)].tolist() == list(range(rows))
    assert grid.gaps == (grid.length > lanes * rows)


def test_a_joined_input_is_filled_from_its_columns() -> None:
    data = {"a": np.array([1, 2, 3]), "b": np.array([4, 5, 6])}
    side = Packed("a, b", 8, (0,), columns=(Column("a", 3, 0, 1, 4), Column("b", 3, 4, 1, 3)))
    assert side.given(data).tolist() == [1, 2, 3, 1, 4, 5, 6, 0]
    by_row = Packed("a, b", 6, (0,), columns=(Column("a", 3, 0, 2, 3), Column("b", 3, 1, 2, 3)))
    assert by_row.given(data).tolist() == [1, 4, 2, 5, 3, 6]
    assert by_row.sources == (("a", 3), ("b", 3))


def test_products_of_pairs_take_one_product_of_two_ciphertexts() -> None:
    circuit = app(EXACT["pairs of neighbours"], 8, 300).trace()
    assert [[n.attribute.name for n in group] for group in joinable(circuit)] == [
        ["t.c0", "t.c2", "t.c4", "t.c6"],
        ["t.c1", "t.c3", "t.c5", "t.c7"],
    ]
    for layout in JOINED:
        program = lower(laid_out(circuit, layout), CKKS, 1 << 13)
        count = Counter(o.action for o in program.operations)
        assert (encryptions(program), count[Action.MUL], count[Action.SQUARE]) == (2, 1, 0)


@pytest.mark.parametrize("name", ["pairs", "of a common vector", "two of each", "weighted"])
def test_inputs_with_several_partners_or_none_are_one_group(name: str) -> None:
    assert [len(group) for group in joinable(app(EXACT[name], 6, 9).trace())] == [6]
    assert [len(group) for group in joinable(app(EXACT["pairs and all"], 5, 9).trace())] == [5]
    assert [len(group) for group in joinable(app(EXACT["pairs and all"], 2, 9).trace())] == [2]


def test_a_weighted_sum_takes_one_product_and_rotations_by_halves() -> None:
    circuit = app(lambda x: sum((i + 2) / 7 * v for i, v in enumerate(x)), 12, 300).trace()
    apart, side = (lower(c, CKKS, 1 << 13) for c in (circuit, laid_out(circuit, Layout.SIDE_BY_SIDE)))
    assert (encryptions(apart), encryptions(side)) == (12, 1)
    count = Counter(o.action for o in side.operations)
    assert (count[Action.MUL_PLAIN], count[Action.ROTATE], side.levels) == (1, 4, 1)  # 12 lanes: 2^4


def test_variances_of_all_columns_take_one_square() -> None:
    circuit = app(REALS["variances"], 12, 300).trace()
    apart, by_row = (lower(c, CKKS, 1 << 13) for c in (circuit, laid_out(circuit, Layout.BY_ROW)))
    squares, turns = (
        [Counter(o.action for o in p.operations)[action] for p in (apart, by_row)]
        for action in (Action.SQUARE, Action.ROTATE)
    )
    assert squares == [24, 1]
    assert turns[1] == 18 < turns[0]  # 2^9 rows: 9 for the means, 9 for the squares


def test_sums_of_all_elements_need_no_product() -> None:
    circuit = app(lambda x: sum(fh.sum(v) for v in x), 12, 300).trace()
    for layout in JOINED:
        program = lower(laid_out(circuit, layout), CKKS, 1 << 13)
        assert (program.levels, encryptions(program)) == (0, 1)


@pytest.mark.parametrize(("layout", "count", "rows"), [(Layout.SIDE_BY_SIDE, 4, 5), (Layout.BY_ROW, 3, 8)])
@pytest.mark.parametrize("operand", ["the input", "a difference", "a mean of neighbours"])
def test_gaps_hold_nothing_that_a_series_cannot_take(
    layout: Layout, count: int, rows: int, operand: str
) -> None:
    function = fh.approximate(np.sqrt, low=1, high=2, degree=15)  # its series is about 10^7 at 0
    operands: dict[str, Callable[[fh.Vector, fh.Vector], fh.Vector]] = {
        "the input": lambda v, _: v,
        "a difference": lambda v, one: v + 1 - one,
        "a mean of neighbours": lambda v, _: 0.5 * (v + fh.rotate(v, 1)),
    }
    spec, one = fh.reals(rows, low=1, high=2), fh.reals(1, low=1, high=2)
    made = fh.app(one=one, **dict.fromkeys("abcd"[:count], spec))(
        lambda one, **x: sum(function(operands[operand](v, one)) for v in x.values()) * one
    )
    program = lower(laid_out(made.trace(), layout), CKKS, 64)
    assert program.slots == 32  # which grid and gaps fill
    data = {name: np.full(rows, 1.5) for name in "abcd"} | {"one": np.ones(1)}
    assert max(np.abs(slots).max() for slots in run(program, data).values()) < 50


def test_inputs_are_joined_by_their_lengths() -> None:
    made = fh.app(
        a=fh.reals(4, low=0, high=1), b=fh.integers(6, low=0, high=9), c=fh.reals(4, low=-2, high=9),
        d=fh.integers(6, low=-1, high=3), e=fh.reals(5, low=0, high=1), unused=fh.reals(4, low=0, high=1),
    )(lambda a, b, c, d, e, unused: {"x": a + c, "y": b - d, "z": e})  # fmt: skip
    circuit = made.trace()
    assert [[n.attribute.name for n in group] for group in joinable(circuit)] == [["a", "c"], ["b", "d"]]
    found = laid_out(circuit, Layout.SIDE_BY_SIDE)
    assert [(i.name, i.low, i.high) for i in found.inputs] == [
        ("a, c", -2, 9), ("b, d", -1, 9), ("e", 0, 1), ("unused", 0, 1),
    ]  # fmt: skip


def test_inputs_of_which_none_are_treated_alike_are_left_alone() -> None:
    made = fh.app(x=fh.reals(4, low=0, high=3), y=fh.reals(4, low=0, high=3))(lambda x, y: fh.sum(x * y))
    assert joined(made.trace(), Layout.SIDE_BY_SIDE) is None


@pytest.mark.parametrize(
    "function",
    [lambda x, y: x, lambda x, y: x[:2] @ y, lambda x, y: fh.maximum(x[0], x[1]) + y],
    ids=["one is used", "of unequal length", "unused"],
)
def test_others_are_left_alone(function: Any) -> None:
    made = fh.app(x=fh.integers(4, low=0, high=3), y=fh.integers(2, low=0, high=3))(function)
    assert Lowerings(made.trace()).layouts == (Layout.BY_COLUMN,)


def test_encrypted_matrices_and_large_inputs_are_left_alone() -> None:
    square = fh.reals((3, 3), low=0, high=1)
    assert joinable(fh.app(A=square, B=square)(lambda A, B: A @ B).trace()) == ()
    long = fh.reals((1 << 14) + 1, low=0, high=1)
    assert joinable(fh.app(a=long, b=long)(lambda a, b: a + b).trace()) == ()


def test_integers_beyond_words_are_left_alone() -> None:
    big = 2**40
    made = fh.app(a=fh.integers(4, low=0, high=1), b=fh.integers(4, low=0, high=1))(
        lambda a, b: (a * big + b) * big
    )
    assert joinable(made.trace())
    assert joined(made.trace(), Layout.BY_ROW) is None


def test_each_layout_has_programs_of_its_own() -> None:
    lowerings = Lowerings(app(lambda x: sum(x), 4, 10).trace())
    assert lowerings.layouts == tuple(Layout)
    made = [lowerings.program(Style(Scheme.CKKS, layout=layout), 1 << 12) for layout in Layout]
    assert [encryptions(p) for p in made] == [4, 1, 1]
    assert lowerings.joins_in(20)
    assert not lowerings.joins_in(16)
