"""Profiles kept in the store: written by calibration, read by everything that predicts."""

from collections.abc import Iterable

from fheasible.calibration.defaults import default_profile
from fheasible.estimation.profile import Profile
from fheasible.measurement.machine import this_machine
from fheasible.store.store import Store


def save(store: Store, profile: Profile) -> int:
    return store.add_profile(
        profile.machine, profile.library, profile.version, profile.threads, profile.to_json()
    )


def of_this_machine(store: Store, libraries: Iterable[str], threads: int = 1) -> dict[str, Profile]:
    """The newest profile of each library that was calibrated here, by the cost model of this version."""
    return of_machine(store, this_machine().fingerprint, libraries, threads)


def of_machine(store: Store, machine: str, libraries: Iterable[str], threads: int = 1) -> dict[str, Profile]:
    """The newest profile of each library for the machine with that fingerprint, as in `of_this_machine`."""
    rows = {name: store.latest_profile(machine, name, threads=threads) for name in libraries}
    found = {name: Profile.from_json(row.content) for name, row in rows.items() if row is not None}
    return {name: profile for name, profile in found.items() if profile is not None}


def at_hand(store: Store, libraries: Iterable[str], threads: int = 1) -> dict[str, Profile]:
    """The profiles of this machine; for one thread, shipped ones where a library has none here."""
    names = list(libraries)
    shipped = {name: default_profile(name) for name in names if threads == 1}
    return {n: p for n, p in shipped.items() if p is not None} | of_this_machine(store, names, threads)
