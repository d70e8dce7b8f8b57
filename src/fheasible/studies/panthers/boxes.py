"""Figure 3: mean errors of the 2-calibrations of single functions [FerLL18]."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fheasible.studies.experiment import NotRun
from fheasible.studies.panthers.calibrated import calibrated, executed, stored, unseen_mean
from fheasible.studies.panthers.model import FUNCTIONS, WHOLE
from fheasible.studies.panthers.parameters import TABLE1, Sweep
from fheasible.studies.results import Results

# The paper leaves out functions below 0.1 s or 0.1 MiB. Its schemes take 4.2 s or more per set on average
# (Table II divided by Table I), so 0.1 s is 2 % of a set. Here a scheme takes milliseconds: the share counts.
SHARE = 0.02


@dataclass(frozen=True, slots=True)
class FunctionError:
    """The mean error of one function along one sweep, and the function's largest share of the whole scheme.

    The error is taken at values that the calibration did not see.
    """

    sweep: Sweep
    function: str
    error: float
    share: float


def means(results: Results, figure: str) -> tuple[FunctionError, ...]:
    """The mean errors of the functions that take `SHARE` of their scheme or more somewhere along a sweep.

    They cover all stored sweeps of Table I. NotRun where no sweep is stored.
    """
    found = tuple(mean for sweep in stored(TABLE1, results) for mean in _along(sweep, results, figure))
    if not found:
        raise NotRun("no sweep of Table I has been run yet", "fheasible study run panthers --quick")
    return tuple(mean for mean in found if mean.share >= SHARE)


def _along(sweep: Sweep, results: Results, figure: str) -> Iterator[FunctionError]:
    whole = executed(results, sweep, WHOLE).y(figure)
    for function in FUNCTIONS:
        along = executed(results, sweep, function)
        share = float(np.max(along.y(figure) / whole))
        yield FunctionError(sweep, function, unseen_mean(calibrated(along, figure, 2).judgement), share)
