"""An application that is traced once and explored for many wishes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil
from threadpoolctl import threadpool_limits

from fheasible.aliases import Json
from fheasible.api import asking
from fheasible.api.answer import Answer
from fheasible.api.lookup_answer import LookupAnswer
from fheasible.api.platform import Silent, Step
from fheasible.api.platforms import JOINT
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.search.tightened import tightened
from fheasible.measurement.machine import this_machine
from fheasible.units import GIB
from fheasible.web.answers import told, why
from fheasible.web.controls import Control, Settings, controls, options, proof

_MOST_HELD = 12  # answers that previews are made of
MOST_BYTES: Final = GIB  # for one of several processes of a server


@dataclass(frozen=True, slots=True)
class Interruptible(Silent):
    """Says nothing, and calls `check` at each step of a search, which may raise an error to end it."""

    check: Callable[[], None] = lambda: None

    @contextmanager
    def progress(self, what: str) -> Iterator[Step]:
        yield lambda *_: self.check()


class Searching:
    """An application, of which all searches share what they work out."""

    def __init__(
        self,
        file: Path,
        called: str,
        place: str | None = None,
        data: str | None = None,
        data_called: str | None = None,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        """Traces the application in that file, with the data of another one, or random ones. `called` and
        `data_called`: their names in commands; `place`: the store's place; `most_bytes`: resident memory of
        the process from which on earlier searches are forgotten."""
        self._problem: Problem = asking.problem_of(file, data, 0)
        self._called, self._data, self._place = called, data_called, place
        self._most_bytes = most_bytes
        self._held: dict[Settings, Answer] = {}  # of vectors, for previews
        self.sliders: tuple[Control, ...] = controls(self._problem.real, this_machine().cores)

    @property
    def real(self) -> bool:
        return self._problem.real

    def answer(
        self, chosen: Settings, check: Callable[[], None] = lambda: None, sliders: Sequence[Control] = ()
    ) -> Iterator[Json]:
        """The answer for these stops, and then its reasons, as parts of one document. `sliders`: those of the
        stops, where they are not the application's own."""
        sliders = sliders or self.sliders
        talk = Interruptible(self._place, check)
        asked = options(sliders, chosen)
        with threadpool_limits(limits=1, user_api="blas"):
            found = JOINT.explore(self._problem, asked, talk)
            assert isinstance(found, Answer | LookupAnswer)
            self._hold(chosen, found)
            yield told(found, self._proof(sliders, chosen)) | {"preview": False}
            check()
            yield {"why": why(found)}
        self._forget()

    def preview(self, chosen: Settings) -> Json | None:
        """The answer for these stops as one for more memory tells it, without a search; None where none does.
        It has no reasons. (Other threads may ask for it during a search.)"""
        *others, memory = chosen
        looser = [s for s in tuple(self._held) if list(s[:-1]) == others and s[-1] > memory]
        most = self.sliders[-1].stops[memory]
        if not looser or most is None:
            return None
        known = self._held[min(looser)]
        found = tightened(known.exploration, most)
        if found is None:
            return None
        rest = tuple(c for c in known.others if c["estimate"]["peak_bytes"] <= most)
        answer = Answer(found, known.libraries, known.profiles, None, beside=known.beside, others=rest)
        return told(answer, self._proof(self.sliders, chosen)) | {"preview": True}

    def _proof(self, sliders: Sequence[Control], chosen: Settings) -> str:
        return proof(self._called, sliders, chosen, self._data)

    def _hold(self, chosen: Settings, found: Answer | LookupAnswer) -> None:
        if isinstance(found, Answer) and found.fits:
            self._held[chosen] = found
            if len(self._held) > _MOST_HELD:
                del self._held[next(iter(self._held))]

    def _forget(self) -> None:
        """Forgets what earlier searches found, where it takes much memory."""
        if psutil.Process().memory_info().rss > self._most_bytes:
            self._problem.kept.clear()
