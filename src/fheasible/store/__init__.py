"""Measurements and profiles in a database."""

from fheasible.store.rows import Entry, StoredMeasurement, StoredProfile
from fheasible.store.store import Store

__all__ = ["Entry", "Store", "StoredMeasurement", "StoredProfile"]
