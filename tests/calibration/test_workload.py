"""The workload obeys the rules of program/types.py, and every primitive occurs wherever it can."""

from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.calibration.workload import ROTATIONS, values, workload
from fheasible.program.simulate import simulate
from fheasible.program.types import Action, Program, Scheme

from .following import LIGHT, follow

COMPOSITES = {a for a in Action if a.startswith("eval_")}  # another lowering, for studies
ELSEWHERE = {Action.BOOTSTRAP}  # needs a set that bootstraps, which has contexts of its own
EVERYWHERE = set(Action) - COMPOSITES - ELSEWHERE - {Action.RESCALE, Action.DROP, Action.SWAP_ROWS}
ACTIONS = {
    Scheme.CKKS: EVERYWHERE | {Action.RESCALE, Action.DROP},
    Scheme.BGV: EVERYWHERE | {Action.RESCALE, Action.DROP, Action.SWAP_ROWS},
    Scheme.BFV: EVERYWHERE | {Action.SWAP_ROWS},
}
SWITCHING = {Action.RELINEARIZE, Action.ROTATE, Action.SWAP_ROWS}
OF_CIPHERTEXTS = {Action.MUL, Action.SQUARE, *SWITCHING}
PRODUCTS = {Action.MUL, Action.SQUARE, Action.MUL_PLAIN, Action.MUL_SCALAR, Action.RELINEARIZE}
SLOTS = 16
every_scheme = pytest.mark.parametrize("scheme", Scheme)
plans = st.integers(1, 12).flatmap(
    lambda levels: st.tuples(st.just(levels), st.sets(st.integers(0, levels), min_size=1).map(tuple))
)


def of(
    scheme: Scheme, plan: tuple[int, tuple[int, ...]] = (3, (0, 2, 3)), rotations: int = 1, low: bool = True,
    linear: bool = False, hoists: bool = False,
) -> Program:  # fmt: skip
    levels, at = (0, (0,)) if scheme is Scheme.BFV else plan
    return workload(scheme, SLOTS, levels, at, rotations, low, linear, hoists)


def wanted(scheme: Scheme, level: int, top: int, linear: bool) -> set[Action]:
    """What can be done at a level: no product in CKKS at the last prime, nothing to drop at the top."""
    actions = set(ACTIONS[scheme]) - (OF_CIPHERTEXTS if linear else set())
    if scheme is Scheme.CKKS and level == 0:
        actions -= PRODUCTS
    if level == 0:
        actions.discard(Action.RESCALE)
    if level == top:
        actions.discard(Action.DROP)
    return actions


@every_scheme
@pytest.mark.parametrize(("rotations", "low", "linear"), list(product((1, 4), (True, False), (False, True))))
@given(plan=plans)
@settings(max_examples=15, deadline=None)
def test_it_obeys_the_rules(
    scheme: Scheme, rotations: int, low: bool, linear: bool, plan: tuple[int, tuple[int, ...]]
) -> None:
    program = of(scheme, plan, rotations, low, linear)
    follow(program)
    levels, at = (0, (0,)) if scheme is Scheme.BFV else plan
    (output,) = (o for o in program.operations if o.out == program.outputs[0].values[0])
    assert output.level == (min(at) if low else max(at))
    assert program.levels == levels
    assert program.rotations == (() if linear else ROTATIONS[:rotations])
    assert program.inputs[0].length == 2 * program.slots


@every_scheme
@pytest.mark.parametrize("linear", [False, True])
@given(plan=plans)
@settings(max_examples=15, deadline=None)
def test_every_primitive_occurs_at_every_level_it_can(
    scheme: Scheme, linear: bool, plan: tuple[int, tuple[int, ...]]
) -> None:
    program = of(scheme, plan, linear=linear)
    at = (0,) if scheme is Scheme.BFV else plan[1]
    found: dict[int, set[Action]] = {level: set() for level in at}
    for o in program.operations:
        found[o.computes_at].add(o.action)
    assert found == {level: wanted(scheme, level, max(at), linear) for level in at}


@every_scheme
def test_each_operation_occurs_once_a_level_but_for_what_several_need(scheme: Scheme) -> None:
    for level in (0,) if scheme is Scheme.BFV else (1, 2):
        many = Counter(o.action for o in of(scheme, (2, (1, 2))).operations if o.computes_at == level)
        several = {Action.ENCRYPT: 2, Action.RELINEARIZE: 2, Action.RESCALE: 3}
        assert many == {
            action: several.get(action, 1) for action in wanted(scheme, level, 2 if level else 0, False)
        }


@every_scheme
@pytest.mark.parametrize("keys", [1, 2, 4])
def test_where_rotations_share_digits_all_but_the_first_do(scheme: Scheme, keys: int) -> None:
    program = of(scheme, rotations=keys, hoists=True)
    turns = [o for o in program.operations if o.action is Action.ROTATE]
    at = (0,) if scheme is Scheme.BFV else (3, 2, 0)
    for level in at:
        here = [o for o in turns if o.level == level]
        shared = ["first", *["next"] * (keys - 2), "last"] if keys > 1 else []
        assert [o.hoist.value for o in here] == ["", *shared]
        assert [o.steps for o in here] == [*ROTATIONS[:keys], *ROTATIONS[: keys > 1]]
        assert len({o.args for o in here}) == 1
    assert not any(o.hoist for o in of(scheme, rotations=keys).operations)
    assert len(program.operations) - len(of(scheme, rotations=keys).operations) == len(at) * (keys > 1)


@every_scheme
def test_a_linear_program_needs_no_keys(scheme: Scheme) -> None:
    assert of(scheme).switches_keys
    program = of(scheme, linear=True)
    assert not program.switches_keys
    assert not {o.action for o in program.operations} & OF_CIPHERTEXTS
    assert {Action.MUL_PLAIN, Action.ADD, Action.ENCRYPT} <= {o.action for o in program.operations}


@every_scheme
@pytest.mark.parametrize("linear", [False, True])
@given(plan=plans)
@settings(max_examples=15, deadline=None)
def test_light_operations_but_sums_follow_one_that_used_their_operands(
    scheme: Scheme, linear: bool, plan: tuple[int, tuple[int, ...]]
) -> None:
    """So that they lie where they lie in most programs. Without a product, the second operand of a difference
    was last written by its encryption."""
    operations = of(scheme, plan, linear=linear).operations
    made_by = {o.out: o for o in operations}
    for before, o in pairwise(operations):
        if o.action in LIGHT and o.action is not Action.ADD:
            there = {*before.args, *(a for b in before.args for a in made_by[b].args)}
            assert o.args[0] in there
            products = any(x.action is Action.MUL and x.level == o.level for x in operations)
            assert not products or set(o.args) <= there


@every_scheme
@pytest.mark.parametrize("rotations", [1, 2, 4])
@given(plan=plans)
@settings(max_examples=15, deadline=None)
def test_a_sum_adds_what_was_just_made_to_something_older(
    scheme: Scheme, rotations: int, plan: tuple[int, tuple[int, ...]]
) -> None:
    """As programs do that accumulate: x + rotate(y)."""
    for before, o in pairwise(of(scheme, plan, rotations, hoists=True).operations):
        if o.action is Action.ADD:
            assert before.action in (Action.ROTATE, Action.SWAP_ROWS)
            assert o.args[1] == before.out
            assert o.args[0] not in (before.out, *before.args)


@every_scheme
def test_every_encryption_is_of_a_chunk_that_there_is(scheme: Scheme) -> None:
    encrypted = [o for o in of(scheme).operations if o.action is Action.ENCRYPT]
    at = 1 if scheme is Scheme.BFV else 3
    assert Counter((o.source, o.chunk) for o in encrypted) == {("x", 0): at, ("x", 1): at}


@every_scheme
@pytest.mark.parametrize("low", [True, False])
@pytest.mark.parametrize("linear", [True, False])
def test_the_result_is_the_difference_of_both_halves(scheme: Scheme, low: bool, linear: bool) -> None:
    data = np.arange(2 * SLOTS) ** 2
    found = simulate(of(scheme, low=low, linear=linear), {"x": data}, modulus=None)["result"]
    assert found.tolist() == (data[:SLOTS] - data[SLOTS:]).tolist()


@every_scheme
def test_plain_operands_are_a_vector_and_a_number_of_the_scheme_s_kind(scheme: Scheme) -> None:
    program = of(scheme)
    assert [p.shape for p in program.plains] == [(SLOTS,), (1,)]
    assert {p.dtype for p in program.plains} == {np.dtype("float64" if scheme is Scheme.CKKS else "int64")}
    for o in program.operations:
        if o.action.endswith(("plain", "scalar")):
            assert o.plain == (1 if o.action.endswith("scalar") else 0)
    assert all(p.all() for p in program.plains)


@every_scheme
def test_vectors_are_as_irregular_as_those_of_applications(scheme: Scheme) -> None:
    """Of both signs, and no coefficient of their transform stands out, nor is 0."""
    vector = values(scheme, 1024)
    assert (vector == values(scheme, 1024)).all()
    spectrum = np.abs(np.fft.fft(vector))
    assert 400 < (vector > 0).sum() < 624
    assert spectrum.max() < 5 * spectrum.mean()
    assert (spectrum < 1e-3 * spectrum.mean()).sum() < 4


def test_of_bgv_and_bfv_both_rows_are_used() -> None:
    assert [of(scheme).two_rows for scheme in Scheme] == [False, True, True]
