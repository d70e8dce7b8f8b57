"""Profiles of libraries of the TFHE family, fitted to what `lookup_runs.py` measures."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from fheasible.calibration.fit import robust
from fheasible.calibration.lookup_runs import Report, measured
from fheasible.estimation.lookup_profile import LookupPoint, LookupProfile
from fheasible.libraries.lookup_library import LookupLibrary, LookupTask
from fheasible.measurement.environment import now
from fheasible.measurement.machine import this_machine
from fheasible.measurement.pace import reference_loop

SHARE: Final = 0.9  # the share of sets that are predicted within the band
LEAST_BAND: Final = 0.03
_APART: Final = (LookupTask.KEYGEN, LookupTask.ENCRYPT, LookupTask.DECRYPT)
"""Tasks with prices of their own: they do other things with words than look-ups do."""


def calibrate_lookups(library: LookupLibrary, report: Report) -> LookupProfile:
    """The profile of a library on this machine, from runs of some tens of seconds.

    LibraryMissing where it is not installed.
    """
    before = reference_loop()
    points = measured(library, report)
    return replace(profile(library, points), pace_seconds=min(before, reference_loop()))


def profile(library: LookupLibrary, points: Sequence[LookupPoint]) -> LookupProfile:
    """The profile that is fitted to those points; nothing is run."""
    prices, tasks = prices_of(points)
    return LookupProfile(
        machine=this_machine().fingerprint,
        library=library.name,
        version=library.version,
        created=now(),
        prices=prices,
        tasks=tasks,
        error_band=max(LEAST_BAND, _band(points)),
        wall_factor=1.0,
        points=tuple(points),
    )


Prices = dict[str, float]


def prices_of(points: Sequence[LookupPoint]) -> tuple[Prices, dict[str, Prices]]:
    """The prices that tasks share, and those of the tasks that have their own."""
    own = {task.value: fit([p for p in points if p.task == task]) for task in _APART}
    shared = [p for p in points if p.task not in own]
    return fit(shared), own


def fit(points: Sequence[LookupPoint]) -> Prices:
    """The non-negative price of each kernel of those points, by relative errors; outliers count for less."""
    names = sorted({name for p in points for name in p.kernels})
    if not names:
        return {}
    table = np.array([[p.kernels.get(name, 0.0) / p.seconds for name in names] for p in points])
    found = robust(table, np.ones(len(points)), np.full(len(names), np.inf))
    return {name: float(price) for name, price in zip(names, found, strict=True)}


def _band(points: Sequence[LookupPoint]) -> float:
    """The relative error that nine of ten sets stay within, where the look-up of each is predicted from the
    other sets."""
    off = []
    sets: dict[str, list[LookupPoint]] = defaultdict(list)
    for p in points:
        sets[json.dumps(p.parameters, sort_keys=True)].append(p)
    for here in sets.values():
        prices, _ = prices_of([p for p in points if p not in here])
        off += [error(p, prices) for p in here if p.task == LookupTask.LOOKUP]
    return float(np.quantile(np.abs(off), SHARE)) if off else 1.0


def error(point: LookupPoint, prices: Prices) -> float:
    """How far the predicted seconds of a point are off, as a share of the measured ones."""
    return sum(prices.get(name, 0.0) * count for name, count in point.kernels.items()) / point.seconds - 1
