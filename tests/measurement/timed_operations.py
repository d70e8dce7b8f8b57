"""Jobs of single operations at toy parameters, and runs of them that take as long as a test says."""

from typing import Any

from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters, request_for
from fheasible.measurement.operations import Item, OperationJob, TimedItem, TimedItems
from fheasible.measurement.records import Context, Hello
from fheasible.measurement.samples import Timing

INSECURE_N = 2048


def insecure(name: str, scheme: str) -> Parameters:
    own = {"scale_bits": 40, "first_bits": 50} if scheme == "ckks" else {"plain_modulus": 65537}
    return library(name).parameters(request_for(scheme, 2, None, ring_dimension=INSECURE_N, **own))


def an_operation_job(name: str = "seal", scheme: str = "ckks", *operations: str, **own: Any) -> OperationJob:
    p = insecure(name, scheme)
    items = tuple(Item(o, p.levels) for o in operations or ("mul", "rotate"))
    automatic = library(name).own_style(scheme, p.technique or None).automatic
    return OperationJob(p, **{"slots": 16, "items": items, "automatic": automatic, "repetitions": 2} | own)


HELLO = Hello("seal", "4.4.0", "", {}, "", (), ())


def reply(job: OperationJob, seconds: float) -> TimedItems:
    """What a worker that takes `seconds` for everything would say."""
    timing = Timing.of_pairs([(seconds, seconds * 1.5)] * job.repetitions)
    items = tuple(TimedItem(item, timing, 0.0) for item in job.items)
    return TimedItems(
        HELLO, Context(INSECURE_N, (97,)), items, {"plaintext": 8, "public_key": None}, {"peak_bytes": 1}
    )


class Times:
    """Measures jobs in no time at all, each pass as long as it is told."""

    def __init__(self, *seconds: float) -> None:
        self.seconds, self.calls = list(seconds), 0

    def __call__(self, job: OperationJob, _: float | None) -> TimedItems:
        self.calls += 1
        return reply(job, self.seconds[min(self.calls, len(self.seconds)) - 1])
