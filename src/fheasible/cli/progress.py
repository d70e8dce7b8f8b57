"""Progress on stderr: a bar that vanishes on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Protocol

_SILENT_SECONDS = 2.0
_SECONDS_BETWEEN_LINES = 15.0


class Bar(Protocol):
    """A function that is told what is being done, how many steps are done, and how many there are (0:
    unknown). Where steps differ in length, it is told shares in any unit, as floats."""

    def __call__(self, label: str, done: float, total: float) -> None: ...


class Pace:
    """When the next line is due: after two seconds of silence, and then every fifteen. One call of the
    command line has one pace for all its steps, so that many short steps are not silent either."""

    def __init__(self) -> None:
        self._due = time.monotonic() + _SILENT_SECONDS

    @property
    def seconds_left(self) -> float:
        """The seconds until the next line is due."""
        return max(self._due - time.monotonic(), 0.0)

    def spoken(self) -> None:
        """Records that a line has been printed."""
        self._due = time.monotonic() + _SECONDS_BETWEEN_LINES


@contextmanager
def bar(what: str, pace: Pace) -> Iterator[Bar]:
    """A bar for the length of the block; `what` stands before every label. Where stderr is not a terminal,
    lines are printed at that pace instead."""
    if not sys.stderr.isatty():
        with Lines(what, pace) as lines:
            yield lines
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column

    label = Column(no_wrap=True, overflow="ellipsis")
    columns = (  # where there is little room, only the label gets shorter
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False, table_column=label),
        BarColumn(bar_width=20),
        TimeElapsedColumn(table_column=Column(no_wrap=True, min_width=7)),
        TextColumn("left:", table_column=Column(no_wrap=True, min_width=5)),
        TimeRemainingColumn(table_column=Column(no_wrap=True, min_width=7)),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=None)

        def step(label: str, done: float, total: float) -> None:
            shown.update(task, description=f"{what}: {label}", completed=done, total=total or None)

        yield step


class Lines:
    """Prints lines with the last label and the time that remains, judged by the progress so far. A thread
    prints them, so that a step which takes long is not silent."""

    def __init__(self, what: str, pace: Pace) -> None:
        self._what, self._pace = what, pace
        self._start = time.monotonic()
        self._state: tuple[str, float, float, float] = ("", 0, 0, self._start)
        self._over = Event()
        self._thread = Thread(target=self._speak, daemon=True)

    def __enter__(self) -> "Lines":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def __call__(self, label: str, done: float, total: float) -> None:
        self._state = (label, done, total, time.monotonic())

    def _speak(self) -> None:
        """Prints lines until the block is over."""
        while not self._over.wait(self._pace.seconds_left):
            label, done, total, at = self._state
            said = f"{self._what}: {label}" if label else self._what
            self._pace.spoken()
            _print(f"{said}{self._remaining(done, total, at)}")

    def _remaining(self, done: float, total: float, at: float) -> str:
        """What is done, and the time that the rest takes at the pace until then, less what has passed since
        `at`, when that was told. No time where a step takes longer than those before it."""
        if not 0 < done <= total:
            return ""
        so_far = f"{done} of {total}" if isinstance(total, int) else f"{100 * done / total:.0f} %"
        if done == total:  # what follows has not told anything yet
            waited = time.monotonic() - at
            return f" ({so_far} done{f', {waited:.0f} s ago' if waited >= _SECONDS_BETWEEN_LINES else ''})"
        left = (at - self._start) * (total - done) / done - (time.monotonic() - at)
        return f" ({so_far}, about {left:.0f} s left)" if left >= 0 else f" ({so_far})"


def _print(line: str) -> None:
    """Prints a line on stderr, unless nobody reads it any more."""
    with suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)
