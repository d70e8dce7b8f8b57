"""After a set of table look-ups fails, the best of another kind is run, and the failure is told as it is."""

from functools import cache
from typing import Any

import pytest

import fheasible as fh
from fheasible.api.asking import problem_of
from fheasible.errors import WorkerRefused, WrongResult
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.search import LookupExploration, explore_lookups
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.proof.failures import MOST, exit_code, until_right
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES


@fh.app(x=fh.integers(2, low=0, high=3))
def compared(x: fh.Vector) -> fh.Vector:
    return fh.maximum(x, 1)


@cache
def found() -> LookupExploration:
    return explore_lookups(problem_of(compared, None, 0), Wish(), list(LOOKUP_LIBRARIES.values()), {})


def kind(c: LookupCandidate) -> tuple[Any, ...]:
    return c.library.name, c.scheme, bool(c.name), c.encoded.encoding.modulus


def wrong(number: int, foreseen: bool = False) -> WrongResult:
    error = WrongResult("TFHE-rs computed it wrongly", "take a set that fails less often")
    error.number, error.foreseen = number, foreseen
    return error


def test_after_a_failure_the_best_of_another_kind_is_run() -> None:
    first, *others = found().candidates
    run = []

    def proved(c: LookupCandidate) -> str:
        run.append(c)
        if len(run) == 1:
            raise WorkerRefused("too little memory")
        return "proof"

    proof, failures = until_right(found().candidates, proved)
    assert proof == "proof"
    assert run == [first, next(c for c in others if kind(c) != kind(first))]
    assert [f.candidate for f in failures] == [first]
    assert exit_code(failures) == 3
    told = failures[0].to_json()
    assert (told["library"], told["scheme"]) == (first.library.name, first.scheme)
    assert told["request"] == first.settings


def test_where_all_kinds_fail_the_first_is_said() -> None:
    run = []

    def proved(c: LookupCandidate) -> str:
        run.append(kind(c))
        raise wrong(len(run))

    with pytest.raises(WrongResult, match=r"computed it wrongly; \d other sets") as caught:
        until_right(found().candidates, proved)
    assert len(run) == len(set(run)) <= MOST
    assert "results show 1 --json" in caught.value.remedy


@pytest.mark.parametrize("foreseen", [True, False])
def test_a_failure_that_was_to_be_expected_is_no_fault_of_ours(foreseen: bool) -> None:
    failures = []

    def proved(c: LookupCandidate) -> str:
        raise wrong(5, foreseen)

    with pytest.raises(WrongResult) as caught:
        until_right(found().candidates, proved, failures.append)
    assert ("fault in Fheasible" in str(failures[0])) == (not foreseen)
    assert (caught.value.remedy == "take a set that fails less often") == foreseen
