"""The loop packing -> depth -> ring -> packing ends in a program and parameters of one ring."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.errors import InfeasibleParameters
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import CkksParameters, Parameters, request_for
from fheasible.lowering.lower import lower
from fheasible.lowering.plan import Lowerings, depth_of, multiplicative_depth, plan
from fheasible.program.digest import digest
from fheasible.program.style import Style
from fheasible.program.types import Scheme

CKKS, BFV = Style(Scheme.CKKS), Style(Scheme.BFV)


def spread(length: int = 20_000) -> Lowerings:
    """With padding its squares need a mask before they are added: another level."""

    @fh.app(x=fh.reals(length, low=-1, high=1), y=fh.reals(1, low=-1, high=1))
    def application(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        return fh.sum((x + y) ** 2)

    return Lowerings(application.trace())


def counted() -> Lowerings:
    @fh.app(x=fh.integers(5000, low=0, high=9))
    def application(x: fh.Vector) -> fh.Vector:
        return fh.sum(x**3)

    return Lowerings(application.trace())


def of_ring(n: int) -> Parameters:
    return CkksParameters("openfhe", "ckks", n, (97,))


def test_the_ring_that_openfhe_picks_is_the_one_the_program_is_packed_for() -> None:
    openfhe, lowerings = library("openfhe"), spread()
    style = openfhe.style("ckks", "flexibleauto")

    def ask(depth: int, n: int | None) -> Parameters:
        return openfhe.parameters(
            request_for("ckks", depth, scale_bits=50, technique="flexibleauto", ring_dimension=n)
        )

    program, found = plan(lowerings, style, ask)
    n = found.ring_dimension
    assert digest(program) == digest(lower(lowerings.circuit, style, n // 2))
    assert found.q == ask(program.levels, n).q
    assert ask(program.levels, None).ring_dimension == n


@given(st.lists(st.sampled_from([1 << k for k in range(10, 18)]), min_size=8, max_size=8))
def test_whatever_rings_a_library_picks_the_loop_ends(rings: list[int]) -> None:
    """The ring depends on the depth, and the depth on the ring, in any way."""

    def ask(depth: int, n: int | None) -> Parameters:
        return of_ring(n or rings[depth % len(rings)])

    lowerings = SHARED
    program, found = plan(lowerings, CKKS, ask)
    assert program is lowerings.program(CKKS, found.ring_dimension)


SHARED = spread()


def test_a_ring_that_is_given_is_kept() -> None:
    asked: list[tuple[int, int | None]] = []

    def ask(depth: int, n: int | None) -> Parameters:
        asked.append((depth, n))
        return of_ring(n or 1 << 15)

    program, found = plan(SHARED, CKKS, ask, 1 << 12)
    assert found.ring_dimension == 1 << 12
    assert program.slots == 1 << 11
    assert asked == [(program.levels, 1 << 12)]


def test_what_the_library_cannot_have_is_passed_on() -> None:
    def ask(depth: int, n: int | None) -> Parameters:
        raise InfeasibleParameters(f"depth {depth}")

    with pytest.raises(InfeasibleParameters, match="depth 2"):
        plan(SHARED, CKKS, ask)


def test_a_program_is_made_once_for_all_rings_that_hold_it() -> None:
    lowerings = counted()
    assert lowerings.program(CKKS, 1 << 15) is lowerings.program(CKKS, 1 << 16)
    assert lowerings.program(CKKS, 1 << 12) is not lowerings.program(CKKS, 1 << 13)


@pytest.mark.parametrize("ring", [1 << k for k in range(11, 17)])
@pytest.mark.parametrize("style", [CKKS, BFV], ids=["ckks", "bfv"])
def test_the_kept_program_is_the_one_that_the_ring_would_get(style: Style, ring: int) -> None:
    lowerings = counted()
    capacity = ring if style.exact else ring // 2
    assert digest(lowerings.program(style, ring)) == digest(lower(lowerings.circuit, style, capacity))


def test_the_depth_that_is_asked_counts_levels_or_in_bfv_products() -> None:
    lowerings = counted()
    for style, depth in ((CKKS, 2), (Style(Scheme.BGV), 2), (BFV, 2)):
        program = lowerings.program(style, 1 << 14)
        assert depth_of(program, style) == depth
        assert multiplicative_depth(program) == 2
    assert lowerings.program(BFV, 1 << 14).levels == 0


def test_matrices_are_lowered_anew_where_rotations_are_hoisted() -> None:
    matrix = np.random.default_rng(0).uniform(-1, 1, (64, 64))
    found = fh.app(x=fh.reals(64, low=0, high=1))(lambda x: fh.matmul(matrix, x)).trace()
    lowerings, hoisting = Lowerings(found), replace(CKKS, hoists=True)
    alone, shared = (lowerings.program(style, 1 << 13) for style in (CKKS, hoisting))
    assert digest(shared) == digest(lower(found, hoisting, 1 << 12))
    assert len(shared.rotations) > len(alone.rotations)  # more of them are baby steps
