"""Asks a library's worker all questions that hold for it, each in turn, and keeps what came of them."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from fheasible.aliases import Json
from fheasible.errors import LibraryMissing
from fheasible.libraries.catalogue import library
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES
from fheasible.libraries.lookup_library import LookupLibrary
from fheasible.measurement.conformance import lookups, vectors
from fheasible.measurement.conformance.client import Misbehaved, Worker
from fheasible.measurement.conformance.question import Question
from fheasible.measurement.conformance.toys import Toy, toys
from fheasible.measurement.registry import WorkerCommand, command
from fheasible.schemes.lookups import LookupParameters

SECONDS: Final = 60.0  # that a worker may take for each answer
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a question. `of`: the scheme or the set of parameters that it was asked with. `wrong`:
    what the worker did instead; empty where it is right."""

    question: str
    of: str
    wrong: str = ""

    def to_json(self) -> Json:
        return {"question": self.question, "of": self.of, "right": not self.wrong, "found": self.wrong}


@dataclass(frozen=True, slots=True)
class _Round:
    """Questions with whom they are asked; `asked` makes it of a worker and a way to start another one."""

    question: Question
    of: str
    asked: Callable[[Worker, Callable[[], Worker]], Any]


def checked(name: str, report: Report, seconds: float = SECONDS) -> Iterator[Finding]:
    """What came of each question to the worker of that library. `seconds`: for each answer.

    LibraryMissing where it is not installed. A worker that dies or hangs is started again.
    """
    known = command(name)
    if not known.installed:
        raise LibraryMissing(f"{known.library} is not installed", known.remedy)
    rounds = list(_rounds(name.lower(), known))
    with tempfile.TemporaryDirectory() as folder:
        running = _Running(known, Path(folder), seconds)
        try:
            for number, each in enumerate(rounds):
                report(each.question.says, number, len(rounds))
                yield Finding(each.question.says, each.of, running.answer(each))
        finally:
            running.end()


def _rounds(name: str, known: WorkerCommand) -> Iterator[_Round]:
    """Each question that the worker's requests and its library's schemes allow, with every toy. Two libraries
    may share a worker."""
    shared = LOOKUP_LIBRARIES.get(name)
    if shared is None:
        for toy in toys(library(name)):
            for q in vectors.QUESTIONS:
                if q.holds(known.answers, toy.scheme):
                    yield _Round(q, toy.name, partial(_of_vectors, toy))
        return
    for of, p in lookups.sets_of(shared).items():
        for q in lookups.QUESTIONS:
            if q.holds(known.answers, shared.schemes[0]):
                yield _Round(q, of, partial(_of_lookups, shared, p))


def _of_vectors(toy: Toy, worker: Worker, fresh: Callable[[], Worker]) -> vectors.Asked:
    return vectors.Asked(worker, toy, fresh)


def _of_lookups(
    of: LookupLibrary, p: LookupParameters, worker: Worker, fresh: Callable[[], Worker]
) -> lookups.Asked:
    return lookups.Asked(worker, of, p, fresh)


class _Running:
    """A worker that is started when it is first needed, and again after it has failed."""

    def __init__(self, known: WorkerCommand, folder: Path, seconds: float) -> None:
        self._known, self._folder, self._seconds = known, folder, seconds
        self._worker: Worker | None = None

    def answer(self, each: _Round) -> str:
        """What is wrong with the answer to a question; empty where nothing is."""
        started: list[Worker] = []

        def fresh() -> Worker:
            started.append(self._start())
            return started[-1]

        try:
            if self._worker is None:
                self._worker = self._start()
            each.question.ask(each.asked(self._worker, fresh))
        except Misbehaved as error:
            wrong = str(error)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OSError) as error:
            wrong = f"an answer that does not have the form of workers/PROTOCOL.md: {error!r}"
        else:
            wrong = ""
        for worker in started:
            worker.kill()
        if wrong:
            self.end()
        return wrong

    def end(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _start(self) -> Worker:
        try:
            return Worker(self._known.argv, self._folder, here=self._known.here, seconds=self._seconds)
        except OSError as error:
            raise Misbehaved(f"it cannot be started: {error}") from None
