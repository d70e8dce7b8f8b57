"""An application that is traced once and explored for many wishes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from threadpoolctl import threadpool_limits

from fheasible.aliases import Json
from fheasible.api import asking
from fheasible.api.answer import Answer
from fheasible.api.lookup_answer import LookupAnswer
from fheasible.api.platform import Silent, Step
from fheasible.api.platforms import JOINT
from fheasible.exploration.problem.problem import Problem
from fheasible.units import GIB
from fheasible.web.answers import told, why
from fheasible.web.controls import Control, Settings, controls, options, proof

_MOST_BYTES = GIB  # resident memory of a process from which on searches are forgotten


@dataclass(frozen=True, slots=True)
class Interruptible(Silent):
    """Says nothing, and calls `check` at each step of a search, which may raise an error to end it."""

    check: Callable[[], None] = lambda: None

    @contextmanager
    def progress(self, what: str) -> Iterator[Step]:
        yield lambda *_: self.check()


class Searching:
    """An application, of which all searches share what they work out."""

    def __init__(self, file: Path, called: str, place: str | None = None) -> None:
        """Traces the application in that file. `called`: its name in commands; `place`: the store's place."""
        self._problem: Problem = asking.problem_of(file, None, 0)
        self._called, self._place = called, place
        self.sliders: tuple[Control, ...] = controls(self._problem.real)

    @property
    def name(self) -> str:
        return self._problem.circuit.name

    @property
    def real(self) -> bool:
        return self._problem.real

    def answer(
        self, chosen: Settings, check: Callable[[], None] = lambda: None, sliders: Any = None
    ) -> Iterator[Json]:
        """The answer for these stops, and then its reasons, as parts of one document."""
        sliders = sliders or self.sliders
        talk = Interruptible(self._place, check)
        asked = options(sliders, chosen)
        with threadpool_limits(limits=1, user_api="blas"):
            found = JOINT.explore(self._problem, asked, talk)
            assert isinstance(found, Answer | LookupAnswer)
            yield told(found, proof(self._called, sliders, chosen))
            check()
            yield {"why": why(found)}
        self._forget()

    def _forget(self) -> None:
        """Forgets what earlier searches found, where it takes much memory."""
        if psutil.Process().memory_info().rss > _MOST_BYTES:
            self._problem.kept.clear()
