"""What is decided before a run begins: whether its memory is available, and when the run is given up."""

from fheasible.errors import TooLarge
from fheasible.exploration.judging.candidate import Candidate
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.memory import free_bytes
from fheasible.units import size

TIMES = 20.0  # times the predicted time, after which a run is given up
LEAST_SECONDS = 60.0
UNPREDICTED_SECONDS = 4 * 3600.0  # the limit without a profile


def limit_seconds(c: Candidate, plan: RunPlan) -> float:
    """The wall seconds after which a run has surely failed: twenty times the prediction, but at least a
    minute; four hours without a profile."""
    wall = c.estimate.wall_seconds
    if wall is None:
        return UNPREDICTED_SECONDS
    once = wall["total"] * (plan.warmup + plan.repetitions) + wall["keygen"] * plan.keygens
    return given_up_after(once + plan.min_seconds)


def given_up_after(seconds: float) -> float:
    """The limit in seconds for a run that is predicted to take `seconds`."""
    return max(LEAST_SECONDS, TIMES * seconds)


def refuse_memory(c: Candidate) -> None:
    """Raises TooLarge where the run is predicted to take more memory than this process may still take."""
    free = free_bytes()
    if c.estimate.peak_bytes > free:
        raise TooLarge(
            f"{c.library} {c.scheme.upper()} is predicted to take {size(c.estimate.peak_bytes)} of memory, "
            f"but only {size(free)} are free",
            f"free some memory, or ask for sets that need less: --max-memory {free >> 20}",
        )
