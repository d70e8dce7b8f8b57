"""Progress on stderr: a bar that vanishes on a terminal, a seldom line elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

_SECONDS_BETWEEN_LINES = 15.0


class Bar(Protocol):
    """Receives what is being done, how many steps are done, and how many there are (0: unknown); where steps
    differ in length, shares of any unit as floats."""

    def __call__(self, label: str, done: float, total: float) -> None: ...


@contextmanager
def bar(what: str) -> Iterator[Bar]:
    """A bar for the length of the block; `what` stands before every label."""
    if not sys.stderr.isatty():
        yield _Lines(what)
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
    columns = (  # where there is little room, the label is what gets shorter
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


class _Lines:
    """At most one line in fifteen seconds, with the time that remains by the pace so far."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._start = self._last = time.monotonic()

    def __call__(self, label: str, done: float, total: float) -> None:
        now = time.monotonic()
        if now - self._last < _SECONDS_BETWEEN_LINES:
            return
        self._last = now
        print(f"{self._what}: {label}{self._pace(done, total, now)}", file=sys.stderr, flush=True)

    def _pace(self, done: float, total: float, now: float) -> str:
        if not 0 < done <= total:
            return ""
        left = (now - self._start) * (total - done) / done
        so_far = f"{done} of {total}" if isinstance(total, int) else f"{100 * done / total:.0f} %"
        return f" ({so_far}, about {left:.0f} s left)"
