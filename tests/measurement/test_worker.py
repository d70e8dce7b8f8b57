"""The client against workers that die, hang, babble and lie."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from fheasible.errors import (
    LibraryMissing,
    UnknownName,
    WorkerDied,
    WorkerFailed,
    WorkerRefused,
    WorkerTimedOut,
)
from fheasible.measurement.registry import WorkerCommand, command, libraries
from fheasible.measurement.worker import Worker

DESCRIBED = {"ring_dimension": 4096, "q": ["1152921504606584833"], "p": [], "digits": 1}


def children() -> list[int]:
    return [child.pid for child in psutil.Process().children(recursive=True)]


@pytest.fixture(autouse=True)
def _nobody_is_left_behind() -> Any:
    before = children()
    yield
    assert children() == before


def test_an_unknown_library_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownName) as caught:
        command("helib")
    assert all(name in caught.value.remedy for name in libraries())


def test_library_names_are_understood_in_any_case() -> None:
    assert command("SEAL") == command("seal")


def test_a_library_that_was_never_installed_is_missing_with_the_remedy(tmp_path: Path) -> None:
    absent = WorkerCommand("seal", (str(tmp_path / "no"),), tmp_path, tmp_path / "no", tmp_path / "lock")
    with pytest.raises(LibraryMissing) as caught, Worker(absent):
        pass
    assert caught.value.remedy == "fheasible libraries install seal"


def test_a_file_that_cannot_be_executed_is_a_missing_library(tmp_path: Path) -> None:
    text = tmp_path / "worker"
    text.write_text("no program")
    with (
        pytest.raises(LibraryMissing, match="cannot be started"),
        Worker(WorkerCommand("broken", (str(text),), tmp_path, text, text)),
    ):
        pass


def test_the_last_words_of_a_worker_without_a_hello_are_told(worker_that: Any) -> None:
    broken = worker_that("import no_such_library")
    with pytest.raises(LibraryMissing, match="No module named 'no_such_library'"), Worker(broken):
        pass


@pytest.mark.long
def test_waiting_for_a_hello_ends(worker_that: Any) -> None:
    start = time.monotonic()
    with (
        pytest.raises(LibraryMissing, match="no hello within"),
        Worker(worker_that("time.sleep(60)"), hello_seconds=0.5),
    ):
        pass
    assert time.monotonic() - start < 10


@pytest.mark.long
@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("time.sleep(60)", "did not start within 1 seconds"),
        ("time.sleep(0.4); hello(); time.sleep(60)", "took more than 1 seconds"),
    ],
)
def test_the_start_of_a_worker_counts_towards_its_time(worker_that: Any, code: str, words: str) -> None:
    start = time.monotonic()
    with (
        pytest.raises(WorkerTimedOut, match=words),
        Worker(worker_that(code), timeout=1.0) as worker,
    ):
        worker.describe({}, timeout=50.0)
    assert 1 <= time.monotonic() - start < 10


def test_another_protocol_is_a_missing_library(worker_that: Any) -> None:
    with pytest.raises(LibraryMissing, match="protocol 2, not 1"), Worker(worker_that("hello(protocol=2)")):
        pass


def test_a_worker_that_was_made_from_other_sources_is_refused_with_the_remedy(worker_that: Any) -> None:
    stale = worker_that('hello(made_from="yesterday")')
    with pytest.raises(LibraryMissing, match=r"is out of date: .* have changed\n") as caught, Worker(stale):
        pass
    assert caught.value.remedy == stale.remedy


def test_an_incomplete_hello_is_a_missing_library(worker_that: Any) -> None:
    broken = worker_that('say(type="hello", protocol=1, library="broken")')
    with pytest.raises(LibraryMissing, match="version"), Worker(broken):
        pass


def test_garbage_between_the_messages_is_passed_over(worker_that: Any) -> None:
    noisy = f"""
        print("Loading ..."); print('["no", "object"]'); print('{{"type": 7}}')
        os.write(1, b"\\xff\\xfe\\n")
        hello()
        print("{{half a message")
        print("[" * 100_000)
        request = heard()
        say(type="described", id="another", ring_dimension=1, q=[])
        say(type="described", id=request["id"], **{DESCRIBED})
        heard_end = sys.stdin.read()
    """
    with Worker(worker_that(noisy)) as worker:
        assert worker.hello.library == "broken"
        assert worker.describe({}).q == (1152921504606584833,)


def test_a_worker_that_prints_much_while_it_is_written_to_does_not_lock_up(worker_that: Any) -> None:
    talkative = f"""
        hello()
        sys.stderr.write("chatter\\n" * 500_000); sys.stderr.flush()
        say(type="described", id=heard()["id"], **{DESCRIBED})
    """
    with Worker(worker_that(talkative)) as worker:
        assert worker.describe({"long": "x" * 3_000_000}, timeout=60).ring_dimension == 4096


def test_a_refusal_keeps_its_kind_and_leaves_the_worker_healthy(worker_that: Any) -> None:
    refusing = f"""
        hello()
        say(type="refused", id=heard()["id"], kind="InfeasibleParameters", message="too small for this")
        say(type="described", id=heard()["id"], **{DESCRIBED})
    """
    with Worker(worker_that(refusing)) as worker:
        with pytest.raises(WorkerRefused, match="too small for this") as caught:
            worker.describe({})
        assert caught.value.reason == "InfeasibleParameters"
        assert worker.describe({}).digits == 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("last_act", "told"),
    [
        ("sys.stderr.write('t is not prime'); sys.stderr.flush(); os.abort()", "SIGABRT.*\n.*t is not prime"),
        ("os.kill(os.getpid(), 9)", "killed by SIGKILL"),
        ("sys.exit(137)", "killed by SIGKILL"),
        ("raise MemoryError('no room')", "exit code 1.*(\n.*)*no room"),
        ("os.close(1); time.sleep(60)", "closed its output"),
        ("sys.exit(0)", "exit code 0"),
    ],
)
def test_a_worker_that_dies_is_told_with_the_cause(worker_that: Any, last_act: str, told: str) -> None:
    with Worker(worker_that(f"hello(); heard(); {last_act}")) as worker:
        with pytest.raises(WorkerDied, match=told):
            worker.describe({}, timeout=30)
        with pytest.raises(WorkerDied, match="not running"):
            worker.describe({})


def test_a_worker_that_died_between_two_requests_is_told(worker_that: Any) -> None:
    with Worker(worker_that("hello()")) as worker:
        psutil.Process(worker.pid).wait(10) if psutil.pid_exists(worker.pid) else None
        with pytest.raises(WorkerDied):
            worker.describe({"long": "x" * 1_000_000}, timeout=30)


def test_a_worker_that_overruns_its_time_is_stopped(worker_that: Any) -> None:
    stubborn = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); hello(); time.sleep(60)"
    with Worker(worker_that(stubborn)) as worker, pytest.raises(WorkerTimedOut, match=r"0\.5 seconds"):
        worker.describe({}, timeout=0.5)


def test_time_runs_out_even_while_a_worker_babbles(worker_that: Any) -> None:
    babbling = "hello()\nwhile True: print('la la'); time.sleep(0.001)"
    with Worker(worker_that(babbling)) as worker, pytest.raises(WorkerTimedOut):
        worker.describe({}, timeout=0.5)


@pytest.mark.parametrize(
    "reply",
    ["{}", '{"ring_dimension": 8}', '{"ring_dimension": "many", "q": []}', '{"ring_dimension": 8, "q": 5}'],
)
def test_a_reply_against_the_protocol_is_a_failure_not_a_crash(worker_that: Any, reply: str) -> None:
    lying = f"""hello(); say(type="described", id=heard()["id"], **{reply})"""
    with Worker(worker_that(lying)) as worker, pytest.raises(WorkerFailed, match="violated the protocol"):
        worker.describe({})


def test_results_that_are_not_there_are_a_failure_not_a_crash(worker_that: Any, tmp_path: Path) -> None:
    outputs = {"r": "/nowhere/r.npy"}
    phases = "dict.fromkeys(('context', 'keygen', 'encrypt', 'evaluate', 'decrypt'), [[1, 1]])"
    lying = f"""
        hello()
        say(type="measured", id=heard()["id"], outputs={outputs}, phases={phases}, **{DESCRIBED})
    """
    with Worker(worker_that(lying)) as worker, pytest.raises(WorkerFailed, match="nowhere"):
        worker.run({}, {}, {}, tmp_path, {})


def test_progress_reaches_the_caller(worker_that: Any) -> None:
    working = f"""
        hello()
        name = heard()["id"]
        for done in (1, 2): say(type="progress", id=name, phase="run", done=done, total=2)
        say(type="described", id=name, **{DESCRIBED})
    """
    seen: list[tuple[str, int, int]] = []
    with Worker(worker_that(working)) as worker:
        worker._ask({"type": "describe"}, "described", 30, lambda *step: seen.append(step))
    assert seen == [("run", 1, 2), ("run", 2, 2)]


def test_an_interrupted_caller_leaves_no_process_behind(worker_that: Any) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    working = "hello(); say(type='progress', id=heard()['id'], phase='run', done=1, total=9); time.sleep(60)"
    with Worker(worker_that(working)) as worker:
        with pytest.raises(KeyboardInterrupt):
            worker._ask({"type": "describe"}, "described", 30, interrupt)
        start, process = time.monotonic(), psutil.Process(worker.pid)
        worker.__exit__(KeyboardInterrupt, None, None)
    assert not process.is_running()
    assert time.monotonic() - start < 5


ESCAPED = """
reading, writing = os.pipe()
child = os.fork()
if child == 0:
    os.setsid()  # out of the worker's group
    if os.fork() == 0:  # and of its family
        os.write(writing, str(os.getpid()).encode())
        time.sleep(600)
    os._exit(0)
os.waitpid(child, 0)
hello(build={"escaped": int(os.read(reading, 20))})
"""


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found by /proc")
def test_a_process_that_a_worker_let_go_ends_with_it(worker_that: Any) -> None:
    with Worker(worker_that(ESCAPED)) as worker:
        orphan = psutil.Process(worker.hello.build["escaped"])
        assert orphan not in psutil.Process(worker.pid).children(recursive=True)
        assert orphan.is_running()
    gone, _ = psutil.wait_procs([orphan], timeout=5)
    assert gone or orphan.status() == psutil.STATUS_ZOMBIE


def test_a_worker_of_another_library_is_a_missing_library(worker_that: Any) -> None:
    with (
        pytest.raises(LibraryMissing, match="calls itself other"),
        Worker(worker_that("hello(library='other')")),
    ):
        pass


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"phases": {"encrypt": [[-1.0, 1.0]], "evaluate": [[1, 1]], "decrypt": [[1, 1]]}}, "not a time"),
        ({"phases": {"encrypt": [[1, 1]], "evaluate": [], "decrypt": [[1, 1]]}}, "numbers of repetitions"),
        ({"phases": {"evaluate": [[float("nan"), 1]]}}, "not a time"),
        ({"sizes": {"ciphertext": -5}}, "not a number of bytes"),
        ({"memory": {"peak_bytes": "much"}}, "not a number of bytes"),
    ],
)
def test_figures_that_cannot_be_are_against_the_protocol(
    worker_that: Any, tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    reply = {"type": "measured", "ring_dimension": 8, "q": ["17"], "phases": {}, "outputs": {}} | changed
    behaviour = f"hello(); m = heard(); say(id=m['id'], **json.loads({json.dumps(reply)!r}))"
    with Worker(worker_that(behaviour)) as worker, pytest.raises(WorkerFailed, match=said):
        worker.run({}, {}, {}, tmp_path, {})


def test_the_worker_learns_its_threads_and_not_our_python(
    worker_that: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    told = "hello(build={n: os.environ.get(n) for n in ('OMP_NUM_THREADS', 'GOMAXPROCS', 'PYTHONPATH')})"
    with Worker(worker_that(told), threads=2) as worker:
        assert worker.hello.build == {"OMP_NUM_THREADS": "2", "GOMAXPROCS": "2", "PYTHONPATH": None}


def test_a_limit_can_be_set_before_the_worker_speaks(worker_that: Any) -> None:
    seen: list[int] = []
    with Worker(worker_that("hello(build={'pid': os.getpid()})"), on_start=seen.append) as worker:
        assert seen == [worker.hello.build["pid"]]


@pytest.mark.long
@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the kernel's parent-death signal is Linux's"
)
def test_a_worker_dies_with_a_parent_that_is_killed(worker_that: Any, tmp_path: Path) -> None:
    busy = worker_that("hello()\nwhile True: time.sleep(1)")
    parent = f"""
import time
from pathlib import Path
from fheasible.measurement.registry import WorkerCommand
from fheasible.measurement.worker import Worker
folder, python, lock = map(Path, {[str(p) for p in (busy.folder, busy.environment, busy.lock)]})
with Worker(WorkerCommand("broken", {busy.argv}, folder, python, lock)) as worker:
    print(worker.pid, flush=True)
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        orphan = psutil.Process(int(process.stdout.readline()))
        os.kill(process.pid, signal.SIGKILL)
    assert _gone(orphan)


def _gone(process: psutil.Process) -> bool:
    late = time.monotonic() + 10
    while time.monotonic() < late:
        if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False
