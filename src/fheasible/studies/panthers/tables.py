"""Tables II and III, ours beside the published numbers, and every set as data [FerLL18]."""

from collections.abc import Callable, Sequence

from fheasible.reports.page import Table
from fheasible.reports.tables import Cell
from fheasible.schemes.catalogue import scheme
from fheasible.studies import experiment
from fheasible.studies.experiment import NotRun
from fheasible.studies.panthers import kernels, security
from fheasible.studies.panthers.calibrated import (
    MEMORY,
    TIME,
    calibrated,
    efforts,
    executed,
    judged,
    stored,
    total,
    unseen,
)
from fheasible.studies.panthers.claims_calibration import SCHEMES, counts, of_scheme
from fheasible.studies.panthers.model import FUNCTIONS, WHOLE
from fheasible.studies.panthers.parameters import SWEEPS, TABLE1, Sweep
from fheasible.studies.panthers.printed import PUBLISHED
from fheasible.studies.report import Data
from fheasible.studies.results import Results
from fheasible.units import ABSENT, seconds

PARAMETERS = ("n", "log_q", "log_w", "t")


def speedups(results: Results) -> Table:
    """Table II: the seconds of the first and last sets of the sweeps, and of all sets, and their ratio."""
    columns = (
        "scheme",
        "calibration",
        "execution",
        "speedup",
        "ours: calibration",
        "execution ",
        "speedup ",
        "sets",
    )
    rows = [_speedup(results, name, of_scheme(name)) for name in SCHEMES]
    rows.append(_speedup(results, "all", TABLE1))
    return Table(columns, tuple(rows), left=("scheme",), caption="Published, and ours in CPU time")


def _speedup(results: Results, name: str, sweeps: Sequence[Sweep]) -> tuple[str, ...]:
    published = (PUBLISHED[f"table2.{name}.{part}"].text for part in ("calibration", "execution", "speedup"))
    title = "all" if name == "all" else scheme(name).title
    try:
        cost = efforts(sweeps, results)
    except NotRun:
        return (title, *published, ABSENT, ABSENT, ABSENT, "not run yet")
    ours = (seconds(cost.calibrating_seconds), seconds(cost.executing_seconds), f"{cost.speedup:.1f}")
    return (title, *published, *ours, counts(sweeps, results))


def errors(results: Results, figure: str) -> Table:
    """Table III for one figure: the mean and maximal error in percent, for each way to calibrate."""
    ways = _ways(results, figure)
    rows = [(*_printed(name, figure), *(_or_absent(way, name) for way in ways.values())) for name in SCHEMES]
    columns = ("scheme", "published (p = 2)", *ways)
    caption = f"{figure}: mean / maximal error in percent, at values that the calibration did not see"
    return Table(columns, tuple(rows), left=("scheme",), caption=caption)


def _printed(name: str, figure: str) -> tuple[str, str]:
    kind = "time" if figure == TIME else "memory"
    mean, most = (PUBLISHED[f"table3.{name}.{kind}.{part}"].value for part in ("mean", "max"))
    return scheme(name).title, f"{mean} / {most}"


Way = Callable[[str], tuple[float, float]]  # a scheme's mean and largest error


def _ways(results: Results, figure: str) -> dict[str, Way]:
    """The ways to calibrate, by the heading of their column."""

    def points(p: int, chooses: bool = False) -> Way:
        return lambda name: unseen(judged(of_scheme(name), results, figure, p, chooses))

    def with_seen(name: str) -> tuple[float, float]:
        found = judged(of_scheme(name), results, figure, 2)
        return found.mean, found.max

    calibrations = {f"p = {p}": points(p) for p in (1, 2, 3)}
    beside = {"p = 4, best method": points(4, True), "kernel view": _kernel_view(results, figure)}
    return {"p = 2, all values": with_seen} | calibrations | beside


def _kernel_view(results: Results, figure: str) -> Way:
    def priced(name: str) -> tuple[float, float]:
        prices = kernels.prices(stored(TABLE1, results), results)
        return unseen(total(kernels.judgement(s, results, prices) for s in of_scheme(name)))

    def lines(name: str) -> tuple[float, float]:
        return unseen(total(kernels.memory(executed(results, s)) for s in of_scheme(name)))

    return priced if figure == TIME else lines


def _or_absent(way: Way, name: str) -> str:
    try:
        mean, most = way(name)
    except NotRun:
        return ABSENT
    return f"{100 * mean:.1f} / {100 * most:.1f}"


def rows_of_cells(results: Results) -> Data:
    """Every executed set and function, as data.

    The columns are the counts of both views, seconds, MiB, and the 2-calibrations of both.
    """
    columns = (
        "experiment", "scheme", "function", *PARAMETERS, "integer_multiplications", "max_words",
        "kernel_steps", "model_peak_bytes", "cpu_seconds", "cpu_seconds_2_calibration",
        "peak_mib", "peak_mib_2_calibration", "security_bits_today", "overstretched_ntru",
        "80_bits_by_the_rule_of_2017",
    )  # fmt: skip
    rows = [row for s in stored(SWEEPS, results) for f in _functions(s) for row in _cells(results, s, f)]
    return Data("sets", columns, tuple(rows))


def _functions(sweep: Sweep) -> tuple[str, ...]:
    return (WHOLE,) if sweep.application else (WHOLE, *FUNCTIONS)


def _cells(results: Results, sweep: Sweep, function: str) -> list[tuple[Cell, ...]]:
    along = executed(results, sweep, function)
    p = min(2, len(along.cells))
    guessed = [calibrated(along, figure, p).predicted for figure in (TIME, MEMORY)]
    theory = along.theory
    figures = (
        theory.multiplications,
        theory.words,
        theory.kernel_steps,
        theory.bytes,
        along.seconds,
        guessed[0],
    )
    columns = [column.tolist() for column in (*figures, along.mebibytes, guessed[1])]
    secure = [_security(sweep.scheme, c) for c in along.cells]
    told = [(sweep.name, sweep.scheme, function, *(c.parameters[p] for p in PARAMETERS)) for c in along.cells]
    measured = zip(*columns, strict=True)
    return [(*own, *values, *safe) for own, values, safe in zip(told, measured, secure, strict=True)]


def _security(name: str, cell: experiment.StudyCell) -> tuple[Cell, ...]:
    found = security.judged(name, cell.parameters["n"], cell.parameters["log_q"])
    return found.today.bits, found.today.overstretched, found.by_rule
