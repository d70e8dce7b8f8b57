"""How many times as long works take on the second side as on the first, with intervals.

A machine is never twice equally fast: on a shared virtual machine, everything took 14 % less in one session
of measuring than in another. What all works have in common is therefore told apart from what one work has of
its own. The common ratio is the median over all works. A work's own ratio is its ratio divided by the common
one.

The unit of inference is the session where each side has at least two, else the run, which is a process of its
own: samples within a process are alike in ways that the next process is not [KalJon13]. A run counts by its
least time, which load hardly moves. Logarithms of least times are compared by a t-test in which each program
that ran on both sides is compared with itself. Few runs tell little about a work's own variance, so variances
are drawn towards what all works have in common [Smyth04].

A kind of operation in all its contexts together tells more than each context by itself: the mean of its
contexts in each session is compared, too.

Where a work has a single run on each side, nothing is known about differences between runs. Then medians of
its samples are compared, with a bootstrapped interval and a rank test, and the result says so.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy import optimize, special, stats

from fheasible.aliases import Floats
from fheasible.comparison.runs import TimedRun

CONFIDENCE = 0.95
MANY = 20  # works from which their median is not moved by the few that have changed
DRIFT = 0.06  # standard deviation of the logarithm of a machine's speed between sessions; see `_common`
_FLOOR = 1e-4  # the least standard deviation of a logarithm: clocks tell no less
_FEWEST = 5  # samples of a single run from which a rank test can be significant
_CONTEXTS = 2  # of a kind of operation, from which more is known than from one
_RESAMPLES = 2000
_ALL = ""  # the program that stands for all, where none ran on both sides


class Basis(StrEnum):
    """What an interval was made from. Differences between larger units are not in it."""

    SESSIONS = "sessions"
    RUNS = "runs"
    SAMPLES = "samples"  # of single runs
    DRIFT = "drift"  # how much machines are known to differ from session to session


@dataclass(frozen=True, slots=True)
class Ratio:
    """`value`: seconds of B per second of A. `own`: that of the work alone, without what all works share.

    `low` and `high` bound `own` with 95 % confidence, and `p` is the probability that it differs so much from
    1 by chance; all three are None where the samples are too few to tell.
    """

    value: float
    own: float
    low: float | None
    high: float | None
    p: float | None
    basis: Basis


@dataclass(frozen=True, slots=True)
class Ratios:
    """The ratio of each work, and the common one; None where the works are too few to have one.

    `kinds` has the ratios of works of a kind together, where several sessions and contexts tell of it.
    `seconds` are those of A: the geometric mean over the runs that are compared of their least times.
    """

    works: tuple[Ratio, ...]
    seconds: tuple[float, ...]
    common: Ratio | None
    kinds: dict[Hashable, Ratio]


Runs = Sequence[TimedRun]
Logs = dict[str, dict[str, Floats]]  # logarithms of least times, by program, then by session


@dataclass(frozen=True, slots=True)
class _Contrast:
    """The logarithm of A's seconds, the difference to B's, the variance of that in units of a run's or
    session's, and their variance."""

    level: float
    difference: float
    unit: float
    variance: float
    freedom: int
    basis: Basis


def ratios(pairs: Sequence[tuple[Runs, Runs]], kinds: Sequence[Hashable]) -> Ratios:
    """The ratios of works, each given as its runs on both sides and the kind that it is of."""
    many = len(pairs) >= MANY
    sides = [[_logs(pair[side]) for pair in pairs] for side in (0, 1)]
    effects = [_session_effects(side) if many else {} for side in sides]
    a, b = ([_without(logs, e) for logs in side] for side, e in zip(sides, effects, strict=True))
    contrasts = [_contrast(x, y) for x, y in zip(a, b, strict=True)]
    shift, common = 0.0, None
    if many:
        shift = float(np.median([c.difference for c in contrasts]))
        common = _common(shift, *([*e.values()] for e in effects))
    prior = _prior([c for c in contrasts if c.freedom])
    found = [
        _of_units(c, shift, *prior) if c.freedom else _of_samples(x[0], y[0], c.difference, shift)
        for c, (x, y) in zip(contrasts, pairs, strict=True)
    ]
    together = _kinds(kinds, list(zip(a, b, strict=True)))
    wider = _prior(list(together.values()))
    seconds = tuple(float(np.exp(c.level)) for c in contrasts)
    return Ratios(
        tuple(found), seconds, common, {k: _of_units(c, shift, *wider) for k, c in together.items()}
    )


def _kinds(kinds: Sequence[Hashable], works: Sequence[tuple[Logs, Logs]]) -> dict[Hashable, _Contrast]:
    """The contrast of each kind of which both sides have several sessions and contexts."""
    members: dict[Hashable, list[tuple[Logs, Logs]]] = {}
    for kind, pair in zip(kinds, works, strict=True):
        members.setdefault(kind, []).append(pair)
    made = {kind: _of_kind(each) for kind, each in members.items()}
    return {kind: contrast for kind, contrast in made.items() if contrast}


def _of_kind(works: Sequence[tuple[Logs, Logs]]) -> _Contrast | None:
    """The difference between sessions of the mean over contexts: those that ran in every session."""
    names = [sorted({s for pair in works for each in pair[side].values() for s in each}) for side in (0, 1)]
    contexts = [(a[p], b[p]) for a, b in works for p in a if p in b]
    whole = [pair for pair in contexts if all(sorted(pair[i]) == names[i] for i in (0, 1))]
    if min(map(len, names)) < 2 or len(whole) < _CONTEXTS:
        return None
    x, y = (
        np.array([np.mean([pair[side][s].mean() for pair in whole]) for s in names[side]]) for side in (0, 1)
    )
    freedom = len(x) + len(y) - 2
    variance = max(float(len(x) * x.var() + len(y) * y.var()) / freedom, _FLOOR**2)
    level, unit = float(x.mean()), 1 / len(x) + 1 / len(y)
    return _Contrast(level, float(y.mean()) - level, unit, variance, freedom, Basis.SESSIONS)


def _logs(runs: Runs) -> Logs:
    found: dict[str, dict[str, list[float]]] = {}
    for run in runs:
        found.setdefault(run.program, {}).setdefault(run.session, []).append(float(np.log(run.least)))
    return {program: {s: np.array(v) for s, v in each.items()} for program, each in found.items()}


def _session_effects(works: Iterable[Logs]) -> dict[str, float]:
    """By how much everything took longer in each session than in the others of its side, in logarithms.

    Only programs that ran in several sessions can tell, and only many of them.
    """
    found: dict[str, list[float]] = {}
    for each in (each for logs in works for each in logs.values() if len(each) > 1):
        means = {session: float(values.mean()) for session, values in each.items()}
        middle = sum(means.values()) / len(means)
        for session, mean in means.items():
            found.setdefault(session, []).append(mean - middle)
    return {s: float(np.median(values)) for s, values in found.items() if len(values) >= MANY}


def _without(logs: Logs, effects: dict[str, float]) -> Logs:
    return {p: {s: v - effects.get(s, 0.0) for s, v in each.items()} for p, each in logs.items()}


def _contrast(a: Logs, b: Logs) -> _Contrast:
    """The mean difference over the programs that ran on both sides, each weighted by its runs."""
    if not a.keys() & b.keys():
        a, b = ({_ALL: _merged(logs.values())} for logs in (a, b))
    programs = [name for name in a if name in b]
    by_session = all(any(len(side[p]) > 1 for p in programs) for side in (a, b))
    both = [(_units(a[p], by_session), _units(b[p], by_session)) for p in programs]
    weights = np.array([len(x) * len(y) / (len(x) + len(y)) for x, y in both])
    differences = np.array([y.mean() - x.mean() for x, y in both])
    freedom = sum(len(x) + len(y) - 2 for x, y in both)
    squares = sum(float(len(z) * z.var()) for pair in both for z in pair)
    variance = max(squares / max(freedom, 1), _FLOOR**2)
    total = float(weights.sum())
    basis = Basis.SESSIONS if by_session else Basis.RUNS
    level = float(weights @ np.array([x.mean() for x, _ in both])) / total
    return _Contrast(level, float(weights @ differences) / total, 1 / total, variance, freedom, basis)


def _merged(programs: Iterable[dict[str, Floats]]) -> dict[str, Floats]:
    found: dict[str, list[Floats]] = {}
    for each in programs:
        for session, values in each.items():
            found.setdefault(session, []).append(values)
    return {session: np.concatenate(values) for session, values in found.items()}


def _units(sessions: dict[str, Floats], by_session: bool) -> Floats:
    if by_session:
        return np.array([values.mean() for values in sessions.values()])
    return np.concatenate([*sessions.values()])


def _common(shift: float, a: Sequence[float], b: Sequence[float]) -> Ratio:
    """The common ratio, with the effects of each side's sessions.

    Where a side has a single session, `DRIFT` says how far sessions may lie apart. Calibrations of three
    libraries at five times within five hours, on a virtual machine of two processors in November 2026,
    differed by a standard deviation of 5.4 %.
    """
    sessions, per = len(a) + len(b), 1 / max(len(a), 1) + 1 / max(len(b), 1)
    if min(len(a), len(b)) < 2:
        return _ratio(shift, 0.0, DRIFT * float(np.sqrt(per)), np.inf, Basis.DRIFT)
    squares = sum(len(x) * float(np.var(x)) for x in (a, b))
    error = float(np.sqrt(max(squares / (sessions - 2), _FLOOR**2) * per))
    return _ratio(shift, 0.0, error, sessions - 2, Basis.SESSIONS)


def _prior(contrasts: Sequence[_Contrast]) -> tuple[float, float]:
    """(degrees of freedom, variance) that all works have in common [Smyth04, Sec. 6.2].

    No degrees of freedom where works are too few to tell; infinitely many where variances differ no more than
    by chance.
    """
    if len(contrasts) < MANY:
        return 0.0, 1.0
    half = np.array([c.freedom for c in contrasts]) / 2
    logs = np.log([c.variance for c in contrasts]) - special.digamma(half) + np.log(half)
    excess = float(logs.var(ddof=1) - special.polygamma(1, half).mean())
    if excess <= 0:
        return np.inf, float(np.exp(logs.mean()))
    freedom = 2 * _inverse_trigamma(excess)
    return freedom, float(np.exp(logs.mean() + special.digamma(freedom / 2) - np.log(freedom / 2)))


def _inverse_trigamma(value: float) -> float:
    """The x with trigamma(x) = value."""
    found: float = optimize.brentq(lambda x: float(special.polygamma(1, x)) - value, 1e-8, 1e8)
    return found


def _of_units(c: _Contrast, shift: float, freedom: float, variance: float) -> Ratio:
    if np.isinf(freedom):
        moderated, degrees = variance, np.inf
    else:
        degrees = freedom + c.freedom
        moderated = (freedom * variance + c.freedom * c.variance) / degrees
    return _ratio(c.difference, shift, float(np.sqrt(moderated * c.unit)), degrees, c.basis)


def _ratio(difference: float, shift: float, error: float, freedom: float, basis: Basis) -> Ratio:
    """The ratio by a t-test on logarithms; without end of degrees of freedom, by a normal one."""
    own = difference - shift
    reach = error * float(stats.t.ppf((1 + CONFIDENCE) / 2, freedom))
    p = 2 * float(stats.t.sf(abs(own) / error, freedom))
    value, middle, low, high = map(float, np.exp([difference, own, own - reach, own + reach]))
    return Ratio(value, middle, low, high, p, basis)


def _of_samples(a: TimedRun, b: TimedRun, difference: float, shift: float) -> Ratio:
    """The ratio of the medians of single runs; of the least times where a run has few samples."""
    x, y = a.seconds, b.seconds * np.exp(-shift)
    if min(len(x), len(y)) < _FEWEST:
        value, own = float(np.exp(difference)), float(np.exp(difference - shift))
        return Ratio(value, own, None, None, None, Basis.SAMPLES)
    chance = np.random.default_rng(0)
    medians = [np.median(chance.choice(z, (_RESAMPLES, len(z))), axis=1) for z in (x, y)]
    low, high = np.quantile(medians[1] / medians[0], ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    own = float(np.median(y) / np.median(x))
    p = float(stats.mannwhitneyu(x, y).pvalue)
    return Ratio(own * float(np.exp(shift)), own, float(low), float(high), p, Basis.SAMPLES)


def corrected(values: Sequence[float]) -> list[float]:
    """The probabilities after correction for many comparisons: the chance of a single false alarm among all
    of them is at most the level at which they are judged [Holm79]."""
    if not values:
        return []
    order = np.argsort(values)
    steps = np.asarray(values)[order] * np.arange(len(values), 0, -1)
    found = np.empty(len(values))
    found[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(p) for p in found]
