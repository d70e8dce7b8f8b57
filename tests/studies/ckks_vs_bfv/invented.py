"""Results as they would be if the times of both schemes followed a formula: for the arithmetic of claims."""

from collections.abc import Callable, Mapping

from fheasible.studies.ckks_vs_bfv.experiments import OF_PAPER, OPERATIONS, SAME_CHAIN
from fheasible.studies.experiment import ResultRow
from fheasible.studies.operations import OperationExperiment
from fheasible.studies.results import Results

Seconds = Callable[[str, str, int, int], float]  # of a scheme's function at a set and a length

_AT = {"machine": "invented", "version": "0", "cpu": "none", "threads": 1, "commit": "none"}


def results(seconds: Seconds, alike: float = 1.0) -> Results:
    """Every cell of Lattigo; in BFV's primes, CKKS takes `alike` of BFV's time."""
    rows = {e.name: _rows(e, s, seconds) for s, e in OF_PAPER.items()}
    rows[SAME_CHAIN.name] = _rows(SAME_CHAIN, "bfv", lambda *at: alike * seconds(*at))
    return Results("ckks-vs-bfv", "invented", rows)


def _rows(experiment: OperationExperiment, scheme: str, seconds: Seconds) -> Mapping[str, ResultRow]:
    made = {}
    for i, cell in enumerate(experiment.cells):
        number, length = int(cell.parameters["set"]), int(cell.parameters["slots"])
        figures = {f"{name}_seconds": seconds(scheme, name, number, length) for name in OPERATIONS}
        made[cell.key] = ResultRow(
            experiment.name, i + 1, "2026-01-01", cell, 2, "lattigo", "measured", "",
            _AT, {}, figures={**figures, "add_error": 2.0**-20},
        )  # fmt: skip
    return made
