"""Toy sets, really run in processes of their own."""

import pytest

from fheasible.errors import LibraryMissing
from fheasible.estimation.ring_profile import RingProfile
from fheasible.store.store import Store
from fheasible.studies import running
from fheasible.studies.experiment import StudyCell, StudyPlan
from fheasible.studies.panthers import experiments
from fheasible.studies.panthers.experiments import EXPERIMENTS, INSUFFICIENT, efforts, execute
from fheasible.studies.panthers.measured import mebibytes, seconds
from fheasible.studies.panthers.model import FUNCTIONS, WHOLE, counted
from fheasible.studies.panthers.parameters import EQUATION, Sweep, sweep
from fheasible.studies.results import Results

INSECURE_N = 64


def cell(log_q: int, log_w: int = 8, t: int = 2) -> StudyCell:
    return StudyCell({"n": INSECURE_N, "log_q": log_q, "log_w": log_w, "t": t})


def toy(scheme: str, app: str = "") -> Sweep:
    return Sweep(scheme, "log_q", (60,), {"n": INSECURE_N, "log_w": 8, "t": 2}, "Table I", app)


@pytest.mark.parametrize("scheme", ["fv", "yashe", "yashepanthers", "fntru"])
def test_a_scheme_is_run_and_decrypts_what_was_encrypted(scheme: str) -> None:
    made = execute(toy(scheme), cell(60), StudyPlan(2))
    assert (made.outcome, made.message) == ("measured", "")
    assert made.measurement is not None
    assert made.measurement["correct"]
    assert len(made.measurement["cpu_seconds"]["multiply"]["samples"]) == 2
    parts = sum(seconds(made.measurement, function) for function in FUNCTIONS)
    assert seconds(made.measurement, WHOLE) >= parts
    assert all(mebibytes(made.measurement, f) > 0 for f in (WHOLE, *FUNCTIONS))
    assert made.estimate is not None
    assert made.estimate["integer_multiplications"] > 0


def test_a_modulus_too_small_for_any_product_is_timed_and_no_failure() -> None:
    made = execute(toy("fntru"), cell(4, 2), StudyPlan(1))
    assert (made.outcome, made.message) == ("measured", INSUFFICIENT)
    assert made.measurement is not None
    assert not made.measurement["correct"]
    assert made.estimate is not None
    assert made.estimate["depth"] == 0


@pytest.mark.parametrize("t", [2, 5])
def test_the_application_decrypts_to_the_equation_s_value(t: int) -> None:
    made = execute(toy("fv", EQUATION), cell(400, 32, t), StudyPlan(1))
    assert made.outcome == "measured"
    assert made.measurement is not None
    assert made.measurement["correct"]


@pytest.mark.parametrize(("app", "scheme"), [("croissant", "yashepanthers"), ("medical", "fv")])
def test_the_other_published_applications_decrypt_to_what_they_are_in_the_clear(
    app: str, scheme: str
) -> None:
    made = execute(toy(scheme, app), cell(400, 32), StudyPlan(1))
    assert made.outcome == "measured"
    assert made.measurement is not None
    assert made.measurement["correct"]


def test_without_the_native_ring_no_set_is_begun(monkeypatch: pytest.MonkeyPatch, store: Store) -> None:
    def absent() -> None:
        raise LibraryMissing("the native module fheasible_native is not built", "make native")

    monkeypatch.setattr(experiments, "native", absent)
    there = Results("panthers", "", {})
    todo = running.steps([experiments.experiment("application-fv-choice")], True, there)
    with pytest.raises(LibraryMissing) as told:
        running.whole(store, "panthers", todo, there)
    assert told.value.remedy == "make native"
    assert not list(store.measurements())


def test_a_calibrated_machine_has_predicted_seconds() -> None:
    one = experiments.experiment("croissant-yashepanthers-log_w")
    kernels = counted(sweep(one.name), one.cells).kernels
    prices = dict.fromkeys(kernels, 0.0) | {"butterflies": 1e-9}
    profile = RingProfile("", "", "", prices, 0.0, 1.0, 0.0, 1.0)
    told = one.predictions({profile.library: profile})
    found = [told[c.key].figures["cpu_seconds"] for c in one.cells]
    assert found == pytest.approx([1e-9 * float(k) for k in kernels["butterflies"]])
    assert "cpu_seconds" not in one.predictions({})[one.cells[0].key].figures


def test_what_would_not_fit_is_refused_with_the_figure() -> None:
    made = execute(toy("fv"), cell(60), StudyPlan(1, max_memory_bytes=1000))
    assert (made.outcome, made.measurement) == ("refused", None)
    assert "KiB" in made.message
    assert "1000 B" in made.message


def test_a_larger_set_is_a_larger_effort() -> None:
    small, large = efforts(toy("fv"), [cell(60), cell(600)], 3)
    assert small < large
    assert efforts(toy("fv"), [cell(600)], 6)[0] > large


def test_experiments_have_names_of_their_own() -> None:
    assert len({e.name for e in EXPERIMENTS}) == len(EXPERIMENTS) == 25
