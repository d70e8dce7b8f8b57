"""Applications on integers are also run by libraries of table look-ups, whatever comes of it."""

from pathlib import Path
from typing import Any

import pytest

from fheasible.errors import WorkerFailed, WrongResult
from fheasible.measurement import registry
from fheasible.trial import table_lookups
from fheasible.trial.application import Application, AppStep, Declared
from fheasible.trial.files import write
from fheasible.trial.found import TrialRun

MIB = 2**20


def larger(**more: Any) -> Application:
    x, y = (Declared(name, False, 2, 0, 7) for name in "xy")
    steps = (AppStep("v1", "fh.maximum({0}, {1})", ("x", "y")),)
    return Application("larger", "The larger ones.", (x, y), steps, ("v1",), **more)


def runs(folder: Path, app: Application, seconds: float = 60, size: float = 4096 * MIB) -> list[TrialRun]:
    source, data = write(app, folder)
    return list(table_lookups.runs(source, data, ("tfhe_rs",), seconds, size, seed=1))


def test_applications_of_reals_and_of_residues_are_not_discrete() -> None:
    x, real = Declared("x", False, 2, 0, 7), Declared("y", True, 2, 0.0, 7.0)
    modular = Declared("z", False, 2, 0, 0, 65_537)
    assert larger().discrete
    for inputs in ((x, real), (modular,)):
        assert not Application("a", "", inputs, (), ()).discrete


def test_a_set_that_takes_too_long_or_too_much_memory_is_not_run(tmp_path: Path) -> None:
    for limits in ({"seconds": 1e-4}, {"size": 1.0}):
        (found,) = runs(tmp_path, larger(), **limits)
        assert (found.library, found.outcome, found.measured) == ("tfhe_rs", "not run", None)
        assert found.message.startswith("predicted: ")


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(WrongResult("3 instead of 4", "none"), "wrong"), (WorkerFailed("it ended", "none"), "died")],
)
def test_what_goes_wrong_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, outcome: str
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    monkeypatch.setattr(table_lookups, "prove", fail)
    (found,) = runs(tmp_path, larger())
    assert (found.outcome, found.message) == (outcome, error.args[0].partition("\n")[0])


@pytest.mark.worker
@pytest.mark.skipif(not registry.command("tfhe_rs").installed, reason="TFHE-rs is not built: make tfhe")
def test_a_run_is_right_and_as_large_as_predicted(tmp_path: Path) -> None:
    (found,) = runs(tmp_path, larger())
    assert (found.outcome, found.message) == ("right", "")
    assert found.measured is not None
    assert found.measured["peak_bytes"] == pytest.approx(found.predicted["peak_bytes"], rel=0.1)
