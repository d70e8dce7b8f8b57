"""Predictions of comparisons by scheme switching, which is an operation of some libraries' CKKS alone."""

from collections.abc import Mapping
from typing import Final

from fheasible.estimation.profile import Profile
from fheasible.estimation.switching import named
from fheasible.estimation.switching_units import units
from fheasible.libraries.catalogue import BY_NAME, library
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import Parameters
from fheasible.measurement.operations import Item, OperationJob
from fheasible.units import listing

SWITCHES = listing([lib.title for lib in BY_NAME.values() if lib.switching_levels and not lib.build_of])
"""The libraries that switch between CKKS and FHEW."""
FHEW_SETS: Final[Mapping[int | None, str]] = {None: "TOY", 128: "STD128"}
FHEW_BITS: Final = 25  # log2 of the modulus of ciphertexts whose sign is taken
NOT_CALIBRATED = (
    "scheme switching with FHEW of this security is not calibrated (fheasible calibrate --switching: toy "
    "parameters, --security none; with --fhew 128: secure ones)"
)


def no_switching(item: Item, lib: Library, p: Parameters) -> str:
    """Why the library cannot do that operation of scheme switching; empty where it can."""
    if lib.switching_levels is None or p.scheme != "ckks":
        return f"CKKS slots are switched to FHEW by {SWITCHES} alone, and by no other scheme"
    if item.level < min(p.levels, 1):
        return "there is no level for the map of slots to coefficients"
    return ""


def fhew_security(job: OperationJob) -> int | None:
    """The security of FHEW's parameters: that of the set, unless the job says another."""
    request = job.parameters.request
    return job.fhew or (request.security if request else None)


def fhew_bytes(job: OperationJob) -> int | None:
    """The resident bytes of FHEW's keys, predicted; None where the library describes no such set."""
    gates, name = library(job.library).gates, FHEW_SETS.get(fhew_security(job))
    if gates is None or name is None:
        return None
    return gates.memory_bytes(gates.bin_set(name, "ginx", FHEW_BITS, False), "ginx")


def by_switching(job: OperationJob, item: Item, profile: Profile) -> tuple[float | None, str]:
    """(CPU seconds, ""), or (None, why there is no prediction)."""
    model = profile.switching.get(named(fhew_security(job)))
    if model is None:
        return None, NOT_CALIBRATED
    return model.seconds(item.operation, job.slots, *units(job.parameters, job.slots, profile)), ""
