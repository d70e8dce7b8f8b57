"""Factors that plaintexts carry, against plaintexts that are followed modulo t."""

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.libraries.parameters import IntegerParameters
from fheasible.lowering.lower import lower
from fheasible.noise.integers.plain_factors import Factors, factors
from fheasible.noise.integers.steps import steps
from fheasible.program.style import Style
from fheasible.program.types import Action, Program, Scheme
from fheasible.schemes.rns.factors import balanced, nearest, nearest_each

T = 65537
Q = (1_000_003, 1_000_033, 1_000_037, 1_000_039)


def size(x: int, t: int) -> int:
    """How far x is from 0 modulo t."""
    return min(x % t, -x % t)


@given(st.integers(1, T - 1), st.integers(1, T - 1))
def test_multipliers_bring_two_factors_together_and_are_near_zero(f: int, g: int) -> None:
    a, b = balanced(f, g, T)
    assert (a * f - b * g) % T == 0
    assert 0 < a < T
    assert 0 < b < T
    assert size(a, T) + size(b, T) <= 2 * T**0.5 + 1  # Thue's lemma


@given(st.sampled_from((T, 2**31 - 1, 1 << 20, 12)), st.lists(st.integers(0, 1 << 40), min_size=1))
def test_many_ratios_have_the_multipliers_of_each(t: int, drawn: list[int]) -> None:
    ratios = [number % t for number in drawn]
    found = zip(*(each.tolist() for each in nearest_each(np.array(ratios), t)), strict=True)
    assert list(found) == [nearest(ratio, t) for ratio in ratios]


@pytest.mark.parametrize("t", [11, 23])
def test_multipliers_are_not_far_from_the_nearest(t: int) -> None:
    for f, g in product(range(1, t), repeat=2):
        a, b = balanced(f, g, t)
        least = min(size(x, t) + size(x * f * pow(g, -1, t), t) for x in range(1, t))
        assert size(a, t) + size(b, t) <= 2 * least


def mixed(scheme: Scheme) -> Program:
    @fh.app(x=fh.integers(4, modulo=T), y=fh.integers(4, modulo=T))
    def depths(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        return (x * x * y + x) * y - x * 3

    return lower(depths.trace(), Style(scheme), 8)


def followed(program: Program, p: IntegerParameters) -> tuple[dict[int, int], Factors]:
    """The factor of every value."""
    found = factors(steps(program).steps, p)
    return {value: found.of[step] for value, step in steps(program).of.items()}, found


def test_dividing_by_a_prime_divides_the_plaintext() -> None:
    found = mixed(Scheme.BGV)
    p = IntegerParameters("seal", "bgv", 64, Q[: found.levels + 1], plain_modulus=T, levels=found.levels)
    known, whole = followed(found, p)
    for o in found.operations:
        before = [known[a] for a in o.args]
        if o.action in (Action.MUL, Action.SQUARE):
            assert known[o.out] == before[0] * before[-1] % T
        elif o.action is Action.RESCALE:
            assert known[o.out] * p.q[o.level + 1] % T == before[0]
        elif o.action in (Action.ADD, Action.SUB):
            a, b = whole.multipliers.get(steps(found).of[o.out], (1, 1))
            assert a * before[0] % T == b * before[1] % T == known[o.out]
    assert whole.multipliers


def test_scaling_by_t_over_q_leaves_a_factor_in_lattigo() -> None:
    found = mixed(Scheme.BFV)
    p = IntegerParameters("lattigo", "bfv", 64, Q, plain_modulus=T)
    known, _ = followed(found, p)
    for o in found.operations:
        if o.action in (Action.MUL, Action.SQUARE):
            assert known[o.out] * prod(p.q) % T == -known[o.args[0]] * known[o.args[-1]] % T


def test_a_drop_divides_by_every_prime_on_its_way() -> None:
    found = mixed(Scheme.BGV)
    p = IntegerParameters("lattigo", "bgv", 64, Q[: found.levels + 1], plain_modulus=T, levels=found.levels)
    known, _ = followed(found, p)
    levels = {o.out: o.level for o in found.operations}
    drops = [o for o in found.operations if o.action is Action.DROP]
    assert drops
    for o in drops:
        gone = 1
        for prime in p.q[o.level + 1 : levels[o.args[0]] + 1]:
            gone = gone * prime % T
        assert known[o.out] * gone % T == known[o.args[0]]


@pytest.mark.parametrize(("library", "scheme"), [("seal", Scheme.BFV), ("openfhe", Scheme.BGV)])
def test_elsewhere_there_are_no_factors(library: str, scheme: Scheme) -> None:
    found = mixed(scheme)
    p = IntegerParameters(library, scheme.value, 64, Q, plain_modulus=T, levels=found.levels)
    known, whole = followed(found, p)
    assert set(known.values()) == {1}
    assert not whole.multipliers
