"""What a table look-up in a bootstrap would take, for circuits that compare."""

from collections.abc import Mapping
from math import floor

from fheasible.errors import FheasibleError
from fheasible.estimation.features import Shape
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.reasons.switching import compared
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.bootstrapping import BootstrapRequest
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.layout import TABLE_LOOKUP, Task
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import CkksParameters, CkksRequest
from fheasible.libraries.work import layout_of
from fheasible.noise.ckks.lookup import entry_errors
from fheasible.units import seconds, size

BITS, SCALE_BITS, LEVELS = 8, 47, 3  # of the table that is told, its scale, and each transform


def by_table(e: Exploration, best: Candidate, profiles: Mapping[str, Profile]) -> list[str]:
    """A sentence for each library that looks tables up; empty where the circuit compares nothing, or where
    the recommendation is none of CKKS."""
    if not compared(e.problem.circuit) or best.scheme != "ckks":
        return []
    able = [lib for lib in BY_NAME.values() if lib.looks_up and not lib.build_of]
    return [_said(lib, e.wish.security, profiles.get(lib.name)) for lib in able]


def _said(lib: Library, security: int | None, profile: Profile | None) -> str:
    head = f"{lib.title} can also look numbers of {BITS} bits up in a table while it bootstraps (EvalFBT)"
    p = _parameters(lib, security)
    if p is None:
        return f"{head}: measure table_lookup."
    keys = size(lib.files.bootstrap_keys(p, frozenset(), False))
    slots = p.ring_dimension // 2
    failing = floor(entry_errors(p).failure_bits)
    told = f"{head}: N = {p.ring_dimension:,}, keys of {keys}, a wrong entry once in 2^{failing} look-ups"
    if profile is None or not profile.covers("ckks"):
        return f"{told}; measure table_lookup."
    shape = Shape.of(p.ring_dimension, layout_of(p), Task(TABLE_LOOKUP, p.levels), slots)
    return f"{told}, and about {seconds(profile.seconds(shape))} for all {slots:,} slots."


def _parameters(lib: Library, security: int | None) -> CkksParameters | None:
    """The library's set for a table with all slots; None where it has none."""
    own = BootstrapRequest(encode_levels=LEVELS, decode_levels=LEVELS, table_bits=BITS)
    asked = CkksRequest("ckks", 0, security, scale_bits=SCALE_BITS, bootstrap=own)
    try:
        p = lib.parameters(asked)
    except FheasibleError:
        return None
    return p if isinstance(p, CkksParameters) else None
