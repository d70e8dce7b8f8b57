"""Parts of a search side by side, each in a copy of this process.

A copy knows what this process knows when it begins. After each task it sends back what its searches found
(`Problem.kept`), and whoever asks the same finds it there. So answers are the same with copies as without
them, only sooner.
"""

import os
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from io import BytesIO
from math import nan
from operator import attrgetter
from tempfile import TemporaryFile
from typing import IO, Any, Final, NamedTuple

from fheasible.exploration.problem.problem import Problem

Report = Callable[[str, float, float], None]
TakePart = Callable[[Report], None]

SENT: Final = ("walked", "verdict", "wrong", "misrounded", "worst case", "look-ups")
"""What is sent, by how the keys of what is kept begin: what took long, and refers to nothing but parameters,
figures, programs, and the objects that both processes have."""
MOST: Final = 255  # tasks, each of which has a byte for its number
_FEW_FIELDS: Final = 2  # of which `attrgetter` makes a tuple
_COUNT: Final = 8  # bytes that say how many bytes a copy sends
MOST_PROCESSES: Final = 4  # each of which needs memory; with more, most would wait for the longest task


class Task(NamedTuple):
    """A part of a search: its name, and the function that does it and keeps what it finds in
    `Problem.kept`."""

    words: str
    do: Callable[[], object]


def processes() -> int:
    """How many processes may search at once. It is one where no process is copied safely: on other systems
    than Linux, and where other threads run."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return min(len(os.sched_getaffinity(0)), MOST_PROCESSES)


@contextmanager
def side_by_side(problem: Problem, parts: Sequence[object], tasks: Sequence[Task]) -> Iterator[TakePart]:
    """Begins the tasks in copies of this process, which come to an end with the `with` block. What it yields
    takes part in them until all are done, and keeps what the copies found. Without copies, it does nothing.

    `parts`: the objects that what they find refers to, beside the problem. A task that fails leaves it to
    whoever asks the same to find out why, and so does a copy that comes to an end too soon. Where the system
    makes no more copies, those that there are do all.
    """
    count = min(processes(), len(tasks)) - 1
    if count < 1 or len(tasks) > MOST:
        yield lambda _: None
        return
    others = problem.others
    shared = (problem, problem.circuit, problem.data, *others, *(on.data for on in others), *parts, nan)
    left = _numbers(len(tasks))
    copies: list[_Copy] = []
    with suppress(OSError):  # too many processes, or too little memory
        for _ in range(count):
            copies.append(_copy(problem, shared, tasks, left))

    def keep_sent() -> None:
        for copy in copies:
            for found in copy.sent():
                _keep(problem, shared, found)

    def take_part(report: Report) -> None:
        _work(tasks, left, report, keep_sent)
        for copy in copies:
            os.read(copy.end, 1)
        keep_sent()

    try:
        yield take_part
    finally:
        os.close(left)
        for copy in copies:
            copy.close()


def _numbers(count: int) -> int:
    """A pipe with the numbers of tasks, from which each process takes the next one."""
    left, given = os.pipe()
    os.write(given, bytes(range(count)))
    os.close(given)
    return left


@dataclass(slots=True)
class _Copy:
    """A copy of this process. `results`: a file to which it writes. `end`: an end of a pipe, of which the
    other one closes when the copy ends. `heard`: the bytes that were read so far."""

    process: int
    results: IO[bytes]
    end: int
    heard: int = 0

    def sent(self) -> Iterator[bytes]:
        """What it sent since the last time; nothing of which only a part is there."""
        while True:
            count = os.pread(self.results.fileno(), _COUNT, self.heard)
            size = int.from_bytes(count, "big")
            found = os.pread(self.results.fileno(), size, self.heard + _COUNT)
            if len(count) < _COUNT or len(found) < size:
                return
            self.heard += _COUNT + size
            yield found

    def close(self) -> None:
        os.close(self.end)
        self.results.close()
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def _copy(problem: Problem, shared: Sequence[object], tasks: Sequence[Task], left: int) -> _Copy:
    """A copy of this process, which does tasks that are left."""
    results = TemporaryFile()  # noqa: SIM115  # open until the copy is closed
    end, other = os.pipe()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads: those of BLAS know about copies
            process = os.fork()
    except OSError:
        os.close(end)
        os.close(other)
        results.close()
        raise
    if process:
        os.close(other)
        return _Copy(process, results, end)
    before = dict(problem.kept)

    def send() -> None:
        found = b""
        with suppress(Exception):  # what cannot be sent is left to whoever asks the same
            found = _found(problem, shared, before)
        before.update(problem.kept)
        if found:
            results.write(len(found).to_bytes(_COUNT, "big") + found)
            results.flush()

    try:
        _work(tasks, left, lambda *_: None, send)
    finally:
        os._exit(0)  # what this process has yet to do when it ends is not the copy's to do


def _work(tasks: Sequence[Task], left: int, report: Report, then: Callable[[], None]) -> None:
    """Does tasks until none is left, and `then` something after each."""
    while number := os.read(left, 1):
        task = tasks[number[0]]
        report(task.words, number[0], len(tasks))
        with suppress(Exception):
            task.do()
        then()


class _Sender(pickle.Pickler):
    """Sends objects that both processes have by their numbers. (One of them is NaN, so that what was sent
    equals what was not.)"""

    def __init__(self, stream: BytesIO, shared: Sequence[object]) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self.numbers = {id(each): number for number, each in enumerate(shared)}

    def persistent_id(self, sent: object) -> int | None:
        return self.numbers.get(id(sent))

    def reducer_override(self, sent: Any) -> Any:
        """Records are sent as what they are made of: that takes little more than half of the time."""
        kind: Any = type(sent)
        of = _made_of(kind)
        return (kind, of(sent)) if of else NotImplemented


@cache
def _made_of(kind: Any) -> Callable[[Any], tuple[Any, ...]] | None:
    """What gives the arguments that make an equal record of that kind; None for what is more than a record of
    its fields."""
    if kind.__dictoffset__ or hasattr(kind, "__post_init__") or not is_dataclass(kind):
        return None
    own = fields(kind)
    if len(own) < _FEW_FIELDS or any(each.kw_only or not each.init for each in own):
        return None
    return attrgetter(*(each.name for each in own))


class _Receiver(pickle.Unpickler):
    def __init__(self, stream: BytesIO, shared: Sequence[object]) -> None:
        super().__init__(stream)
        self.shared = [*shared]

    def persistent_load(self, number: Any) -> object:
        return self.shared[number]


def _found(problem: Problem, shared: Sequence[object], before: Mapping[Any, Any]) -> bytes:
    """What the copy found that was not known `before`, after the inputs at which it was found."""
    stream = BytesIO()
    sender = _Sender(stream, shared)
    there = [on for on in problem.others if id(on) not in sender.numbers]
    sender.dump([(on.data, on.source) for on in there])
    sender.numbers |= {id(on): len(shared) + i for i, on in enumerate(there)}
    new = {k: v for k, v in problem.kept.items() if k not in before or v is not before[k]}
    sender.dump({k: v for k, v in new.items() if k[0] in SENT})
    return stream.getvalue()


def _keep(problem: Problem, shared: Sequence[object], found: bytes) -> None:
    """Keeps what a copy found."""
    receiver = _Receiver(BytesIO(found), shared)
    receiver.shared += [problem.there(data, words) for data, words in receiver.load()]
    for key, value in receiver.load().items():
        problem.kept.setdefault(key, value)
