"""The cheapest sets of TFHE beside those that others found for the same: costs, failure rates, time.

    .venv/bin/python benchmarks/tfhe_sets.py CONCRETE [--out benchmarks/results/tfhe_sets.json]

CONCRETE is a checkout of github.com/zama-ai/concrete, whose optimiser's table stands in
`compilers/concrete-optimizer/v0-parameters/ref/v0_last_128` (and `_132`): 8 precisions and up to 32 2-norms,
Gaussian errors, a failure rate of 2^-13.9, sums of 4096 terms. The other rows are the sets of TFHE-rs's v1_7
for processors, as `tests/noise/tfhe/tfhe_rs_sets.json` has them. Every search is for the same 2-norm and
failure rate with the same least errors; costs are numbers of operations, counted alike. A published set that
fails more often than it may by our model of noise (`fails`) did not do the same. The seconds are CPU time of
this process; the first search of each level of security fills the tables that later ones share.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from math import log2
from pathlib import Path
from time import process_time
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from exploration.lookups.curves import (  # noqa: E402
    CONCRETE,
    as_tfhe_rs_asks,
    concrete,
    published,
    sets_for_processors,
)
from fheasible.exploration.lookups.complexity import Complexity, lookup_cost  # noqa: E402
from fheasible.exploration.lookups.optimiser import Asked, LeastStd, optimised  # noqa: E402
from fheasible.noise.tfhe.noise import lookup_failure  # noqa: E402
from fheasible.schemes.tfhe.parameters import Gadget, ModulusSwitch, TfheParameters  # noqa: E402

Json = dict[str, Any]
TABLE = "compilers/concrete-optimizer/v0-parameters/ref/v0_last_{level}"
RATE = log2(1 - 0.999936657516)  # of the table: four standard deviations
SUMS = 4096
ROW = re.compile(r"    - (\d+)\s*:\s*([^#]*)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("concrete", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "tfhe_sets.json")
    given = parser.parse_args()
    rows = [*from_tfhe_rs(), *from_concrete(given.concrete)]
    summaries = [summary(source, rows) for source in dict.fromkeys(row["source"] for row in rows)]
    for each in summaries:
        print(json.dumps(each))
    lines = ",\n".join(json.dumps(row) for row in rows)
    given.out.write_text(f'{{"summary": {json.dumps(summaries)},\n"rows": [\n{lines}\n]}}\n')


def from_tfhe_rs() -> Iterator[Json]:
    for named in sets_for_processors():
        asked, least = as_tfhe_rs_asks(named)
        yield compared("tfhe-rs 1.8.2", named.name, named.parameters, asked, Complexity(), least)


def from_concrete(checkout: Path) -> Iterator[Json]:
    for level in CONCRETE:
        least = concrete(level)
        for bits, log_norm, p in table(checkout / TABLE.format(level=level), least):
            asked = Asked(
                plaintext_modulus=1 << bits,
                norm2=2.0**log_norm,
                log2_failure=RATE,
                modulus_switch=ModulusSwitch.STANDARD,
                tuniform=False,
                small=(512, 2047),
            )
            name = f"{bits} bits, norm 2^{log_norm}"
            yield compared(f"concrete, {level} bits", name, p, asked, Complexity(SUMS), least)


def table(file: Path, least: LeastStd) -> Iterator[tuple[int, int, TfheParameters]]:
    """(precision, log2 of the 2-norm, set) of each row of a table."""
    bits = 0
    for line in file.read_text().splitlines():
        heading = re.match(r"  - (\d+): # bits", line)
        bits = int(heading[1]) if heading else bits
        row = ROW.match(line)
        if row:
            k, log_n, n, *levels = (int(part) for part in row[2].split(",")[:7])
            gadgets = Gadget(levels[1], levels[0]), Gadget(levels[3], levels[2])
            yield bits, int(row[1]), published(bits, k, 1 << log_n, n, *gadgets, least)


def compared(
    source: str, name: str, theirs: TfheParameters, asked: Asked, cost: Complexity, least: LeastStd
) -> Json:
    start = process_time()
    found = optimised(asked, cost, least)
    seconds = process_time() - start
    failure = lookup_failure(theirs, asked.norm2)
    row: Json = {
        "source": source,
        "name": name,
        "their_cost": lookup_cost(theirs, cost),
        "their_log2_failure": round(failure, 3),
        "fails": failure > asked.log2_failure + 0.01,
        "cpu_seconds": round(seconds, 4),
        "theirs": shape(theirs),
    }
    if found:
        best = replace(found[0].parameters, message_modulus=theirs.message_modulus)
        row |= {
            "cost": found[0].cost,
            "log2_failure": round(found[0].log2_failure, 3),
            "ratio": round(found[0].cost / row["their_cost"], 5),
            "ours": shape(best),
        }
    return row


def shape(p: TfheParameters) -> list[int]:
    """n, k, N, then base and levels of the bootstrap and of the key switch."""
    gadgets = [p.pbs.base_log, p.pbs.level, p.ks.base_log, p.ks.level]
    return [p.lwe_dimension, p.glwe_dimension, p.polynomial_size, *gadgets]


def summary(source: str, rows: list[Json]) -> Json:
    here = [row for row in rows if row["source"] == source]
    ratios = [row["ratio"] for row in here if "ratio" in row]
    return {
        "source": source,
        "sets": len(here),
        "found": len(ratios),
        "largest_ratio": max(ratios),
        "largest_ratio_to_sets_that_do_not_fail": max(r["ratio"] for r in here if not r["fails"]),
        "mean_ratio": round(sum(ratios) / len(ratios), 4),
        "same_set": sum(row.get("ours") == row["theirs"] for row in here),
        "fail_too_often": sum(row["fails"] for row in here),
        "most_cpu_seconds": max(row["cpu_seconds"] for row in here),
        "mean_cpu_seconds": round(sum(row["cpu_seconds"] for row in here) / len(here), 4),
    }


if __name__ == "__main__":
    main()
