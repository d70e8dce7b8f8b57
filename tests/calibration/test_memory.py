"""The fit of the memory model on synthetic runs, whose coefficients are known."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.calibration.memory import MemoryRow, error_band, fit_memory, left_out_errors
from fheasible.estimation.memory import PUBLISHED_BAND, MemoryModel, Needs, peak_bytes, resident_set

TRUTH = MemoryModel(42e6, 2e6, 1.04, 1.01, 1.06)
MEGA = 1_000_000


def run(context: int, keys: int, evaluation: int, model: MemoryModel = TRUTH, more: float = 0.0) -> MemoryRow:
    """What a machine of that model shows, in megabytes; `more` are bytes that its allocator lost."""
    needed = Needs(MEGA, context * MEGA, keys * MEGA, (evaluation // 4) * MEGA, evaluation * MEGA)
    found = resident_set(model, needed)
    lost = round(more * MEGA)
    return MemoryRow(
        needed,
        found.baseline_bytes,
        found.context_bytes,
        found.keys_bytes + lost,
        found.peak_bytes + lost,
    )


ROWS = [run(c, k, e) for c, k, e in ((2, 5, 8), (10, 60, 30), (40, 30, 90), (90, 400, 200), (20, 300, 40))]


def test_a_known_machine_is_recovered() -> None:
    found = fit_memory(ROWS)
    assert found.baseline_bytes == pytest.approx(TRUTH.baseline_bytes)
    assert found.fixed_bytes == pytest.approx(TRUTH.fixed_bytes, rel=0.02)
    assert (found.context, found.keys, found.working) == pytest.approx((1.04, 1.01, 1.06), abs=0.002)


def test_a_byte_of_a_key_takes_at_least_one() -> None:
    impossible = MemoryModel(42e6, 0.0, 0.5, 0.5, 0.5)
    found = fit_memory([run(c, k, e, impossible) for c, k, e in ((2, 5, 8), (10, 60, 30), (40, 30, 90))])
    assert found.context >= 1 - 1e-6
    assert found.keys >= 1 - 1e-6
    assert found.working >= 0.9 - 1e-6


def test_one_run_in_which_the_allocator_lost_a_third_moves_little() -> None:
    odd = run(30, 200, 60, more=100)
    found = fit_memory([*ROWS, odd])
    for row in ROWS:
        assert peak_bytes(found, row.needs) == pytest.approx(row.peak_bytes, rel=0.02)


def test_a_single_run_gives_a_model_that_fits_it() -> None:
    row = run(20, 100, 50)
    assert peak_bytes(fit_memory([row]), row.needs) == pytest.approx(row.peak_bytes, rel=0.005)


def test_errors_are_those_of_models_that_saw_no_run_of_the_context() -> None:
    assert left_out_errors(ROWS) == pytest.approx([0.0] * len(ROWS), abs=0.01)
    odd = run(30, 200, 60, more=-60)
    twice = left_out_errors([*ROWS, odd, odd])
    assert twice[-1] == twice[-2] == pytest.approx(60e6 / odd.peak_bytes, rel=0.1)
    assert left_out_errors([odd, odd]) == []  # nothing is left to learn from


def test_nine_of_ten_errors_of_all_schemes_are_within_the_band_or_it_is_the_published_one() -> None:
    odd = run(30, 200, 60, more=-60)
    assert error_band([ROWS]) < 0.01 < error_band([ROWS, [*ROWS, odd]])
    assert error_band([[odd], []]) == PUBLISHED_BAND
    draw = np.random.default_rng(5)
    sizes = draw.integers(1, 300, (60, 3)).tolist()
    rows = [run(c, k, e, more=0.02 * draw.normal() * (c + k + e)) for c, k, e in sizes]
    schemes = rows[:20], rows[20:40], rows[40:]
    errors = np.abs([e for each in schemes for e in left_out_errors(each)])
    assert 0.8 < np.mean(errors <= error_band(schemes)) < 0.97


def test_the_published_band_is_that_of_the_published_results() -> None:
    results = json.loads((Path(__file__).parents[2] / "benchmarks/results/accuracy.json").read_text())
    assert results["errors"]["memory"]["p95"] == pytest.approx(PUBLISHED_BAND, abs=5e-4)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_measurements_that_scatter_give_predictions_that_scatter_no_more(seed: int) -> None:
    draw = np.random.default_rng(seed)
    sizes = draw.integers(1, 300, (8, 3))
    rows = [run(int(c), int(k), int(e), more=0.01 * draw.normal() * (c + k + e)) for c, k, e in sizes]
    found = fit_memory(rows)
    assert max(abs(peak_bytes(found, row.needs) / row.peak_bytes - 1) for row in rows) < 0.05


def test_garbage_that_is_used_again_spoils_no_peak() -> None:
    """As Go has it: a context is 4 MB larger while it is made than it is later."""
    made = [
        replace(
            row, context_bytes=min(row.context_bytes + 4 * MEGA, row.peak_bytes), keys_bytes=row.keys_bytes
        )
        for row in ROWS
    ]
    found = fit_memory(made)
    for row in made:
        assert peak_bytes(found, row.needs) == pytest.approx(row.peak_bytes, rel=0.01)
