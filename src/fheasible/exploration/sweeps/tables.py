"""Predictions of tables that are looked up in a bootstrap of CKKS: of the whole, and of its parts."""

from dataclasses import replace

from fheasible.calibration.bootstraps import one_bootstrap
from fheasible.estimation.features import Shape
from fheasible.estimation.profile import Profile
from fheasible.estimation.sizes import evaluation_key_count
from fheasible.libraries.catalogue import BY_NAME, library
from fheasible.libraries.layout import TABLE_LOOKUP, Task
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import CkksParameters, Parameters
from fheasible.libraries.work import layout_of
from fheasible.measurement.operations import Item, OperationJob
from fheasible.units import listing

LOOKS_UP = listing([lib.title for lib in BY_NAME.values() if lib.looks_up and not lib.build_of])
"""The libraries whose bootstrap can look a table up."""
NO_TABLE = "the parameters look no table up (--param bootstrap_table_bits=4 gives a table of 16 entries)"
WORD = 8  # bytes of a coefficient of a limb


def no_table(lib: Library, p: Parameters) -> str:
    """Why these parameters look no table up; empty where they do."""
    if not lib.looks_up or p.scheme != "ckks":
        return f"tables are looked up in bootstraps of CKKS by {LOOKS_UP} alone"
    own = p.bootstrap if isinstance(p, CkksParameters) else None
    return "" if own and own.procedure.table else NO_TABLE


def memory_bytes(p: CkksParameters) -> int:
    """The bytes of the keys and of the matrices in memory."""
    lib = library(p.library)
    program = one_bootstrap(lib, p)
    bare = replace(program, operations=program.operations[:1])
    matrices = lib.resident.context(program, p) - lib.resident.context(bare, p)
    keys = lib.resident.keys(program, p, evaluation_key_count(program, p)) - lib.resident.keys(bare, p, 0)
    return round((matrices + keys) * WORD * p.ring_dimension)


def by_table(job: OperationJob, item: Item, profile: Profile) -> tuple[float | None, str]:
    """(CPU seconds, ""), or (None, why there is no prediction)."""
    if item.operation != TABLE_LOOKUP:
        return None, f"the model has all parts together, as {TABLE_LOOKUP}"
    p, layout = job.parameters, layout_of(job.parameters)
    shape = Shape.of(p.ring_dimension, layout, Task(TABLE_LOOKUP, p.levels), job.slots)
    return profile.seconds(shape), ""
