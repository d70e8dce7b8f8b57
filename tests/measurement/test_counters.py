"""What phases used is the difference between marks; what the kernel does not count is None, and never 0."""

import numpy as np
import pytest

from fheasible.measurement.counters import MARKED, MOST_STRETCHES, Counters, Marks, counters, stretches
from fheasible.measurement.events import EVENTS

UNCOUNTED = [-1, -1, -1]
NAMES = list(EVENTS)


def mark(phase: str, repetition: int, milliseconds: float, faults: int = 0, **events: list[int]) -> list[int]:
    """A row of marks; an event that is not named is not counted."""
    clock = int(milliseconds * 1e6)
    told = [number for name in NAMES for number in events.get(name, UNCOUNTED)]
    return [MARKED.index(phase), repetition, clock, clock // 2, faults, 0, 2 * faults, 0, *told]


def run(*rows: list[int]) -> Marks:
    return np.array(rows, dtype=np.int64)


def test_a_phase_in_several_stretches_is_summed_in_each_repetition() -> None:
    found = counters(
        run(
            mark("keygen", 0, 0),
            mark("encrypt", 0, 10, 1),
            mark("evaluate", 0, 12, 4),
            mark("encrypt", 0, 15, 6),
            mark("evaluate", 0, 16, 7),
            mark("encrypt", 1, 20, 9),
            mark("evaluate", 1, 21, 10),
            mark("other", 1, 30, 30),
        ),
        repetitions=2,
    )
    assert found.phases["encrypt"]["wall_seconds"] == pytest.approx((0.003, 0.001))
    assert found.phases["encrypt"]["minor_faults"] == (4, 1)
    assert found.phases["evaluate"]["voluntary_switches"] == (8, 40)
    assert found.phases["keygen"]["process_seconds"] == pytest.approx((0.005,))
    assert set(found.phases) == {"keygen", "encrypt", "evaluate"}


def test_warm_ups_are_left_out_and_repeated_key_generations_are_not() -> None:
    rows = [mark("keygen", i, i, 2 * i) for i in range(3)]
    rows += [mark("evaluate", i, 10 + i, 100 * i) for i in range(4)]
    found = counters(run(*rows, mark("other", 3, 14, 301)), repetitions=3)
    assert found.phases["keygen"]["minor_faults"] == (2, 2, -4)
    assert found.phases["evaluate"]["minor_faults"] == (100, 100, 1)


def test_an_event_that_the_kernel_does_not_count_is_none() -> None:
    found = counters(run(mark("evaluate", 0, 0), mark("other", 0, 1)), repetitions=1)
    typical = found.typical("evaluate")
    assert found.phases["evaluate"]["instructions"] is None
    assert typical["instructions"] is None
    assert typical["instructions_per_cycle"] is None
    assert typical["cpu_utilisation"] == pytest.approx(0.5)
    assert typical["major_faults"] == 0


def test_an_event_that_shared_its_counter_is_scaled_up_and_one_that_never_had_it_is_none() -> None:
    begun = {"instructions": [1000, 100, 50], "cycles": [500, 100, 100], "branches": [0, 100, 50]}
    ended = {"instructions": [3000, 300, 150], "cycles": [2500, 300, 300], "branches": [0, 300, 50]}
    found = counters(run(mark("evaluate", 0, 0, **begun), mark("other", 0, 1, **ended)), repetitions=1)
    assert found.phases["evaluate"]["instructions"] == (4000,)
    assert found.phases["evaluate"]["cycles"] == (2000,)
    assert found.phases["evaluate"]["branches"] is None
    assert found.typical("evaluate")["instructions_per_cycle"] == 2


def test_counters_survive_their_json() -> None:
    found = counters(run(mark("evaluate", 0, 0.25), mark("other", 0, 1.75, 3)), repetitions=1)
    assert Counters.from_json(found.to_json()) == found
    assert found.to_json()["evaluate"]["minor_faults"] == [3]
    assert found.to_json()["evaluate"]["cache_misses"] is None


def test_what_a_system_does_not_tell_is_none() -> None:
    rows = run(mark("evaluate", 0, 0), mark("other", 0, 1))
    rows[:, 4:8] = -1
    assert counters(rows, 1).phases["evaluate"]["minor_faults"] is None


def test_stretches_are_named_in_order_and_their_number_is_limited() -> None:
    rows = [mark("context", -1, 0), mark("keygen", 0, 5)]
    assert [(s.phase, s.begin, s.end) for s in stretches(run(*rows))] == [("context", 0.0, 0.005)]
    rows += [mark(("encrypt", "evaluate")[i % 2], i // 2, 6 + i) for i in range(3 * MOST_STRETCHES)]
    found = stretches(run(*rows))
    assert len(found) == MOST_STRETCHES + 1
    assert found[-1].phase == "repetitions"
    assert (found[-1].begin, found[-1].end) == (found[-2].end, pytest.approx(rows[-1][2] * 1e-9))


def test_an_array_that_holds_no_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="marks of shape"):
        counters(np.zeros((3, 4), dtype=np.int64), 1)
