"""Live limits: they hold before a worker loads anything, and nothing is left however everything ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from fheasible.errors import KilledForMemory, LibraryMissing, LimitImpossible, WorkerDied
from fheasible.measurement.failures import outcome_of
from fheasible.measurement.limited.confined import confined, sweep
from fheasible.measurement.limited.group import place_of_group
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.limited.swap import active_swap, place_of_swap
from fheasible.measurement.registry import WorkerCommand
from fheasible.measurement.worker import Worker

from ..conftest import MakeWorker

MIB = 2**20


def reason_against() -> str:
    """Why live limits cannot be tested here; empty where they can."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "limits with swap need root"
    with suppress(LimitImpossible):
        place_of_group()
        place_of_swap(64 * MIB)
        return ""
    return "there are no control groups, or no disk for a swap file"


pytestmark = [pytest.mark.long, pytest.mark.skipif(bool(reason_against()), reason=reason_against())]

HOLD = f"""
import signal, subprocess, sys, time
from fheasible.measurement.limited.confined import confined
from fheasible.measurement.limited.limit import MemoryLimit
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup, under which tests may run, ignores it
with confined(MemoryLimit({64 * MIB}, {64 * MIB})) as c:
    held = "import time; x = bytearray({96 * MIB}); print(1, flush=True); time.sleep(600)"
    child = subprocess.Popen([sys.executable, "-c", held], stdout=-1, preexec_fn=c.group.join)
    child.stdout.readline()
    print(c.group.folder, child.pid, flush=True)
    time.sleep(600)
"""


def test_a_worker_is_in_its_group_and_holds_no_more_than_its_limit(worker_that: MakeWorker) -> None:
    command = worker_that(f"hello(); held = bytearray({96 * MIB}); heard(); time.sleep(60)")
    limit = MemoryLimit(64 * MIB, 128 * MIB)
    with confined(limit) as c, Worker(command, confined=c) as worker:
        assert c is not None
        assert str(worker.pid) in (c.group.folder / "cgroup.procs").read_text().split()
        swap = [file for file in active_swap() if c.group.folder.name in file.name]
        assert len(swap) == 1
        assert swap[0].stat().st_mode & 0o777 == 0o600
        with c.followed() as follower:
            late = time.monotonic() + 20
            while (follower.samples[-1][1].swapped_bytes or 0) < 20 * MIB and time.monotonic() < late:
                time.sleep(0.05)
        usage = follower.usage()
        assert (usage.most_swapped_bytes or 0) >= 20 * MIB
        assert (usage.most_held_bytes or 0) <= 64 * MIB
        assert usage.traffic is not None
        folder = c.group.folder
    assert not folder.exists()
    assert not swap[0].exists()
    assert swap[0] not in active_swap()


def ask(command: WorkerCommand, limit: MemoryLimit) -> None:
    with confined(limit) as c, Worker(command, confined=c) as worker:
        worker.describe({})


def test_a_kill_for_memory_is_told_apart_from_another_death(worker_that: MakeWorker) -> None:
    with pytest.raises(KilledForMemory, match="it was limited to 64") as caught:
        ask(worker_that(f"hello(); heard(); held = bytearray({200 * MIB})"), MemoryLimit(64 * MIB))
    assert outcome_of(caught.value) == "killed for memory"
    with pytest.raises(WorkerDied) as other:
        ask(worker_that("hello(); heard(); os.kill(os.getpid(), 9)"), MemoryLimit(64 * MIB))
    assert outcome_of(other.value) == "died"


def test_a_limit_that_is_too_little_to_start_is_said_in_one_message(worker_that: MakeWorker) -> None:
    with pytest.raises(LimitImpossible, match=r"cannot start with 2[.]00 MiB") as caught:
        ask(worker_that("hello()"), MemoryLimit(2 * MIB))
    assert "--memory-limit" in caught.value.remedy
    with pytest.raises(LibraryMissing, match="without a hello"):
        ask(worker_that("pass"), MemoryLimit(64 * MIB))


def test_a_group_that_cannot_be_joined_is_one_message(worker_that: MakeWorker) -> None:
    with confined(MemoryLimit(64 * MIB)) as c:
        assert c is not None
        c.group.folder.rmdir()
        with pytest.raises(LimitImpossible, match="cannot join"), Worker(worker_that("hello()"), confined=c):
            pass


@pytest.fixture
def held() -> Iterator[tuple[subprocess.Popen[str], Path, int]]:
    """A process that holds a group and a swap file, the group, and the process in the group."""
    with subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder, inner = process.stdout.readline().split()
        yield process, Path(folder), int(inner)
        process.kill()


def has_ended(process: int) -> bool:
    """Whether it is gone, or waits for nothing but being collected."""
    return not psutil.pid_exists(process) or psutil.Process(process).status() == psutil.STATUS_ZOMBIE


def swap_of(folder: Path) -> list[Path]:
    return [file for file in active_swap() if folder.name in file.name]


def wait_until_gone(folder: Path, file: Path) -> None:
    late = time.monotonic() + 30
    while (folder.exists() or file.exists()) and time.monotonic() < late:
        time.sleep(0.05)
    assert not folder.exists()
    assert not file.exists()
    assert file not in active_swap()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_the_guardian_removes_all_when_the_coordinator_is_killed(
    number: int, held: tuple[subprocess.Popen[str], Path, int]
) -> None:
    process, folder, inner = held
    (file,) = swap_of(folder)
    assert folder.is_dir()
    process.send_signal(number)
    process.wait()
    wait_until_gone(folder, file)
    assert has_ended(inner)


def test_the_next_start_removes_all_when_the_guardian_is_killed_too(
    held: tuple[subprocess.Popen[str], Path, int],
) -> None:
    process, folder, inner = held
    (file,) = swap_of(folder)
    (guardian,) = guardians(folder)
    sweep()
    assert folder.is_dir()  # its process lives
    os.kill(guardian, signal.SIGKILL)
    process.kill()
    process.wait()
    time.sleep(0.2)
    assert folder.is_dir()
    assert file in active_swap()
    sweep()
    wait_until_gone(folder, file)
    assert has_ended(inner)


def guardians(folder: Path) -> list[int]:
    found = []
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = command.read_bytes().split(b"\0")
            if any(word.endswith(b"release.py") for word in words) and str(folder).encode() in words:
                found.append(int(command.parent.name))
    return found
