"""A sweep of the parameters of a library of table look-ups: every set predicted, and run where that is
asked."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fheasible import units
from fheasible.aliases import Json
from fheasible.api import asking
from fheasible.api import lookup_asking as platform
from fheasible.api.layout import Listing, Part, paragraph
from fheasible.api.lookup_swept import MEASURED, PREDICTED, SweptLookups
from fheasible.api.options import Options
from fheasible.api.platform import Execution, SomeSets, Sweeping, Talk, TypedGrid
from fheasible.api.subjects import is_application
from fheasible.api.sweep_text import MOST_ROWS, more, sets
from fheasible.api.text import TextPage
from fheasible.circuit.numbers_named import Number, read_number
from fheasible.errors import FheasibleError, UsageError, WorkerFailed, WrongResult
from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.exploration.lookups.chosen import chosen, known
from fheasible.exploration.lookups.failing import probability
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.sweeps.axes import Combinations, combined, typed_axis
from fheasible.libraries.lookup_library import LookupLibrary

if TYPE_CHECKING:
    from fheasible.reports.figures import Drawing

_FORM = "write lwe_dimension=700:900:50, or set=NAME,NAME"


def asked_for(what: str, typed: TypedGrid, asked: Options, how: Sweeping, talk: Talk) -> "LookupSweep":
    """The sweep of one library's parameters for an application. UsageError where that cannot be."""
    if not is_application(what):
        raise UsageError(
            f"{what} is no application, and a library is swept for one", "give an application's file"
        )
    _refuse(how)
    libraries = platform.libraries_of(asked)
    if len(libraries) > 1:
        names = ", ".join(lib.name for lib in libraries)
        raise UsageError(
            f"{len(libraries)} libraries were given ({names}), and their parameters differ",
            f"sweep one after the other: --library {libraries[0].name}",
        )
    grid = combined(typed.vary, typed.fix, typed.words, lambda text: typed_axis(text, _FORM, known))
    numbers = combined(typed.numbers, (), (), lambda text: typed_axis(text, "write --set n=8,16", str.strip))
    profile = platform.profiles_of(talk, libraries).get(libraries[0].name)
    return LookupSweep(what, libraries[0], grid, numbers, asked, profile, talk, how.execution, how.every)


def _number(name: str, text: str) -> Number:
    found = read_number(text)
    if found is None:
        raise UsageError(f"{name}={text!r} is not a number", f"write --set {name}=8,16")
    return found


def _refuse(how: Sweeping) -> None:
    """Raises UsageError for an option that has no meaning here."""
    if how.function is not None:
        raise UsageError(f"--what {how.function} does not apply to an application", "leave --what out")
    if how.minimise_depth is not None:
        raise UsageError("the order of products is no setting of table look-ups", "leave it out")
    if how.cluster is not None:
        raise UsageError(
            "--cluster does not apply to libraries of table look-ups", "leave --cluster out: they run here"
        )


@dataclass(slots=True)
class LookupSweep:
    """The sets of a grid. `execution` says how they are run; None where nothing is executed."""

    what: str
    library: LookupLibrary
    grid: Combinations[str]
    numbers: Combinations[str]
    asked: Options
    profile: LookupProfile | None
    talk: Talk
    execution: Execution | None
    every: int
    _sets: list[SweptLookups] = field(default_factory=list, init=False)
    _seconds: float = field(default=0.0, init=False)
    _app: str = field(default="", init=False)

    def prepare(self) -> None:
        """Predicts every set, and runs those that are to be run. A result is stored when it is there."""
        begun = time.perf_counter()
        total = len(self.grid) * len(self.numbers)
        with self.talk.progress("sweeping") as step:
            for numbers in self.numbers.points():
                problem = self._problem(numbers)
                for settings in self.grid.points():
                    run = self.execution is not None and len(self._sets) % self.every == 0
                    self._sets.append(self._swept(problem, numbers, settings, run))
                    step("sets", len(self._sets), total)
        self._seconds = time.perf_counter() - begun

    def _problem(self, numbers: Mapping[str, str]) -> Problem:
        values = {name: _number(name, text) for name, text in numbers.items()}
        problem = asking.problem_of(self.what, self.asked.data, self.asked.seed, numbers=values)
        self._app = problem.circuit.name
        return problem

    def _swept(
        self, problem: Problem, numbers: Mapping[str, str], settings: Mapping[str, str], run: bool
    ) -> SweptLookups:
        told, wish = {**numbers, **settings}, self.asked.wish
        try:
            c = chosen(problem, self.library, self.asked.scheme, settings, wish, self.profile)
        except UsageError:
            raise
        except FheasibleError as error:
            return SweptLookups(told, error.message)
        if not run or self.execution is None:
            return SweptLookups(told, "", c)
        try:
            proof = platform.proof_of(
                problem, c, wish.least, self.execution, self.talk, self.asked.used_seed, wish.security
            )
        except (WorkerFailed, WrongResult) as error:
            outcome = "wrong" if isinstance(error, WrongResult) else "died"
            return SweptLookups(told, "", c, None, error.message, outcome)
        return SweptLookups(told, "", c, proof, "", "measured")

    def drawings(self) -> "Iterator[tuple[str, Drawing]]":
        from fheasible.api.lookup_sweep_figures import figures

        return figures(self._app, self._axes, self._sets)

    @property
    def _axes(self) -> Mapping[str, tuple[str, ...]]:
        return {axis.name: axis.values for axis in (*self.numbers.axes, *self.grid.axes)}

    @property
    def _settings(self) -> tuple[str, ...]:
        return (*self.numbers.fixed, *self.grid.fixed, *self._axes)

    @property
    def columns(self) -> Sequence[str]:
        own = (*(f"asked_{name}" for name in self._settings), "refused", *PREDICTED)
        if self.execution is None:
            return own
        return (*own, "outcome", *(f"measured_{name}" for name in MEASURED), "message")

    @property
    def fields(self) -> Sequence[str]:
        own = ("settings", "refused", "predicted")
        return own if self.execution is None else (*own, "executed")

    @property
    def head(self) -> Json:
        return {
            "app": self._app,
            "library": self.library.name,
            "scheme": self.library.schemes[0],
            "axes": {name: list(values) for name, values in self._axes.items()},
            "fixed": {**self.numbers.fixed, **self.grid.fixed},
            "count": len(self.grid) * len(self.numbers),
        }

    def sets(self, each: Callable[[SomeSets], None]) -> None:
        each(SomeSets([self._row(s) for s in self._sets], [self._values(s) for s in self._sets]))

    def _row(self, s: SweptLookups) -> tuple[Any, ...]:
        row = (*(s.told.get(name) for name in self._settings), s.refused, *map(s.predicted.get, PREDICTED))
        if self.execution is None:
            return row
        return (*row, s.outcome or None, *map(s.measured.get, MEASURED), s.failed)

    def _values(self, s: SweptLookups) -> tuple[Any, ...]:
        own = (dict(s.told), s.refused, s.predicted or None)
        if self.execution is None:
            return own
        ran = {"outcome": s.outcome, "message": s.failed, "measured": s.measured or None}
        return (*own, ran if s.outcome else None)

    def tail(self, drawn: Sequence[str]) -> Json:
        return {"seconds": self._seconds, "figures": list(drawn), "warnings": list(self._warnings())}

    def _warnings(self) -> Iterator[str]:
        if self.profile is None:
            yield f"times are unknown: fheasible calibrate --library {self.library.name}"
        refused = [s for s in self._sets if s.refused]
        if refused:
            yield f"{sets(len(refused))} refused; the first because {refused[0].refused}"

    def lines(self, page: TextPage, drawn: Sequence[str]) -> Iterator[Part]:
        fixed = "".join(f", {name} = {value}" for name, value in {**self.grid.fixed}.items())
        yield f"{self._app}, {self.library.title}: {sets(len(self._sets))}{fixed}"
        yield ""
        shown = [s for s in self._sets if s.candidate is not None][:MOST_ROWS]
        names = ("look-ups", "time", "memory", "keys", "failure", "security")
        ran = ("outcome", "measured", "error") if self.execution is not None else ()
        yield Listing(
            (*self._axes, *names, *ran), [self._cells(s) for s in shown], left=(*self._axes, "outcome")
        )
        yield from more(len(shown), len(self._sets))
        yield ""
        yield from (paragraph("warning:", line, page.width) for line in self._warnings())
        yield from (f"drawn: {path}" for path in drawn)
        yield f"{sets(len(self._sets))} in {units.seconds(self._seconds)}"

    def _cells(self, s: SweptLookups) -> tuple[str, ...]:
        p = s.predicted
        cells = (
            *(s.told[name] for name in self._axes),
            units.number(p["lookups"]),
            units.seconds(p["cpu_seconds"]),
            units.size(p["peak_bytes"]),
            units.size(p["evaluation_key_bytes"]),
            probability(p["log2_failure"], 1),
            units.security(p["security_bits"]),
        )
        if self.execution is None:
            return cells
        took = s.measured.get("cpu_seconds")
        error = p["cpu_seconds"] / took - 1 if took and p["cpu_seconds"] else None
        return (*cells, s.outcome or "-", units.seconds(took), units.percent(error))

    @property
    def exit_code(self) -> int:
        """3 where a result was wrong, 1 where a run died or took too long, else 0."""
        outcomes = {s.outcome for s in self._sets}
        return WrongResult.exit_code if "wrong" in outcomes else 1 if "died" in outcomes else 0
