"""What is settled before a run begins: that its memory is there, and when it is given up."""

from fheasible.errors import TooLarge
from fheasible.exploration.candidate import Candidate
from fheasible.measurement.execute import Plan
from fheasible.measurement.memory import free_bytes
from fheasible.units import size

TIMES = 20.0  # as long as predicted
LEAST_SECONDS = 60.0
UNPREDICTED_SECONDS = 4 * 3600.0  # without a profile


def limit_seconds(c: Candidate, plan: Plan) -> float:
    """Wall seconds after which a run has surely failed: twenty times the prediction, at least a minute."""
    wall = c.estimate.wall_seconds
    if wall is None:
        return UNPREDICTED_SECONDS
    once = wall["total"] * (plan.warmup + plan.repetitions) + wall["keygen"] * plan.keygens
    return given_up_after(once + plan.min_seconds)


def given_up_after(seconds: float) -> float:
    """The limit of what is predicted to take so long."""
    return max(LEAST_SECONDS, TIMES * seconds)


def refuse_memory(c: Candidate) -> None:
    """TooLarge where more memory is predicted than this process may still take."""
    free = free_bytes()
    if c.estimate.peak_bytes > free:
        raise TooLarge(
            f"{c.library} {c.scheme.upper()} is predicted to take {size(c.estimate.peak_bytes)} here, "
            f"and {size(free)} are free",
            f"end what else takes memory, or ask for sets that need less: --max-memory {free >> 20}",
        )
