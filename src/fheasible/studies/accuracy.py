"""How well the cells of a study were predicted: times, memory, precision, and whether sizes are equal."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from fheasible.reports.page import Table
from fheasible.studies.experiment import Experiment
from fheasible.studies.results import Beside, Results
from fheasible.units import percent

_SIZES = ("ciphertext_bytes", "public_key_bytes", "evaluation_key_bytes", "secret_key_bytes",
          "relinearization_key_bytes", "rotation_key_bytes")  # fmt: skip
_LEAST_SECONDS = 1e-4  # shorter times are those of the clock and of calls


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Errors of the measured cells of an experiment, as shares: (predicted - measured) / measured.

    `times`: one for each cell, of its CPU time or of the sum of its operations; `operations`: those of each
    operation by itself, where operations are what was measured. Times under a limit on memory are left out,
    since the kernel's work for swapping is part of them, and is not predicted as CPU time.
    """

    name: str
    cells: int
    times: tuple[float, ...]
    operations: tuple[float, ...]
    memory: tuple[float, ...]
    precision: tuple[float, ...]  # in bits
    unequal: tuple[str, ...]  # sizes that are not as predicted

    @property
    def mean_time(self) -> float | None:
        return fmean(map(abs, self.times)) if self.times else None


def accuracy(results: Results, experiment: Experiment) -> Accuracy:
    """The errors of the experiment's measured cells; empty where none was run."""
    found = [b for b in results.beside(experiment) if b.row is not None and b.row.done]
    timed = [] if experiment.limited else found
    return Accuracy(
        experiment.name,
        len(found),
        tuple(_times(timed)),
        tuple(_operations(timed)),
        tuple(e for b in found if (e := b.error("peak_bytes")) is not None),
        tuple(_bits(found)),
        tuple(_unequal(found)),
    )


def _times(found: Iterable[Beside]) -> Iterator[float]:
    """The error of each cell's whole time: its CPU time, or the sum of its operations."""
    for b in found:
        pairs = [(b.predicted(n), b.measured(n)) for n in (_singles(b) or ["cpu_seconds"])]
        known = [(told, seen) for told, seen in pairs if told is not None and seen is not None]
        told, seen = (sum(figures) for figures in zip(*known, strict=True)) if known else (0.0, 0.0)
        if seen >= _LEAST_SECONDS:
            yield told / seen - 1


def _operations(found: Iterable[Beside]) -> Iterator[float]:
    """The error of each operation of each cell."""
    for b in found:
        for name in _singles(b):
            error = b.error(name)
            if error is not None and b.measured(name) >= _LEAST_SECONDS:
                yield error


def _singles(b: Beside) -> list[str]:
    """The names of a cell's operations; none where its whole CPU time is predicted."""
    if b.predicted("cpu_seconds") is not None:
        return []
    return [name for name in b.prediction.figures if name.endswith("_seconds")]


def _bits(found: Iterable[Beside]) -> Iterator[float]:
    for b in found:
        told, seen = b.predicted("precision_bits"), b.measured("precision_bits")
        if told is not None and seen is not None:
            yield told - seen


def _unequal(found: Iterable[Beside]) -> Iterator[str]:
    for b in found:
        for name in _SIZES:
            told, seen = b.predicted(name), b.measured(name)
            if told is not None and seen is not None and told != seen:
                yield f"{b.cell}: {name} {told:,}, measured {seen:,}"


def table(results: Results, experiments: Sequence[Experiment]) -> Table:
    """A row for each experiment with measured cells, and one for all of them."""
    found = [a for e in experiments if (a := accuracy(results, e)).cells]
    rows = [_row(a) for a in found]
    if len(found) > 1:
        rows.append(_row(together(found)))
    columns = (
        "experiment", "measured sets", "CPU times", "mean error", "largest", "single operations",
        "mean error of one", "memory, mean error", "precision, mean error", "sizes that differ",
    )  # fmt: skip
    return Table(columns, tuple(rows), left=columns[:1], caption="Predicted beside measured")


def together(found: Sequence[Accuracy]) -> Accuracy:
    """The errors of several experiments as those of one."""
    return Accuracy(
        "all",
        sum(a.cells for a in found),
        tuple(e for a in found for e in a.times),
        tuple(e for a in found for e in a.operations),
        tuple(e for a in found for e in a.memory),
        tuple(e for a in found for e in a.precision),
        tuple(u for a in found for u in a.unequal),
    )


def _row(a: Accuracy) -> tuple[str | None, ...]:
    return (
        a.name,
        str(a.cells),
        str(len(a.times)),
        None if a.mean_time is None else percent(a.mean_time),
        percent(max(a.times, key=abs)) if a.times else None,
        str(len(a.operations)) if a.operations else None,
        percent(fmean(map(abs, a.operations))) if a.operations else None,
        percent(fmean(map(abs, a.memory))) if a.memory else None,
        f"{fmean(map(abs, a.precision)):.1f} bits" if a.precision else None,
        str(len(a.unequal)),
    )
