"""Whether another checkout gives the same answers, to the last digit.

    python benchmarks/same_answers.py CHECKOUT [--count 300] [--seed 0] [--profiles STORE]

This checkout and the other one explore the examples and random applications of the trial, each in a
process of its own with its own sources. Every set, predicted figure, reason and warning is compared; only the
seconds that a search took and what is installed are not. Prints the first difference of each application, and
the CPU seconds and the peak memory of both. Exits with 1 if any answer differs.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
OF_ONE_RUN = ("seconds",)  # of an answer, at its top
OF_ONE_CHECKOUT = ("installed",)  # wherever it stands: whether a library is built there

# What each checkout runs: only what the Python API has offered from the first.
EXPLORING = """
import json, resource, sys, time
import fheasible as fh
from fheasible.errors import FheasibleError

for line in sys.stdin:
    asked = json.loads(line)
    before = time.process_time()
    try:
        answer = fh.explore(asked["file"], **asked["wish"])
        told = {**answer.to_json(), "why": list(answer.why)}
    except FheasibleError as error:
        told = {"error": str(error)}
    told["cpu_seconds"] = time.process_time() - before
    told["peak_kib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps(told, default=str), flush=True)
"""


def main() -> int:
    given = arguments()
    with TemporaryDirectory() as folder:
        asked = list(questions(given, Path(folder)))
        theirs, ours = (answers(checkout, asked) for checkout in (given.checkout, ROOT))
    cost = {"theirs": spent(theirs), "ours": spent(ours)}
    different = 0
    for question, a, b in zip(asked, theirs, ours, strict=True):
        found = next(differences(a, b), None)
        if found:
            different += 1
            print(f"{Path(question['file']).stem}: {found}")
    print(f"{len(asked)} applications, {different} with other answers")
    for name, (seconds, mebibytes) in cost.items():
        print(f"{name}: {seconds:.1f} s of CPU time, {mebibytes:.0f} MiB at the peak")
    return 1 if different else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("checkout", type=Path, help="the other checkout")
    parser.add_argument("--count", type=int, default=300, help="of random applications")
    parser.add_argument("--seed", type=int, default=0, help="that they are drawn by")
    parser.add_argument("--profiles", type=Path, help="a results file whose profiles predict the times")
    given = parser.parse_args()
    if not (given.checkout / "src" / "fheasible").is_dir():
        parser.error(f"{given.checkout} is no checkout: it has no src/fheasible")
    return given


def questions(given: argparse.Namespace, folder: Path) -> Iterator[dict[str, Any]]:
    """Files with wishes, drawn once for both checkouts."""
    from fheasible.trial.files import wished, write
    from fheasible.trial.generator import application

    store = {"store": str(given.profiles or folder / "none.sqlite")}
    for file in sorted((ROOT / "examples").glob("[0-9]*.py")):
        yield {"file": str(file), "wish": store}
    for number in range(given.count):
        drawn = application(given.seed, number)
        source, data = write(drawn, folder)
        wish = wished(drawn) | ({"data": str(data)} if data else {})
        yield {"file": str(source), "wish": wish | store}


def answers(checkout: Path, asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One for each question, from the sources of that checkout."""
    environment = os.environ | {"PYTHONPATH": str(checkout.resolve() / "src"), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", EXPLORING],
        input="\n".join(map(json.dumps, asked)),
        env=environment,
        cwd=checkout,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def spent(found: list[dict[str, Any]]) -> tuple[float, float]:
    """CPU seconds and MiB at the peak, which are no part of an answer."""
    seconds = sum(answer.pop("cpu_seconds") for answer in found)
    return seconds, max(answer.pop("peak_kib") for answer in found) / 1024


def differences(theirs: Any, ours: Any, path: str = "") -> Iterator[str]:
    """Where two documents differ, and how."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted(theirs.keys() | ours.keys()):
            if key not in OF_ONE_CHECKOUT and (path or key not in OF_ONE_RUN):
                yield from differences(theirs.get(key), ours.get(key), f"{path}/{key}")
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for i, (a, b) in enumerate(zip(theirs, ours, strict=True)):
            yield from differences(a, b, f"{path}/{i}")
    elif theirs != ours:
        yield f"{path}: {theirs!s:.100} became {ours!s:.100}"


if __name__ == "__main__":
    sys.exit(main())
