"""A sweep on a terminal: its first sets, what to be cautious about, how well the calibrations predict."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fheasible.security.verdict import STANDARD, verdict

if TYPE_CHECKING:
    from fheasible.exploration.executing import Calibration, Executed
    from fheasible.exploration.grid import Grid
    from fheasible.exploration.sweep import Subject

Json = dict[str, Any]
MOST_ROWS = 30
_MIB = 2**20
_WORD_BYTES = 4


class FirstRows:
    """As many sets as a terminal shows."""

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
        """Sets by column; NaN where no security is known."""
        bits, broken = columns["security_bits"], columns["overstretched"]
        self.count += len(bits)
        self._note("overstretched", columns, broken)
        self._note("small", columns, ~broken & ~(bits >= STANDARD))
        self._note("noisy", columns, ~columns["correct"])

    def add_executed(self, results: "Sequence[Executed]") -> None:
        names = ("n", "log_q", "security_bits", "overstretched", "correct")
        columns = {name: np.array([r.figures[name] for r in results]) for name in names}
        columns["security_bits"] = columns["security_bits"].astype(float)  # None is NaN
        self.add(columns)
        for outcome in ("refused", "died", "timed out", "wrong"):
            self._note_outcome(outcome, [r for r in results if r.record.outcome == outcome])

    def lines(self) -> list[str]:
        return [self._line(kind, *found) for kind, found in self._found.items()]

    def _note(self, kind: str, columns: Mapping[str, Any], where: Any) -> None:
        at = np.flatnonzero(where)
        if len(at):
            count, example = self._found.get(kind, (0, None))
            example = example or {name: columns[name][at[0]].item() for name in ("n", "log_q")}
            self._found[kind] = (count + len(at), example)

    def _note_outcome(self, outcome: str, results: "Sequence[Executed]") -> None:
        if results:
            self._found[outcome] = (len(results), {"message": results[0].record.message})

    def _line(self, kind: str, count: int, example: Json) -> str:
        some = f"{count:,} of {self.count:,} sets"
        if kind == "noisy":
            return f"the worst-case noise promises no right result for {some}: take a larger log_q"
        if "message" in example:
            return f"{some} {'were' if count > 1 else 'was'} {kind}, as: {example['message']}"
        said = verdict(self._subject.scheme.problem, example["n"], example["log_q"]).warnings
        return f"{some}, as: {said[-1]}"


def analysed(chosen: "Subject", wanted: "Grid", rows: Sequence[Json], tail: Json) -> Iterator[Any]:
    """The terminal's answer to an analysis."""
    from fheasible.cli.tables import table

    yield headline(chosen, wanted)
    yield ""
    columns = (*(axis.name for axis in wanted.axes), *_FIGURES)
    yield table(columns, [_cells(wanted, row) for row in rows])
    yield from _rest(wanted, len(rows), tail)
    rate = len(wanted) / tail["seconds"] if tail["seconds"] else 0
    yield f"{len(wanted):,} sets in {tail['seconds']:.2f} s ({rate:,.0f} a second)"


def executed(
    chosen: "Subject",
    wanted: "Grid",
    results: "Sequence[Executed]",
    calibrated: "Sequence[Calibration]",
    tail: Json,
) -> Iterator[Any]:
    """The terminal's answer to an execution."""
    from fheasible.cli.tables import table

    yield headline(chosen, wanted)
    yield ""
    columns = (*(axis.name for axis in wanted.axes), *_FIGURES, "outcome", "CPU time", "peak")
    shown = results[:MOST_ROWS]
    yield table(columns, [(*_cells(wanted, r.figures), *_outcome(r)) for r in shown], left=("outcome",))
    yield from _rest(wanted, len(shown), tail)
    if calibrated:
        yield ""
        yield _calibration_table(calibrated)


_FIGURES = ("multiplications", "32-bit words", "exact peak", "depth", "security")


def _cells(wanted: "Grid", row: Mapping[str, Any]) -> tuple[str, ...]:
    from fheasible.units import number, size

    bits = row["security_bits"]
    secure = "broken" if row["overstretched"] else "-" if bits is None else f"{int(bits)} bit"
    return (
        *(f"{row[axis.name]:,}" for axis in wanted.axes),
        number(row["integer_multiplications"]),
        f"{row['memory_max_words'] * _WORD_BYTES / _MIB:,.2f} MiB",
        size(row["peak_bytes"]),
        f"{row['depth']}",
        secure,
    )


def _outcome(r: "Executed") -> tuple[str, str, str]:
    from fheasible.units import seconds, size

    outcome = r.record.outcome if r.correct is not False else "wrong, as feared"
    outcome = "wrong" if r.record.outcome == "wrong" else outcome
    return outcome, seconds(r.measured("cpu_seconds")), size(r.measured("peak_bytes"))


def headline(chosen: "Subject", wanted: "Grid") -> str:
    fixed = ", ".join(f"{name} = {value}" for name, value in wanted.fixed.items())
    return f"{chosen.scheme.title}, {chosen.what}: {len(wanted):,} sets; {fixed}"


def _rest(wanted: "Grid", shown: int, tail: Json) -> Iterator[str]:
    from fheasible.cli.tables import paragraph

    if shown < len(wanted):
        yield f"... {len(wanted) - shown:,} more: --csv or --out FILE, or --json"
    yield ""
    yield from (paragraph("warning:", line) for line in tail["warnings"])
    yield from (f"drawn: {path}" for path in tail["figures"])


def _calibration_table(calibrated: "Sequence[Calibration]") -> Any:
    from fheasible.cli.tables import share, table
    from fheasible.units import seconds

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
            c.axis, c.quantity.replace("_", " "), c.method.value.replace("_", " "), f"{c.p}",
            share(c.judgement.mean), share(c.judgement.max), _unseen(c),
            seconds(c.judgement.effort.calibrating_seconds), seconds(c.judgement.effort.executing_seconds),
            f"{c.judgement.effort.speedup:.1f}",
        )
        for c in calibrated
    ]  # fmt: skip
    return table(columns, rows, left=columns[:3])


def _unseen(c: "Calibration") -> str:
    """The mean error at the values that no curve was drawn through."""
    from fheasible.cli.tables import share

    mean = c.judgement.unseen_mean
    return "-" if mean is None else share(mean)
