"""Vectors and table look-ups beside each other: is the predicted order of libraries and schemes the true one?

    .venv/bin/python benchmarks/ranking.py [--store FILE] [--most-seconds 400] [--passes 2]
        [--out benchmarks/results/ranking.json] [FILE ...]

For each application (examples 4, 8, 11, 12 and 13 by default): the best set of each library and scheme is
run, unless its run with its keys is predicted to take longer than --most-seconds, and compared with the
results in the clear. Passes go through all of them by turns, and the least time counts. Two sets are told
apart where their predictions differ by more than the error band of both; the one that was predicted to be
faster has to be. The machine should be quiet, and --store have its calibrations. Where nothing fits, the
reason is kept. Exit code 1 where a result is wrong, or where an order is.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import fheasible as fh
from fheasible.errors import FheasibleError
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.lookup_catalogue import LOOKUP_CATALOGUE
from fheasible.measurement.environment import now
from fheasible.measurement.machine import this_machine

EXAMPLES = Path(__file__).parents[1] / "examples"
USUAL = ("4_inner_product", "8_long_product", "11_age_filter", "12_maximum", "13_cardio")
TOTAL = "cpu_seconds.total"


@dataclass
class Kind:
    """The best set of a library and scheme. Times are CPU seconds of a run, without its keys."""

    library: str
    scheme: str
    settings: str = ""
    predicted: float | None = None
    band: float = 0.0
    measured: float | None = None
    keys_predicted: float | None = None
    keys_measured: float | None = None
    memory_ratio: float | None = None  # predicted by measured
    why: str = ""  # nothing was run


def main() -> int:
    given = arguments()
    found = {file.stem: [*explored(file, given.store)] for file in given.files}
    for _ in range(given.passes):
        for file in given.files:
            for kind in found[file.stem]:
                run(file, kind, given)
    orders = {name: [*misordered(kinds)] for name, kinds in found.items()}
    for name, kinds in found.items():
        print_rows(name, kinds, orders[name])
    if given.out:
        told = {name: [asdict(kind) for kind in kinds] for name, kinds in found.items()}
        document = {"cpu": this_machine().cpu, "created": now(), "found": told, "misordered": orders}
        given.out.write_text(json.dumps(document, indent=1) + "\n")
    wrong = [k for kinds in found.values() for k in kinds if k.why.startswith("wrong")]
    return int(bool(wrong) or any(orders.values()))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = [EXAMPLES / f"{name}.py" for name in USUAL]
    parser.add_argument("files", nargs="*", type=Path, default=usual, help="the examples by default")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--most-seconds", type=float, default=400.0)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def explored(file: Path, store: Path | None) -> Iterator[Kind]:
    for library in (*CATALOGUE.values(), *LOOKUP_CATALOGUE.values()):
        for scheme in library.schemes:
            yield best(file, Kind(library.name, scheme), store)


def best(file: Path, kind: Kind, store: Path | None) -> Kind:
    answer: Any = fh.explore(file, libraries=kind.library, scheme=kind.scheme, store=store)
    found = answer.exploration
    if found.best is None:
        kind.why = found.rejected[0].reason if found.rejected else "nothing fits"
        return kind
    told = found.to_json()["candidates"][0]
    estimate = told["estimate"]
    kind.predicted, kind.band = estimate["cpu_seconds"]["total"], estimate["error_band"] or 0.0
    kind.keys_predicted = estimate["cpu_seconds"]["keygen"]
    kind.settings = json.dumps(told["request"])
    return kind


def run(file: Path, kind: Kind, given: argparse.Namespace) -> None:
    """One more run of the kind's best set, where it is not too long; what is measured is the least so far."""
    if kind.predicted is None or kind.why:
        return
    if kind.predicted * 2 + (kind.keys_predicted or 0.0) > given.most_seconds:  # a run is warmed up
        kind.why = "not run: too long"
        return
    try:
        proof = fh.verify(file, repetitions=1, libraries=kind.library, scheme=kind.scheme, store=given.store)
    except FheasibleError as error:
        kind.why = f"wrong or refused: {error}"
        return
    if proof.failed:
        kind.why = f"wrong or refused: {proof.failed[0]}"
        return
    took, keys = proof.measured[TOTAL], proof.measured["cpu_seconds.keygen"]
    assert took is not None
    assert keys is not None
    kind.measured, kind.keys_measured = (
        min(took, kind.measured or took),
        min(keys, kind.keys_measured or keys),
    )
    kind.memory_ratio = 1 + proof.relative_error["peak_bytes"]
    print(f"{file.stem} {kind.library} {kind.scheme}: {kind.predicted:.4g} s, {took:.4g} s", file=sys.stderr)


def misordered(kinds: list[Kind]) -> Iterator[str]:
    """The pairs whose order was predicted beyond the error band, and is another."""
    times = [
        (k.predicted, k.measured, k) for k in kinds if k.predicted is not None and k.measured is not None
    ]
    for pair in combinations(times, 2):
        (fast, took_fast, a), (slow, took_slow, b) = sorted(pair, key=lambda each: each[0])
        if slow / fast > (1 + a.band) * (1 + b.band) and took_slow < took_fast:
            yield f"{a.library} {a.scheme} before {b.library} {b.scheme}"


def print_rows(name: str, kinds: list[Kind], orders: list[str]) -> None:
    print(name)
    for k in sorted(kinds, key=lambda k: (k.predicted is None, k.predicted)):
        predicted = "" if k.predicted is None else f"{k.predicted:12.4g} s"
        measured = "" if k.measured is None else f"{k.measured:12.4g} s {k.predicted / k.measured - 1:+7.1%}"
        print(f"  {k.library:8} {k.scheme:8} {predicted:14} {measured:24} {k.why[:90]}")
    for order in orders:
        print(f"  not so: {order}")


if __name__ == "__main__":
    sys.exit(main())
