"""Executed sweeps beside the theory, and p-calibrations that connect both [FerLL18, Sec. III]."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from fheasible.aliases import Floats
from fheasible.calibration.interpolation import Curve, applicable, curve
from fheasible.calibration.points import CurveChoice, Judgement, best, chosen, judge
from fheasible.studies.experiment import NotRun, StudyCell
from fheasible.studies.panthers.experiments import experiment
from fheasible.studies.panthers.measured import mebibytes, seconds
from fheasible.studies.panthers.model import WHOLE, Counted, counted
from fheasible.studies.panthers.parameters import Sweep
from fheasible.studies.results import Results

TIME, MEMORY = "complexity", "memory cost"  # the paper's words for what is calibrated
UNIT = {TIME: "s", MEMORY: "MiB"}


@dataclass(frozen=True, slots=True)
class ExecutedSweep:
    """The executed cells of a sweep, by increasing value: theory and practice of one function."""

    sweep: Sweep
    function: str
    cells: tuple[StudyCell, ...]
    theory: Counted
    seconds: Floats
    mebibytes: Floats

    @property
    def values(self) -> tuple[int, ...]:
        return tuple(cell.parameters[self.sweep.vary] for cell in self.cells)

    def x(self, figure: str) -> Floats:
        """The figures of PAnTHErS's view: integer multiplications, or the most 32-bit integers in use."""
        return self.theory.multiplications if figure == TIME else self.theory.words

    def y(self, figure: str) -> Floats:
        """The figures that executing gives: CPU seconds, or the most MiB in use."""
        return self.seconds if figure == TIME else self.mebibytes


def executed(results: Results, sweep: Sweep, function: str = WHOLE) -> ExecutedSweep:
    """The executed cells of a sweep, for one function. NotRun where less than a quick run is stored."""
    rows = results.needed(experiment(sweep.name))
    cells = tuple(row.cell for row in rows)
    took = np.array([seconds(row.measured, function) for row in rows])
    peak = np.array([mebibytes(row.measured, function) for row in rows])
    return ExecutedSweep(sweep, function, cells, counted(sweep, cells, function), took, peak)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A p-calibration along one sweep, and how well it predicts every executed value.

    `at`: the p indices that it saw.
    """

    along: ExecutedSweep
    figure: str
    at: tuple[int, ...]
    curve: Curve
    predicted: Floats
    judgement: Judgement

    def beyond(self, cells: Sequence[StudyCell]) -> Floats:
        """The figures that it predicts for other cells of the sweep."""
        theory = counted(self.along.sweep, cells, self.along.function)
        return self.curve.predict(theory.multiplications if self.figure == TIME else theory.words)


def calibrated(along: ExecutedSweep, figure: str, p: int, chooses: bool = False) -> Calibrated:
    """The p-calibration by the paper's method for p points.

    `chooses`: it takes the method that errs least on points left out instead. NotRun where fewer than p sets
    have a result.
    """
    if p > len(along.cells):
        raise NotRun(f"{along.sweep.name} has {len(along.cells)} results, too few for {p} points")
    at = chosen(len(along.cells), p)
    x, y = along.x(figure), along.y(figure)
    points = x[list(at)], y[list(at)]
    drawn = best(*points).curve if chooses else curve(*points, applicable(p)[0])
    predicted = drawn.predict(x)
    return Calibrated(along, figure, at, drawn, predicted, judge(predicted, y, at, along.seconds))


def judged(
    sweeps: Iterable[Sweep], results: Results, figure: str, p: int, chooses: bool = False
) -> Judgement:
    """The judgement of whole schemes over all values of all those sweeps.

    NotRun where one of the sweeps is missing.
    """
    return total(calibrated(executed(results, s), figure, p, chooses).judgement for s in sweeps)


def unseen(judgement: Judgement) -> tuple[float, float]:
    """(mean, largest) error at the values that the calibration did not see; NotRun where it saw them all."""
    if not judgement.unseen:
        raise NotRun("only the sets of the calibration have been executed")
    return float(np.mean(judgement.unseen)), max(judgement.unseen)


def unseen_mean(judgement: Judgement) -> float:
    return unseen(judgement)[0]


def total(judgements: Iterable[Judgement]) -> Judgement:
    return reduce(add, judgements)


def choice(along: ExecutedSweep, figure: str, p: int) -> CurveChoice:
    """The method that errs least on the p points left out one by one, with the errors of all methods."""
    at = list(chosen(len(along.cells), p))
    return best(along.x(figure)[at], along.y(figure)[at])


@dataclass(frozen=True, slots=True)
class SweepEffort:
    """The CPU seconds of executing the calibration's sets once each, and of executing all sets once each.

    `predicted`: how many of all sets were not executed, and count with what the calibration predicts for
    them.
    """

    calibrating_seconds: float
    executing_seconds: float
    sets: int
    predicted: int

    def __add__(self, other: "SweepEffort") -> "SweepEffort":
        return SweepEffort(
            self.calibrating_seconds + other.calibrating_seconds,
            self.executing_seconds + other.executing_seconds,
            self.sets + other.sets,
            self.predicted + other.predicted,
        )

    @property
    def speedup(self) -> float:
        return self.executing_seconds / self.calibrating_seconds


def effort(sweep: Sweep, results: Results, p: int) -> SweepEffort:
    """The effort of a p-calibration of the sweep, and of executing every value of the sweep.

    NotRun where less than a quick run is stored, as for `executed`.
    """
    made = calibrated(executed(results, sweep), TIME, p)
    there = {cell.key for cell in made.along.cells}
    absent = [cell for cell in sweep.cells if cell.key not in there]
    guessed = float(np.sum(made.beyond(absent))) if absent else 0.0
    seen = made.judgement.effort
    return SweepEffort(
        seen.calibrating_seconds, seen.executing_seconds + guessed, len(sweep.cells), len(absent)
    )


def efforts(sweeps: Iterable[Sweep], results: Results, p: int = 2) -> SweepEffort:
    return reduce(add, (effort(s, results, p) for s in sweeps))


def stored(sweeps: Iterable[Sweep], results: Results) -> tuple[Sweep, ...]:
    """The sweeps of which at least a quick run is stored."""
    return tuple(s for s in sweeps if _there(s, results))


def _there(sweep: Sweep, results: Results) -> bool:
    try:
        return bool(results.needed(experiment(sweep.name)))
    except NotRun:
        return False
