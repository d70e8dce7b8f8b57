"""The page that shows predictions beside measurements."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fheasible import units
from fheasible.accuracy.compare import ComparedApplication, ComparedFigure, ComparedOperation
from fheasible.accuracy.errors import Errors, errors, grouped, worst
from fheasible.accuracy.evaluation import Evaluation
from fheasible.accuracy.words import (
    MACHINES,
    STATISTICS,
    by_machine,
    cell,
    circumstances,
    sentence,
    statistics,
    target,
    title,
)
from fheasible.program.phases import PHASES_AND_TOTAL
from fheasible.reports import html
from fheasible.reports.accuracy_figures import (
    UNMEASURED_UNITS,
    agreements,
    bars,
    by_ring,
    deviations,
    price,
    priced,
    prices,
)
from fheasible.reports.page import Block, Caution, Page, Section, Table
from fheasible.rings.rns.kernels import KERNELS

MOST_WORST = 20
_NANO = 1e9


def write(found: Evaluation, path: Path) -> None:
    """Writes the page to that file. UsageError where it cannot be written."""
    html.write(page(found), path)


def page(found: Evaluation) -> Page:
    sections = [_targets(found), *_machines(found)]
    if found.operations:
        sections += [_operations(found), _rings(found), _worst(found.operations)]
    if found.key_generation:
        sections.append(_key_generation(found.key_generation))
    if found.applications:
        sections += [_applications(found.applications), _memory(found.applications)]
    sections += [*(_kernels(m, bool(found.machines)) for m in found.each), *_failures(found)]
    return Page(
        "How far predictions are from reality",
        tuple(sections),
        _summary(found),
        " ".join(map(circumstances, found.each)),
    )


def _summary(found: Evaluation) -> str:
    kinds = (("operations", found.operations), ("whole applications", found.applications))
    parts = [sentence(errors(rows), name) for name, rows in kinds if rows]
    return ". ".join(parts) + "." if parts else "Nothing was measured."


def _targets(found: Evaluation) -> Section:
    rows = tuple(map(target, found.verdicts))
    text = (
        "Errors are |predicted - measured| / measured. No operation was predicted from its own context: "
        "operations that the calibration ran are left out, and no application is part of a calibration."
    )
    columns = ("error of", "statistic", "target", "found", "met")
    return Section("Targets", (text, Table(columns, rows, left=("error of", "statistic", "met"))))


def _machines(found: Evaluation) -> list[Section]:
    """A table of the machines, where there are several."""
    if not found.machines:
        return []
    text = "Each machine ran a part of the work, and is judged by its own profiles."
    table = Table(MACHINES, tuple(by_machine(found)), left=("machine", "processor"))
    return [Section("By machine", (text, table))]


def _operations(found: Evaluation) -> Section:
    blocks: list[Block] = [
        errors_table(found.by("library", "scheme"), ("library", "scheme")),
        *agreements(found.operations),
        *deviations(found.operations),
        errors_table(found.by("action"), ("operation",)),
        errors_table(found.by("library", "scheme", "action"), ("library", "scheme", "operation")),
    ]
    return Section("Operations", tuple(blocks))


def _rings(found: Evaluation) -> Section:
    ordered = dict(sorted(found.by("n", "library").items()))
    return Section("By ring dimension", (by_ring(found.operations), errors_table(ordered, ("n", "library"))))


def errors_table(groups: Mapping[tuple[Any, ...], Errors], names: tuple[str, ...]) -> Table:
    """A table of the error statistics of each group; `names` are the attributes by which the rows were
    grouped."""
    rows = tuple((*map(cell, group), *statistics(e)) for group, e in groups.items())
    return Table((*names, *STATISTICS), rows, left=names)


def _worst(rows: Iterable[ComparedOperation]) -> Section:
    table = Table(
        ("operation", "measured", "predicted", "error"),
        tuple((o.label, *figure(o.cpu)) for o in worst(rows, MOST_WORST)),
        left=("operation",),
    )
    return Section("The worst operations", (table,))


def figure(f: ComparedFigure) -> tuple[str, str, str]:
    """The measured time, the predicted time and the relative error, as text."""
    return units.seconds(f.measured), units.seconds(f.predicted), units.percent(f.error)


def _key_generation(rows: tuple[ComparedOperation, ...]) -> Section:
    text = (
        "The time for all keys of a program. It is listed separately, because a server that computes "
        "makes no keys."
    )
    groups = {g: errors(of) for g, of in grouped(rows, "library", "scheme").items()}
    return Section("Key generation", (text, errors_table(groups, ("library", "scheme"))))


def _applications(rows: tuple[ComparedApplication, ...]) -> Section:
    columns = ("application", "setting", "n", "keys", "encrypt", "evaluate", "decrypt", "total", "wall")
    told = [
        (
            a.name,
            title(a.library, a.scheme, a.technique),
            units.power_of_two(a.n),
            *(units.percent(a.cpu[phase].error) if phase in a.cpu else None for phase in PHASES_AND_TOTAL),
            units.percent(a.wall["total"].error),
        )
        for a in rows
    ]
    text = (
        "The best parameters that the search finds for each example in each library, scheme and technique, "
        "run on random data. Every result was compared with the cleartext result."
    )
    caption = "Relative errors of CPU time by phase; total and wall do not include key generation"
    return Section(
        "Whole applications",
        (text, *bars(rows), Table(columns, tuple(told), left=("application", "setting"), caption=caption)),
    )


def _memory(rows: tuple[ComparedApplication, ...]) -> Section:
    kinds = ("ciphertext", "public_key", "secret_key", "evaluation_key")
    columns = ("application", "setting", "peak memory", "error", *(kind.replace("_", " ") for kind in kinds))
    told = tuple(
        (
            a.name,
            title(a.library, a.scheme, a.technique),
            units.size(a.peak.measured) if a.peak else None,
            units.percent(a.peak.error) if a.peak else None,
            *(_size_error(a.sizes.get(kind)) for kind in kinds),
        )
        for a in rows
    )
    caption = (
        "Measured peak memory of the process with the error of its prediction, and errors of serialized sizes"
    )
    return Section(
        "Memory and sizes", (Table(columns, told, left=("application", "setting"), caption=caption),)
    )


def _size_error(f: ComparedFigure | None) -> str | None:
    return f"{100 * f.error:+.3f} %" if f else None


def _kernels(found: Evaluation, named: bool) -> Section:
    """The prices of one machine's profiles; its fingerprint is in the title where it is `named`."""
    where = f" on machine {found.circumstances.machine}" if named and found.circumstances else ""
    heading = f"What a kernel costs{where}"
    text = (
        "A kernel is one inner loop over a polynomial's coefficients. Its price is the time per iteration "
        "that the fit finds for all operations of a library together. A missing dot does not mean that a "
        "kernel is free: other prices already explain its time."
    )
    drawn, names = prices(found.profiles), priced(found.profiles)
    if drawn is None:
        return Section(heading, ("No profile has prices of kernels.",))
    columns = ("kernel", "meaning", *map(title, found.profiles), "ns for each")
    rows = tuple(
        (
            name.replace("_", " "),
            KERNELS.get(name, "bytes that are moved because the cache is too small"),
            *(_price(price(p, name)) for p in found.profiles.values()),
            _unit(name),
        )
        for name in names
    )
    table = Table(columns, rows, left=("kernel", "meaning", "ns for each"))
    return Section(heading, (text, drawn, table))


def _unit(name: str) -> str:
    if name in ("forward", "inverse", "plain_transforms", "embeddings"):
        return "butterfly"
    if name in UNMEASURED_UNITS:
        return "call" if name == "calls" else "byte"
    return "coefficient"


def _price(seconds: float) -> str | None:
    return f"{_NANO * seconds:.3g}" if seconds else None


def _failures(found: Evaluation) -> list[Section]:
    if not found.failures:
        return []
    told = tuple(Caution(f"{r.label}: {r.outcome}. {r.message}") for r in found.failures)
    return [Section("What did not run", told)]
