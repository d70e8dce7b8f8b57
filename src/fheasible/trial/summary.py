"""A summary of all applications of a trial: outcomes by library and scheme, and errors of predictions."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Final

import numpy as np

from fheasible.aliases import Json
from fheasible.measurement.busyness import slows
from fheasible.trial.found import FAULTS, LEFT_OUT, TrialOutcome, TrialRun

LONG_SECONDS: Final = 0.02  # of CPU time: shorter runs say little about a prediction
TIME_TARGET: Final = (0.04, 0.12)  # for the error of time: the median, and the 95th percentile
EXPLORING_SECONDS: Final = 1.0
_BAND, _MOST = 90, 95


@dataclass(frozen=True, slots=True)
class TrialErrors:
    """Figures of |predicted - measured| / measured; None where nothing was measured.

    `inside`: the share of runs within the error band of their prediction. `busy`: how many more runs are left
    out, because the machine was slower than at its best.
    """

    runs: int
    median: float | None = None
    percentile_90: float | None = None
    percentile_95: float | None = None
    bias: float | None = None  # the median of predicted / measured - 1
    inside: float | None = None
    busy: int = 0


@dataclass(frozen=True, slots=True)
class TrialPrecision:
    """The precision of CKKS: measured bits minus predicted bits, in the median and at the 5th percentile.

    `missed_once`: how many runs were at least once less precise than asked; `missed_again`: how many were so
    more than once.
    """

    runs: int
    median_difference: float | None
    percentile_5_difference: float | None
    missed_once: int
    missed_again: int


@dataclass(frozen=True, slots=True)
class TrialGroup:
    """The runs of one library's scheme, or all runs."""

    name: str
    outcomes: dict[str, int]
    unfit: int
    doubted: int  # reasons why nothing fits that were put to the test
    refuted: int
    time: TrialErrors
    memory: TrialErrors
    precision: TrialPrecision


@dataclass(frozen=True, slots=True)
class TrialSummary:
    applications: int
    outcomes: dict[str, int]  # of applications
    declined: dict[str, int]  # by message, how often
    faults: dict[str, int]
    groups: tuple[TrialGroup, ...]
    exploring_seconds: dict[str, float]  # median, 95th percentile, most
    explored_within_a_second: float

    def to_json(self) -> Json:
        return asdict(self)

    @property
    def total(self) -> TrialGroup:
        return self.groups[-1]


def summary(found: Sequence[TrialOutcome]) -> TrialSummary:
    """The summary of a trial; its last group is that of all runs.

    A time counts only where the reference loop beside it took about its least time in the whole trial.
    """
    at_best = min((r.beside for f in found for r in f.runs if r.beside), default=inf)
    names = sorted(
        {r.best for f in found for r in f.runs} | {f"{u.library} {u.scheme}" for f in found for u in f.unfit}
    )
    seconds = np.array([f.seconds for f in found if f.outcome == "explored"] or [0.0])
    return TrialSummary(
        len(found),
        dict(Counter(f.outcome for f in found)),
        dict(Counter(_said(f.message) for f in found if f.outcome == "declined")),
        dict(Counter(fault.outcome for f in found for fault in f.faults)),
        (*(group(found, name, at_best) for name in names), group(found, "", at_best)),
        {
            "median": float(np.median(seconds)),
            "percentile_95": float(np.percentile(seconds, _MOST)),
            "most": float(seconds.max()),
        },
        float(np.mean(seconds <= EXPLORING_SECONDS)),
    )


def _said(message: str) -> str:
    """The message without the place and the names in it."""
    return message.split(": ")[-1].split(" of trial_")[0][:80]


def group(found: Iterable[TrialOutcome], name: str = "", at_best: float = inf) -> TrialGroup:
    """The group of one library's scheme; without a name, the group of all runs."""
    listed = list(found)
    runs = [r for f in listed for r in f.runs if name in ("", r.best)]
    unfit = [u for f in listed for u in f.unfit if name in ("", f"{u.library} {u.scheme}")]
    return TrialGroup(
        name or "all", dict(Counter(r.outcome for r in runs)), len(unfit),
        sum(u.came not in ("", LEFT_OUT) for u in unfit), sum(u.refuted for u in unfit),
        time(runs, at_best), memory(runs), precision(runs),
    )  # fmt: skip


def time(runs: Iterable[TrialRun], at_best: float = inf) -> TrialErrors:
    """The errors of the predicted CPU time to encrypt, evaluate and decrypt.

    A run counts where that time is long enough to be measured, and where the machine was not slower than when
    the reference loop takes `at_best`.
    """
    long = [r for r in runs if _total(r.predicted) and (_total(r.measured) or 0.0) >= LONG_SECONDS]
    quiet = [r for r in long if r.beside is None or not slows(r.beside / at_best)]
    found = _errors(
        [
            (_total(r.predicted) or 0.0, _total(r.measured) or 0.0, r.predicted.get("error_band"))
            for r in quiet
        ]
    )
    return replace(found, busy=len(long) - len(quiet))


def memory(runs: Iterable[TrialRun]) -> TrialErrors:
    """The errors of the predicted peak memory, for runs in fresh processes."""
    return _errors(
        [
            (r.predicted["peak_bytes"], r.measured["peak_bytes"], r.predicted.get("memory_band"))
            for r in runs
            if r.fresh and r.measured and r.measured.get("peak_bytes")
        ]
    )


def precision(runs: Iterable[TrialRun]) -> TrialPrecision:
    of = [r for r in runs if r.scheme == "ckks" and r.measured and r.measured["precision_bits"] is not None]
    off = [r.measured["precision_bits"] - r.predicted["precision_bits"] for r in of if r.measured]
    return TrialPrecision(
        len(of),
        float(np.median(off)) if off else None,
        float(np.percentile(off, 100 - _MOST)) if off else None,
        sum(r.misses > 0 for r in of),
        sum(r.misses > 1 for r in of),
    )


def _total(figures: Json | None) -> float | None:
    cpu = (figures or {}).get("cpu_seconds") or {}
    found: float | None = cpu.get("total")
    return found


def _errors(pairs: Sequence[tuple[float, float, float | None]]) -> TrialErrors:
    if not pairs:
        return TrialErrors(0)
    off = np.array([p / m - 1 for p, m, _ in pairs])
    banded = [abs(p - m) <= band * m for p, m, band in pairs if band is not None]
    return TrialErrors(
        len(pairs),
        float(np.median(np.abs(off))),
        float(np.percentile(np.abs(off), _BAND)),
        float(np.percentile(np.abs(off), _MOST)),
        float(np.median(off)),
        float(np.mean(banded)) if banded else None,
    )


def exit_code(found: Iterable[TrialOutcome]) -> int:
    """The exit code: 3 where a result was wrong, 1 where something else must be mended, else 0."""
    outcomes = {fault.outcome for f in found for fault in f.faults}
    return 3 if "wrong" in outcomes else int(bool(outcomes & set(FAULTS)))
