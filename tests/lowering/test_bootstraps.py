"""Bootstraps are as few as they can be: against every other choice of values, counted one by one."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from fheasible.lowering import bootstraps
from fheasible.lowering.bootstraps import Leveled, impossible, latest_starts, place, roughly
from fheasible.lowering.cuts import crossings, cuts

FRESH = Leveled((), 0, 99, -1, fresh=True)


def possible(values: list[Leveled], chosen: frozenset[int]) -> bool:
    """Whether no value falls below its level, each depth found anew from the paths to it."""
    used: dict[int, int] = {}
    for at, v in enumerate(values):
        depth = max((used[a] for a in v.args), default=0) + v.takes
        if depth > v.most or (at in chosen and depth > v.room):
            return False
        used[at] = 0 if at in chosen else v.start if v.fresh else depth
    return True


def fewest(values: list[Leveled]) -> int | None:
    """By trying all choices, smallest first; None where none is possible."""
    open_to = [at for at, v in enumerate(values) if not v.fresh and v.room >= 0]
    for count in range(len(open_to) + 1):
        if any(possible(values, frozenset(chosen)) for chosen in combinations(open_to, count)):
            return count
    return None


@st.composite
def circuits(draw: st.DrawFn, most: int = 12) -> list[Leveled]:
    """Values of one or two operands each. Some are bootstrapped by the user, some can be at no depth, some
    only with a level to spare, and some results keep a level. Fresh values may have more levels."""
    levels, least = draw(st.integers(1, 4)), draw(st.integers(0, 1))
    values = [FRESH._replace(start=-draw(st.sampled_from((0, 0, 1, 3)))) for _ in range(2)]
    for _ in range(draw(st.integers(2, most))):
        back = st.integers(1, min(len(values), 5)).map(lambda k: len(values) - k)
        args = tuple(draw(st.lists(back, min_size=1, max_size=2)))
        if draw(st.integers(0, 15)) == 0:
            values.append(Leveled(args, draw(st.integers(0, 1)), levels - least, -1, fresh=True))
        else:
            room = max(levels - least - draw(st.sampled_from((0, 0, 0, 1, 9))), -1)
            most_depth = levels - (draw(st.integers(0, 9)) == 0)
            values.append(Leveled(args, draw(st.sampled_from((0, 1, 1, 2))), most_depth, room))
    return values


@given(circuits())
@settings(max_examples=150, deadline=None)
def test_what_is_counted_at_once_is_enough_and_not_far_from_the_fewest(values: list[Leveled]) -> None:
    assume(impossible(values) is None)
    wanted = fewest(values)
    assert wanted is not None
    assert wanted <= roughly(values) <= 2 * wanted + 1
    assert (roughly(values) == 0) == (wanted == 0)


@given(circuits())
@settings(max_examples=150, deadline=None)
def test_no_other_choice_of_values_has_fewer_bootstraps(values: list[Leveled]) -> None:
    wanted = fewest(values)
    assert (wanted is None) == (impossible(values) is not None)
    if wanted is not None:
        found = place(values)
        assert possible(values, found.chosen)
        assert len(found.chosen) == wanted
        assert found.proven


@given(circuits())
@example(  # a value that may be bootstrapped deeper than its operation is possible
    [
        FRESH._replace(start=-1), Leveled((0,), 0, 1, 2), Leveled((1,), 1, 1, 2), Leveled((2,), 1, 1, 2),
        Leveled((3,), 1, 1, 2),
    ]
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_fresh_values_start_as_late_as_the_places_allow(values: list[Leveled]) -> None:
    """They may all start there, and none a level later by itself, unless it has no more than others."""
    assume(impossible(values) is None)
    chosen = place(values).chosen
    starts = latest_starts(values, chosen)
    late = [v._replace(start=starts.get(at, v.start)) for at, v in enumerate(values)]
    assert possible(late, chosen)
    for at, start in starts.items():
        assert values[at].start <= start <= 0
        later = [v._replace(start=v.start + (place == at)) for place, v in enumerate(late)]
        assert start == 0 or not possible(later, chosen)


def test_more_levels_of_fresh_values_are_used_up_before_the_first_bootstrap() -> None:
    """A chain of 30 levels: 5 after each bootstrap, and up to 12 more for what is fresh."""
    for above, count in ((0, 5), (5, 4), (12, 3)):
        chain = [FRESH._replace(start=-above), *(Leveled((at,), 1, 5, 5) for at in range(30))]
        found = place(chain)
        assert (len(found.chosen), found.proven) == (count, True)
        assert min(latest_starts(chain, found.chosen).values()) == -min(above, 10)


@given(circuits(most=40))
@settings(max_examples=30, deadline=None)
def test_what_is_given_up_is_possible_and_nothing_in_it_is_in_vain(values: list[Leveled]) -> None:
    assume(impossible(values) is None)
    with pytest.MonkeyPatch.context() as patch:
        for work in ("_FIRST", "_OF_EACH", "_WORK"):
            patch.setattr(bootstraps, work, 1)
        bootstraps._placed.cache_clear()
        found = place(values)
    assert possible(values, found.chosen)
    assert not any(possible(values, found.chosen - {at}) for at in found.chosen)
    assert not found.proven or len(found.chosen) == len(place(values).chosen)


def tangled(seed: int) -> list[Leveled]:
    """40 to 200 values, each made of one or two of the last ones; some are bootstrapped a level earlier."""
    draw = np.random.default_rng(seed)
    levels, width = int(draw.integers(2, 9)), int(draw.integers(2, 7))
    values = [FRESH._replace(start=-int(draw.choice((0, 0, 4, 9))))] * width
    for _ in range(draw.integers(40, 200)):
        back = draw.integers(1, min(len(values), draw.choice((width, 12))) + 1, size=draw.integers(1, 3))
        room = levels - int(draw.choice((0, 0, 0, 1)))
        values.append(Leveled(tuple((len(values) - back).tolist()), int(draw.integers(0, 2)), levels, room))
    return values


@pytest.mark.parametrize(("seed", "known"), list(enumerate((1, 8, 3, 2, 0, 10, 3, 8, 10, 3, 2, 16))))
def test_a_short_search_finds_as_few_bootstraps_as_a_long_one(seed: int, known: int) -> None:
    """The numbers were found by a search without lower bounds that always began with minimum cuts, and that
    looked at 400,000 values."""
    values = tangled(seed)
    found = place(values).chosen
    assert possible(values, found)
    assert len(found) <= known


@given(circuits(most=25))
@settings(max_examples=100, deadline=None)
def test_what_crosses_a_potential_is_all_that_is_there_by_it_and_used_beyond_it(
    values: list[Leveled],
) -> None:
    values = [v._replace(start=0, room=max(v.room, 0)) for v in values]
    potential = bootstraps._earliest(values)
    wanted: dict[int, set[int]] = {at: set() for at in range(1, max(potential))}
    skipped = set[int]()
    charged = [False] * len(values)
    for made, v in enumerate(values):
        charged[made] = not v.fresh and (v.takes > 0 or any(charged[a] for a in v.args))
        for at in wanted:
            if v.args and potential[made] - v.takes < at < potential[made]:
                skipped.add(at)  # an operation of two levels leads past it
            met = (
                a for a in v.args if potential[a] <= at <= potential[made] - max(v.takes, 1) and charged[a]
            )
            wanted[at] |= set(met)
    found = {start: set(cut.values) for start, end, cut in crossings(values, potential) if start == end}
    assert found == {at: of for at, of in wanted.items() if at not in skipped}


def wide(depth: int, width: int, narrow: int, levels: int) -> Iterator[Leveled]:
    """`width` values at each depth, products of two of the last ones; three of them at every `narrow`-th."""
    draw = np.random.default_rng(1)
    yield from [FRESH] * width
    last = list(range(width))
    for d in range(1, depth + 1):
        here = [last[-1] + 1 + i for i in range(3 if d % narrow == 0 else width)]
        for _ in here:
            a, b = draw.choice(last, 2).tolist()
            yield Leveled((a, b), 1, levels, levels)
        last = here


def test_cuts_of_a_large_circuit_stand_where_it_is_narrow() -> None:
    """10,000 operations of depth 200, narrow at every tenth: a lower bound proves the number."""
    values = list(wide(200, 55, 10, 12))
    assert len(values) > 10_000
    found = place(values)
    assert found.proven
    assert len(found.chosen) == 3 * 19
    more = [v._replace(start=-25) if v.fresh else v for v in values]  # up to depth 30, the last narrow one
    assert len(place(more).chosen) == 3 * 17
    assert min(latest_starts(more, place(more).chosen).values()) == -18


def test_a_cut_may_be_staggered_where_two_parts_are_narrow_at_different_depths() -> None:
    """Two parts side by side, one narrow at depth 2, the other at depth 3."""
    values = [FRESH, FRESH]
    one = [Leveled((0,), 1, 4, 4), Leveled((2,), 1, 4, 4)]  # depths 1 and 2: one value
    spread = [Leveled((3,), 1, 4, 4), Leveled((3, 0), 1, 4, 4)]  # depth 3: two
    values += [*one, *spread]
    values += [Leveled((1,), 1, 4, 4), Leveled((1, 0), 1, 4, 4)]  # 6, 7: depth 1
    values += [Leveled((6, 7), 1, 4, 4), Leveled((7, 6), 1, 4, 4)]  # 8, 9: depth 2: two
    values += [Leveled((8, 9), 1, 4, 4)]  # 10: depth 3: one
    values += [Leveled((4, 10), 1, 4, 4), Leveled((5, 11), 1, 4, 4), Leveled((4, 12), 1, 4, 4)]
    assert len(place(values).chosen) == fewest(values)


@given(circuits(most=25))
@settings(max_examples=100, deadline=None)
def test_a_cut_separates(values: list[Leveled]) -> None:
    """No path leads from a value that has used up a level by a to one beyond b, past the cut."""
    values = [v._replace(start=0) for v in values]
    potential = bootstraps._earliest(values)
    for start, end, cut in cuts(values, potential):
        assert all(values[v].room >= 0 for v in cut.values)
        charged, carries = [False] * len(values), [False] * len(values)
        for at, v in enumerate(values):
            early = potential[at] - v.takes < start
            before = any(charged[a] if early else carries[a] and a not in cut.values for a in v.args)
            assert not (potential[at] > end and (before or (early and v.args))), (start, end, cut)
            charged[at] = not v.fresh and (v.takes > 0 or any(charged[a] for a in v.args))
            carries[at] = not v.fresh and (before or (early and v.takes > 0))
