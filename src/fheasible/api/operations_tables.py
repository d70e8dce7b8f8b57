"""What is said of the keys and the memory of a bootstrap that looks a table up, measured beside predicted."""

from collections.abc import Iterator
from math import floor, sqrt

import numpy as np

from fheasible import units
from fheasible.exploration.sweeps.tables import memory_bytes
from fheasible.libraries.catalogue import library
from fheasible.libraries.layout import TABLE_LOOKUP
from fheasible.libraries.parameters import CkksParameters
from fheasible.measurement.operation_passes import JobPasses
from fheasible.noise.ckks.lookup import entry_errors


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
    yield from _errors(known, p)


def _errors(known: JobPasses, p: CkksParameters) -> Iterator[str]:
    """How far the entries are off, and how often one is wrong."""
    expected = entry_errors(p)
    seen = [t.off for run in known.runs for t in run.items if t.item.operation == TABLE_LOOKUP and t.off]
    root = sqrt(float(np.mean(expected.squares)))
    measured = f" ({sqrt(sum(off**2 for off in seen) / len(seen)):.2g} measured)" if seen else ""
    yield f", entries are off by {root:.2g}{measured} on average (root mean square)"
    often = floor(expected.failure_bits)
    yield f", and any of {known.job.slots:,} is wrong once in 2^{often} look-ups" if often else ""
