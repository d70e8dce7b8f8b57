"""Which sets the error of prediction does not distinguish, and which of them leads."""

from collections.abc import Mapping

from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.objective import Objective


def ties(candidates: tuple[Candidate, ...], goal: Objective) -> frozenset[Candidate]:
    """The candidates that the error of prediction does not distinguish from the best."""
    if not candidates:
        return frozenset()
    best, *others = candidates
    return frozenset(c for c in others if as_good(best, c, goal))


def as_good(best: Candidate, other: Candidate, goal: Objective) -> bool:
    """Whether the error of prediction does not distinguish the other candidate from the best. Predicted times
    and memory may be off by their error bands; in a mix of objectives, each counts with its weight. Bytes
    that are sent are counted exactly."""
    one, two = best.estimate, other.estimate
    if goal.of_time and not (one.timed and two.timed):
        return False
    time = 1 + (one.error_band or 0.0) + (two.error_band or 0.0)
    memory = 1 + (one.memory_band or 0.0) + (two.memory_band or 0.0)
    least, more = best.figures["score"], other.figures["score"]
    return bool(more <= least * time**goal.of_time * memory**goal.of_memory)


def exact_first(chosen: list[int], confirmed: Mapping[int, Candidate], goal: Objective) -> list[int]:
    """The indices with the first exact set in front, unless a set that rounds is better beyond the error of
    prediction."""
    exact = next((i for i in chosen if not confirmed[i].rounded), None)
    if exact is None or not as_good(confirmed[chosen[0]], confirmed[exact], goal):
        return chosen
    return [exact, *(i for i in chosen if i != exact)]


def leads(other: Candidate, best: Candidate, goal: Objective) -> bool:
    """Whether the other candidate would be recommended rather than the best. The better one is; but an exact
    set goes before one that rounds where the error of prediction does not distinguish them. Work and seconds
    cannot be compared: false where time matters and only one of the two has a prediction of it."""
    if goal.of_time and best.estimate.timed != other.estimate.timed:
        return False
    if other.rounded != best.rounded:
        exact, rounded = (best, other) if other.rounded else (other, best)
        return as_good(rounded, exact, goal) == (exact is other)
    return other.cost(goal) < best.cost(goal)
