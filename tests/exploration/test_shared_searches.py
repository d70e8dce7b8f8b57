"""What one search of a problem found serves the next: that spares work, and changes nothing."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.calibration.defaults import default_profile
from fheasible.circuit.domain import tried
from fheasible.exploration.judging import ckks, integers
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.judge import Judge
from fheasible.exploration.judging.rank import Pool, together
from fheasible.exploration.judging.sieve import Judged, Nearest, nearer
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.search.search import Exploration, explore
from fheasible.exploration.search.walk import Walk
from fheasible.exploration.space.chains import chains
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.library import Library
from fheasible.noise.ckks.precision import precision

from .apps import problem, real, whole

PROFILES = {name: profile for name in CATALOGUE if (profile := default_profile(name)) is not None}
FIRST = Wish(security=192, precision=bits(15))
LATER = {
    "less precision": Wish(security=192, precision=bits(10)),
    "less security": Wish(security=128, precision=bits(15)),
    "rarer failures": Wish(security=192, precision=bits(15), failure=80),
    "another objective": Wish(security=192, precision=bits(15), objective="memory"),
}


def searched(on: Problem, wish: Wish) -> Exploration:
    return explore(on, wish, list(CATALOGUE.values()), PROFILES)


def same(one: Exploration, other: Exploration) -> None:
    assert (one.explored, one.feasible) == (other.explored, other.feasible)
    assert [c.request for c in one.candidates] == [c.request for c in other.candidates]
    assert [(r.library, r.scheme, r.reason) for r in one.rejected] == [
        (r.library, r.scheme, r.reason) for r in other.rejected
    ]
    for name, column in one.kept.data.items():
        if column.dtype == np.float64:
            np.testing.assert_allclose(column, other.kept[name], rtol=1e-9)
        else:
            assert column.tolist() == other.kept[name].tolist()


@pytest.mark.long
@pytest.mark.parametrize("wish", LATER.values(), ids=LATER)
@pytest.mark.parametrize("app", [real, whole], ids=["reals", "integers"])
def test_a_later_search_of_a_problem_finds_what_a_first_one_does(app: Any, wish: Wish) -> None:
    on = problem(app)
    searched(on, FIRST)
    same(searched(on, wish), searched(problem(app), wish))


@pytest.mark.long
@pytest.mark.parametrize("app", [real, whole], ids=["reals", "integers"])
def test_a_search_that_minds_other_inputs_too_finds_what_a_first_one_does(app: Any) -> None:
    def beside(on: Problem) -> Problem:
        words, data = next(iter(tried(on.circuit)))
        return on.also_at(data, words, bits(15.5))

    on = problem(app)
    searched(on, FIRST)
    later = searched(beside(on), FIRST)
    same(later, searched(beside(problem(app)), FIRST))
    assert app is whole or later.feasible < searched(on, FIRST).feasible  # which the other inputs keep out


def counted(monkeypatch: pytest.MonkeyPatch, where: Any, name: str, size: Callable[..., int]) -> list[int]:
    """How large each call was, as it comes."""
    found: list[int] = []
    own = getattr(where, name)

    def call(*given: Any, **named: Any) -> Any:
        found.append(size(*given))
        return own(*given, **named)

    monkeypatch.setattr(where, name, call)
    return found


@pytest.mark.long
def test_the_precision_of_no_set_is_reckoned_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ckks.precision is precision
    sets = counted(monkeypatch, ckks, "precision", lambda _, block, *__: len(block))
    on = problem(real)
    searched(on, FIRST)
    first = sum(sets)
    searched(on, LATER["less precision"])
    assert sum(sets) == first > 100
    searched(on, LATER["less security"])
    after = sum(sets)
    sets.clear()
    searched(problem(real), LATER["less security"])
    assert 0 < after - first < sum(sets)  # those alone that were not secure


@pytest.mark.long
def test_what_is_needed_of_one_library_is_no_reason_to_judge_others_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on = problem(real)
    searched(on, FIRST)
    judged = counted(monkeypatch, Judge, "made", lambda judge, _: int(judge.library.name != "seal"))
    words, data = next(iter(tried(on.circuit)))
    searched(on.also_at(data, words, bits(15.5), "seal"), FIRST)
    assert len(judged) > 0 == sum(judged)


@pytest.mark.long
def test_other_inputs_make_no_set_of_integers_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    made = counted(monkeypatch, integers, "blocks", lambda _, requests: len(requests))
    on = problem(whole)
    searched(on, FIRST)
    first = sum(made)
    words, data = next(iter(tried(on.circuit)))
    searched(on.also_at(data, words, bits(3)), FIRST)
    assert sum(made) == first > 0


@pytest.mark.long
def test_no_library_is_walked_again_for_inputs_that_concern_another(monkeypatch: pytest.MonkeyPatch) -> None:
    def beside(on: Problem) -> Problem:
        words, data = next(iter(tried(on.circuit)))
        return on.also_at(data, words, bits(15.5), "openfhe")

    on = problem(real)
    searched(on, FIRST)
    walked: list[str] = []
    own = Walk._judged

    def call(walk: Walk, library: Library, scheme: str) -> Any:
        walked.append(library.name)
        return own(walk, library, scheme)

    monkeypatch.setattr(Walk, "_judged", call)
    later = searched(beside(on), FIRST)
    assert walked == ["openfhe"]
    same(later, searched(beside(problem(real)), FIRST))


def raised(power: int) -> fh.App:
    return fh.app(x=fh.integers(8, modulo=65537))(lambda x: x**power)


@pytest.mark.parametrize(("scheme", "ring", "power"), [("bgv", 8192, 32), ("bfv", 4096, 16)])
@pytest.mark.parametrize("name", ["seal", "lattigo"])
def test_the_nearest_miss_is_told_though_hopeless_sets_are_not_followed_to_the_end(
    name: str, scheme: str, ring: int, power: int
) -> None:
    app, wish = raised(power), LATER["less security"]
    library = replace(CATALOGUE[name], schemes=(scheme,))
    (told,) = explore(problem(app), wish, [library], PROFILES, largest_ring=ring).rejected
    walk = Walk(problem(app), wish, PROFILES, largest_ring=ring)
    nearest: Nearest = None
    for judged in walk.judged(library, scheme):
        nearest = nearer(nearest, judged.nearest)
    assert told.reason == walk.reason(nearest).reason
    assert told.reason.startswith("the noise exceeds")


@pytest.mark.parametrize("by", [0, 5])
def test_what_was_walked_is_told_by_its_new_places(by: int) -> None:
    on = problem(real)
    first = Walk(on, FIRST, PROFILES)
    one = together(list(first.judged(CATALOGUE["lattigo"], "ckks")))
    later = Walk(on, FIRST, PROFILES)
    later.choices += first.choices[:by]
    (other,) = later.judged(CATALOGUE["lattigo"], "ckks")
    assert (one.rows, one.count) == (other.rows, other.count)
    assert (one.feasible.places + by).tolist() == other.feasible.places.tolist()
    for i in range(len(one.feasible)):
        kept, again = first.candidate(one.feasible, i), later.candidate(other.feasible, i)
        assert isinstance(kept, Candidate)
        assert isinstance(again, Candidate)
        assert kept.request == again.request
    assert first.reason(one.nearest) == later.reason(other.nearest)


@cache
def walked() -> tuple[list[Judged], list[Judged]]:
    walk = Walk(problem(real), FIRST, PROFILES)
    found, others = (list(walk.judged(CATALOGUE[name], "ckks")) for name in ("lattigo", "seal"))
    return found, others


@settings(max_examples=30, deadline=None)
@given(cuts=st.lists(st.integers(1, 10**6), max_size=6))
def test_judgements_as_one_have_all_that_a_pool_keeps(cuts: list[int]) -> None:
    """However they are cut, and whatever else comes to the pool."""
    found, others = walked()
    ends = sorted({cut % (len(found) + 1) for cut in cuts} | {0, len(found)})
    parts = [together(found[a:b]) for a, b in pairwise(ends)]
    whole, joined = Pool(), Pool()
    for pool, judgements in ((whole, found), (joined, parts)):
        for judged in (*judgements, *others):
            pool.add(judged)
    assert whole.kept().columns() == joined.kept().columns()
    assert whole.kept().places.tolist() == joined.kept().places.tolist()
    for name in ("explored", "feasible", "nearest"):
        assert getattr(whole, name) == getattr(joined, name)


def test_primes_are_found_once_however_few_techniques_are_searched() -> None:
    own = CATALOGUE["openfhe"]
    fewer = replace(own, schemes=("ckks",), techniques=("flexibleauto",))
    assert chains(fewer, "flexibleauto", 8192) is chains(own, "flexibleauto", 8192)
