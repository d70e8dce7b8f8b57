"""The study of Faneela and others: its cells are the paper's, and its claims can hold and fail."""

from collections.abc import Callable, Mapping
from functools import cache

import pytest

from fheasible.program.types import Action
from fheasible.reports.page import ClaimMark
from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.claim import JudgedClaim, judged
from fheasible.studies.experiment import ResultRow
from fheasible.studies.results import Results
from fheasible.studies.seal_vs_openfhe.experiments import EXPERIMENTS, PRODUCTS, SUMS
from fheasible.studies.seal_vs_openfhe.printed import PUBLISHED
from fheasible.studies.seal_vs_openfhe.study import SEAL_VS_OPENFHE

AT = {"machine": "invented", "version": "0", "cpu": "Invented", "os": "Debian GNU/Linux 12"}
Figure = Callable[[str, str, int], float]  # of a library, a scheme and a number of operations


@cache
def nothing() -> Results:
    return Results("seal-vs-openfhe", "invented", {})


def rows(experiment: AppliedExperiment, figures: Mapping[int, Mapping[str, float]]) -> dict[str, ResultRow]:
    told = nothing().predictions(experiment)
    return {
        cell.key: ResultRow(
            experiment.name, i + 1, "2026-01-01", cell, 5, experiment.library, "measured", "", AT, {},
            figures=figures[int(cell.parameters["n"])],
        )
        for i, cell in enumerate(experiment.cells)
        if not told[cell.key].refused
    }  # fmt: skip


def results(experiments: Mapping[tuple[str, str], AppliedExperiment], of: Figure) -> Results:
    """Invented times and memory, larger with every operation."""
    made = {}
    for (lib, scheme), e in experiments.items():
        counts = {int(cell.parameters["n"]) for cell in e.cells}
        figures = {
            n: dict.fromkeys(
                (
                    "cpu_seconds",
                    "wall_seconds",
                    "evaluate_seconds",
                    "keygen_seconds",
                    "peak_bytes",
                    "evaluation_key_bytes",
                ),
                of(lib, scheme, n),
            )
            for n in counts
        }
        made[e.name] = rows(e, figures)
    return Results("seal-vs-openfhe", "invented", made, {}, (), nothing()._predicted)


def openfhe_less(lib: str, scheme: str, n: int) -> float:
    return {"openfhe": 1.0, "seal": 2.0, "lattigo": 1.5}[lib] * n


def seal_less(lib: str, scheme: str, n: int) -> float:
    return {"openfhe": 2.0, "seal": 1.0, "lattigo": 1.5}[lib] * n


def verdicts(there: Results) -> dict[str, JudgedClaim]:
    return {one.claim.claim: one for one in judged(SEAL_VS_OPENFHE.claims, there)}


OF_SUMS = [
    f"300 additions in {s} take OpenFHE less {what} than SEAL"
    for s in ("BGV", "CKKS")
    for what in ("time", "memory")
]
OF_PRODUCTS = [
    f"products in {s} take OpenFHE less {what} than SEAL at every depth"
    for s in ("BGV", "CKKS")
    for what in ("time", "memory")
]


@pytest.mark.parametrize("claims", [OF_SUMS, OF_PRODUCTS])
def test_claims_that_openfhe_needs_less_hold_and_fail_as_results_say(claims: list[str]) -> None:
    experiments = SUMS if claims is OF_SUMS else PRODUCTS
    as_told, reversed_ = (verdicts(results(experiments, of)) for of in (openfhe_less, seal_less))
    for claim in claims:
        assert as_told[claim].finding.verdict is ClaimMark.REPRODUCED, claim
        assert reversed_[claim].finding.verdict is ClaimMark.NOT_REPRODUCED, claim
        assert reversed_[claim].finding.cause, claim


def test_without_results_rings_alone_are_judged_and_windows_cannot_be() -> None:
    marks = [one.finding.verdict for one in verdicts(nothing()).values()]
    assert marks.count(ClaimMark.NOT_TESTABLE) == 4
    assert marks.count(ClaimMark.REPRODUCED) + marks.count(ClaimMark.NOT_REPRODUCED) == 4
    assert all(
        one.finding.cause
        for one in verdicts(nothing()).values()
        if one.finding.verdict is ClaimMark.NOT_REPRODUCED
    )


def test_the_rings_of_table_2_stand_as_printed() -> None:
    told = {
        ("seal", "bgv"): {2: 12, 3: 13, 7: 14, 11: 14},
        ("seal", "ckks"): {2: 13, 4: 14, 8: 14, 9: 15},
        ("openfhe", "bgv"): {2: 14, 11: 14},
        ("openfhe", "ckks"): {4: 14, 5: 15, 10: 15, 11: 16},
    }
    for (lib, scheme), rings in told.items():
        for depth, log_n in rings.items():
            assert PUBLISHED[f"table2.{lib}.{scheme}.{depth}"].text.endswith(str(log_n))


@pytest.mark.parametrize(("lib", "scheme"), [("seal", "bgv"), ("openfhe", "ckks")])
def test_as_many_operations_happen_as_the_paper_says(lib: str, scheme: str) -> None:
    for experiments, action in ((SUMS, Action.ADD), (PRODUCTS, Action.MUL)):
        e = experiments[lib, scheme]
        least = min(e.cells, key=lambda cell: cell.parameters["n"])
        made = e.problem({"n": least.parameters["n"]})
        assert len(made.circuit.inputs) == least.parameters["n"] + 1
        candidate = next(c for c in e._latest.values() if c.candidate is not None).candidate
        assert candidate is not None
        done = sum(o.action is action for o in candidate.program.operations)
        assert done == least.parameters["n"]


def test_products_are_computed_as_written() -> None:
    for e in PRODUCTS.values():
        assert all(cell.parameters["as_written"] == "true" for cell in e.cells)


def test_names_of_experiments_are_unique() -> None:
    assert len({e.name for e in EXPERIMENTS}) == len(EXPERIMENTS)
