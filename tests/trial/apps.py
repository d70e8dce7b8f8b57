"""Applications of a line or two, and what came of runs that were never made."""

from typing import Any

from fheasible.trial.application import Application, AppStep, Declared
from fheasible.trial.found import TrialOutcome, TrialRun


def squares(length: int = 16, **more: Any) -> Application:
    x = Declared("x", False, length, 0, 15)
    return Application("squares", "Squares.", (x,), (AppStep("v1", "{0} * {0}", ("x",)),), ("v1",), **more)


def mean(**more: Any) -> Application:
    x = Declared("x", True, 8, -1.0, 1.0)
    return Application("mean", "A mean.", (x,), (AppStep("v1", "fh.mean({0})", ("x",)),), ("v1",), **more)


def run(library: str = "seal", scheme: str = "ckks", outcome: str = "right", **more: Any) -> TrialRun:
    figures: dict[str, Any] = {"message": "", "settings": {}, "predicted": {}} | more
    return TrialRun(library, scheme, outcome, **figures)


def found(number: int, *runs: TrialRun, **more: Any) -> TrialOutcome:
    told: dict[str, Any] = {"outcome": "explored", "seconds": 0.5} | more
    return TrialOutcome(number, squares().to_json(), runs=runs, **told)
