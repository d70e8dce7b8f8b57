"""Every worker marks where its phases begin, by the kernel's counts, and only where it is asked."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fheasible.measurement.conformance.scripts import Script
from fheasible.measurement.counters import COUNTED, MARKED
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.records import Measurement
from fheasible.measurement.worker import Worker

from .conftest import ROOT, Workers
from .toys import TOYS, Toy

ONE_OF_EACH = [
    next(t for t in TOYS if t.library == name) for name in ("seal", "openfhe", "lattigo", "node-seal")
]
each_library = pytest.mark.parametrize("toy", ONE_OF_EACH, ids=lambda toy: toy.library)
PAGES = 2000
DOES = f"""
import mmap, sys, time
sys.path.insert(0, {str(ROOT / "python")!r})
from worker.marks import Marks
marks = Marks(())
marks("keygen", 0)
fresh = mmap.mmap(-1, {PAGES} * mmap.PAGESIZE)
fresh.madvise(mmap.MADV_NOHUGEPAGE)
for at in range(0, len(fresh), mmap.PAGESIZE):
    fresh[at] = 1
marks("evaluate", 0)
for _ in range(5):
    time.sleep(0.001)
marks("other", 0)
print(*marks.rows.ravel())
"""


def script(toy: Toy) -> Script:
    s = Script(toy, toy.capacity, not toy.automatic)
    s.output("y", s.rotate(s.encrypt("x", np.full(toy.capacity, 1.0)), 3))
    return s


def watched(toy: Toy, folder: Path, plan: RunPlan) -> Measurement:
    """The run of a small program by a watched worker."""
    s, inputs = script(toy), folder / "x.npy"
    np.save(inputs, s.data()["x"])
    (folder / "out").mkdir()
    with Worker(toy.library, watched=True) as worker:
        return worker.run(
            {**s.message(), "plains": None}, toy.parameters, {"x": inputs}, folder / "out", plan.to_json()
        )


@pytest.mark.worker
@each_library
def test_a_watched_run_has_every_phase_and_its_resident_set(toy: Toy, tmp_path: Path) -> None:
    found = watched(toy, tmp_path, RunPlan(repetitions=3, warmup=2, keygens=2))
    counted, trace = found.counters, found.resident
    assert counted is not None
    assert trace is not None
    assert tuple(counted.phases) == COUNTED
    for phase, used in counted.phases.items():
        assert {len(v) for v in used.values() if v is not None} == {2 if phase == "keygen" else 3}, phase
        walls = getattr(found.phases, phase).wall.seconds
        wall, faults = used["wall_seconds"], used["minor_faults"]
        assert wall is not None
        assert faults is not None
        assert min(faults) >= 0
        assert all(marked >= timed for marked, timed in zip(wall, walls, strict=True))
    names = [s.phase for s in trace.stretches]
    once = ["encrypt", "evaluate", "decrypt", "other"]
    assert names == ["context", "other", *2 * ["keygen", "other"], *4 * once, *once[:-1]]
    assert trace.seconds[0] <= trace.stretches[0].begin + 0.1  # a thread watches, which may begin late
    assert trace.stretches[-1].end <= trace.seconds[-1] + 1
    assert max(trace.resident_bytes) > 2**20


@pytest.mark.worker
@each_library
def test_a_run_that_is_not_watched_keeps_no_marks(toy: Toy, workers: Workers) -> None:
    s = script(toy)
    reply = workers[toy.library].run(toy.parameters, s.message(), s.data()).reply
    assert "marks" not in reply


def test_fresh_pages_are_minor_faults_and_sleeping_is_a_voluntary_switch() -> None:
    done = subprocess.run([sys.executable, "-c", DOES], capture_output=True, text=True, check=True)
    rows = np.array(done.stdout.split(), dtype=np.int64).reshape(3, -1)
    touched, slept = np.diff(rows, axis=0)
    assert rows[:, 0].tolist() == [MARKED.index(name) for name in ("keygen", "evaluate", "other")]
    assert touched[4] >= PAGES
    assert slept[6] >= 5
    assert slept[2] >= 5_000_000
    assert slept[3] < slept[2]
