"""The kernel view: one price per kernel for all schemes and functions, from the same few executions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from fheasible.aliases import Floats
from fheasible.calibration.interpolation import Method, curve
from fheasible.calibration.points import Judgement, chosen, judge
from fheasible.studies.experiment import NotRun
from fheasible.studies.panthers.calibrated import ExecutedSweep, executed
from fheasible.studies.panthers.model import FUNCTIONS, WHOLE, Counted
from fheasible.studies.panthers.parameters import Sweep
from fheasible.studies.results import Results

POINTS = 2  # of each sweep, as many as the paper's calibration takes


@dataclass(frozen=True, slots=True)
class KernelPrices:
    """The CPU seconds per step of each kernel.

    None of them is negative, and many are 0 where other kernels explain the same times.
    """

    seconds: Mapping[str, float]

    def predict(self, theory: Counted) -> Floats:
        """The CPU seconds of each set."""
        parts = [self.seconds.get(name, 0.0) * steps for name, steps in theory.kernels.items()]
        total: Floats = np.sum(parts, axis=0)
        return total


def prices(sweeps: Iterable[Sweep], results: Results) -> KernelPrices:
    """The prices, by least squares of relative errors.

    They are fitted to the five functions at the first and last value of each sweep. NotRun without sweeps.
    """
    executions = [executed(results, s, f) for s in sweeps for f in FUNCTIONS]
    if not executions:
        raise NotRun("no sweep of Table I has been run yet", "fheasible study run panthers --quick")
    columns, times = _observations(executions)
    names = list(dict.fromkeys(name for column in columns for name in column))
    counts = np.array([[column.get(name, 0.0) for name in names] for column in columns])
    scale = np.maximum(counts.max(axis=0), 1.0)  # so that no column's size decides
    found, _ = nnls(counts / scale / times[:, None], np.ones(len(times)))
    return KernelPrices(dict(zip(names, (found / scale).tolist(), strict=True)))


def judgement(sweep: Sweep, results: Results, priced: KernelPrices) -> Judgement:
    """How well those prices predict every executed value of the sweep, for the whole scheme."""
    along = executed(results, sweep, WHOLE)
    at = chosen(len(along.cells), POINTS)
    return judge(priced.predict(along.theory), along.seconds, at, along.seconds)


def _observations(executions: Sequence[ExecutedSweep]) -> tuple[list[dict[str, float]], Floats]:
    columns, times = [], []
    for one in executions:
        for i in chosen(len(one.cells), POINTS):
            columns.append({name: float(steps[i]) for name, steps in one.theory.kernels.items()})
            times.append(float(one.seconds[i]))
    return columns, np.array(times)


def memory(along: ExecutedSweep) -> Judgement:
    """How well a line predicts the memory in use from the bytes that the kernel view counts.

    The line passes through the points that prices are fitted to.
    """
    at = list(chosen(len(along.cells), POINTS))
    line = curve(along.theory.bytes[at], along.mebibytes[at], Method.LINE)
    return judge(line.predict(along.theory.bytes), along.mebibytes, at, along.seconds)
