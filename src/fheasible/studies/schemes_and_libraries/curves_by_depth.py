"""Measured figures by the number of products, and how straight they grow."""

from collections.abc import Mapping

import numpy as np

from fheasible.studies.experiment import NotRun
from fheasible.studies.results import Results
from fheasible.studies.schemes_and_libraries.experiments import DEPTH

Curve = Mapping[int, float]  # a figure by the number of products


def curve(results: Results, library_name: str, scheme: str, figure: str) -> Curve:
    """The measured figure by the number of products; NotRun as `Results.needed` raises it."""
    found = results.measured(DEPTH[library_name, scheme])
    return {b.cell.parameters["depth"]: float(b.measured(figure)) for b in found if b.measured(figure)}


def common(*curves: Curve) -> list[int]:
    """The numbers of products that all curves have. NotRun where there are none."""
    found = sorted(set.intersection(*(set(c) for c in curves)))
    if not found:
        raise NotRun(
            "no number of products was run with all of them", "fheasible study run schemes-and-libraries"
        )
    return found


def bend(found: Curve) -> float:
    """The largest distance of a point from the straight line of least squares, as a part of the range."""
    x, y = np.array(list(found), float), np.array(list(found.values()), float)
    if len(x) < 3 or np.ptp(y) == 0:
        return 0.0
    slope, start = np.polyfit(x, y, 1)
    return float(np.abs(y - (slope * x + start)).max() / np.ptp(y))


def growth(found: Curve) -> float:
    """The power of the number of products with which the figure grows over the upper half of them."""
    points = sorted(found.items())[len(found) // 2 :]
    (x0, y0), (x1, y1) = points[0], points[-1]
    return float(np.log(y1 / y0) / np.log(x1 / x0)) if x1 > x0 else 1.0
