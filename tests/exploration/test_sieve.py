"""What falls through a sieve: the nearest of it is told, and the others are left as they are."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fheasible.exploration.judging.judge import STAGES
from fheasible.exploration.judging.sieve import Miss, Sieve

LARGEST = float(np.finfo(float).max)


def sieve() -> Sieve:
    choice: Any = SimpleNamespace()
    sizes = np.arange(5)
    return Sieve(choice, 3, {"scale": 20 + sizes, "first": 30 + sizes, "special": 40 + sizes})


@pytest.mark.parametrize(
    ("miss", "at", "distance"),
    [
        (1.0, 1, 1.0),  # all miss as much: the first of them
        (np.array([-9.0, 4.0, -9.0, 2.0, 3.0]), 3, 2.0),  # those that fit, at 0 and 2, miss nothing
        (np.array([0.0, np.nan, 0.0, np.inf, 5.0]), 4, 5.0),
        (np.array([0.0, np.nan, 0.0, np.nan, np.nan]), 1, np.inf),
        (np.array([0.0, np.nan, 0.0, 1e299, np.inf]), 3, 1e299),
        (np.array([0.0, 1.0, 0.0, -np.inf, -3.0]), 3, -LARGEST),
    ],
)
def test_the_nearest_of_those_that_are_left_out_is_told(
    miss: float | NDArray[np.float64], at: int, distance: float
) -> None:
    left = sieve()
    left.keep(np.array([True, False, True, False, False]), "security", miss)
    assert left["scale"].tolist() == [20, 22]
    assert left.nearest == Miss(STAGES.index("security"), distance, 3, (20 + at, 30 + at, 40 + at))


def test_where_all_fit_nothing_is_missed() -> None:
    left = sieve()
    left.keep(np.ones(5, dtype=np.bool_), "security", np.nan)
    assert len(left) == 5
    assert left.nearest is None
