"""The `MemoryModel` that is fitted to measured resident sets. Only records are used here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.optimize import least_squares

from fheasible.aliases import Floats
from fheasible.estimation.memory import PUBLISHED_BAND, MemoryModel, Needs, needs, peak_bytes
from fheasible.measurement.sampled import Record

# Fixed bytes, then bytes per byte of the context, of the keys and of the working data. A byte of a table or a
# key takes one byte, and a little more for what is not counted. Working data may fit into memory that is
# resident already.
_LEAST: Final = np.array((0.0, 1.0, 1.0, 0.9))
_MOST: Final = np.array((32e6, 1.05, 1.03, 1.1))
# Relative errors beyond this come from the allocator's state, and count by their size, not by its square.
_USUAL: Final = 0.01
_WEIGHTS: Final = (0.3, 0.3, 1.0)  # the weights of a run's context, keys and peak
_NINE_OF_TEN: Final = 1.645  # standard deviations that nine of ten normal errors are within


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """One run of a library and scheme: what it needs, and the resident bytes that its worker saw."""

    needs: Needs
    baseline_bytes: int
    context_bytes: int
    keys_bytes: int
    peak_bytes: int


def memory_models(records: Iterable[Record]) -> dict[str, MemoryModel]:
    """The model of each scheme, from runs in fresh processes.

    In a process that has run before, pools still hold memory of earlier runs.
    """
    rows: dict[str, list[MemoryRow]] = {}
    for r in records:
        if (row := _row(r)) is not None:
            rows.setdefault(r.scheme, []).append(row)
    band = error_band(rows.values())
    return {scheme: replace(fit_memory(found), error_band=band) for scheme, found in rows.items()}


def error_band(rows: Iterable[Sequence[MemoryRow]]) -> float:
    """The relative error that nine of ten predicted peaks stay within.

    Each run is predicted from other contexts alone; where that is not possible for any run, it is
    PUBLISHED_BAND. `rows`: the runs of each scheme. All schemes of a library count together, because they
    have one allocator and a calibration runs only a few contexts of each.
    """
    errors = [e for each in rows for e in left_out_errors(each)]
    return float(_NINE_OF_TEN * np.sqrt(np.mean(np.square(errors)))) if errors else PUBLISHED_BAND


def _row(r: Record) -> MemoryRow | None:
    """The row of a record; None where the system did not report its memory."""
    m = r.measurement.memory if r.measurement else None
    if m is None or None in (m.baseline_bytes, m.context_bytes, m.keys_bytes, m.peak_bytes):
        return None
    seen = (m.baseline_bytes or 0, m.context_bytes or 0, m.keys_bytes or 0, m.peak_bytes or 0)
    return MemoryRow(needs(r.program, r.parameters), *seen)


def fit_memory(rows: Sequence[MemoryRow]) -> MemoryModel:
    """The model of one library and scheme: bounded, robust least squares on errors relative to each peak."""
    table, target = _equations(rows)
    size = np.maximum(table.max(axis=0), 1e-300)  # columns of like size, for the solver's sake

    def errors(x: Floats) -> Floats:
        return np.asarray(table @ (x / size) - target)

    start = (_LEAST + _MOST) / 2 * size
    bounds = (_LEAST * size, _MOST * size)
    found = least_squares(errors, start, bounds=bounds, loss="soft_l1", f_scale=_USUAL).x / size
    baseline = float(np.median([row.baseline_bytes - row.needs.data for row in rows]))
    return MemoryModel(baseline, *(float(c) for c in found))


def left_out_errors(rows: Sequence[MemoryRow]) -> list[float]:
    """Predicted / measured - 1 of each run's peak, by a model that saw no run of its context."""
    errors = []
    for row in rows:
        others = [other for other in rows if other.needs.context != row.needs.context]
        if others:
            errors.append(peak_bytes(fit_memory(others), row.needs) / row.peak_bytes - 1)
    return errors


def _equations(rows: Sequence[MemoryRow]) -> tuple[Floats, Floats]:
    """The equations of the fit: bytes above the baseline after the context, after the keys and at the peak.

    Each is relative to the peak. The first two count less: Go leaves garbage there that later steps use
    again, and the peak is what is promised.
    """
    table, target = [], []
    for row in rows:
        n = row.needs
        seen = (row.context_bytes, row.keys_bytes, row.peak_bytes)
        parts = ((0, 0), (n.keys, n.key_generation), (n.keys, n.working))
        for resident, (keys, working), weight in zip(seen, parts, _WEIGHTS, strict=True):
            table.append(weight * np.array((1.0, n.context, keys, working)) / row.peak_bytes)
            target.append(weight * (resident - row.baseline_bytes) / row.peak_bytes)
    return np.array(table), np.array(target)
