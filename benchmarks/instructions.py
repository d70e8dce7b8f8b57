"""Instructions of single operations, which neither load nor temperature changes: for finding regressions.

    .venv/bin/python benchmarks/instructions.py [--library seal] [--scheme ckks] [--n 4096] [--limbs 3]
        [--operation rotate] [--out FILE.json] [--against FILE.json]

The worker runs under callgrind (Debian's package valgrind), first a program that does the operation a few
times, then one that does it more often; the difference belongs to the additional operations. It is taken
twice, to see how well it repeats: within 0.2 % for SEAL, and 0.5 % for Lattigo, whose additions alone vary
by 5 % because collections fall between them. Callgrind knows no AVX-512, so the count is that of the AVX2
code. --against sets the counts beside those of an earlier --out.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np

from fheasible.calibration.candidates import requests
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters
from fheasible.measurement.environment import observe
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.registry import command
from fheasible.program.serial import to_message
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

OPERATIONS = ("add", "add_plain", "mul_plain", "square", "relinearize", "rotate", "rescale")
FEW, MANY = 2, 34
WITHOUT_RESCALING = ("bfv",)
# Hashes that do not depend on chance, and Go without the signals by which it preempts, which callgrind cannot
# bear.
STEADY = ("env", "PYTHONHASHSEED=0", "GODEBUG=asyncpreemptoff=1,madvdontneed=0", "OMP_NUM_THREADS=1")


def main() -> None:
    given = arguments()
    if which("valgrind") is None:
        sys.exit("valgrind is not installed; remedy: sudo apt-get install valgrind")
    before = json.loads(given.against.read_text())["instructions"] if given.against else {}
    found = {}
    for name in given.library:
        p = library(name).parameters(
            next(requests(library(name), given.scheme, given.n, given.limbs, several=False))
        )
        print(f"{name} {p.scheme} N={p.ring_dimension} limbs={p.limbs} digits={p.digits}")
        for operation, counts in counted(p, given.operation):
            key = f"{name} {p.scheme} {p.ring_dimension} {p.limbs} {operation}"
            found[key] = min(counts)
            spread = max(counts) / min(counts) - 1
            change = f"{min(counts) / before[key] - 1:+9.2%}" if key in before else ""
            print(f"  {operation:12} {min(counts):15,.0f} instructions, again within {spread:.3%} {change}")
    if given.out:
        environments = [observe(name).to_json() for name in given.library]
        document = {"instructions": found, "environments": environments}
        given.out.write_text(json.dumps(document, indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--library", action="append", help="may be repeated; all by default")
    parser.add_argument("--scheme", default="ckks")
    parser.add_argument(
        "--operation", action="append", choices=OPERATIONS, help="may be repeated; all by default"
    )
    parser.add_argument("--n", type=int, default=4096)
    parser.add_argument("--limbs", type=int, default=3)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--against", type=Path)
    given = parser.parse_args()
    given.library = given.library or ["seal", "lattigo", "openfhe"]
    given.operation = given.operation or OPERATIONS
    return given


def counted(p: Parameters, operations: Sequence[str]) -> Iterator[tuple[str, list[float]]]:
    """Each operation with the instructions that one of it takes, counted twice."""
    for operation in operations:
        if operation == "rescale" and p.scheme in WITHOUT_RESCALING:
            continue
        few, many = ([instructions(p, program(p, operation, n)) for _ in range(2)] for n in (FEW, MANY))
        yield operation, [(m - f) / (MANY - FEW) for f, m in zip(few, many, strict=True)]


def program(p: Parameters, operation: str, number: int) -> Program:
    """A program that does the operation so often, at the highest level, on a value of the right size."""
    scheme, top = Scheme(p.scheme), p.levels
    slots = p.ring_dimension // 2
    level = top - 1 if operation == "rescale" else top
    of = {"relinearize": 1, "rescale": 2}.get(operation, 0)
    prepared = [
        Operation(Action.ENCRYPT, 0, level=top, source="x"),
        Operation(Action.SQUARE, 1, (0,), level=top),
        Operation(Action.RELINEARIZE, 2, (1,), level=top),
    ]
    once = Operation(
        Action(operation),
        3,
        (0, 0) if operation == "add" else (of,),
        level=level,
        plain=0 if operation.endswith("plain") else None,
        steps=1 if operation == "rotate" else 0,
        frees=(3,),
    )
    plain = np.ones(slots, dtype=np.float64 if scheme is Scheme.CKKS else np.int64)
    repeated = [replace(once, out=3 + i, frees=(3 + i,)) for i in range(number)]
    x = Packed(name="x", length=slots, values=(0,))
    return Program(scheme, slots, top, (*prepared, *repeated), (plain,), (x,), (replace(x, name="y"),))


def instructions(p: Parameters, program: Program) -> int:
    """The instructions of the whole process that runs the program once."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        counts = folder / "callgrind"
        argv = [*STEADY, "valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}"]
        request = json.dumps(asked(p, program, folder)) + "\n"
        done = subprocess.run(
            [*argv, *command(p.library).argv], input=request, capture_output=True, text=True, check=False
        )
        reply = json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}
        if reply.get("type") != "measured" or not counts.is_file():
            sys.exit(f"{p.library}: {reply.get('message') or done.stderr[-1000:]}")
        found = re.search(r"^(?:totals|summary): (\d+)", counts.read_text(), re.MULTILINE)
        assert found is not None
        return int(found[1])


def asked(p: Parameters, program: Program, folder: Path) -> dict[str, Any]:
    """The request to run the program once."""
    (folder / "out").mkdir()
    np.save(folder / "x.npy", np.ones((1, program.slots), dtype=program.plains[0].dtype))
    return {
        "type": "run",
        "id": "1",
        "parameters": library(p.library).worker_parameters(p),
        "program": to_message(program, folder),
        "inputs": {"x": str(folder / "x.npy")},
        "folder": str(folder / "out"),
        "plan": RunPlan(1, warmup=0).to_json(),
        "options": RunOptions(sizes=False).to_json(),
    }


if __name__ == "__main__":
    main()
