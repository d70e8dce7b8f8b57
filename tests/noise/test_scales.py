"""The symbolic scale of every value, against logarithms that are followed through the program."""

import numpy as np
import pytest

from fheasible.libraries.parameters import CkksParameters, Parameters
from fheasible.noise.scales import Scale, all_in_numbers, scales_of
from fheasible.program.schedule import value_sizes
from fheasible.program.style import Style
from fheasible.program.types import Action, Program

from .programs import AUTOMATIC, BOOTSTRAPPED, CKKS, FUNCTIONS, program


def followed(found: Program, p: Parameters) -> dict[int, float]:
    """log2 of every scale, by what each operation does to it."""
    log: dict[int, float] = {}
    ladder = np.log2(p.scales)
    for o in found.operations:
        behind = [log[a] for a in o.args]
        match o.action:
            case Action.ENCRYPT | Action.BOOTSTRAP:
                log[o.out] = ladder[o.level]
            case Action.MUL:
                log[o.out] = behind[0] + behind[1]
            case Action.SQUARE:
                log[o.out] = 2 * behind[0]
            case Action.MUL_PLAIN | Action.MUL_SCALAR:  # a factor encoded at S^2 / scale
                log[o.out] = behind[0] + (2 * ladder[o.level] - behind[0])
            case Action.RESCALE:
                log[o.out] = behind[0] - np.log2(p.q[o.level + 1])
            case _:
                assert max(behind) - min(behind) < 1e-9
                log[o.out] = behind[0]
    return log


def in_number(scale: Scale, p: Parameters) -> float:
    (found,) = all_in_numbers(np.array([scale]), p)
    return float(found)


@pytest.mark.parametrize("style", [CKKS, BOOTSTRAPPED], ids=["ckks", "bootstraps"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_symbolic_scales_are_those_of_the_operations(name: str, style: Style) -> None:
    found = program(name, style)
    q = tuple(2**40 + 2**36 * (3 * l % 7) + 1 for l in range(found.levels + 1))
    scales = [2.0**41]
    for prime in q[:0:-1]:
        scales.append(scales[-1] ** 2 / prime)
    p = CkksParameters("seal", "ckks", 1 << 12, q, scales=tuple(scales[::-1]), levels=found.levels)
    for value, log in followed(found, p).items():
        assert np.log2(in_number(scales_of(found)[value], p)) == pytest.approx(log, abs=1e-6)


def test_what_is_made_of_a_product_has_three_polynomials_until_it_is_relinearised() -> None:
    found = program("cancelling", AUTOMATIC)
    sizes = value_sizes(found)
    of = {o.out: o for o in found.operations}
    for o in found.operations:
        match o.action:
            case Action.MUL | Action.SQUARE:
                assert sizes[o.out] == 3
            case Action.RELINEARIZE:
                assert (sizes[o.args[0]], sizes[o.out]) == (3, 2)
            case Action.ENCRYPT | Action.RESCALE:
                assert sizes[o.out] == 2
            case Action.ADD | Action.SUB:
                assert sizes[o.out] == max(sizes[a] for a in o.args)
    assert any(of[o.args[0]].action in (Action.ADD, Action.SUB) for o in found.operations
               if o.action is Action.RELINEARIZE)  # fmt: skip


def test_in_automatic_programs_a_fresh_value_of_degree_two_has_the_square_of_a_scale() -> None:
    found = program("product", AUTOMATIC)
    p = CkksParameters("openfhe", "ckks", 1 << 12, (), scales=(2.0**40, 2.0**41), levels=1)
    first, last = found.operations[0], found.operations[-1]
    assert in_number(scales_of(found)[first.out], p) == 2.0**82  # above the ladder, its top
    assert in_number(scales_of(found)[last.out], p) == 2.0**40


def test_in_automatic_programs_a_sum_has_the_degree_of_its_deeper_operand() -> None:
    """OpenFHE brings the other one to it: here a fresh value, of degree 2, to rotated ones."""
    found = program("rotated copies", AUTOMATIC, slots=8, length=8)
    last = found.operations[-1]
    assert [scales_of(found)[a][1] for a in last.args] == [1, 2]
    assert last.internal
    assert scales_of(found)[last.out] == (0, 1)
