"""Profiles of libraries of the TFHE family, in the store or shipped: read by everything that predicts."""

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from fheasible.calibration import defaults
from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.measurement.machine import this_machine
from fheasible.store.store import Store


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
    file = defaults.FOLDER / f"{library}.json"
    if not file.is_file():
        return None
    found = LookupProfile.from_json(json.loads(file.read_text()))
    return replace(found, error_band=max(defaults.BAND, found.error_band))


def shipped(profile: LookupProfile, processor: str) -> LookupProfile:
    """The profile as it is shipped: with the processor's name, and without its points."""
    return replace(profile, origin=processor, points=())
