"""Parameter sets of a library for an application: one for every combination of a few settings.

A cell is what a user of the library would set by hand. What a cell leaves out follows from the library's own
rules, as it does for `run --param`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fheasible.circuit.numbers_named import Number, number
from fheasible.errors import InfeasibleParameters, UnsupportedOperation, UsageError
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.chosen import OURS, chosen, request_from, shape_from
from fheasible.exploration.judging.classes import resolved
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.sweeps.axes import Axis, Combinations, combined, typed_axis
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import settings_of

MOST = 100_000  # cells; each takes a few milliseconds
Grid = Combinations[str]
Told = Mapping[str, str]  # the settings of a cell
ProblemOf = Callable[[Mapping[str, Number]], Problem]  # with these numbers in place of the application's own


def said(told: Told) -> str:
    """The settings of a cell, as the command line has them."""
    return ", ".join(f"{name}={text}" for name, text in told.items())


@dataclass(frozen=True, slots=True)
class Cell:
    """The settings of a cell, and the set that they make; `refused` says why they make none."""

    told: Told
    problem: Problem
    candidate: Candidate | None
    refused: str = ""


@dataclass(frozen=True, slots=True)
class CellGrid:
    """The cells of a library's scheme. `numbers` names those settings that are numbers of the application."""

    library: Library
    scheme: str
    grid: Grid
    numbers: frozenset[str]

    def __len__(self) -> int:
        return len(self.grid)


def cell_grid(
    library: Library,
    scheme: str,
    vary: Sequence[str],
    fix: Sequence[str],
    words: Sequence[str],
    numbers: Sequence[str],
) -> CellGrid:
    """The grid of those settings name=values. UsageError for unknown names, for what is given twice, for
    ranges that are not possible, and for more than `MOST` cells."""
    known = (*settings_of(scheme), *OURS)
    made = combined(vary, fix, words, lambda typed: _axis(typed, lambda name: _known(name, known, scheme)))
    own = combined((), (), numbers, lambda typed: _axis(typed, str))
    for name in (*own.fixed, *(axis.name for axis in own.axes)):
        if name in made.fixed or name in [axis.name for axis in made.axes]:
            raise UsageError(f"{name} is given twice", f"give {name} once, as a setting or with --set")
    grid = Combinations((*made.axes, *own.axes), {**made.fixed, **own.fixed})
    if len(grid) > MOST:
        raise UsageError(
            f"{len(grid):,} sets are too many for a sweep", f"take larger steps: at most {MOST:,} sets"
        )
    return CellGrid(library, scheme, grid, frozenset((*own.fixed, *(axis.name for axis in own.axes))))


def cells(swept: CellGrid, problem_of: ProblemOf, wish: Wish, profile: Profile | None) -> Iterator[Cell]:
    """Every cell in the grid's order, with its set as far as the library makes one of it.

    UsageError for a value that its setting cannot have, whichever cell it is in, and whatever `problem_of`
    raises.
    """
    problems: dict[tuple[tuple[str, Number], ...], Problem] = {}
    for told in swept.grid.points():
        given = {name: number(name, told[name]) for name in sorted(swept.numbers)}
        key = tuple(given.items())
        if key not in problems:
            problems[key] = problem_of(given)
        yield _cell(swept, told, problems[key], wish, profile)


def _cell(swept: CellGrid, told: Told, problem: Problem, wish: Wish, profile: Profile | None) -> Cell:
    settings = {name: text for name, text in told.items() if name not in swept.numbers}
    ours = {name: settings.pop(name) for name in OURS if name in settings}
    try:
        request = request_from(swept.scheme, settings, wish.security, wish.quantum)
        least = resolved(wish.precision, problem.truth) or wish.least
        shape = shape_from(problem, ours, least, swept.scheme)
        found = chosen(problem, swept.library, request, profile, shape, wish.shared_results)
    except (InfeasibleParameters, UnsupportedOperation) as error:
        return Cell(told, problem, None, error.message)
    return Cell(told, problem, found)


def _axis(typed: str, known: Callable[[str], str]) -> Axis[str]:
    axis = typed_axis(typed, "write name=value, such as scale_bits=30:50:5 or technique=fixedauto", known)
    if len(set(axis.values)) < len(axis.values):
        raise UsageError(f"'{typed}' has a value twice", "give every value once")
    return axis


def _known(typed: str, known: Sequence[str], scheme: str) -> str:
    name = typed.lower().replace("-", "_")
    if name == "depth":
        raise UsageError(
            "the depth follows from the application, so it cannot be set",
            "leave depth out; degree= and --set n= change how deep an application is",
        )
    if name not in known:
        raise UsageError(
            f"{scheme.upper()} has no parameter {name!r}",
            f"choose among {', '.join(known)}; a number that the application's file names is set by --set",
        )
    return name
