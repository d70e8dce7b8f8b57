"""Predicted against measured: the best candidate of every library and scheme for every example, really run.

    .venv/bin/python benchmarks/examples.py [--store FILE] [--out benchmarks/results/examples.json]

Needs profiles of this machine (fheasible calibrate). Prints a table; --out keeps the figures with their
environment.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from fheasible.calibration.profiles import of_this_machine
from fheasible.circuit.data import random_data
from fheasible.circuit.load import load
from fheasible.errors import FheasibleError
from fheasible.exploration.problem import Problem
from fheasible.exploration.proof import Proof, prove
from fheasible.exploration.search import explore
from fheasible.exploration.wish import Wish
from fheasible.libraries.catalogue import CATALOGUE, Library
from fheasible.measurement.execute import Plan
from fheasible.store.store import Store

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("[0-9]_*.py"))
SEED = 1
COLUMNS = (
    f"{'example':20}{'library':9}{'scheme':7}{'N':>7}{'CPU s':>9}{'measured':>10}{'error':>8}"
    f"{'memory':>8}{'bits':>7}{'measured':>10}"
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", type=Path)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    print(COLUMNS)
    rows = []
    with Store.open(given.store) as store:
        for row in measured(store):
            print(line(row), flush=True)
            rows.append(row)
    errors = [abs(row["cpu_error"]) for row in rows if row["cpu_error"] is not None]
    print(
        f"CPU time: mean error {sum(errors) / len(errors):.1%}, worst {max(errors):.1%}, {len(errors)} runs"
    )
    if given.out:
        given.out.write_text(json.dumps(rows, indent=1, default=str) + "\n")


def measured(store: Store) -> Iterator[dict[str, Any]]:
    profiles = of_this_machine(store, CATALOGUE)
    for path in EXAMPLES:
        circuit = load(str(path)).trace()
        problem = Problem(circuit, random_data(circuit, SEED), f"random data (seed {SEED})")
        for library, scheme in ((lib, s) for lib in CATALOGUE.values() for s in lib.schemes):
            if scheme == "ckks" or not problem.real:
                yield from run(problem, library, scheme, profiles, store)


def run(
    problem: Problem, library: Library, scheme: str, profiles: Any, store: Store
) -> Iterator[dict[str, Any]]:
    wish = Wish(128, precision_bits=15 if scheme == "ckks" else None)
    found = explore(problem, wish, [replace(library, schemes=(scheme,))], profiles)
    if found.best is None:
        return
    try:
        yield row(problem, prove(problem, found.best, Plan(repetitions=5, warmup=1), SEED, store))
    except FheasibleError as error:
        print(f"{problem.circuit.name} {library.name} {scheme}: {error.message}")


def row(problem: Problem, proof: Proof) -> dict[str, Any]:
    estimate, errors = proof.candidate.estimate, proof.relative_error()
    return {
        "example": problem.circuit.name,
        "library": proof.candidate.library,
        "scheme": proof.candidate.scheme,
        "ring_dimension": proof.candidate.parameters.ring_dimension,
        "cpu_predicted": (estimate.cpu_seconds or {}).get("total"),
        "cpu_measured": proof.measurement.phases.total.cpu.min,
        "cpu_error": errors.get("cpu_seconds.total"),
        "peak_error": errors.get("peak_bytes"),
        "bits_predicted": estimate.precision_bits,
        "bits_measured": proof.precision_bits,
        "environment": proof.environment.to_json(),
    }


def line(r: dict[str, Any]) -> str:
    def shown(value: float | None, form: str) -> str:
        return "-" if value is None else format(value, form)

    return (
        f"{r['example']:20}{r['library']:9}{r['scheme']:7}{r['ring_dimension']:7}"
        f"{shown(r['cpu_predicted'], '.3f'):>9}{shown(r['cpu_measured'], '.3f'):>10}"
        f"{shown(r['cpu_error'], '+.1%'):>8}{shown(r['peak_error'], '+.1%'):>8}"
        f"{shown(r['bits_predicted'], '.1f'):>7}{shown(r['bits_measured'], '.1f'):>10}"
    )


if __name__ == "__main__":
    main()
