"""Sentences on what swapping takes of the recommendation, and of a set that more memory would make faster."""

from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.catalogue import BY_NAME
from fheasible.units import power_of_two, seconds, size


def swapped(e: Exploration, best: Candidate) -> list[str]:
    """Whether the recommendation swaps, and how much; and which set would take less CPU time, but would lose
    more by swapping. Empty where sets may not swap."""
    if e.wish.swap is None:
        return []
    if best.estimate.run_seconds is None:
        return ["Without a profile, the time that swapping adds was not weighed. Remedy: fheasible calibrate"]
    limit = size(e.wish.swap.limit_bytes)
    return [_own(best, limit), *_faster(e, best), _speed(e)]


def _own(best: Candidate, limit: str) -> str:
    need, swap = size(best.estimate.peak_bytes), best.estimate.swap
    if swap is None:
        return f"It needs {need} of memory, which is within the limit of {limit}, so that it does not swap."
    read, written = (
        size(sum(moved[phase] for phase in ("encrypt", "evaluate", "decrypt")))
        for moved in (swap.read_bytes, swap.written_bytes)
    )
    if not swap.repeated_seconds:
        return (
            f"It needs {need} of memory, but the limit is {limit}. What is beyond it is used once, while the "
            "process starts and makes keys, and is never read from swap again."
        )
    return (
        f"It needs {need} of memory, but the limit is {limit}. Each run reads {read} from swap and writes "
        f"{written}, which adds {seconds(swap.repeated_seconds)} to its {_cpu(best)} of CPU time "
        f"(within {swap.band:.0%})."
    )


def _faster(e: Exploration, best: Candidate) -> list[str]:
    """A sentence on the set with the least CPU time of those that swap, where it has less than the best."""
    timed = [
        c for c in e.candidates if c.estimate.swap is not None and c.estimate.cpu_seconds and c is not best
    ]
    quickest = min(timed, key=_cpu_seconds, default=None)
    if quickest is None or _cpu_seconds(quickest) >= _cpu_seconds(best):
        return []
    name = f"{BY_NAME[quickest.library].title} {quickest.scheme.upper()}"
    ring = power_of_two(quickest.parameters.ring_dimension)
    return [
        f"{name} (N = {ring}) takes less CPU time, {_cpu(quickest)}, but needs "
        f"{size(quickest.estimate.peak_bytes)}: it would swap, and take "
        f"{seconds(quickest.estimate.run_seconds)}."
    ]


def _speed(e: Exploration) -> str:
    assert e.wish.swap is not None
    speed = e.wish.swap.speed
    read, written = (
        "hidden behind reading" if each <= 0 else f"{size(1 / each)} per second"
        for each in (speed.read_seconds, speed.written_seconds)
    )
    return f"Swap was measured on this machine on {speed.created[:10]}: read {read}, written {written}."


def _cpu_seconds(c: Candidate) -> float:
    assert c.estimate.cpu_seconds is not None
    return c.estimate.cpu_seconds["total"]


def _cpu(c: Candidate) -> str:
    return seconds(_cpu_seconds(c))
