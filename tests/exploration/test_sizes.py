"""The least size that fits is found between the sizes that are tried, whatever lies below and above it."""

from collections.abc import Sequence
from typing import Any, cast

from hypothesis import example, given
from hypothesis import strategies as st

from fheasible.exploration.candidate import Candidate
from fheasible.exploration.judge import Judge, Rejection
from fheasible.exploration.search import _verdicts
from fheasible.exploration.space import Choice, Family

Verdict = Candidate | Rejection
SIZES = range(20, 60, 3)


class Sized:
    """A judge of sizes: refused up to `first`, too small up to `short`, fits up to `last`, then `beyond`."""

    def __init__(self, first: int, short: int, last: int, beyond: str, exact: bool) -> None:
        self.first, self.short, self.last, self.beyond, self.exact = first, short, last, beyond, exact
        self.asked: list[int] = []

    def __call__(self, choice: Choice) -> Verdict:
        size = cast(Any, choice)
        self.asked.append(size)
        if size <= self.first:
            return Rejection("parameters", f"{size} is refused")
        if size <= self.short:
            return Rejection("correctness" if self.exact else "precision", f"{size} is too small")
        if size <= self.last:
            return fitting(size)
        return Rejection(self.beyond, f"{size} is too large")

    def outgrown(self, least: Candidate, bits: int) -> bool:
        return self.exact


def fitting(size: int) -> Candidate:
    return Candidate(str(size), "", None, None, None, None)  # type: ignore[arg-type]


def found(judge: Sized, sizes: Sequence[int] = SIZES) -> dict[int, Candidate]:
    verdicts = _verdicts(cast(Judge, judge), Family(sizes, cast(Any, int)))
    return {int(v.library): v for v in verdicts if isinstance(v, Candidate)}


WIDE = st.tuples(st.integers(15, 30), st.integers(15, 62), st.integers(15, 62)).map(sorted)
NARROW = st.tuples(st.integers(15, 21), st.integers(22, 58), st.integers(1, 3)).map(
    lambda b: [b[0], b[1], b[1] + b[2]]
)
BOUNDS = WIDE | NARROW
BEYOND = st.sampled_from(["parameters", "security", "memory", "time"])


@given(bounds=BOUNDS, beyond=BEYOND, exact=st.booleans(), step=st.integers(1, 9))
@example(bounds=[15, 22, 23], beyond="parameters", exact=False, step=9)  # what is refused lies on both sides
def test_the_least_that_fits_is_found(bounds: list[int], beyond: str, exact: bool, step: int) -> None:
    first, short, last = bounds
    sizes = range(20, 60, step)
    judge = Sized(first, short, last, beyond, exact)
    least = max(short + 1, sizes[0])
    missed = beyond == "parameters" and not any(first < s <= short for s in sizes)
    if least <= min(last, sizes[-1]) and not missed:
        assert min(found(judge, sizes)) == least
    elif not missed:
        assert found(judge, sizes) == {}


@given(bounds=BOUNDS, beyond=BEYOND)
def test_a_candidate_knows_why_a_bit_less_does_not_do(bounds: list[int], beyond: str) -> None:
    for size, candidate in found(Sized(*bounds, beyond, exact=False)).items():
        if size == bounds[1] + 1 and size > SIZES[0]:
            assert candidate.limit in (f"{size - 1} is too small", f"{size - 1} is refused")


def test_integers_take_no_size_above_the_least() -> None:
    judge = Sized(0, 30, 60, "security", exact=True)
    assert min(found(judge)) == 31
    assert max(judge.asked[1:]) == 32  # after the largest, which tells whether any is enough


def test_where_the_largest_size_is_too_small_no_other_is_tried() -> None:
    judge = Sized(0, 60, 60, "security", exact=True)
    assert found(judge) == {}
    assert judge.asked == [59]


def test_what_there_is_instead_is_tried_where_nothing_fits_alone() -> None:
    roomy = Family(SIZES, lambda size: cast(Any, size + 100))
    verdicts = _verdicts(
        cast(Judge, Sized(0, 100, 200, "security", False)), Family(SIZES, cast(Any, int), roomy)
    )
    assert {v.library for v in verdicts if isinstance(v, Candidate)} >= {"120", "159"}
    enough = _verdicts(cast(Judge, Sized(0, 10, 90, "security", False)), Family(SIZES, cast(Any, int), roomy))
    assert len(enough) == len(SIZES)
