"""A sweep of a ring scheme as text: its first sets, warnings, and how well the calibrations predict."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fheasible import units
from fheasible.aliases import Json
from fheasible.api.layout import Part, paragraph, share
from fheasible.api.subjects import said
from fheasible.api.sweep_text import MOST_ROWS, fitted, more, sets
from fheasible.security.tables import SIGMA, STANDARD
from fheasible.units import MIB

if TYPE_CHECKING:
    from fheasible.exploration.sweeps.ring_analysis import Subject
    from fheasible.exploration.sweeps.ring_grid import Grid
    from fheasible.exploration.sweeps.ring_runs import Calibration, Executed

_SMALLEST_ROW = 1024  # the least n that the Security Guidelines have
_WORD_BYTES = 4


class FirstRows:
    """The first sets, as many as a terminal shows."""

    def __init__(self) -> None:
        self.rows: list[Json] = []

    def add(self, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        for row in rows:
            if len(self.rows) == MOST_ROWS:
                return
            self.rows.append(dict(zip(names, row, strict=True)))


class Cautions:
    """How many sets are not to be trusted, with an example of each kind."""

    def __init__(self, chosen: "Subject") -> None:
        self._subject = chosen
        self._found: dict[str, tuple[int, Json]] = {}
        self.count = 0

    def add(self, columns: Mapping[str, Any]) -> None:
        """Counts the sets of those columns; `security_bits` is NaN where no security is known."""
        bits, broken = columns["security_bits"], columns["overstretched"]
        self.count += len(bits)
        unknown = np.isnan(bits)
        small = ~broken & (bits < STANDARD)
        self._note("overstretched", columns, broken)
        self._note("unknown", columns, unknown & ~broken)
        self._note("small", columns, small)
        self._note("bound", columns, self._bounded(columns) & ~broken & ~small & ~unknown)
        self._note("noisy", columns, ~columns["correct"])

    def add_executed(self, results: "Sequence[Executed]") -> None:
        names = ("n", "log_q", "sigma", "security_bits", "overstretched", "correct")
        columns = {name: np.array([r.figures[name] for r in results]) for name in names}
        columns["security_bits"] = columns["security_bits"].astype(float)  # None becomes NaN
        self.add(columns)
        for outcome in ("refused", "died", "timed out", "wrong"):
            self._note_outcome(outcome, [r for r in results if r.record.outcome == outcome])

    def _bounded(self, columns: Mapping[str, Any]) -> Any:
        """Which of the sets no published table treats."""
        small = (columns["n"] < _SMALLEST_ROW) | (columns["sigma"] < SIGMA)
        return small | (self._subject.scheme.problem == "ntru")

    def lines(self) -> list[str]:
        return [self._line(kind, *found) for kind, found in self._found.items()]

    def _note(self, kind: str, columns: Mapping[str, Any], where: Any) -> None:
        at = np.flatnonzero(where)
        if len(at):
            count, example = self._found.get(kind, (0, None))
            example = example or {name: columns[name][at[0]].item() for name in ("n", "log_q", "sigma")}
            self._found[kind] = (count + len(at), example)

    def _note_outcome(self, outcome: str, results: "Sequence[Executed]") -> None:
        if results:
            self._found[outcome] = (len(results), {"message": results[0].record.message})

    def _line(self, kind: str, count: int, example: Json) -> str:
        from fheasible.security.verdict import verdict  # imported late, because the estimator is slow to load

        some = f"{count:,} of {sets(self.count)}"
        if kind == "noisy":
            return (
                f"the worst-case noise bound does not guarantee a right result for {some}: take a "
                "larger log_q"
            )
        if "message" in example:
            return f"{kind}: {some}; for example, {example['message']}"
        said = verdict(self._subject.scheme.problem, **example).warnings
        return f"{_KINDS[kind]}: {some}; for example, {said[-1]}"


def analysed(
    chosen: "Subject", wanted: "Grid", rows: Sequence[Json], tail: Json, width: int
) -> Iterator[Part]:
    """The answer to an analysis. `tail`: what its document says after the sets."""
    yield from headline(chosen, wanted)
    yield ""
    columns = (*(axis.name for axis in wanted.axes), *_FIGURES)
    yield from fitted(columns, [_cells(wanted, row) for row in rows], _LEAST_FIRST)
    yield from _rest(wanted, len(rows), tail, width)
    rate = len(wanted) / tail["seconds"] if tail["seconds"] else 0
    yield f"{sets(len(wanted))} in {units.seconds(tail['seconds'])} ({rate:,.0f} per second)"


def executed(
    chosen: "Subject",
    wanted: "Grid",
    results: "Sequence[Executed]",
    calibrated: "Sequence[Calibration]",
    tail: Json,
    width: int,
) -> Iterator[Part]:
    """The answer to an execution. `tail`: what its document says after the sets."""
    yield from headline(chosen, wanted)
    yield ""
    columns = (*(axis.name for axis in wanted.axes), *_FIGURES, "outcome", "CPU time", "peak")
    shown = results[:MOST_ROWS]
    rows = [(*_cells(wanted, r.figures), *_outcome(r)) for r in shown]
    yield from fitted(columns, rows, _LEAST_FIRST, left=("outcome",))
    yield from _rest(wanted, len(shown), tail, width)
    yield from _calibrations(calibrated)


_FIGURES = ("multiplications", "32-bit words", "exact peak", "depth", "security")
_MEANING = (
    "multiplications: the weight of all operations in integer multiplications; 32-bit words: the most in use"
    " at once; PAnTHErS counts both in this way. exact peak: the most memory of a real run; depth:"
    " multiplications in succession that are guaranteed to decrypt; security: today's estimate"
)
_LEAST_FIRST = ("32-bit words", "exact peak", "all", "calibrating", "multiplications", "most", "peak")
_KINDS = {
    "overstretched": "broken",
    "unknown": "no known security",
    "small": f"less than {STANDARD} bits of security",
    "bound": "security is only an estimate, because no published table has a limit for it",
}


def _cells(wanted: "Grid", row: Mapping[str, Any]) -> tuple[str, ...]:
    bits = row["security_bits"]
    secure = "broken" if row["overstretched"] else "-" if bits is None else f"{int(bits)} bit"
    return (
        *(f"{row[axis.name]:,}" for axis in wanted.axes),
        units.number(row["integer_multiplications"]),
        f"{row['memory_max_words'] * _WORD_BYTES / MIB:,.2f} MiB",
        units.size(row["peak_bytes"]),
        f"{row['depth']}",
        secure,
    )


def _outcome(r: "Executed") -> tuple[str, str, str]:
    outcome = r.record.outcome if r.correct is not False else "wrong, as warned"
    outcome = "wrong" if r.record.outcome == "wrong" else outcome
    outcome = f"{outcome} before" if r.stored_before else outcome
    return outcome, units.seconds(r.measured("cpu_seconds")), units.size(r.measured("peak_bytes"))


def headline(chosen: "Subject", wanted: "Grid") -> Iterator[str]:
    fixed = "".join(f", {name} = {value:,}" for name, value in wanted.fixed.items())
    yield f"{chosen.scheme.title}, {said(chosen)}: {sets(len(wanted))}{fixed}"
    if chosen.application is not None:
        order = "with least depth" if chosen.application.minimised else "with products as written"
        yield f"{order}, a depth of {chosen.depth_needed} is needed"


def _rest(wanted: "Grid", shown: int, tail: Json, width: int) -> Iterator[str]:
    yield from more(shown, len(wanted))
    yield ""
    yield paragraph("columns:", _MEANING, width)
    yield from (paragraph("warning:", line, width) for line in tail["warnings"])
    yield from (f"drawn: {path}" for path in tail["figures"])


def _calibrations(calibrated: "Sequence[Calibration]") -> Iterator[Part]:
    """A table of the calibrations that can be judged, by values through which no curve was drawn."""
    judged = [c for c in calibrated if c.judgement.unseen_mean is not None]
    if judged:
        yield ""
        yield "predictions from a few points, compared with all executed sets:"
        yield from _calibration_table(judged)
    if len(judged) < len(calibrated):
        yield ""
        yield (
            "where all values are points of a calibration, none is left to judge its prediction: take "
            "more values"
        )


def _calibration_table(calibrated: "Sequence[Calibration]") -> Iterator[Part]:
    columns = (
        "over",
        "predicted",
        "method",
        "points",
        "mean error",
        "most",
        "unseen",
        "calibrating",
        "all",
        "speedup",
    )
    rows = [
        (
            _along(c, calibrated), c.quantity.replace("_", " "), c.method.value.replace("_", " "), f"{c.p}",
            share(c.judgement.mean), share(c.judgement.max), _unseen(c),
            units.seconds(c.judgement.effort.calibrating_seconds),
            units.seconds(c.judgement.effort.executing_seconds),
            f"{c.judgement.effort.speedup:.1f}",
        )
        for c in calibrated
    ]  # fmt: skip
    yield from fitted(columns, rows, _LEAST_FIRST, left=columns[:3])


def _along(c: "Calibration", calibrated: "Sequence[Calibration]") -> str:
    """The parameter along which a calibration runs: 'log_q', or 'log_q at n=64' where several run along
    it."""
    fixed = [other.fixed for other in calibrated if other.axis == c.axis]
    told = [f"{k}={v}" for k, v in c.fixed.items() if any(other[k] != v for other in fixed)]
    return f"{c.axis} at {' '.join(told)}" if told else c.axis


def _unseen(c: "Calibration") -> str:
    """The mean error at the values through which no curve was drawn."""
    mean = c.judgement.unseen_mean
    return "-" if mean is None else share(mean)
