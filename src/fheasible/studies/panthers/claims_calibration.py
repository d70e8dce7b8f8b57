"""The paper's claims about calibration [FerLL18, Sec. III]."""

from collections.abc import Iterable, Sequence

import numpy as np

from fheasible.aliases import Floats
from fheasible.schemes.catalogue import scheme
from fheasible.studies.claim import Claim, ClaimFinding, found
from fheasible.studies.panthers import boxes, causes, kernels
from fheasible.studies.panthers.calibrated import (
    MEMORY,
    TIME,
    SweepEffort,
    calibrated,
    efforts,
    executed,
    judged,
    stored,
    total,
    unseen,
)
from fheasible.studies.panthers.parameters import FIGURE1, TABLE1, Sweep
from fheasible.studies.panthers.printed import said, value
from fheasible.studies.results import Results
from fheasible.units import seconds

SCHEMES = ("fv", "yashe", "shield", "fntru")
SPEEDUP_SHARE = 0.8  # of the published speedup, which depends on how unequal the sets are, too
FLAT = 0.1  # a trend that is smaller from end to end counts as no trend


def of_scheme(name: str) -> tuple[Sweep, ...]:
    """The sweeps of Table I for that scheme."""
    return tuple(sweep for sweep in TABLE1 if sweep.scheme == name)


def claims() -> tuple[Claim, ...]:
    return (
        *_figure1(),
        *(_speedup(name, of_scheme(name)) for name in SCHEMES),
        _speedup("all", TABLE1),
        *(_errors(name, figure) for name in SCHEMES for figure in (TIME, MEMORY)),
        *(_quartile(figure) for figure in (TIME, MEMORY)),
        _plaintext_modulus(),
    )


def percent(ratio: float) -> str:
    return f"{100 * ratio:.1f} %"


def counts(sweeps: Iterable[Sweep], results: Results) -> str:
    """How many sets of the sweeps are executed, as '15 of 101 sets executed'."""
    listed = list(sweeps)
    there = sum(len(executed(results, s).cells) for s in listed)
    return f"{there} of {sum(len(s.cells) for s in listed)} sets executed"


def _figure1() -> Iterable[Claim]:
    def maxima(results: Results) -> list[float]:
        along = executed(results, FIGURE1)
        return [unseen(calibrated(along, TIME, p).judgement)[1] for p in (1, 2, 3)]

    def falls(results: Results) -> ClaimFinding:
        one, two, three = maxima(results)
        ours = f"{percent(one)}, {percent(two)}, {percent(three)}"
        return ClaimFinding(
            ours,
            one > two > three,
            f"Figure 1: FV along log2 w, {counts([FIGURE1], results)}",
            "" if one > two > three else cause_of([FIGURE1], results, TIME, 3),
        )

    def third(results: Results) -> ClaimFinding:
        worst = maxima(results)[2]
        evidence = f"Figure 1: FV along log2 w, {counts([FIGURE1], results)}"
        holds = worst <= value("figure1.p3.max") / 100
        return found(percent(worst), holds, evidence, lambda: cause_of([FIGURE1], results, TIME, 3))

    yield Claim(
        "FV along log2 w: the maximal error falls from the 1- to the 2- to the 3-calibration",
        said("figure1.p1.max", "figure1.p2.max", "figure1.p3.max"),
        "our maximal errors have the same order",
        falls,
        (FIGURE1.name,),
    )
    yield Claim(
        "FV along log2 w: the maximal error of a 3-calibration falls to 12 %",
        said("figure1.p3.max"),
        "ours is at most the published one",
        third,
        (FIGURE1.name,),
    )


def _speedup(name: str, sweeps: Sequence[Sweep]) -> Claim:
    def judge(results: Results) -> ClaimFinding:
        cost = efforts(sweeps, results)
        ours = f"{cost.speedup:.1f}"
        guessed = f", {cost.predicted} of them as predicted by the calibration" if cost.predicted else ""
        evidence = (
            f"calibrating {seconds(cost.calibrating_seconds)}, executing {seconds(cost.executing_seconds)}"
            f" of CPU time for {cost.sets} sets{guessed}"
        )
        holds = cost.speedup >= SPEEDUP_SHARE * value(f"table2.{name}.speedup")
        return found(ours, holds, evidence, lambda: uneven(cost, sweeps))

    who = "all four schemes" if name == "all" else scheme(name).title
    return Claim(
        f"{who}: the speedup of a 2-calibration over executing all sets of Table I",
        said(f"table2.{name}.speedup"),
        f"ours is at least {SPEEDUP_SHARE} of the published speedup",
        judge,
        names(sweeps),
    )


def names(sweeps: Iterable[Sweep]) -> tuple[str, ...]:
    return tuple(sweep.name for sweep in sweeps)


def cause_of(sweeps: Iterable[Sweep], results: Results, figure: str, p: int) -> str:
    """Why the p-calibrations of those sweeps err, as `causes` tests it."""
    return causes.said(causes.unseen_sets(sweeps, results, figure, p), figure)


def uneven(cost: SweepEffort, sweeps: Sequence[Sweep]) -> str:
    """A speedup is the sets per executed one, less where the executed ones take longer than the others."""
    ends = sum(min(2, len(s.cells)) for s in sweeps)
    dearer = cost.calibrating_seconds / ends / (cost.executing_seconds / cost.sets)
    return (
        f"{cost.sets} sets for {ends} executed ones would be "
        f"{cost.sets / ends:.1f}; the sets at the ends take"
        f" {dearer:.2f} times the time of an average one, which leaves {cost.speedup:.1f}"
    )


def _errors(name: str, figure: str) -> Claim:
    kind = "time" if figure == TIME else "memory"
    mean, most = f"table3.{name}.{kind}.mean", f"table3.{name}.{kind}.max"

    def judge(results: Results) -> ClaimFinding:
        average, worst = unseen(judged(of_scheme(name), results, figure, 2))
        holds = 100 * average <= value(mean) and 100 * worst <= value(most)
        evidence = f"{counts(of_scheme(name), results)}; {_others(name, figure, results)}"
        ours = f"{percent(average)}, {percent(worst)}"
        return found(ours, holds, evidence, lambda: cause_of(of_scheme(name), results, figure, 2))

    return Claim(
        f"{scheme(name).title}, {figure}: mean and maximal error of the 2-calibrations",
        said(mean, most),
        "both of ours, at values that the calibration did not see, are at most the published ones",
        judge,
        names(of_scheme(name)),
    )


def _others(name: str, figure: str, results: Results) -> str:
    text = "3-calibrations {}, {}".format(*map(percent, unseen(judged(of_scheme(name), results, figure, 3))))
    if figure == MEMORY:
        return text
    priced = kernels.prices(stored(TABLE1, results), results)
    own = unseen(total(kernels.judgement(s, results, priced) for s in of_scheme(name)))
    return f"{text}; kernel view {percent(own[0])}, {percent(own[1])}"


def _quartile(figure: str) -> Claim:
    def judge(results: Results) -> ClaimFinding:
        kept = boxes.kept(results, figure)
        third = float(np.quantile([mean.error for mean in kept.errors], 0.75))
        evidence = f"{len(kept.errors)} functions and sweeps, without those below {kept.limit}"
        holds = 100 * third < value("figure3.quartile")
        return found(percent(third), holds, evidence, lambda: boxes.cause(results, figure))

    return Claim(
        f"Three quarters of the mean errors of single functions are below 9 %: {figure}",
        said("figure3.quartile"),
        "our third quartile is below 9 %",
        judge,
        names(TABLE1),
    )


def _plaintext_modulus() -> Claim:
    sweeps = tuple(s for s in TABLE1 if s.vary == "t")

    def judge(results: Results) -> ClaimFinding:
        theory, trends = True, []
        for sweep in sweeps:
            along = executed(results, sweep)
            theory &= all(float(np.ptp(along.x(figure))) == 0 for figure in (TIME, MEMORY))
            trends += [trend(along.values, along.y(figure)) for figure in (TIME, MEMORY)]
        ours = ", ".join(f"{100 * t:+.1f} %" for t in trends)
        counted = "counts are the same for every t" if theory else "counts change with t"
        evidence = f"{counted}; trends of FV's time and memory, YASHE's time and memory from t = 2 to 60"
        holds = theory and max(map(abs, trends)) < FLAT
        return found(ours, holds, evidence, lambda: cause_of(sweeps, results, TIME, 2))

    return Claim(
        "t has no influence on complexity and memory (FV and YASHE)",
        "no impact (Section III, confirmed in Section IV)",
        f"counts are the same for every t, and no measured figure's trend reaches {percent(FLAT)}",
        judge,
        names(sweeps),
    )


def trend(x: Sequence[float], y: Floats) -> float:
    """The rise of the least-squares line from the first to the last x, as a share of the mean."""
    slope, _ = np.polyfit(np.asarray(x, dtype=float), y, 1)
    return float(slope * (x[-1] - x[0]) / np.mean(y))
