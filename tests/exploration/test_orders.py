"""The order of products: of least depth or as written, and the better of both is recommended."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import fheasible as fh
from fheasible.api.command import command
from fheasible.api.listing import settings
from fheasible.calibration.defaults import default_profile
from fheasible.errors import UsageError
from fheasible.exploration.judging.chosen import OURS, chosen, request_from, shape_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.reasons.choices import choice_gains, choice_of
from fheasible.exploration.search import walk as walking
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.lowering.plan import Lowerings
from fheasible.program.digest import digest
from fheasible.program.simulate import simulate

from .apps import problem

WISH = Wish(precision=bits(10))
REALS = {"x": fh.reals(100, low=0.01, high=0.4), "y": fh.reals(100, low=0.6, high=0.9)}
INTEGERS = {"x": fh.integers(100, modulo=65537), "y": fh.integers(100, modulo=65537)}


def grown(steps: int, minimise: bool = True) -> fh.App:
    """For the least depth the product of each step is opened in the next: one product more in each step."""

    @fh.app(minimise_depth=minimise, **REALS)
    def application(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        for _ in range(steps):
            x = 1.9 * x * (y - x)
        return x

    return application


@fh.app(**INTEGERS)
def whole(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    for _ in range(5):
        x = x * y * (x + y)
    return x


@cache
def asked(steps: int, minimise: bool = True) -> Problem:
    return problem(grown(steps, minimise))


@cache
def found(steps: int, library: str = "lattigo") -> Exploration:
    return explored(asked(steps), library, "ckks")


def explored(of: Problem, library: str, scheme: str, wish: Wish = WISH, every: bool = False) -> Exploration:
    one, profile = replace(CATALOGUE[library], schemes=(scheme,)), default_profile(library)
    assert profile is not None
    return explore(of, wish, [one], {library: profile}, every=every)


# -- which are tried -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("app", "orders"),
    [
        (grown(4), (False, True)),
        (whole, (False, True)),
        (grown(4, minimise=False), (False,)),  # the application asks for one of them
        (grown(2), (False,)),  # two products either way
        (fh.app(**REALS)(lambda x, y: x**65_536 + y), (False,)),  # a chain of products is never shorter
        (fh.app(**REALS)(lambda x, y: 3.2 * x * (1 - x)), (False,)),
    ],
)
def test_the_order_written_is_tried_where_it_has_fewer_products(
    app: fh.App, orders: tuple[bool, ...]
) -> None:
    assert Lowerings(app.trace()).orders == orders


def test_where_one_order_is_tried_nothing_is_walked_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many sets as where the application asks for the order, which gives the same circuit."""
    pair = {minimise: problem(_chain(minimise)) for minimise in (True, False)}
    walked = {minimise: explored(of, "lattigo", "ckks") for minimise, of in pair.items()}
    assert walked[True].explored == walked[False].explored
    monkeypatch.setattr(Lowerings, "orders", (False, True))
    assert explored(problem(_chain(True)), "lattigo", "ckks").explored == 2 * walked[True].explored


def _chain(minimise: bool) -> fh.App:
    @fh.app(minimise_depth=minimise, **REALS)
    def application(x: fh.Vector, y: fh.Vector) -> fh.Vector:
        return x * y + x

    return application


@pytest.mark.long
def test_an_order_that_cannot_come_near_is_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight steps as written take the next ring, and twice the time. (Sets with bootstraps are walked by
    themselves.)"""
    assert not any(c.as_written for c in found(8).candidates if c.parameters.bootstrap is None)
    monkeypatch.setattr(walking, "WORTH_A_WALK", np.inf)
    both = explored(asked.__wrapped__(8), "lattigo", "ckks")  # a known problem has kept what was walked
    written = min(c.cost("time") for c in both.candidates if c.as_written and c.parameters.bootstrap is None)
    best, alone = both.candidates[0], found(8).candidates[0]
    assert written > 1.5 * best.cost("time")
    assert best.cost("time") == alone.cost("time")


# -- what comes of it ----------------------------------------------------------------------------


@pytest.mark.long
def test_both_orders_stand_in_one_ranking_and_the_faster_leads() -> None:
    """Twenty steps: some 200 products at 21 levels, or 20 at 40."""
    e = found(20)
    costs = [c.cost("time") for c in e.candidates]
    assert {c.as_written for c in e.candidates} == {True, False}
    assert e.best is not None
    assert e.best.as_written
    assert e.best.cost("time") == min(costs)
    alone = explored(asked(20, minimise=False), "lattigo", "ckks")
    assert alone.best is not None
    same = min((c for c in e.candidates if c.as_written), key=lambda c: c.cost("time"))
    assert same.cost("time") == alone.best.cost("time")
    assert digest(same.program) == digest(alone.best.program)


def test_rows_say_which_order_they_have() -> None:
    e = found(20)
    shown = e.kept["confirmed"]
    assert e.kept["as_written"][shown].tolist() == [c.as_written for c in e.candidates]
    depths = {written: set(e.kept["depth"][e.kept["as_written"] == written]) for written in (True, False)}
    assert max(depths[False]) < min(depths[True])


def test_the_order_is_said_where_it_is_that_written() -> None:
    for c in found(20).candidates:
        assert c.settings.get("as_written") == (c.as_written or None)
        assert c.to_json(False)["request"].get("as_written") == (c.as_written or None)
        assert ("as written" in settings(c)) is c.as_written
        assert ("--param as_written=True" in " ".join(command("app.py", c))) is c.as_written


@pytest.mark.parametrize("as_written", [True, False])
def test_its_settings_lead_to_a_set_again(as_written: bool) -> None:
    e = found(20)
    c = next(c for c in e.candidates if c.as_written is as_written)
    told = {k: str(v) for k, v in c.settings.items() if k in OURS}
    values = {"prime_bits", "special_bits"}
    given = {
        k: ",".join(map(str, v)) if k in values else str(v)
        for k, v in c.settings.items()
        if k not in (*OURS, "depth")
    }
    request = request_from("ckks", given, 128)
    shape = shape_from(e.problem, told, WISH.least, "ckks")
    again = chosen(e.problem, CATALOGUE["lattigo"], request, None, shape)
    assert again.as_written is as_written
    assert again.settings == c.settings
    assert digest(again.program) == digest(c.program)
    assert choice_of(again).style == c.style


def test_the_order_is_a_boolean() -> None:
    with pytest.raises(UsageError, match="neither true nor false"):
        shape_from(asked(4), {"as_written": "maybe"}, WISH.least, "ckks")
    assert not shape_from(asked(4), {"as_written": "no"}, WISH.least, "ckks").as_written


def test_the_reasons_tell_what_the_least_depth_would_take() -> None:
    e = found(20)
    written = next(c for c in e.candidates if c.as_written)
    least = next(c for c in e.candidates if not c.as_written)
    (said,) = [
        text for text in choice_gains(e, written, default_profile("lattigo")) if "order written" in text
    ]
    assert f"{least.request.depth} levels instead of {written.request.depth}" in said
    assert f"{least.cost('time') / written.cost('time'):.2f} times the time" in said
    assert not [
        text for text in choice_gains(e, least, default_profile("lattigo")) if "order written" in text
    ]


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_integers_are_tried_in_both_orders(scheme: str) -> None:
    """Ten products, or 18 at three levels less."""
    of = problem(whole)
    e = explored(of, "seal", scheme, every=True)
    assert {c.as_written for c in e.candidates} == {True, False}
    assert sorted(e.candidates, key=lambda c: c.cost("time"))[0] is e.best
    for written in (True, False):
        c = next(c for c in e.candidates if c.as_written is written)
        clear = simulate(c.program, of.data)["result"]
        assert (np.mod(clear - of.truth["result"], 65537) == 0).all()
