"""Claims with nothing stored, with everything as the theory has it, and with practice against it."""

from collections import Counter

import numpy as np
import pytest

from fheasible.aliases import Floats
from fheasible.reports.figures import BoxPlot, Figure
from fheasible.reports.page import Caution, Table
from fheasible.studies.claim import Claim, JudgedClaim, judged
from fheasible.studies.panthers.claims_calibration import trend
from fheasible.studies.panthers.model import Counted
from fheasible.studies.panthers.parameters import PANTHERS_Q, PANTHERS_W, SWEEPS
from fheasible.studies.panthers.study import PANTHERS
from fheasible.studies.results import Results
from studies.panthers.synthetic import results

NOTHING = Results("panthers", "", {})


def seconds(of: Counted) -> Floats:
    return 2e-9 * of.multiplications


def mebibytes(of: Counted) -> Floats:
    return of.words * 4 / 2**20


def only(words: str) -> Claim:
    (one,) = (c for c in PANTHERS.claims if words in c.claim)
    return one


def named(found: tuple[JudgedClaim, ...], words: str) -> JudgedClaim:
    (one,) = (j for j in found if words in j.claim.claim)
    return one


def test_without_results_only_what_needs_none_is_judged() -> None:
    found = judged(PANTHERS.claims, NOTHING)
    verdicts = Counter(one.finding.verdict.value for one in found)
    assert verdicts["not run yet"] == len(found) - 5
    for one in found:
        if one.finding.holds is None:
            assert "fheasible study run panthers --quick" in one.finding.evidence


def test_the_paper_s_choice_is_reproduced_without_executing() -> None:
    found = judged(PANTHERS.claims, NOTHING)
    assert named(found, "smallest log2 q").to_json()["verdict"] == "reproduced"
    assert named(found, "multiplicative depth of 10").finding.ours == "10"


def test_practice_that_follows_the_theory_is_calibrated_without_error() -> None:
    there = results(list(SWEEPS), seconds, mebibytes)
    found = judged(PANTHERS.claims, there)
    for one in found:
        assert one.finding.holds is not None, one.claim.claim
    assert named(found, "F-NTRU, complexity").finding.ours == "0.0 %, 0.0 %"
    assert named(found, "Executing all sets").finding.holds
    assert named(found, "t has no influence").finding.holds
    assert not named(found, "FV always has").finding.holds  # the counts have YASHE' below FV


def test_a_quick_run_is_enough_for_every_claim() -> None:
    there = results(list(SWEEPS), seconds, mebibytes, quick=True)
    assert all(one.finding.holds is not None for one in judged(PANTHERS.claims, there))


def test_practice_against_the_theory_is_not_reproduced() -> None:
    def wild(of: Counted) -> Floats:
        return 1.5 + np.sin(of.words)

    found = judged(PANTHERS.claims, results(list(SWEEPS), wild, mebibytes))
    assert not named(found, "F-NTRU, complexity").finding.holds
    assert not named(found, "Complexity increases").finding.holds
    assert not named(found, "the maximal error of a 2-calibration").finding.holds


def test_what_is_not_reproduced_has_a_cause_and_what_is_reproduced_has_none() -> None:
    def wild(of: Counted) -> Floats:
        return 1.5 + np.sin(of.words)

    for time in (seconds, wild):
        for one in judged(PANTHERS.claims, results(list(SWEEPS), time, lambda of: 1.1 + np.cos(of.words))):
            assert bool(one.finding.cause) is (one.finding.holds is False), one.claim.claim


def test_less_memory_needs_a_crossing_at_eight() -> None:
    def crossing_at(log_w: float, times: float = 1.0) -> bool:
        def peaks(of: Counted) -> Floats:
            return np.ones_like(of.words)

        there = results(list(SWEEPS), seconds, peaks)
        rows = there.rows[PANTHERS_W.name]
        for row in rows.values():
            assert row.measurement is not None
            below = row.cell.parameters["log_w"] > log_w
            row.measurement["peak_bytes"] *= times * (0.9 if below else 1.1)
        return bool(only("less memory than FV").judge(there).holds)

    assert crossing_at(8)
    assert not crossing_at(0)  # less everywhere is no crossing
    assert not crossing_at(16)
    assert not crossing_at(8, 2)


def test_fv_is_judged_beside_yashe_as_panthers_has_it() -> None:
    there = results(list(SWEEPS), seconds, mebibytes)
    for row in [*there.rows[PANTHERS_W.name].values(), *there.rows[PANTHERS_Q.name].values()]:
        assert row.measurement is not None
        row.measurement["cpu_seconds"]["total"]["min"] *= 10
    assert only("FV always has").judge(there).holds
    assert only("FV is the best candidate").judge(there).holds


def test_limits_of_depth_are_tested_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    for last, holds in ((42, False), (44, True), (46, False)):
        monkeypatch.setattr("fheasible.studies.panthers.choosing.largest_log_w", lambda *_, n=last: n)
        assert only("FV allows depth 10").judge(NOTHING).holds is holds


def test_every_claim_leads_to_cells_of_the_study() -> None:
    known = {e.name for e in PANTHERS.experiments}
    for claim in PANTHERS.claims:
        assert claim.about
        assert set(claim.about) <= known


@pytest.mark.parametrize("run", [False, True])
def test_the_summary_has_five_sentences(run: bool) -> None:
    there = results(list(SWEEPS), seconds, mebibytes, quick=True) if run else NOTHING
    assert PANTHERS.summary is not None
    told = PANTHERS.summary(there, judged(PANTHERS.claims, there))
    assert len(told) == 5
    assert all(sentence.endswith(".") for sentence in told)


def test_every_claim_has_a_criterion_and_a_place_in_the_paper() -> None:
    for claim in PANTHERS.claims:
        assert claim.criterion
        assert "Section" in claim.published or "Table" in claim.published or "Figure" in claim.published


def test_a_trend_is_the_line_s_rise_by_the_mean() -> None:
    assert trend([0, 1, 2, 3], np.array([1.0, 2.0, 3.0, 4.0])) == pytest.approx(3 / 2.5)


@pytest.mark.long
@pytest.mark.parametrize("quick", [True, False])
def test_the_report_has_the_paper_s_figures_and_tables(quick: bool) -> None:
    chapters = PANTHERS.chapters(results(list(SWEEPS), seconds, mebibytes, quick))
    blocks = [block for chapter in chapters for block in chapter.blocks]
    titles = {block.title[:9] for block in blocks if isinstance(block, Figure | BoxPlot)}
    assert {"Figure 1:", "Figure 2a", "Figure 2b", "Figure 3:", "Figure 4:", "Figure 5:"} <= titles
    captions = [block.caption for block in blocks if isinstance(block, Table)]
    assert any("complexity: mean / maximal" in c for c in captions)
    assert any("memory cost: mean / maximal" in c for c in captions)
    (data,) = (data for chapter in chapters for data in chapter.data if data.name == "sets")
    assert {row[0] for row in data.rows} == {s.name for s in SWEEPS}


@pytest.mark.long
def test_a_report_of_nothing_warns_of_security_and_names_what_to_run() -> None:
    chapters = PANTHERS.chapters(NOTHING)
    blocks = [block for chapter in chapters for block in chapter.blocks]
    assert any(isinstance(block, Caution) and "overstretched NTRU" in block.text for block in blocks)
    assert any(isinstance(block, str) and "--only figure1-fv-log_w" in block for block in blocks)
