"""The paper's figures, drawn from what is stored [FerLL18]. All raise NotRun where too little is stored."""

from collections.abc import Iterable, Sequence

from fheasible.aliases import Floats
from fheasible.reports.figures import BoxPlot, Figure, FigureGroup, FigureStyle, Series
from fheasible.schemes.catalogue import scheme
from fheasible.studies.panthers import boxes
from fheasible.studies.panthers.calibrated import MEMORY, TIME, Calibrated, calibrated, executed
from fheasible.studies.panthers.parameters import FIGURE1, FIGURE4, FIGURE5, TABLE1, TITLES, Sweep
from fheasible.studies.results import Results

LABEL = {TIME: "CPU time (s)", MEMORY: "peak memory in use (MiB)"}


def figure1(results: Results) -> Figure:
    """FV executed along log2 w, and its calibrations with one to three points."""
    along = executed(results, FIGURE1)
    lines = [_predicted(f"{p}-calibration", calibrated(along, TIME, p)) for p in (1, 2, 3)]
    points = _series("executed", along.values, along.seconds, FigureStyle.POINTS)
    title = "Figure 1: FV executed and calibrated along log2 w"
    return Figure(title, "log2 w", LABEL[TIME], (*lines, points), note=_fixed([FIGURE1]))


def figure2a(results: Results) -> Figure:
    sweeps = [s for s in TABLE1 if s.vary == "log_q" and s.scheme in ("fntru", "shield")]
    return _pair(results, "Figure 2a: F-NTRU and SHIELD, complexity along log2 q", sweeps, TIME)


def figure2b(results: Results) -> Figure:
    sweeps = [s for s in TABLE1 if s.vary == "log_w" and s.scheme in ("fv", "yashe")]
    return _pair(results, "Figure 2b: FV and YASHE, memory along log2 w", sweeps, MEMORY)


def figure3(results: Results) -> BoxPlot:
    """The mean errors of single functions, in percent."""
    groups = []
    for figure in (TIME, MEMORY):
        errors = [mean.error for mean in boxes.means(results, figure)]
        groups.append(FigureGroup(figure, tuple(100 * error for error in errors)))
    limits = " and ".join(boxes.kept(results, figure).limit for figure in (TIME, MEMORY))
    note = f"all sweeps of Table I, without functions below {limits}"
    return BoxPlot("Figure 3: mean errors of 2-calibrated functions", "mean error (%)", tuple(groups), note)


def figure4(results: Results) -> Figure:
    """The complexity of Eq. 3 along log2 q.

    The ranges differ: from 300 for FV and YASHE, from 90 for F-NTRU.
    """
    return _pair(results, "Figure 4: Eq. 3 along log2 q, complexity", FIGURE4, TIME)


def figure4_memory(results: Results) -> Figure:
    return _pair(results, "Beside Figure 4: Eq. 3 along log2 q, memory", FIGURE4, MEMORY)


def figure5(results: Results) -> Figure:
    return _pair(results, "Figure 5: Eq. 3 along log2 w, memory", FIGURE5, MEMORY)


def figure5_time(results: Results) -> Figure:
    return _pair(results, "Beside Figure 5: Eq. 3 along log2 w, complexity", FIGURE5, TIME)


def _pair(results: Results, title: str, sweeps: Sequence[Sweep], figure: str) -> Figure:
    """Each sweep's 2-calibration at every value as a line, and its executed values as points."""
    series = []
    for sweep in sweeps:
        along, name = executed(results, sweep), scheme(sweep.scheme).title
        series.append(_predicted(f"{name}, 2-calibration", calibrated(along, figure, 2), name))
        series.append(_series(f"{name}, executed", along.values, along.y(figure), FigureStyle.POINTS, name))
    return Figure(title, TITLES[sweeps[0].vary], LABEL[figure], tuple(series), note=_fixed(sweeps))


def _fixed(sweeps: Iterable[Sweep]) -> str:
    """The fixed parameters as a text, 'FV: n = 4096, log2 w = 2, t = 2; ...'.

    Lines may break only between parameters.
    """
    parts = []
    for s in sweeps:
        held = [f"{TITLES.get(name, name)} = {value}" for name, value in s.fixed.items() if name != s.vary]
        parts.append(", ".join([f"{scheme(s.scheme).title}: {held[0]}", *held[1:]]))
    return "; ".join(parts).replace(" = ", "\u00a0=\u00a0")


def _predicted(name: str, made: Calibrated, group: str = "") -> Series:
    sweep = made.along.sweep
    return _series(name, sweep.values, made.beyond(sweep.cells), group=group)


def _series(
    name: str, x: Iterable[int], y: Floats, style: FigureStyle = FigureStyle.LINE, group: str = ""
) -> Series:
    return Series(name, tuple(map(float, x)), tuple(y.tolist()), style, group)
