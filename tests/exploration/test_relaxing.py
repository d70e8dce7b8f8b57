"""What relaxing a constraint would win: the same as a search without it finds, in whichever library."""

import re
from dataclasses import replace
from functools import cache
from math import inf

import pytest

from fheasible.calibration.defaults import default_profile
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.rings_and_moduli import RINGS
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.reasons import relaxing as relaxation
from fheasible.exploration.reasons.relaxing import relaxing
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.units import size

from .apps import power, problem, whole

PROFILES: dict[str, Profile] = {
    name: profile for name in CATALOGUE if (profile := default_profile(name)) is not None
}


APPS = {"power": power, "whole": whole}


@cache
def asked(name: str) -> Problem:
    return problem(APPS[name])


@cache
def found(name: str, wish: Wish, libraries: tuple[str, ...] = tuple(CATALOGUE)) -> Exploration:
    return explore(asked(name), wish, [CATALOGUE[library] for library in libraries], PROFILES)


def best(e: Exploration) -> Candidate:
    assert e.best is not None
    return e.best


def kind(c: Candidate) -> str:
    return f"in {CATALOGUE[c.library].title}'s {c.scheme.upper()}"


def check(said: str, e: Exploration, free: Candidate, objective: str = "time") -> bool:
    """Whether something is won; AssertionError unless it is said as a full search finds it."""
    ratio = free.cost(objective) / best(e).cost(objective)
    if ratio > 0.97:
        assert said.endswith("would be gained in any library or scheme: this constraint does not bind.")
        return False
    assert f", {ratio:.2f} times the {objective} would be enough {kind(free)}" in said
    assert (f"{kind(free)} instead" in said) == (kind(free) != kind(best(e)))
    told, own = (f"log2 QP = {c.parameters.log_qp:.0f}" for c in (free, best(e)))
    assert told in said or (told == own and kind(free) == kind(best(e)))
    return True


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "wish", "easier", "wins"),
    [
        ("power", Wish(precision=bits(18)), {"precision": bits(13)}, True),
        ("power", Wish(precision=bits(30)), {"precision": bits(25)}, False),
        ("whole", Wish(256), {"security": 192}, False),
        ("whole", Wish(192), {"security": 128}, True),
        ("whole", Wish(256, quantum=True), {"quantum": False}, None),
    ],
)
def test_all_libraries_and_schemes_are_searched_for_what_an_easier_wish_would_win(
    name: str, wish: Wish, easier: dict[str, object], wins: bool | None
) -> None:
    e, free = found(name, wish), best(found(name, replace(wish, **easier)))  # type: ignore[arg-type]
    word = {"precision": "precision", "security": "security >=", "quantum": "classical"}[next(iter(easier))]
    (said,) = [s for s in relaxing(e, best(e), PROFILES) if word in s]
    won = check(said, e, free)
    assert wins is None or won == wins


def test_a_win_in_another_scheme_says_where_and_that_it_may_be_none() -> None:
    """With 128 bits BGV has room for the products in a ring of 2^12; with 192 BFV alone has any."""
    e = found("whole", Wish(192), ("seal",))
    assert best(e).scheme == "bfv"
    (said,) = relaxing(e, best(e), PROFILES)
    free = best(found("whole", Wish(128), ("seal",)))
    assert free.scheme == "bgv"
    band = sum(c.estimate.error_band or 0.0 for c in (free, best(e)))
    tie = best(e).cost("time") <= free.cost("time") * (1 + band)
    assert ("in SEAL's BGV instead, a gain within the error of prediction" in said) == tie


LIMITS = {
    "max_bytes": ("of memory", lambda c: float(c.estimate.peak_bytes)),
    "max_ciphertext_bytes": ("ciphertexts of", lambda c: float(c.estimate.sizes.ciphertext_bytes)),
    "max_key_bytes": ("keys of", lambda c: c.figures["key_bytes"]),
    "max_seconds": ("of time", lambda c: c.cost("time")),
}


@pytest.mark.long
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("name", APPS)
def test_without_a_limit_the_best_is_that_of_a_search_without_it(name: str, limit: str) -> None:
    """A limit just below what the recommendation takes keeps it out; another far above does not bind."""
    objective = "memory" if limit == "max_seconds" else "time"
    loose = Wish(precision=bits(15), objective=objective, max_bytes=1 << 40)
    free = best(found(name, loose))
    word, figure = LIMITS[limit]
    e = found(name, replace(loose, **{limit: figure(free) * 0.99}))
    if e.best is None:
        assert e.without[limit].cost(objective) == free.cost(objective)
        return
    said = relaxing(e, best(e), PROFILES)
    check(next(s for s in said if word in s), e, free, objective)
    assert e.without[limit].cost(objective) == pytest.approx(free.cost(objective))
    if limit != "max_bytes":
        assert "max_bytes" not in e.without
        (unbound,) = [s for s in said if "of memory" in s]
        assert f"more than {size(1 << 40)} of memory, nothing would be gained" in unbound


@pytest.mark.long
def test_what_one_limit_alone_keeps_out_meets_all_others_and_is_the_best_that_does() -> None:
    """Small keys and little memory, each of which some sets have: by hand, of the answer without limits."""
    most: dict[str, float] = {"max_key_bytes": 60 * 2**20, "max_bytes": 112 * 2**20}
    e = found("power", Wish(precision=bits(15), **most))  # type: ignore[arg-type]
    for limit in most:
        others = {name: figure for name, figure in most.items() if name != limit}
        alone = best(found("power", Wish(precision=bits(15), **others)))  # type: ignore[arg-type]
        assert LIMITS[limit][1](alone) > most[limit]
        assert e.without[limit].cost("time") == pytest.approx(alone.cost("time"))
        assert all(LIMITS[other][1](e.without[limit]) <= figure for other, figure in others.items())


@pytest.mark.long
@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_that_nothing_meets_takes_no_longer_walk_than_none(limit: str) -> None:
    """How far is walked follows from what is right; and the nearest miss is named, as exactly as it is."""
    for name in APPS:
        tight = found(name, Wish(precision=bits(15), **{limit: 1}))
        free = found(name, Wish(precision=bits(15)))
        if limit == "max_seconds":
            tight = found(name, Wish(precision=bits(15), max_seconds=1e-6))
        assert not tight.candidates
        assert tight.feasible == 0
        assert tight.explored <= 1.25 * free.explored
        assert all(re.search(r"\d (MiB|s)\b", r.reason) for r in tight.rejected if "needs" not in r.reason)
        assert best(free).cost("time") == pytest.approx(tight.without[limit].cost("time"))


def test_without_profiles_nothing_is_said_of_times() -> None:
    libraries = [replace(CATALOGUE["seal"], schemes=("ckks",))]
    e = explore(asked("power"), Wish(precision=bits(18)), libraries, {})
    (said,) = relaxing(e, best(e), {})
    assert "times the work would be enough in SEAL's CKKS" in said
    (unlike,) = relaxing(e, best(e), PROFILES)  # seconds beside work
    assert "nothing would be gained" in unlike


def test_where_the_first_set_is_wrong_in_the_ranges_the_next_one_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of integers in CKKS: one candidate is judged, and the others where that one does not do."""
    seal = replace(CATALOGUE["seal"], schemes=("ckks",))
    e = explore(asked("whole"), Wish(), [seal], PROFILES)
    many = len(e.candidates)
    assert many > 1
    seen = []

    def without_the_first(e: Exploration) -> Exploration:
        seen.append(len(e.candidates))
        return replace(e, candidates=e.candidates[1:])

    monkeypatch.setattr(relaxation, "over_the_domain", without_the_first)
    other = relaxation._searched(e, Wish(), seal, PROFILES, RINGS[-1], inf)
    assert other is not None
    assert other.parameters == e.candidates[1].parameters
    assert seen == [1, many]
