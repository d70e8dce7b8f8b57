"""Every run of a trial as a row of a table: predicted figures beside measured ones."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from fheasible.aliases import Json
from fheasible.program.phases import PHASES_AND_TOTAL
from fheasible.trial.found import TrialOutcome, TrialRun

_SINGLE: Final = ("peak_bytes", "precision_bits", "absolute_error")
COLUMNS: Final = (
    "application", "about", "library", "scheme", "outcome", "misses", "tries", "fresh", "beside",
    "error_band",
    *(f"{kind}_{p}_seconds" for p in PHASES_AND_TOTAL for kind in ("predicted", "measured")),
    *(f"{kind}_{name}" for name in _SINGLE for kind in ("predicted", "measured")),
    "settings", "message",
)  # fmt: skip
"""Times are CPU times; `beside` is that of the reference loop. Memory is that of the run where `fresh` is
true."""


def rows(found: Iterable[TrialOutcome]) -> Iterator[tuple[Any, ...]]:
    """The values of `COLUMNS` for every run; None where a value is missing."""
    for one in found:
        about = one.app["about"].partition(", drawn")[0]
        for run in one.runs:
            yield (
                one.number, about, run.library, run.scheme, run.outcome, run.misses, run.tries, run.fresh,
                run.beside, run.predicted.get("error_band"), *_figures(run),
                " ".join(f"{k}={v}" for k, v in run.settings.items()), run.message,
            )  # fmt: skip


def _figures(run: TrialRun) -> Iterator[float | None]:
    both = (run.predicted, run.measured or {})
    for phase in PHASES_AND_TOTAL:
        yield from (_cpu(figures).get(phase) for figures in both)
    for name in _SINGLE:
        yield from (figures.get(name) for figures in both)


def _cpu(figures: Json) -> Json:
    return figures.get("cpu_seconds") or {}
