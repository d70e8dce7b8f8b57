"""Figure 3: mean errors of the 2-calibrations of single functions [FerLL18]."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fheasible.studies.experiment import NotRun
from fheasible.studies.panthers import causes
from fheasible.studies.panthers.calibrated import (
    MEMORY,
    TIME,
    UNIT,
    calibrated,
    executed,
    stored,
    unseen_mean,
)
from fheasible.studies.panthers.model import FUNCTIONS, WHOLE
from fheasible.studies.panthers.parameters import TABLE1, Sweep
from fheasible.studies.results import Results

# The paper leaves out functions below 0.1 s or 0.1 MiB. Its schemes take 4.2 s or more per set on average
# (Table II divided by Table I), so 0.1 s is 2 % of a set. Where a scheme takes milliseconds, this counts.
LIMITS = {TIME: 0.1, MEMORY: 0.1}  # seconds, MiB
SHARE = 0.02
ENOUGH = 4  # functions and sweeps to speak of quartiles


@dataclass(frozen=True, slots=True)
class FunctionError:
    """The mean error of one function along one sweep, its largest figure and its share of the whole scheme.

    The error is taken at values that the calibration did not see.
    """

    sweep: Sweep
    function: str
    error: float
    most: float
    share: float


@dataclass(frozen=True, slots=True)
class Kept:
    """The errors that count, and the limit below which functions are left out, in words."""

    errors: tuple[FunctionError, ...]
    limit: str


def kept(results: Results, figure: str) -> Kept:
    """The mean errors of the functions that reach the paper's limit somewhere along a sweep.

    Where too few do, as on a ring that takes milliseconds, those that take `SHARE` of their scheme count.
    They cover all stored sweeps of Table I. NotRun where no sweep is stored.
    """
    found = tuple(mean for sweep in stored(TABLE1, results) for mean in _along(sweep, results, figure))
    if not found:
        raise NotRun("no sweep of Table I has been run yet", "fheasible study run panthers --quick")
    limit = f"{LIMITS[figure]} {UNIT[figure]}"
    large = tuple(mean for mean in found if mean.most >= LIMITS[figure])
    if len(large) >= ENOUGH:
        return Kept(large, f"{limit}, the paper's limit")
    share = tuple(mean for mean in found if mean.share >= SHARE)
    return Kept(
        share, f"{100 * SHARE:g} % of a scheme (only {len(large)} reach the paper's limit of {limit})"
    )


def means(results: Results, figure: str) -> tuple[FunctionError, ...]:
    """The mean errors that count."""
    return kept(results, figure).errors


def cause(results: Results, figure: str) -> str:
    """Why functions err, as `causes` tests it on all sets of those in the upper quarter of mean errors."""
    errors = means(results, figure)
    third = float(np.quantile([mean.error for mean in errors], 0.75))
    upper = [mean for mean in errors if mean.error >= third]
    sets = [
        unseen
        for mean in upper
        for unseen in causes.unseen_sets([mean.sweep], results, figure, 2, [mean.function])
    ]
    names = ", ".join(sorted({f"{mean.sweep.name} {mean.function}" for mean in upper}))
    return f"in the upper quarter ({names}), {causes.said(sets, figure)}"


def _along(sweep: Sweep, results: Results, figure: str) -> Iterator[FunctionError]:
    whole = executed(results, sweep, WHOLE).y(figure)
    for function in FUNCTIONS:
        along = executed(results, sweep, function)
        y = along.y(figure)
        error = unseen_mean(calibrated(along, figure, 2).judgement)
        yield FunctionError(sweep, function, error, float(np.max(y)), float(np.max(y / whole)))
