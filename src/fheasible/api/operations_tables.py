"""What is said of the keys and the memory of a bootstrap that looks a table up, measured beside predicted."""

from collections.abc import Iterator

from fheasible import units
from fheasible.exploration.sweeps.tables import memory_bytes
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import CkksParameters
from fheasible.measurement.operation_passes import JobPasses


def tables(known: JobPasses) -> Iterator[str]:
    """Additions to the sentence on a job's objects; none where no table was looked up."""
    p, last = known.job.parameters, known.runs[-1]
    taken, keys = last.memory.get("table_bytes"), last.sizes.get("bootstrap_keys")
    if not isinstance(p, CkksParameters) or not taken or not keys:
        return
    own = library(p.library)
    expected = own.files.bootstrap_keys(p, frozenset(), True)
    agrees = "as predicted" if expected == keys else f"{units.size(expected)} predicted"
    yield f", keys of the bootstrap {keys:,} bytes ({agrees})"
    memory = memory_bytes(p)
    yield f", matrices and keys {units.size(taken)} of memory ({units.size(memory)} predicted)"
