"""Profiles of libraries of the TFHE family: fitted to what `lookup_runs.py` measures, kept in the store, or
shipped."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import cache
from typing import Final

import numpy as np

from fheasible.calibration.defaults import BAND, FOLDER
from fheasible.calibration.fit import robust
from fheasible.calibration.lookup_runs import Report, measured
from fheasible.estimation.lookup_profile import LookupPoint, LookupProfile
from fheasible.libraries.lookup_library import LookupLibrary, LookupTask
from fheasible.measurement.environment import now
from fheasible.measurement.machine import this_machine
from fheasible.store.store import Store

SHARE: Final = 0.9  # the share of sets that are predicted within the band
LEAST_BAND: Final = 0.03
_APART: Final = (LookupTask.KEYGEN, LookupTask.ENCRYPT, LookupTask.DECRYPT)
"""Tasks with prices of their own: they do other things with words than look-ups do."""


def at_hand(store: Store, names: Iterable[str]) -> dict[str, LookupProfile]:
    """The profiles of this machine, and shipped ones where a library has none, by name."""
    wanted = list(names)
    shipped = {name: default_lookup_profile(name) for name in wanted}
    return {n: p for n, p in shipped.items() if p is not None} | of_this_machine(store, wanted)


def of_this_machine(store: Store, names: Iterable[str]) -> dict[str, LookupProfile]:
    """The newest profile of each library that was calibrated here."""
    rows = {name: store.latest_profile(this_machine().fingerprint, name) for name in names}
    return {name: LookupProfile.from_json(row.content) for name, row in rows.items() if row is not None}


def save(store: Store, profile: LookupProfile) -> int:
    body = profile.to_json()
    return store.add_profile(profile.machine, profile.library, profile.version, profile.threads, body)


@cache
def default_lookup_profile(library: str) -> LookupProfile | None:
    """The shipped profile of the library; None where none is shipped."""
    file = FOLDER / f"{library}.json"
    if not file.is_file():
        return None
    found = LookupProfile.from_json(json.loads(file.read_text()))
    return replace(found, error_band=max(BAND, found.error_band))


def shipped(profile: LookupProfile, processor: str) -> LookupProfile:
    """The profile as it is shipped: with the processor's name, and without its points."""
    return replace(profile, origin=processor, points=())


def calibrate_lookups(library: LookupLibrary, report: Report) -> LookupProfile:
    """The profile of a library on this machine, from runs of some tens of seconds.

    LibraryMissing where it is not installed.
    """
    return profile(library, measured(library, report))


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
    for left_out in {json.dumps(asdict(p)["parameters"], sort_keys=True) for p in points}:
        here = [p for p in points if json.dumps(p.parameters, sort_keys=True) == left_out]
        prices, _ = prices_of([p for p in points if p not in here])
        off += [error(p, prices) for p in here if p.task == LookupTask.LOOKUP]
    return float(np.quantile(np.abs(off), SHARE)) if off else 1.0


def error(point: LookupPoint, prices: Prices) -> float:
    """How far the predicted seconds of a point are off, as a share of the measured ones."""
    return sum(prices.get(name, 0.0) * count for name, count in point.kernels.items()) / point.seconds - 1
