"""Executing a study's cells: each result is stored as soon as it is there, and none is executed twice."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from fheasible.store.store import Store
from fheasible.studies import results
from fheasible.studies.experiment import Cell, Experiment, Plan
from fheasible.studies.results import Results, Row

Progress = Callable[[str, float, float], None]  # what is being done, the effort done, and all of it


@dataclass(frozen=True, slots=True)
class Step:
    experiment: Experiment
    cell: Cell
    repetitions: int
    effort: float


@dataclass(slots=True)
class Outcome:
    """`kept`: cells that were stored before; `rows`: those executed now."""

    kept: int = 0
    rows: list[Row] = field(default_factory=list)
    seconds: float = 0.0

    def count(self, outcome: str) -> int:
        return sum(row.entry.outcome == outcome for row in self.rows)


def steps(experiments: Iterable[Experiment], quick: bool) -> list[Step]:
    """All cells, experiment by experiment, its ends first and then ever finer: what an interrupted run has
    covers the whole range, and a machine that slows down does not bend a curve."""
    made = []
    for experiment in experiments:
        cells = spread(experiment.chosen(quick))
        often = experiment.repeated(quick)
        efforts = experiment.efforts(cells, often)
        made += [Step(experiment, c, often, float(e)) for c, e in zip(cells, efforts, strict=True)]
    return made


def missing(todo: Iterable[Step], there: Results) -> list[Step]:
    """Those without a stored result of as many repetitions. What was refused, or died, is tried again."""
    return [step for step in todo if not _stored(step, there.row(step.experiment, step.cell))]


def run(
    store: Store,
    study: str,
    todo: Sequence[Step],
    max_memory_bytes: int | None = None,
    progress: Progress | None = None,
) -> list[Row]:
    """The new rows, each stored before the next cell begins. An interruption loses the cell at hand alone."""
    say = progress or _silent
    total = sum(step.effort for step in todo)
    done, rows = 0.0, list[Row]()
    for number, step in enumerate(todo, start=1):
        say(f"{step.experiment.name}, {step.cell}, set {number} of {len(todo)}", done, total)
        rows.append(_execute(store, study, step, max_memory_bytes))
        done += step.effort
    return rows


def whole(
    store: Store,
    study: str,
    todo: Sequence[Step],
    there: Results,
    max_memory_bytes: int | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """A run of what is missing, beside the number of cells that were there."""
    start = time.monotonic()
    left = missing(todo, there)
    rows = run(store, study, left, max_memory_bytes, progress)
    return Outcome(len(todo) - len(left), rows, time.monotonic() - start)


def spread(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The first, the last, the middle, then the middles of what lies between."""
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


def _execute(store: Store, study: str, step: Step, max_memory_bytes: int | None) -> Row:
    plan = Plan(step.repetitions, max_memory_bytes)
    executed = step.experiment.execute(step.cell, plan)
    return results.append(store, study, step.experiment, step.cell, plan, executed)


def _stored(step: Step, row: Row | None) -> bool:
    return row is not None and row.done and row.repetitions >= step.repetitions


def _silent(label: str, done: float, total: float) -> None:
    pass
