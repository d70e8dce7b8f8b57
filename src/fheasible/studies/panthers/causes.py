"""Why a calibration errs as it does: causes that are tested on the executed sets [FerLL18].

PAnTHErS counts integer multiplications and 32-bit integers. The exact ring works in words of 64 bits, modulo
as many primes of 50 bits as a product needs, on buffers of its own. What it takes along a parameter has steps
that the counts do not have. This is tested without the measurements in question: its kernels and bytes are
counted, kernels are priced once for all sets, and the same calibration is made of these figures. Where they
err alike, the steps are the cause. Otherwise the repetitions of a set tell how much of the error is the
clock's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from fheasible.aliases import Floats
from fheasible.calibration.interpolation import applicable, curve
from fheasible.studies.experiment import NotRun
from fheasible.studies.panthers import kernels
from fheasible.studies.panthers.calibrated import (
    TIME,
    ExecutedSweep,
    calibrated,
    executed,
    stored,
)
from fheasible.studies.panthers.experiments import experiment
from fheasible.studies.panthers.model import WHOLE
from fheasible.studies.panthers.parameters import TABLE1, TITLES, Sweep
from fheasible.studies.results import Results
from fheasible.units import MIB

HALF = 0.5  # of an error explained: then the other half is smaller than what explains it


@dataclass(frozen=True, slots=True)
class Unseen:
    """A set that a calibration did not see: its signed error, and what else was found out about it.

    `modelled`: the error of the same calibration of counted and priced kernels (of counted bytes, for
    memory). `spread`: by how much its repetitions differ, or those of the sets that calibrate, as the median
    above the least.
    """

    sweep: Sweep
    function: str
    value: int
    error: float
    modelled: float
    spread: float

    @property
    def explained(self) -> float:
        """The share of the error that the modelled one makes up; 0 where it has the other sign."""
        return max(0.0, min(self.modelled / self.error, 1.0)) if self.error else 0.0


def unseen_sets(
    sweeps: Iterable[Sweep], results: Results, figure: str, p: int, functions: Iterable[str] = (WHOLE,)
) -> list[Unseen]:
    """Every set that the p-calibrations of the sweeps did not see; NotRun where there is none."""
    prices = kernels.prices(stored(TABLE1, results), results) if figure == TIME else None
    names = tuple(functions)
    found = [u for s in sweeps for f in names for u in _along(s, f, results, figure, p, prices)]
    if not found:
        raise NotRun("only the sets of the calibration have been executed")
    return found


def _along(
    sweep: Sweep, function: str, results: Results, figure: str, p: int, prices: kernels.KernelPrices | None
) -> list[Unseen]:
    along = executed(results, sweep, function)
    made = calibrated(along, figure, p)
    model = prices.predict(along.theory) if prices else along.theory.bytes / MIB
    at = list(made.at)
    theirs = curve(along.x(figure)[at], model[at], applicable(p)[0]).predict(along.x(figure))
    errors, modelled = made.predicted / along.y(figure) - 1, theirs / model - 1
    spread = _spreads(results, along) if figure == TIME else np.zeros(len(along.cells))
    seen = max(float(spread[i]) for i in at)
    return [
        Unseen(
            sweep,
            function,
            along.values[i],
            float(errors[i]),
            float(modelled[i]),
            max(seen, float(spread[i])),
        )
        for i in range(len(along.cells))
        if i not in made.at
    ]


def _spreads(results: Results, along: ExecutedSweep) -> Floats:
    """By how much the median of each set's repetitions exceeds the least, as a share."""
    name = "total" if along.function == WHOLE else along.function
    told = [row.measured["cpu_seconds"][name] for row in results.needed(experiment(along.sweep.name))]
    return np.array([spread(t) for t in told])


def spread(told: Mapping[str, float]) -> float:
    """By how much the median of repetitions exceeds the least, as a share."""
    return told.get("median", told["min"]) / told["min"] - 1


def said(sets: list[Unseen], figure: str) -> str:
    """The cause of the largest and of the mean error, with the figures that test it."""
    worst = max(sets, key=lambda u: abs(u.error))
    mean, modelled = (float(np.mean(np.abs([getattr(u, n) for u in sets]))) for n in ("error", "modelled"))
    what = "priced kernels" if figure == TIME else "counted bytes"
    at = f"{worst.sweep.name} at {TITLES[worst.sweep.vary]} = {worst.value}"
    figures = (
        f"the largest error is {_signed(worst.error)}, {at}; the same "
        f"calibration of the ring's {what}, without"
        f" a measurement there, errs by {_signed(worst.modelled)}, and by {100 * modelled:.1f} % on average"
        f" (measured: {100 * mean:.1f} %)"
    )
    return f"{_verdict(worst, mean, modelled, figure)}: {figures}"


def _verdict(worst: Unseen, mean: float, modelled: float, figure: str) -> str:
    steps = (
        "the ring takes whole words of 64 bits, primes of 50 bits and buffers, which PAnTHErS does not count"
    )
    if worst.explained >= HALF:
        return steps
    if figure == TIME and worst.spread >= HALF * abs(worst.error):
        return f"the clock: repetitions of these sets differ by {100 * worst.spread:.1f} %"
    if modelled >= HALF * mean:
        return f"on average, {steps}; the largest error is not explained by it"
    return (
        "neither the ring's steps nor the repetitions explain it; a price for each kernel is too coarse here"
    )


def _signed(share: float) -> str:
    return f"{100 * share:+.1f} %"
