"""What following a process's resident set costs it, and what a reading of each file of the kernel's takes.

A child touches fresh memory over and over, which is where a reader can disturb it. The least CPU and wall
time of its rounds is taken without a reader, and with readers of `statm` and of `smaps_rollup` at several
periods, in turn.

    python benchmarks/watching.py
"""

import mmap
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

CHILD = f"""
import mmap, time
for line in open(0):
    w, c = time.perf_counter(), time.process_time()
    m = mmap.mmap(-1, {256 << 20})
    m.madvise(mmap.MADV_NOHUGEPAGE)
    for at in range(0, len(m), {mmap.PAGESIZE}):
        m[at] = 1
    m.close()
    print(time.process_time() - c, time.perf_counter() - w, flush=True)
"""
PERIODS = (None, 0.02, 0.005, 0.001)
ROUNDS = 15


def main() -> None:
    child = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    found: dict[tuple[str, float | None], list[tuple[float, float]]] = {}
    taken: dict[str, list[float]] = {"statm": [], "smaps_rollup": []}
    for _ in range(ROUNDS):
        for name in taken:
            for period in PERIODS:
                spent = read_meanwhile(child, name, period, taken[name])
                found.setdefault((name, period), []).append(spent)
    assert child.stdin is not None
    child.stdin.close()
    child.wait()
    print("file           period   least CPU   least wall   median wall   (seconds of a round of the child)")
    for (name, period), spent in found.items():
        told = "none" if period is None else f"{1e3 * period:g} ms"
        least = [min(column) for column in zip(*spent, strict=True)]
        print(f"{name:14} {told:>6} {least[0]:11.4f} {least[1]:12.4f} {median(w for _, w in spent):13.4f}")
    for name, seconds in taken.items():
        print(f"a reading of {name}: {1e6 * median(seconds):.0f} us, at most {1e6 * max(seconds):.0f} us")


def read_meanwhile(
    child: "subprocess.Popen[bytes]", name: str, period: float | None, taken: list[float]
) -> tuple[float, float]:
    """(CPU, wall) seconds of one round of the child, while the file is read every `period` seconds."""
    done = threading.Event()
    reader = threading.Thread(target=lambda: follow(child.pid, name, period, taken, done.wait))
    if period is not None:
        reader.start()
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(b"\n")
    child.stdin.flush()
    cpu, wall = map(float, child.stdout.readline().split())
    done.set()
    if period is not None:
        reader.join()
    return cpu, wall


def follow(
    pid: int, name: str, period: float | None, taken: list[float], wait: Callable[[float | None], bool]
) -> None:
    file = os.open(Path("/proc", str(pid), name), os.O_RDONLY)
    while not wait(period):
        began = time.thread_time()
        os.pread(file, 4096, 0)
        taken.append(time.thread_time() - began)
    os.close(file)


if __name__ == "__main__":
    main()
