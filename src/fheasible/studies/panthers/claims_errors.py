"""The paper's summary claims about errors: points, majorities, seconds [FerLL18, Sec. III]."""

from collections.abc import Iterator, Sequence

import numpy as np

from fheasible.calibration.interpolation import Method, curve
from fheasible.schemes.catalogue import scheme
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
            (name, figure): [unseen(judged(of_scheme(name), results, figure, p))[0] for p in POINTS]
            for name in SCHEMES
            for figure in (TIME, MEMORY)
        }
        fall = [key for key, (one, two, three) in means.items() if one > two > three]
        told = "; ".join(
            f"{scheme(n).title}, {f}: {', '.join(map(percent, m))}" for (n, f), m in means.items()
        )
        whole = "; ".join(
            f"{f}: {', '.join(percent(float(np.mean([means[n, f][i] for n in SCHEMES]))) for i in range(3))}"
            for f in (TIME, MEMORY)
        )
        evidence = (
            f"mean errors for p = 1, 2, 3: {told}; means of all schemes, {whole}; {counts(TABLE1, results)}"
        )
        ours = f"they fall in {len(fall)} of {len(means)} cases"
        rest = [key for key in means if key not in fall]
        return found(ours, not rest, evidence, lambda: _no_fall(rest, results))

    return Claim(
        "The higher p is, the better calibrated results are",
        said("section5.higher_p"),
        "each scheme's mean error falls from p = 1 to 2 to 3, of complexity and of memory cost",
        judge,
        names(TABLE1),
        "the paper does not say whether each scheme's errors fall or the mean of all; each scheme's was "
        "chosen with results in view",
    )


def _no_fall(cases: Sequence[tuple[str, str]], results: Results) -> str:
    """Whether the ring's steps alone, without any measurement, keep these cases' errors from falling.

    What straight lines through the same three points do stands beside it.
    """
    told, alike = [], 0
    for name, figure in cases:
        sets = {p: causes.unseen_sets(of_scheme(name), results, figure, p) for p in POINTS}
        one, two, three = (float(np.mean([abs(u.modelled) for u in sets[p]])) for p in POINTS)
        alike += not one > two > three
        lines = float(np.mean([e for s in of_scheme(name) for e in _by_lines(s, results, figure)]))
        modelled = ", ".join(map(percent, (one, two, three)))
        told.append(
            f"{scheme(name).title}, {figure}: {modelled} (straight lines, measured: {percent(lines)})"
        )
    steps = (
        "the ring's words, primes and buffers, which PAnTHErS does not count, make steps that no curve meets"
    )
    clock = "the clock, since counted and priced kernels alone would fall"
    lead = clock if not alike else steps if alike == len(cases) else f"in part {steps}; in part {clock}"
    return (
        f"{lead}: the same calibrations of priced kernels and counted bytes, "
        f"without a measurement, do not fall "
        f"either in {alike} of these {len(cases)} cases ({'; '.join(told)})"
    )


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
