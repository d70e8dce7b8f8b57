"""Profiles kept in the store: written by calibration, read by everything that predicts."""

from collections.abc import Iterable

from fheasible.calibration.defaults import default_profile
from fheasible.estimation.profile import Profile
from fheasible.estimation.walls import at
from fheasible.libraries.catalogue import library
from fheasible.libraries.library import Parallelism
from fheasible.measurement.machine import this_machine
from fheasible.store.store import Store


def save(store: Store, profile: Profile) -> int:
    return store.add_profile(
        profile.machine, profile.library, profile.version, profile.threads, profile.to_json()
    )


def of_this_machine(store: Store, libraries: Iterable[str]) -> dict[str, Profile]:
    """The newest profile of each library that was calibrated here, by the cost model of this version."""
    return of_machine(store, this_machine().fingerprint, libraries)


def of_machine(store: Store, machine: str, libraries: Iterable[str]) -> dict[str, Profile]:
    """The newest profile of each library for the machine with that fingerprint, as in `of_this_machine`."""
    rows = {name: store.latest_profile(machine, name) for name in libraries}
    found = {name: Profile.from_json(row.content) for name, row in rows.items() if row is not None}
    return {name: profile for name, profile in found.items() if profile is not None}


def at_hand(store: Store, libraries: Iterable[str], threads: int = 1) -> dict[str, Profile]:
    """The profiles of this machine, and shipped ones where a library has none, at that number of threads.

    Where threads share out limbs, a profile in which several were not measured says nothing of them.
    """
    names = list(libraries)
    shipped = {name: default_profile(name) for name in names}
    known = {n: p for n, p in shipped.items() if p is not None} | of_this_machine(store, names)
    return {name: at(p, threads) for name, p in known.items() if threads == 1 or p.parallel or _alone(name)}


def _alone(name: str) -> bool:
    return library(name).threading.parallelism is not Parallelism.LIMBS
