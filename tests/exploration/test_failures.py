"""A set that fails when it is run is named, the next kind is run; the failing one is recommended no more."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fheasible.errors import LibraryMissing, WorkerRefused, WorkerTimedOut, WrongResult
from fheasible.exploration.judging.candidate import Candidate, parameters_json
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.proof.failures import MOST, Failure, exit_code, until_right, without_failed
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.machine import this_machine
from fheasible.program.digest import digest
from fheasible.store.rows import Entry
from fheasible.store.store import Store

from .apps import problem, real, whole

ENVIRONMENT = {
    "cpu": "", "flags": [], "library": "", "version": "", "build": {},
    "threads": 1, "load_before": 0.0, "commit": None, "seed": 1,
}  # fmt: skip


@cache
def found(precision: float = 10.0) -> Exploration:
    return explore(problem(real), Wish(precision=bits(precision)), list(CATALOGUE.values()), {})


def kind(c: Candidate) -> tuple[str, str, str]:
    return c.library, c.scheme, c.parameters.technique


def refused(number: int) -> WorkerRefused:
    error = WorkerRefused("scale out of bounds")
    error.number = number
    return error


def test_after_a_failure_the_best_of_another_kind_is_run() -> None:
    first, *others = found().candidates
    run, told = [], []

    def proved(c: Candidate) -> Any:
        run.append(c)
        if len(run) == 1:
            raise refused(7)
        return "proof"

    proof, failures = until_right(found().candidates, proved, told.append)
    assert proof == "proof"
    assert run == [first, next(c for c in others if kind(c) != kind(first))]
    assert [f.candidate for f in failures] == [first] == [f.candidate for f in told]
    assert str(failures[0]).endswith("fheasible results show 7 --json")
    assert "fault in Fheasible" in str(failures[0])


def test_where_all_fail_the_first_is_said_and_the_exit_code_is_3() -> None:
    run = []

    def proved(c: Candidate) -> Any:
        run.append(kind(c))
        raise refused(len(run))

    with pytest.raises(WrongResult, match=r"scale out of bounds; 3 other sets") as caught:
        until_right(found().candidates, proved)
    assert len(run) == len(set(run)) == MOST
    assert caught.value.exit_code == 3
    assert "results show 1 --json" in caught.value.remedy


def out_of_date(library: str) -> LibraryMissing:
    return LibraryMissing(f"{library}'s worker is out of date", f"fheasible libraries install {library}")


def test_where_a_worker_is_out_of_date_the_best_of_another_library_is_run() -> None:
    first, *others = found().candidates
    run, told = [], []

    def proved(c: Candidate) -> Any:
        run.append(c)
        if c.library == first.library:
            raise out_of_date(c.library)
        return "proof"

    proof, failures = until_right(found().candidates, proved, told.append)
    assert proof == "proof"
    assert run == [first, next(c for c in others if c.library != first.library)]
    assert [(f.kind, f.report) for f in failures] == [("not run", "")] == [(f.kind, f.report) for f in told]
    library = first.library
    said = f"{library}'s worker is out of date. Remedy: fheasible libraries install {library}"
    assert str(failures[0]) == said
    assert exit_code(failures) == 1


def test_workers_out_of_date_do_not_count_among_the_sets_that_fail() -> None:
    """One library is out of date, MOST others are wrong; what is raised is that."""
    first = found().candidates[0]
    run = []

    def proved(c: Candidate) -> Any:
        if c.library == first.library:
            raise out_of_date(c.library)
        run.append(kind(c))
        raise refused(len(run))

    told: list[Failure] = []
    with pytest.raises(WrongResult, match=r"scale out of bounds; \d other sets"):
        until_right(found().candidates, proved, told.append)
    kinds = dict.fromkeys(kind(c) for c in found().candidates if c.library != first.library)
    assert run == list(kinds)[:MOST]
    assert exit_code(told) == 3


def test_where_no_worker_answers_all_remedies_are_given() -> None:
    def proved(c: Candidate) -> Any:
        raise out_of_date(c.library)

    with pytest.raises(LibraryMissing) as caught:
        until_right(found().candidates, proved)
    for library in {c.library for c in found().candidates}:
        assert f"{library}'s worker is out of date" in caught.value.message
        assert f"install {library}" in caught.value.remedy


def test_what_says_nothing_of_the_set_is_raised_at_once() -> None:
    def proved(_: Candidate) -> Any:
        raise WorkerTimedOut("stopped")

    with pytest.raises(WorkerTimedOut):
        until_right(found().candidates, proved)


def entry(c: Candidate, outcome: str, **measured: float) -> Entry:
    figures = {"precision_bits": 11.0, "mean_precision_bits": 12.0, "absolute_error": 1e-3,
               "largest_relative_error": 1e-3} | measured  # fmt: skip
    return Entry(
        "real", digest(c.program), c.library, c.scheme, c.settings, parameters_json(c.parameters), outcome,
        None, figures if outcome == "wrong" else None, "told",
    )  # fmt: skip


def stored(path: Path, made: Entry, **at: str) -> Store:
    store = Store.open(path)
    store.add_measurement(made, ENVIRONMENT | {"machine": this_machine().fingerprint} | at)
    return store


@pytest.mark.parametrize("outcome", ["refused", "wrong"])
def test_a_set_that_failed_here_is_recommended_no_more(tmp_path: Path, outcome: str) -> None:
    e = found()
    first, second, *_ = e.candidates
    figures = {"precision_bits": 9.0} if outcome == "wrong" else {}
    with stored(tmp_path / "results.sqlite", entry(first, outcome, **figures)) as store:
        left = without_failed(e, store)
    assert left.best == second
    assert first not in left.candidates
    assert first not in left.front
    assert len(left.kept) == len(e.kept) - 1
    assert "results show 1" in left.alarms[-1]


def test_less_precision_than_it_had_may_be_asked_of_it(tmp_path: Path) -> None:
    """11 bits were too few for 12, and are enough for 10."""
    e = found()
    with stored(tmp_path / "results.sqlite", entry(e.candidates[0], "wrong", precision_bits=11.0)) as store:
        assert without_failed(e, store) == e


def test_what_failed_elsewhere_or_was_not_believed_counts_for_nothing(tmp_path: Path) -> None:
    e, lied = found(), "the answer of seal's worker is not believed: it ran in a ring of 1024"
    made = entry(e.candidates[0], "wrong", precision_bits=1.0)
    with stored(tmp_path / "a.sqlite", made, machine="another") as store:
        assert without_failed(e, store) == e
    with stored(tmp_path / "b.sqlite", replace(made, measurement=None, message=lied)) as store:
        assert without_failed(e, store) == e


def test_where_nothing_else_is_left_the_reason_is_named(tmp_path: Path) -> None:
    only = replace(CATALOGUE["seal"], schemes=("bfv",))
    e = explore(problem(whole), Wish(), [only], {})
    path = tmp_path / "results.sqlite"
    for c in e.candidates:
        stored(path, replace(entry(c, "refused"), app="whole")).close()
    with Store.open(path) as store:
        left = without_failed(e, store)
    assert left.best is None
    assert "has failed when it was run here" in left.rejected[-1].reason


def test_a_failure_that_was_not_stored_has_nothing_to_show() -> None:
    assert Failure(found().candidates[0], WorkerRefused("no")).report == ""
