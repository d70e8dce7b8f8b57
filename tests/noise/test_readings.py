"""What is read of rows is the same alone and beside others."""

import numpy as np
import pytest

from fheasible.noise.reach import readings
from fheasible.noise.reach.readings import Readings
from fheasible.noise.reach.rows import Full, units
from fheasible.noise.reach.targets import Target

SLOTS, WIDTH = 16, 3


def target() -> Target:
    draw, at = np.random.default_rng(1), tuple(range(WIDTH + 2))
    weights, seen = draw.random(WIDTH), draw.random(WIDTH + 2)
    return Target(0, np.arange(WIDTH), units(at, SLOTS, mean=False), False, 1.0, SLOTS, weights, seen)


def test_short_rows_that_wait_for_others_are_read_as_they_are_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    values = [draw.normal(size=(WIDTH + 2, SLOTS)) for _ in range(40)]
    monkeypatch.setattr(readings, "_AT_ONCE", 7 * values[0].size)
    together = Readings(target(), SLOTS)
    waited = [together.of(Full(v), "spread") for v in values]
    together.finish()
    monkeypatch.setattr(readings, "_SHORT", 0)
    alone = [Readings(target(), SLOTS).of(Full(v), "spread") for v in values]
    assert [v.tolist() for v in waited] == [v.tolist() for v in alone]
    expected = (values[0] ** 2).sum(axis=1)
    np.testing.assert_allclose(alone[0][:WIDTH], expected[:WIDTH])
    np.testing.assert_allclose(alone[0][WIDTH:-1], target().seen @ expected)
    np.testing.assert_allclose(alone[0][-1], target().weights @ expected[:WIDTH])


def test_rows_are_read_once() -> None:
    found, rows = Readings(target(), SLOTS), Full(np.ones((WIDTH + 2, SLOTS)))
    for what in ("spread", "offset", "linear"):
        assert found.of(rows, what) is found.of(rows, what)
