"""The cells of an experiment as a folded table and as CSV, with an anchor to which claims link."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from fheasible.reports.page import Block, Caution, Folded, Table
from fheasible.studies.accuracy import table as accuracy_table
from fheasible.studies.experiment import Experiment
from fheasible.studies.report import Chapter, Data, anchor
from fheasible.studies.results import Beside, Results, Rows
from fheasible.units import bits, power_of_two, seconds, size

_SHOWN = ("ring_dimension", "log_qp", "cpu_seconds", "peak_bytes", "precision_bits", "ciphertext_bytes")
_MOST_ROWS = 400  # in the page; the CSV file has all


def chapters(results: Results, experiments: Sequence[Experiment]) -> Iterator[Chapter]:
    """A chapter for each experiment with all its cells, after one that says how well they were predicted."""
    yield Chapter("Predicted and measured", (accuracy_table(results, experiments), *_other_sources(results)))
    for experiment in experiments:
        yield cells_chapter(results, experiment)


def cells_chapter(results: Results, experiment: Experiment) -> Chapter:
    """The cells of the experiment."""
    rows = results.beside(experiment)
    data = _data(experiment.name, rows)
    run = sum(b.row is not None and b.row.done for b in rows)
    refused = [b for b in rows if b.prediction.refused]
    words = f"{len(rows)} sets, {run} of them run here, {len(refused)} that the library refuses."
    blocks: list[Block] = [words, Folded("All sets", _table(rows))]
    failed = [b for b in rows if b.row is not None and not b.row.done]
    blocks += [Caution(f"{b.cell}: {b.row.outcome}: {b.row.message}") for b in failed[:5] if b.row]
    return Chapter(f"Cells: {experiment.title}", tuple(blocks), (data,), (anchor(experiment.name),))


def _table(rows: Sequence[Beside]) -> Table:
    settings = list(dict.fromkeys(name for b in rows for name in b.cell.parameters))
    known = {n for b in rows for n in (*b.prediction.figures, *(b.row.figures if b.row else ()))}
    names = [n for n in dict.fromkeys((*_SHOWN, *_timed(rows))) if n in known]
    columns = (*settings, *(c for n in names for c in (n, f"{n}, measured")), "refused")
    shown = [
        (
            *(str(b.cell.parameters.get(name, "")) for name in settings),
            *(figure_text(n, value) for n in names for value in (b.predicted(n), b.measured(n))),
            b.prediction.refused or None,
        )
        for b in rows[:_MOST_ROWS]
    ]
    return Table(columns, tuple(shown), left=("refused",))


def figure_text(name: str, value: Any) -> str | None:
    """The figure as a person reads it, in the unit that its name ends with; None where there is none."""
    if value is None or isinstance(value, str):
        return value or None
    for ending, said in (("_seconds", seconds), ("_bytes", size), ("_bits", bits)):
        if name.endswith(ending):
            return said(value)
    return power_of_two(value) if name == "ring_dimension" else f"{value:g}"


def _timed(rows: Sequence[Beside]) -> tuple[str, ...]:
    """The names of single operations' times."""
    if any(b.predicted("cpu_seconds") is not None or b.measured("cpu_seconds") is not None for b in rows):
        return ()
    return tuple(dict.fromkeys(n for b in rows for n in b.prediction.figures if n.endswith("_seconds")))


def _data(name: str, rows: Sequence[Beside]) -> Data:
    settings = list(dict.fromkeys(s for b in rows for s in b.cell.parameters))
    told = list(dict.fromkeys(n for b in rows for n in b.prediction.figures))
    seen = list(dict.fromkeys(n for b in rows if b.row for n in b.row.figures))
    columns = (*settings, *told, *(f"measured_{n}" for n in seen), "refused", "outcome", "result")
    return Data(name, tuple(_named(columns)), tuple(_values(b, settings, told, seen) for b in rows))


def _named(columns: Sequence[str]) -> Iterator[str]:
    """The names with "asked_" before settings whose name a figure has as well."""
    for i, name in enumerate(columns):
        yield f"asked_{name}" if name in columns[i + 1 :] else name


def _values(b: Beside, settings: Sequence[str], told: Sequence[str], seen: Sequence[str]) -> tuple[Any, ...]:
    return (
        *(b.cell.parameters.get(name) for name in settings),
        *(b.predicted(name) for name in told),
        *(b.measured(name) for name in seen),
        b.prediction.refused,
        b.row.outcome if b.row else None,
        b.row.number if b.row else None,
    )


def _other_sources(results: Results) -> Iterator[Block]:
    """The times of other machines and versions, relative to these, over the cells that both have."""
    rows = []
    for other in results.others:
        if ratios := sorted(_ratios(results, other.rows)):
            span = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
            rows.append((str(other), str(len(ratios)), f"{median(ratios):.2f}", span))
    if rows:
        columns = ("measured with", "times in common", "median ratio to these", "range")
        yield Table(columns, tuple(rows), left=columns[:1], caption="Other machines and versions")


def _ratios(results: Results, others: Rows) -> Iterator[float]:
    """The CPU time of each cell elsewhere, relative to here; of each operation, for single operations."""
    for name, cells in others.items():
        for key, there in cells.items():
            here = results.rows.get(name, {}).get(key)
            if here is not None:
                yield from _times_there(here.figures, there.figures)


def _times_there(here: Mapping[str, Any], there: Mapping[str, Any]) -> Iterator[float]:
    names = ["cpu_seconds"] if "cpu_seconds" in here else [n for n in here if n.endswith("_seconds")]
    for name in names:
        if here.get(name) and there.get(name):
            yield there[name] / here[name]
