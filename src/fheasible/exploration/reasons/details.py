"""What the figures of a report need in addition to the candidates: where time goes, memory over time,
scales."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import Any

from fheasible.aliases import Json
from fheasible.estimation import batch
from fheasible.estimation.features import Shape
from fheasible.estimation.profile import Profile
from fheasible.estimation.tally import COMPOSITES, Item, items
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.reasons.scales import curves
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.work import layout_of
from fheasible.program.types import Operation

SIDE_BY_SIDE = 8  # candidates whose time is broken down
TRACED = 3  # candidates whose memory is followed


def details(exploration: Exploration, profiles: Mapping[str, Profile]) -> Json:
    """The details as JSON; `candidate` is an index into the list of candidates."""
    listed = list(_of_each_kind(exploration.candidates))[:SIDE_BY_SIDE]
    timed = [(i, c) for i, c in listed if c.estimate.timed]
    return {
        "time": [{"candidate": i, "parts": _parts(c, profiles[c.library])} for i, c in timed],
        "memory": [
            {"candidate": i, **_over_time(c, profiles.get(c.library) if c.estimate.timed else None)}
            for i, c in listed[:TRACED]
        ],
        "scales": curves(exploration),
    }


def _of_each_kind(candidates: Sequence[Candidate]) -> Iterator[tuple[int, Candidate]]:
    """The best candidate of each (library, scheme, technique, ring), with its index."""
    seen: set[tuple[str, str, str, int]] = set()
    for place, c in enumerate(candidates):
        kind = (c.library, c.scheme, c.parameters.technique, c.parameters.ring_dimension)
        if kind not in seen:
            yield place, c
        seen.add(kind)


def _parts(c: Candidate, profile: Profile) -> list[list[Any]]:
    """Rows of [phase, operation, kernel, CPU seconds]; those of a phase add up to the estimate's time."""
    n, keys = c.parameters.ring_dimension, c.estimate.sizes.evaluation_keys
    found = batch.breakdown(c.program, n, layout_of(c.parameters), keys, profile)
    return [[*names, seconds] for names, seconds in found.items()]


def _over_time(c: Candidate, profile: Profile | None) -> Json:
    """The resident bytes after each operation, and when the operation ends, in CPU seconds after the keys are
    made; None without a profile."""
    found = batch.resident_over_time(c.program, c.parameters, profile)
    return {
        "baseline_bytes": found.baseline_bytes,
        "context_bytes": found.context_bytes,
        "keys_bytes": found.keys_bytes,
        "peak_bytes": found.peak_bytes,
        "operations": found.operations.tolist(),
        "actions": [o.action.value for o in c.program.operations],
        "seconds": None if profile is None else _ends(c, profile),
    }


def _ends(c: Candidate, profile: Profile) -> list[float]:
    """The CPU seconds at which each operation has ended."""
    layout, n = layout_of(c.parameters), c.parameters.ring_dimension

    @cache  # thousands of operations are of few kinds
    def seconds(item: Item) -> float:
        return profile.composition * profile.seconds(Shape.of(n, layout, item.task(layout), c.program.slots))

    def whole(operation: Operation, item: Item) -> float:
        """The seconds of an operation with what the library does unasked; a composite costs what is inside
        it."""
        inside = sum(seconds(Item("evaluate", action, level)) for action, level in operation.internal)
        return inside if operation.action in COMPOSITES else inside + seconds(item)

    pairs = zip(c.program.operations, items(c.program), strict=True)
    return [round(s, 9) for s in accumulate(whole(operation, item) for operation, item in pairs)]
