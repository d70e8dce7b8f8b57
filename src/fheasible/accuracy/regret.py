"""How far the recommendation is from the best of many parameter sets of an application, all really run.

Regret is the time of the recommended set over the time of the fastest set that was run, less one. The fastest
set is picked by its measured time, so luck favours it: regret is never below 0, and some of it is noise of
the measurement.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from scipy.stats import kendalltau

from fheasible.accuracy.applications import ChosenRun, job_of
from fheasible.aliases import Json
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.search.search import Exploration
from fheasible.measurement.job import Job
from fheasible.measurement.least import Clock, failures, least_phase
from fheasible.measurement.sampled import Record

_USUAL = ("technique", "security", "depth", "ring_dimension", "secret")
TOTAL = ("encrypt", "evaluate", "decrypt")


@dataclass(frozen=True, slots=True)
class RegretRun:
    """One parameter set: predicted and measured CPU seconds, key generation apart."""

    label: str
    library: str
    scheme: str
    predicted: float
    measured: float


@dataclass(frozen=True, slots=True)
class Regret:
    """The regret of an application. `runs` are those with a right result, best predicted first; `failed` are
    the labels of all others."""

    application: str
    recommended: RegretRun
    best: RegretRun
    runs: tuple[RegretRun, ...]
    failed: tuple[str, ...]

    @property
    def regret(self) -> float:
        return self.recommended.measured / self.best.measured - 1

    @property
    def place(self) -> int:
        """The rank that the fastest run had by predicted time, from 1."""
        return 1 + self.runs.index(self.best)

    @property
    def agreement(self) -> float:
        """Kendall's rank correlation of predicted with measured times: 1 where the orders are the same."""
        predicted, measured = ([getattr(r, which) for r in self.runs] for which in ("predicted", "measured"))
        return float(kendalltau(predicted, measured).statistic) if len(self.runs) > 1 else 1.0

    def to_json(self) -> Json:
        own = {"regret": self.regret, "place": self.place, "agreement": self.agreement}
        return asdict(self) | own


def to_run(found: Exploration, most: int, seconds: float, seed: int = 0) -> list[ChosenRun]:
    """`most` of the candidates that are predicted to take no more than `seconds`, key generation included:
    half of them those of least predicted time, the others drawn from the rest. Of sets that differ in the
    size of their primes alone, and so take the same time, only one is chosen. The recommended set is added
    where it is not among them."""
    within = [c for c in found.candidates if _whole(c) <= seconds]
    unlike = {(c.library, c.parameters.technique, c.cost("time")): c for c in reversed(within)}
    quick = sorted(unlike.values(), key=lambda c: c.cost("time"))
    first, rest = quick[: most // 2], quick[most // 2 :]
    drawn = np.random.default_rng(seed).permutation(len(rest))[: most - len(first)]
    chosen = [*first, *(rest[i] for i in np.sort(drawn))]
    if found.best is not None and found.best not in chosen:
        chosen.insert(0, found.best)
    return [ChosenRun(found.problem, c, _job(found, c)) for c in chosen]


def _job(found: Exploration, c: Candidate) -> Job:
    settings = ", ".join(f"{k}={v}" for k, v in c.settings.items() if k not in _USUAL)
    job = job_of(found.problem, c)
    return replace(job, label=f"{job.label}: {settings}")


def _whole(c: Candidate) -> float:
    times = c.estimate.cpu_seconds
    return times["keygen"] + times["total"] if times else float("inf")


def regret(choices: Sequence[ChosenRun], found: Exploration, records: Iterable[Record]) -> Regret:
    """The regret of the set that `found` recommends. ValueError where that set has no right result."""
    by_key: dict[str, list[Record]] = {}
    for record in records:
        by_key.setdefault(record.key, []).append(record)
    right = [c for c in choices if by_key.get(c.job.key) and not failures(by_key[c.job.key])]
    runs = {c.candidate: _run(c, by_key) for c in sorted(right, key=lambda c: c.candidate.cost("time"))}
    name = found.problem.circuit.name
    if found.best not in runs:
        raise ValueError(f"the recommended set of {name} gave no right result")
    failed = tuple(c.job.label for c in choices if c not in right)
    best = min(runs.values(), key=lambda run: run.measured)
    asked = f", {found.wish.least}" if found.problem.real else ""
    return Regret(name + asked, runs[found.best], best, tuple(runs.values()), failed)


def _run(c: ChosenRun, by_key: Mapping[str, list[Record]]) -> RegretRun:
    measured = sum(least_phase(by_key[c.job.key], phase, Clock.CPU) for phase in TOTAL)
    return RegretRun(c.job.label, c.candidate.library, c.candidate.scheme, c.candidate.cost("time"), measured)
