"""Copies of this process search ahead of it, and the answer is the same as without them."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from io import BytesIO
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

import fheasible as fh
from fheasible.api import lookup_asking
from fheasible.api.joint import Beside
from fheasible.api.options import Options
from fheasible.api.platform import Silent
from fheasible.calibration.defaults import default_profile
from fheasible.circuit.data import random_data
from fheasible.exploration.judging.judge import Judge
from fheasible.exploration.lookups import search as lookups
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Measure, Wish, bits
from fheasible.exploration.search import side_by_side as beside
from fheasible.exploration.search.ahead import ahead
from fheasible.exploration.search.declared_ranges import answer
from fheasible.exploration.search.search import Exploration
from fheasible.exploration.search.side_by_side import Task, processes, side_by_side
from fheasible.exploration.search.walk import Walk
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import request_for
from fheasible.lowering.plan import Lowerings
from fheasible.rings.rns.basis import Basis

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="copies of processes are made on Linux alone")

LIBRARIES = list(CATALOGUE.values())
PROFILES = {name: profile for name in CATALOGUE if (profile := default_profile(name))}
MANY = 3


@fh.app(age=fh.integers(12, low=0, high=60), pay=fh.integers(12, low=0, high=500))
def filtered(age, pay):
    return fh.sum(fh.where(age > 30, pay, 0))


@fh.app(x=fh.integers(8, low=-9, high=9), y=fh.integers(8, low=0, high=7))
def of_integers(x, y):
    return fh.sum(x * y * x) - 3 * x


@fh.app(x=fh.reals(16, low=-1, high=1), y=fh.reals(16, low=-1, high=1))
def of_reals(x, y):
    return fh.sum(fh.sigmoid(x, low=-1, high=1) * y), x * x - y


@fh.app(x=fh.integers(2, low=0, high=40))
def largest(x):
    return fh.maximum(x[:1], x[1:])


APPS = [filtered, of_integers, of_reals, largest]


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "processes", lambda: MANY)


def answered(app: Any, folder: Path, **wish: Any) -> dict[str, Any]:
    answer = fh.explore(app, store=folder / "none.sqlite", **wish)
    told = answer.to_json() | {"why": list(answer.why), "text": str(answer).splitlines()[1:]}
    return {k: v for k, v in told.items() if k not in ("seconds", "text")} | {
        "text": [line for line in told["text"] if "explored" not in line]
    }


@pytest.mark.parametrize(
    ("app", "wish"),
    [
        *((app, {}) for app in APPS),
        (of_integers, {"objective": "memory"}),
        (largest, {"libraries": ["tfhe_rs", "lattigo"]}),
    ],
    ids=lambda given: getattr(given, "name", str(given)),
)
def test_the_answer_is_the_same(
    app: Any, wish: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = []
    for count in (1, MANY):
        monkeypatch.setattr(beside, "processes", lambda count=count: count)
        found.append(answered(app, tmp_path, **wish))
    assert found[0] == found[1]


@contextmanager
def told_by_copies(problem: Problem, wish: Wish, elsewhere: Beside | None = None) -> Iterator[None]:
    """A block in which the problem knows what copies alone found ahead."""
    with ahead(problem, wish, LIBRARIES, PROFILES, elsewhere) as take_part:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(beside, "_work", lambda *_: None)  # the copies have begun
            take_part(lambda *_: None)
        yield


def refused(*_: object, **__: object) -> Any:
    raise AssertionError("this was to be known from a copy")


def searched(problem: Problem, wish: Wish) -> Exploration:
    return answer(problem, wish, LIBRARIES, PROFILES)


@pytest.mark.parametrize("app", [filtered, of_integers, largest], ids=lambda app: app.name)
def test_nothing_that_copies_found_is_worked_out_again(
    app: Any, many: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    wish = Wish(precision=bits(12.0))
    circuit = app.trace()
    data = random_data(circuit, 0)
    expected = searched(Problem(circuit, data, "data"), wish)
    problem = Problem(circuit, data, "data")
    with told_by_copies(problem, wish):
        monkeypatch.setattr(Walk, "_judged", refused)
        monkeypatch.setattr(Judge, "__call__", refused)
        monkeypatch.setattr(Lowerings, "_made", refused)
        found = searched(problem, wish)
    assert [c.to_json(True) for c in found.candidates] == [c.to_json(True) for c in expected.candidates]
    assert found.kept.columns() == expected.kept.columns()


def test_look_ups_that_a_copy_found_are_not_searched_again(
    many: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, options = Silent(None), Options(precision=12.0)
    elsewhere = Beside(options, talk)
    circuit = filtered.trace()
    problem = Problem(circuit, random_data(circuit, 0), "data")
    with told_by_copies(problem, options.wish, elsewhere):
        pass
    monkeypatch.setattr(lookups, "_explored", refused)
    libraries = lookup_asking.libraries_of(options)
    profiles = lookup_asking.profiles_of(talk, libraries)
    found = lookups.explore_lookups(problem, options.wish, libraries, profiles)
    assert found.best is not None
    assert found.best.encoded.lookups


def test_reals_are_searched_by_this_process_alone(many: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fork", refused)
    circuit = of_reals.trace()
    with ahead(Problem(circuit, random_data(circuit, 0), "data"), Wish(), LIBRARIES, PROFILES) as take_part:
        take_part(_silent)


def test_inputs_that_copies_found_are_those_that_are_asked_of_next(many: None) -> None:
    circuit = filtered.trace()
    problem = Problem(circuit, random_data(circuit, 0), "data")
    with told_by_copies(problem, Wish(precision=bits(12.0))):
        known = set(problem.others)
        found = searched(problem, Wish(precision=bits(12.0)))
    others = {also.there for also in found.problem.also} - {problem}
    assert others
    assert others <= known
    assert set(problem.others) == known


def _only_in_copies(do: Callable[[], object]) -> Callable[[], None]:
    here = os.getpid()

    def task() -> None:
        if os.getpid() != here:
            do()

    return task


@pytest.fixture
def problem() -> Problem:
    circuit = of_integers.trace()
    return Problem(circuit, random_data(circuit, 0), "data")


def _silent(*_: object) -> None:
    """Reports nothing."""


def test_a_copy_that_dies_leaves_its_tasks_to_this_process(many: None, problem: Problem) -> None:
    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def keep() -> None:
        sleep(0.2)  # until both copies have begun
        problem.kept["verdict", "here"] = "kept"

    tasks = [Task("dies", _only_in_copies(die)), Task("keeps", keep), Task("dies", _only_in_copies(die))]
    with side_by_side(problem, (), tasks) as take_part:
        take_part(_silent)
    assert problem.kept.get(("verdict", "here")) in ("kept", None)


def test_a_copy_that_dies_while_it_sends_is_not_heard(problem: Problem, tmp_path: Path) -> None:
    problem.kept["verdict", 1] = "found"
    found = beside._found(problem, (), {})
    whole = len(found).to_bytes(8, "big") + found
    file = tmp_path / "results"
    for count in range(2 * len(whole) + 1):
        file.write_bytes((2 * whole)[:count])
        with file.open("rb") as results:
            copy = beside._Copy(0, results, 0)
            assert [*copy.sent()] == [found] * (count // len(whole))
            assert [*copy.sent()] == []
    problem.kept.clear()
    beside._keep(problem, (), found)
    assert problem.kept == {("verdict", 1): "found"}


def test_what_cannot_be_sent_is_left_to_whoever_asks(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beside, "processes", lambda: 2)
    known = problem.kept.setdefault
    tasks = [
        Task("cannot be sent", lambda: known(("verdict", 1), lambda: 1)),
        Task("can be sent", lambda: known(("verdict", 2), 2)),
    ]
    with side_by_side(problem, (), tasks) as take_part:
        sleep(0.5)  # until the copy has done both
        take_part(_silent)
    assert ("verdict", 1) not in problem.kept
    assert problem.kept["verdict", 2] == 2


def test_what_fails_in_a_task_is_heard_by_whoever_asks(many: None, problem: Problem) -> None:
    def fail() -> None:
        raise ValueError("no number")

    tasks = [Task("fails", fail), Task("keeps", lambda: problem.kept.setdefault(("wrong", 1), None))]
    with side_by_side(problem, (), tasks) as take_part:
        take_part(_silent)
    assert ("wrong", 1) in problem.kept


def test_what_cannot_be_sent_is_not_known(many: None, problem: Problem) -> None:
    def keep() -> None:
        problem.kept["verdict", 1] = lambda: 1

    with side_by_side(problem, (), [Task("keeps", _only_in_copies(keep))] * MANY) as take_part:
        sleep(0.2)
        take_part(_silent)
    assert ("verdict", 1) not in problem.kept


@dataclass(slots=True)
class Counted:
    """It counts its letters itself."""

    letters: str
    count: int = field(init=False)

    def __post_init__(self) -> None:
        self.count = len(self.letters)


@dataclass(slots=True)
class Single:
    only: tuple[int, ...]


@dataclass
class Remembering:
    first: int
    second: int

    @cached_property
    def total(self) -> int:
        return self.first + self.second


def test_records_are_made_again_from_what_they_were_made_of() -> None:
    asked = request_for("bgv", 3, plain_modulus=65537, ring_dimension=1 << 14)
    sets = [CATALOGUE["seal"].parameters(asked), CATALOGUE["openfhe"].parameters(asked)]
    remembering = Remembering(1, 2)
    remembering.__dict__["total"] = 4  # it was worked out
    sent = [
        *sets,
        Basis((0, 2, 5)),
        Counted("abc"),
        Single((1, 2)),
        remembering,
        Asked(Measure.ABSOLUTE, 0.5),
    ]
    stream = BytesIO()
    beside._Sender(stream, ()).dump(sent)
    found = beside._Receiver(BytesIO(stream.getvalue()), ()).load()
    assert found == sent
    assert (found[2].mask, found[3].count, found[5].total) == (37, 3, 4)


def test_each_task_is_done_once(many: None, problem: Problem, tmp_path: Path) -> None:
    def done(number: int) -> None:
        with (tmp_path / str(number)).open("a", encoding="utf-8") as stream:
            stream.write("done\n")

    tasks = [Task(str(n), partial(done, n)) for n in range(20)]
    with side_by_side(problem, (), tasks) as take_part:
        take_part(_silent)
    assert [(tmp_path / str(n)).read_text(encoding="utf-8") for n in range(20)] == ["done\n"] * 20


def test_an_interrupt_ends_the_copies(many: None, problem: Problem) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    start, here = monotonic(), os.getpid()

    def task() -> None:
        if os.getpid() == here:
            interrupt()
        sleep(60)

    with (
        pytest.raises(KeyboardInterrupt),
        side_by_side(problem, (), [Task("waits", task)] * 9) as take_part,
    ):
        take_part(_silent)
    assert monotonic() - start < 30
    with suppress(ChildProcessError):
        assert os.waitpid(-1, os.WNOHANG) == (0, 0)  # no copy is left that has come to an end


def test_this_process_does_all_where_no_copy_can_be_made(
    many: None, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> int:
        raise BlockingIOError("too many processes")

    monkeypatch.setattr(os, "fork", full)
    open_files = len(os.listdir("/proc/self/fd"))
    done: list[int] = []
    tasks = [Task(str(n), partial(done.append, n)) for n in range(MANY)]
    with side_by_side(problem, (), tasks) as take_part:
        take_part(_silent)
    assert done == [*range(MANY)]
    assert len(os.listdir("/proc/self/fd")) == open_files


def test_no_copy_is_made_while_other_threads_run() -> None:
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        assert processes() == 1
    finally:
        over.set()
        thread.join()


def test_a_single_process_does_nothing_ahead(monkeypatch: pytest.MonkeyPatch, problem: Problem) -> None:
    monkeypatch.setattr(beside, "processes", lambda: 1)
    monkeypatch.setattr(os, "fork", refused)
    with side_by_side(problem, (), [Task("is not done", refused)] * 3) as take_part:
        take_part(_silent)


def test_one_task_needs_no_copy(many: None, monkeypatch: pytest.MonkeyPatch, problem: Problem) -> None:
    monkeypatch.setattr(os, "fork", refused)
    with side_by_side(problem, (), [Task("is not done", refused)]) as take_part:
        take_part(_silent)
