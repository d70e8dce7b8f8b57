"""The library's own calls in a bare loop, beside what `fheasible measure` gives for the same operations.

    .venv/bin/python benchmarks/loops.py [--library seal] [--passes 40] [--repetitions 30]
        [--out benchmarks/results/loops.json]

A product with its relinearisation, a rotation and an encryption, all by CKKS at the top level, with one
thread. `loops/` has the bare loops: of the Python bindings of SEAL and OpenFHE, and of Go's `testing.B` for
Lattigo, each without any code of Fheasible's. Both sides call the library in the same way, with the same
environment variables, so that the ratio of their times is what our measuring adds; where a library has the
product in one call, that is timed as well. In each pass every set has a fresh process for the loops and one
for each operation of `measure`, in random order; --out is written after each. The least CPU time of the
calling thread counts, as everywhere else. No security level is asked of the rings, which are small: times do
not depend on it. The exit code is 1 where a ratio is beyond the target.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from fheasible.exploration.judging.chosen import request_from
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters
from fheasible.measurement.environment import Environment, observe
from fheasible.measurement.install import go_path
from fheasible.measurement.least import CONFIDENCE
from fheasible.measurement.operation_passes import in_fresh_process
from fheasible.measurement.operations import Item, OperationJob, TimedItems
from fheasible.measurement.registry import command
from fheasible.measurement.sampled import parameters_stored

Json = dict[str, Any]
LIBRARIES = ("seal", "openfhe", "lattigo")
SETS = ((8192, 2), (16384, 3))  # ring dimension and depth: 3 and 4 limbs
SETTINGS = {"openfhe": {"technique": "fixedmanual"}}  # the others have only one
OPERATIONS = {"product": ("mul", "relinearize"), "rotation": ("rotate",), "encryption": ("encrypt",)}
IN_ONE_CALL = "product in one call"
TARGET = 0.02
GROUP = 5  # passes whose least times are compared
SETTLED = {"OMP_NUM_THREADS": "1", "GODEBUG": "madvdontneed=0"}
"""Environment variables, as workers have them. By default Go gives freed memory back to the kernel while a
loop runs, and its calls pay for page faults."""
LOOPS = Path(__file__).parent / "loops"


@dataclass
class Compared:
    """One set of parameters: the least CPU seconds of each pass, by the loop's name."""

    parameters: Parameters
    bare: dict[str, list[float]] = field(default_factory=dict)
    ours: dict[str, list[float]] = field(default_factory=dict)
    environment: Environment | None = None  # of the first process of `measure`


def main() -> int:
    given = arguments()
    sets = [Compared(parameters(name, *each)) for name in given.library or LIBRARIES for each in SETS]
    with tempfile.TemporaryDirectory() as folder:
        programs = {s.parameters.library: program(s.parameters.library, Path(folder)) for s in sets}
        for number in range(given.passes):
            print(f"pass {number + 1} of {given.passes}", file=sys.stderr, flush=True)
            one_pass(sets, programs, given, number)
            rows = [row for each in sets for row in table(each)]
            if given.out:
                given.out.write_text(json.dumps(content(sets, rows, number + 1, given), indent=1) + "\n")
    print_table(rows)
    return int(any(row.beyond for row in rows))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--library", action="append", choices=LIBRARIES, help="may be repeated; all by default"
    )
    parser.add_argument("--passes", type=int, default=40)
    parser.add_argument("--repetitions", type=int, default=30)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def parameters(name: str, n: int, depth: int) -> Parameters:
    request = request_from("ckks", {"ring_dimension": str(n)} | SETTINGS.get(name, {}), None)
    return library(name).parameters(replace(request, depth=depth))


def program(name: str, folder: Path) -> list[str]:
    """The command that runs the bare loops of a library."""
    worker = command(name)
    if library(name).worker.language != "go":
        return [str(worker.environment), str(LOOPS / f"{name}_loops.py")]
    for source in (worker.folder / "go.mod", worker.folder / "go.sum", LOOPS / f"{name}_test.go"):
        shutil.copy(source, folder)
    binary = str(folder / name)
    subprocess.run([go_path(name), "test", "-trimpath", "-c", "-o", binary, "."], cwd=folder, check=True)
    return [binary]


def one_pass(
    sets: Sequence[Compared], programs: Mapping[str, list[str]], given: argparse.Namespace, number: int
) -> None:
    """Every process once, in random order."""
    work = [(s, loop) for s in sets for loop in (None, *OPERATIONS)]
    for s, loop in random.Random(number).sample(work, len(work)):
        if loop is None:
            for name, seconds in bare(s.parameters, programs[s.parameters.library], given).items():
                s.bare.setdefault(name, []).append(seconds)
        else:
            found, environment = ours(s.parameters, loop, given)
            s.ours.setdefault(loop, []).append(least(found, loop))
            s.environment = s.environment or environment


def bare(p: Parameters, argv: Sequence[str], given: argparse.Namespace) -> dict[str, float]:
    """The least CPU seconds of each bare loop."""
    told = library(p.library).worker_parameters(p)
    if library(p.library).worker.language == "go":
        options = ("-test.bench=.", "-test.cpu=1", f"-test.benchtime={given.repetitions}x")
        return read_go(printed([*argv, *options], for_go(p, told)))
    plan = {"repetitions": given.repetitions, "warmup": 1}
    found = json.loads(printed(argv, {"parameters": told, "slots": slots(p)} | plan))
    return {name: min(seconds) for name, seconds in found.items()}


def printed(argv: Sequence[str], asked: Json) -> str:
    """What the program prints when it is asked, with one thread."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | SETTLED
    return subprocess.run(
        argv, input=json.dumps(asked), stdout=subprocess.PIPE, text=True, check=True, env=environment
    ).stdout


def for_go(p: Parameters, told: Json) -> Json:
    return {
        "LogN": p.ring_dimension.bit_length() - 1,
        "Q": [int(x) for x in told["q"]],
        "P": [int(x) for x in told["p"]],
        "Scale": told["scales"][-1],
        "Slots": slots(p),
    }


def read_go(text: str) -> dict[str, float]:
    """The least CPU seconds of each loop, from what Go's benchmarks print."""
    names = {"".join(w.capitalize() for w in n.split()): n for n in (*OPERATIONS, IN_ONE_CALL)}
    lines = [line.split() for line in text.splitlines() if line.startswith("Benchmark")]
    return {
        names[words[0].removeprefix("Benchmark")]: float(words[words.index("least-cpu-ns") - 1]) * 1e-9
        for words in lines
    }


def slots(p: Parameters) -> int:
    return p.ring_dimension // 2


def ours(p: Parameters, loop: str, given: argparse.Namespace) -> tuple[TimedItems, Environment]:
    """One run of `measure`, as a pass of it is."""
    automatic = library(p.library).own_style(p.scheme, p.technique or None).automatic
    items = tuple(Item(name, p.levels) for name in OPERATIONS[loop])
    job = OperationJob(p, slots(p), items, automatic, repetitions=given.repetitions)
    before = observe(p.library)
    found = in_fresh_process(job, None)
    return found, before.finished(found.hello)


def least(found: TimedItems, loop: str) -> float:
    """The least CPU seconds of the operations together, of all repetitions."""
    return min(map(sum, zip(*(i.timing.cpu.seconds for i in found.items), strict=True)))


@dataclass(frozen=True)
class Row:
    """A loop of a set: the least CPU seconds of both sides, and ours per second of the bare loop's.

    `low` and `high` bound the ratio with 95 % confidence; None where there are too few passes.
    """

    library: str
    ring_dimension: int
    limbs: int
    loop: str
    bare: float
    ours: float
    ratio: float
    low: float | None
    high: float | None

    @property
    def beyond(self) -> bool:
        """Whether the ratio misses the target; a product in one call is other work and has none."""
        return self.loop != IN_ONE_CALL and abs(self.ratio - 1) > TARGET


def table(s: Compared) -> list[Row]:
    p = s.parameters
    return [
        Row(p.library, p.ring_dimension, p.limbs, name, *compared(s.bare[name], s.ours[ours_of(name)]))
        for name in s.bare
    ]


def ours_of(loop: str) -> str:
    return "product" if loop == IN_ONE_CALL else loop


def compared(
    bare: Sequence[float], ours: Sequence[float]
) -> tuple[float, float, float, float | None, float | None]:
    """(least bare seconds, least seconds of ours, their ratio, low, high).

    The interval is by a t-test on the logarithms of the ratios of least times in groups of `GROUP` successive
    passes, which meet the same load. None where there are fewer than two groups.
    """
    groups = range(0, len(bare) - GROUP + 1, GROUP)
    logs = [np.log(min(ours[i : i + GROUP]) / min(bare[i : i + GROUP])) for i in groups]
    least = min(bare), min(ours), min(ours) / min(bare)
    if len(logs) < 2:
        return *least, None, None
    error = float(np.std(logs, ddof=1)) / len(logs) ** 0.5
    reach = error * float(stats.t.ppf((1 + CONFIDENCE) / 2, len(logs) - 1))
    low, high = (float(np.exp(np.mean(logs) + side * reach)) for side in (-1, 1))
    return *least, low, high


def print_table(rows: Sequence[Row]) -> None:
    print(f"{'library':9}{'N':>6}{'limbs':>6}  {'loop':20}{'bare':>10}{'ours':>10}{'ratio':>8}  interval")
    for r in rows:
        print(f"{r.library:9}{r.ring_dimension:6}{r.limbs:6}  {r.loop:20}", end="")
        print(f"{1e3 * r.bare:7.3f} ms{1e3 * r.ours:7.3f} ms{r.ratio:8.3f}", end="")
        print(f"  {r.low:.3f}-{r.high:.3f}" if r.low and r.high else "", end="")
        print("  beyond the target" if r.beyond else "")


def content(sets: Sequence[Compared], rows: Sequence[Row], passes: int, given: argparse.Namespace) -> Json:
    return {
        "target": TARGET,
        "passes": passes,
        "repetitions": given.repetitions,
        "rows": [asdict(r) for r in rows],
        "least_seconds_of_passes": [
            {"parameters": parameters_stored(s.parameters), "bare": s.bare, "ours": s.ours} for s in sets
        ],
        "environments": [s.environment.to_json() for s in sets if s.environment],
    }


if __name__ == "__main__":
    sys.exit(main())
