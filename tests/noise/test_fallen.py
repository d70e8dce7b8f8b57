"""The median of the largest error is found by halving: as it stands on the whole grid of steps."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fheasible.noise.ckks import mixture, precision

Floats = NDArray[np.float64]


def on_the_grid(of: Any, size: Floats, steps: Floats, bias: Floats, sigma: Floats, rows: Any) -> Floats:
    """Every step looked at, and numpy's interpolation between them."""
    above = size * np.exp2(-steps)[..., None]
    beyond = mixture.Spread.of(bias[:, None], sigma[:, None], rows[:, None]).chance(above)
    fallen = -np.log1p(-np.minimum(beyond, 1 - 1e-12)) @ (of.weights * of.count)
    logs = np.log2(np.maximum(fallen, 1e-300))
    level = np.log2(np.log(2))
    return np.array([np.interp(level, *of_set) for of_set in zip(logs, steps, strict=True)])


@pytest.mark.parametrize("count", [2, 3, 9, 17, 20])
@pytest.mark.parametrize("seed", range(8))
def test_halving_finds_what_the_whole_grid_shows(count: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    sets, elements = 30, int(draw.integers(1, 60))
    of: Any = SimpleNamespace(weights=draw.dirichlet(np.ones(elements)), count=int(draw.integers(60, 5000)))
    size, rows = draw.uniform(0.1, 2, elements), draw.integers(0, 15, (sets, elements))
    bias = draw.normal(size=(sets, elements)) * draw.choice([0.0, 1e-5])
    sigma = np.exp(draw.normal(size=(sets, elements))) * draw.choice([1e-5, 1e-8])
    start = draw.uniform(-5, 20, sets)
    steps = np.linspace(start, start + draw.uniform(0.5, 30), count, axis=-1)
    wanted = on_the_grid(of, size, steps, bias, sigma, rows)
    np.testing.assert_allclose(precision._fallen(of, size, steps, bias, sigma, rows), wanted, rtol=1e-12)
