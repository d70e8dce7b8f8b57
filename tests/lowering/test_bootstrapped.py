"""A program with bootstraps computes what the circuit says by the rules, and bootstraps small values only."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.circuit.node import Circuit
from fheasible.errors import InfeasibleParameters, UnsupportedOperation
from fheasible.lowering.lower import lower
from fheasible.program.digest import digest
from fheasible.program.simulate import run
from fheasible.program.style import LevelBudget, Style
from fheasible.program.types import Action, Program, Scheme

from .random_circuits import NAMES, STYLES, Instruction, circuit, inputs, instructions
from .test_lower import assert_right

REAL = {name: style for name, style in STYLES.items() if not style.exact}
BOUNDS = (1.0, 0.25, 3.0)


def bootstraps(program: Program) -> int:
    return sum(o.action is Action.BOOTSTRAP for o in program.operations)


def numbers(program: Program) -> list[float]:
    """The numbers that values are multiplied by; a factor of one only keeps scales in agreement."""
    scalars = [o.plain for o in program.operations if o.action is Action.MUL_SCALAR]
    found = [float(program.plains[i][0]) for i in scalars if i is not None]
    return [number for number in found if number != 1]


def assert_small(program: Program, data: dict[str, np.ndarray], bound: float) -> None:
    """Every slot of every operand of a bootstrap is within the bound."""
    slots = run(program, data)
    for o in program.operations:
        if o.action is Action.BOOTSTRAP:
            assert np.abs(slots[o.args[0]]).max() <= bound * (1 + 1e-6)


@pytest.mark.parametrize("style", REAL.values(), ids=REAL)
@given(
    length=st.integers(1, 40),
    capacity=st.sampled_from((2, 4, 16, 64)),
    program=instructions(12, (*NAMES, "mul", "square", "bootstrap")),
    minimise=st.booleans(),
    budget=st.builds(LevelBudget, st.integers(1, 8), st.integers(0, 2), st.sampled_from(BOUNDS)),
    above=st.sampled_from((0, 0, 2, 7)),
    spare=st.integers(0, 1),
    seed=st.integers(0, 9),
)
@settings(max_examples=60, deadline=None)
def test_a_program_with_bootstraps_computes_its_circuit(
    style: Style,
    length: int,
    capacity: int,
    program: list[Instruction],
    minimise: bool,
    budget: LevelBudget,
    above: int,
    spare: int,
    seed: int,
) -> None:
    found = circuit(True, length, program, minimise)
    budget = replace(budget, above=0 if style.extended else above)
    own = replace(style, budget=budget, spare=spare)
    try:
        lowered = lower(found, own, capacity)
    except InfeasibleParameters:
        assume(False)
    data = inputs(True, length, seed)
    assert_right(found, lowered, own, data)
    assert_small(lowered, data, budget.bound)


def chain(depth: int, factor: float = 0.5) -> Circuit:
    @fh.app(x=fh.reals(16, low=-1, high=1), y=fh.reals(16, low=-1, high=1))
    def application(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        for _ in range(depth):
            x = x * y * factor
        return x

    return replace(application.trace(), minimise_depth=False)


def lowered(found: Circuit, levels: int, least: int = 0, bound: float = 1.0) -> Program:
    return lower(found, Style(Scheme.CKKS, budget=LevelBudget(levels, least, bound)), 16)


def test_a_program_within_its_levels_is_the_program_without_a_budget() -> None:
    found = chain(3)
    assert digest(lowered(found, 6)) == digest(lower(found, Style(Scheme.CKKS), 16))


@given(depth=st.integers(1, 12), levels=st.integers(2, 9), least=st.integers(0, 1))
@settings(max_examples=30, deadline=None)
def test_a_chain_takes_as_many_bootstraps_as_its_levels_say(depth: int, levels: int, least: int) -> None:
    """Each step takes two levels; between two bootstraps there is room for levels - least of them."""
    program = lowered(chain(depth), levels, least)
    beyond = max(2 * depth - levels, 0)
    assert bootstraps(program) == -(-beyond // (levels - least))


def test_a_factor_that_makes_values_small_is_folded_into_a_plain_operand_and_undone_by_doubling() -> None:
    """Values up to 2^j after j steps: no product by 2^-j alone, and j additions."""
    program = lowered(chain(4, factor=2.5), 4)
    assert bootstraps(program) == 1
    (place,) = [i for i, o in enumerate(program.operations) if o.action is Action.BOOTSTRAP]
    assert numbers(program) == [2.5, 2.5 / 8, 2.5, 2.5]
    after = program.operations[place + 1 : place + 4]
    assert [o.action for o in after] == [Action.ADD] * 3  # 2.5^2 < 2^3
    assert all(o.args[0] == o.args[1] for o in after)


def test_where_no_plain_operand_is_near_a_product_makes_values_small_and_takes_a_level() -> None:
    @fh.app(x=fh.reals(4, low=-2, high=2), y=fh.reals(4, low=-2, high=2))
    def application(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        product = x * y
        return fh.bootstrap(product) * product

    program = lowered(application.trace(), 2)
    assert bootstraps(program) == 1
    assert numbers(program) == [0.25]
    with pytest.raises(InfeasibleParameters, match="1 levels are too few") as told:
        lowered(application.trace(), 1)
    assert told.value.remedy == "allow 2 levels after a bootstrap"


def test_values_that_cross_are_counted_so_bootstraps_stand_where_the_circuit_is_narrow() -> None:
    """Sixteen products, their sum, and a chain: one bootstrap, of the sum, although it could stand later."""

    @fh.app(x=fh.reals(64, low=-0.1, high=0.1))
    def application(x: fh.Vector) -> fh.Vector:
        total = fh.sum(x * x)
        wide = fh.square(total) * x  # one value again for each chunk
        return fh.square(fh.square(wide))

    program = lower(application.trace(), Style(Scheme.CKKS, budget=LevelBudget(3)), 4)
    assert bootstraps(program) == 1


def test_a_bootstrap_of_the_user_counts_as_one() -> None:
    @fh.app(x=fh.reals(4, low=-1, high=1))
    def application(x: fh.Vector) -> fh.Vector:
        return fh.bootstrap(x**8) ** 8

    assert bootstraps(lowered(application.trace(), 3)) == 1
    assert bootstraps(lowered(application.trace(), 2)) == 3


def test_unbounded_values_are_not_bootstrapped() -> None:
    found = chain(4, factor=1e30)
    with pytest.raises(InfeasibleParameters) as told:
        lowered(found, 3)
    assert "narrower ranges" in told.value.remedy or "allow" in told.value.remedy


@pytest.mark.parametrize("scheme", [Scheme.BGV, Scheme.BFV])
def test_schemes_of_integers_refuse_a_bootstrap_with_the_reason(scheme: Scheme) -> None:
    @fh.app(x=fh.reals(4, low=-1, high=1))
    def application(x: fh.Vector) -> fh.Vector:
        return fh.bootstrap(x * x)

    with pytest.raises(UnsupportedOperation, match="none of these libraries bootstraps BFV or BGV"):
        lower(application.trace(), Style(scheme), 16)


def test_a_bootstrap_without_a_budget_is_refused_with_the_remedy() -> None:
    @fh.app(x=fh.reals(4, low=-1, high=1))
    def application(x: fh.Vector) -> fh.Vector:
        return fh.bootstrap(x * x)

    with pytest.raises(UnsupportedOperation, match=r"test_bootstrapped.*fh\.bootstrap needs") as told:
        lower(application.trace(), Style(Scheme.CKKS), 16)
    assert "leave fh.bootstrap out" in told.value.remedy
