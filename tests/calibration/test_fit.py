"""The fit, on points made from coefficients that are known."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as at_most
from hypothesis import strategies as st

from fheasible.calibration.fit import error_band, fit, fit_memory, left_out_errors
from fheasible.estimation.features import Shape, features
from fheasible.estimation.profile import MemoryModel, Point
from fheasible.program.types import Action

TRUE = {  # seconds per feature, of the size that real ones have
    "add": (4e-10, 2e-6),
    "relinearize": (1.1e-9, 3e-10, 5e-6),
    "rescale": (1.2e-9, 2e-10, 3e-6),
    "encrypt": (2e-9, 3e-8, 5e-9),
    "decrypt": (1e-9, 2e-10, 4e-9),
    "keygen": (8e-9, 2e-9),
}
EVERY_ACTION = [*(a.value for a in Action), "decrypt", "keygen"]
POLYS = {"keygen": (2, 5)}


def shapes(action: str, scheme: str = "ckks") -> list[Shape]:
    """As calibration makes them: larger rings with more limbs, and three levels of each."""
    return [
        Shape(1 << log_n, limbs, special, a, polys, scheme, dropped=1)
        for log_n, top, special, a in ((12, 2, 1, 1), (13, 5, 2, 2), (14, 9, 3, 3), (15, 13, 3, 5))
        for limbs in sorted({1, top // 2 + 1, top})
        for polys in POLYS.get(action, (2, 3))
    ]


def seconds(action: str, s: Shape) -> float:
    return sum(c * f for c, f in zip(TRUE[action], features(action, s), strict=True))


def points(action: str, noise: float = 0.0, seed: int = 0) -> list[Point]:
    draw = np.random.default_rng(seed)
    return [
        Point("ckks", action, s, seconds(action, s) * (1 + noise * draw.uniform(-1, 1)))
        for s in shapes(action)
    ]


@pytest.mark.parametrize("action", TRUE)
def test_without_noise_the_coefficients_come_back(action: str) -> None:
    assert fit(points(action))[f"ckks/{action}"] == pytest.approx(TRUE[action], rel=1e-6)


@pytest.mark.parametrize("action", TRUE)
@pytest.mark.parametrize("seed", range(5))
def test_noise_of_three_percent_predicts_other_shapes_within_six(action: str, seed: int) -> None:
    found = fit(points(action, noise=0.03, seed=seed))[f"ckks/{action}"]
    for s in (Shape(1 << 13, 3, 1, 1), Shape(1 << 14, 7, 2, 2), Shape(1 << 15, 10, 3, 4, 3)):
        predicted = sum(c * f for c, f in zip(found, features(action, s), strict=True))
        assert predicted == pytest.approx(seconds(action, s), rel=0.06)


def test_all_operations_of_all_schemes_are_fitted_apart() -> None:
    made = [p for action in TRUE for p in points(action)]
    dearer = [Point("bgv", p.action, p.shape, 2 * p.seconds) for p in points("add")]
    found = fit([*made, *dearer])
    assert set(found) == {*(f"ckks/{action}" for action in TRUE), "bgv/add"}
    assert found["bgv/add"] == pytest.approx([2 * c for c in TRUE["add"]], rel=1e-6)


@at_most(max_examples=60, deadline=None)
@given(
    action=st.sampled_from(EVERY_ACTION),
    scheme=st.sampled_from(["ckks", "bgv", "bfv"]),
    times=st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=20),
)
def test_no_coefficient_is_ever_negative(action: str, scheme: str, times: Sequence[float]) -> None:
    made = [Point(scheme, action, s, t) for s, t in zip(shapes(action, scheme), times, strict=False)]
    (found,) = fit(made).values()
    assert all(np.isfinite(c) and c >= 0 for c in found)
    assert any(c > 0 for c in found)


def test_small_operations_weigh_as_much_as_large_ones() -> None:
    # Relative errors: a point of a microsecond that is doubled moves the fit as much as one of a second.
    constant = [
        Point("ckks", "add", Shape(8, 1, 1, 1), 1e-6),
        Point("ckks", "add", Shape(1 << 20, 60, 1, 1), 1.0),
    ]
    found = fit(constant)["ckks/add"]
    for p in constant:
        assert sum(c * f for c, f in zip(found, features("add", p.shape), strict=True)) == pytest.approx(
            p.seconds
        )


def test_the_error_at_a_point_left_out_by_hand() -> None:
    line = [Point("ckks", "add", Shape(1024 * k, 1, 1, 1), 1e-6 * k) for k in (1, 2, 4, 8)]
    assert left_out_errors(line) == pytest.approx([0, 0, 0, 0], abs=1e-6)
    # the last one really takes twice as long as the others foretell: 8 instead of 16
    broken = [*line[:3], Point("ckks", "add", Shape(8192, 1, 1, 1), 16e-6)]
    assert left_out_errors(broken)[3] == pytest.approx(0.5)
    assert left_out_errors(line[:2]) == []


def test_the_band_weighs_errors_by_time_and_leaves_out_what_has_too_few_points() -> None:
    line = [Point("ckks", "add", Shape(1024 * k, 1, 1, 1), 1e-6 * k) for k in (1, 2, 4)]
    broken = [*line, Point("ckks", "add", Shape(8192, 1, 1, 1), 16e-6)]
    errors = left_out_errors(broken)
    total = sum(p.seconds for p in broken)
    expected = sum(e * p.seconds for e, p in zip(errors, broken, strict=True)) / total
    alone = Point("ckks", "mul", Shape(1024, 1, 1, 1), 1.0)
    assert error_band([*broken, alone]) == pytest.approx(expected)
    assert error_band(points("add")) == pytest.approx(0, abs=1e-6)


def test_points_that_tell_nothing_have_a_band_of_everything() -> None:
    assert error_band([]) == 1.0
    assert error_band(points("add")[:2]) == 1.0


def test_a_memory_model_comes_back() -> None:
    draw = np.random.default_rng(1)
    needs = [tuple(draw.uniform(1, 9, 3) * (1e5, 1e8, 1e7)) for _ in range(8)]
    rows = [(5e7, c, k, v, 5e7 + 90 * c + 1.1 * k + 1.5 * v) for c, k, v in needs]
    found = fit_memory(rows)
    assert found.baseline_bytes == 5e7
    assert (found.context, found.keys, found.live) == pytest.approx((90, 1.1, 1.5), rel=1e-4)


def test_the_baseline_is_the_median_of_those_seen() -> None:
    rows = [(b, 1e6, 1e7 * i, 1e6, 9e7 + 2e7 * i) for i, b in enumerate((5e7, 9e9, 4e7), start=1)]
    assert fit_memory(rows).baseline_bytes == 5e7


@given(st.lists(st.tuples(*[st.floats(1e3, 1e10)] * 5), min_size=1, max_size=12))
def test_a_memory_model_is_finite_and_never_negative(
    rows: list[tuple[float, float, float, float, float]],
) -> None:
    found: MemoryModel = fit_memory(rows)
    for value in (found.context, found.keys, found.live):
        assert np.isfinite(value)
        assert value >= 0
