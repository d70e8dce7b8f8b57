"""What claims, figures and tables read from the cells: rings, plateaus of precision, groups of times."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from fheasible.exploration.reasons.advice import plateau
from fheasible.studies.experiment import Experiment
from fheasible.studies.results import Beside, Results


def sets(results: Results, experiment: Experiment, **settings: Any) -> list[Beside]:
    """The cells with those settings of which the library makes a set, in the order of their scale."""
    found = [b for b in results.beside(experiment) if not b.prediction.refused and b.has(**settings)]
    return sorted(found, key=scale)


def run(results: Results, experiment: Experiment, **settings: Any) -> list[Beside]:
    """Those of `sets` that were run here. NotRun until a quick run is complete."""
    results.needed(experiment)
    return [b for b in sets(results, experiment, **settings) if b.measured("cpu_seconds") is not None]


def scale(b: Beside) -> int:
    """The bits of the scale; 0 where the cell's setting is another one."""
    return int(b.cell.parameters.get("scale_bits", 0))


def ring(b: Beside) -> int:
    return int(b.predicted("ring_dimension"))


def jumps(found: Iterable[Beside]) -> list[tuple[int, int]]:
    """(the first scale of a larger ring, that ring), in the order of scales."""
    return [(scale(after), ring(after)) for before, after in pairwise(found) if ring(after) > ring(before)]


def largest_in(found: Iterable[Beside], n: int) -> int | None:
    """The largest scale of the sets in that ring; None where there is none."""
    return max((scale(b) for b in found if ring(b) == n), default=None)


def first_of_plateau(found: Sequence[Beside]) -> Beside | None:
    """The set with the least scale whose precision is that of the plateau; None without sets. It is read from
    predicted precision, which every set has."""
    return found[plateau([b.predicted("precision_bits") for b in found])] if found else None


def precision(found: Iterable[Beside]) -> float:
    """The largest predicted precision among them."""
    return max((b.predicted("precision_bits") for b in found), default=0.0)


def grouped(found: Iterable[Beside], by: Callable[[Beside], Any]) -> dict[Any, list[Beside]]:
    made: dict[Any, list[Beside]] = {}
    for b in found:
        made.setdefault(by(b), []).append(b)
    return made
