"""Sets with bootstraps that a set without beats are not all judged, which changes nothing that is first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fheasible as fh
from fheasible.calibration.defaults import default_profile
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.judge import Judge
from fheasible.exploration.judging.sieve import Judged
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.search import refreshing
from fheasible.exploration.search.bootstrapped import Refreshed, first_takes
from fheasible.exploration.search.search import Exploration, explore
from fheasible.exploration.search.walk import Walk
from fheasible.exploration.search.worth_a_walk import CLEARLY, FAR, least_score
from fheasible.exploration.space.requests import Choice
from fheasible.libraries.catalogue import CATALOGUE, library

BOOTSTRAPPING = tuple(name for name, lib in CATALOGUE.items() if lib.bootstrap_method)
PROFILES = {name: profile for name in BOOTSTRAPPING if (profile := default_profile(name))}
STEPS = st.sampled_from(("times", "turned", "square", "mean", "shifted"))


def application(steps: Sequence[str]) -> fh.App:
    """As deep as there are products, in the order in which they are drawn; no value leaves [0, 1]."""

    @fh.app(minimise_depth=False, x=fh.reals(8, low=0.9, high=1))
    def drawn(x: fh.Vector) -> fh.Vector:
        made = x
        for step in steps:
            made = {
                "times": lambda v: v * x,
                "turned": lambda v: fh.rotate(v, 1) * x,
                "square": lambda v: v * v,
                "mean": lambda v: (v + x) * 0.5,
                "shifted": lambda v: 1 - v * x,
            }[step](made)
        return made

    return drawn


def explored(app: fh.App, name: str, wish: Wish, all_judged: bool) -> Exploration:
    circuit = app.trace()
    problem = Problem(circuit, {"x": np.linspace(0.9, 1, 8)}, "some data")
    with pytest.MonkeyPatch.context() as patched:
        if all_judged:
            patched.setattr(Walk, "_beaten_by_one", lambda *_: False)
            patched.setattr(Walk, "_to_beat", lambda *_: (np.inf, False))
        return explore(problem, wish, [library(name)], PROFILES)


@dataclass
class Other:
    """Another kind of library, whose best set has that score. `asked`: the seconds that it was told."""

    best: float
    at_most: float = np.inf
    asked: list[float] = field(default_factory=list)
    parts: tuple[object, ...] = ()

    def judges(self, _: Problem) -> bool:
        return True

    def score(self, _: Problem, seconds: float) -> float:
        self.asked.append(seconds)
        return self.best

    def score_at_most(self, _: Problem) -> float:
        return self.at_most


def told(candidates: Sequence[Candidate]) -> list[tuple[object, float]]:
    return [(tuple(c.settings.items()), c.figures["score"]) for c in candidates]


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["time", "memory", "communication"])
@pytest.mark.parametrize("name", BOOTSTRAPPING)
@given(steps=st.lists(STEPS, min_size=11, max_size=26))
@settings(max_examples=2, deadline=None, derandomize=True)
def test_nothing_better_is_left_out(name: str, objective: str, steps: list[str]) -> None:
    """Those with bootstraps that are judged are the roughly cheapest; where all are beaten, one of about the
    least score says what they would take."""
    wish = Wish(precision=bits(8), objective=objective)
    few, everything = (explored(application(steps), name, wish, whole) for whole in (False, True))
    assert told(few.candidates[:1]) == told(everything.candidates[:1])
    alone, refreshed = (
        [[c for c in e.candidates if c.program.bootstraps == bootstraps][:1] for e in (few, everything)]
        for bootstraps in (False, True)
    )
    assert told(alone[0]) == told(alone[1])
    ours, theirs = ([c.figures["score"] for c in each] for each in refreshed)
    assert not theirs or min(ours) <= theirs[0] * 1.25


def test_one_set_with_bootstraps_says_what_they_would_take() -> None:
    app, wish = application(["times", "turned"] * 6), Wish(precision=bits(8))
    found = explored(app, "lattigo", wish, all_judged=False)
    assert found.best is not None
    assert not found.best.program.bootstraps
    assert sum(c.program.bootstraps > 0 for c in found.candidates) == 1


@pytest.mark.slow
def test_bootstraps_that_win_are_recommended_although_one_ring_is_deep_enough() -> None:
    app, wish = application(["turned"] * 50), Wish(precision=bits(8))
    few, everything = (explored(app, "openfhe", wish, whole) for whole in (False, True))
    assert few.best is not None
    assert few.best.program.bootstraps
    assert not all(c.program.bootstraps for c in few.candidates)
    assert told(few.candidates[:1]) == told(everything.candidates[:1])


def test_what_there_is_elsewhere_says_how_many_with_bootstraps_are_judged() -> None:
    """A chain that is too deep for one ring: all its sets bootstrap."""
    circuit = application(["times", "turned"] * 30).trace()
    wish, lib = Wish(precision=bits(8)), library("lattigo")

    def scores(elsewhere: float) -> list[float]:
        problem = Problem(circuit, {"x": np.linspace(0.9, 1, 8)}, "some data")
        e = explore(problem, wish, [lib], PROFILES, elsewhere=Other(elsewhere))
        return [c.figures["score"] for c in e.candidates if c.program.bootstraps]

    many = scores(np.inf)
    assert len(many) > 1
    assert scores(2 * many[0]) == many
    (one,) = scores(many[0] / 10)
    assert one == pytest.approx(many[0], rel=0.5)


@pytest.mark.parametrize("precision", [12, 16])
def test_none_is_judged_that_bootstraps_as_coarsely_and_more_often(
    precision: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chain of rotations and products: some of OpenFHE's bootstraps are by far too coarse for it."""
    circuit, wish = application(["turned"] * 60).trace(), Wish(precision=bits(precision))

    def judged() -> tuple[list[tuple[object, float]], int]:
        seen: list[Choice] = []
        alone = Walk._alone

        def counted(walk: Walk, judge: Judge, choice: Choice) -> Judged:
            seen.append(choice)
            return alone(walk, judge, choice)

        with monkeypatch.context() as patched:
            patched.setattr(Walk, "_alone", counted)
            problem = Problem(circuit, {"x": np.linspace(0.9, 1, 8)}, "some data")
            found = explore(problem, wish, [library("openfhe")], PROFILES)
        return told(found.candidates), len(seen)

    few, fewer = judged()
    with monkeypatch.context() as patched:
        patched.setattr(refreshing, "hopeless", lambda *_: False)
        everything, more = judged()
    assert few == everything
    assert fewer < more


def test_only_times_are_compared_with_what_there_is_elsewhere() -> None:
    circuit = application(["times"] * 52).trace()

    def asked(profiles: Mapping[str, Profile]) -> list[float]:
        problem, other = Problem(circuit, {"x": np.linspace(0.9, 1, 8)}, "some data"), Other(np.inf)
        explore(problem, Wish(precision=bits(8)), [library("lattigo")], profiles, elsewhere=other)
        return other.asked

    assert asked({}) == []  # without a profile, no times are known
    assert 0 < asked(PROFILES)[0] < np.inf


@pytest.mark.parametrize(("products", "at_most"), [(12, np.inf), (52, 0.1)])
def test_what_there_is_elsewhere_is_asked_for_only_where_it_decides(products: int, at_most: float) -> None:
    """Sets with bootstraps are beaten without it, or by what is known of it sooner."""
    circuit = application(["times"] * products).trace()
    problem, other = Problem(circuit, {"x": np.linspace(0.9, 1, 8)}, "some data"), Other(0.05, at_most)
    found = explore(problem, Wish(precision=bits(8)), [library("lattigo")], PROFILES, elsewhere=other)
    assert found.best
    assert not other.asked


@pytest.mark.parametrize("slots", [16, 4096])
@pytest.mark.parametrize("name", BOOTSTRAPPING)
def test_a_bootstrap_takes_three_times_as_long_in_a_ring_twice_as_large(name: str, slots: int) -> None:
    """So that sets with bootstraps are beaten where one in the smallest ring is."""

    @fh.app(minimise_depth=False, x=fh.reals(slots, low=0.9, high=1))
    def deep(x: fh.Vector) -> fh.Vector:
        for _ in range(12):
            x = x * x
        return x

    problem = Problem(deep.trace(), {"x": np.ones(slots)}, "ones")
    judge = Judge(problem, library(name), "ckks", Wish(precision=bits(8)), PROFILES[name])
    least = []
    for ring in (1 << 15, 1 << 16, 1 << 17):
        tried = Refreshed.of(judge, (ring,), (), False)
        if tried.choices:
            scores = [least_score(judge, choice, tried.slots, 1) for choice in tried.choices[::8]]
            least.append((min(scores), tried))
            first = first_takes(judge, (ring,), (), False)
            assert first == first_takes(judge, (1 << 13, ring, 1 << 17), (), False) == (ring, scores[0])
            assert scores[0] < FAR / CLEARLY * min(scores)
    assert len(least) > 1
    for (one, tried), (two, _) in pairwise(least):
        assert two >= 3 * one
        assert tried.one_beaten_by(judge, one / 2)
        assert not tried.one_beaten_by(judge, one)


def test_integers_are_told_of_no_bootstraps_that_one_alone_shows_to_be_beaten() -> None:
    """The answer is that of a search which counts how many each set has."""

    @fh.app(x=fh.integers(4, low=0, high=120))
    def over(x: fh.Vector) -> fh.Vector:
        return fh.sum(fh.where(x > 30, x, 0))

    circuit, wish, answers, asked = over.trace(), Wish(), [], []
    for known in (True, False):
        with pytest.MonkeyPatch.context() as patched:
            own = Walk._beaten_by_one

            def beaten(walk: Walk, *given: Any, own: Any = own, known: bool = known) -> bool:
                asked.append(own(walk, *given))
                return known and asked[-1]

            patched.setattr(Walk, "_beaten_by_one", beaten)
            problem = Problem(circuit, {"x": np.arange(4)}, "some data")
            found = explore(problem, wish, [library(name) for name in BOOTSTRAPPING], PROFILES)
        answers.append((told(found.candidates), found.explored, found.feasible))
    assert True in asked
    assert answers[0] == answers[1]
