"""The study's part on TFHE: Table IV's sets, where TFHE overtakes CKKS, and what its claims conclude."""

from functools import cache

import pytest

from fheasible.calibration.lookup_profiles import default_lookup_profile
from fheasible.reports.page import Caution
from fheasible.studies.claim import ClaimFinding
from fheasible.studies.experiment import NotRun, ResultRow
from fheasible.studies.results import Results
from fheasible.studies.schemes_and_libraries import chapters_tfhe, claims_equations, claims_tfhe
from fheasible.studies.schemes_and_libraries.crossing import leads
from fheasible.studies.schemes_and_libraries.equations import IN_TFHE
from fheasible.studies.schemes_and_libraries.limits import (
    GATES_LIMITED,
    NONE,
    TFHE_ABSOLUTE,
    TFHE_LIMITED,
    TFHE_UNLIMITED,
)
from fheasible.studies.schemes_and_libraries.table6 import TABLE_6
from fheasible.studies.schemes_and_libraries.tfhe_sets import (
    PAPERS,
    failures,
    openfhe_key_bytes,
    openfhe_set,
    secrets,
    tfhepp_key_bytes,
    tfhepp_set,
)

AT = {"machine": "invented", "version": "0", "cpu": "Invented"}


@cache
def nothing() -> Results:
    profile = default_lookup_profile("tfhe_rs")
    assert profile is not None
    return Results("schemes-and-libraries", "invented", {}, {"tfhe_rs": profile})


def holding(made: dict[str, dict[str, ResultRow]]) -> Results:
    there = nothing()
    return Results(there.study, there.machine, made, there.profiles, (), there._predicted)


def test_the_papers_sets_are_those_of_table_iv() -> None:
    p, of = tfhepp_set(), openfhe_set()
    assert (p.lwe_dimension, p.polynomial_size, p.pbs.base_log, p.ks.base_log) == (500, 2048, 6, 4)
    assert (of.n, of.ring, of.base_ks, of.gadget) == (512, 1024, 128, ((128, 512),))


def test_keys_of_the_papers_sets_by_hand() -> None:
    """TFHEpp: 500 keys of 8 rows of 2 polynomials of doubles; 2048 coefficients, 3 digits, 255 or 15 values,
    of 501 words of 4 bytes. OpenFHE: 512 * 2 keys of 8 rows of 2 polynomials; 1024 * 2 * 128 vectors of 513.
    """
    bootstrap = 500 * 8 * 2 * 2048 * 8
    assert tfhepp_key_bytes(8) == bootstrap + 2048 * 3 * 255 * 501 * 4
    assert tfhepp_key_bytes(4) == bootstrap + 2048 * 3 * 15 * 501 * 4
    assert openfhe_key_bytes(1024) == 512 * 2 * 8 * 2 * 1024 * 8 + 1024 * 2 * 128 * 513 * 8


def test_the_fork_s_key_is_what_the_paper_weighs() -> None:
    finding = claims_tfhe.memory(nothing())
    assert finding.holds is False
    assert "base 2^8" in finding.cause
    assert tfhepp_key_bytes(8) == pytest.approx(3.3e9, rel=0.02)


def test_neither_set_has_128_bits_of_security() -> None:
    """n = 500 with errors of 2.44e-5 was proposed as 80 bits, and n = 512 was replaced by 554."""
    by_name = {s.secret: s.bits for s in secrets()}
    assert 80 < min(bits for name, bits in by_name.items() if "n = 500" in name) < 100
    assert 115 < next(bits for name, bits in by_name.items() if "key switch" in name) < 128
    assert claims_tfhe.secure(nothing()).holds is False


def test_a_ciphertext_of_the_papers_set_holds_few_values() -> None:
    rates = failures()
    assert list(rates.values()) == sorted(rates.values())
    assert rates[4] < -20 < rates[8]
    assert claims_tfhe.floating_point(nothing()).holds is False


def test_a_lead_begins_between_the_lengths_where_the_first_becomes_slower() -> None:
    line = {2: 1.0, 8: 8.0}
    (one,) = leads(line, {2: 2.0, 8: 4.0})
    assert one.start == pytest.approx(4)  # halfway by logarithms
    assert one.end is None
    assert [str(lead) for lead in leads(line, {2: 0.5, 8: 4.0})] == ["for every n"]
    assert leads(line, {2: 2.0, 8: 9.0}) == ()
    with pytest.raises(NotRun):
        leads(line, {3: 1.0})


def test_a_lead_can_end() -> None:
    line = dict.fromkeys((2, 8, 32), 1.0)
    assert [str(lead) for lead in leads(line, {2: 2.0, 8: 0.5, 32: 2.0})] == ["from n = 4 to 16"]
    assert [str(lead) for lead in leads(line, {2: 0.5, 8: 2.0, 32: 0.5})] == ["up to n = 4", "from n = 16 on"]


def test_every_set_of_tfhe_is_predicted() -> None:
    for experiment in (*IN_TFHE.values(), TABLE_6["tfhe_rs"], TFHE_UNLIMITED, *TFHE_LIMITED.values()):
        for p in nothing().predictions(experiment).values():
            assert not p.refused
            assert p.figures["security_bits"] > 90
    papers = nothing().predictions(TABLE_6["openfhe"])[TABLE_6["openfhe"].cells[0].key]
    assert "its own sets" in papers.refused
    assert papers.figures["evaluation_key_bytes"] > 0


def test_more_bits_after_the_point_are_more_precise_and_take_more_look_ups() -> None:
    for experiment in IN_TFHE.values():
        found = nothing().predictions(experiment)
        for low, high in ((4, 8), (8, 12)):
            few, many = (
                {
                    c.parameters["n"]: found[c.key].figures
                    for c in experiment.cells
                    if c.parameters["fraction"] == f
                }
                for f in (low, high)
            )
            assert all(few[n]["precision_bits"] < many[n]["precision_bits"] for n in few)
            assert all(few[n]["lookups"] < many[n]["lookups"] for n in few)


def test_an_inner_product_takes_as_many_look_ups_as_products() -> None:
    """Each of n products takes the same look-ups; adding them up takes a few more."""
    found = nothing().predictions(IN_TFHE[2])
    lookups = {
        c.parameters["n"]: found[c.key].figures["lookups"]
        for c in IN_TFHE[2].cells
        if c.parameters["fraction"] == 8
    }
    assert lookups[100] / lookups[20] == pytest.approx(5, rel=0.05)


def table_6(openfhe: float, tfhe_rs: float) -> Results:
    """Results in which a bootstrap and a key take so many seconds in each library."""

    def row(library: str, name: str, took: float) -> dict[str, ResultRow]:
        experiment = TABLE_6[library]
        (cell,) = (c for c in experiment.cells if c.parameters["set"] == name)
        others = [c for c in experiment.cells if c.quick and c is not cell]
        figures = {"gate_key_seconds": took, "bootstrapping_seconds": took, "evaluation_key_bytes": 1 << 20}
        return {
            c.key: ResultRow(
                experiment.name, 1, "2026-01-01", c, 5, library, "measured", "", AT, {}, figures=figures
            )
            for c in (cell, *others)
        }

    made = {
        TABLE_6["openfhe"].name: row("openfhe", claims_tfhe.OPENFHE, openfhe),
        TABLE_6["tfhe_rs"].name: row("tfhe_rs", PAPERS, tfhe_rs),
    }
    return holding(made)


def test_gates_without_prices_are_told_with_the_remedy() -> None:
    said = [block for block in chapters_tfhe.table_6(nothing()) if isinstance(block, Caution)]
    assert len(said) == 1
    assert "fheasible calibrate --gates" in str(said[0])


@pytest.mark.parametrize(("openfhe", "tfhe_rs", "key", "bootstrap"), [(1.0, 20.0, True, False),
                                                                      (20.0, 1.0, False, True)])  # fmt: skip
def test_claims_on_table_vi_follow_the_measured_times(
    openfhe: float, tfhe_rs: float, key: bool, bootstrap: bool
) -> None:
    there = table_6(openfhe, tfhe_rs)
    assert claims_tfhe.gate_key(there).holds is key
    assert claims_tfhe.bootstrapping(there).holds is bootstrap
    assert all(
        finding.cause or finding.holds
        for finding in (claims_tfhe.gate_key(there), claims_tfhe.bootstrapping(there))
    )


def limited(gates: float, lookups: float) -> ClaimFinding:
    """The finding where keys and gates take so many wall seconds in each library under every limit."""
    one = {"samples": [gates], "median": gates}
    rows = {
        c.key: ResultRow(
            GATES_LIMITED.name, 1, "2026-01-01", c, 1, "openfhe", "measured", "", AT,
            {"wall_seconds": {"gate_key": one, "bootstrapping": {"samples": []}}},
        )
        for c in GATES_LIMITED.cells
    }  # fmt: skip
    made = {GATES_LIMITED.name: rows}
    for experiment in (TFHE_UNLIMITED, *TFHE_ABSOLUTE.values()):
        (cell,) = experiment.cells
        wall = {"keygen": {"median": 0.0}, "total": {"median": lookups}}
        made[experiment.name] = {
            cell.key: ResultRow(
                experiment.name,
                2,
                "2026-01-01",
                cell,
                1,
                "tfhe_rs",
                "measured",
                "",
                AT,
                {"wall_seconds": wall},
            )
        }
    return claims_tfhe.limited(holding(made))


def test_the_faster_library_under_limits_is_the_one_with_less_wall_time() -> None:
    assert limited(5.0, 3.0).holds is True
    slower = limited(3.0, 5.0)
    assert slower.holds is False
    assert NONE in slower.cause


def test_instructions_per_cycle_cannot_be_judged_without_counters() -> None:
    finding = claims_tfhe.instructions(nothing())
    assert finding.holds is None
    assert "counters" in finding.evidence


def test_an_inner_product_takes_ckks_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims_equations, "fastest_ckks", lambda results, number: {2: 1e-3, 100: 1e-2})
    assert claims_equations.inner(nothing()).holds is True
    monkeypatch.setattr(claims_equations, "fastest_ckks", lambda results, number: {2: 1e3, 100: 1e3})
    assert claims_equations.inner(nothing()).holds is False


def test_table_v_s_depths_take_the_paper_s_bootstraps_but_for_the_last() -> None:
    """By hand: 26 + 2 * 7 >= 39, 29 + 3 * 10 = 59, 31 + 4 * 12 = 79, and 32 + 5 * 13 = 97 < 99."""
    finding = claims_equations.bootstraps(nothing())
    assert finding.ours == "2 for n = 40, 3 for n = 60, 4 for n = 80 and 6 for n = 100"
    assert finding.holds is False
    assert "two products short" in finding.cause
