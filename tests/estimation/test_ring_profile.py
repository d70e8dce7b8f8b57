"""A calibrated machine of the ring schemes: sums of priced kernels, kept as JSON."""

import json

import numpy as np
import pytest

from fheasible.estimation.ring_profile import RingPoint, RingProfile

POINT = RingPoint("fv", "evaluate", 1024, 60, 10, 2, {"butterflies": 10.0, "calls": 2.0}, 0.5)
PROFILE = RingProfile(
    "machine", "0.1.0", "2026-01-01", {"butterflies": 2e-9, "calls": 1e-6}, 1000.0, 1.5, 0.05, 1.1, (POINT,)
)


def test_seconds_are_the_sum_of_priced_kernels_set_by_set() -> None:
    assert PROFILE.seconds({"butterflies": 500, "calls": 3}) == pytest.approx(4e-6)
    many = PROFILE.seconds({"butterflies": np.array([0, 1000]), "calls": 1})
    assert many == pytest.approx([1e-6, 3e-6])
    assert PROFILE.seconds({}) == 0


def test_the_peak_lies_above_what_a_process_needs_anyway() -> None:
    assert PROFILE.peak_bytes(np.array([0, 200])).tolist() == [1000, 1300]


def test_a_kernel_without_a_price_is_not_covered() -> None:
    assert PROFILE.covers({"calls": 1})
    assert not PROFILE.covers({"calls": 1, "divisions": 1})


def test_a_profile_survives_json() -> None:
    assert RingProfile.from_json(json.loads(json.dumps(PROFILE.to_json()))) == PROFILE
