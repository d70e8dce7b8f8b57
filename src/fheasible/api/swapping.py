"""What `--max-memory` with `--swap` asks for: sets that may swap, judged by how fast this machine does."""

from dataclasses import replace

from fheasible.api.options import Options
from fheasible.api.platform import Execution, Talk
from fheasible.calibration.swap import swap_speed
from fheasible.estimation.estimate import swapped, unswapped
from fheasible.estimation.profile import Profile
from fheasible.estimation.swapping import SwapSpace
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.wish import Wish
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.units import MIB

_SPARE_BYTES = 256 * MIB  # of swap beyond twice of what a set is predicted to need
UNKNOWN = (
    "the speed of swap was not measured on this machine, so that sets which swap cannot be ranked: they are "
    "left out. Remedy: fheasible calibrate --swap"
)


def wish_of(asked: Options, talk: Talk) -> tuple[Wish, tuple[str, ...]]:
    """The wish, and what has to be said before the answer to it."""
    wish = asked.wish
    if not asked.swap:
        return wish, ()
    swap_bytes = asked.swap_bytes
    with talk.store(reading=True) as store:
        speed = swap_speed(store)
    if speed is None:
        return wish, (UNKNOWN,)
    assert wish.max_bytes is not None
    space = SwapSpace(int(wish.max_bytes), swap_bytes, speed)
    return replace(wish, swap=space, max_bytes=space.most_bytes), ()


def under(candidate: Candidate, memory: MemoryLimit | None, profile: Profile | None, talk: Talk) -> Candidate:
    """The candidate with what swapping is predicted to add under that limit; as it was without swap, and
    where the speed of swap is not known."""
    if memory is None or not memory.swap_bytes or candidate.estimate.peak_bytes <= memory.memory_bytes:
        return candidate
    plain = unswapped(candidate.estimate)
    with talk.store(reading=True) as store:
        speed = swap_speed(store)
    if speed is None:
        return replace(candidate, estimate=plain)
    space = SwapSpace(memory.memory_bytes, memory.swap_bytes, speed)
    return replace(
        candidate, estimate=swapped(plain, candidate.program, candidate.parameters, profile, space)
    )


def limited(how: Execution, candidate: Candidate, space: SwapSpace) -> Execution:
    """The execution with the memory and swap that the set was judged by. Where it may have as much swap as it
    needs, that is so much that it stays less than half full: see `estimation.paging`."""
    needed = 2 * max(candidate.estimate.peak_bytes - space.limit_bytes, 0) + _SPARE_BYTES
    swap = needed if space.swap_bytes is None else space.swap_bytes
    return replace(how, memory=MemoryLimit(space.limit_bytes, swap))
