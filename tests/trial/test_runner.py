"""Real runs: what is right, and every kind of fault, made on purpose."""

from dataclasses import replace
from typing import Any

import pytest

import fheasible as fh
from fheasible.api.answer import Answer
from fheasible.api.explore import explore
from fheasible.circuit.data import random_data
from fheasible.errors import CircuitError, StoreError, WorkerRefused
from fheasible.exploration.judging.chosen import chosen, request_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Measure, Wish
from fheasible.exploration.search.search import Rejected
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement import registry
from fheasible.measurement.records import Measurement
from fheasible.trial import runner
from fheasible.trial.application import Application, AppStep, Declared, Given
from fheasible.trial.doubt import lucky, stricter
from fheasible.trial.runner import Scope, tried
from fheasible.trial.workers import Workers
from trial.apps import mean, squares

pytestmark = [
    pytest.mark.worker,
    pytest.mark.skipif(not registry.command("lattigo").installed, reason="Lattigo is not installed"),
]


@pytest.fixture
def scope(tmp_path: Any) -> Scope:
    return Scope(("lattigo",), store=tmp_path / "results.sqlite")


class Lying(Workers):
    """A library that computes one element wrongly."""

    def __call__(self, *args: Any, **more: Any) -> Measurement:
        done = super().__call__(*args, **more)
        for values in done.outputs.values():
            values[0, 0] += 1
        return done


class Unwilling(Workers):
    def __call__(self, *args: Any, **more: Any) -> Measurement:
        raise WorkerRefused("not today")


def test_the_best_of_each_scheme_is_run_and_right(scope: Scope) -> None:
    with Workers() as workers:
        found = tried(squares(), 0, scope, workers)
    assert sorted(r.scheme for r in found.runs) == ["bfv", "bgv", "ckks"]
    assert {r.outcome for r in found.runs} == {"right"}
    assert found.faults == ()
    for r in found.runs:
        assert r.measured is not None
        assert r.measured["cpu_seconds"]["total"] > 0
        assert r.measured["peak_bytes"] > 2**20


def test_others_are_run_too_where_that_is_asked(scope: Scope) -> None:
    with Workers() as workers:
        found = tried(mean(), 0, replace(scope, runners_up=2), workers)
    assert len(found.runs) == 3
    assert len({str(r.settings) for r in found.runs}) == 3


def test_a_library_that_computes_wrongly_is_found(scope: Scope) -> None:
    with Lying() as workers:
        assert {f.outcome for f in tried(squares(), 0, scope, workers).faults} == {"wrong"}
        exact = tried(squares(), 0, replace(scope, scheme="bfv"), workers).faults
        real = tried(mean(), 0, scope, workers).faults
    assert "result[0]" in exact[0].message
    assert len(real) == 1


def test_a_library_that_refuses_is_found(scope: Scope) -> None:
    with Unwilling() as workers:
        faults = tried(mean(), 0, scope, workers).faults
    assert [(f.outcome, f.library, f.scheme) for f in faults] == [("refused", "lattigo", "ckks")]


def test_a_little_less_precision_once_is_chance_and_twice_is_wrong(
    scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    def off(times: int) -> type[Workers]:
        class Shaky(Workers):
            """Off by 2^-8.7 of the result in its first runs: noise of 2^-10 hides that never."""

            left = times

            def __call__(self, *args: Any, **more: Any) -> Measurement:
                done = super().__call__(*args, **more)
                if self.left:
                    self.left -= 1
                    for values in done.outputs.values():
                        values *= 1 + 2**-8.7
                return done

        return Shaky

    for times, outcome in ((0, "right"), (1, "right"), (2, "wrong")):
        with off(times)() as workers:
            (run,) = tried(mean(), 0, scope, workers).runs
        assert (run.outcome, run.misses) == (outcome, times)


class LyingElsewhere(Workers):
    """Right on the data that the search has seen, and wrong after that."""

    runs = 0

    def __call__(self, *args: Any, **more: Any) -> Measurement:
        done = super().__call__(*args, **more)
        self.runs += 1
        if self.runs > 1:
            for values in done.outputs.values():
                values[0, 0] += 200
        return done


@pytest.mark.parametrize(("app", "scheme"), [(squares(), "bgv"), (mean(), "ckks")])
def test_a_set_that_is_wrong_elsewhere_in_the_ranges_is_found(
    scope: Scope, app: Application, scheme: str
) -> None:
    """One application in so many is run on other inputs, too: those of number 1 are."""
    there = replace(scope, scheme=scheme)
    with Workers() as workers:
        assert tried(app, 1, there, workers).faults == ()
    with LyingElsewhere() as workers:
        assert tried(app, 0, there, workers).faults == ()
    with LyingElsewhere() as workers:
        faults = tried(app, 1, there, workers).faults
    assert [f.outcome for f in faults] == ["wrong"]
    assert "on other inputs of the declared ranges" in faults[0].message


@pytest.mark.parametrize("asked", ["absolute:300", "relative:1e6"])
def test_what_is_no_farther_off_than_was_asked_is_right_elsewhere_too(scope: Scope, asked: str) -> None:
    """Means of values up to 1, off by 200."""
    with LyingElsewhere() as workers:
        assert tried(mean(wish={"precision": asked}), 1, scope, workers).faults == ()


@pytest.mark.parametrize(("t", "is_lucky"), [(65537, False), (114689, True), (786433, False)])
def test_a_set_that_is_right_by_luck_refutes_nothing(t: int, is_lucky: bool) -> None:
    """60 bits hold two products with 65599 easily modulo 65537, where it is 62; never modulo 786433; and in
    between more often than not, but not all but once in 2^40 times."""
    declared = {v: fh.integers(1024, modulo=t) for v in "xy"}
    circuit = fh.app(**declared)(lambda x, y: (x * 65599 + y) * 65599 - y).trace()
    own = Problem(circuit, random_data(circuit, 1), "random data")
    c = chosen(own, CATALOGUE["openfhe"], request_from("bfv", {"ring_dimension": "8192"}, 256), None)
    assert lucky(c, Wish(security=256)) == is_lucky


@pytest.mark.parametrize(("length", "least", "most"), [(1, 2.0, 4.0), (4096, 1.0, 1.5)])
def test_a_reason_is_refuted_by_more_than_half_of_all_encryptions(
    length: int, least: float, most: float
) -> None:
    """Of one number half of all runs have a quarter of the error that is promised: three tell little."""
    circuit = fh.app(x=fh.reals(length, low=1, high=2))(lambda x: x * x).trace()
    own = Problem(circuit, random_data(circuit, 1), "random data")
    c = chosen(own, CATALOGUE["openfhe"], request_from("ckks", {"scale_bits": "40"}, 128), None)
    margin = stricter(Asked(Measure.BITS, 20), own, c).value - 20
    assert least < margin < most
    assert stricter(Asked(Measure.ABSOLUTE, 1e-6), own, c).value == pytest.approx(1e-6 / 2**margin)


def test_a_crash_is_found_with_its_place(scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Answer:
        raise KeyError("level")

    monkeypatch.setattr(runner, "explore", broken)
    found = tried(mean(), 0, scope, Workers())
    assert [f.outcome for f in found.faults] == ["crashed"]
    assert "KeyError" in found.message
    assert "in broken" in found.trace


def test_a_store_that_cannot_be_used_is_no_fault_of_the_application(tmp_path: Any) -> None:
    place = tmp_path / "thesis.txt"
    place.write_text("no database")
    with pytest.raises(StoreError):
        tried(mean(), 0, Scope(("lattigo",), store=place), Workers())


def test_what_numpy_complains_of_is_found(scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    def noisy(*args: Any, **more: Any) -> Answer:
        import numpy as np

        np.log(np.zeros(1))
        return explore(*args, **more)

    monkeypatch.setattr(runner, "explore", noisy)
    with Workers() as workers:
        faults = tried(mean(), 0, scope, workers).faults
    assert [f.outcome for f in faults] == ["warned"]
    assert "divide by zero" in faults[0].message


def test_an_untrue_reason_why_nothing_fits_is_refuted(scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    def hiding(*args: Any, **more: Any) -> Answer:
        answer = explore(*args, **more)
        found = replace(
            answer.exploration, candidates=(), rejected=(Rejected("lattigo", "ckks", "too deep"),)
        )
        return Answer(found, answer.libraries, answer.profiles, answer.app)

    monkeypatch.setattr(runner, "explore", hiding)
    with Workers() as workers:
        found = tried(mean(), 0, scope, workers)
    assert [f.outcome for f in found.faults] == ["refuted"]
    assert found.unfit[0].tried is not None


def test_a_true_reason_is_not_refuted(scope: Scope) -> None:
    """Without bootstraps, which SEAL has not, nothing is deep enough."""
    x = Declared("x", True, 4, -1.0, 1.0)
    deep = Application(
        "deep", "Too deep.", (x,), (AppStep("v1", "{0} * {0} - 1", ("x",), 200),), ("v1",), False
    )
    with Workers() as workers:
        found = tried(deep, 0, replace(scope, libraries=("seal",)), workers)
    assert [u.refuted for u in found.unfit if u.scheme == "ckks"] == [False]
    assert found.runs == ()


def test_a_set_that_holds_small_data_alone_refutes_nothing(scope: Scope) -> None:
    """0.99^16384 is next to nothing, and 1.01^16384 is 6e70: nothing holds that."""
    x = Declared("x", True, 1, 0.99, 1.01)
    again = (AppStep("v1", "{0} * {0}", ("x",), 14),)
    powers = Application(
        "powers", "Powers.", (x,), again, ("v1",), wish={"precision": "absolute:1e-5"}, data=Given("low", 84)
    )
    with Workers() as workers:
        found = tried(powers, 0, replace(scope, scheme="ckks"), workers)
    assert [(u.tried is not None, u.refuted) for u in found.unfit] == [(True, False)]


def test_what_would_take_too_long_is_left_out(scope: Scope) -> None:
    with Workers() as workers:
        found = tried(mean(), 0, replace(scope, most_seconds=0.0), workers)
    assert [r.outcome for r in found.runs] == ["not run"]
    assert found.faults == ()


def test_a_constant_result_under_a_name_is_no_fault(scope: Scope) -> None:
    x = Declared("x", True, 4, -1.0, 1.0)
    steps = (AppStep("v1", "{0} - {0}", ("x",)),)
    found = tried(Application("zero", "Zero.", (x,), steps, ("v1",), named=True), 0, scope, Workers())
    assert (found.outcome, found.faults) == ("constant", ())


@pytest.mark.parametrize("modulo", [None, 65_537])
def test_a_result_that_depends_on_no_input_is_no_fault(scope: Scope, modulo: int | None) -> None:
    x = Declared("x", modulo is None, 4, -1.0, 1.0, modulo)
    steps = (AppStep("v1", "{0} - {0}", ("x",)),)
    found = tried(Application("zero", "Zero.", (x,), steps, ("v1",)), 0, scope, Workers())
    assert (found.outcome, found.faults) == ("constant", ())
    assert "does not depend on any input" in found.message


def test_a_result_that_is_called_constant_and_is_not_is_found(
    scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(*_: Any, **__: Any) -> Answer:
        raise CircuitError("the output result of mean does not depend on any input")

    monkeypatch.setattr(runner, "explore", mistaken)
    assert [f.outcome for f in tried(mean(), 0, scope, Workers()).faults] == ["declined"]
