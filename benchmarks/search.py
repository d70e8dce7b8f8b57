"""How long a user waits for an answer, and how fast the space is searched; memory at the peak.

    python benchmarks/search.py [examples] [hard] [every]     # writes benchmarks/results/search.json

The parts that are named are measured, or all three; the file keeps the others, each with its machine.

Seconds with one thread of BLAS, the least of some runs. Every run is a process of its own, so that nothing is
cached but what is shipped; it may search in copies of itself, whose CPU seconds count, too. "examples" and
"hard" (large or deep applications, in benchmarks/hard) are the whole of `fh.explore` and of the answer's
text, after imports: the application is loaded, its worst inputs are looked for, and the reasons are part of
the answer ("reasons" is what they take). The sets that are counted are those of the platform that is
recommended; the others are searched, too.
"every" is the search alone, of the whole space; "again" walks the same space once more in that process, when
its primes are known; "evaluation" is of the same problem once more, whose programs and gains are known,
without the answer.
Times come from the shipped profiles.
"""

import json
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

Json = dict[str, Any]

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "search.json"
RUNS = 3
PRECISION = {
    "2_std_dev": 15.0,
    "5_logistic_regression": 10.0,
    "6_two_layer_network": 10.0,
    "8_long_product": 10.0,
    "9_logistic_training": 10.0,
    "10_relu_network": 10.0,
}
USUAL = 12.0
PARTS = ("examples", "hard", "every")
WHOLE = ("1_sum_of_products", "2_std_dev")  # whose whole space is walked


def answered(file: str) -> Json:
    """What a user waits for, in this process."""
    import numpy.ma  # noqa: F401  # these are imported when they are first used
    import scipy.special  # noqa: F401
    import sqlalchemy.dialects.sqlite  # noqa: F401

    import fheasible as fh
    import fheasible.api.explore
    import fheasible.api.text

    with TemporaryDirectory() as folder:
        before, start = cpu_seconds(), perf_counter()
        answer = fh.explore(
            file, precision=PRECISION.get(Path(file).stem, USUAL), store=Path(folder) / "none.sqlite"
        )
        explored = perf_counter()
        text = str(answer)
        end = perf_counter()
    best = answer.best
    return {
        "explored": answer.explored,
        "feasible": answer.feasible,
        "shown": len(answer.candidates),
        "seconds": end - start,
        "cpu_seconds": cpu_seconds() - before,
        "reasons": end - explored,
        "sets_per_second": answer.explored / (end - start),
        "best": best and called(best),
        "lines": len(text.splitlines()),
        "peak_bytes": peak_bytes(),
    }


def cpu_seconds() -> float:
    """The CPU seconds of this process, and of the copies of it that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + ended.ru_utime + ended.ru_stime


def called(best: Any) -> list[Any]:
    """The library of a set, its scheme, and the dimension of its ring."""
    if hasattr(best, "ring_dimension"):
        return [best.library, best.scheme, best.ring_dimension]
    return [best.library.name, best.scheme, best.parameters.polynomial_size]  # a set for table look-ups


def searched(file: str) -> Json:
    """The search of the whole space, in this process."""
    from fheasible.calibration.defaults import default_profile
    from fheasible.circuit.data import random_data
    from fheasible.circuit.load import load
    from fheasible.exploration.problem.problem import Problem
    from fheasible.exploration.problem.wish import Wish, bits
    from fheasible.exploration.search.search import explore
    from fheasible.exploration.search.walk import Walk
    from fheasible.libraries.catalogue import CATALOGUE

    circuit = load(file).trace()
    wish = Wish(precision=bits(PRECISION.get(Path(file).stem, USUAL)))
    profiles = {name: profile for name in CATALOGUE if (profile := default_profile(name))}

    def new() -> Problem:
        return Problem(circuit, random_data(circuit, 0), "random data (seed 0)")

    def once(problem: Problem) -> Json:
        before = process_time()
        found = explore(problem, wish, list(CATALOGUE.values()), profiles, every=True)
        seconds = process_time() - before
        best = found.best
        return {
            "explored": found.explored,
            "feasible": found.feasible,
            "kept": len(found.kept),
            "cpu_seconds": seconds,
            "sets_per_second": found.explored / seconds,
            "best": best and [best.library, best.scheme, best.parameters.ring_dimension],
        }

    def evaluated(problem: Problem) -> Json:
        walk, rows, before = Walk(problem, wish, profiles, every=True, whole=False), 0, process_time()
        for library in CATALOGUE.values():
            for scheme in library.schemes:
                if not problem.unsuited(scheme):
                    rows += sum(judged.rows for judged in walk.judged(library, scheme))
        seconds = process_time() - before
        return {"cpu_seconds": seconds, "sets_per_second": rows / seconds}

    first = once(new()) | {"peak_bytes": peak_bytes()}
    known = new()
    return first | {"again": once(known), "evaluation": evaluated(known)}


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def least(file: Path, every: bool) -> Json:
    """Of some processes the one that took the least."""
    command = [sys.executable, __file__, str(file), *(["--every"] if every else [])]
    alone = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=alone).stdout)
        for _ in range(RUNS)
    ]
    found: Json = min(runs, key=lambda run: run.get("seconds", run["cpu_seconds"]))
    for part in ("again", "evaluation") if every else ():
        found[part] = min((run[part] for run in runs), key=lambda walked: walked["cpu_seconds"])
    return found


def number(example: Path) -> int:
    return int(example.stem.partition("_")[0])


def machine() -> Json:
    import numpy

    from fheasible.measurement.machine import load, this_machine

    here = this_machine()
    return {
        "cpu": here.cpu,
        "cores": here.cores,
        "os": here.os,
        "load": load(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
    }


def main(parts: Sequence[str]) -> None:
    examples = sorted((ROOT / "examples").glob("[0-9]*_*.py"), key=number)
    hard = sorted((ROOT / "benchmarks" / "hard").glob("*.py"))
    found: Json = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    files = {
        "examples": examples,
        "hard": hard,
        "every": [file for file in examples if file.stem in WHOLE],
    }
    for part in parts:
        each = {file.stem: least(file, every=part == "every") for file in files[part]}
        found[part] = {"machine": machine(), "runs": RUNS, **each}
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(json.dumps({part: found[part]}, indent=1), flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] not in PARTS:
        print(json.dumps((searched if "--every" in sys.argv else answered)(sys.argv[1])))
    else:
        main(sys.argv[1:] or PARTS)
