"""The paper's claims about the curves of its case study, Figures 4 and 5 [FerLL18, Sec. IV]."""

from collections.abc import Callable

import numpy as np

from fheasible.aliases import Floats
from fheasible.schemes.catalogue import scheme
from fheasible.studies.claim import Claim, ClaimFinding
from fheasible.studies.experiment import NotRun
from fheasible.studies.panthers.calibrated import (
    MEMORY,
    TIME,
    ExecutedSweep,
    calibrated,
    efforts,
    executed,
    total,
    unseen,
)
from fheasible.studies.panthers.claims_calibration import SPEEDUP_SHARE, counts, percent
from fheasible.studies.panthers.model import counted
from fheasible.studies.panthers.parameters import FIGURE4, FIGURE5
from fheasible.studies.panthers.printed import said, value
from fheasible.studies.results import Results
from fheasible.units import seconds

FV, YASHE, FNTRU = FIGURE4
FV_W, YASHE_W = FIGURE5
NOISE = 0.02  # a time that falls by less has not fallen
STILL = 0.05  # a figure that falls by less than that share of its whole fall stagnates


def claims() -> tuple[Claim, ...]:
    return (*_errors(), _saved(), *_curves())


def _errors() -> tuple[Claim, ...]:
    def at_most(p: int) -> Callable[[Results], ClaimFinding]:
        def judge(results: Results) -> ClaimFinding:
            worst, memory = (
                unseen(total(calibrated(executed(results, s), figure, p).judgement for s in FIGURE4))[1]
                for figure in (TIME, MEMORY)
            )
            evidence = (
                f"complexity along log2 q: {counts(FIGURE4, results)}; memory cost {percent(memory)} at most"
            )
            return ClaimFinding(percent(worst), 100 * worst <= value(f"section4.p{p}.max"), evidence)

        return judge

    return tuple(
        Claim(
            f"Eq. 3 along log2 q: the maximal error of a {p}-calibration",
            said(f"section4.p{p}.max"),
            "our error of complexity, at values that the calibration did not see, is at most the "
            "published one",
            at_most(p),
        )
        for p in (2, 3)
    )


def _saved() -> Claim:
    published = value("section4.execution") / value("section4.p2.analysis")

    def judge(results: Results) -> ClaimFinding:
        two, three = (efforts(FIGURE4, results, p) for p in (2, 3))
        guessed = f", {two.predicted} of {two.sets} as predicted" if two.predicted else ""
        evidence = (
            f"{seconds(two.calibrating_seconds)} for two points, {seconds(three.calibrating_seconds)} for"
            f" three, {seconds(two.executing_seconds)} for all sets{guessed}"
        )
        return ClaimFinding(f"{two.speedup:.1f} times", two.speedup >= SPEEDUP_SHARE * published, evidence)

    return Claim(
        "Eq. 3 along log2 q: analysing takes 120 minutes where executing everything takes 540",
        said("section4.p2.analysis", "section4.p3.analysis", "section4.execution")
        + f": {published:.1f} times",
        f"ours is at least {SPEEDUP_SHARE} of the published speedup",
        judge,
    )


def _curves() -> tuple[Claim, ...]:
    return (
        Claim(
            "F-NTRU's curve is higher than FV's and YASHE's, and grows faster",
            "Figure 4, Section IV",
            "executed: F-NTRU's first and last sets take longer than FV's and YASHE's at the same place, and"
            " more seconds are added per bit of q",
            _fntru,
        ),
        Claim(
            "FV always has a lower complexity than YASHE",
            "Section IV, along log2 w at log2 q = 300",
            "executed: FV takes less CPU time than YASHE at every log2 w that both ran",
            _fv_lowest,
        ),
        Claim(
            "YASHE takes less memory than FV for w > 2^8",
            said("section4.memory.crossing"),
            "executed: YASHE's peak is below FV's at every log2 w > 8 that both ran",
            _less_memory,
        ),
        Claim(
            "Complexity increases when q grows (FV)",
            "Section IV",
            f"executed: no set along log2 q takes {percent(NOISE)} less than one before it, and the last"
            " takes longer than the first",
            _grows,
        ),
        Claim(
            "Complexity and memory stagnate from log2 w = 28 (FV)",
            said("section4.stagnation"),
            f"executed: beyond 28 neither falls by more than {percent(STILL)} of its fall from 2 to 44",
            _stagnates,
        ),
        Claim(
            "Executing all sets leads to the same results as PAnTHErS predicted",
            "Section IV",
            "the calibrated counts and the executed figures order the three schemes along log2 q, and FV and"
            " YASHE along log2 w, in the same way at every value that is compared",
            _same,
        ),
        Claim(
            "FV is the best candidate of the three for low complexity",
            "Section IV",
            "executed: FV takes the least CPU time of the three along log2 q and along log2 w",
            _best,
        ),
    )


def _fntru(results: Results) -> ClaimFinding:
    fntru, *others = (executed(results, s) for s in (FNTRU, FV, YASHE))
    higher = all(fntru.seconds[i] > o.seconds[i] for o in others for i in (0, -1))
    slopes = [_slope(e) for e in (fntru, *others)]
    ours = ", ".join(f"{_title(e)} {seconds(float(e.seconds[-1]))}" for e in (fntru, *others))
    evidence = (
        f"{1000 * slopes[0]:.3g} ms per bit of q; FV {1000 * slopes[1]:.3g}, YASHE {1000 * slopes[2]:.3g}"
    )
    return ClaimFinding(f"{ours} at the last log2 q", higher and slopes[0] > max(slopes[1:]), evidence)


def _slope(e: ExecutedSweep) -> float:
    return float((e.seconds[-1] - e.seconds[0]) / (e.values[-1] - e.values[0]))


def _fv_lowest(results: Results) -> ClaimFinding:
    values, fv, yashe = _both(results, TIME)
    ratios = fv / yashe
    ours = f"FV takes {ratios.min():.2f} to {ratios.max():.2f} times YASHE's CPU time"
    ahead = counted(FV_W, YASHE_W.cells).multiplications / counted(YASHE_W, YASHE_W.cells).multiplications
    evidence = (
        f"log2 w = {_list(values)}; integer multiplications {ahead.min():.2f} to {ahead.max():.2f} times"
        " YASHE's, whose ciphertext is one polynomial, whereas FV's is two"
    )
    return ClaimFinding(ours, bool(np.all(ratios < 1)), evidence)


def _less_memory(results: Results) -> ClaimFinding:
    values, fv, yashe = _both(results, MEMORY)
    beyond = np.array(values) > value("section4.memory.crossing")
    below = [v for v, less in zip(values, yashe < fv, strict=True) if less]
    ours = f"YASHE takes less at log2 w = {_list(below)}" if below else "YASHE takes more everywhere"
    return ClaimFinding(ours, bool(np.all((yashe < fv)[beyond])), f"log2 w = {_list(values)}")


def _both(results: Results, figure: str) -> tuple[list[int], Floats, Floats]:
    """The figures (log2 w, FV, YASHE) at every log2 w that both ran."""
    fv, yashe = along = [executed(results, s) for s in FIGURE5]
    there = [list(at) for at in zip(*_places(along), strict=True)]
    return [fv.values[i] for i in there[0]], fv.y(figure)[there[0]], yashe.y(figure)[there[1]]


def _grows(results: Results) -> ClaimFinding:
    along = executed(results, FV)
    times = along.seconds
    drop = float(np.max(1 - times[1:] / np.maximum.accumulate(times)[:-1]))
    first, last = (f"{seconds(float(times[i]))} at log2 q = {along.values[i]}" for i in (0, -1))
    evidence = f"{counts([FV], results)}; at most {percent(max(drop, 0.0))} below an earlier value"
    return ClaimFinding(f"{first}, {last}", drop < NOISE and times[-1] > times[0], evidence)


def _stagnates(results: Results) -> ClaimFinding:
    along = executed(results, FV_W)
    rest = [_left(along, along.y(figure)) for figure in (TIME, MEMORY)]
    ours = f"{percent(rest[0])} of the fall in time and {percent(rest[1])} of that in memory come after 28"
    return ClaimFinding(ours, max(rest) <= STILL, counts([FV_W], results))


def _left(along: ExecutedSweep, y: Floats) -> float:
    """The share of the fall from the first to the last value that comes after log2 w = 28."""
    at = float(np.interp(value("section4.stagnation"), along.values, y))
    return float((at - y[-1]) / (y[0] - y[-1]))


def _same(results: Results) -> ClaimFinding:
    wrong = compared = 0
    for sweeps in (FIGURE4, FIGURE5):
        made = [calibrated(executed(results, s), TIME, 2) for s in sweeps]
        for place in _places([m.along for m in made]):
            if all(m.judgement.seen[i] for m, i in zip(made, place, strict=True)):
                continue  # there the prediction is the measurement
            predicted = [m.predicted[i] for m, i in zip(made, place, strict=True)]
            measured = [m.along.seconds[i] for m, i in zip(made, place, strict=True)]
            compared += 1
            wrong += np.argsort(predicted).tolist() != np.argsort(measured).tolist()
    if not compared:
        raise NotRun("the calibrations have seen all executed values", "fheasible study run panthers")
    evidence = "2-calibrations compared with executed sets that they did not see"
    return ClaimFinding(f"{compared - wrong} of {compared} values", wrong == 0, evidence)


def _places(along: list[ExecutedSweep]) -> list[tuple[int, ...]]:
    """The indices of the sets to compare, one for each scheme.

    Along log2 q, where the ranges differ, these are the sets at the same place of their sweep. Along log2 w,
    they are the sets with the same value.
    """
    keys = [[_place(e, v) for v in e.values] for e in along]
    common = [key for key in keys[0] if all(key in own for own in keys)]
    if not common:
        raise NotRun(
            "there is no value that all schemes have executed", "fheasible study run panthers --quick"
        )
    return [tuple(own.index(key) for own in keys) for key in common]


def _place(e: ExecutedSweep, value: int) -> int:
    return e.sweep.values.index(value) if e.sweep.vary == "log_q" else value


def _best(results: Results) -> ClaimFinding:
    fastest = []
    for sweeps in (FIGURE4, FIGURE5):
        along = [executed(results, s) for s in sweeps]
        for place in _places(along):
            times = [e.seconds[i] for e, i in zip(along, place, strict=True)]
            fastest.append(_title(along[int(np.argmin(times))]))
    first = fastest.count("FV")
    names = ", ".join(f"{name} {fastest.count(name)}" for name in dict.fromkeys(fastest))
    return ClaimFinding(
        f"least in {first} of {len(fastest)} places", first == len(fastest), f"least: {names}"
    )


def _title(e: ExecutedSweep) -> str:
    return scheme(e.sweep.scheme).title


def _list(values: list[int]) -> str:
    return ", ".join(map(str, values))
