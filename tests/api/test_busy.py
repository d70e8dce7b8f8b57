"""A run beside other processes says so, by what is known of them."""

from dataclasses import replace

import pytest

from fheasible.api.busy import rows, said
from fheasible.api.counted import counted
from fheasible.api.layout import Listing, Part
from fheasible.measurement.busyness import Beside
from fheasible.measurement.counters import COUNTED, SYSTEM, Counters
from fheasible.measurement.events import EVENTS

QUIET = Beside(utilisation=0.99, before=0.4, after=1.2, cores=2, threads=1, slowed=1.02)


def test_a_quiet_run_says_nothing_and_shows_its_load() -> None:
    assert not QUIET.busy
    assert not list(said(QUIET))
    assert dict(rows(QUIET)) == {
        "CPU utilisation": "99 %",
        "load before, after": "0.40, 1.20",
        "a fixed piece of work": "1.02 times as long",
    }


@pytest.mark.parametrize(
    ("changed", "row", "words"),
    [
        ({"utilisation": 0.23}, "CPU utilisation", "had a core for 23 % of its wall time"),
        ({"before": 4.5}, "load before, after", "4.5 processes wanted to run on 2 cores"),
        ({"slowed": 1.6}, "a fixed piece of work", "took 1.60 times as long"),
    ],
)
def test_what_disturbed_a_run_is_marked_in_its_table_and_said_in_words(
    changed: dict[str, float], row: str, words: str
) -> None:
    b = replace(QUIET, **changed)  # type: ignore[arg-type]
    assert b.busy
    assert [what for what, value in rows(b) if value.endswith("(busy)")] == [row]
    assert words in " ".join(" ".join(said(b)).split())


def test_threads_that_wait_for_one_another_are_not_a_busy_machine() -> None:
    assert not replace(QUIET, utilisation=0.5, threads=2).busy


def test_what_is_not_known_is_not_judged() -> None:
    unknown = replace(QUIET, utilisation=None, after=None, slowed=None)
    assert not unknown.busy
    assert dict(rows(unknown)) == {"CPU utilisation": "-", "load before, after": "0.40, -"}


def lines(parts: list[Part]) -> str:
    return "\n".join(line for p in parts for line in (p.lines(100) if isinstance(p, Listing) else [str(p)]))


def test_what_the_kernel_does_not_count_is_named_and_never_zero() -> None:
    used = {"wall_seconds": (2.0, 4.0), "process_seconds": (1.0, 2.0), **dict.fromkeys(SYSTEM, (0.0, 12.0))}
    found = Counters({phase: {**used, **dict.fromkeys(EVENTS)} for phase in COUNTED})
    shown = lines(list(counted(found)))
    assert "CPU utilisation" in shown
    assert "50 %" in shown
    table, absent = shown.split("not available here:")
    assert "instructions" not in table
    for name in EVENTS:
        assert name.replace("_", " ") in " ".join(absent.split())
    assert "instructions per cycle" in " ".join(absent.split())


def test_what_the_processor_counts_is_shown_with_its_ratio() -> None:
    events = dict.fromkeys(EVENTS, (2_000_000.0,)) | {"cycles": (1_000_000.0,)}
    phases = {phase: {"wall_seconds": (1.0,), "process_seconds": (1.0,), **events} for phase in COUNTED}
    shown = lines(list(counted(Counters(phases))))
    assert "2,000,000" in shown
    assert "2.00" in shown


def test_a_worker_without_marks_has_no_counters() -> None:
    assert "not available here" in lines(list(counted(None)))
