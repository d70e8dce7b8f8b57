"""SEAL as WebAssembly under Node beside the native SEAL, by `fheasible compare`.

    .venv/bin/python benchmarks/node_seal.py --store node_seal.sqlite [--sessions 2]
        [--out benchmarks/results/node_seal.json] [--table]

Both libraries are measured in turn, in every second session in the opposite order: a calibration, which keeps
every sample of the single operations of BFV, BGV and CKKS, then applications with given parameters. Then the
store's runs are compared. Least CPU times count: Node tells that of its process, in which V8 has one thread.
With --table nothing is measured: the table of docs/other_machines.md is printed from --out.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from fheasible.libraries.catalogue import library
from fheasible.measurement.environment import observe
from fheasible.measurement.worker import Worker

Json = dict[str, Any]
NATIVE, PORTABLE = "seal", "node-seal"
EXAMPLES = Path(__file__).parents[1] / "examples"
RUNS = (  # of applications: file, scheme, parameters
    ("1_sum_of_products.py", "ckks", ("ring_dimension=16384",)),
    ("3_depth_ten.py", "ckks", ("ring_dimension=32768",)),
    ("4_inner_product.py", "ckks", ("ring_dimension=8192",)),
    ("4_inner_product.py", "bfv", ("ring_dimension=16384",)),
    ("4_inner_product.py", "bgv", ("ring_dimension=16384",)),
)
OUT = Path(__file__).parent / "results" / "node_seal.json"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", default="node_seal.sqlite")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--sessions", type=int, default=2)
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    if asked.table:
        print("\n".join(table(json.loads(asked.out.read_text()))))
        return 0
    before = observe(f"{NATIVE} and {PORTABLE}")
    for session in range(asked.sessions):
        for name in (NATIVE, PORTABLE) if session % 2 == 0 else (PORTABLE, NATIVE):
            measured(name, asked.store, f"session {session + 1} of {asked.sessions}")
    found = json.loads(fheasible("compare", NATIVE, PORTABLE, store=asked.store, right=(0, 4)))
    told = {
        "environment": before.finished().to_json(),
        "builds": {name: build(name) for name in (NATIVE, PORTABLE)},
        "sessions": asked.sessions,
    }
    asked.out.write_text(json.dumps(told | found, indent=1) + "\n")
    print("\n".join(table(found)))
    return 0


def measured(name: str, store: str, session: str) -> None:
    print(f"{session}: {library(name).title}", file=sys.stderr)
    fheasible("calibrate", "--library", name, store=store)
    for file, scheme, settings in RUNS:
        given = [word for setting in settings for word in ("--param", setting)]
        fheasible("run", str(EXAMPLES / file), "--library", name, "--scheme", scheme, *given, store=store)


def fheasible(*words: str, store: str, right: tuple[int, ...] = (0,)) -> str:
    """What a call prints as JSON."""
    program = Path(sys.executable).with_name("fheasible")
    done = subprocess.run(
        [program, *words, "--json", "--store", store], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode not in right:
        raise SystemExit(f"fheasible {' '.join(words)}: exit code {done.returncode}: {done.stdout[-2000:]}")
    return done.stdout


def build(name: str) -> Json:
    with Worker(name) as worker:
        hello = worker.hello
    return {
        "version": hello.version,
        "binding": hello.binding,
        "build": hello.build,
        "runtime": hello.runtime,
    }


def table(found: Json) -> list[str]:
    """The ratios of times in Markdown: operations in all their contexts, then applications."""
    groups: dict[str, dict[str, list[float]]] = {}
    for work in found["operations"]:
        groups.setdefault(work["name"], {}).setdefault(work["scheme"], []).append(work["ratio"])
    lines = ["| operation | BFV | BGV | CKKS |", "|---|---|---|---|"]
    for name, schemes in sorted(groups.items()):
        cells = [spread(schemes.get(scheme, [])) for scheme in ("bfv", "bgv", "ckks")]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    lines += ["", "| application | scheme | N | SEAL | node-seal | ratio |", "|---|---|---|---|---|---|"]
    for work in found["applications"]:
        seconds = (f"{1e3 * work[side]:.0f} ms" for side in ("a_seconds", "b_seconds"))
        row = (
            f"`{work['name']}`",
            work["scheme"].upper(),
            f"{work['n']:,}",
            *seconds,
            f"{work['ratio']:.2f}",
        )
        lines.append(f"| {' | '.join(row)} |")
    return lines


def spread(ratios: list[float]) -> str:
    """The geometric mean, and the least and the largest."""
    if not ratios:
        return ""
    return f"{geometric_mean(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


if __name__ == "__main__":
    sys.exit(main())
