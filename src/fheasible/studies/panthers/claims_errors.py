"""The paper's summary claims about errors of calibrations: points, majorities, seconds [FerLL18, Sec. III]."""

from collections.abc import Iterator

import numpy as np

from fheasible.calibration.interpolation import Method, curve
from fheasible.studies.claim import Claim, ClaimFinding, found
from fheasible.studies.panthers import causes
from fheasible.studies.panthers.calibrated import (
    MEMORY,
    TIME,
    calibrated,
    executed,
    judged,
    unseen,
)
from fheasible.studies.panthers.claims_calibration import SCHEMES, cause_of, counts, names, of_scheme, percent
from fheasible.studies.panthers.parameters import TABLE1, Sweep
from fheasible.studies.panthers.printed import said, value
from fheasible.studies.results import Results
from fheasible.units import seconds

POINTS = (1, 2, 3)
FIGURE2A = tuple(s for s in TABLE1 if s.vary == "log_q" and s.scheme == "fntru")


def claims() -> tuple[Claim, ...]:
    return (
        _higher_p(),
        *(_majority(figure) for figure in (TIME, MEMORY)),
        _seconds_of_fntru(),
        _mean_seconds(),
    )


def _higher_p() -> Claim:
    def judge(results: Results) -> ClaimFinding:
        means = {
            (figure, p): unseen(judged(TABLE1, results, figure, p))[0]
            for figure in (TIME, MEMORY)
            for p in POINTS
        }
        holds = all(means[f, 1] > means[f, 2] > means[f, 3] for f in (TIME, MEMORY))
        ours = "; ".join(f"{f}: {', '.join(percent(means[f, p]) for p in POINTS)}" for f in (TIME, MEMORY))
        return found(
            ours, holds, f"mean errors for p = 1, 2, 3; {counts(TABLE1, results)}", lambda: _swing(results)
        )

    return Claim(
        "The higher p is, the better calibrated results are",
        said("section5.higher_p"),
        "our mean error over all sweeps of Table I falls from p = 1 to 2 to 3, of complexity and of memory cost",
        judge,
        names(TABLE1),
    )


def _swing(results: Results) -> str:
    """Whether it is the paper's polynomial that makes three points worse: the same points by straight lines."""
    parts = []
    for figure in (TIME, MEMORY):
        two = unseen(judged(TABLE1, results, figure, 2))[0]
        three = unseen(judged(TABLE1, results, figure, 3))[0]
        lines = float(np.mean([e for s in TABLE1 for e in _by_lines(s, results, figure)]))
        worse = sum(_mean(s, results, figure, 3) > _mean(s, results, figure, 2) for s in TABLE1)
        parts.append(
            f"{figure}: the parabola through three points errs more than the line through two in {worse} of "
            f"{len(TABLE1)} sweeps ({percent(three)} on average, the line {percent(two)}); straight lines through "
            f"the same three points err by {percent(lines)}"
        )
    return "; ".join(parts)


def _mean(sweep: Sweep, results: Results, figure: str, p: int) -> float:
    return unseen(calibrated(executed(results, sweep), figure, p).judgement)[0]


def _by_lines(sweep: Sweep, results: Results, figure: str) -> Iterator[float]:
    """The errors at unseen values of straight lines between the three points of a 3-calibration."""
    along = executed(results, sweep)
    made = calibrated(along, figure, 3)
    x, y, at = along.x(figure), along.y(figure), list(made.at)
    told = curve(x[at], y[at], Method.PIECEWISE).predict(x)
    yield from (float(abs(told[i] / y[i] - 1)) for i in range(len(y)) if i not in made.at)


def _majority(figure: str) -> Claim:
    key = "section3.majority.time" if figure == TIME else "section3.majority.memory"

    def judge(results: Results) -> ClaimFinding:
        errors = [abs(u.error) for u in causes.unseen_sets(TABLE1, results, figure, 2)]
        below = sum(100 * e < value(key) for e in errors) / len(errors)
        evidence = f"{len(errors)} sets that the 2-calibrations did not see; {counts(TABLE1, results)}"
        ours = f"{percent(below)} of them are below {value(key):g} %"
        return found(ours, below > 0.5, evidence, lambda: cause_of(TABLE1, results, figure, 2))

    return Claim(
        f"The majority of errors are under {value(key):g} %: {figure}",
        said(key),
        "more than half of the errors at values that the 2-calibrations did not see are below",
        judge,
        names(TABLE1),
    )


def _differences(sweeps: tuple[Sweep, ...], results: Results) -> tuple[list[float], float]:
    """The differences of predicted and measured seconds at all values, and the longest measured time."""
    made = [calibrated(executed(results, s), TIME, 2) for s in sweeps]
    gaps = [float(g) for m in made for g in np.abs(m.predicted - m.along.seconds)]
    return gaps, max(float(np.max(m.along.seconds)) for m in made)


def _seconds_of_fntru() -> Claim:
    def judge(results: Results) -> ClaimFinding:
        gaps, longest = _differences(FIGURE2A, results)
        evidence = (
            f"{percent(max(gaps) / longest)} of the longest set, {seconds(longest)}; the paper's take longer"
        )
        holds = max(gaps) < value("section3.fntru.difference")
        return found(seconds(max(gaps)), holds, evidence, lambda: cause_of(FIGURE2A, results, TIME, 2))

    return Claim(
        "F-NTRU along log2 q (Figure 2a): executed and calibrated times differ by less than 3 seconds",
        said("section3.fntru.difference"),
        "our largest difference is below 3 s (the share of the longest set is said beside it)",
        judge,
        names(FIGURE2A),
    )


def _mean_seconds() -> Claim:
    def judge(results: Results) -> ClaimFinding:
        found_ = {name: _differences(of_scheme(name), results) for name in SCHEMES}
        means = {name: float(np.mean(gaps)) for name, (gaps, _) in found_.items()}
        worst = max(means, key=lambda name: means[name])
        share = percent(means[worst] / found_[worst][1])
        evidence = (
            f"{share} of that scheme's longest set, {seconds(found_[worst][1])}; {counts(TABLE1, results)}"
        )
        holds = max(means.values()) <= value("section3.mean.difference")
        cause = of_scheme(worst)
        return found(seconds(means[worst]), holds, evidence, lambda: cause_of(cause, results, TIME, 2))

    return Claim(
        "The mean errors of complexity mean differences of at most 1 second",
        said("section3.mean.difference"),
        "the mean difference of each scheme's executed and calibrated times is at most 1 s",
        judge,
        names(TABLE1),
    )
