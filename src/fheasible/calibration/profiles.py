"""Profiles kept in the store: written by calibration, read by everything that predicts."""

from collections.abc import Iterable

from fheasible.estimation.profile import Profile
from fheasible.measurement.machine import this_machine
from fheasible.store.store import Store


def save(store: Store, profile: Profile) -> int:
    return store.add_profile(
        profile.machine, profile.library, profile.version, profile.threads, profile.to_json()
    )


def of_this_machine(store: Store, libraries: Iterable[str], threads: int = 1) -> dict[str, Profile]:
    """The newest profile of each library that was calibrated here."""
    machine = this_machine().fingerprint
    found = {name: store.latest_profile(machine, name, threads=threads) for name in libraries}
    return {name: Profile.from_json(row.content) for name, row in found.items() if row is not None}
