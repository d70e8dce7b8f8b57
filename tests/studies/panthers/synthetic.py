"""Stored results as they would be if practice followed a formula: for the arithmetic of calibration alone."""

from collections.abc import Callable

import numpy as np

from fheasible.aliases import Floats
from fheasible.studies.panthers.model import FUNCTIONS, WHOLE, Counted, counted
from fheasible.studies.panthers.parameters import Sweep
from fheasible.studies.results import ResultRow, Results

Practice = Callable[[Counted], Floats]
MIB = 2**20


def results(sweeps: list[Sweep], seconds: Practice, mebibytes: Practice, quick: bool = False) -> Results:
    """Every cell (or every quick one) of the sweeps, each function by the same two formulas."""
    rows = {s.name: _rows(s, seconds, mebibytes, quick) for s in sweeps}
    return Results("panthers", "invented", rows)


def _rows(sweep: Sweep, seconds: Practice, mebibytes: Practice, quick: bool) -> dict[str, ResultRow]:
    cells = [cell for cell in sweep.cells if cell.quick or not quick]
    names = (WHOLE,) if sweep.application else (WHOLE, *FUNCTIONS)
    theory = {name: counted(sweep, cells, name) for name in names}
    times = {name: seconds(of) for name, of in theory.items()}
    peaks = {name: np.ceil(mebibytes(of) * MIB) for name, of in theory.items()}
    rows = {}
    for i, cell in enumerate(cells):
        cpu = {"total" if n == WHOLE else n: {"min": float(times[n][i])} for n in names}
        phases = {n: float(peaks[n][i]) for n in names if n != WHOLE}
        measured = {"cpu_seconds": cpu, "peak_bytes": float(peaks[WHOLE][i]), "phase_peak_bytes": phases}
        measured |= {"correct": True}
        at = {"machine": "invented", "version": "0"}
        rows[cell.key] = ResultRow(
            sweep.name, i + 1, "2026-01-01", cell, 10, "reference", "measured", "", at, measured
        )
    return rows
