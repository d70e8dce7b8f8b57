"""The ranges of the paper, counted by hand from Table I and Section IV."""

import pytest

from fheasible.studies.panthers.parameters import SWEEPS, TABLE1, sweep


@pytest.mark.parametrize(
    ("name", "count", "first", "last"),
    [
        ("fv-log_q", 21, {"n": 4096, "log_q": 100, "log_w": 2, "t": 2}, {"log_q": 300}),
        ("fv-log_w", 21, {"n": 4096, "log_q": 100, "log_w": 2, "t": 2}, {"log_w": 42}),
        ("fv-t", 59, {"n": 4096, "log_q": 100, "log_w": 2, "t": 2}, {"t": 60}),
        ("yashe-t", 59, {"n": 4096, "log_q": 100, "log_w": 2, "t": 2}, {"t": 60}),
        ("shield-log_q", 19, {"n": 1024, "log_q": 4, "log_w": 1, "t": 2}, {"log_q": 40}),
        ("fntru-log_q", 19, {"n": 1024, "log_q": 4, "log_w": 2, "t": 2}, {"log_q": 40}),
        ("fntru-log_w", 16, {"n": 1024, "log_q": 20, "log_w": 1, "t": 2}, {"log_w": 16}),
        ("figure1-fv-log_w", 32, {"n": 2048, "log_q": 200, "log_w": 2, "t": 2}, {"log_w": 64}),
        ("application-fv-log_q", 11, {"n": 4096, "log_q": 300, "log_w": 2, "t": 2}, {"log_q": 350}),
        ("application-fntru-log_q", 11, {"n": 1024, "log_q": 90, "log_w": 1, "t": 2}, {"log_q": 140}),
        ("application-fv-log_w", 22, {"n": 4096, "log_q": 300, "log_w": 2, "t": 2}, {"log_w": 44}),
        ("application-yashe-log_w", 11, {"n": 4096, "log_q": 300, "log_w": 2, "t": 2}, {"log_w": 22}),
        ("application-fv-t", 8, {"n": 4096, "log_q": 300, "log_w": 2, "t": 2}, {"t": 9}),
        ("application-fv-choice", 1, {"n": 4096, "log_q": 281, "log_w": 28, "t": 2}, {"log_q": 281}),
    ],
)
def test_a_sweep_has_the_paper_s_sets(
    name: str, count: int, first: dict[str, int], last: dict[str, int]
) -> None:
    cells = sweep(name).cells
    assert len(cells) == count
    assert cells[0].parameters == first
    assert cells[-1].parameters == first | last


def test_table_1_has_nine_calibrations() -> None:
    assert [s.scheme for s in TABLE1] == ["fv"] * 3 + ["yashe"] * 3 + ["shield"] + ["fntru"] * 2
    assert sum(len(s.values) for s in TABLE1) == 256


@pytest.mark.parametrize("one", SWEEPS, ids=lambda s: s.name)
def test_a_quick_run_has_both_ends_and_something_to_judge_by(one: object) -> None:
    cells = sweep(one.name).cells  # type: ignore[attr-defined]
    assert cells[0].quick
    assert cells[-1].quick
    if len(cells) > 3:
        assert sum(cell.quick for cell in cells) >= 3
