"""What several processors gain when an application is explored.

    python benchmarks/side_by_side.py [--rounds 5] [EXAMPLE ...]    # writes results/side_by_side.json

Each example is explored in turn with all processors and with one, in a process of its own, and that in
several rounds: machines are noisy, and what the rounds have in common says what the processors gain. "ratio"
is the median over the rounds of the seconds with all processors as a part of those with one; "work" is the
same of the CPU seconds of all processes. The seconds are the least of the rounds, as `search.py` measures
them, after imports and with one thread of BLAS.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from search import ROOT, machine, number

RESULTS = Path(__file__).parent / "results" / "side_by_side.json"
USUAL = ("4", "11", "12", "13")  # on integers: reals are searched by one process


def explored(file: Path, processors: set[int]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "search.py"), str(file)],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: os.sched_setaffinity(0, processors),
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def compared(file: Path, rounds: int) -> dict[str, Any]:
    every = os.sched_getaffinity(0)
    pairs = [(explored(file, every), explored(file, {min(every)})) for _ in range(rounds)]
    assert all(a["best"] == b["best"] and a["explored"] == b["explored"] for a, b in pairs)
    return {
        "rounds": rounds,
        "seconds": min(a["seconds"] for a, _ in pairs),
        "seconds_with_one": min(b["seconds"] for _, b in pairs),
        "ratio": median(a["seconds"] / b["seconds"] for a, b in pairs),
        "work": median(a["cpu_seconds"] / b["cpu_seconds"] for a, b in pairs),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("examples", nargs="*", default=USUAL, help="numbers of examples")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    files = sorted((ROOT / "examples").glob("[0-9]*_*.py"), key=number)
    found: dict[str, Any] = {"machine": machine()}
    for file in files:
        if str(number(file)) in given.examples:
            found[file.stem] = compared(file, given.rounds)
            print(file.stem, json.dumps(found[file.stem]), flush=True)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
