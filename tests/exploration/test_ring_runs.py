"""Sweeps that are really run: stored set by set, resumed, and set beside the calibration's predictions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fheasible.exploration.sweeps import ring_runs
from fheasible.exploration.sweeps.ring_analysis import Subject
from fheasible.exploration.sweeps.ring_grid import Grid, grid
from fheasible.exploration.sweeps.ring_runs import Executed, SweepWish, calibrations, execute
from fheasible.measurement.ring_run import RingRecord
from fheasible.schemes.fv import FV
from fheasible.store.store import Store

SUBJECT = Subject.function(FV, "multiply")
WANTED = grid(["log_q=40:100:20"], ["n=64", "log_w=10"])
WISH = SweepWish(repetitions=1)


def quiet(*_: Any) -> None:
    """No progress is shown."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "results.sqlite") as opened:
        yield opened


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Jobs that were begun; each takes as many seconds as log q has, and twice as many bytes."""
    begun: list[Any] = []

    def attempt(job: Any, *_: Any) -> RingRecord:
        begun.append(job)
        return RingRecord("measured", measured(job.parameters.log_q), environment())

    monkeypatch.setattr(ring_runs, "attempt", attempt)
    return begun


def measured(seconds: float) -> dict[str, Any]:
    timing = {"samples": [seconds], "min": seconds, "median": seconds, "mad": 0.0}
    return {"cpu_seconds": {"total": timing}, "peak_bytes": 2 * seconds, "correct": True}


def environment() -> dict[str, Any]:
    names = ("cpu", "flags", "library", "build", "threads", "load_before", "seed")
    return dict.fromkeys(names, "") | ring_runs.here()


def test_each_set_is_stored_before_the_next_is_begun(store: Store, attempts: list[Any]) -> None:
    for number, result in enumerate(execute(SUBJECT, WANTED, WISH, store, quiet), start=1):
        assert len(attempts) == number
        assert store.show(result.number).entry.outcome == "measured"


def test_an_interrupted_sweep_goes_on_where_it_stopped(store: Store, attempts: list[Any]) -> None:
    some = execute(SUBJECT, WANTED, WISH, store, quiet)
    next(some), next(some)
    some.close()
    results = list(execute(SUBJECT, WANTED, WISH, store, quiet))
    assert [r.stored_before for r in results] == [True, True, False, False]
    assert len(attempts) == len(WANTED)
    assert [r.measured("cpu_seconds") for r in results] == [40, 60, 80, 100]


@pytest.mark.parametrize(
    "other",
    [
        (SUBJECT, SweepWish(repetitions=2)),
        (SUBJECT, SweepWish(repetitions=1, seed=1)),
        (SUBJECT, SweepWish(repetitions=1, again=True)),
        (Subject.function(FV, "all"), WISH),
    ],
    ids=["repetitions", "seed", "again", "function"],
)
def test_what_is_stored_stands_for_the_same_alone(other: Any, store: Store, attempts: list[Any]) -> None:
    list(execute(SUBJECT, WANTED, WISH, store, quiet))
    subject, wish = other
    assert not any(r.stored_before for r in execute(subject, WANTED, wish, store, quiet))


def test_what_failed_is_tried_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for outcome in ("died", "timed out", "refused"):
        record = RingRecord(outcome, None, environment(), "as it goes")
        monkeypatch.setattr(ring_runs, "attempt", lambda *_, record=record: record)
        results = list(execute(SUBJECT, WANTED, WISH, store, quiet))
        assert {r.record.outcome for r in results} == {outcome}
        assert not any(r.stored_before for r in results)


def test_an_environment_that_differs_is_another_measurement(
    store: Store, attempts: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    list(execute(SUBJECT, WANTED, WISH, store, quiet))
    there = ring_runs.here()
    monkeypatch.setattr(ring_runs, "here", lambda: there | {"machine": "another"})
    assert not any(r.stored_before for r in execute(SUBJECT, WANTED, WISH, store, quiet))


def test_progress_is_the_share_of_the_work(store: Store, attempts: list[Any]) -> None:
    seen: list[tuple[float, float]] = []
    list(execute(SUBJECT, WANTED, WISH, store, lambda _, done, total: seen.append((done, total))))
    shares = [done / total for done, total in seen]
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert shares[-1] < 0.75  # the largest set is still to come


def results(wanted: Grid, seconds: Any, refused: tuple[int, ...] = ()) -> list[Executed]:
    """Sets whose work is their log q times a thousand."""
    found = []
    for i, point in enumerate(wanted.points()):
        figures = {"integer_multiplications": 1000 * point["log_q"], "memory_max_words": 10 * point["log_q"]}
        outcome = "refused" if i in refused else "measured"
        measurement = None if i in refused else measured(seconds(point))
        found.append(Executed(point, figures, RingRecord(outcome, measurement, {}), i, False))
    return found


def test_a_calibration_predicts_what_follows_its_theory() -> None:
    """Seconds in proportion to the work, of which the two ends are 40 + 100 of 40 + 60 + 80 + 100."""
    for c in calibrations(WANTED, results(WANTED, lambda p: 3.0 * p["log_q"]), 2):
        assert (c.axis, c.p) == ("log_q", 2)
        assert c.judgement.max < 1e-9
        assert c.judgement.effort.speedup == pytest.approx(280 / 140)
        assert c.all_values == (40, 60, 80, 100)


def test_sets_that_were_refused_are_predicted_all_the_same() -> None:
    time, memory = calibrations(WANTED, results(WANTED, lambda p: 3.0 * p["log_q"], refused=(3,)), 3)
    assert (time.quantity, memory.quantity) == ("cpu_seconds", "peak_bytes")
    assert time.values == (40, 60, 80)
    assert time.predicted[3] == pytest.approx(300)


def test_every_choice_of_the_other_parameters_has_its_calibration_where_they_are_few() -> None:
    wanted = grid(["log_q=40:100:20", "log_w=5,10"], ["n=64"])
    found = calibrations(wanted, results(wanted, lambda p: p["log_q"] * p["log_w"]), 2)
    along = {(c.axis, c.quantity, c.fixed.get("log_w"), c.fixed.get("log_q")) for c in found}
    assert len(found) == len(along) == 2 * (2 + 4)


def test_one_result_is_no_calibration() -> None:
    assert calibrations(WANTED, results(WANTED, lambda p: 1.0, refused=(0, 1, 2)), 2) == []
