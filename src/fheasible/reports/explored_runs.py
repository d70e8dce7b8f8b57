"""Runs of the explored programs beside their predictions, and calibrations beside the runs that they were
fitted to."""

from collections.abc import Iterable, Iterator, Sequence

from fheasible import units
from fheasible.accuracy.compare import ComparedFigure as Compared
from fheasible.accuracy.errors import errors
from fheasible.accuracy.words import share, title
from fheasible.aliases import Json
from fheasible.estimation.profile import Profile
from fheasible.exploration.proof.measured import relative_errors
from fheasible.program.phases import PHASES_AND_TOTAL
from fheasible.reports.accuracy_figures import BAND
from fheasible.reports.explored import Told, short
from fheasible.reports.figures import Agreement, FigureStyle, Series
from fheasible.reports.page import Table
from fheasible.store.rows import StoredMeasurement

KEYGEN = PHASES_AND_TOTAL[0]
MOST = 4  # runs in the figure
SIZES = ("peak_bytes", "ciphertext_bytes", "public_key_bytes", "evaluation_key_bytes")
_MILLI = 1e3


def of(told: Told, stored: Iterable[StoredMeasurement]) -> list[StoredMeasurement]:
    """The right results of programs that the exploration proposes, newest first; of each request only the
    newest."""
    programs, found = set(told.content["programs"]), dict[str, StoredMeasurement]()
    for m in stored:
        e = m.entry
        if e.outcome == "measured" and e.measurement and e.estimate and e.circuit in programs:
            found.setdefault(f"{e.library} {e.scheme} {e.request}", m)
    return list(found.values())


def errors_of(runs: Sequence[StoredMeasurement]) -> list[tuple[str, float, float]]:
    """(run and phase, relative error of its CPU time, error band), for the phases that were predicted."""
    found = []
    for m in runs[:MOST]:
        told, seen = _figures(m)
        off, band = relative_errors(told, seen), told["error_band"]
        for phase in PHASES_AND_TOTAL:
            if f"cpu_seconds.{phase}" in off:
                found.append((f"{_name(m)}: {phase}", off[f"cpu_seconds.{phase}"], band or 0.0))
    return found


def _figures(m: StoredMeasurement) -> tuple[Json, Json]:
    """The predicted and the measured figures of a run."""
    assert m.entry.estimate is not None
    assert m.entry.measurement is not None
    return m.entry.estimate, m.entry.measurement


def _name(m: StoredMeasurement) -> str:
    """The name of a run: 'Lattigo CKKS, 2^14, run 38'."""
    e = m.entry
    told = {"library": e.library, "scheme": e.scheme, "parameters": e.parameters}
    return f"{short(told)}, run {m.id}"


def table(runs: Iterable[tuple[str, StoredMeasurement]]) -> Table:
    """A table of every figure that was both predicted and measured, of runs with their names."""
    rows = [row for name, m in runs for row in _compared(name, m)]
    return Table(
        ("run", "figure", "predicted", "measured", "error"),
        tuple(rows),
        left=("run", "figure"),
        caption="CPU times are the least of the repetitions. fheasible results shows the date of each run.",
    )


def named(runs: Iterable[StoredMeasurement]) -> list[tuple[str, StoredMeasurement]]:
    """The runs of libraries with their names."""
    return [(_name(m), m) for m in runs]


def _compared(run: str, m: StoredMeasurement) -> Iterator[tuple[str | None, ...]]:
    told, seen = _figures(m)
    off = relative_errors(told, seen)
    for phase in PHASES_AND_TOTAL:
        spent = seen["cpu_seconds"][phase]["min"]
        error = units.percent(off.get(f"cpu_seconds.{phase}"))
        yield run, f"CPU {phase}", units.seconds(told["cpu_seconds"][phase]), units.seconds(spent), error
    for name in SIZES:
        sizes = (units.size(told[name]), units.size(seen[name]))
        yield run, name.removesuffix("_bytes").replace("_", " "), *sizes, units.percent(off.get(name))
    if seen.get("precision_bits") is not None:
        bits = (units.bits(told["precision_bits"]), units.bits(seen["precision_bits"]))
        yield run, "precision", *bits, units.percent(off.get("precision_bits"))


def residuals(profiles: Iterable[Profile]) -> Agreement | None:
    """How far profiles are off at the points of their calibration. None where no profile has any; shipped
    ones keep no points."""
    found = {title(p.library): pairs for p in profiles if (pairs := _pairs(p))}
    if not found:
        return None
    means = [f"{share(errors(pairs).mean)} ({name})" for name, pairs in found.items()]
    series = [
        Series(
            name,
            tuple(_MILLI * f.measured for f in pairs),
            tuple(_MILLI * f.predicted for f in pairs),
            FigureStyle.POINTS,
        )
        for name, pairs in found.items()
    ]
    return Agreement(
        f"Calibrations explain their own runs within {units.listing(means)} on average",
        "measured CPU time of an operation (ms)",
        "error of the fit (%)",
        tuple(series),
        BAND,
        deviation=True,
        note=f"{sum(map(len, found.values())):,} calibrated operations, without key generation. The band is "
        f"{share(BAND, 0)} to either side.",
    )


def _pairs(profile: Profile) -> list[Compared]:
    every = ((p, profile.seconds(p.shape)) for p in profile.points if p.shape.task.action != KEYGEN)
    return [Compared(predicted, p.seconds) for p, predicted in every if predicted > 0]
