"""The figure of security over log2 q: its curves, lines and marks."""

import pytest

from fheasible.reports.figures import FigureStyle
from fheasible.reports.security import POINTS, figure, sweep
from fheasible.security.assessment import Attackers
from fheasible.security.tables import GUIDELINES_2024, LEVELS, OPENFHE, SIGMA, max_log_q


def test_every_ring_has_a_curve_and_every_level_a_line() -> None:
    drawn = figure(sweep(Attackers.of("rlwe"), [4096, 8192], "ternary", SIGMA))
    named = {series.name: series for series in drawn.series}
    for n in ("n = 2^12", "n = 2^13"):
        assert len(named[n].x) == POINTS
        assert named[n].y[0] > 256 > 128 > named[n].y[-1]
    for level in LEVELS:
        assert set(named[f"{level} bits"].y) == {level}
        assert named[f"{level} bits"].style == FigureStyle.DASHED
    assert drawn.log_x


def test_marks_are_the_tables_limits() -> None:
    drawn = figure(sweep(Attackers.of("rlwe"), [4096], "ternary", SIGMA))
    named = {series.name: series for series in drawn.series}
    for name, table in (("Guidelines 2024", GUIDELINES_2024), ("libraries' own tables", OPENFHE)):
        marks = dict(zip(named[name].y, named[name].x, strict=True))
        assert marks == {level: max_log_q(table, 4096, "ternary", level) for level in LEVELS}


def test_where_no_table_treats_the_sets_there_are_no_marks() -> None:
    drawn = figure(sweep(Attackers.of("rlwe"), [2048], "ternary", 2.0))
    assert not [series for series in drawn.series if series.style == FigureStyle.POINTS]
    assert "Marks" not in drawn.note


def test_of_ntru_the_fatigue_point_is_marked() -> None:
    drawn = figure(sweep(Attackers.of("ntru"), [1024, 4096], "ternary", SIGMA, (10.0, 20.0)))
    (marks,) = [series for series in drawn.series if series.style == FigureStyle.POINTS]
    # log2 0.004 + 10 * 2.484; that of 4096 is beyond the end
    assert list(marks.x) == pytest.approx([16.874], abs=1e-3)
    assert 150 < marks.y[0] < 220


def test_the_ends_are_those_that_are_given() -> None:
    found = sweep(Attackers.of("rlwe", quantum=True), [4096, 8192], "gaussian", SIGMA, (300.0, 60.0))
    for part in (found.sets.log_q[:POINTS], found.sets.log_q[POINTS:]):
        assert part[0] == pytest.approx(60)
        assert part[-1] == pytest.approx(300)
    assert "chaloy21 (quantum)" in figure(found).note
