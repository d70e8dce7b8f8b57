"""The encryptions behind a judgement of noise. They are kept in the store under one name, so that a later
call continues them."""

from collections.abc import Sequence

from fheasible.accuracy.campaign import SEED, name
from fheasible.accuracy.noise_found import checking
from fheasible.accuracy.noise_grid import NoiseCase
from fheasible.measurement.sampled import Record
from fheasible.measurement.sampling import Report, recorded, sample
from fheasible.measurement.session import WorkerSession
from fheasible.store.store import Store

KIND = "noise"
KEYS, QUICK_KEYS = 8, 2  # sets of keys, one in each pass


def run(
    cases: Sequence[NoiseCase], store: Store, passes: int = KEYS, report: Report | None = None
) -> list[Record]:
    """The records of all cases, made now or stored before; each is stored as soon as it is made. Cases share
    workers, because nothing here depends on time or memory."""
    with WorkerSession(fresh=False) as session:
        jobs = [case.job for case in cases]
        return sample(jobs, store, name(KIND), passes, SEED, report, checking(cases), session)


def stored(cases: Sequence[NoiseCase], store: Store) -> list[Record]:
    """The records of those cases that this machine has measured."""
    keys = {case.job.key for case in cases}
    return [r for r in recorded(store, name(KIND)).values() if r.key in keys]
