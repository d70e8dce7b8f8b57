"""The builder keeps the cheapest of several ways, and nothing of the others."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from fheasible.lowering.lookups.builder import LookupBuilder
from fheasible.program.lookups import Digits, Step

Way = list[tuple[int, int]]  # (which earlier value, what is added to it modulo 4) for each look-up

LENGTHS = (1, 3, 5)
ways = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=6)


def started() -> tuple[LookupBuilder, list[int]]:
    build = LookupBuilder(4, 16)
    return build, [build.encrypt("x", i, length) for i, length in enumerate(LENGTHS)]


def walked(build: LookupBuilder, values: Sequence[int], way: Way) -> list[int]:
    made = list(values)
    for place, shift in way:
        made.append(build.lookup(made[place % len(made)], 3, lambda v, shift=shift: (v + shift) % 4))
    return made


def finished(build: LookupBuilder, values: list[int]) -> list[tuple[object, ...]]:
    shown = Digits("y", 1, tuple(values), 4)
    program = build.finish([], [shown])
    return [(s.step, s.args, s.length, program.tables[s.table] if s.step is Step.LOOKUP else ())
            for s in program.steps]  # fmt: skip


def lookups_of(before: Way, *ways: Way) -> int:
    """The look-ups that ways take together, one after the other, with what is there before."""
    build, made = started()
    for way in (before, *ways):
        made = walked(build, made, way)
    return sum(length for step, _, length, _ in finished(build, made) if step is Step.LOOKUP)


@given(ways, st.lists(ways, min_size=1, max_size=5), ways)
def test_the_first_way_with_the_fewest_lookups_stays_alone(
    before: Way, several: list[Way], then: Way
) -> None:
    build, values = started()
    there = walked(build, values, before)
    found = build.cheapest(
        [lambda way=way: walked(build, there, way) for way in several],
        lambda made: walked(build, made, then),
    )
    counts = [lookups_of(before, way, then) for way in several]
    alone, values = started()
    expected = walked(alone, walked(alone, values, before), several[counts.index(min(counts))])
    if len(several) > 1:
        assert found == expected
    assert finished(build, found) == finished(alone, expected)


@given(ways, st.lists(ways, min_size=2, max_size=3), st.lists(ways, min_size=2, max_size=3))
def test_a_way_may_choose_among_ways_itself(before: Way, inner: list[Way], outer: list[Way]) -> None:
    build, values = started()
    there = walked(build, values, before)

    def nested() -> list[int]:
        return build.cheapest([lambda way=way: walked(build, there, way) for way in inner])

    found = build.cheapest([nested, *(lambda way=way: walked(build, there, way) for way in outer)])
    counts = [lookups_of(before, way) for way in inner]
    best = [inner[counts.index(min(counts))], *outer]
    counts = [lookups_of(before, way) for way in best]
    alone, values = started()
    expected = walked(alone, walked(alone, values, before), best[counts.index(min(counts))])
    assert finished(build, found) == finished(alone, expected)
