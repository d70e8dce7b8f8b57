"""The study of Tsuji and Oguchi: its cells are the paper's, and its claims can hold and fail."""

from collections.abc import Callable, Mapping
from functools import cache

import pytest

from fheasible.reports.page import ClaimMark
from fheasible.studies.applied import AppliedExperiment
from fheasible.studies.claim import JudgedClaim, judged
from fheasible.studies.experiment import ResultRow
from fheasible.studies.results import Results
from fheasible.studies.schemes_and_libraries import claims_times
from fheasible.studies.schemes_and_libraries.curves_by_depth import bend, growth
from fheasible.studies.schemes_and_libraries.equations import BOOTSTRAPPED, BOOTSTRAPPED_SMALL, EQUATION_2
from fheasible.studies.schemes_and_libraries.experiments import (
    CHAINS,
    DEPTH,
    EXPERIMENTS,
    LATTIGO_CHAINS,
    LIMITED,
    UNLIMITED,
)
from fheasible.studies.schemes_and_libraries.printed import PUBLISHED
from fheasible.studies.schemes_and_libraries.study import SCHEMES_AND_LIBRARIES

AT = {"machine": "invented", "version": "0", "cpu": "Invented"}
Time = Callable[[str, str, int], float]  # of a library, a scheme and a number of products


@cache
def nothing() -> Results:
    return Results("schemes-and-libraries", "invented", {})


def rows(
    experiment: AppliedExperiment, figures: Callable[[int], Mapping[str, float]]
) -> dict[str, ResultRow]:
    """A row for each set that the library makes, with invented figures for each number of products."""
    return {
        cell.key: ResultRow(
            experiment.name, i + 1, "2026-01-01", cell, 5, experiment.library, "measured", "", AT, {},
            figures=figures(int(cell.parameters.get("depth") or cell.parameters["n"])),
        )
        for i, cell in enumerate(experiment.cells)
    }  # fmt: skip


def results(time: Time, memory: Time) -> Results:
    """Invented results of every run by depth."""
    made = {
        e.name: rows(
            e,
            lambda d, lib=lib, scheme=scheme: {
                "cpu_seconds": time(lib, scheme, d),
                "evaluate_seconds": time(lib, scheme, d),
                "peak_bytes": memory(lib, scheme, d),
            },
        )
        for (lib, scheme), e in DEPTH.items()
    }
    return Results("schemes-and-libraries", "invented", made, {}, (), nothing()._predicted)


def of_the_paper(lib: str, scheme: str, products: int) -> float:
    """Times as the paper tells them: BGV first, CKKS last, Lattigo first for few products of BFV and CKKS."""
    unit = {"bgv": 1.0, "bfv": 2.0, "ckks": 4.0}[scheme]
    if scheme == "bgv":
        return unit * (10 + products) * (1.0 if lib == "lattigo" else 1.5)
    return unit * (8.5 + 1.5 * products if lib == "lattigo" else 12.0 + products)


def the_other_way(lib: str, scheme: str, products: int) -> float:
    return 1 / of_the_paper(lib, scheme, products) ** 8


def memory(lib: str, scheme: str, products: int) -> float:
    return (2.0 if scheme == "ckks" else 1.0) * (2.0 if lib == "lattigo" else 1.5) * (10 + products)


def verdicts(there: Results) -> dict[str, JudgedClaim]:
    return {one.claim.claim: one for one in judged(SCHEMES_AND_LIBRARIES.claims, there)}


ABOUT_TIMES = (
    "in OpenFHE, BGV is faster than BFV, and BFV faster than CKKS, at every depth",
    "in Lattigo, BGV is faster than BFV, and BFV faster than CKKS, at every depth",
    "for BFV, Lattigo is faster at small depth and OpenFHE at large depth",
    "for CKKS, Lattigo is faster at small depth and OpenFHE at large depth",
    "CKKS takes more memory than BFV and BGV",
    "OpenFHE takes less memory than Lattigo for all schemes and depths",
    "time and memory grow linearly with the depth",
)


@pytest.mark.parametrize("claim", ABOUT_TIMES)
def test_claims_on_times_hold_where_results_are_as_in_the_paper(claim: str) -> None:
    assert verdicts(results(of_the_paper, memory))[claim].finding.verdict is ClaimMark.REPRODUCED


@pytest.mark.parametrize("claim", ABOUT_TIMES)
def test_they_fail_with_a_cause_where_results_are_the_other_way_round(claim: str) -> None:
    found = verdicts(results(the_other_way, lambda *at: 1 / memory(*at) ** 3))[claim].finding
    assert found.verdict is ClaimMark.NOT_REPRODUCED
    assert found.cause


def test_without_results_only_what_the_libraries_rules_tell_is_judged() -> None:
    found = verdicts(nothing())
    marks = {claim: one.finding.verdict for claim, one in found.items()}
    untestable = [claim for claim, mark in marks.items() if mark is ClaimMark.NOT_TESTABLE]
    assert untestable == ["less memory lowers the instructions per cycle of TFHEpp"]
    assert marks["the moduli of CKKS at each multiplicative depth"] is ClaimMark.REPRODUCED
    assert (
        marks["the moduli of BFV and BGV in OpenFHE at each multiplicative depth"] is ClaimMark.NOT_REPRODUCED
    )
    assert all(one.finding.cause for one in found.values() if one.finding.verdict is ClaimMark.NOT_REPRODUCED)


def test_the_integer_moduli_are_those_of_one_product_less() -> None:
    (one,) = (
        j for c, j in verdicts(nothing()).items() if c.startswith("the moduli of BFV and BGV in OpenFHE")
    )
    assert "BFV 118, 177, 236, 295, 354" in one.finding.cause
    assert "BGV 118, 236, 354, 472, 590" in one.finding.cause
    assert "equal in every cell" in one.finding.cause


def test_lattigo_s_chains_have_the_printed_log_q_but_for_the_damaged_one() -> None:
    for scheme, chains in LATTIGO_CHAINS.items():
        printed = [int(PUBLISHED.value(f"table3.log_q.{scheme}.lattigo.{d}")) for d in (2, 4, 6, 8, 10)]
        assert list(chains) == printed
        assert [sum(bits) for bits in chains.values()] == [470 if q == 410 else q for q in printed]
        assert all(bits <= 59 for chain in chains.values() for bits in chain)


def test_each_chain_stands_at_one_depth() -> None:
    for experiment in CHAINS.values():
        assert [cell.parameters["depth"] for cell in experiment.cells] == [1, 3, 5, 7, 9]


def test_every_set_has_the_paper_s_ring() -> None:
    for (_, scheme), experiment in DEPTH.items():
        rings = {
            p.figures["ring_dimension"] for p in nothing().predictions(experiment).values() if not p.refused
        }
        assert rings == {PUBLISHED.value(f"table3.n.{scheme}")}
    for experiment in EQUATION_2.values():
        rings = {p.figures["ring_dimension"] for p in nothing().predictions(experiment).values()}
        assert rings == {4096}


def test_long_products_are_bootstrapped_in_the_paper_s_ring_and_depth() -> None:
    """OpenFHE's chain has Table V's depth, so one limb more."""
    made = nothing().predictions(BOOTSTRAPPED["openfhe"])
    for cell in BOOTSTRAPPED["openfhe"].cells:
        depth = PUBLISHED.value(f"table5.eq1.{cell.parameters['n']}.depth")
        p = made[cell.key].figures
        assert (p["ring_dimension"], p["limbs"]) == (65536, depth + 1)
    assert not any(p.refused for e in BOOTSTRAPPED_SMALL.values() for p in nothing().predictions(e).values())


def test_numbers_stand_as_the_paper_prints_them() -> None:
    assert PUBLISHED.value("table3.log_q.ckks.openfhe.8") == 415
    assert PUBLISHED.value("table5.eq1.100.log_q") == 1805
    assert PUBLISHED.value("table6.tfhepp.bootstrapping") == 26.865
    assert PUBLISHED.value("table7.gate_key.tfhepp.write.0.5") == 317.097
    assert PUBLISHED.value("table7.bootstrapping.openfhe.read.unlimited") == 0.005


def test_a_limit_that_makes_no_difference_is_no_reproduction() -> None:
    def run(wall: Callable[[AppliedExperiment], float]) -> Results:
        made = {
            e.name: rows(e, lambda _, e=e: {"wall_seconds": wall(e)}) for e in (UNLIMITED, *LIMITED.values())
        }
        return Results("schemes-and-libraries", "invented", made, {}, (), nothing()._predicted)

    def slowed(e: AppliedExperiment) -> float:
        return 1e10 / e.memory.memory_bytes if e.memory else 1.0

    assert claims_times.limited(run(slowed)).holds
    assert claims_times.limited(run(lambda _: 1.0)).holds is False


def test_straight_lines_do_not_bend_and_squares_do() -> None:
    assert bend({d: 3.0 * d + 1 for d in range(1, 11)}) == pytest.approx(0, abs=1e-9)
    assert bend({d: float(d * d) for d in range(1, 11)}) > 0.05
    assert growth({d: float(d**2) for d in range(1, 11)}) == pytest.approx(2)


def test_names_of_experiments_are_unique() -> None:
    assert len({e.name for e in EXPERIMENTS}) == len(EXPERIMENTS)
