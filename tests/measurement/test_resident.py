"""The resident set of a live process, and the form in which it is kept."""

import json
import subprocess
import sys
import time
from itertools import pairwise

import pytest

from fheasible.measurement import resident
from fheasible.measurement.counters import Stretch
from fheasible.measurement.resident import MOST, Sampler, Trace

MIB = 2**20
GROWS = f"held = b'1' * {200 * MIB}; print('.', flush=True); input()"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the resident set is read from /proc")


def test_a_process_that_takes_memory_is_seen_to_hold_it() -> None:
    with subprocess.Popen([sys.executable, "-c", "input(); " + GROWS], stdin=-1, stdout=-1) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        with Sampler(child.pid, 0.001) as sampler:
            time.sleep(0.1)
            child.stdin.write(b"\n")
            child.stdin.flush()
            child.stdout.readline()
            time.sleep(0.02)
        child.stdin.close()
    trace = sampler.trace()
    assert trace is not None
    assert trace.resident_bytes[-1] - trace.resident_bytes[0] > 190 * MIB
    assert all(x < y for x, y in pairwise(trace.seconds))


def test_a_process_that_ends_leaves_what_was_seen_of_it() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=-1) as child:
        assert child.stdin is not None
        with Sampler(child.pid, 0.001) as sampler:
            time.sleep(0.05)
            child.stdin.close()
            child.wait()
            time.sleep(0.02)
    assert len(sampler.samples) > 3


def test_where_the_system_does_not_tell_there_is_no_trace(
    monkeypatch: pytest.MonkeyPatch, tmp_path: resident.Path
) -> None:
    monkeypatch.setattr(resident, "_PROC", tmp_path)
    with Sampler(1) as sampler:
        pass
    assert sampler.trace() is None


def test_a_long_run_keeps_no_more_samples_and_loses_no_peak() -> None:
    samples = [(0.005 * i, 7 if i == 501 else 1) for i in range(MOST + 1)]
    kept = resident._thinned(samples)
    assert len(kept) == MOST // 2
    assert (0.005 * 501, 7) in kept
    assert all(x[0] < y[0] for x, y in pairwise(kept))


def test_a_trace_survives_its_json_and_is_small() -> None:
    stretches = (Stretch("keygen", 0.001, 0.0625), Stretch("evaluate", 0.0625, 5.0))
    times = tuple(0.001 * (5 * i) for i in range(1000))
    trace = Trace(times, tuple(4096 * (8000 + i % 7) for i in range(1000)), stretches)
    again = Trace.from_json(json.loads(json.dumps(trace.to_json())))
    assert again.resident_bytes == trace.resident_bytes
    assert again.seconds == pytest.approx(trace.seconds)
    assert again.stretches == stretches
    assert len(json.dumps(trace.to_json())) < 10_000
