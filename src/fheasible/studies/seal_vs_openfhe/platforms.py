"""Results by operating system: those here, and those of other machines that were imported."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from fheasible.reports.page import Block, Table
from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.experiment import ResultRow
from fheasible.studies.results import Beside, Results, Rows
from fheasible.studies.seal_vs_openfhe.experiments import IN_WEBASSEMBLY, PRODUCTS, WEBASSEMBLY
from fheasible.units import seconds

LINUX, WINDOWS, MACOS = "Linux", "Windows", "macOS"
Figures = Mapping[tuple[str, str], ResultRow]  # by experiment and cell


@dataclass(frozen=True, slots=True)
class Platform:
    """An operating system on a processor, and the best rows that it gave of the study's cells."""

    system: str
    processor: str
    rows: Figures

    def beside(self, other: "Platform", figure: str, library: str) -> list[float]:
        """The figure here relative to that of the other, for each cell of the library that both have."""
        return [
            float(mine.figures[figure]) / float(theirs.figures[figure])
            for key, mine in self.rows.items()
            if mine.library == library
            and (theirs := other.rows.get(key)) is not None
            and mine.figures.get(figure) and theirs.figures.get(figure)
        ]  # fmt: skip


def system_of(name: str) -> str:
    """The family of an operating system by the name that its results carry."""
    if name.startswith(WINDOWS):
        return WINDOWS
    return MACOS if name.startswith((MACOS, "Darwin")) else LINUX


def platforms(results: Results) -> tuple[Platform, ...]:
    """Every operating system and processor with results, this machine's first."""
    made: dict[tuple[str, str], dict[tuple[str, str], ResultRow]] = {}
    for row in _rows([results.rows, *(source.rows for source in results.others)]):
        at = row.environment
        kept = made.setdefault((system_of(str(at.get("os", ""))), str(at.get("cpu", ""))), {})
        kept.setdefault((row.experiment, row.cell.key), row)
    return tuple(Platform(system, processor, rows) for (system, processor), rows in made.items())


def _rows(sources: Iterable[Rows]) -> Iterator[ResultRow]:
    for source in sources:
        for cells in source.values():
            yield from (row for row in cells.values() if row.done)


def pairs(results: Results, one: str, other: str) -> list[tuple[Platform, Platform]]:
    """Platforms of the two systems on the same processor, so that the system alone differs."""
    known = platforms(results)
    return [
        (a, b)
        for a in known for b in known
        if (a.system, b.system) == (one, other) and a.processor == b.processor
    ]  # fmt: skip


def blocks(results: Results, libraries: Mapping[str, str]) -> Iterator[Block]:
    """The platforms that have results, relative to the first of them, and SEAL as WebAssembly."""
    known = platforms(results)
    yield (
        "Results of Windows, macOS and other machines join by `fheasible export` there and `fheasible "
        "import` here; `fheasible compare` shows any two of them."
    )
    if known:
        rows = tuple(_row(known[0], p, libraries) for p in known)
        columns = ("system", "processor", "sets", *(f"{title}, CPU time" for title in libraries.values()))
        yield Table(columns, rows, left=columns[:2], caption="Median times relative to the first platform")
    yield from _webassembly(results)


def _webassembly(results: Results) -> Iterator[Block]:
    """SEAL's sets native and as WebAssembly; a sentence where this version has no such library."""
    if not IN_WEBASSEMBLY:
        yield f"WebAssembly cannot be tested here: this version of Fheasible has no library {WEBASSEMBLY}."
        return
    columns = ("scheme", "products", "native", "WebAssembly", "ratio, measured", "ratio, predicted")
    rows = tuple(row for s, e in IN_WEBASSEMBLY.items() for row in _beside_native(results, s, e))
    yield Table(columns, rows, left=columns[:1], caption="SEAL native and as WebAssembly, CPU time")


def _beside_native(
    results: Results, scheme: str, experiment: AppliedExperiment
) -> Iterator[tuple[str | None, ...]]:
    both = zip(results.beside(PRODUCTS["seal", scheme]), results.beside(experiment), strict=True)
    for native, there in both:
        if not native.prediction.refused:
            told = [_ratio(read(there, "cpu_seconds"), read(native, "cpu_seconds")) for read in _READ]
            times = [_time(b.either("cpu_seconds")) for b in (native, there)]
            yield (scheme.upper(), str(native.cell.parameters["n"]), *times, *told)


_READ = (Beside.measured, Beside.predicted)


def _ratio(one: float | None, other: float | None) -> str | None:
    return f"{one / other:.2f}" if one and other else None


def _time(value: float | None) -> str | None:
    return None if value is None else seconds(value)


def _row(first: Platform, p: Platform, libraries: Mapping[str, str]) -> tuple[str | None, ...]:
    found = [p.beside(first, "cpu_seconds", name) for name in libraries]
    times = (f"{median(ratios):.2f} ({len(ratios)})" if ratios else None for ratios in found)
    return (p.system, p.processor, str(len(p.rows)), *times)
