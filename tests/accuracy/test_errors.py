"""Statistics of errors are those that a hand computes, and keep their order whatever the errors."""

from dataclasses import dataclass
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.accuracy.errors import TARGETS, Errors, Target, errors, grouped, verdicts, worst


@dataclass(frozen=True, slots=True)
class Row:
    error: float
    library: str = "seal"
    n: int = 4096


ROWS = st.lists(
    st.builds(Row, st.floats(-1, 100), st.sampled_from(["seal", "lattigo"]), st.sampled_from([4096, 8192])),
    min_size=1,
    max_size=50,
)


def test_statistics_are_those_of_absolute_errors_and_the_bias_keeps_the_sign() -> None:
    found = Errors.of([-0.1, 0.2, 0.3])
    assert found.count == 3
    assert found.mean == pytest.approx(0.2)
    assert found.median == pytest.approx(0.2)
    assert found.p95 == pytest.approx(0.29)  # nine tenths of the way from 0.2 to 0.3
    assert found.worst == pytest.approx(0.3)
    assert found.bias == pytest.approx(0.4 / 3)


def test_of_nothing_there_are_no_statistics() -> None:
    assert Errors.of([]) == Errors(0, None, None, None, None, None)


@given(ROWS)
def test_no_statistic_exceeds_the_worst_error(rows: list[Row]) -> None:
    found = errors(rows)
    assert found.mean is not None
    assert found.median is not None
    assert found.p95 is not None
    assert found.worst is not None
    assert found.bias is not None
    slack = 1e-9 * (1 + found.worst)
    assert 0 <= found.median <= found.p95 + slack
    assert found.p95 <= found.worst + slack
    assert abs(found.bias) <= found.mean + slack
    assert found.mean <= found.worst + slack
    assert found.worst == max(abs(row.error) for row in rows)


@given(ROWS)
def test_at_most_a_twentieth_lies_above_the_95th_percentile(rows: list[Row]) -> None:
    found = errors(rows)
    assert found.p95 is not None
    above = sum(abs(row.error) > found.p95 * (1 + 1e-12) for row in rows)
    assert above <= ceil(0.05 * (len(rows) - 1))


@given(ROWS)
def test_the_order_of_the_rows_does_not_matter(rows: list[Row]) -> None:
    turned = rows[::-1]
    ours, theirs = errors(rows).to_json(), errors(turned).to_json()
    assert {k: pytest.approx(v) for k, v in ours.items()} == theirs


@given(ROWS)
def test_groups_part_the_rows_and_their_means_make_up_the_whole(rows: list[Row]) -> None:
    groups = grouped(rows, "library", "n")
    assert sorted(map(id, rows)) == sorted(id(row) for group in groups.values() for row in group)
    assert all((row.library, row.n) == key for key, group in groups.items() for row in group)
    means = [(errors(group).mean or 0.0) * len(group) for group in groups.values()]
    assert sum(means) / len(rows) == pytest.approx(errors(rows).mean)


@given(ROWS, st.integers(1, 60))
def test_the_worst_are_those_farthest_off_in_either_direction(rows: list[Row], count: int) -> None:
    found = worst(rows, count)
    assert len(found) == min(count, len(rows))
    sizes = [abs(row.error) for row in found]
    assert sizes == sorted((abs(row.error) for row in rows), reverse=True)[:count]


def test_a_target_is_met_up_to_its_limit_and_open_where_nothing_was_measured() -> None:
    targets = [
        Target("operations", "mean", 0.5),
        Target("operations", "p95", 0.72),
        Target("sizes", "worst", 1),
    ]
    found = verdicts({"operations": Errors.of([-0.25, 0.5, 0.75])}, targets)
    assert [v.met for v in found] == [True, False, None]
    assert found[1].to_json() == {
        "subject": "operations",
        "statistic": "p95",
        "limit": 0.72,
        "found": pytest.approx(0.725),
        "met": False,
    }


def test_the_published_targets_name_statistics_that_there_are() -> None:
    assert all(hasattr(Errors(), t.statistic) for t in TARGETS)
    assert {t.subject for t in TARGETS} == {"operations", "applications", "memory", "sizes"}
