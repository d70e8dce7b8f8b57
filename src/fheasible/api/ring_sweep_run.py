"""A sweep of a ring scheme whose sets are really run on the exact ring."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fheasible.aliases import Json
from fheasible.api import ring_sweep
from fheasible.api.layout import Part
from fheasible.api.platform import SomeSets, Talk
from fheasible.api.ring_sweep_text import Cautions, executed
from fheasible.api.text import TextPage
from fheasible.errors import WrongResult
from fheasible.exploration.sweeps.ring_analysis import Subject
from fheasible.exploration.sweeps.ring_grid import Grid
from fheasible.exploration.sweeps.ring_runs import Calibration, Executed, SweepWish, calibrations, execute

if TYPE_CHECKING:
    from fheasible.reports.figures import Drawing


@dataclass(slots=True)
class ExecutedSweep:
    """The sets of a grid with their runs. `points`: how many of the results a calibration takes."""

    subject: Subject
    grid: Grid
    wish: SweepWish
    points: int
    talk: Talk
    _results: list[Executed] = field(default_factory=list, init=False)
    _calibrated: list[Calibration] = field(default_factory=list, init=False)
    _warnings: list[str] = field(default_factory=list, init=False)
    _seconds: float = field(default=0.0, init=False)

    def prepare(self) -> None:
        """Runs each set. A result is stored when it is there."""
        begun, cautions = time.perf_counter(), Cautions(self.subject)
        with self.talk.store() as store, self.talk.progress("executing") as step:
            self._results = list(execute(self.subject, self.grid, self.wish, store, step))
        cautions.add_executed(self._results)
        self._warnings = cautions.lines()
        self._calibrated = calibrations(self.grid, self._results, self.points)
        self._seconds = time.perf_counter() - begun

    def drawings(self) -> "Iterator[tuple[str, Drawing]]":
        from fheasible.api.ring_sweep_figures import figures

        return figures(self.subject, self.grid, self._calibrated)

    @property
    def columns(self) -> Sequence[str]:
        own = self._results[0].figures
        return (*own, "outcome", "cpu_seconds", "measured_peak_bytes", "result_correct", "message")

    @property
    def fields(self) -> Sequence[str]:
        return (*self._results[0].figures, "executed")

    @property
    def head(self) -> Json:
        return ring_sweep.head(self.subject, self.grid)

    def sets(self, each: Callable[[SomeSets], None]) -> None:
        each(
            SomeSets(
                [(*r.figures.values(), *_flat(r)) for r in self._results],
                [(*r.figures.values(), r.to_json()) for r in self._results],
            )
        )

    def tail(self, drawn: Sequence[str]) -> Json:
        told = [c.to_json() for c in self._calibrated]
        return ring_sweep.tail(told, drawn, self._seconds, self._warnings)

    def lines(self, page: TextPage, drawn: Sequence[str]) -> Iterator[Part]:
        return executed(
            self.subject, self.grid, self._results, self._calibrated, self.tail(drawn), page.width
        )

    @property
    def exit_code(self) -> int:
        """3 where a result is wrong although the noise bound promised a right one, 1 where a run died or took
        too long, else 0. A refusal for memory is an answer."""
        outcomes = {r.record.outcome for r in self._results}
        if "wrong" in outcomes:
            return WrongResult.exit_code
        return 1 if outcomes & {"died", "timed out"} else 0


def _flat(r: Executed) -> tuple[Any, ...]:
    cpu, peak = r.measured("cpu_seconds"), r.measured("peak_bytes")
    return r.record.outcome, cpu, None if peak is None else int(peak), r.correct, r.record.message
