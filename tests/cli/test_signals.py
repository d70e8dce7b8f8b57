"""Whatever ends a call early: no traceback, and no plaintext left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from fheasible.store.store import Store

START = [sys.executable, "-m", "fheasible_start"]
SLOW = """
import fheasible as fh

@fh.app(x=fh.reals(4096, low=0, high=1))
def slow(x):
    for _ in range(6):
        x = x * x
    return fh.sum(x)
"""
STOPS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]


def _as_from_a_terminal() -> None:
    """In the child: tests that run under nohup, or in the background, hand down signals that are ignored."""
    for stop in STOPS:
        signal.signal(stop, signal.SIG_DFL)


@pytest.mark.long
@pytest.mark.parametrize("milliseconds", [60, 150, 300, 600])
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGHUP])
def test_a_call_that_is_stopped_while_it_starts_shows_no_traceback(milliseconds: int, stop: int) -> None:
    code = "import runpy, sys; print('up', flush=True); sys.argv = ['fheasible', 'doctor']; " + (
        "runpy.run_module('fheasible_start', run_name='__main__')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", f"import signal; signal.signal({int(stop)}, lambda *_: sys.exit(9)); {code}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=_as_from_a_terminal,
    ) as call:  # fmt: skip
        assert call.stdout is not None
        call.stdout.readline()
        time.sleep(milliseconds / 1000)
        call.send_signal(stop)
        _, said = call.communicate(timeout=60)
    assert "Traceback" not in said
    assert call.returncode in (9, 128 + stop, 130)


LOST = """
import signal, sys, time
from fheasible.cli import main

class Disposed:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

def interrupted():
    Disposed()
    time.sleep(20)

main.scratch.sweep = interrupted
sys.exit(main.main(["params"]))
"""


SLOWLY = """
import threading, time

def start(thread, own=threading.Thread.start):
    own(thread)
    time.sleep(1)

threading.Thread.start = start
"""


@pytest.mark.parametrize("before", ["", SLOWLY], ids=["at_once", "while_threads_start_slowly"])
def test_an_interrupt_that_python_swallows_stops_the_call_all_the_same(before: str) -> None:
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", before + LOST], capture_output=True, text=True, check=False)
    assert time.monotonic() - begun < 20
    assert done.returncode == 130
    assert done.stderr.startswith("error: interrupted")
    assert "Traceback" not in done.stderr


@pytest.mark.worker
@pytest.mark.parametrize("stop", STOPS)
def test_a_run_that_is_stopped_leaves_a_row_and_no_folder(
    stop: int, tmp_path: Path, installed: Any, store_path: Path
) -> None:
    installed("seal")
    app, temporary = tmp_path / "slow.py", tmp_path / "temporary"
    app.write_text(SLOW)
    temporary.mkdir()
    words = ["run", str(app), "--library", "seal", "--repetitions", "100000", "--store", str(store_path)]
    surroundings = os.environ | {"TMPDIR": str(temporary)}
    with subprocess.Popen(
        [*START, *words], env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=_as_from_a_terminal,
    ) as call:  # fmt: skip
        late = time.monotonic() + 60
        while not list(temporary.glob("fheasible-*/in/*.npy")) and time.monotonic() < late:
            time.sleep(0.02)
        assert list(temporary.iterdir())
        call.send_signal(stop)
        try:
            _, said = call.communicate(timeout=60)
        finally:
            call.kill()
    assert call.returncode == 130
    assert "Traceback" not in said
    assert "interrupted" in said
    assert list(temporary.iterdir()) == []
    with Store.open(store_path) as store:
        (row,) = store.measurements()
    assert (row.entry.outcome, row.entry.library) == ("died", "seal")
    assert "interrupted" in row.entry.message


@pytest.mark.long
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_no_room_for_the_answer_is_no_fault_of_fheasible() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*START, "params", "seal", "ckks", "--depth", "1"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("error: the output could not be written: No space left on device")


@pytest.mark.parametrize(("given", "taken"), [(None, "1"), ("2", "2")])
def test_small_products_of_matrices_take_one_thread(given: str | None, taken: str) -> None:
    """A second one would wait for a core, and the first for it; who asks for more gets them."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    told = "import os, fheasible_start as s; s.main(); os.write(2, os.environb[b'OPENBLAS_NUM_THREADS'])"
    done = subprocess.run(
        [sys.executable, "-c", told, "libraries", "--help"],
        env=environment | ({} if given is None else {"OPENBLAS_NUM_THREADS": given}),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == taken
