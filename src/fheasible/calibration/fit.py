"""From measured points to a profile: non-negative least squares on relative errors. Sees records alone."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear, nnls

from fheasible.estimation.features import features
from fheasible.estimation.profile import MemoryModel, Point

_LEAST, _MOST = (0.0, 0.5, 0.8), (1e4, 4.0, 1.6)  # bytes per coefficient of context, byte of keys, of values


def fit(points: Iterable[Point]) -> dict[str, tuple[float, ...]]:
    """Coefficients of every (scheme, action), as "scheme/action"."""
    return {name: _solve(group) for name, group in _grouped(points).items()}


def error_band(points: Iterable[Point]) -> float:
    """Mean relative error of predicting each point from the others of its operation, weighted by its time:
    an addition's error hardly matters beside a key switch's. Key generation is no part of the total."""
    groups = [g for g in _grouped(p for p in points if p.action != "keygen").values() if len(g) >= 3]
    errors = [e for group in groups for e in left_out_errors(group)]
    seconds = [p.seconds for group in groups for p in group]
    return float(np.average(errors, weights=seconds)) if errors else 1.0


def left_out_errors(group: Sequence[Point]) -> list[float]:
    """The relative error at each point of a fit that did not see it."""
    if len(group) < 3:
        return []
    return [_error(p, _solve([*group[:i], *group[i + 1 :]])) for i, p in enumerate(group)]


def fit_memory(rows: Sequence[tuple[float, float, float, float, float]]) -> MemoryModel:
    """From (baseline, context coefficients, key bytes, live bytes, peak), one row per run.

    Keys and ciphertexts really lie in memory, so each of their bytes takes at least most of one.
    """
    table = np.array(rows)
    baseline = float(np.median(table[:, 0]))
    above = np.maximum(table[:, 4] - baseline, 1.0)
    weighted, size = table[:, 1:4] / above[:, None], (table[:, 1:4] / above[:, None]).max(axis=0)
    bounds = (np.array(_LEAST) * size, np.array(_MOST) * size)
    solution = lsq_linear(weighted / size, np.ones(len(table)), bounds).x / size
    return MemoryModel(baseline, *(float(c) for c in solution))


def _grouped(points: Iterable[Point]) -> dict[str, list[Point]]:
    groups: dict[str, list[Point]] = defaultdict(list)
    for p in points:
        groups[f"{p.scheme}/{p.action}"].append(p)
    return dict(groups)


def _solve(group: Sequence[Point]) -> tuple[float, ...]:
    table, seconds = _table(group)
    size = np.maximum(np.abs(table).max(axis=0), 1e-300)  # columns of like size, for the solver's sake
    solution, _ = nnls(table / seconds[:, None] / size, np.ones(len(group)))
    return tuple(float(c) for c in solution / size)


def _table(group: Sequence[Point]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    table = np.array([features(p.action, p.shape) for p in group])
    return table, np.array([p.seconds for p in group])


def _error(p: Point, coefficients: tuple[float, ...]) -> float:
    predicted = sum(c * f for c, f in zip(coefficients, features(p.action, p.shape), strict=True))
    return abs(predicted / p.seconds - 1)
