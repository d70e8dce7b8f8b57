"""A sweep of a ring scheme: which sets there are, and their figures where nothing is executed."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fheasible.aliases import Json
from fheasible.api.layout import Part
from fheasible.api.options import Options
from fheasible.api.platform import SomeSets, Sweeping, Talk, TypedGrid
from fheasible.api.ring_sweep_text import Cautions, FirstRows, analysed
from fheasible.api.subjects import is_application, subject
from fheasible.api.text import TextPage
from fheasible.errors import UsageError
from fheasible.exploration.sweeps.ring_analysis import Subject, analyse, analyses
from fheasible.exploration.sweeps.ring_grid import Grid, grid

if TYPE_CHECKING:
    from fheasible.reports.figures import Drawing


def asked_for(what: str, typed: TypedGrid, asked: Options, how: Sweeping) -> tuple[Subject, Grid]:
    """What is swept, over which sets. UsageError, or what `Subject.check` raises, where that cannot be."""
    asked.refuse(("data",), "sweeps of ring schemes have no {}", "leave it out, or name another library")
    wanted = grid(typed.vary, typed.fix, typed.words)
    chosen = _subject(what, asked.scheme, how)
    chosen.check(np.array(wanted.values("t")))
    return chosen, wanted


def _subject(what: str, scheme: str | None, how: Sweeping) -> Subject:
    """The function or application to sweep. UsageError for an option that has no meaning for it, because
    ignoring the option would run another sweep than was meant."""
    if is_application(what):
        if how.function is not None:
            raise UsageError(
                f"{what} is an application, to which --what {how.function} does not apply", "leave --what out"
            )
        return subject(scheme or "fv", what, how.minimise_depth)
    if scheme is not None:
        raise UsageError(
            f"{what} is a scheme already, but --scheme {scheme} was given, too",
            f"write sweep {scheme} ..., or name an application's file in place of {what}",
        )
    return subject(what, how.function or "all", how.minimise_depth)


@dataclass(slots=True)
class AnalysedSweep:
    """The sets of a grid, analysed a chunk at a time, so that a million sets need no more memory than a
    thousand."""

    subject: Subject
    grid: Grid
    talk: Talk
    columns: Sequence[str] = ()
    exit_code: int = field(default=0, init=False)
    _shown: FirstRows = field(default_factory=FirstRows, init=False)
    _cautions: Cautions = field(init=False)
    _seconds: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self._cautions = Cautions(self.subject)

    def prepare(self) -> None:
        """Finds the columns, by the analysis of one set."""
        self.columns = tuple(analyse(self.subject, [next(self.grid.points())]).columns())

    def drawings(self) -> "Iterator[tuple[str, Drawing]]":
        from fheasible.api.ring_sweep_figures import figures

        return figures(self.subject, self.grid, [])

    @property
    def fields(self) -> Sequence[str]:
        return self.columns

    @property
    def head(self) -> Json:
        return head(self.subject, self.grid)

    def sets(self, each: Callable[[SomeSets], None]) -> None:
        begun = time.perf_counter()
        with self.talk.progress("analysing") as step:
            for found in analyses(self.subject, self.grid):
                rows = list(found.rows())
                self._cautions.add(found.columns())
                self._shown.add(self.columns, rows)
                each(SomeSets(rows, rows))
                step("sets", self._cautions.count, len(self.grid))
        self._seconds = time.perf_counter() - begun

    def tail(self, drawn: Sequence[str]) -> Json:
        return tail([], drawn, self._seconds, self._cautions.lines())

    def lines(self, page: TextPage, drawn: Sequence[str]) -> Iterator[Part]:
        return analysed(self.subject, self.grid, self._shown.rows, self.tail(drawn), page.width)


def head(chosen: Subject, wanted: Grid) -> Json:
    """The document's fields before the sets."""
    said: Json = {
        "scheme": chosen.scheme.name,
        "what": chosen.what,
        "axes": {axis.name: list(axis.values) for axis in wanted.axes},
        "fixed": wanted.fixed,
        "count": len(wanted),
        "depth_needed": chosen.depth_needed,
    }
    if chosen.application is not None:
        said["operations"] = chosen.application.operations()
        said["minimised"] = chosen.application.minimised
    return said


def tail(calibrations: Sequence[Json], drawn: Sequence[str], seconds: float, warnings: Sequence[str]) -> Json:
    """The document's fields after the sets."""
    return {
        "seconds": seconds,
        "calibrations": list(calibrations),
        "figures": list(drawn),
        "warnings": list(warnings),
    }
