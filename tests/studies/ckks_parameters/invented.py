"""Results as they would be if practice followed the prediction, or something else: for the claims alone."""

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from fheasible.calibration.defaults import default_profile
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.studies.ckks_parameters.experiments import EXPERIMENTS, SQUARE_ROOT
from fheasible.studies.experiment import Experiment, Prediction, ResultRow, StudyCell
from fheasible.studies.results import Results

Figures = Mapping[str, Any]
Change = Callable[[Experiment, StudyCell, Figures], Figures]
OPERATIONS = {
    "operations": [{"operation": "mul_plain", "level": 1}, {"operation": "mul", "level": 1}],
    "operation_seconds": [[[0.3, 0.3], [0.1, 0.1]], [[0.2, 0.2], [0.1, 0.1]]],
}


def same(experiment: Experiment, cell: StudyCell, figures: Figures) -> Figures:
    return figures


@cache
def _told() -> Mapping[str, Mapping[str, Prediction]]:
    """The real predictions of every experiment but the 202 degrees, which would take 20 seconds."""
    profiles = {name: p for name in CATALOGUE if (p := default_profile(name)) is not None}
    told = {e.name: e.predictions(profiles) for e in EXPERIMENTS if e is not SQUARE_ROOT}
    return {**told, SQUARE_ROOT.name: {c.key: Prediction(_of_degree(c)) for c in SQUARE_ROOT.cells}}


def _of_degree(cell: StudyCell) -> Figures:
    """Bits that grow with the degree up to 28, and a time like its root."""
    degree = cell.parameters["degree"]
    bits = min(28.0, 10 + 18 * degree / 750)
    limbs = 4 + degree.bit_length()
    return {"ring_dimension": 2**15, "precision_bits": bits, "cpu_seconds": degree**0.5, "limbs": limbs}


def results(told: Change = same, seen: Change | None = same) -> Results:
    """Every cell as `told` changes its prediction, and run as `seen` changes that; None: nothing was run."""
    predicted = {
        e.name: {c.key: _changed(e, c, _told()[e.name][c.key], told) for c in e.cells} for e in EXPERIMENTS
    }
    rows = {} if seen is None else {e.name: _rows(e, predicted[e.name], seen) for e in EXPERIMENTS}
    return Results("ckks-parameters", "invented", rows, {}, (), predicted)


def _changed(e: Experiment, cell: StudyCell, prediction: Prediction, change: Change) -> Prediction:
    return prediction if prediction.refused else Prediction(change(e, cell, prediction.figures))


def _rows(e: Experiment, told: Mapping[str, Prediction], seen: Change) -> dict[str, ResultRow]:
    return {
        cell.key: ResultRow(
            e.name, i + 1, "2026-01-01", cell, 10, "openfhe", "measured", "", {"machine": "invented"},
            OPERATIONS, figures=MappingProxyType(dict(seen(e, cell, told[cell.key].figures))),
        )
        for i, cell in enumerate(e.cells)
        if not told[cell.key].refused
    }  # fmt: skip
