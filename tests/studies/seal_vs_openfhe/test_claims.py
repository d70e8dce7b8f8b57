"""Every claim can hold and can fail, and says why where it fails."""

from collections.abc import Mapping

import pytest

from fheasible.reports.page import ClaimMark
from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.claim import JudgedClaim, judged
from fheasible.studies.results import Results
from fheasible.studies.seal_vs_openfhe import claims_platforms, claims_products, claims_sums
from fheasible.studies.seal_vs_openfhe.experiments import EXPERIMENTS, LARGEST, PRODUCTS, SUMS
from fheasible.studies.seal_vs_openfhe.study import SEAL_VS_OPENFHE
from studies.seal_vs_openfhe import synthetic

COMPARED = (*SUMS.values(), *LARGEST.values(), *PRODUCTS.values())


def verdicts(claims: tuple[object, ...], results: Results) -> dict[str, JudgedClaim]:
    return {j.claim.claim: j for j in judged(claims, results)}  # type: ignore[arg-type]


def openfhe_times(factor: float) -> synthetic.Change:
    """Every set as predicted, those of OpenFHE so many times as large."""

    def change(experiment: AppliedExperiment, figures: Mapping[str, object]) -> Mapping[str, object]:
        return synthetic.scaled(figures, factor) if experiment.library == "openfhe" else figures

    return change


def test_without_results_only_the_rings_are_judged() -> None:
    found = judged(SEAL_VS_OPENFHE.claims, synthetic.results([]))
    marks = [j.finding.verdict for j in found]
    assert len(found) >= 8
    assert marks.count(ClaimMark.NOT_RUN) == len(found) - 4 - 4
    assert marks[:4] == [ClaimMark.NOT_REPRODUCED] * 3 + [ClaimMark.REPRODUCED]
    assert marks.count(ClaimMark.NOT_TESTABLE) == 4


@pytest.mark.parametrize(("factor", "mark"), [(0.1, ClaimMark.REPRODUCED), (10, ClaimMark.NOT_REPRODUCED)])
def test_who_is_faster_and_smaller_follows_the_results(factor: float, mark: ClaimMark) -> None:
    there = synthetic.results(EXPERIMENTS, openfhe_times(factor))
    of_sums, of_products = claims_sums.claims(), claims_products.claims()
    found = verdicts((*of_sums, *of_products, claims_platforms.claims()[-1]), there)
    for name in (
        "300 additions in BGV take OpenFHE less time than SEAL",
        "300 additions in CKKS take OpenFHE less memory than SEAL",
        "products in BGV take OpenFHE less time than SEAL at every depth",
        "products in CKKS take OpenFHE less memory than SEAL at every depth",
        "products in BGV: OpenFHE requires less than half of SEAL's memory at the greatest depth",
        "OpenFHE consistently outperforms SEAL in all configurations",
    ):
        assert found[name].finding.verdict is mark, name


def test_every_claim_that_is_not_reproduced_has_a_cause() -> None:
    for factor in (0.1, 1, 10):
        for j in judged(SEAL_VS_OPENFHE.claims, synthetic.results(EXPERIMENTS, openfhe_times(factor))):
            failed = j.finding.verdict is ClaimMark.NOT_REPRODUCED
            assert bool(j.finding.cause) == failed, j.claim.claim


def test_additions_take_as_long_as_published_only_where_the_additions_themselves_do() -> None:
    name = "300 additions in CKKS take about 4 s (OpenFHE) and 7 s (SEAL) on Linux"
    there = synthetic.results(SUMS.values())
    found = verdicts(claims_sums.claims(), there)[name].finding
    assert found.verdict is ClaimMark.NOT_REPRODUCED
    assert "figures of encryption" in found.cause
    slow = synthetic.results(SUMS.values(), lambda e, f: {**f, "evaluate_seconds": 5.0})
    assert verdicts(claims_sums.claims(), slow)[name].finding.verdict is ClaimMark.REPRODUCED


def test_time_that_does_not_grow_with_additions_is_seen() -> None:
    flat = synthetic.results(SUMS.values(), lambda e, f: {**f, "cpu_seconds": 1.0})
    name = "the time rises gradually with the number of additions"
    assert verdicts(claims_sums.claims(), flat)[name].finding.verdict is ClaimMark.NOT_REPRODUCED
    steady = synthetic.results(SUMS.values())
    assert verdicts(claims_sums.claims(), steady)[name].finding.verdict is ClaimMark.REPRODUCED


def test_schemes_are_compared_by_their_results() -> None:
    name = "products take more time in CKKS than in BGV"
    for factor, mark in ((10, ClaimMark.REPRODUCED), (0.1, ClaimMark.NOT_REPRODUCED)):
        there = synthetic.results(
            PRODUCTS.values(),
            lambda e, f, k=factor: synthetic.scaled(f, k) if e.scheme == "ckks" else f,
        )
        assert verdicts(claims_products.claims(), there)[name].finding.verdict is mark


def test_a_step_of_the_ring_that_costs_more_is_seen() -> None:
    name = "where the ring grows, SEAL's time grows more beyond the regular pattern than OpenFHE's"

    def dear(experiment: AppliedExperiment, figures: synthetic.Figures) -> synthetic.Figures:
        larger = experiment.library == "seal" and figures["ring_dimension"] > 8192
        return synthetic.scaled(figures, 5) if larger else figures

    there = synthetic.results(PRODUCTS.values(), dear)
    assert verdicts(claims_products.claims(), there)[name].finding.verdict is ClaimMark.REPRODUCED
    plain = verdicts(claims_products.claims(), synthetic.results(PRODUCTS.values()))[name].finding
    assert plain.verdict is ClaimMark.NOT_REPRODUCED
    assert "At the same one" in plain.cause
