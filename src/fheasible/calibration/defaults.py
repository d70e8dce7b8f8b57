"""Profiles that ship with the project, measured on common processors: what is known before any calibration.

They say what a library costs on another machine, so their error band is wide. A profile of this machine takes
their place.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from fheasible.estimation.features import NAMES, Caches
from fheasible.estimation.profile import Profile

FOLDER = Path(__file__).with_name("defaults")
BAND = 0.5  # recent processors differ by no more than half in such work, when each runs one thread
_NANOSECOND = 1e-9


@cache
def default_profile(library: str) -> Profile | None:
    """The shipped profile of the library; None where none is shipped for this version of the cost model."""
    file = FOLDER / f"{library}.json"
    if not file.is_file():
        return None
    found = Profile.from_json(json.loads(file.read_text()))
    if found is None or not found.origin:  # without its processor's name it would pass for this machine's
        return None
    return replace(found, error_band=max(BAND, found.error_band))


def default_profiles(libraries: Iterable[str]) -> dict[str, Profile]:
    """The shipped profiles of those libraries by name, as far as there are any."""
    return {name: found for name in libraries if (found := default_profile(name)) is not None}


def shipped(profile: Profile, processor: str) -> Profile:
    """The profile as it is shipped: with the processor's name, and without its points."""
    return replace(profile, origin=processor, points=())


def guess(library: str) -> Profile:
    """The shipped profile, or one nanosecond for each step of each kernel: enough to choose runs."""
    prices = tuple(0.0 if name.endswith("bytes") else _NANOSECOND for name in NAMES)
    nothing = Profile("", library, "", 1, "", Caches(), prices, {}, {}, 1.0, 1.0)
    return default_profile(library) or nothing
