"""Whether other processes disturb what is measured: one judgement for the machine as it is, for a run that is
shown, and for runs that are compared."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fheasible.measurement.pace import PACE

OTHERS_SHARE = 0.25  # of the cores: where others want more, caches and memory are shared, and cores soon
_WAITED = 0.1  # of the wall time: below it, the scheduler's own doings


@dataclass(frozen=True, slots=True)
class Beside:
    """What is known of the other processes on the machine during a run, or before any: then `threads` is
    0."""

    utilisation: float | None  # CPU time of the run's process over wall time; 2 where two cores were used
    before: float  # the load averages
    after: float | None
    cores: int
    threads: int
    slowed: float | None  # how many times as long a fixed piece of work took as during calibration

    @property
    def load(self) -> float:
        """The most processes that wanted to run, those of the run among them."""
        return max(self.before, self.after or 0.0)

    @property
    def waited(self) -> bool:
        """Whether a run of one thread often had no core. More threads also wait for one another."""
        return self.threads == 1 and self.utilisation is not None and self.utilisation < 1 - _WAITED

    @property
    def crowded(self) -> bool:
        """Whether other processes wanted more than a small share of the cores. A run's own threads do not
        count, nor do those of the run before it, which the load average still holds."""
        return self.load - self.threads > OTHERS_SHARE * self.cores

    @property
    def slow(self) -> bool:
        return self.slowed is not None and slows(self.slowed)

    @property
    def busy(self) -> bool:
        return self.waited or self.crowded or self.slow


def slows(times: float) -> bool:
    """Whether other processes slow a fixed piece of work that takes so many times its least time."""
    return times > PACE


def now(load: float, cores: int) -> Beside:
    """What is known before anything runs."""
    return Beside(None, load, None, cores, 0, None)


def stored(environment: Mapping[str, Any]) -> Beside:
    """What a stored environment tells. A fact that is no number counts as none: no load, one core, one
    thread."""
    before, after = (_number(environment, name, 0.0) for name in ("load_before", "load_after"))
    cores, threads = (int(_number(environment, name, 1.0)) for name in ("cores", "threads"))
    return Beside(None, before, after, cores, threads, None)


def _number(environment: Mapping[str, Any], name: str, other: float) -> float:
    value = environment.get(name)
    return float(value) if isinstance(value, int | float) else other
