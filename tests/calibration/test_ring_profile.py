"""Calibrating the exact ring: the fit finds prices that are known, and a real run gives a profile."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.calibration import ring_profile
from fheasible.calibration.ring_profile import (
    SETTINGS,
    RingSetting,
    band_of,
    calibrate_rings,
    fit,
    fit_memory,
    of_this_machine,
    save,
)
from fheasible.estimation.ring_profile import RingPoint
from fheasible.measurement.environment import observe
from fheasible.rings.kernels import OPERATIONS
from fheasible.rings.pieces import PAGED
from fheasible.schemes.catalogue import SCHEMES
from fheasible.store.store import Store

PRICES = {"butterflies": 2e-9, "calls": 5e-6, "added_words": 1e-9}


def points(prices: dict[str, float], disturbed: Callable[[], float] = lambda: 1.0) -> list[RingPoint]:
    """Four sets of three phases with random counts, at these prices."""
    draw = np.random.default_rng(1)
    found = []
    for number in range(4):
        for phase in ("encrypt", "evaluate", "decrypt"):
            kernels = {name: float(draw.integers(1, 10**6)) for name in prices}
            seconds = sum(prices[name] * count for name, count in kernels.items()) * disturbed()
            found.append(RingPoint("fv", phase, 1 << (10 + number), 100, 10, 2, kernels, seconds))
    return found


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(1e-10, 1e-5), min_size=3, max_size=3))
def test_the_fit_finds_the_prices_behind_exact_times(prices: list[float]) -> None:
    known = dict(zip(PRICES, prices, strict=True))
    found = points(known)
    fitted = fit(found)
    for p in found:
        predicted = sum(fitted[name] * count for name, count in p.kernels.items())
        assert predicted == pytest.approx(p.seconds, rel=1e-6)
    assert band_of(found) == pytest.approx(0, abs=1e-6)


def test_operations_tell_kernels_apart_that_phases_always_take_together() -> None:
    """In every phase as many sums as butterflies: phases alone tell nothing of either."""
    phases = [RingPoint("fv", "evaluate", 1 << k, 100, 10, 2, both(k), 3e-9 * 10**k) for k in range(3, 8)]
    operations = [
        RingPoint("fv", "evaluate", p.n, 100, 10, 2, {name: 1000.0}, price * 1000.0)
        for p in phases
        for name, price in (("butterflies", 1e-9), ("added_words", 2e-9))
    ]
    assert fit(phases, operations) == pytest.approx({"butterflies": 1e-9, "added_words": 2e-9})


def both(k: int) -> dict[str, float]:
    return dict.fromkeys(("butterflies", "added_words"), 10.0**k)


def test_what_lies_between_operations_is_in_the_prices_of_phases() -> None:
    """An operation takes 1 ns for each butterfly and 2 us, a phase 5 us more for each of its operations."""
    operations = [
        RingPoint(
            "fv", "evaluate", n, 100, 10, 2, {"butterflies": count, OPERATIONS: 1.0}, 2e-6 + 1e-9 * count
        )
        for n, count in ((1024, 1e3), (2048, 1e4), (4096, 1e5))
    ]
    phases = [
        replace(o, kernels={k: 3 * v for k, v in o.kernels.items()}, seconds=3 * (o.seconds + 5e-6))
        for o in operations
    ]
    assert fit(phases, operations) == pytest.approx({"butterflies": 1e-9, OPERATIONS: 7e-6})


def test_prices_are_never_negative_and_the_band_grows_with_the_scatter() -> None:
    draw = np.random.default_rng(2)
    little = points(PRICES, lambda: float(draw.uniform(0.95, 1.05)))
    much = points(PRICES, lambda: float(draw.uniform(0.5, 1.5)))
    assert min([*fit(little).values(), *fit(much).values()]) >= 0
    assert 0 < band_of(little) < 0.1 < band_of(much)


def test_a_kernel_that_a_point_lacks_counts_nothing_there() -> None:
    whole = points(PRICES)
    without = {k: v for k, v in whole[0].kernels.items() if k != "calls"}
    seconds = whole[0].seconds - PRICES["calls"] * whole[0].kernels["calls"]
    fitted = fit([replace(whole[0], kernels=without, seconds=seconds), *whole[1:]])
    assert fitted == pytest.approx(PRICES)


def test_memory_is_a_baseline_and_a_multiple_of_what_is_stored() -> None:
    rows = [(1e7, 1e6 + 1.25 * stored, stored) for stored in (1e6, 5e6, 2e7, 3e8)]
    assert fit_memory(rows) == pytest.approx((1.1e7, 1.25))
    less = [(1e7, 0.5 * stored, stored) for stored in (1e6, 5e6)]
    assert fit_memory(less) == pytest.approx((1e7, 1.0))  # what is stored lies in memory


def test_the_settings_span_what_is_predicted() -> None:
    assert {s.scheme for s in SETTINGS} == set(SCHEMES)
    assert len(set(SETTINGS)) == len(SETTINGS)
    assert {s.n for s in SETTINGS} >= {1024, 2048, 4096, 8192, 16384, 32768}
    for s in SETTINGS:
        s.parameters.checked()


@pytest.mark.long
def test_a_real_calibration_is_a_profile_that_the_store_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fheasible_native")
    monkeypatch.setattr(ring_profile, "PASSES", 1)
    few = (
        RingSetting("fv", 256, 60, 20, 1),
        RingSetting("fv", 1024, 120, 40, 1),
        RingSetting("fntru", 512, 40, 8, 1),
    )
    labels: list[str] = []
    made = calibrate_rings(observe("reference"), lambda label, done, total: labels.append(label), few)
    assert labels == ["fv n=256", "fv n=1024", "fntru n=512"]
    assert len(made.points) == 3 * 4
    assert {p.phase for p in made.points} == {"keygen", "encrypt", "evaluate", "decrypt"}
    assert min(made.coefficients.values()) >= 0
    assert {"butterflies", "operations", PAGED} <= set(made.coefficients)
    assert made.baseline_bytes > 10e6
    assert made.bytes_factor >= 1
    with Store.open(tmp_path / "results.sqlite") as store:
        assert of_this_machine(store) is None
        save(store, made)
        assert of_this_machine(store) == made
