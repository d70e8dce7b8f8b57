"""Claims with nothing stored, with everything as the theory has it, and with practice against it."""

from collections import Counter

import numpy as np
import pytest

from fheasible.aliases import Floats
from fheasible.reports.figures import BoxPlot, Figure
from fheasible.reports.page import Caution, Table
from fheasible.studies.claim import JudgedClaim, judged
from fheasible.studies.panthers.claims_calibration import trend
from fheasible.studies.panthers.model import Counted
from fheasible.studies.panthers.parameters import SWEEPS
from fheasible.studies.panthers.study import PANTHERS
from fheasible.studies.results import Results
from studies.panthers.synthetic import results

NOTHING = Results("panthers", "", {})


def seconds(of: Counted) -> Floats:
    return 2e-9 * of.multiplications


def mebibytes(of: Counted) -> Floats:
    return of.words * 4 / 2**20


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
    (data,) = (data for chapter in chapters for data in chapter.data)
    assert {row[0] for row in data.rows} == {s.name for s in SWEEPS}


@pytest.mark.long
def test_a_report_of_nothing_warns_of_security_and_names_what_to_run() -> None:
    chapters = PANTHERS.chapters(NOTHING)
    blocks = [block for chapter in chapters for block in chapter.blocks]
    assert any(isinstance(block, Caution) and "overstretched NTRU" in block.text for block in blocks)
    assert any(isinstance(block, str) and "--only figure1-fv-log_w" in block for block in blocks)
