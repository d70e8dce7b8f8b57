"""Invented results of the study: every cell's own prediction, changed as a test wants."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from fheasible.calibration.defaults import default_profile
from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.experiment import Profiles, ResultRow
from fheasible.studies.results import Results, Source
from fheasible.studies.seal_vs_openfhe.experiments import EXPERIMENTS

STUDY, CPU = "seal-vs-openfhe", "Invented"
Figures = Mapping[str, Any]
Change = Callable[[AppliedExperiment, Figures], Figures]


@cache
def profiles() -> Profiles:
    found = {e.library: default_profile(e.library) for e in EXPERIMENTS}
    return {name: p for name, p in found.items() if p is not None}


@cache
def _nothing() -> Results:
    return Results(STUDY, "here", {}, profiles())


def as_predicted(experiment: AppliedExperiment, figures: Figures) -> Figures:
    return figures


def results(
    experiments: Iterable[AppliedExperiment], change: Change = as_predicted, others: tuple[Source, ...] = ()
) -> Results:
    rows = {e.name: rows_of(e, change) for e in experiments}
    return Results(STUDY, "here", rows, profiles(), others, _nothing()._predicted)


def elsewhere(experiments: Iterable[AppliedExperiment], system: str, factor: float, cpu: str = CPU) -> Source:
    """Results of another machine, whose figures are those predicted here times `factor`."""
    rows = {e.name: rows_of(e, lambda e, f: scaled(f, factor), system, cpu) for e in experiments}
    return Source("there", cpu, "seal", "0", rows)


def scaled(figures: Figures, factor: float) -> Figures:
    numbers = ("cpu_seconds", "evaluate_seconds", "peak_bytes")
    return {**figures, **{name: factor * figures[name] for name in numbers}}


def rows_of(
    experiment: AppliedExperiment, change: Change, system: str = "Debian GNU/Linux 12", cpu: str = CPU
) -> dict[str, ResultRow]:
    at = {"machine": "here", "version": "0", "cpu": cpu, "os": system, "threads": 1, "commit": None}
    told = _nothing().predictions(experiment)
    return {
        cell.key: ResultRow(
            experiment.name, i + 1, "2026-01-01", cell, 5, experiment.library, "measured", "", at, {},
            figures=change(experiment, told[cell.key].figures),
        )
        for i, cell in enumerate(experiment.cells) if not told[cell.key].refused
    }  # fmt: skip
