"""What several threads gain: every primitive with one thread and with several, and the model fitted to it.

    .venv/bin/python benchmarks/threads.py [--library openfhe] [--threads 2] [--passes 3] [--quick]
        [--scheme ckks] [--store FILE] [--campaign NAME] [--out benchmarks/results/threads.json]

The machine must be idle, with a core for each thread: samples in which the executing thread waited for a
processor are left out, and an operation without any other has no point. With --store a run that was
interrupted goes on under the same campaign. Prints a line per operation and one per context, where the
prediction is of a fit that did not see the context's ring dimension; --out keeps points and model with their
environment.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from fheasible.calibration.threads import (
    LIMBS,
    ThreadPoint,
    fit_threads,
    grouped,
    left_out_errors,
    thread_jobs,
    thread_points,
)
from fheasible.estimation.threads import ThreadModel
from fheasible.libraries.catalogue import library
from fheasible.measurement.least import failures
from fheasible.measurement.sampled import Record
from fheasible.measurement.sampling import sample
from fheasible.store.store import Store

Json = dict[str, Any]
QUICK = {log_n: several[:1] for log_n, several in LIMBS.items() if log_n < 15}
SHOWN = (2, 3, 4, 8, 16)  # limbs


def main() -> None:
    given = arguments()
    jobs = thread_jobs(
        library(given.library), (1, given.threads), QUICK if given.quick else LIMBS, given.scheme or ()
    )
    store = Store.open(given.store) if given.store else None
    records = sample(jobs, store, given.campaign, given.passes, given.seed, report)
    for r in failures(records):
        print(f"{r.label}: {r.outcome}: {r.message}")
    found, model = thread_points(records), fit_threads(records)
    print_operations(model, grouped(found.points), given.threads)
    contexts = whole(found.points)
    print_contexts(contexts)
    print(f"{len(found.points)} operations, and {found.disturbed} left out because the machine was busy")
    print(f"error of wall times of unseen rings, weighted by time: {model.error_band:.1%}")
    if given.out:
        document = content(records, model, found.points, contexts) | {"disturbed": found.disturbed}
        given.out.write_text(json.dumps(document, indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--library", default="openfhe")
    parser.add_argument("--scheme", action="append", help="may be repeated; all of the library's by default")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="rings up to 2^14, one context each")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--campaign", default="threads")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def report(label: str, done: int, total: int) -> None:
    print(f"\r{done}/{total} {label:50}", end="" if done < total else "\n", flush=True)


def print_operations(model: ThreadModel, groups: dict[str, list[ThreadPoint]], threads: int) -> None:
    """Serial limbs and share, the fit's error on rings that it did not see, and the speed-up by limbs."""
    print(
        f"{'operation':20}{'points':>7}{'limbs':>8}{'share':>7}{'error':>8}{'worst':>8}  speed-up of", end=""
    )
    print("".join(f"{l:>6}" for l in SHOWN), "limbs")
    for name in sorted(groups):
        serial, errors = model.serial[name], np.abs(left_out_errors(groups[name])) * 100
        shown = f"{errors.mean():7.1f}%{errors.max():7.1f}%" if len(errors) else f"{'-':>8}{'-':>8}"
        gains = (model.speedup(*name.split("/"), limbs=l, threads=threads) for l in SHOWN)
        print(f"{name:20}{len(groups[name]):7}{serial.limbs:8.2f}{serial.share:7.2f}{shown}", end="")
        print(" " * 13 + "".join(f"{gain:6.2f}" for gain in gains))


def whole(points: Sequence[ThreadPoint]) -> list[Json]:
    """For each context the wall seconds of all its operations together: measured, and predicted by a fit
    without its ring dimension from CPU seconds with one thread."""
    sums: dict[tuple[Any, ...], list[float]] = {}
    for group in grouped(points).values():
        errors = left_out_errors(group) or [float("nan")] * len(group)
        for p, error in zip(group, errors, strict=True):
            if np.isfinite(error):
                total = sums.setdefault((p.scheme, p.ring_dimension, p.threads), [0.0, 0.0, 0.0])
                wall = p.seconds * p.ratio
                total[:] = total[0] + p.seconds, total[1] + wall, total[2] + wall * (1 + error)
    names = ("scheme", "ring_dimension", "threads", "cpu_one", "wall", "predicted")
    return [dict(zip(names, (*key, *total), strict=True)) for key, total in sorted(sums.items())]


def print_contexts(contexts: Sequence[Json]) -> None:
    print(f"{'scheme':7}{'N':>7}{'threads':>8}{'CPU of one':>12}{'wall':>9}{'predicted':>11}{'error':>8}")
    for c in contexts:
        error = c["predicted"] / c["wall"] - 1
        print(f"{c['scheme']:7}{c['ring_dimension']:7}{c['threads']:8}{c['cpu_one']:12.3f}", end="")
        print(f"{c['wall']:9.3f}{c['predicted']:11.3f}{error:+8.1%}")


def content(
    records: Sequence[Record], model: ThreadModel, points: Sequence[ThreadPoint], contexts: Sequence[Json]
) -> Json:
    return {
        "model": model.to_json(),
        "contexts": list(contexts),
        "points": [asdict(p) for p in points],
        "environments": [r.environment for r in (records[0], records[-1])],
        "loads": [[r.environment["load_before"], r.environment["load_after"]] for r in records],
    }


if __name__ == "__main__":
    main()
