"""Calibration of sweeps whose practice is known."""

import numpy as np
import pytest

from fheasible.aliases import Floats
from fheasible.studies.panthers import boxes, kernels
from fheasible.studies.panthers.calibrated import (
    MEMORY,
    TIME,
    calibrated,
    effort,
    efforts,
    executed,
    judged,
    stored,
    unseen,
)
from fheasible.studies.panthers.model import Counted, counted
from fheasible.studies.panthers.parameters import TABLE1, Sweep, sweep
from fheasible.studies.results import NotRun, Results
from studies.panthers.synthetic import results

FV_Q = sweep("fv-log_q")
FV = [s for s in TABLE1 if s.scheme == "fv"]


def proportional(of: Counted) -> Floats:
    return 3e-9 * of.multiplications


def linear(of: Counted) -> Floats:
    return 1e-9 * of.words + 40


def priced(of: Counted) -> Floats:
    return 1e-9 * of.kernel_steps + 5e-5 * of.kernels["operations"]


def worst(there: Results, figure: str, p: int) -> float:
    return unseen(judged(FV, there, figure, p))[1]


def test_a_factor_is_found_by_one_point_and_a_line_by_two() -> None:
    there = results(FV, proportional, linear)
    assert worst(there, TIME, 1) == pytest.approx(0, abs=1e-9)
    assert worst(there, MEMORY, 1) > 1e-9
    assert worst(there, MEMORY, 2) == pytest.approx(0, abs=1e-6)


def test_errors_are_those_of_the_paper_s_equation_2() -> None:
    there = results([FV_Q], proportional, linear)
    made = calibrated(executed(there, FV_Q), MEMORY, 1)
    words = counted(FV_Q, FV_Q.cells).words
    practice = np.ceil((1e-9 * words + 40) * 2**20) / 2**20
    by_hand = np.abs(practice - words * practice[10] / words[10]) / practice
    assert made.at == (10,)
    assert made.judgement.errors == pytest.approx(by_hand.tolist())
    others = np.delete(by_hand, 10)
    assert unseen(made.judgement) == pytest.approx((others.mean(), others.max()))


def test_fewer_results_than_points_are_no_calibration() -> None:
    there = results([FV_Q], proportional, linear, quick=True)
    with pytest.raises(NotRun, match="5 results"):
        calibrated(executed(there, FV_Q), TIME, 6)


def test_a_calibration_that_saw_all_values_is_not_judged() -> None:
    there = results([FV_Q], proportional, linear, quick=True)
    with pytest.raises(NotRun):
        unseen(calibrated(executed(there, FV_Q), TIME, 5).judgement)


def test_the_speedup_of_a_quick_run_is_that_of_all_sets() -> None:
    whole, quick = (effort(FV_Q, results([FV_Q], proportional, linear, quick), 2) for quick in (False, True))
    assert (whole.sets, whole.predicted) == (21, 0)
    assert (quick.sets, quick.predicted) == (21, 16)
    assert quick.executing_seconds == pytest.approx(whole.executing_seconds)
    by_hand = counted(FV_Q, FV_Q.cells).multiplications
    assert whole.speedup == pytest.approx(by_hand.sum() / (by_hand[0] + by_hand[-1]))


def test_efforts_of_sweeps_add_up() -> None:
    there = results(FV, proportional, linear)
    total = efforts(FV, there)
    assert total.sets == 101
    assert total.executing_seconds == pytest.approx(sum(effort(s, there, 2).executing_seconds for s in FV))


def test_a_sweep_that_is_not_run_says_so() -> None:
    there = results([FV_Q], proportional, linear)
    assert stored(TABLE1, there) == (FV_Q,)
    with pytest.raises(NotRun) as missing:
        executed(there, sweep("fv-t"))
    assert "fv-t" in missing.value.remedy


@pytest.mark.parametrize("one", FV, ids=lambda s: s.name)
def test_prices_of_kernels_predict_what_consists_of_them(one: Sweep) -> None:
    there = results(FV, priced, linear)
    found = kernels.prices(FV, there)
    assert min(found.seconds.values()) >= 0
    assert kernels.judgement(one, there, found).max < 0.1  # 30 executions do not tell all kernels apart


def test_functions_that_hardly_matter_stay_out_of_the_box_plot() -> None:
    there = results(FV, proportional, lambda of: 1e-6 * of.words + 1e-3)
    found = boxes.means(there, TIME)
    assert {mean.function for mean in found} >= {"keygen", "multiply"}
    assert all(mean.share >= boxes.SHARE for mean in found)
    assert "add" not in {mean.function for mean in found}
    assert max(mean.error for mean in found) == pytest.approx(0, abs=1e-9)


def test_of_nothing_there_is_neither_a_box_plot_nor_a_price() -> None:
    with pytest.raises(NotRun):
        boxes.means(Results("panthers", "", {}), TIME)
    with pytest.raises(NotRun):
        kernels.prices((), Results("panthers", "", {}))
