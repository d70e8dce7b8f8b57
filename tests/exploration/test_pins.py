"""Pins: only sets with these settings are searched, and the answer says which pin excludes what."""

from dataclasses import replace
from functools import cache

import pytest

from estimation.profiles import invented
from fheasible.errors import UsageError
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.pinning import SEARCHED, pins_from
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.reasons.pinned import excluded
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE

from .apps import problem, real, whole

LIBRARIES = tuple(CATALOGUE.values())
PROFILES = {name: invented(name, 1e-9) for name in CATALOGUE}
WISH = Wish(precision=bits(12))


@cache
def found(of_reals: bool, pins: tuple[tuple[str, str], ...], every: bool = False) -> Exploration:
    of = problem(real if of_reals else whole)
    wish = replace(WISH, pins=pins_from(dict(pins), of, LIBRARIES, WISH.least))
    return explore(of, wish, LIBRARIES, PROFILES, every=every)


def settings(c: Candidate) -> dict[str, object]:
    """What `run --param` would be given, with what a library does where nothing is given."""
    return {"spare_levels": 0, "as_written": False, "slots": c.program.slots} | c.settings


PINNED = [
    ("ring_dimension", "16384", 16384),
    ("technique", "fixedauto", "fixedauto"),
    ("scale_bits", "45", 45),
    ("first_bits", "60", 60),
    ("special_bits", "60,60", (60, 60)),
    ("digits", "2", 2),
    ("spare_levels", "1", 1),
    ("slots", "4", 4),
]


@pytest.mark.parametrize(("name", "text", "value"), PINNED)
def test_all_sets_have_the_pinned_value(name: str, text: str, value: object) -> None:
    e = found(True, ((name, text),))
    assert e.candidates
    assert {settings(c).get(name) for c in e.candidates} == {value}


@pytest.mark.parametrize(
    ("name", "text", "value"), [("key_switching", "bv", "bv"), ("prime_bits", "40,40,40", (40, 40, 40))]
)
def test_sets_of_integers_have_the_pinned_value(name: str, text: str, value: object) -> None:
    e = found(False, ((name, text),))
    assert e.candidates
    assert {settings(c).get(name) for c in e.candidates} == {value}


@pytest.mark.slow
def test_the_best_pinned_set_is_the_best_of_those_sets_in_the_whole_space() -> None:
    """The search of everything, of which only the sets with that ring and scale are looked at."""
    pins = (("ring_dimension", "16384"), ("scale_bits", "45"))
    pinned, free = found(True, pins), found(True, (), every=True)
    own = [c for c in free.candidates if c.parameters.ring_dimension == 16384]
    best = min(c.figures["score"] for c in own)
    chosen = pinned.best
    assert chosen is not None
    assert chosen.request.scale_bits == 45
    assert chosen.figures["score"] <= 1.1 * best  # a scale of its own may cost digits


def test_a_ring_beyond_the_one_that_suffices_is_searched() -> None:
    free, pinned = found(True, ()).best, found(True, (("ring_dimension", "65536"),)).best
    assert free is not None
    assert pinned is not None
    assert free.parameters.ring_dimension < pinned.parameters.ring_dimension == 65536


def test_pins_that_exclude_everything_are_named_one_by_one() -> None:
    e = found(True, (("ring_dimension", "4096"), ("technique", "fixedauto")))
    assert e.best is None
    ring, technique = excluded(e, LIBRARIES, PROFILES)
    assert ring.startswith("ring_dimension=4096 excludes everything that fits. Without it, OpenFHE CKKS with")
    assert technique.startswith("technique=fixedauto excludes everything that fits. Without it, ")
    assert "SEAL CKKS with N = 2^12" in technique
    seal = next(r for r in e.rejected if (r.library, r.scheme) == ("seal", "ckks"))
    assert seal.reason == "no set that is searched has ring_dimension=4096 and technique=fixedauto"


def test_only_the_pin_that_excludes_everything_is_named() -> None:
    pins = (("ring_dimension", "4096"), ("scale_bits", "59"), ("spare_levels", "2"))
    e = found(True, pins)
    assert e.best is None
    (sentence,) = excluded(e, LIBRARIES, PROFILES)
    assert sentence.startswith("ring_dimension=4096")


def test_nothing_is_excluded_where_something_fits() -> None:
    assert excluded(found(True, ()), LIBRARIES, PROFILES) == ()


WRONG = [
    ("ring_dimension", "3000", "3000 is not possible", "4096, 8192, 16384"),
    ("ring_dimension", "a", "is not a whole number", "write"),
    ("technique", "fixed", "fixed is not possible", "fixedauto"),
    ("scale_bits", "70", "70 is not possible", "20 to 60"),
    ("special_bits", "60,70", "70 is not possible", "20 to 60"),
    ("digits", "9", "9 is not possible", "1, 2, 3"),
    ("slots", "3", "3 is not possible", "1, 2, 4"),
    ("as_written", "maybe", "neither true nor false", "as_written=true"),
    ("degree", "7", "leaves no degree open", "leave degree out"),
    ("batch", "8", "cannot be pinned, because a search does not choose it", "run"),
    ("bootstrap_bound", "5", "cannot be pinned", "`fheasible run` takes bootstrap_bound"),
    ("bootstrap_levels", "5", "there is no parameter 'bootstrap_levels'", "bootstrap_encode_levels"),
    ("rings", "5", "there is no parameter 'rings'", "ring_dimension"),
    ("scale_bits", "", "has no value", "scale_bits=50"),
]


@pytest.mark.parametrize(("name", "text", "said", "remedy"), WRONG)
def test_an_impossible_pin_is_told_with_what_is_possible(
    name: str, text: str, said: str, remedy: str
) -> None:
    with pytest.raises(UsageError) as caught:
        pins_from({name: text}, problem(real), LIBRARIES, WISH.least)
    assert said in caught.value.message
    assert remedy in caught.value.remedy


def test_every_name_that_can_be_pinned_is_one_of_a_run() -> None:
    from fheasible.exploration.judging.chosen import OURS
    from fheasible.libraries.parameters import settings_of

    known = {*OURS, *settings_of("ckks"), *settings_of("bgv")}
    assert set(SEARCHED) <= known
