"""Our recommendation beside the sets of OpenFHE's defaults and HEIR, all really run by the same workers.

    .venv/bin/python benchmarks/peer_sets.py [--application variance] [--passes 2] [--repetitions 2]
        [--store FILE] [--campaign peer_sets] [--beside TEXT] [--out benchmarks/results/peer_sets.json]

The applications and what the peers choose are in benchmarks/peers (sets.json names the source of each
figure). For each peer's set there are two of ours: for 15 bits of precision, and for the bits that can be
relied on at the peer's. Programs are Fheasible's own, also at the peers' sets. All runs of one invocation
are interleaved, in fresh processes; compared are the least CPU seconds of encryption, evaluation and
decryption. Each application takes a minute or two. What is stored under the same campaign is not run again,
so that applications can be run one after another with --application, and all be written in the end.
--beside says what else ran on the machine. Prints a line per set; --out keeps them with machine and versions.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fheasible.accuracy.applications import ChosenRun, checking, job_of
from fheasible.accuracy.peers import (
    USUAL,
    PeerSet,
    at_peers,
    peer_sets,
    problem_named,
    reached,
    recommended,
    seconds,
)
from fheasible.accuracy.regret import TOTAL
from fheasible.calibration.profiles import at_hand
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.wish import Asked
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.least import failures, least_phase
from fheasible.measurement.machine import this_machine
from fheasible.measurement.sampled import Record
from fheasible.measurement.sampling import sample
from fheasible.store.store import Store

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A peer's set, and ours for the precision that was asked."""

    peer: PeerSet
    asked: Asked | None
    theirs: ChosenRun
    ours: ChosenRun

    @property
    def choices(self) -> tuple[ChosenRun, ChosenRun]:
        return self.ours, self.theirs


def main() -> None:
    given = arguments()
    with Store.open(given.store) as store:
        profiles = at_hand(store, list(CATALOGUE))
        plan = RunPlan(repetitions=given.repetitions, warmup=1)
        pairs = [p for peer in peer_sets(given.application or ()) for p in pairs_of(peer, profiles, plan)]
        chosen = [choice for pair in pairs for choice in pair.choices]
        jobs = list({choice.job.key: choice.job for choice in chosen}.values())
        records = sample(jobs, store, given.campaign, given.passes, check=checking(chosen), report=report)
    rows = [row(pair, records) for pair in pairs]
    print_rows(rows)
    for r in failures(records):
        print(f"{r.label}: {r.outcome}: {r.message}")
    if given.out:
        given.out.write_text(json.dumps(content(rows, records, given.beside), indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--application", action="append", help="may be repeated; all by default")
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=2, help="in each pass")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--campaign", default="peer_sets")
    parser.add_argument("--beside", default="nothing", help="what else ran on the machine")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def pairs_of(peer: PeerSet, profiles: Mapping[str, Profile], plan: RunPlan) -> list[Pair]:
    """One for each precision; of integers, which are exact, one alone."""
    theirs = at_peers(peer, profiles.get(peer.library))
    reach = reached(peer, theirs)
    run = made(peer.written, theirs, plan)
    return [
        Pair(peer, asked, run, made(peer.application, recommended(peer.application, asked, profiles), plan))
        for asked in ([USUAL, reach] if reach else [None])
    ]


def made(name: str, candidate: Candidate, plan: RunPlan) -> ChosenRun:
    problem = problem_named(name)
    return ChosenRun(problem, candidate, replace(job_of(problem, candidate), plan=plan))


def report(label: str, done: int, total: int) -> None:
    print(f"\r{done}/{total} {label[:90]:90}", end="" if done < total else "\n", file=sys.stderr, flush=True)


def row(pair: Pair, records: Sequence[Record]) -> Json:
    ours, theirs = (figures(choice, records) for choice in pair.choices)
    measured = ours["cpu_seconds"] and theirs["cpu_seconds"]
    return {
        "application": pair.peer.application,
        "peer": pair.peer.peer,
        "asked_bits": pair.asked and round(pair.asked.value, 2),
        "ratio": theirs["cpu_seconds"] / ours["cpu_seconds"] if measured else None,
        "predicted_ratio": seconds(pair.theirs.candidate) / seconds(pair.ours.candidate),
        "ours": ours,
        "theirs": theirs | {"written": pair.peer.written, "source": pair.peer.source},
    }


def figures(choice: ChosenRun, records: Sequence[Record]) -> Json:
    """A set with its least CPU seconds over all passes; None where it did not run right."""
    own = [r for r in records if r.key == choice.job.key]
    right = own and not failures(own)
    candidate, p = choice.candidate, choice.candidate.parameters
    return {
        "library": candidate.library,
        "scheme": candidate.scheme,
        "technique": p.technique,
        "ring_dimension": p.ring_dimension,
        "q_bits": [q.bit_length() for q in p.q],
        "p_bits": [x.bit_length() for x in p.p],
        "cpu_seconds": sum(least_phase(own, phase) for phase in TOTAL) if right else None,
        "predicted_cpu_seconds": seconds(candidate),
        "precision_bits": [r.found["precision_bits"] for r in own if "precision_bits" in r.found],
    }


def print_rows(rows: Sequence[Json]) -> None:
    print(f"{'application':12}{'peer':24}{'asked':>7}{'ours':>10}{'theirs':>10}{'ratio':>7}{'predicted':>10}")
    for r in rows:
        ours, theirs = (shown(r[who]["cpu_seconds"]) for who in ("ours", "theirs"))
        ratio = f"{r['ratio']:.2f}" if r["ratio"] else "-"
        asked = "exact" if r["asked_bits"] is None else f"{r['asked_bits']:.1f}"
        print(
            f"{r['application']:12}{r['peer']:24}{asked:>7}{ours:>10}{theirs:>10}{ratio:>7}"
            f"{r['predicted_ratio']:10.2f}  {described(r['ours'])} | {described(r['theirs'])}"
        )


def shown(time: float | None) -> str:
    return "failed" if time is None else f"{time * 1e3:.0f} ms"


def described(figures: Json) -> str:
    return f"{figures['library']} {figures['scheme']} N={figures['ring_dimension']}"


def content(rows: Sequence[Json], records: Sequence[Record], beside: str) -> Json:
    environments = {r.library: r.environment for r in records}
    loads = [load for r in records for load in (r.environment["load_before"], r.environment["load_after"])]
    return {
        "compared": "least CPU seconds of encryption, evaluation and decryption; ratio: theirs over ours",
        "beside": beside,
        "machine": asdict(this_machine()),
        "least_load": min(loads),
        "most_load": max(loads),
        "environments": environments,
        "sets": list(rows),
    }


if __name__ == "__main__":
    main()
