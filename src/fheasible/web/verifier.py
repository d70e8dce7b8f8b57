"""The process that verifies what the page recommends: it explores, runs the best set, and tells its progress.

It reads one line of JSON with what is asked, and ends as by Ctrl-C, which stops its worker, once its input
ends or it is terminated.
"""

import gc
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

from fheasible.aliases import Json
from fheasible.api import asking
from fheasible.api.layout import text_of
from fheasible.api.platform import Execution, Silent, Step
from fheasible.api.platforms import JOINT
from fheasible.api.text import TextPage
from fheasible.errors import FheasibleError
from fheasible.heap import RARELY
from fheasible.measurement.machine import this_machine
from fheasible.web.controls import controls, options, settings
from fheasible.web.lines import Say, own_pipes, told

WIDTH = 92  # columns of the text that the page shows
_STOPPED = 130


@dataclass(frozen=True, slots=True)
class Telling(Silent):
    """Sends messages and progress to the server."""

    send: Say = field(repr=False, kw_only=True)

    def say(self, line: str) -> None:
        self.send({"say": line})

    @contextmanager
    def progress(self, what: str) -> Iterator[Step]:
        def step(label: str, done: float, total: float) -> None:
            self.send({"progress": [f"{what}: {label}" if label else what, float(done), float(total)]})

        step("", 0, 0)
        yield step

    @contextmanager
    def patience(self, what: str) -> Iterator[Any]:
        self.send({"progress": [what, 0.0, 0.0]})
        yield None


def main() -> int:
    lines, say = own_pipes()
    gc.set_threshold(RARELY)
    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), signal.default_int_handler)
    asked = json.loads(lines.readline())
    threading.Thread(target=_end_with, args=(lines,), daemon=True).start()
    try:
        say(_verified(asked, Telling(asked["place"], send=say)))
    except FheasibleError as error:
        say({"error": told(error), "code": error.exit_code})
    except KeyboardInterrupt:
        return _STOPPED
    return 0


def _end_with(lines: IO[str]) -> None:
    """Ends this process as by Ctrl-C once the server has gone."""
    lines.read()
    os.kill(os.getpid(), signal.SIGINT)


def _verified(asked: Json, talk: Telling) -> Json:
    """The run beside its prediction, as lines of text, with its exit code."""
    talk.send({"progress": ["reading the application", 0.0, 0.0]})
    problem = asking.problem_of(asked["file"], asked["data"], 0)
    sliders = controls(problem.real, this_machine().cores)
    wanted = options(sliders, settings(sliders, asked["settings"]))
    answer = JOINT.explore(problem, wanted, talk)
    ran = JOINT.verify(answer, Execution(), talk)
    lines = [line for part in text_of(ran.lines(TextPage(WIDTH)), WIDTH) for line in part.split("\n")]
    return {"ran": lines, "code": ran.exit_code}


if __name__ == "__main__":
    sys.exit(main())
