"""The workload obeys the rules of program/types.py, and its settings are feasible for every library."""

from collections import Counter
from itertools import product
from math import isqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.calibration.calibrate import jobs
from fheasible.calibration.contexts import PLAIN_MODULUS, settings
from fheasible.calibration.workload import ROTATIONS, workload
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.program.types import Action, Operation, Program, Scheme

LIBRARY_SCHEMES = [(name, scheme) for name, library in CATALOGUE.items() for scheme in library.schemes]
every_setting = pytest.mark.parametrize(("library", "scheme"), LIBRARY_SCHEMES)
COMPOSITES = {a for a in Action if a.startswith("eval_")}  # another lowering, for studies
EVERYWHERE = set(Action) - COMPOSITES - {Action.RESCALE, Action.DROP, Action.SWAP_ROWS}
ACTIONS = {
    Scheme.CKKS: EVERYWHERE | {Action.RESCALE, Action.DROP},
    Scheme.BGV: EVERYWHERE | {Action.RESCALE, Action.DROP, Action.SWAP_ROWS},
    Scheme.BFV: EVERYWHERE | {Action.SWAP_ROWS},
}
plans = st.integers(1, 12).flatmap(
    lambda levels: st.tuples(st.just(levels), st.sets(st.integers(0, levels), min_size=1).map(tuple))
)


def follow(program: Program) -> None:
    """AssertionError where an operand is missing or its level, degree or size is wrong."""
    exact = program.scheme is not Scheme.CKKS
    values: dict[int, tuple[int, int, int]] = {}  # level, degree, size
    alive: set[int] = set()
    for o in program.operations:
        assert alive.issuperset(o.args), o
        assert o.out not in values, o
        values[o.out] = _result(o, [values[a] for a in o.args], exact, program.levels)
        assert values[o.out][0] == o.level, o
        if values[o.out][1] == 2:
            assert o.level > 0 or exact, "the last prime cannot hold a product's scale"
        alive = (alive | {o.out}) - set(o.frees)
    assert alive == {v for packed in program.outputs for v in packed.values}


def _result(o: Operation, args: list[tuple[int, int, int]], exact: bool, top: int) -> tuple[int, int, int]:
    match o.action:
        case Action.ENCRYPT:
            assert 0 <= o.level <= top
            return o.level, 1, 2
        case Action.ADD | Action.SUB:
            assert args[0] == args[1]
            return args[0]
        case Action.MUL | Action.SQUARE:
            assert {a[1:] for a in args} == {(1, 2)}
            assert len({a[0] for a in args}) == 1
            return args[0][0], 2, 3
        case Action.MUL_PLAIN | Action.MUL_SCALAR:
            assert args[0][1:] == (1, 2)
            return args[0][0], 2, 2
        case Action.RELINEARIZE:
            assert args[0][2] == 3
            return args[0][0], args[0][1], 2
        case Action.RESCALE:
            assert args[0][1:] == (2, 2)
            assert args[0][0] > 0
            return args[0][0] - 1, 1, 2
        case Action.DROP:
            assert o.level < args[0][0]
            return o.level, *args[0][1:]
        case Action.ROTATE | Action.SWAP_ROWS:
            assert args[0][1:] == (1, 2)
            assert exact or o.action is Action.ROTATE
    return args[0]


@pytest.mark.parametrize("scheme", Scheme)
@pytest.mark.parametrize(("rotations", "low"), list(product((1, 4), (True, False))))
@given(plan=plans)
def test_it_obeys_the_rules(
    scheme: Scheme, rotations: int, low: bool, plan: tuple[int, tuple[int, ...]]
) -> None:
    levels, at = (0, (0,)) if scheme is Scheme.BFV else plan
    program = workload(scheme, 16, levels, at, rotations, low)
    follow(program)
    (output,) = (o for o in program.operations if o.out == program.outputs[0].values[0])
    assert output.level == (min(at) if low else max(at))
    assert program.rotations == ROTATIONS[:rotations]
    assert program.inputs[0].length == 2 * program.slots


@pytest.mark.parametrize("scheme", Scheme)
def test_every_primitive_of_the_scheme_occurs(scheme: Scheme) -> None:
    levels, at = (0, (0,)) if scheme is Scheme.BFV else (3, (0, 2, 3))
    program = workload(scheme, 16, levels, at, rotations=1, low=True)
    assert {o.action for o in program.operations} == ACTIONS[scheme]
    encrypted = Counter(o.level for o in program.operations if o.action is Action.ENCRYPT)
    assert encrypted == dict.fromkeys(at, 2)


@every_setting
def test_the_settings_are_feasible(library: str, scheme: str) -> None:
    for setting in settings(library, scheme):
        p = CATALOGUE[library].parameters(setting.request)
        assert p.ring_dimension == setting.request.ring_dimension
        assert setting.at == ((0,) if scheme == "bfv" else tuple(sorted(set(setting.at))))
        if scheme != "bfv":
            assert max(setting.at) == p.levels
        if scheme == "ckks":
            assert p.scales[0] < p.q[0] / 2  # the values are ones


@every_setting
def test_the_settings_tell_ring_dimension_and_limbs_apart(library: str, scheme: str) -> None:
    found = [(s, CATALOGUE[library].parameters(s.request)) for s in settings(library, scheme)]
    assert len({p.ring_dimension for _, p in found}) >= 3
    limbs = (
        {level + 1 for s, _ in found for level in s.at} if scheme != "bfv" else {p.limbs for _, p in found}
    )
    assert len(limbs) >= 3
    assert any(s.passes > 1 for s, _ in found)


def test_the_plaintext_modulus_is_a_prime_that_batches_in_every_ring() -> None:
    assert all(PLAIN_MODULUS % k for k in range(2, isqrt(PLAIN_MODULUS) + 1))
    assert PLAIN_MODULUS % 2**18 == 1


def test_whole_passes_over_all_libraries_follow_each_other() -> None:
    todo = jobs(CATALOGUE.values())
    numbers = [number for *_, number in todo]
    assert numbers == sorted(numbers)
    assert len(todo) == sum(s.passes for name, scheme in LIBRARY_SCHEMES for s in settings(name, scheme))
    assert {(lib.name, scheme) for lib, scheme, *_ in todo} == set(LIBRARY_SCHEMES)
