"""Ratios: true changes are found, chance and the machine's own drift are not taken for changes."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from comparison.made import applications, drifting, environment, side, works
from fheasible.comparison.compare import ChangeVerdict, Comparison, compare
from fheasible.comparison.ratios import MANY, Basis, _prior, corrected, ratios
from fheasible.comparison.ratios import _Contrast as Contrast
from fheasible.comparison.runs import APPLICATION, Side, TimedRun


@pytest.mark.long
def test_times_that_are_alike_but_for_drift_raise_no_alarm() -> None:
    """A family of comparisons may have a false alarm once in twenty times."""
    alarms = 0
    for seed in range(30):
        found = compare(side(f"a{seed}", speed=drifting), side(f"b{seed}", speed=drifting), 0.0)
        alarms += any(w.verdict in (ChangeVerdict.SLOWER, ChangeVerdict.FASTER) for w in found.works)
        alarms += found.together[0].verdict is not ChangeVerdict.ALIKE
    assert alarms <= 4  # 5 or more have a probability below 2 % where 1.5 are expected


@pytest.mark.parametrize("sessions", [1, 2])
@pytest.mark.parametrize("factor", [1.15, 1 / 1.15])
def test_what_changed_is_found_and_nothing_else(sessions: int, factor: float) -> None:
    def changed(index: int, session: int, drawn: np.random.Generator) -> float:
        return drifting(index, session, drawn) * (factor if index == 3 else 1.0)

    found = compare(side("a", 40, sessions, 3), side("b", 40, sessions, 3, changed))
    (only,) = [w for w in found.works if w.verdict in (ChangeVerdict.SLOWER, ChangeVerdict.FASTER)]
    assert only.work.name == "w3"
    assert only.ratio.own == pytest.approx(factor, rel=0.03)
    assert only.ratio.low is not None
    assert only.ratio.high is not None
    assert only.ratio.low < factor < only.ratio.high


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    held, count = 0, 0
    for seed in range(20):
        a, b = (side(f"{s}{seed}", speed=drifting).runs.values() for s in "ab")
        pairs = list(zip(a, b, strict=True))
        found = ratios(pairs, range(len(pairs)))
        held += sum(bool(r.low and r.high and r.low < 1 < r.high) for r in found.works)
        count += len(found.works)
    assert 0.92 < held / count < 0.98


def test_everything_slower_is_told_where_sessions_show_that_it_is_no_drift() -> None:
    found = compare(side("a", sessions=4), side("b", sessions=4, speed=lambda *_: 1.2))
    assert found.together[0].verdict is ChangeVerdict.SLOWER
    assert found.together[0].ratio.basis is Basis.SESSIONS
    assert found.slower
    assert all(w.verdict is ChangeVerdict.ALIKE for w in found.works)  # no work is slower beside the others


def test_a_kind_of_operation_is_found_where_each_of_its_contexts_varies_too_much() -> None:
    def of(seed: str, factor: float) -> Side:
        made = side(seed, 240, 2, 2, lambda i, *_: factor if i < 12 else 1.0, noise=0.05)
        named = {
            replace(w, name=f"kind {i // 12}", n=4096 + i): r for i, (w, r) in enumerate(made.runs.items())
        }
        return Side(made.selection, named)

    found = compare(of("a", 1.0), of("b", 1.12))
    assert [n.name for n in found.names if n.verdict is ChangeVerdict.SLOWER] == ["kind 0"]
    assert len(found.names) == 20


def test_a_single_session_tells_a_machine_from_its_drift_only_beyond_what_machines_drift() -> None:
    little, much = (
        compare(side("a", sessions=1), side("b", sessions=1, speed=speed)).together[0]
        for speed in (lambda *_: 1.12, lambda *_: 2.0)
    )
    assert little.ratio.basis is Basis.DRIFT
    assert (little.verdict, much.verdict) == (ChangeVerdict.ALIKE, ChangeVerdict.SLOWER)


def test_where_works_are_few_nothing_is_common() -> None:
    found = compare(side("a", MANY - 1), side("b", MANY - 1, speed=lambda *_: 1.2))
    assert found.together == ()
    assert {w.verdict for w in found.works} == {ChangeVerdict.SLOWER}


def of_one(a: list[list[float]], b: list[list[float]]) -> Comparison:
    return compare(applications(*a), applications(*b))


def test_single_runs_are_compared_by_their_samples() -> None:
    x = [1.0 + 0.001 * i for i in range(12)]
    (found,) = of_one([x], [[1.2 * s for s in x]]).works
    assert found.work.kind == APPLICATION
    assert found.ratio.basis is Basis.SAMPLES
    assert found.verdict is ChangeVerdict.SLOWER
    assert found.ratio.low is not None
    assert found.ratio.low <= 1.2 <= (found.ratio.high or 0)


def test_too_few_samples_are_not_judged() -> None:
    (found,) = of_one([[1.0, 1.1, 1.2]], [[2.0, 2.1, 2.2]]).works
    assert (found.verdict, found.ratio.p, found.ratio.low) == (ChangeVerdict.UNKNOWN, None, None)
    assert found.ratio.value == pytest.approx(2.0)


def test_a_single_work_with_several_runs_is_a_plain_t_test() -> None:
    a, b = [[1.0], [1.02], [0.99]], [[1.1], [1.13], [1.12]]
    (found,) = of_one(a, b).works
    logs = [np.log([x[0] for x in runs]) for runs in (a, b)]
    assert found.ratio.p == pytest.approx(float(stats.ttest_ind(*logs).pvalue))
    assert found.verdict is ChangeVerdict.SLOWER


def test_a_program_is_compared_with_itself_alone() -> None:
    """On each side one program is slow and one is fast; the slow one ran more often on B."""

    def of(*programs: str) -> list[TimedRun]:
        times = {"slow": 2.0, "fast": 1.0}
        return [
            TimedRun(f"{i}", "s", p, np.array([times[p] * (1 + 1e-3 * i)]), environment())
            for i, p in enumerate(programs)
        ]

    pair = (of("slow", "fast", "fast", "fast"), of("slow", "slow", "slow", "fast"))
    assert ratios([pair], [0]).works[0].value == pytest.approx(1.0, abs=0.01)


def test_identical_times_are_no_change() -> None:
    (found,) = of_one([[1.0], [1.0]], [[1.0], [1.0]]).works
    assert found.verdict is ChangeVerdict.ALIKE
    assert found.ratio.value == 1.0


def test_the_common_variance_is_found_again() -> None:
    chance = np.random.default_rng(1)
    freedom, variance = 8, 0.01**2
    true = variance * freedom / chance.chisquare(freedom, 4000)
    drawn = [Contrast(0.0, 0.0, 1.0, float(v * chance.chisquare(4) / 4), 4, Basis.RUNS) for v in true]
    found = _prior(drawn)
    assert found[0] == pytest.approx(freedom, rel=0.25)
    assert found[1] == pytest.approx(variance, rel=0.05)


def test_probabilities_are_corrected_as_holm_did() -> None:
    assert corrected([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert corrected([0.9, 0.8]) == [1.0, 1.0]
    assert corrected([]) == []


def test_the_tolerance_decides_what_is_slower() -> None:
    b = side("b", speed=lambda index, *_: 1.1 if index == 3 else 1.0)
    for tolerance, slower in ((0.05, 1), (0.2, 0)):
        found = compare(side("a"), b, tolerance)
        assert len(found.having(ChangeVerdict.SLOWER)) == slower
        assert len(found.having(ChangeVerdict.TOLERATED)) == 1 - slower


def test_works_are_told_apart_in_words() -> None:
    (work,) = works(1)
    assert work.label == "w0, 2^12, level 1/2, 2 digits"
