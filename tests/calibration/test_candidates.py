"""The runs that calibration chooses among are runs that every library can make."""

from collections import defaultdict
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import isqrt, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.calibration.candidates import (
    LEVELS,
    PLAIN_MODULUS,
    CalibrationRun,
    candidates,
    levels,
    requests,
)
from fheasible.errors import InfeasibleParameters
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.work import layout_of
from fheasible.program.types import Action
from libraries.chains import chain

from .following import follow

PAIRS = [(name, scheme) for name, library in CATALOGUE.items() for scheme in library.schemes]
every_scheme = pytest.mark.parametrize(("library", "scheme"), PAIRS)


@cache
def found(library: str, scheme: str) -> tuple[CalibrationRun, ...]:
    return tuple(candidates(CATALOGUE[library], scheme))


def heavy(library: str, scheme: str) -> list[Parameters]:
    return [c.parameters for c in found(library, scheme) if not c.linear]


@every_scheme
def test_all_are_what_the_library_makes_of_a_request(library: str, scheme: str) -> None:
    assert found(library, scheme)
    for c in found(library, scheme):
        p = c.parameters
        assert (p.library, p.scheme) == (library, scheme)
        assert p.request is not None
        assert p.ring_dimension == p.request.ring_dimension
        assert CATALOGUE[library].parameters(p.request) == p
        assert CATALOGUE[library].worker_parameters(p)


@every_scheme
def test_no_run_is_offered_twice(library: str, scheme: str) -> None:
    """A budget would be spent on either of two that show the same."""
    places = [
        (c.parameters.ring_dimension, layout_of(c.parameters), c.linear) for c in found(library, scheme)
    ]
    assert len(places) == len(set(places))


@every_scheme
def test_small_rings_come_first_and_are_repeated_most(library: str, scheme: str) -> None:
    for linear in (False, True):
        some = [c for c in found(library, scheme) if c.linear == linear]
        assert [c.parameters.ring_dimension for c in some] == sorted(
            c.parameters.ring_dimension for c in some
        )
        assert [c.repetitions for c in some] == sorted((c.repetitions for c in some), reverse=True)
        assert min(c.repetitions for c in some) >= 2


@every_scheme
def test_ring_dimension_and_limbs_are_told_apart(library: str, scheme: str) -> None:
    """Several numbers of limbs at a ring, and several rings of about as many limbs."""
    limbs, rings = defaultdict(set), defaultdict(set)
    for p in heavy(library, scheme):
        limbs[p.ring_dimension].add(p.limbs)
        rings[p.limbs].add(p.ring_dimension)
    assert set(limbs) == {1 << k for k in (12, 13, 14, 15, 16)}
    assert all(len(several) >= 2 for several in limbs.values())
    assert max(len(several) for several in rings.values()) >= 2
    assert max(max(several) for several in limbs.values()) >= 8


@pytest.mark.parametrize("scheme", ["ckks", "bgv", "bfv"])
def test_digits_and_kinds_of_key_switching_are_all_shown(scheme: str) -> None:
    shown = {
        name: {(p.key_switching, p.digits) for p in heavy(name, scheme)} for name in ("openfhe", "lattigo")
    }
    assert {kind for kind, _ in shown["openfhe"]} == ({"hybrid"} if scheme == "bgv" else {"hybrid", "bv"})
    assert len({digits for kind, digits in shown["lattigo"]}) >= 2
    assert len({len(p.p) for p in heavy("lattigo", scheme)}) >= 2
    if scheme != "bfv":
        assert {2, 3} <= {digits for kind, digits in shown["openfhe"] if kind == "hybrid"}


@every_scheme
@pytest.mark.parametrize("number", [0, 1])
def test_their_programs_obey_the_rules(library: str, scheme: str, number: int) -> None:
    for c in found(library, scheme):
        if c.parameters.ring_dimension <= 1 << 14:
            program, n = c.program(number), c.parameters.ring_dimension
            follow(program)
            assert program.slots == (n // 2 if scheme == "ckks" else n)
            assert program.levels == c.parameters.levels
            assert {o.computes_at for o in program.operations} == set(c.at)
            assert program.switches_keys is not c.linear


@every_scheme
def test_linear_programs_are_of_long_chains_and_switch_no_keys(library: str, scheme: str) -> None:
    some = [c for c in found(library, scheme) if c.linear]
    assert some
    assert max(c.parameters.limbs for c in some) > max(p.limbs for p in heavy(library, scheme))
    program = some[0].program(0)
    assert not program.switches_keys
    assert not {Action.MUL, Action.SQUARE} & {o.action for o in program.operations}


@every_scheme
def test_passes_differ_in_what_happens_once_a_run(library: str, scheme: str) -> None:
    """Decryption costs by the level of the output, key generation by the keys."""
    c = next(c for c in found(library, scheme) if not c.linear and (c.parameters.levels or scheme == "bfv"))
    outputs, keys = [], []
    for program in (c.program(0), c.program(1)):
        levels_of = {o.out: o.level for o in program.operations}
        outputs.append(levels_of[program.outputs[0].values[0]])
        keys.append(len(program.rotations))
    assert keys == [1, 2]
    assert outputs == [0, c.parameters.levels]
    assert c.program(2).rotations == c.program(0).rotations


@every_scheme
def test_odd_runs_of_libraries_that_can_share_digits_show_what_that_costs(library: str, scheme: str) -> None:
    for c in [c for c in found(library, scheme) if not c.linear][::5]:
        kinds = [{o.kind for o in c.program(number).operations} for number in (0, 1)]
        shared = {"rotate_hoist", "rotate_hoisted"} if CATALOGUE[library].hoists else set()
        assert [found & {"rotate_hoist", "rotate_hoisted"} for found in kinds] == [set(), shared]
        assert all("rotate" in found for found in kinds)


@every_scheme
def test_ones_are_decrypted_without_an_overflow(library: str, scheme: str) -> None:
    """The inputs are ones, doubled by the program's sum; plain factors are at most 3."""
    for c in found(library, scheme):
        p = c.parameters
        if scheme == "ckks":
            assert p.scales[0] * 2 < p.q[0] / 2
        else:
            assert p.plain_modulus == PLAIN_MODULUS
            assert log2(PLAIN_MODULUS) < p.log_q


def test_the_plaintext_modulus_is_a_prime_that_batches_in_every_ring() -> None:
    assert all(PLAIN_MODULUS % k for k in range(2, isqrt(PLAIN_MODULUS) + 1))
    assert PLAIN_MODULUS % 2**18 == 1


@given(top=st.integers(0, 60), most=st.integers(2, 9))
def test_levels_are_few_even_and_have_both_ends(top: int, most: int) -> None:
    p = replace(chain("seal", "ckks", 1), levels=top)
    at = levels(p, most)
    assert at == tuple(sorted(set(at)))
    assert {0, top} <= set(at) <= set(range(top + 1))
    assert len(at) == min(most, top + 1)
    if len(at) > 1:
        steps = [b - a for a, b in pairwise(at)]
        assert max(steps) - min(steps) <= 1


@every_scheme
def test_a_candidate_is_run_at_a_few_of_its_levels(library: str, scheme: str) -> None:
    for c in found(library, scheme):
        assert c.at == levels(c.parameters, LEVELS)
        assert len(c.at) <= LEVELS
        assert scheme != "bfv" or c.at == (0,)


@every_scheme
def test_requests_may_ask_for_security(library: str, scheme: str) -> None:
    """What does not fit at that ring is then refused."""
    asked = list(requests(CATALOGUE[library], scheme, 1 << 12, 11, security=128))
    assert {r.security for r in asked} == {128}
    assert {r.security for r in requests(CATALOGUE[library], scheme, 1 << 12, 2)} == {None}
    for r in asked:
        with pytest.raises(InfeasibleParameters):
            CATALOGUE[library].parameters(r)
