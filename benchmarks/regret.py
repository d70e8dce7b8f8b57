"""How far the recommendation is from the best measured: some hundred parameter sets, every one of them run.

    .venv/bin/python benchmarks/regret.py [--sets 40] [--seconds 12] [--passes 2] [--library NAME]
        [--precision 15 --precision 25] [--store FILE] [--campaign regret]
        [--out benchmarks/results/regret.json] [FILE ...]

For each application (the examples by default) and precision, at 128 bits of security: the first sets by
predicted time, and as many drawn from the others that are predicted to take no longer than --seconds with
their keys. The machine should be calibrated and quiet. What is stored under the same campaign is not run
again. Prints a line per application; --out keeps every run with versions and environment.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fheasible.accuracy.applications import checking, examples, problem_of
from fheasible.accuracy.regret import Regret, regret, to_run
from fheasible.calibration.profiles import at_hand
from fheasible.exploration.problem.wish import Asked, Wish
from fheasible.exploration.search.declared_ranges import answer
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.sampled import Record
from fheasible.measurement.sampling import sample
from fheasible.store.store import Store

Json = dict[str, Any]
PRECISIONS = ("15", "25")


def main() -> None:
    given = arguments()
    with Store.open(given.store) as store:
        found = [e for e in explorations(given, store) if e.best is not None]
        chosen = [to_run(e, given.sets, given.seconds) for e in found]
        everything = [choice for choices in chosen for choice in choices]
        check = checking(everything)
        jobs = [choice.job for choice in everything]
        records = sample(jobs, store, given.campaign, given.passes, check=check, report=report)
    rows = [regret(own, e, records) for own, e in zip(chosen, found, strict=True)]
    print_rows(rows)
    if given.out:
        given.out.write_text(json.dumps(content(rows, records), indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, help="the examples by default")
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=12.0)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--library", action="append", help="may be repeated; all by default")
    parser.add_argument("--precision", action="append", help="may be repeated; 15 and 25 bits by default")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--campaign", default="regret")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def explorations(given: argparse.Namespace, store: Store) -> list[Exploration]:
    """One for each application and precision; of integers, which are exact, one alone."""
    libraries = [lib for lib in CATALOGUE.values() if not given.library or lib.name in given.library]
    profiles = at_hand(store, [lib.name for lib in libraries])
    wishes = [Wish(precision=Asked.parse(text)) for text in given.precision or PRECISIONS]
    problems = [problem_of(file) for file in given.files or examples()]
    return [
        answer(problem, wish, libraries, profiles)
        for problem in problems
        for wish in (wishes if problem.real else wishes[:1])
    ]


def report(label: str, done: int, total: int) -> None:
    print(f"\r{done}/{total} {label[:90]:90}", end="" if done < total else "\n", file=sys.stderr, flush=True)


def print_rows(rows: Sequence[Regret]) -> None:
    print(f"{'application':32} {'sets':>5} {'failed':>6} {'regret':>7} {'place':>5} {'rank correlation':>16}")
    for row in rows:
        print(
            f"{row.application:32} {len(row.runs):5} {len(row.failed):6} {row.regret:7.1%} {row.place:5} "
            f"{row.agreement:16.2f}"
        )
        print(f"  recommended {row.recommended.label}: {row.recommended.measured:.3f} s")
        print(f"  fastest     {row.best.label}: {row.best.measured:.3f} s")
        for label in row.failed:
            print(f"  no right result: {label}")
    regrets = [row.regret for row in rows]
    print(f"regret: mean {np.mean(regrets):.1%}, worst {max(regrets):.1%}")


def content(rows: Sequence[Regret], records: Sequence[Record]) -> Json:
    """Every run, with the environment of each library's last one."""
    return {
        "applications": [row.to_json() for row in rows],
        "environments": {r.library: r.environment for r in records},
    }


if __name__ == "__main__":
    main()
