"""Executes a study's cells: each result is stored at once, and no cell is executed twice."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from fheasible.store.store import Store
from fheasible.studies.experiment import Experiment, ResultRow, StudyCell, StudyPlan
from fheasible.studies.results import Results

Progress = Callable[[str, float, float], None]  # what is being done, the effort done, and the whole effort


@dataclass(frozen=True, slots=True)
class StudyStep:
    experiment: Experiment
    cell: StudyCell
    repetitions: int
    effort: float


@dataclass(slots=True)
class Outcome:
    """The outcome of a run. `kept`: cells that were stored before; `rows`: cells that were executed now."""

    kept: int = 0
    rows: list[ResultRow] = field(default_factory=list)
    seconds: float = 0.0

    def count(self, outcome: str) -> int:
        return sum(row.outcome == outcome for row in self.rows)


def steps(experiments: Iterable[Experiment], quick: bool, there: Results) -> list[StudyStep]:
    """All cells that can be run as steps, experiment by experiment: the ends of each first, and then ever
    finer.

    So an interrupted run covers the whole range, and a machine that slows down does not bend a curve.
    """
    made = []
    for experiment in experiments:
        told = there.predictions(experiment)
        cells = spread([cell for cell in experiment.chosen(quick) if not told[cell.key].refused])
        often = experiment.repeated(quick)
        efforts = experiment.efforts(cells, often)
        made += [StudyStep(experiment, c, often, float(e)) for c, e in zip(cells, efforts, strict=True)]
    return made


def missing(todo: Iterable[StudyStep], there: Results) -> list[StudyStep]:
    """The steps without a stored result of as many repetitions.

    Cells that were refused or that died are tried again.
    """
    return [step for step in todo if not satisfied(step, there.row(step.experiment, step.cell))]


def satisfied(step: StudyStep, row: ResultRow | None) -> bool:
    """Whether the row is a result of the step, of as many repetitions at least."""
    return row is not None and row.done and row.repetitions >= step.repetitions


def run(
    store: Store,
    study: str,
    todo: Sequence[StudyStep],
    max_memory_bytes: int | None = None,
    progress: Progress | None = None,
) -> list[ResultRow]:
    """The new rows, each stored before the next cell begins.

    An interruption loses only the cell that is being executed.
    """
    say = progress or _silent
    total = sum(step.effort for step in todo)
    done, rows = 0.0, list[ResultRow]()
    for number, step in enumerate(todo, start=1):
        say(f"{step.experiment.name}, {step.cell}, set {number} of {len(todo)}", done, total)
        rows.append(_execute(store, study, step, max_memory_bytes))
        done += step.effort
    return rows


def whole(
    store: Store,
    study: str,
    todo: Sequence[StudyStep],
    there: Results,
    max_memory_bytes: int | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """The outcome of running what is missing, with the number of cells that were stored before.

    LibraryMissing, before any cell is begun, where what executes them is not installed.
    """
    start = time.monotonic()
    left = missing(todo, there)
    for experiment in {step.experiment.name: step.experiment for step in left}.values():
        experiment.check()
    rows = run(store, study, left, max_memory_bytes, progress)
    return Outcome(len(todo) - len(left), rows, time.monotonic() - start)


def spread(cells: Sequence[StudyCell]) -> tuple[StudyCell, ...]:
    """The cells in a new order: the first, the last, the middle, then the middles of the gaps."""
    if len(cells) <= 2:
        return tuple(cells)
    order, gaps = [0, len(cells) - 1], [(0, len(cells) - 1)]
    while gaps:
        low, high = gaps.pop(0)
        if high - low > 1:
            middle = (low + high) // 2
            order.append(middle)
            gaps += [(low, middle), (middle, high)]
    return tuple(cells[i] for i in order)


def _execute(store: Store, study: str, step: StudyStep, max_memory_bytes: int | None) -> ResultRow:
    plan = StudyPlan(step.repetitions, max_memory_bytes)
    return step.experiment.execute(study, step.cell, plan, store)


def _silent(label: str, done: float, total: float) -> None:
    pass
