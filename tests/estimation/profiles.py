"""Profiles that say what a test wants them to."""

from dataclasses import replace
from itertools import count
from typing import Any

from fheasible.estimation.features import NAMES, Caches, Features
from fheasible.estimation.memory import MemoryModel
from fheasible.estimation.profile import Profile
from fheasible.measurement.machine import this_machine
from fheasible.program.types import HAS_DIGITS, MAKES_DIGITS, Action

SCHEMES = ("ckks", "bgv", "bfv")
HOISTED = (MAKES_DIGITS, HAS_DIGITS)
ACTIONS = (
    *(a.value for a in Action if not a.startswith(("eval_", "bootstrap"))),
    *HOISTED,
    "decrypt",
    "keygen",
)
MEMORY = MemoryModel(5e7, 1e6)


def priced(**seconds: float) -> Features:
    """Prices of the features of these names; all others are free."""
    assert set(seconds) <= set(NAMES)
    return tuple(seconds.get(name, 0.0) for name in NAMES)


def invented(library: str, seconds: float = 1e-9, **own: float) -> Profile:
    """Every feature costs `seconds`, of the actions in `own` as much as is said there."""
    coefficients = {
        f"{scheme}/{action}": (own.get(action, seconds),) * len(NAMES)
        for scheme in SCHEMES
        for action in ACTIONS
    }
    return Profile(
        this_machine().fingerprint,
        library,
        "1.0",
        threads=1,
        created="2026-01-02T03:04:05.000+00:00",
        caches=Caches(),
        prices=(seconds,) * len(NAMES),
        coefficients=coefficients,
        memory=dict.fromkeys(SCHEMES, MEMORY),
        error_band=0.05,
        wall_factor=1.0,
    )


def telling(library: str, **given: Any) -> Profile:
    """All coefficients differ, so that no two operations or features can be confused."""
    number = count(1)
    told = {
        f"{scheme}/{action}": tuple(1e-9 * next(number) for _ in NAMES)
        for scheme in SCHEMES
        for action in ACTIONS
    }
    return replace(invented(library), coefficients=told, **given)
