"""Few figures of many encryptions: they say what a computation by hand says."""

import numpy as np
import pytest

from fheasible.accuracy.noise_found import errors, noise


def test_errors_of_ckks_are_told_per_encryption_and_varied_from_one_to_the_next() -> None:
    """Two encryptions of (1, 4): errors (1/8, 1/2) and (-1/8, 1/16)."""
    found = errors({"y": np.array([[1.125, 4.5], [0.875, 4.0625]])}, {"y": np.array([1.0, 4.0])})
    assert found["bits"] == pytest.approx([(3 + 3) / 2, (3 + 6) / 2])
    assert found["worst_slot_bits"] == pytest.approx([3, 3])
    assert found["absolute"] == pytest.approx([(1 / 8 + 1 / 2) / 2, (1 / 8 + 1 / 16) / 2])
    assert found["largest"] == pytest.approx([0.5, 0.125])
    assert found["variance"] == pytest.approx((2 * (1 / 8) ** 2 + 2 * (7 / 32) ** 2) / 2)
    assert found["square"] == pytest.approx((2 / 64 + 1 / 4 + 1 / 256) / 4)


def test_outputs_of_one_program_are_judged_together() -> None:
    found = errors(
        {"a": np.array([[1.5], [1.5]]), "b": np.array([[2.25], [2.25]])},
        {"a": np.array([1.0]), "b": np.array([2.0])},
    )
    assert found["bits"] == pytest.approx([(1 + 3) / 2] * 2)
    assert found["variance"] == 0


def test_a_budget_is_what_the_largest_coefficient_leaves() -> None:
    """Two encryptions of one chunk, four coefficients each."""
    v = np.array([[[1 / 8, -1 / 4, 0, 0]], [[1 / 32, 0, 0, -1 / 32]]])
    found = noise({"y": v})
    assert found["budgets"] == {"y": [pytest.approx([1, 4])]}
    assert found["squares"]["y"][0] == pytest.approx([(1 / 64 + 1 / 16) / 4, 2 / 1024 / 4])
    # of eight coefficients: fourth powers (256 + 4096 + 1 + 1) / 2^20, squares (16 + 64 + 1 + 1) / 2^10
    assert found["kurtosis"] == pytest.approx((4354 / 8) / (82 / 8) ** 2)
