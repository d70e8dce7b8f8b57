"""The study of PAnTHErS as one file: its summary, every claim with its cause, and every executed set.

    .venv/bin/python benchmarks/panthers.py [--store FILE] [--run] [--out benchmarks/results/panthers.json]

--run first executes whatever is not stored yet (some twenty minutes; the machine should be idle), as
`fheasible study run panthers` does. Without it, the file is made from what is stored.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from fheasible.measurement.machine import this_machine
from fheasible.store.store import Store
from fheasible.studies import results, running
from fheasible.studies.claim import judged
from fheasible.studies.panthers.study import PANTHERS
from fheasible.studies.panthers.tables import rows_of_cells

Json = dict[str, Any]


def main() -> None:
    given = arguments()
    with Store.open(given.store) as store:
        there = load(store)
        if given.run:
            todo = running.steps(PANTHERS.experiments, False, there)
            running.whole(store, PANTHERS.name, todo, there, progress=report)
            there = load(store)
    made = content(there)
    for verdict, count in made["verdicts"].items():
        print(f"{count} {verdict}")
    if given.out:
        given.out.write_text(text(made))


def load(store: Store) -> results.Results:
    return results.load(store, PANTHERS.name, PANTHERS.experiments, this_machine().fingerprint)


def content(there: results.Results) -> Json:
    claims = judged(PANTHERS.claims, there)
    rows = [row for cells in there.rows.values() for row in cells.values()]
    newest = max(rows, key=lambda row: row.created, default=None)
    verdicts = [one.finding.verdict.value for one in claims]
    data = rows_of_cells(there)
    return {
        "made_by": "python benchmarks/panthers.py --run --out benchmarks/results/panthers.json",
        "executed_sets": len(rows),
        "environment": newest.environment if newest else None,
        "summary": list(PANTHERS.summary(there, claims)) if PANTHERS.summary else [],
        "verdicts": {v: verdicts.count(v) for v in dict.fromkeys(verdicts)},
        "claims": [one.to_json() for one in claims],
        "columns": list(data.columns),
        "sets": [[short(value) for value in row] for row in data.rows],
    }


def short(value: Any) -> Any:
    """A figure to six digits."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def text(made: Json) -> str:
    """The file: one line for each set."""
    sets = made.pop("sets")
    head = json.dumps(made, indent=1, ensure_ascii=False).removesuffix("\n}")
    lines = ",\n".join(f"  {json.dumps(row)}" for row in sets)
    return f'{head},\n "sets": [\n{lines}\n ]\n}}\n'


def report(label: str, done: float, total: float) -> None:
    print(f"{done / max(total, 1e-9):4.0%} {label}", file=sys.stderr)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--store", default="panthers.sqlite")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
