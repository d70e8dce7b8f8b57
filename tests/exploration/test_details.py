"""What reports draw: parts that add up to the estimate, memory that reaches its peak."""

from collections import Counter
from dataclasses import replace

import pytest

from estimation.profiles import invented
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.reasons.recorded import SIDE_BY_SIDE, details
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE

from .apps import problem, real, whole

PROFILES = {name: replace(invented(name, rotate=2e-9), composition=1.1) for name in CATALOGUE}


@pytest.fixture(scope="module", params=["real", "whole"])
def found(request: pytest.FixtureRequest) -> Exploration:
    app = {"real": real, "whole": whole}[request.param]
    return explore(problem(app), Wish(), list(CATALOGUE.values()), PROFILES)


def test_the_parts_of_each_phase_are_its_time(found: Exploration) -> None:
    for told in details(found, PROFILES)["time"]:
        seconds: Counter[str] = Counter()
        for phase, _, _, spent in told["parts"]:
            seconds[phase] += spent
        estimated = dict(found.candidates[told["candidate"]].estimate.cpu_seconds or {})
        del estimated["total"]
        assert dict(seconds) == pytest.approx(estimated, rel=1e-9)


def test_operations_end_when_the_program_does_but_for_decryption(found: Exploration) -> None:
    for told in details(found, PROFILES)["memory"]:
        c = found.candidates[told["candidate"]]
        assert c.estimate.cpu_seconds is not None
        left = c.estimate.cpu_seconds["total"] - c.estimate.cpu_seconds["decrypt"]
        assert told["seconds"][-1] == pytest.approx(left, abs=2e-9)
        assert told["seconds"] == sorted(told["seconds"])


def test_memory_over_time_reaches_the_estimated_peak_and_no_more(found: Exploration) -> None:
    for told in details(found, PROFILES)["memory"]:
        c = found.candidates[told["candidate"]]
        assert told["peak_bytes"] == c.estimate.peak_bytes
        assert told["baseline_bytes"] < told["context_bytes"] < told["keys_bytes"] <= told["peak_bytes"]
        assert max(told["operations"]) <= told["peak_bytes"]
        assert len(told["operations"]) == len(told["seconds"]) == len(c.program.operations)
        assert told["actions"] == [o.action.value for o in c.program.operations]


def test_sets_side_by_side_are_of_different_kinds_the_best_first(found: Exploration) -> None:
    places = [told["candidate"] for told in details(found, PROFILES)["time"]]
    chosen = [found.candidates[i] for i in places]
    kinds = [(c.library, c.scheme, c.parameters.technique, c.parameters.ring_dimension) for c in chosen]
    assert places[0] == 0
    assert places == sorted(places)
    assert 1 < len(kinds) == len(set(kinds)) <= SIDE_BY_SIDE


def test_without_profiles_there_are_no_times_but_memory() -> None:
    found = explore(problem(real), Wish(), list(CATALOGUE.values()), {})
    told = details(found, {})
    assert told["time"] == []
    assert [t["seconds"] for t in told["memory"]] == [None] * len(told["memory"])
    assert told["memory"][0]["peak_bytes"] == found.candidates[0].estimate.peak_bytes
