"""Sets judged together: the nearest of those that fall through is told, and each choice hears of its own."""

from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import fheasible as fh
from fheasible.calibration.defaults import default_profile
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.integers import IntegerSets, _walked_together, choice_groups
from fheasible.exploration.judging.judge import STAGES, Rejection
from fheasible.exploration.judging.sieve import JointBlock, Judged, Miss, PrimeSizes, Share, Sieve
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.space.requests import Choice, integers
from fheasible.libraries.block import IntegerBlock
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import IntegerParameters

from .apps import problem, whole

LARGEST = float(np.finfo(float).max)

WISH = Wish(precision=bits(12))


def sieve() -> Sieve:
    choice: Any = SimpleNamespace()
    sizes = np.arange(5)
    return Sieve(choice, 3, {"scale": 20 + sizes, "first": 30 + sizes, "special": 40 + sizes})


@pytest.mark.parametrize(
    ("miss", "at", "distance"),
    [
        (1.0, 1, 1.0),  # all miss as much: the first of them
        (np.array([-9.0, 4.0, -9.0, 2.0, 3.0]), 3, 2.0),  # those that fit, at 0 and 2, miss nothing
        (np.array([0.0, np.nan, 0.0, np.inf, 5.0]), 4, 5.0),
        (np.array([0.0, np.nan, 0.0, np.nan, np.nan]), 1, np.inf),
        (np.array([0.0, np.nan, 0.0, 1e299, np.inf]), 3, 1e299),
        (np.array([0.0, 1.0, 0.0, -np.inf, -3.0]), 3, -LARGEST),
    ],
)
def test_the_nearest_of_those_that_are_left_out_is_told(
    miss: float | NDArray[np.float64], at: int, distance: float
) -> None:
    left = sieve()
    left.keep(np.array([True, False, True, False, False]), "security", miss)
    assert left["scale"].tolist() == [20, 22]
    assert left.nearest == Miss(STAGES.index("security"), distance, 3, (20 + at, 30 + at, 40 + at))


def test_where_all_fit_nothing_is_missed() -> None:
    left = sieve()
    left.keep(np.ones(5, dtype=np.bool_), "security", np.nan)
    assert len(left) == 5
    assert left.nearest is None


def block(size: int) -> IntegerBlock:
    """With a first prime of its own in each set."""
    sets = [IntegerParameters("seal", "bfv", 4096, (97 + i,), (193,), plain_modulus=17) for i in range(size)]
    return IntegerBlock.of(sets)


def described(found: list[int]) -> Callable[[IntegerBlock, PrimeSizes], Columns]:
    """By first primes; `found` is told how many there were."""

    def describe(sets: IntegerBlock, sizes: PrimeSizes) -> Columns:
        found.append(len(sets))
        assert sizes.level.tolist() == [int(q) - 97 for q in sets.q[0]]
        return Columns.of(len(sets), np.zeros(len(sets), dtype=np.int64), {"log_q": sets.q[0]})

    return describe


rows = st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.booleans()), min_size=1, max_size=20)


@given(rows)
def test_each_choice_hears_of_its_own_sets(drawn: list[tuple[int, bool, bool]]) -> None:
    owner, secure, right = (np.array(column) for column in zip(*drawn, strict=True))
    asked: list[int] = []
    sizes = PrimeSizes(np.arange(len(drawn)), np.arange(len(drawn)))
    part = JointBlock(block(len(drawn)), sizes, owner, described(asked))
    part.keep(secure, "security", np.arange(len(drawn)) + 1.0)
    part.keep(right[secure], "correctness", 100.0 - np.flatnonzero(secure))
    for one in range(4):
        found = Share(one, 7, None, [part]).judged(place=10 + one)
        kept = [i for i, of_row in enumerate(drawn) if of_row == (one, True, True)]
        assert found.feasible["log_q"].tolist() == [97 + i for i in kept]
        assert found.feasible.places.tolist() == [10 + one] * len(kept)
        wrong = [i for i, (mine, _, _) in enumerate(drawn) if mine == one and i not in kept]
        late = [i for i in wrong if drawn[i][1]]  # a later stage was nearer to being right
        nearest = max(late) if late else min(wrong, default=None)
        stage, miss = ("correctness", 100.0 - max(late)) if late else ("security", 1.0 + (nearest or 0))
        expected = (
            None if nearest is None else Miss(STAGES.index(stage), miss, 10 + one, (nearest, nearest, 0))
        )
        assert found.nearest == expected
        assert found.rows == 7
    assert len(asked) <= 1  # described once, for all


def alone(library: str, scheme: str, ring: int, choice: Choice, every: bool) -> Judged:
    """By an object that is asked for nothing else."""
    profile = default_profile(library)
    on = IntegerSets(problem(whole), CATALOGUE[library], scheme, WISH, profile, ring)
    return on.judged(choice, 5, every)


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
@pytest.mark.parametrize("library", list(CATALOGUE))
def test_a_choice_is_judged_the_same_after_others_as_alone(library: str, scheme: str, every: bool) -> None:
    draw, ring = Random(f"{library} {scheme}"), 8192
    profile = default_profile(library)
    on = IntegerSets(problem(whole), CATALOGUE[library], scheme, WISH, profile, ring)
    choices = [c for group in integers(CATALOGUE[library], scheme, ring) for c in group]
    for choice in sorted(draw.sample(choices, min(6, len(choices))), key=choices.index):
        found, expected = on.judged(choice, 5, every), alone(library, scheme, ring, choice, every)
        assert (found.rows, found.nearest) == (expected.rows, expected.nearest)
        for name in ("level_bits", "first_bits", "log_q", "cpu_seconds", "peak_bytes", "upload_bytes"):
            assert np.array_equal(found.feasible[name], expected.feasible[name], equal_nan=True), name


@fh.app(x=fh.integers(8, modulo=257))
def narrow(x: fh.Vector) -> fh.Vector:
    return x * x


@pytest.mark.parametrize("library", list(CATALOGUE))
def test_a_ring_that_the_plain_modulus_does_not_fit_has_nothing_right(library: str) -> None:
    """257 is 1 modulo 2N up to N = 128."""
    choice = next(iter(integers(CATALOGUE[library], "bgv", 4096)))[0]
    found = IntegerSets(problem(narrow), CATALOGUE[library], "bgv", WISH, None, 4096).judged(choice, 0, False)
    assert (len(found.feasible), found.rows) == (0, 1 if library == "openfhe" else 113)
    assert isinstance(found.nearest, Rejection)
    assert "257 cannot pack vectors" in found.nearest.reason


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_choices_of_one_program_and_about_as_many_limbs_are_judged_together_in_order(scheme: str) -> None:
    asked = (CATALOGUE["lattigo"], scheme, 8192, None, 0, False)
    walked = [choice for group in choice_groups(*asked) for choice in group]
    groups = _walked_together(*asked)
    assert len(walked) == sum(map(len, groups.values()))
    for choice in walked:
        (together,) = (choices for choices in groups.values() if choice in choices)
        few = (choice.limbs or 1) - 1
        alike = [c for c in walked if c.style == choice.style and ((c.limbs or 1) - 1) // 4 == few // 4]
        assert list(together) == alike
