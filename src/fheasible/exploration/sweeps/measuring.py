"""Really runs the sets of a sweep of a library, each stored at once, so that the next call continues."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fheasible.aliases import Json
from fheasible.errors import TooLarge, WorkerFailed, WrongResult
from fheasible.exploration.judging.candidate import Candidate, parameters_json
from fheasible.exploration.proof.attempt import refuse_memory
from fheasible.exploration.proof.proof import GARBAGE, Proof, prove
from fheasible.exploration.sweeps.cells import Cell, said
from fheasible.libraries.catalogue import library
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.failures import outcome_of
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.machine import this_machine
from fheasible.program.digest import digest
from fheasible.store.rows import StoredMeasurement, plain
from fheasible.store.store import Store
from fheasible.units import size

Progress = Callable[[str, float, float], None]

KEPT = ("measured", "wrong", "refused", "killed for memory")  # outcomes that another run would not change
REFUSED = "refused"
_EVERY_OPERATION = ("operations", "operation_seconds")  # of a stored run, whose rows are not shown here


@dataclass(frozen=True, slots=True)
class MeasuringWish:
    """How sets are run. `every`: 1 runs every set, 2 every second one; `again`: a set is run even where its
    result is stored already; `max_bytes`: larger sets are refused, by default those larger than what is
    free; `memory`: the limit of the worker; `anywhere`: a stored result of any machine counts, not only one
    of this machine."""

    every: int = 1
    repetitions: int = 3
    threads: int = 1
    seed: int | None = 0
    timeout: float | None = None
    again: bool = False
    max_bytes: int | None = None
    memory: MemoryLimit | None = None
    anywhere: bool = False


@dataclass(frozen=True, slots=True)
class CellRun:
    """What came of running a cell. `measurement` is None where there was no result; `number` is that of the
    result in the store, None where it is not stored. `machine` is the fingerprint of the host of a cluster
    that ran it, and `predicted` what was predicted for that machine."""

    outcome: str
    measurement: Json | None
    message: str = ""
    number: int | None = None
    stored_before: bool = False
    machine: str | None = None
    predicted: Json | None = None

    def to_json(self) -> Json:
        return {
            "outcome": self.outcome,
            "message": self.message,
            "measurement": self.measurement,
            "result": self.number,
            "stored_before": self.stored_before,
            "machine": self.machine,
        }


def measured(
    cells: Sequence[Cell], wish: MeasuringWish, store: Store, progress: Progress
) -> Iterator[CellRun | None]:
    """The run of every cell that is to be run, in their order; None for the others. LibraryMissing where the
    library's worker does not answer."""
    work = {i: seconds(cells[i]) for i in to_run(cells, wish)}
    begun, done, total = 0, 0.0, sum(work.values())
    for i, cell in enumerate(cells):
        if i not in work or cell.candidate is None:
            yield None
            continue
        begun += 1
        progress(f"set {begun} of {len(work)}: {said(cell.told)}", done, total)
        before = None if wish.again else stored(cell.candidate, cell.problem.circuit.name, wish, store)
        yield taken(before) if before else _run(cell, cell.candidate, wish, store)
        done += work[i]


def to_run(cells: Sequence[Cell], wish: MeasuringWish) -> list[int]:
    """The numbers of the cells that are to be run."""
    return [i for i, cell in enumerate(cells) if i % wish.every == 0 and cell.candidate is not None]


def seconds(cell: Cell) -> float:
    """The predicted seconds of a run with its keys; 1 where they are not known, since only shares matter."""
    cpu = cell.candidate.estimate.cpu_seconds if cell.candidate else None
    return cpu["keygen"] + cpu["total"] if cpu else 1.0


def _run(cell: Cell, candidate: Candidate, wish: MeasuringWish, store: Store) -> CellRun:
    plan = RunPlan(repetitions=wish.repetitions, threads=wish.threads)
    try:
        _refuse(candidate, wish)
        proof = prove(
            cell.problem, candidate, plan, wish.seed, store,
            timeout=wish.timeout, asked=GARBAGE, memory=wish.memory,
        )  # fmt: skip
    except TooLarge as error:
        return CellRun(REFUSED, None, error.message)
    except WrongResult as error:
        figures = error.proof.measured_json() if isinstance(error.proof, Proof) else None
        return CellRun(outcome_of(error), figures, error.message, error.number)
    except WorkerFailed as error:
        return CellRun(outcome_of(error), None, error.message, error.number)
    return CellRun("measured", proof.measured_json(), number=proof.number)


def _refuse(candidate: Candidate, wish: MeasuringWish) -> None:
    """Raises TooLarge where the set is predicted to take more memory than it may."""
    refuse_memory(candidate)
    peak = candidate.estimate.peak_bytes
    if wish.max_bytes is not None and peak > wish.max_bytes:
        raise TooLarge(
            f"{size(peak)} of memory are predicted, more than the {size(wish.max_bytes)} allowed",
            "raise --max-memory",
        )


def stored(c: Candidate, app: str, wish: MeasuringWish, store: Store) -> StoredMeasurement | None:
    """The newest result of this very set on this machine, by this version of the library, on the
    same data, under the same limit on memory, with as many threads and at least as many repetitions; None
    without one."""
    same = {
        **({} if wish.anywhere else {"machine": this_machine().fingerprint}),
        "version": library(c.library).version,
        "threads": wish.threads,
        "seed": wish.seed,
        "memory_limit": None if wish.memory is None else wish.memory.to_json(),
    }
    key = set_key(c.settings, parameters_json(c.parameters))
    for row in store.measurements(app, c.library, c.scheme, circuit=digest(c.program)):
        entry = row.entry
        if (
            entry.outcome in KEPT
            and set_key(entry.request, entry.parameters) == key
            and all(row.environment.get(name) == value for name, value in same.items())
            and _repetitions(entry.measurement) >= wish.repetitions
        ):
            return row
    return None


def set_key(request: Json, parameters: Json) -> str:
    """A text that is the same for the same set, whether it is stored or not."""
    return json.dumps([plain(request), plain(parameters)], sort_keys=True)


def _repetitions(measurement: Json | None) -> float:
    """How often a stored run was repeated; without end where it had no result, which more would not give."""
    return float("inf") if measurement is None else float(measurement["repetitions"])


def taken(row: StoredMeasurement) -> CellRun:
    """The run that a stored result tells of."""
    e = row.entry
    figures = {k: v for k, v in (e.measurement or {}).items() if k not in _EVERY_OPERATION} or None
    return CellRun(e.outcome, figures, e.message, row.id, stored_before=True)
