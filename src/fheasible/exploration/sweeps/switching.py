"""Predictions of comparisons by scheme switching, which is an operation of some libraries' CKKS alone."""

from fheasible.estimation.profile import Profile
from fheasible.estimation.switching import named
from fheasible.estimation.switching_units import units
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import Parameters
from fheasible.measurement.operations import Item, OperationJob
from fheasible.units import listing

SWITCHES = listing([lib.title for lib in BY_NAME.values() if lib.switching_levels and not lib.build_of])
"""The libraries that switch between CKKS and FHEW."""
NOT_CALIBRATED = (
    "scheme switching with FHEW of this security is not calibrated (fheasible calibrate --switching: toy "
    "parameters, --security none)"
)


def no_switching(item: Item, lib: Library, p: Parameters) -> str:
    """Why the library cannot do that operation of scheme switching; empty where it can."""
    if lib.switching_levels is None or p.scheme != "ckks":
        return f"CKKS slots are switched to FHEW by {SWITCHES} alone, and by no other scheme"
    if item.level < min(p.levels, 1):
        return "there is no level for the map of slots to coefficients"
    return ""


def by_switching(job: OperationJob, item: Item, profile: Profile) -> tuple[float | None, str]:
    """(CPU seconds, ""), or (None, why there is no prediction)."""
    request = job.parameters.request
    model = profile.switching.get(named(request.security if request else None))
    if model is None:
        return None, NOT_CALIBRATED
    return model.seconds(item.operation, job.slots, *units(job.parameters, job.slots, profile)), ""
