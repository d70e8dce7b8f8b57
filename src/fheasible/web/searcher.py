"""The process that executes the code of the page: it traces one application, and explores it for the wishes
that it is asked for. It ends with its input, and where tracing takes too long.

It reads lines of JSON, {"asked": [stops], "then": [[stops], ...]}, of which the last one counts: what is
asked comes first, and what may be asked next is searched while nothing else is to do. Its answers are lines
of JSON on the output that it had when it began; what the user's code prints goes elsewhere.
"""

import gc
import json
import os
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO

from fheasible.aliases import Json
from fheasible.circuit.where import at, user_frame
from fheasible.errors import CircuitError, FheasibleError
from fheasible.heap import RARELY
from fheasible.web.controls import Settings
from fheasible.web.lines import Say, own_pipes, told
from fheasible.web.searching import Searching

TRACE_SECONDS = 20.0
_ENDED, _FAULT, _LATE = 0, 1, 3  # exit codes


class _Superseded(Exception):
    """Something else is asked for now."""


class Orders:
    """What is asked for, as another thread reads it."""

    def __init__(self, lines: IO[str], begun: Callable[[Settings], None]) -> None:
        """`begun` is called at once with what is asked, by the thread that reads."""
        self._lines, self._begun = lines, begun
        self._wanted: list[Settings] = []
        self._changed = threading.Condition()
        self.urgent: Settings | None = None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        """Takes orders until whoever gives them has gone, which ends the process, as our own faults do."""
        try:
            for line in self._lines:
                self._take(json.loads(line))
        except BaseException:
            traceback.print_exc()
            os._exit(_FAULT)
        os._exit(_ENDED)

    def _take(self, order: Json) -> None:
        asked = None if order["asked"] is None else tuple(order["asked"])
        with self._changed:
            self.urgent, self._wanted = asked, [tuple(each) for each in order["then"]]
            self._changed.notify()
        if asked is not None:
            self._begun(asked)

    def next(self) -> Settings:
        """What to search now; waits until there is something."""
        with self._changed:
            while self.urgent is None and not self._wanted:
                self._changed.wait()
            return self.urgent if self.urgent is not None else self._wanted.pop(0)

    def done(self, chosen: Settings) -> None:
        with self._changed:
            self.urgent = None if self.urgent == chosen else self.urgent

    def check(self, chosen: Settings) -> None:
        """Raises _Superseded where something more urgent is asked for than these stops."""
        if self.urgent is not None and self.urgent != chosen:
            raise _Superseded


def main() -> None:
    """Traces the application, says which sliders it has, and answers until the input ends."""
    lines, say = own_pipes()
    gc.set_threshold(RARELY)
    begun = json.loads(lines.readline())
    searching = _traced(begun, say)
    if searching is None:
        return
    say({"ready": {"real": searching.real}})

    def preview(chosen: Settings) -> None:
        found = searching.preview(chosen)
        if found is not None:
            say({"for": list(chosen), "part": found})

    orders = Orders(lines, preview)
    while True:
        _answer(searching, orders, orders.next(), say)


def _traced(begun: Json, say: Say) -> Searching | None:
    """The application; None where it has an error, which is told."""
    over = threading.Event()
    threading.Thread(target=_watch, args=(over, say), daemon=True).start()
    try:
        return _searching(begun)
    except FheasibleError as error:
        say({"error": told(error)})
        return None
    finally:
        over.set()


def _searching(begun: Json) -> Searching:
    file, data = Path(begun["file"]), begun["data"]
    return Searching(file, begun["called"], begun["place"], data, begun["data_called"])


def _watch(over: threading.Event, say: Say) -> None:
    """Ends the process where tracing takes too long, and says at which line that was."""
    if over.wait(TRACE_SECONDS):
        return
    where = user_frame(sys._current_frames().get(threading.main_thread().ident or 0))
    said = at(where, f"the code did not end within {TRACE_SECONDS:.0f} s")
    remedy = "Check whether a loop never ends, or move slow preparations into a program of their own."
    say({"error": told(CircuitError(said, remedy))})
    os._exit(_LATE)


def _answer(searching: Searching, orders: Orders, chosen: Settings, say: Say) -> None:
    try:
        for part in searching.answer(chosen, lambda: orders.check(chosen)):
            say({"for": list(chosen), "part": part})
    except _Superseded:
        return
    except FheasibleError as error:
        say({"for": list(chosen), "part": {"error": told(error), "why": []}})
    orders.done(chosen)


if __name__ == "__main__":
    main()
