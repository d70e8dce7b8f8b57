"""A platform: a kind of scheme with its libraries.

`explore`, `verify`, `run`, `report`, `sweep` and the Python API know platforms only (`platforms.py` lists
them).
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from fheasible.aliases import Json
from fheasible.api.asking import Subject
from fheasible.api.layout import Part
from fheasible.api.options import Options
from fheasible.api.text import TextPage
from fheasible.circuit.trace import App
from fheasible.errors import StoreError
from fheasible.exploration.judging.columns import Columns
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.store.rows import StoredExploration
from fheasible.store.store import Store

if TYPE_CHECKING:
    from fheasible.reports.figures import Drawing

REPETITIONS = 3  # of a run, where no number is asked for
LONG_SECONDS = 30.0  # from which on a run is not repeated unasked
Step = Callable[[str, float, float], None]  # what is done, how much of it is, and how much there is in all
Each = Callable[[Columns], None]


class Talk(Protocol):
    """Where a platform's progress and warnings go, and which store it uses."""

    @property
    def place(self) -> str | Path | None: ...

    def say(self, line: str) -> None: ...
    def progress(self, what: str) -> AbstractContextManager[Step]: ...
    def patience(self, what: str) -> AbstractContextManager[Any]: ...
    def store(self, reading: bool = False) -> Store: ...


@dataclass(frozen=True, slots=True)
class Silent:
    """Says nothing: for calls from Python."""

    place: str | Path | None = None

    def say(self, line: str) -> None:
        """Nobody listens."""

    def progress(self, what: str) -> AbstractContextManager[Step]:
        return nullcontext(lambda *_: None)

    def patience(self, what: str) -> AbstractContextManager[Any]:
        return nullcontext()

    def store(self, reading: bool = False) -> Store:
        return Store.open(self.place, reading)


class Found(Protocol):
    """An answer of `explore`: the sets that fit, best first, with the reasons."""

    @property
    def fits(self) -> bool: ...

    @property
    def document(self) -> Json: ...

    @property
    def feasible(self) -> int: ...

    def prepare(self) -> None:
        """Finds the reasons, which may take another search."""

    def lines(self, page: TextPage) -> Iterator[Part]: ...

    def keep(self, store: Callable[[], Store], proof: str | None = None) -> int:
        """The number under which the answer is stored for reports. `proof`: the command that proves it."""


class Ran(Protocol):
    """What came of a real run whose result is right."""

    @property
    def document(self) -> Json: ...

    @property
    def unstored(self) -> StoreError | None: ...

    @property
    def exit_code(self) -> int:
        """3 where a better set was refused or wrong before, 1 where one could not be run; else 0."""

    def lines(self, page: TextPage) -> Iterator[Part]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """How something is run. `repetitions`: how often it is run and timed; None leaves that to `plan`.
    `params`: the parameters that the user gives instead of a search, as typed. `counters`: whether what each
    phase used of the processor and the system is shown. `memory`: the limit of the worker."""

    repetitions: int | None = None
    timeout: float | None = None
    params: Mapping[str, str] | None = None
    composites: bool = False
    counters: bool = False
    memory: MemoryLimit | None = None

    def plan(self, seconds: float | None, threads: int | None = 1) -> RunPlan:
        """How often a run that is predicted to take so many seconds (None: unknown) is repeated. A long one
        needs no warm-up, and one is enough where no number was asked for."""
        long = seconds is not None and seconds >= LONG_SECONDS
        times = self.repetitions or (1 if long else REPETITIONS)
        return RunPlan(times, warmup=0 if long else 1, threads=threads)


@dataclass(frozen=True, slots=True)
class Reported:
    """The page of a stored exploration, with its figures. `sets`: how many of them the page shows."""

    stored: StoredExploration
    sets: int
    best: Json | None
    page: str
    drawings: Mapping[str, "Drawing"]

    @property
    def name(self) -> str:
        """The application's name, made into the name of a file in some folder, because a store may come from
        anywhere."""
        return re.sub(r"[^\w-]", "_", self.stored.explored.app)[:100] or "report"

    def write(self, path: Path) -> None:
        """Writes the page to that file. UsageError where it cannot be written."""
        from fheasible.reports import files

        files.write(path, self.page.encode())

    def write_figures(self, folder: Path) -> list[Path]:
        """The paths of the figures, each written as SVG and as PNG into that folder. UsageError where they
        cannot be written."""
        from fheasible.reports import charts

        paths = [
            (drawing, folder / f"{self.name}-{name}.{kind}")
            for name, drawing in self.drawings.items()
            for kind in ("svg", "png")
        ]
        for drawing, path in paths:
            charts.write(drawing, path)
        return [path for _, path in paths]


@dataclass(frozen=True, slots=True)
class TypedGrid:
    """The settings name=values of a sweep, as typed. Those of `vary` vary, those of `fix` do not, and those
    of `words` vary where they have several values. So do those of `numbers`, which take the place of numbers
    that the application's file names."""

    vary: tuple[str, ...] = ()
    fix: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweeping:
    """How a grid is swept. `function`: what is swept of a scheme; None for an application, and for all of a
    scheme. `minimise_depth`: None where the application decides.

    `execution`: how each set is also run; None where nothing is executed. `every`: 1 runs every set, 2 every
    second one. `points`: how many results a calibration takes. `max_bytes`: larger sets are refused. `again`:
    also run sets whose results are stored. `cluster`: the address of the Dask scheduler whose hosts run the
    sets; None where this machine does.
    """

    function: str | None = None
    minimise_depth: bool | None = None
    execution: Execution | None = None
    every: int = 1
    points: int = 3
    max_bytes: int | None = None
    again: bool = False
    cluster: str | None = None


@dataclass(frozen=True, slots=True)
class SomeSets:
    """Some sets of a sweep: the row of each in a table, and its values in the document."""

    rows: Sequence[Sequence[Any]]
    values: Sequence[Sequence[Any]]


class Swept(Protocol):
    """An answer of `sweep`: a grid of sets, checked and not begun. Its members are used in this order."""

    def prepare(self) -> None:
        """Does what has to be done before anything is shown. Where sets are to be run, it runs them all and
        stores each result at once, so that the next call continues an interrupted sweep."""

    def drawings(self) -> Iterator[tuple[str, "Drawing"]]:
        """(file name without its ending, figure) for every figure."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns of the table."""

    @property
    def fields(self) -> Sequence[str]:
        """The fields of each set in the document."""

    @property
    def head(self) -> Json:
        """The document's fields before the sets."""

    def sets(self, each: Callable[[SomeSets], None]) -> None:
        """Calls `each` with all sets in the grid's order, some at a time, so that a million sets need no more
        memory than a thousand."""

    def tail(self, drawn: Sequence[str]) -> Json:
        """The document's fields after the sets; `drawn`: the files of the figures."""

    def lines(self, page: TextPage, drawn: Sequence[str]) -> Iterator[Part]: ...

    @property
    def exit_code(self) -> int:
        """3 where a result was wrong, 1 where a set could not be run; else 0."""


class Platform(ABC):
    """Says which sets there are for an application and what each of them comes to, and runs one."""

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The libraries of this platform, as the command line names them."""

    @abstractmethod
    def refuse(self, asked: Options) -> None:
        """Raises UsageError where something is asked that this platform does not have."""

    @abstractmethod
    def explore(
        self,
        app: Subject,
        asked: Options,
        talk: Talk,
        everything: bool = False,
        each: Each | None = None,
    ) -> Found:
        """What could run the application; nothing is executed. `everything`: walk the whole space; `each` is
        called with every part of the feasible sets."""

    @abstractmethod
    def verify(self, answer: Any, how: Execution, talk: Talk) -> Ran:
        """The run of what an answer of this platform's `explore` recommends, beside its prediction."""

    @abstractmethod
    def report(self, stored: StoredExploration, store: Store) -> Reported:
        """The page of a stored exploration of this platform, made from the store alone."""

    @abstractmethod
    def run(self, app: App | str | Path, asked: Options, how: Execution, talk: Talk) -> Ran:
        """The run of the parameters that are given, or of the best set of one library."""

    @abstractmethod
    def sweep(self, what: str, grid: TypedGrid, asked: Options, how: Sweeping, talk: Talk) -> Swept:
        """The sets of a grid for an application's file or for a scheme, checked and not begun."""
