"""Workers that are kept from run to run: each job's first run alone in a process, the later ones together."""

import os
from collections.abc import Callable
from typing import Any

import psutil
import pytest

from fheasible.errors import LibraryMissing
from fheasible.measurement import worker
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.job import Job
from fheasible.measurement.registry import WorkerCommand
from fheasible.measurement.sampling import Attempt, sample
from fheasible.measurement.session import WorkerSession

from .sampled_jobs import a_job

# Says its process and its threads instead of bytes, and how many requests it has had.
TELLING = """
hello()
for number, line in enumerate(sys.stdin, start=1):
    request = json.loads(line)
    answer = {"type": "measured", "id": request["id"], "ring_dimension": 4096, "q": ["97"], "phases": {}}
    told = {"baseline_bytes": os.getpid(), "context_bytes": int(os.environ["OMP_NUM_THREADS"])}
    answer |= {"outputs": {}, "memory": told | {"keys_bytes": number}}
    say(**answer)
"""
FALLS = TELLING.replace("    say(**answer)", "    if number == 2: sys.exit('no more')\n    say(**answer)")
REFUSES = TELLING.replace(
    "    say(**answer)",
    "    refused = {'type': 'refused', 'id': request['id'], 'kind': 'parameters', 'message': 'too large'}\n"
    "    say(**(refused if number == 2 else answer))",
)
Install = Callable[[str], None]


@pytest.fixture
def install(worker_that: Callable[[str], WorkerCommand], monkeypatch: pytest.MonkeyPatch) -> Install:
    """Every library's worker behaves like that."""

    def put(behaviour: str) -> None:
        found = worker_that(behaviour)
        monkeypatch.setattr(worker, "command", lambda _: found)

    return put


@pytest.fixture(autouse=True)
def _nobody_is_left_behind() -> Any:
    def children() -> list[int]:
        return [child.pid for child in psutil.Process().children(recursive=True)]

    before = children()
    yield
    assert children() == before


def told(came: Attempt) -> tuple[int, int, int]:
    """(process, threads, its how-manieth request)."""
    assert came.measurement is not None, came.message
    m = came.measurement.memory
    assert m.baseline_bytes
    assert m.context_bytes
    assert m.keys_bytes
    return m.baseline_bytes, m.context_bytes, m.keys_bytes


def test_the_first_run_of_each_job_has_a_process_of_its_own_and_later_ones_share(install: Install) -> None:
    install(TELLING)
    one, two = a_job("one"), a_job("two")
    with WorkerSession() as session:
        first = [told(session(j)) for j in (one, two)]
        assert not any(psutil.pid_exists(pid) for pid, *_ in first)
        later = [told(session(j)) for j in (one, two, one, two)]
        assert psutil.pid_exists(later[0][0])
    processes = {pid for pid, *_ in first}
    assert len(processes) == 2
    (kept,) = {pid for pid, *_ in later}
    assert kept not in {*processes, os.getpid()}
    assert [number for *_, number in first] == [1, 1]
    assert [number for *_, number in later] == [1, 2, 3, 4]


def test_a_job_that_comes_first_later_is_alone_too(install: Install) -> None:
    install(TELLING)
    with WorkerSession() as session:
        told(session(a_job("one")))
        shared = told(session(a_job("one")))
        alone = told(session(a_job("two")))
        assert told(session(a_job("one")))[0] == shared[0] != alone[0]


def test_equal_work_is_the_same_job(install: Install) -> None:
    """However it is called."""
    install(TELLING)
    twin = Job(**{f: getattr(a_job("one"), f) for f in ("parameters", "program", "inputs")}, label="other")
    with WorkerSession() as session:
        told(session(a_job("one")))
        assert told(session(twin))[0] == told(session(a_job("one")))[0]


def test_another_number_of_threads_is_another_process(install: Install) -> None:
    install(TELLING)
    jobs = [a_job("one", plan=RunPlan(threads=threads)) for threads in (1, 2)]
    with WorkerSession() as session:
        for j in jobs:
            told(session(j))
        later = [told(session(j)) for j in (*jobs, *jobs)]
    assert [threads for _, threads, _ in later] == [1, 2, 1, 2]
    assert later[0][0] == later[2][0] != later[1][0] == later[3][0]


def test_a_worker_that_dies_is_replaced(install: Install) -> None:
    install(FALLS)
    job = a_job("one")
    with WorkerSession() as session:
        told(session(job))
        before = told(session(job))
        fallen = session(job)
        assert (fallen.outcome, fallen.measurement) == ("died", None)
        assert "no more" in fallen.message
        assert fallen.hello is not None
        after = told(session(job))
        assert after[0] != before[0]
        assert after[2] == 1
        assert not psutil.pid_exists(before[0])


def test_a_worker_that_refuses_is_replaced_and_gone_in_the_end(install: Install) -> None:
    install(REFUSES)
    job = a_job("one")
    with WorkerSession() as session:
        told(session(job))
        before = told(session(job))
        refused = session(job)
        assert (refused.outcome, refused.measurement) == ("refused", None)
        assert "too large" in refused.message
        after = told(session(job))
        assert after[0] != before[0]


def test_an_error_ends_all_workers(install: Install) -> None:
    install(TELLING)
    with pytest.raises(KeyboardInterrupt):
        interrupted(a_job("one"))


def interrupted(job: Job) -> None:
    with WorkerSession() as session:
        assert told(session(job))[0] != told(session(job))[0]
        raise KeyboardInterrupt


def test_a_library_that_is_not_there_is_told(install: Install) -> None:
    install("sys.exit('cannot be loaded')")
    with pytest.raises(LibraryMissing, match="cannot be loaded"), WorkerSession() as session:
        session(a_job("one"))


def test_of_a_campaign_the_first_pass_is_of_fresh_processes(install: Install) -> None:
    install(TELLING)
    jobs = [a_job("one"), a_job("two"), a_job("three")]
    with WorkerSession() as session:
        records = sample(jobs, None, "c", passes=3, run=session)
    processes: dict[int, set[int | None]] = {0: set(), 1: set(), 2: set()}
    for r in records:
        assert r.measurement is not None
        processes[r.number].add(r.measurement.memory.baseline_bytes)
    assert [len(several) for several in processes.values()] == [3, 1, 1]
    assert processes[1] == processes[2]
    assert not processes[0] & processes[1]
