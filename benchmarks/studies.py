"""The five studies as one file: how well sets were predicted, and every claim with verdict and cause.

    .venv/bin/python benchmarks/studies.py [--store FILE] [--out benchmarks/results/studies.json]

It is made from what is stored: run each study before, on an idle machine that has been calibrated, such as
with `fheasible study run NAME --quick --store FILE`.
"""

import argparse
import json
from pathlib import Path
from statistics import fmean
from typing import Any

from fheasible.measurement.machine import this_machine
from fheasible.store.store import Store
from fheasible.studies import results
from fheasible.studies.accuracy import Accuracy, accuracy, together
from fheasible.studies.catalogue import STUDIES
from fheasible.studies.claim import judged
from fheasible.studies.study import Study

Json = dict[str, Any]


def main() -> None:
    given = arguments()
    with Store.open(given.store) as store:
        prices = results.prices(store)
        made = {name: content(store, study, prices) for name, study in STUDIES.items()}
    for name, told in made.items():
        whole, verdicts = told["accuracy"]["all"], ", ".join(f"{n} {v}" for v, n in told["verdicts"].items())
        errors_told = f"{whole['time_mean'] or 0:.3f}, largest {whole['time_largest']:.3f}"
        one = f" (one operation {whole['operation_mean']:.3f})" if whole["operation_mean"] else ""
        told_sizes = f"{whole['unequal_sizes']} sizes differ"
        print(f"{name}: {told['executed_sets']} sets; CPU time, mean error {errors_told}{one}; {told_sizes}")
        print(f"  {verdicts}")
    if given.out:
        document = {"made_by": "python benchmarks/studies.py", "studies": made}
        given.out.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def content(store: Store, study: Study, prices: Any) -> Json:
    there = results.load(store, study.name, study.experiments, this_machine().fingerprint, prices)
    claims = judged(study.claims, there)
    rows = [row for cells in there.rows.values() for row in cells.values()]
    newest = max(rows, key=lambda row: row.created, default=None)
    verdicts = [one.finding.verdict.value for one in claims]
    found = [a for e in study.experiments if (a := accuracy(there, e)).cells]
    return {
        "executed_sets": len(rows),
        "outcomes": {o: sum(row.outcome == o for row in rows) for o in sorted({row.outcome for row in rows})},
        "environment": newest.environment if newest else None,
        "summary": list(study.summary(there, claims)) if study.summary else [],
        "accuracy": {a.name: errors(a) for a in (*found, together(found))},
        "verdicts": {v: verdicts.count(v) for v in dict.fromkeys(verdicts)},
        "claims": [one.to_json() for one in claims],
    }


def errors(a: Accuracy) -> Json:
    """The errors of an experiment; times and memory as shares, precision in bits."""
    return {
        "sets": a.cells,
        "times": len(a.times),
        "time_mean": mean(a.times),
        "time_largest": max(a.times, key=abs, default=0.0),
        "operations": len(a.operations),
        "operation_mean": mean(a.operations),
        "memory_mean": mean(a.memory),
        "precision_mean": mean(a.precision),
        "unequal_sizes": len(a.unequal),
    }


def mean(found: tuple[float, ...]) -> float | None:
    return fmean(map(abs, found)) if found else None


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--store", default="studies.sqlite")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
