"""Figures of a study as data: a figure of the cells over one setting, a curve for each value of others."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fheasible.reports.figures import Figure, FigureStyle, Series
from fheasible.studies.experiment import Experiment
from fheasible.studies.results import Beside, Results

Points = tuple[tuple[float, float], ...]
Where = Callable[[Beside], bool]


def everywhere(b: Beside) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """A figure: `y` over `x`, predicted as lines, measured as points of the same colour.

    `x` is a setting of the cells or a predicted figure; `y` is a figure that both have, or a function of a
    cell and of what reads its figures. `by` names the settings whose values make the curves; an experiment's
    title is part of a curve's name where there are several. `unit` divides the values. `published` are the
    paper's points, by the name of a curve.
    """

    title: str
    experiments: Sequence[Experiment]
    x: str
    y: str
    x_label: str
    y_label: str
    by: tuple[str, ...] = ()
    where: Where = everywhere
    unit: float = 1.0
    log_x: bool = False
    log_y: bool = False
    note: str = ""
    published: Mapping[str, Points] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)  # of experiments, in this figure

    def figure(self, results: Results) -> Figure | None:
        """The figure; None where nothing is known of any curve."""
        made = [*self._ours(results), *self._papers()]
        if not made:
            return None
        return Figure(self.title, self.x_label, self.y_label, tuple(made), self.log_x, self.log_y, self.note)

    def _ours(self, results: Results) -> Iterator[Series]:
        for experiment in self.experiments:
            for name, found in self._curves(experiment, results):
                for style, read, label in (
                    (FigureStyle.LINE, Beside.predicted, f"{name}, predicted"),
                    (FigureStyle.POINTS, Beside.measured, f"{name}, measured"),
                ):
                    points = self._points(found, read)
                    if points:
                        yield Series(
                            label, tuple(x for x, _ in points), tuple(y for _, y in points), style, name
                        )

    def _curves(self, experiment: Experiment, results: Results) -> Iterator[tuple[str, list[Beside]]]:
        """The cells of each curve, with its name."""
        made: dict[str, list[Beside]] = {}
        own = self.names.get(experiment.name, experiment.title if len(self.experiments) > 1 else "")
        for b in results.beside(experiment):
            if self.where(b):
                values = [f"{name} {b.cell.parameters[name]}" for name in self.by]
                made.setdefault(", ".join(filter(None, (own, *values))) or self.y_label, []).append(b)
        yield from made.items()

    def _points(
        self, found: Sequence[Beside], read: Callable[[Beside, str], Any]
    ) -> list[tuple[float, float]]:
        points = [
            (float(x), read(b, self.y) / self.unit)
            for b in found
            if (x := b.cell.parameters.get(self.x, b.predicted(self.x))) is not None
            and isinstance(read(b, self.y), int | float)
        ]
        return sorted((x, y) for x, y in points if (x > 0 or not self.log_x) and (y > 0 or not self.log_y))

    def _papers(self) -> Iterator[Series]:
        for name, points in self.published.items():
            if points:
                xs, ys = zip(*points, strict=True)
                style = FigureStyle.DASHED if len(points) > 1 else FigureStyle.POINTS  # no line has one point
                yield Series(f"{name}, the paper", tuple(xs), tuple(ys), style, name)
