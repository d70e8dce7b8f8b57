"""Every noise once: values that are made alike share a step, and no budget minds."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.lowering.random_circuits import STYLES, circuit, instructions

import fheasible as fh
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import request_for
from fheasible.lowering.lower import lower
from fheasible.noise.integers import budget, walk
from fheasible.noise.integers.shared import Relation
from fheasible.noise.integers.steps import Facts, NoiseStep, Steps, steps
from fheasible.program.style import Style
from fheasible.program.types import Action, Program, Scheme

SLOTS = INSECURE_N = 64
T = 65_537


def one_by_one(program: Program) -> Steps:
    """A step for every operation."""
    known, every = Facts(program), list[NoiseStep]()
    of: dict[int, int] = {}
    for o in program.operations:
        every.append(known.step(o, of))
        of[o.out] = len(every) - 1
    return Steps(tuple(every), of)


def of_two_vectors(length: int) -> Program:
    @fh.app(x=fh.integers(length, modulo=T), y=fh.integers(length, modulo=T))
    def product(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        return x * y * y + x * x

    return lower(product.trace(), Style(Scheme.BGV), SLOTS)


def test_a_program_of_many_ciphertexts_has_the_steps_of_one() -> None:
    one, many = of_two_vectors(SLOTS), of_two_vectors(8 * SLOTS)
    assert len(many.operations) == 8 * len(one.operations)
    assert steps(many).steps == steps(one).steps
    assert set(steps(many).of) == {o.out for o in many.operations}


def test_what_is_of_one_value_is_told_from_what_is_of_two() -> None:
    """x x and x y, though x and y have the same noise."""
    found = steps(of_two_vectors(SLOTS)).steps
    products = [s for s in found if s.action in (Action.MUL, Action.SQUARE)]
    assert {s.relation for s in products} == {Relation.SAME, Relation.APART}
    assert [s.action for s in found].count(Action.ENCRYPT) == 1


def test_scalars_are_told_apart() -> None:
    @fh.app(x=fh.integers(4, modulo=T))
    def sums(x: fh.Vector) -> list[fh.Vector]:
        return [3 * x, 5 * x, x * 3]

    found = lower(sums.trace(), Style(Scheme.BFV), SLOTS)
    scalars = [s.scalar for s in steps(found).steps if s.action is Action.MUL_SCALAR]
    assert sorted(scalars) == [3, 5]


@settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
@given(instructions(), st.sampled_from(["bgv", "bfv"]), st.sampled_from(["seal", "lattigo"]))
def test_the_budget_is_that_of_every_operation_walked_alone(
    made: list[tuple[str, int, int]], scheme: str, library: str
) -> None:
    program = lower(circuit(False, 2 * SLOTS + 5, made, True), STYLES[scheme], SLOTS)
    limbs = program.levels + 1 if scheme == "bgv" else 4
    asked = request_for(
        scheme, program.levels, None, plain_modulus=T, ring_dimension=INSECURE_N, prime_bits=(45,) * limbs
    )
    p = CATALOGUE[library].parameters(asked)
    merged = budget.budget_bits(program, p), budget.expected_bits(program, p)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "steps", one_by_one)
        assert budget.budget_bits(program, p) == pytest.approx(merged[0], abs=1e-9)
        assert budget.expected_bits(program, p) == pytest.approx(merged[1], abs=1e-9)
