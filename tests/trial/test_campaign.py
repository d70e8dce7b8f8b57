"""A trial is stored application by application, goes on where it stopped, and makes failing ones small."""

from pathlib import Path
from typing import Any

import pytest

from fheasible.store.store import Store
from fheasible.trial import campaign
from fheasible.trial.application import Application
from fheasible.trial.found import TrialOutcome
from fheasible.trial.runner import Scope
from trial.apps import run


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers that were tried; every application with a mean is refused."""
    numbers: list[int] = []

    def attempt(app: Application, number: int, scope: Scope, *_: Any) -> TrialOutcome:
        numbers.append(number)
        outcome = "refused" if "fh.mean" in app.source else "right"
        return TrialOutcome(number, app.to_json(), "explored", runs=(run(outcome=outcome),))

    monkeypatch.setattr(campaign, "tried", attempt)
    return numbers


def test_what_is_stored_is_not_tried_again(tmp_path: Path, tried: list[int]) -> None:
    with Store.open(tmp_path / "results.sqlite") as store:
        first = campaign.trial(1, range(5), Scope(), store)
        before = [next(first) for _ in range(3)]  # and there it is interrupted
        after = list(campaign.trial(1, range(5), Scope(), store))
        assert tried == [0, 1, 2, 3, 4]
        assert after[:3] == before
        list(campaign.trial(1, range(5), Scope(), store, anew=True))
        assert tried == [0, 1, 2, 3, 4] * 2


@pytest.mark.parametrize("other", [Scope(scheme="bfv"), Scope(("seal",)), Scope(runners_up=1)])
def test_another_trial_is_another(tmp_path: Path, tried: list[int], other: Scope) -> None:
    with Store.open(tmp_path / "results.sqlite") as store:
        list(campaign.trial(1, range(2), Scope(), store))
        list(campaign.trial(1, range(2), other, store))
        list(campaign.trial(2, range(2), Scope(), store))
    assert tried == [0, 1] * 3


def test_failing_applications_are_made_small(tmp_path: Path, tried: list[int]) -> None:
    with Store.open(tmp_path / "results.sqlite") as store:
        found = list(campaign.trial(1, range(40), Scope(), store, shrink_seconds=60))
    failing = [f for f in found if f.faults]
    assert failing
    for f in failing:
        assert f.shrunk is not None
        small = Application.from_json(f.shrunk)
        assert [s.text.count("fh.mean") for s in small.steps] == [1]
        assert max(i.length for i in small.inputs) == 1
    assert all(f.shrunk is None for f in found if not f.faults)
