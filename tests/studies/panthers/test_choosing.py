"""The numbers of Section IV that need no execution."""

import pytest

from fheasible.studies.panthers import choosing, explored
from fheasible.studies.panthers.parameters import SWEEPS
from fheasible.studies.panthers.security import CAUTION, judged, ring_by_rule


def test_the_paper_s_modulus_is_the_smallest_of_depth_ten() -> None:
    assert choosing.least_log_q("fv", choosing.needed()).log_q == 281


def test_pairing_the_factors_saves_modulus() -> None:
    paired = choosing.least_log_q("fv", choosing.needed(minimise_depth=True)).log_q
    assert paired is not None
    assert paired < 281


def test_fv_is_deep_enough_wherever_the_paper_runs_it() -> None:
    assert choosing.largest_log_w("fv", 10) >= 44


def test_no_scheme_is_deep_without_end() -> None:
    assert choosing.least_log_q("fv", 90).log_q is None
    assert choosing.largest_log_w("fv", 90) == 0


def test_the_paper_s_ring_follows_from_its_rule_and_not_from_today_s_tables() -> None:
    assert ring_by_rule(281) == 4096
    assert ring_by_rule(349) is None
    fv = judged("fv", 4096, 281)
    assert fv.by_rule
    assert not fv.today.reaches(80)
    assert judged("yashe", 4096, 281).said_today.endswith("bit: overstretched NTRU")


def test_what_is_said_of_security_is_true_of_every_set() -> None:
    assert "YASHE is overstretched NTRU at all of them and F-NTRU at most" in CAUTION
    broken: dict[str, list[bool]] = {}
    for sweep in SWEEPS:
        for cell in sweep.cells:
            found = judged(sweep.scheme, cell.parameters["n"], cell.parameters["log_q"])
            broken.setdefault(sweep.scheme, []).append(found.today.overstretched)
            assert not (sweep.application and found.today.reaches(128))
    assert all(broken["yashe"])
    assert sum(broken["fntru"]) > len(broken["fntru"]) / 2
    assert not any(broken["fv"] + broken["shield"])


@pytest.mark.long
def test_by_today_s_rules_the_search_recommends_no_ntru() -> None:
    today = [found for asked, found in explored.explorations() if "today's tables" in asked]
    assert [found.depth for found in today] == [10, 5]
    for found in today:
        assert found.best is not None
        assert found.best.kind.name == "fv"
        assert all(c.verdict.reaches(128) for c in found.candidates)
        assert {r.kind.name for r in found.rejected} >= {"yashe"}


@pytest.mark.long
def test_by_the_paper_s_rules_every_scheme_but_the_dearest_comes_close() -> None:
    written, _ = (found for asked, found in explored.explorations() if "rule of 2017" in asked)
    least = {c.kind.name: c.multiplications for c in reversed(written.candidates)}
    assert least["fntru"] > 2 * max(least["fv"], least["yashe"])
