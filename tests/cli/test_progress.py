"""Progress is said on stderr, whatever stderr is and however long a single step takes."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from fheasible.cli import progress
from fheasible.cli.progress import Lines, Pace, bar
from fheasible.cli.session import TerminalSession

PATIENCE = 30.0  # seconds after which a test gives up


def _until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines as they come; the first is due at once, another never."""
    lines: list[str] = []
    monkeypatch.setattr(progress, "_SILENT_SECONDS", 0.0)
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 10 * PATIENCE)
    monkeypatch.setattr(progress, "_print", lines.append)
    return lines


def test_a_step_that_takes_long_says_so_without_being_asked(said: list[str]) -> None:
    with bar("working", Pace()):
        _until(lambda: bool(said))
    assert said == ["working"]


@pytest.mark.parametrize(
    ("done", "total", "part"),
    [
        (1, 4, "1 of 4, about 60 s left"),
        (2.0, 8.0, "25 %, about 60 s left"),
        (1, 1, "1 of 1 done"),  # a long step may follow that has told nothing yet
    ],
)
def test_a_line_says_what_is_done_and_how_long_the_rest_takes(
    done: float, total: float, part: str, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = Lines("working", Pace())
    monkeypatch.setattr(progress.time, "monotonic", lambda: lines._start + 20.0)
    lines("on it", done, total)
    monkeypatch.setattr(lines._over, "wait", lambda _: bool(said))
    lines._speak()
    assert said == [f"working: on it ({part})"]


@pytest.mark.parametrize(("later", "part"), [(0, "about 60 s"), (45, "about 15 s"), (61, "")])
def test_the_time_that_is_left_falls_during_a_step(
    later: float, part: str, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of four took 20 seconds. Once the other three are late, nothing is known."""
    lines = Lines("working", Pace())
    monkeypatch.setattr(progress.time, "monotonic", lambda: lines._start + 20.0)
    lines("on it", 1, 4)
    monkeypatch.setattr(progress.time, "monotonic", lambda: lines._start + 20.0 + later)
    monkeypatch.setattr(lines._over, "wait", lambda _: bool(said))
    lines._speak()
    assert said == [f"working: on it (1 of 4{f', {part} left' if part else ''})"]


def test_steps_of_one_call_share_a_pace(said: list[str]) -> None:
    session = TerminalSession()
    with session.progress("first"):
        _until(lambda: bool(said))
    with session.progress("second"), session.patience("third"):
        time.sleep(0.05)
    assert said == ["first"]


def test_the_first_line_comes_after_two_seconds_and_others_after_fifteen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress.time, "monotonic", lambda: 100.0)
    pace = Pace()
    assert pace.seconds_left == 2.0
    pace.spoken()
    assert pace.seconds_left == 15.0


def test_a_closed_stderr_ends_nothing(monkeypatch: Any) -> None:
    class Closed:
        def write(self, _: str) -> None:
            raise ValueError("I/O operation on closed file")

    monkeypatch.setattr("sys.stderr", Closed())
    progress._print("nobody reads this")


def test_what_follows_the_last_step_and_tells_nothing_is_said_to_go_on(
    said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The keys are made, and a single run of minutes has begun, whose end is the next that is told."""
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 15.0)
    lines = Lines("running", Pace())
    lines("keygen", 1, 1)
    begun = lines._state[-1]
    monkeypatch.setattr(progress.time, "monotonic", lambda: begun + 75.0)
    monkeypatch.setattr(lines._over, "wait", lambda _: bool(said))
    lines._speak()
    assert said == ["running: keygen (1 of 1 done, 75 s ago)"]
