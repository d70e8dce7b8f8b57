"""A sweep of a library's parameters for an application: every set predicted, and run where that is asked."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fheasible.aliases import Json
from fheasible.api import residue_sweep_text as text
from fheasible.api.asking import USUAL_SCHEMES, libraries_of, problem_of, profiles_of
from fheasible.api.layout import Part
from fheasible.api.options import Options
from fheasible.api.platform import SomeSets, Sweeping, Talk, TypedGrid
from fheasible.api.subjects import is_application
from fheasible.api.text import TextPage
from fheasible.circuit.numbers_named import Number, valued
from fheasible.errors import UsageError, WrongResult
from fheasible.estimation.profile import Profile
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.sweeps.cells import Cell, CellGrid, ProblemOf, cell_grid, cells
from fheasible.exploration.sweeps.clustered import OnCluster
from fheasible.exploration.sweeps.measuring import CellRun, MeasuringWish, measured
from fheasible.exploration.sweeps.swept import MEASURED, PREDICTED, SweptSet, predicted, predicted_there
from fheasible.libraries.catalogue import library as by_name
from fheasible.libraries.catalogue import scheme_of
from fheasible.libraries.library import Library
from fheasible.measurement.cluster import Client, connected
from fheasible.measurement.shared_store import place_for_hosts

if TYPE_CHECKING:
    from fheasible.reports.figures import Drawing


def asked_for(what: str, typed: TypedGrid, asked: Options, how: Sweeping, talk: Talk) -> "LibrarySweep":
    """The sweep of one library's parameters for an application. UsageError where that cannot be."""
    if not is_application(what):
        raise UsageError(
            f"{what} is no application, and a library is swept for one",
            "give an application's file, such as app.py, or leave --library out to sweep a ring scheme",
        )
    _refuse(how)
    library = _one(asked)
    problem = problem_of(what, asked.data, asked.seed, asked.trust_data)
    scheme = scheme_of(library, asked.scheme or USUAL_SCHEMES[problem.real])
    wanted = cell_grid(library, scheme, typed.vary, typed.fix, typed.words, typed.numbers)

    def having(numbers: Mapping[str, Number]) -> Problem:
        return problem_of(what, asked.data, asked.seed, asked.trust_data, numbers) if numbers else problem

    run = how.execution
    profile = profiles_of(talk.place, [library], 1, talk.say).get(library.name)
    measuring = None
    if run is not None:
        measuring = MeasuringWish(
            how.every, run.plan(None).repetitions, 1, asked.used_seed, run.timeout, how.again, how.max_bytes,
            run.memory, anywhere=how.cluster is not None,
        )  # fmt: skip
    return LibrarySweep(
        problem.circuit.name, wanted, having, asked.wish, profile, talk, measuring, how.cluster
    )


def _one(asked: Options) -> Library:
    found = libraries_of(asked.libraries, asked.scheme)
    if len(found) > 1:
        names = ", ".join(lib.name for lib in found)
        raise UsageError(
            f"{len(found)} libraries were given ({names}), and their parameters differ",
            f"sweep one after the other: --library {found[0].name}",
        )
    return by_name(found[0].name)  # whatever scheme alone was asked for


def _refuse(how: Sweeping) -> None:
    """Raises UsageError for an option that has no meaning here, because ignoring it would run another sweep
    than was meant."""
    if how.function is not None:
        raise UsageError(f"--what {how.function} does not apply to an application", "leave --what out")
    if how.minimise_depth is not None:
        raise UsageError(
            "the order of products of a library's set is a setting of its own",
            "add --fix as_written=true, or leave it out for least depth",
        )
    if how.cluster is not None and how.execution is None:
        raise UsageError("--cluster has hosts that run sets, and none is run", "add --execute")


@dataclass(slots=True)
class LibrarySweep:
    """The sets of a library's grid. `measuring` says how they are run; None where nothing is executed.
    `cluster`: the scheduler whose hosts run them; None where this machine does."""

    app: str
    wanted: CellGrid
    problem_of: ProblemOf
    wish: Wish
    profile: Profile | None
    talk: Talk
    measuring: MeasuringWish | None
    cluster: str | None = None
    _sets: list[SweptSet] = field(default_factory=list, init=False)
    _seconds: float = field(default=0.0, init=False)

    def prepare(self) -> None:
        """Predicts every set; then runs those that are to be run. A result is stored when it is there."""
        begun = time.perf_counter()
        with ExitStack() as stack:
            client = stack.enter_context(connected(self.cluster)) if self.cluster is not None else None
            made = self._predicted()
            runs = self._runs(made, self.measuring, client) if self.measuring else [None] * len(made)
        self._sets = [
            SweptSet(cell, predicted_there(predicted(cell.candidate), run), run)
            for cell, run in zip(made, runs, strict=True)
        ]
        self._seconds = time.perf_counter() - begun

    def _predicted(self) -> list[Cell]:
        made: list[Cell] = []
        with self.talk.progress("predicting") as step:
            for cell in cells(self.wanted, self.problem_of, self.wish, self.profile):
                made.append(cell)
                step("sets", len(made), len(self.wanted))
        return made

    def _runs(
        self, made: Sequence[Cell], measuring: MeasuringWish, client: Client | None
    ) -> list[CellRun | None]:
        with self.talk.store() as store, self.talk.progress("executing") as step:
            if client is None:
                return list(measured(made, measuring, store, step))
            place = place_for_hosts(self.talk.place)
            on = OnCluster(client, self.wanted, self.wish, measuring, store, place, self.talk.say)
            return on.runs(made, step)

    def drawings(self) -> "Iterator[tuple[str, Drawing]]":
        from fheasible.api.residue_sweep_figures import figures

        return figures(self.app, self.wanted, self._sets)

    @property
    def columns(self) -> Sequence[str]:
        told = [f"asked_{name}" if name in PREDICTED else name for name in self._settings]
        own = (*told, "refused", *PREDICTED)
        if self.measuring is None:
            return own
        return (*own, "outcome", *(f"measured_{name}" for name in MEASURED), "message", "machine")

    @property
    def fields(self) -> Sequence[str]:
        own = ("settings", "refused", "predicted")
        return own if self.measuring is None else (*own, "executed")

    @property
    def _settings(self) -> tuple[str, ...]:
        grid = self.wanted.grid
        return (*grid.fixed, *(axis.name for axis in grid.axes))

    @property
    def head(self) -> Json:
        grid = self.wanted.grid
        return {
            "app": self.app,
            "library": self.wanted.library.name,
            "scheme": self.wanted.scheme,
            "axes": {axis.name: list(map(valued, axis.values)) for axis in grid.axes},
            "fixed": {name: valued(value) for name, value in grid.fixed.items()},
            "count": len(self.wanted),
        }

    def sets(self, each: Callable[[SomeSets], None]) -> None:
        each(SomeSets([self._row(s) for s in self._sets], [self._values(s) for s in self._sets]))

    def _row(self, s: SweptSet) -> tuple[Any, ...]:
        told = (valued(s.cell.told[name]) for name in self._settings)
        row = (*told, s.cell.refused, *map(s.figures.get, PREDICTED))
        if self.measuring is None:
            return row
        outcome, message, machine = (
            (s.run.outcome, s.run.message, s.run.machine) if s.run else (None, "", None)
        )
        return (*row, outcome, *(s.found.get(name) for name in MEASURED), message, machine)

    def _values(self, s: SweptSet) -> tuple[Any, ...]:
        told = {name: valued(value) for name, value in s.cell.told.items()}
        own = (told, s.cell.refused, dict(s.figures) or None)
        return own if self.measuring is None else (*own, s.run.to_json() if s.run else None)

    def tail(self, drawn: Sequence[str]) -> Json:
        return {
            "seconds": self._seconds,
            "jumps": text.jumps(self.wanted, self._sets),
            "figures": list(drawn),
            "warnings": text.warnings(self.wanted, self._sets, self.profile),
        }

    def lines(self, page: TextPage, drawn: Sequence[str]) -> Iterator[Part]:
        return text.lines(
            self.app, self.wanted, self._sets, self.tail(drawn), self.measuring is not None, page.width
        )

    @property
    def exit_code(self) -> int:
        """3 where a result was wrong and not predicted to be, 1 where a run died or took too long, else 0. A
        refusal is an answer."""
        outcomes = {s.run.outcome for s in self._sets if s.run and not s.as_predicted}
        if "wrong" in outcomes:
            return WrongResult.exit_code
        return 1 if outcomes & {"died", "killed for memory", "timed out"} else 0
