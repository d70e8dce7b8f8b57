"""Budgets of many sets at once, against those of each; on random programs."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.lowering.random_circuits import STYLES, circuit, instructions

import fheasible as fh
from fheasible.libraries.blocks import blocks
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import Request, request_for
from fheasible.libraries.primes import descending
from fheasible.lowering.lower import lower
from fheasible.noise.integers import budget
from fheasible.noise.integers.block_parts import BlockParts, NoiseKinds
from fheasible.noise.integers.budget import budget_bits, budgets
from fheasible.noise.integers.parts import NoiseKind, NoisePart, Parts
from fheasible.noise.integers.shared import Relation
from fheasible.noise.integers.tail import SquareShape
from fheasible.program.types import Program, Scheme

INSECURE_N = 1024
T = (65_537, next(iter(descending(45, 2 * INSECURE_N))))  # products of the larger one's residues are long
BITS = range(24, 61, 3)
PLACES = {
    ("bgv", "seal"): None,
    ("bgv", "lattigo"): None,
    ("bgv", "openfhe"): "fixedmanual",
    ("bgv automatic", "openfhe"): "fixedauto",
    ("bgv extended", "openfhe"): "flexibleautoext",
    ("bfv", "seal"): None,
    ("bfv", "lattigo"): None,
    ("bfv of one size", "openfhe"): None,
}


def requests(program: Program, library: str, technique: str | None, t: int) -> list[Request]:
    """Primes of many sizes, from far too small ones on."""
    scheme, depth = program.scheme.value, program.levels
    asked = request_for(scheme, depth, None, plain_modulus=t, ring_dimension=INSECURE_N)
    if library != "openfhe":
        limbs = depth + 1 if scheme == "bgv" else 4
        special = (60,) * (2 if library == "lattigo" else 1)
        return [replace(asked, prime_bits=(b,) * limbs, special_bits=special) for b in BITS]
    if scheme == "bfv":
        return [replace(asked, depth=d, digits=2) for d in (1, 2, 4)]
    return [replace(asked, technique=technique, eval_add_count=n) for n in (2, 9, 50, 100, 300, 900)]


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(instructions(), st.sampled_from(sorted(PLACES)), st.sampled_from([1, 17, 1024]), st.sampled_from(T))
def test_a_block_has_the_budget_of_each_of_its_sets(
    made: list[tuple[str, int, int]], place: tuple[str, str], length: int, t: int
) -> None:
    style, library = place
    program = lower(circuit(False, length, made, True), STYLES[style], INSECURE_N)
    found = blocks(CATALOGUE[library], requests(program, library, PLACES[place], t))
    assume(found.made)
    for block, _ in found.made:
        budgets = budget_bits(program, block)
        assert budgets.shape == (len(block),)
        assert budgets == pytest.approx([budget_bits(program, p) for p in block.exact], abs=1e-9)


def of_many_layouts(program: Program, library: str, technique: str | None, t: int) -> list[Request]:
    """Digits and special primes of several numbers, and chains of several lengths."""
    found = requests(program, library, technique, t)
    if library == "openfhe":
        ways = [(digits, "hybrid") for digits in (1, 2, 3)] + [(None, "bv")]
        return [replace(r, digits=d, key_switching=way) for r in found for d, way in ways]
    own = [
        replace(r, special_bits=(60,) * k) for r in found for k in ((1,) if library == "seal" else (1, 2, 3))
    ]
    longer = [replace(r, prime_bits=(*r.prime_bits, r.prime_bits[-1])) for r in own if r.prime_bits]
    return own + longer


@settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
@given(instructions(), st.sampled_from(sorted(PLACES)), st.sampled_from([1, 17, 1024]), st.sampled_from(T))
def test_blocks_that_are_walked_together_have_the_budgets_of_each_of_their_sets(
    made: list[tuple[str, int, int]], place: tuple[str, str], length: int, t: int
) -> None:
    style, library = place
    program = lower(circuit(False, length, made, True), STYLES[style], INSECURE_N)
    found = blocks(CATALOGUE[library], of_many_layouts(program, library, PLACES[place], t)).made
    together = budgets(program, [block for block, _ in found])
    assert len(together) == len(found)
    for (block, _), of_block in zip(found, together, strict=True):
        assert of_block == pytest.approx([budget_bits(program, p) for p in block.exact], abs=1e-9)


@settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
@given(
    instructions(),
    st.sampled_from(sorted(PLACES)),
    st.sampled_from([1, 17, 1024]),
    st.sampled_from(T),
    st.floats(0, 50),
)
def test_sets_that_are_given_up_early_are_wrong_by_more_than_enough(
    made: list[tuple[str, int, int]], place: tuple[str, str], length: int, t: int, enough: float
) -> None:
    """And by no less than is said of them, whatever set the bound was made with."""
    style, library = place
    program = lower(circuit(False, length, made, True), STYLES[style], INSECURE_N)
    found = [
        block
        for block, _ in blocks(CATALOGUE[library], of_many_layouts(program, library, PLACES[place], t)).made
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budget, "_BATCH", 0)  # programs are short: no set is followed by itself
        exact, early = budgets(program, found), budgets(program, found, enough=enough)
    for truly, told in zip(exact, early, strict=True):
        known = np.isclose(told, truly, rtol=0, atol=1e-9)
        assert (known | ((told < -enough) & (told > truly))).all()
        assert known[truly >= -enough].all()


def test_a_block_of_a_program_without_operations_has_nothing_to_go_wrong() -> None:
    asked = [request_for("bfv", 1, None, ring_dimension=INSECURE_N, prime_bits=(b,)) for b in (30, 40)]
    empty = Program(Scheme.BFV, 4, 0, (), (), (), ())
    assert budget_bits(empty, blocks(CATALOGUE["seal"], asked).made[0].block).tolist() == [0.0, 0.0]


# -- sums and products, where each set's noise is of another kind

FAILURE_BITS = 60.0
ALONE, TOGETHER = Parts(INSECURE_N, FAILURE_BITS), BlockParts(INSECURE_N, FAILURE_BITS)
SHAPES = (SquareShape(0, (1,)), SquareShape(1, (1,)), SquareShape(3, (1, 1, 1)), SquareShape(6, (1,) * 6))
SLOTS = (1.5, 32.0, 512.0)
numbers = st.floats(-200, 200).map(lambda bits: 2.0**bits)
one = st.tuples(numbers, st.sampled_from(SHAPES), st.sampled_from(SLOTS), st.floats(0, 12))
pairs = st.lists(st.tuples(one, one), min_size=2, max_size=12)


def single(drawn: tuple[float, SquareShape, float, float]) -> NoisePart:
    """Of a variance that is so many bits larger in the largest coefficient."""
    variance, shape, slots, above = drawn
    flat = ALONE.part(variance, shape, slots)
    assert flat
    return flat if above < 1 else flat._replace(worst=flat.worst + above)


def stacked(each: list[NoisePart]) -> NoisePart:
    """As columns."""
    kinds = [TOGETHER.number(TOGETHER.kind(x.kind.shape, x.kind.slots)) for x in each]
    kind = TOGETHER.numbered(np.array(kinds))
    worst, mean = np.array([x.worst for x in each]), np.array([x.mean for x in each])
    return NoisePart(worst, worst if np.array_equal(worst, mean) else mean, kind)


def assert_same(found: NoisePart | None, expected: list[NoisePart | None]) -> None:
    assert found
    alike = isinstance(found.kind, NoiseKind)
    for i, x in enumerate(expected):
        assert x
        kind = found.kind if alike else TOGETHER.kinds[found.kind.which[i]]
        assert (kind.shape, kind.slots) == (x.kind.shape, x.kind.slots)
        assert [found.worst[i], found.mean[i]] == pytest.approx([x.worst, x.mean], abs=1e-9)
        assert found.tail_bits[i] == pytest.approx(x.tail_bits, abs=1e-9)


@given(pairs, st.sampled_from(Relation))
def test_sums_are_those_of_each(drawn: list[tuple[Any, Any]], relation: Relation) -> None:
    xs, ys = ([single(pair[i]) for pair in drawn] for i in (0, 1))
    expected = [ALONE.total(x, y, relation) for x, y in zip(xs, ys, strict=True)]
    assert_same(TOGETHER.total(stacked(xs), stacked(ys), relation), expected)


@given(pairs, st.booleans())
def test_products_are_those_of_each(drawn: list[tuple[Any, Any]], apart: bool) -> None:
    xs, ys = ([single(pair[i]) for pair in drawn] for i in (0, 1))
    expected = [ALONE.product(x, y, apart=apart) for x, y in zip(xs, ys, strict=True)]
    assert_same(TOGETHER.product(stacked(xs), stacked(ys), apart=apart), expected)


@given(st.lists(one, min_size=2, max_size=12))
def test_squares_are_those_of_each(drawn: list[Any]) -> None:
    xs = [single(x) for x in drawn]
    both = stacked(xs)
    assert_same(TOGETHER.product(both, both, same=True), [ALONE.product(x, x, same=True) for x in xs])


@given(st.lists(one, min_size=2, max_size=12), st.integers(2, 4))
def test_factors_that_are_repeated_are_so_in_each(drawn: list[Any], times: int) -> None:
    xs = [single(x) for x in drawn]
    both = stacked(xs)
    repeated = [x._replace(kind=ALONE.repeated(x.kind, times)) for x in xs]
    assert_same(both._replace(kind=TOGETHER.repeated(both.kind, times)), list(repeated))


@given(st.lists(st.tuples(one, one, one), min_size=2, max_size=12))
def test_what_lay_in_single_coefficients_does_so_again_in_each(drawn: list[tuple[Any, Any, Any]]) -> None:
    xs, *before = ([single(three[i]) for three in drawn] for i in range(3))
    expected = [ALONE.heaped(x, bs) for x, *bs in zip(xs, *before, strict=True)]
    assert_same(TOGETHER.heaped(stacked(xs), [stacked(bs) for bs in before]), expected)


def test_a_sum_has_one_kind_where_one_prevails_in_all() -> None:
    light, heavy = (
        TOGETHER.part(np.full(3, v), shape, 512.0) for v, shape in zip((1.0, 9.0), SHAPES[1:], strict=False)
    )
    assert light
    assert heavy
    found = TOGETHER.total(light, heavy, Relation.APART)
    assert found
    assert found.kind is heavy.kind


def test_and_several_where_not() -> None:
    light = TOGETHER.part(np.ones(2), SHAPES[0], 512.0)
    heavy = TOGETHER.part(np.array([1e-40, 1.0]), SHAPES[3], 512.0)
    assert light
    assert heavy
    found = TOGETHER.total(light, heavy, Relation.APART)
    assert found
    assert isinstance(found.kind, NoiseKinds)
    assert [TOGETHER.kinds[i] for i in found.kind.which] == [light.kind, heavy.kind]


# -- sets whose noise is lost, at any depth


def squared(x: fh.Vector, y: fh.Vector, times: int) -> fh.Vector:
    for _ in range(times):
        x = x * x
    return x


def multiplied(x: fh.Vector, y: fh.Vector, times: int) -> fh.Vector:
    """As many factors as Fibonacci's numbers tell."""
    for _ in range(times):
        x, y = y, x * y
    return y


LOST = {"squared": (squared, 40), "multiplied": (multiplied, 24), "squared often": (squared, 200)}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("library", ["seal", "lattigo"])
@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
@pytest.mark.parametrize("name", LOST)
def test_lost_noise_is_said_at_any_depth(name: str, scheme: str, library: str) -> None:
    """Without a warning, and no number is beyond doubles: shapes and variances would double with each
    product."""
    f, times = LOST[name]
    declared = {v: fh.integers(8, modulo=T[0]) for v in "xy"}
    found = fh.app(minimise_depth=False, **declared)(lambda x, y: f(x, y, times)).trace()
    program = lower(found, CATALOGUE[library].style(scheme, None), INSECURE_N)
    depth = program.levels
    asked = request_for(
        scheme, depth, None, plain_modulus=T[0], ring_dimension=INSECURE_N, special_bits=(60,)
    )
    sizes = [replace(asked, prime_bits=(bits,) * max(depth + 1, 2)) for bits in range(24, 32)]
    (made, *_) = blocks(CATALOGUE[library], sizes).made
    left = budget_bits(program, made.block)
    assert np.isfinite(left).all()
    assert left.min() < 0
    assert left == pytest.approx([budget_bits(program, p) for p in made.block.exact], abs=1e-6)


@pytest.mark.filterwarnings("error")
def test_a_variance_that_some_sets_of_a_block_have_not() -> None:
    found = TOGETHER.part(np.array([0.0, 1.0]), SHAPES[0], 512.0)
    assert found
    both = TOGETHER.total(found, TOGETHER.part(np.array([1.0, 0.0]), SHAPES[2], 512.0), Relation.APART)
    assert both
    assert both.worst == pytest.approx([0.0, 0.0])
