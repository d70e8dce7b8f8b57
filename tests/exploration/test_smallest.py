"""What is recommended is the least that holds: a bit less fails the wish, and a looser wish costs no more."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

import fheasible as fh
from fheasible.errors import InfeasibleParameters
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.chosen import WrittenShape, chosen
from fheasible.exploration.judging.judge import Judge, wrong
from fheasible.exploration.problem.wish import Asked, Measure, Wish, bits
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import Request
from fheasible.noise.ckks.precision import precision

from .apps import problem, whole

SECOND = {
    "bits": bits(14),
    "absolute": Asked(Measure.ABSOLUTE, 1e-4),
    "relative": Asked(Measure.RELATIVE, 1e-3),
}
EXACT = [(library, scheme) for library in ("seal", "lattigo") for scheme in ("bgv", "bfv")]


@fh.app(x=fh.reals(16, low=0.25, high=1), y=fh.reals(16, low=0.25, high=1))
def ratio(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return x * fh.reciprocal(y, low=0.25, high=1)


@cache
def found(library: str, scheme: str, asked: Asked | None) -> Exploration:
    one = replace(CATALOGUE[library], schemes=(scheme,))
    return explore(problem(ratio if scheme == "ckks" else whole), Wish(precision=asked), [one], {})


def best(e: Exploration) -> Candidate:
    assert e.best is not None
    return e.best


def less(bits_: tuple[int, ...] | None) -> tuple[int, ...] | None:
    return None if bits_ is None else tuple(b - 1 for b in bits_)


def one_bit_less(r: Request) -> Request:
    """Of every prime that the request sizes."""
    return replace(
        r,
        scale_bits=r.scale_bits and r.scale_bits - 1,
        first_bits=r.first_bits and r.first_bits - 1,
        prime_bits=less(r.prime_bits),
        special_bits=less(r.special_bits),
    )


@pytest.mark.long
@pytest.mark.parametrize("library", CATALOGUE)
@pytest.mark.parametrize("measure", SECOND)
def test_a_scale_one_bit_smaller_fails_the_wish(library: str, measure: str) -> None:
    e = found(library, "ckks", SECOND[measure])
    leasts: dict[tuple[object, ...], Candidate] = {}
    for c in e.candidates:  # the best of each kind first: of equally fast ones that with the least modulus
        leasts.setdefault((c.request.technique, c.parameters.ring_dimension), c)
    assert best(e) in leasts.values()
    for c in leasts.values():
        try:
            smaller = chosen(
                e.problem, CATALOGUE[library], one_bit_less(c.request), None, WrittenShape(c.degrees)
            )
        except InfeasibleParameters:
            continue
        gains = e.problem.gains(smaller.program)
        reached = precision(smaller.program, smaller.parameters, gains, e.problem.truth)
        assert not e.wish.least.met_by(reached.assured)
        assert c.limit


@pytest.mark.parametrize("library", CATALOGUE)
@pytest.mark.parametrize("measure", SECOND)
def test_the_wish_holds_for_every_candidate(library: str, measure: str) -> None:
    e = found(library, "ckks", SECOND[measure])
    for c in e.candidates:
        reached = precision(c.program, c.parameters, e.problem.gains(c.program), e.problem.truth)
        assert e.wish.least.met_by(reached.assured)
        assert c.estimate.absolute_error == reached.assured.absolute
        assert c.estimate.largest_relative_error == reached.assured.relative


@pytest.mark.parametrize(("library", "scheme"), EXACT)
def test_primes_one_bit_smaller_compute_integers_wrongly(library: str, scheme: str) -> None:
    e = found(library, scheme, None)
    c = best(e)
    assert c.limit
    try:
        smaller = chosen(e.problem, CATALOGUE[library], one_bit_less(c.request), None)
    except InfeasibleParameters:
        return
    assert wrong(e.problem, smaller.program, smaller.parameters)


@pytest.mark.parametrize("library", CATALOGUE)
def test_a_looser_wish_never_gives_a_dearer_answer(library: str) -> None:
    answers = [best(found(library, "ckks", bits(b))) for b in (8, 14, 20)]
    for loose, strict in pairwise(answers):
        assert loose.cost("time") <= strict.cost("time")
        assert loose.parameters.ring_dimension <= strict.parameters.ring_dimension
        assert loose.degrees <= strict.degrees


def test_degrees_are_chosen_where_the_application_leaves_them_open() -> None:
    e = found("seal", "ckks", bits(14))
    assert best(e).degrees
    assert best(e).settings["degree"] == best(e).degrees
    assert e.to_json()["candidates"][0]["request"]["degree"] == best(e).degrees


def test_why_smaller_primes_do_not_do_is_looked_for_when_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """And once: an answer that is asked for later is as whole as one that is asked for at once."""
    one = replace(CATALOGUE["seal"], schemes=("ckks",))
    wish, asked = Wish(precision=bits(14)), []
    judged = Judge.__call__
    monkeypatch.setattr(Judge, "__call__", lambda self, c: asked.append(c) or judged(self, c))
    e = explore(problem(ratio), wish, [one], {})
    confirmed = len(asked)
    assert confirmed == len(e.candidates)
    c = replace(best(e), rounded=True)  # another object, as a worst case or a store makes one of it
    reason = c.limit
    assert f"{bits(14).value:g} are asked" in reason
    assert confirmed < len(asked) <= confirmed + 2
    found = len(asked)
    assert best(e).limit == c.limit == reason
    assert len(asked) == found
