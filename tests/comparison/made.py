"""Runs that were never made, with the times that a test wants."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from fheasible.comparison.runs import APPLICATION, OPERATION, Side, TimedRun, Work
from fheasible.comparison.selection import Selection

Json = dict[str, Any]
Speed = Callable[[int, int, np.random.Generator], float]  # of a work, in a session


SETTINGS = {"governor": "performance", "swap_used_bytes": 5}


def environment(**changes: Any) -> Json:
    return {
        "machine": "ab12", "cpu": "Some CPU", "cores": 4, "caches": {"L2": "1M"}, "os": "Debian 12",
        "kernel": "Linux 6", "library": "seal", "version": "4.4.0", "binding": "b", "build": {"c": 1},
        "runtime": "r", "threads": 1, "load_before": 0.5, "load_after": 1.0, "conditions": SETTINGS,
        "commit": None, "seed": 7,
    } | changes  # fmt: skip


def works(count: int, kind: str = OPERATION) -> list[Work]:
    return [Work(kind, "seal", "ckks", f"w{i}", 4096, 3, 1, 2) for i in range(count)]


def runs(
    seed: str, index: int, sessions: int, passes: int, speed: Speed, noise: float = 0.005, samples: int = 6
) -> Iterator[TimedRun]:
    """Runs of one work: `passes` in each session, each with samples above its least time."""
    for session in range(sessions):
        drawn = np.random.default_rng([*seed.encode(), session])  # one draw for all works of the session
        own = np.random.default_rng([*seed.encode(), session, index])
        level = speed(index, session, drawn)
        for number in range(passes):
            least = 1e-3 * (index + 1) * level * float(np.exp(noise * own.standard_normal()))
            seconds = least * (1 + 0.3 * own.random(samples))
            seconds[0] = least
            name = f"{seed}/{session}/{number}"
            yield TimedRun(name, f"{seed}/{session}", "p", seconds, environment())


def side(
    seed: str, count: int = 40, sessions: int = 2, passes: int = 2, speed: Speed = lambda *_: 1.0,
    kind: str = OPERATION, **more: Any,
) -> Side:  # fmt: skip
    found = Side(Selection(seed))
    for index, work in enumerate(works(count, kind)):
        found.runs[work] = list(runs(seed, index, sessions, passes, speed, **more))
    return found


def drifting(index: int, session: int, drawn: np.random.Generator) -> float:
    """A machine whose speed differs by about 6 % from session to session."""
    return float(np.exp(0.06 * drawn.standard_normal()))


def applications(*seconds: Sequence[float]) -> Side:
    """One application with one run for each list of samples."""
    found, (work,) = Side(Selection("x")), works(1, APPLICATION)
    found.runs[work] = [
        TimedRun(f"r{i}", f"s{i}", "p", np.array(each), environment()) for i, each in enumerate(seconds)
    ]
    return found
