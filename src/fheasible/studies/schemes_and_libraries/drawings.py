"""Figures 5, 6 and 7: the equations in CKKS and in TFHE over n, and TFHE under limits on memory."""

from collections.abc import Iterator
from dataclasses import dataclass

from fheasible.reports.figures import Figure, FigureStyle, Mark, MarkedRows, Marks, Series
from fheasible.studies.experiment import Experiment
from fheasible.studies.results import Beside, Results
from fheasible.studies.schemes_and_libraries.claims_tfhe import totals
from fheasible.studies.schemes_and_libraries.crossing import one_ciphertext
from fheasible.studies.schemes_and_libraries.equations import (
    BOOTSTRAPPED,
    EQUATION_1,
    EQUATION_2,
    FRACTIONS,
    IN_TFHE,
    UNREFRESHED,
)
from fheasible.studies.schemes_and_libraries.limits import NONE
from fheasible.studies.schemes_and_libraries.printed import LENGTHS
from fheasible.units import MIB


@dataclass(frozen=True, slots=True)
class Curve:
    """The cells of some experiments that make one curve over n."""

    name: str
    experiments: tuple[Experiment, ...]
    fraction: int | None = None

    def cells(self, results: Results) -> list[Beside]:
        found = [b for e in self.experiments for b in results.beside(e)]
        own = [b for b in found if self.fraction is None or b.has(fraction=self.fraction)]
        return sorted(
            (b for b in own if b.cell.parameters["n"] in LENGTHS), key=lambda b: b.cell.parameters["n"]
        )

    def series(self, results: Results, figure: str, unit: float) -> Iterator[Series]:
        """The predicted line, and the measured points."""
        for read, style, label in (
            (Beside.predicted, FigureStyle.LINE, self.name),
            (Beside.measured, FigureStyle.POINTS, f"{self.name}, measured"),
        ):
            points = [
                (float(b.cell.parameters["n"]), read(b, figure) / unit)
                for b in self.cells(results)
                if read(b, figure) is not None
            ]
            if points:
                xs, ys = zip(*points, strict=True)
                yield Series(label, xs, ys, style, self.name)


def _tfhe(number: int) -> list[Curve]:
    return [Curve(f"TFHE, {f} bits after the point", (IN_TFHE[number],), f) for f in FRACTIONS]


CURVES = {
    1: (
        Curve("CKKS as in Table V", (UNREFRESHED["openfhe"], BOOTSTRAPPED["openfhe"])),
        Curve("CKKS, factors paired", (EQUATION_1["openfhe"],)),
        *_tfhe(1),
    ),
    2: (Curve("CKKS", (EQUATION_2["openfhe"],)), *_tfhe(2)),
}
_WHAT = {1: "a product of n values", 2: "an inner product of n values"}


def equation(results: Results, number: int) -> Figure | None:
    """Figure 5 or 6, times; None where none are known."""
    made = [s for c in CURVES[number] for s in c.series(results, "cpu_seconds", 1.0)]
    if not made:
        return None
    name = "TFHE, one ciphertext a number"
    own = one_ciphertext(results, number)
    made.append(Series(name, tuple(map(float, own)), tuple(own.values()), FigureStyle.DASHED, name))
    return _figure(f"Figure {4 + number} (a): time of {_WHAT[number]}", "CPU time (s)", made)


def memory(results: Results, number: int) -> Figure | None:
    """Figure 5 or 6, memory."""
    made = [s for c in CURVES[number] for s in c.series(results, "peak_bytes", MIB)]
    return _figure(f"Figure {4 + number} (b): memory of {_WHAT[number]}", "peak memory (MiB)", made)


def _figure(title: str, y_label: str, made: list[Series]) -> Figure | None:
    note = "lines: predicted; points: measured"
    return Figure(title, "n", y_label, tuple(made), log_y=True, note=note) if made else None


def limits(results: Results) -> MarkedRows | None:
    """Figure 7: wall seconds of keys and a hundred gates by the limit; None where nothing was run."""
    found = totals(results)
    marks = tuple(
        Marks(name, tuple(both[i] for both in found.values()), Mark.DOT)
        for i, name in enumerate(("OpenFHE, STD128", "TFHE-rs, TFHEpp's set"))
    )
    if not any(value is not None for one in marks for value in one.values):
        return None
    names = tuple("no limit" if limit == NONE else f"{float(str(limit)):g} GB" for limit in found)
    return MarkedRows(
        "Figure 7: keys and a hundred gates under limits on memory", "wall time (s)", names, marks
    )
