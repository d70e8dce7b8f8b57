"""Claims on operating systems wait for results of both on one processor, and are then judged."""

import pytest

from fheasible.reports.page import ClaimMark, Table
from fheasible.studies.claim import judged
from fheasible.studies.results import Results
from fheasible.studies.seal_vs_openfhe import platforms
from fheasible.studies.seal_vs_openfhe.claims_platforms import claims
from fheasible.studies.seal_vs_openfhe.experiments import PRODUCTS, TITLES
from studies.seal_vs_openfhe import synthetic

BOTH = (PRODUCTS["seal", "bgv"], PRODUCTS["openfhe", "bgv"])


def verdict(results: Results) -> ClaimMark:
    return judged(claims()[:1], results)[0].finding.verdict


def test_systems_are_told_apart_by_their_names() -> None:
    names = ("Windows-10", "macOS-14.5", "Darwin-23", "Debian GNU/Linux 12 (bookworm)", "Linux-6.1")
    assert [platforms.system_of(name) for name in names] == ["Windows", "macOS", "macOS", "Linux", "Linux"]


def test_without_results_of_windows_it_cannot_be_tested_and_says_how() -> None:
    (found,) = judged(claims()[:1], synthetic.results(BOTH))
    assert found.finding.verdict is ClaimMark.NOT_TESTABLE
    assert "fheasible import" in found.finding.evidence


def test_results_of_another_processor_do_not_decide() -> None:
    there = synthetic.elsewhere(BOTH, "Windows-10", 3, cpu="Another")
    assert verdict(synthetic.results(BOTH, others=(there,))) is ClaimMark.NOT_TESTABLE


@pytest.mark.parametrize(("factor", "mark"), [(3, ClaimMark.REPRODUCED), (0.5, ClaimMark.NOT_REPRODUCED)])
def test_results_of_windows_on_the_same_processor_decide(factor: float, mark: ClaimMark) -> None:
    there = synthetic.elsewhere(BOTH, "Windows-10", factor)
    assert verdict(synthetic.results(BOTH, others=(there,))) is mark


def test_the_platforms_stand_beside_each_other() -> None:
    there = synthetic.elsewhere(BOTH, "Windows-10", 3)
    found = list(platforms.blocks(synthetic.results(BOTH, others=(there,)), TITLES))
    (table,) = (b for b in found if isinstance(b, Table) and b.columns[0] == "system")
    assert [row[0] for row in table.rows] == ["Linux", "Windows"]
    assert str(table.rows[1][3]).startswith("3.00 (")
