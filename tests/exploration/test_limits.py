"""Rows beyond a limit, by hand: who is left, who was nearest, what one limit alone keeps out."""

import numpy as np

from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.judge import STAGES, beyond
from fheasible.exploration.judging.sieve import Judged, Miss
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.limits import excess, limits, within, without

# memory, keys, time, score
ROWS = np.array([(10, 9, 1, 5), (4, 9, 1, 4), (10, 2, 1, 3), (4, 2, 9, 2), (4, 2, np.nan, 1), (9, 2, 1, 6)])
WISH = Wish(max_bytes=5, max_key_bytes=3, max_seconds=2)


def judged() -> Judged:
    memory, keys, time, score = ROWS.T
    given = {
        "scheme": "ckks", "peak_bytes": memory.astype(np.int64), "key_bytes": keys.astype(np.int64),
        "cpu_seconds": time, "score": score, "scale_bits": 20.0 + np.arange(len(ROWS)), "first_bits": 30.0,
        "time": 1.0, "communication": 1.0,
    }  # fmt: skip
    return Judged(7, Columns.of(len(ROWS), np.full(len(ROWS), 3), given), None)


def test_only_what_meets_every_limit_is_left_and_an_unknown_time_may_do() -> None:
    found = within(judged(), WISH).judged
    assert found.rows == 7
    assert found.feasible["score"].tolist() == [1]


def test_how_far_all_is_beyond_a_limit_of_nothing_can_be_compared() -> None:
    found = excess(judged().feasible, "max_seconds", Wish(max_seconds=0))
    assert np.all(np.isfinite(found) == np.isfinite(ROWS[:, 2]))
    assert np.nanargmax(found) == 3


def test_the_nearest_miss_failed_last_and_by_least() -> None:
    assert within(judged(), WISH).judged.nearest == Miss(STAGES.index("time"), 9.0, 3, (23, 30, 0))
    closer = Wish(max_bytes=8)
    assert within(judged(), closer).judged.nearest == Miss(STAGES.index("memory"), 9.0, 3, (25, 30, 0))


def test_a_limit_alone_keeps_out_what_meets_all_others_best_first() -> None:
    freed = within(judged(), WISH).freed
    assert {name: rows["score"].tolist() for name, rows in freed.items()} == {
        "max_bytes": [3, 6],
        "max_key_bytes": [4],
        "max_seconds": [2],
    }


def test_without_limits_all_stays_as_it_is() -> None:
    rows = judged()
    assert within(rows, Wish()).judged is rows
    assert limits(without(WISH)) == {}
    assert limits(without(WISH, "max_bytes")) == {"max_key_bytes": 3, "max_seconds": 2}


def test_what_is_beyond_a_limit_is_told_with_enough_digits_and_never_as_a_power_of_ten() -> None:
    said = "{} MiB, but only {} MiB are allowed"
    for took, most, both in ((213.84, 2, ("213.8", "2")), (256.0004, 256, ("256.0004", "256"))):
        assert beyond(took, most, " MiB") == said.format(*both)
    assert beyond(40_030.2, 256, " MiB") == said.format("40,030", "256")
