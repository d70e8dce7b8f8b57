"""The error band: by hand, and against runs that were not calibrated."""

from collections.abc import Sequence
from dataclasses import replace
from math import hypot, sqrt

import numpy as np
import pytest

from fheasible.calibration.band import APPLICATIONS, OPERATIONS, band_of, error_band, run_errors
from fheasible.calibration.fit import fit
from fheasible.estimation.features import Shape
from fheasible.estimation.profile import TimedShape
from fheasible.libraries.layout import Task
from fheasible.libraries.work import layout_of
from libraries.chains import chain

from .synthetic import CACHES, UNSEEN, points


def test_nine_tenths_of_the_time_are_within_the_band() -> None:
    assert error_band([0.5, -0.1, 0.02], [1.0, 5.0, 4.0]) == 0.1
    assert error_band([0.5, -0.1, 0.02], [1.1, 5.0, 4.0]) == 0.5
    assert error_band([-0.03], [7.0]) == 0.03


@pytest.mark.parametrize("count", [10, 100])
def test_of_operations_that_take_alike_nine_of_ten_are(count: int) -> None:
    errors = [(-1) ** i * i / count for i in range(1, count + 1)]
    assert error_band(errors, [2.0] * count) == pytest.approx(0.9)


def test_of_none_nothing_is_known() -> None:
    assert error_band([], []) == 1.0


# -- runs of applications


def line(*seconds: float) -> list[TimedShape]:
    """Sums of one limb in contexts that fit a cache: rings of 1024, 2048, ... coefficients."""
    layout = layout_of(chain("seal", "ckks", 1))
    return [TimedShape(Shape(1024 << k, layout, Task("add", 0)), s) for k, s in enumerate(seconds)]


def off(made: Sequence[TimedShape], run: Sequence[TimedShape]) -> float:
    """The error of the total of a run, by a fit to these points."""
    prices = fit(made, CACHES)
    return abs(sum(prices.seconds(p, CACHES) for p in run) / sum(p.seconds for p in run) - 1)


def test_the_error_of_a_run_is_between_that_in_the_fit_and_that_of_its_context_left_out() -> None:
    """Seconds grow with n in all but the last point, which takes twice as long as the others foretell."""
    assert list(run_errors(line(1e-6, 2e-6, 4e-6, 8e-6), CACHES)) == pytest.approx([0] * 4, abs=1e-6)
    made = line(1e-6, 2e-6, 4e-6, 16e-6)
    assert off(made[:-1], made[-1:]) == pytest.approx(0.5, abs=1e-6)  # half of what it takes is foretold
    found = list(run_errors(made, CACHES))
    assert found[-1] == pytest.approx(sqrt(0.5 * off(made, made[-1:])))


def test_a_run_encrypts_and_decrypts_and_has_a_few_operations_of_one_kind() -> None:
    made = points(noise=0.2, only=["encrypt", "decrypt", "add", "mul", "keygen"])
    contexts = list(dict.fromkeys((p.shape.n, p.shape.layout) for p in made))
    expected = []
    for context in contexts:
        here = {p.shape.task.action: p for p in made if (p.shape.n, p.shape.layout) == context}
        others = [p for p in made if (p.shape.n, p.shape.layout) != context]
        for action in ("add", "mul"):
            run = [here["encrypt"], here["decrypt"], *[here[action]] * OPERATIONS]
            expected.append(sqrt(off(made, run) * off(others, run)))
    assert sorted(run_errors(made, CACHES)) == pytest.approx(sorted(expected))


def test_all_points_of_a_context_are_left_out_together() -> None:
    """Both operations of the last context are three times too slow: neither saves the other's prediction."""
    made = points(only=["add", "mul"])
    last = (made[-1].shape.n, made[-1].shape.layout)
    slow = [replace(p, seconds=p.seconds * (3 if (p.shape.n, p.shape.layout) == last else 1)) for p in made]
    there = [p for p in slow if (p.shape.n, p.shape.layout) == last]
    others = [p for p in slow if p not in there]
    assert [off(others, [p]) for p in there] == pytest.approx([2 / 3, 2 / 3], abs=1e-3)
    expected = [sqrt(off(slow, [p]) * off(others, [p])) for p in there]
    assert list(run_errors(slow, CACHES))[-2:] == pytest.approx(expected)


@pytest.mark.parametrize("noise", [0.03, 0.1, 0.3])
def test_nine_of_ten_new_runs_are_within_the_band_of_their_prices(noise: float) -> None:
    """Runs of contexts that no fit saw, whose measurements are as noisy as the calibrated ones."""
    inside = []
    for seed in range(4):
        made, new = points(noise=noise, seed=seed), points(UNSEEN, noise=noise, seed=seed + 100)
        found = list(run_errors(made, CACHES))
        band = error_band(found, [1.0] * len(found))
        for context in dict.fromkeys((p.shape.n, p.shape.layout) for p in new):
            here = {p.shape.task.action: p for p in new if (p.shape.n, p.shape.layout) == context}
            ends = [here["encrypt"], here["decrypt"]]
            runs = [
                [*ends, *[p] * OPERATIONS]
                for action, p in here.items()
                if action not in ("encrypt", "decrypt", "keygen")
            ]
            inside += [off(made, run) <= band for run in runs]
    assert 0.8 < np.mean(inside) < 0.99


def test_the_order_of_points_does_not_matter() -> None:
    few = [p for p in points(noise=0.1) if p.name in ("ckks/add", "ckks/rotate")]
    assert band_of(few[::-1], CACHES) == pytest.approx(band_of(few, CACHES), rel=1e-6)


def test_errors_of_prices_and_of_applications_are_independent() -> None:
    made = points(noise=0.3, only=["encrypt", "add", "relinearize", "decrypt"])
    found = sorted(run_errors(made, CACHES))
    band = band_of(made, CACHES)
    own = sqrt(band**2 - APPLICATIONS**2)
    assert sum(e <= own * 1.0001 for e in found) >= 0.9 * len(found) > sum(e <= own * 0.9999 for e in found)
    assert band_of(points(), CACHES) == pytest.approx(hypot(0, APPLICATIONS), abs=1e-6)


def test_points_that_tell_nothing_have_a_band_of_everything() -> None:
    assert band_of([], CACHES) == 1.0
    assert band_of(points([(13, 4)]), CACHES) == 1.0
    assert band_of(points(only=["keygen"]), CACHES) == 1.0
