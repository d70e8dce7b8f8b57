"""The paper's tables and statements beside ours, as tables [GKS25]."""

from collections.abc import Iterator
from statistics import fmean

from fheasible.reports.page import Table
from fheasible.studies.ckks_parameters.claims_sizes import OURS, TABLES, mean_mib
from fheasible.studies.ckks_parameters.experiments import DEVIATION, LEVELS, MULTIPLICATIVE, TECHNIQUES
from fheasible.studies.ckks_parameters.printed import PUBLISHED
from fheasible.studies.ckks_parameters.reading import first_of_plateau, grouped, ring, scale, sets
from fheasible.studies.results import Beside, Results
from fheasible.units import MIB, power_of_two, seconds


def sizes(results: Results) -> Iterator[Table]:
    """Tables 1 and 2: published, predicted over all sets of a ring, and measured."""
    for table, (experiment, powers) in TABLES.items():
        rows = []
        for what, figure in OURS.items():
            row: list[str | None] = [what.replace("_", " ")]
            for power in powers:
                found = [b for b in sets(results, experiment) if ring(b) == 1 << power]
                measured = [m for b in found if (m := b.measured(figure)) is not None]
                predicted = mean_mib(results, table, power, what)
                row += [
                    PUBLISHED[f"{table}.{power}.{what}"].text,
                    f"{predicted:.3f}" if predicted else None,
                    f"{fmean(measured) / MIB:.3f}" if measured else None,
                ]
            rows.append(tuple(row))
        columns = (
            "MiB",
            *(f"2^{p}, {kind}" for p in powers for kind in ("published", "predicted", "measured")),
        )
        yield Table(
            columns, tuple(rows), left=("MiB",), caption=f"Table {table[-1]}: mean over the sets of a ring"
        )


def rings(results: Results) -> Table:
    """The scales of each ring, by function, security and technique."""
    rows = []
    for name, experiment in (("multiplicative function", MULTIPLICATIVE), ("standard deviation", DEVIATION)):
        for security in LEVELS:
            for technique in TECHNIQUES:
                found = sets(results, experiment, security=security, technique=technique)
                rows.append((name, f"{security} bits", technique, _spans(found)))
    columns = ("function", "security", "technique", "scales by ring")
    return Table(columns, tuple(rows), left=columns, caption="Which ring a scale takes, predicted")


def _spans(found: list[Beside]) -> str:
    by = grouped(found, ring)
    return ", ".join(
        f"{power_of_two(n)}: {min(map(scale, some))} to {max(map(scale, some))}" for n, some in by.items()
    )


def plateaus(results: Results) -> Table:
    """Where precision stops to rise, and what the set there takes."""
    rows = []
    for name, experiment in (("multiplicative function", MULTIPLICATIVE), ("standard deviation", DEVIATION)):
        for security in LEVELS:
            for technique in TECHNIQUES:
                found = sets(results, experiment, security=security, technique=technique)
                first = first_of_plateau(found)
                if first is not None:
                    rows.append((name, f"{security} bits", technique, *_taken(first)))
    columns = (
        "function",
        "security",
        "technique",
        "scale",
        "N",
        "precision",
        "predicted time",
        "measured time",
    )
    return Table(columns, tuple(rows), left=columns[:3], caption="The first set of each plateau of precision")


def _taken(b: Beside) -> tuple[str | None, ...]:
    times = (b.predicted("cpu_seconds"), b.measured("cpu_seconds"))
    shown = (None if t is None else seconds(t) for t in times)
    bits = f"{b.predicted('precision_bits'):.1f} bits"
    return (str(scale(b)), power_of_two(ring(b)), bits, *shown)


def printed() -> Table:
    """Every number of the paper, with what does not add up."""
    rows = tuple((n.where, n.key, n.text, n.remark or None) for n in PUBLISHED.values())
    columns = ("where", "figure", "printed", "remark")
    return Table(columns, rows, left=columns)
