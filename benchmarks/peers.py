"""Fheasible beside HEIR, TenSEAL, DESILO and OpenFHE's defaults: each tool run by its own code.

    .venv/bin/python benchmarks/peers.py [--application variance] [--tool heir] [--passes 3] [--repetitions 2]
        [--kept FOLDER] [--store FILE] [--beside TEXT] [--out benchmarks/results/peers.json]

The applications are those of benchmarks/peers, the tools those of benchmarks/peers/tools: a script in the
manner of the tool's own tutorials, run in an environment of its own with what its lock says. A pass runs
every tool once in a fresh process; the runs of a pass are mixed, so that a busy minute disturbs all.
Compared is CPU time, with one thread: the least of all passes, for encryption, evaluation and decryption.
Fheasible is asked for 15 bits of precision, and for the whole bits that each tool reaches. What cannot be
installed or run is left out with the reason that was met.

Environments and finished runs are kept in --kept (by default in the user's cache): a benchmark that was
ended goes on where it was. Runs of another version of a script or lock are not counted. Prints a table.
"""

import argparse
import json
import os
import random
import runpy
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from platformdirs import user_cache_path

from fheasible.accuracy.peer_table import asked_for, markdown, rows
from fheasible.accuracy.peer_tools import (
    APPLICATIONS,
    OURS,
    TOOLS,
    NotHad,
    Tool,
    ToolRun,
    environment,
    judged,
    run,
)
from fheasible.accuracy.peers import FOLDER, problem_named
from fheasible.measurement.machine import this_machine

WEIGHTS = ("first", "second", "third")  # of the network


def main() -> None:
    given = arguments()
    given.kept.mkdir(parents=True, exist_ok=True)
    applications = given.application or list(APPLICATIONS)
    tools = [tool for tool in TOOLS if not given.tool or tool.name in given.tool]
    others = [t for t in tools if t.name != OURS]
    for number in range(given.passes):
        if number == 0:
            one_pass(number, others, applications, given)  # whose precision Fheasible is then asked for
        one_pass(number, tools, applications, given)
    found = rows([r for r in finished(given.kept) if r.application in applications])
    print(markdown(found))
    if given.out:
        content = {
            "compared": "least CPU seconds of encryption, evaluation and decryption; ratio: to Fheasible's",
            "beside": given.beside,
            "load": load_of(finished(given.kept)),
            "machine": asdict(this_machine()),
            "table": markdown(found).splitlines(),
            "rows": [row.to_json() for row in found],
        }
        given.out.write_text(json.dumps(content, indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--application", action="append", choices=APPLICATIONS, help="may be repeated")
    parser.add_argument("--tool", action="append", choices=[t.name for t in TOOLS], help="may be repeated")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--repetitions", type=int, default=2, help="in each pass")
    parser.add_argument("--kept", type=Path, default=user_cache_path("fheasible", appauthor=False) / "peers")
    parser.add_argument("--store", help="with a calibration of this machine")
    parser.add_argument("--beside", default="nothing", help="what else ran on the machine")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def one_pass(
    number: int, tools: Sequence[Tool], applications: Sequence[str], given: argparse.Namespace
) -> None:
    """What is not finished of the pass with that number."""
    jobs = [job for tool in tools for name in applications for job in jobs_of(tool, name, given.kept)]
    random.Random(number).shuffle(jobs)
    for tool, name, asked in jobs:
        key = ToolRun(tool.name, name, tool.made_from, asked).key
        had = [r for r in finished(given.kept) if r.key == key]
        if len(had) > number or any(r.reason is not None for r in had):
            continue
        done = attempt(tool, name, asked, given)
        with (given.kept / "runs.jsonl").open("a") as file:
            file.write(json.dumps(done.to_json()) + "\n")
        print(
            f"pass {number + 1}: {tool.title}, {name}: {done.reason or 'done'}", file=sys.stderr, flush=True
        )


def jobs_of(tool: Tool, name: str, kept: Path) -> Iterator[tuple[Tool, str, float | None]]:
    """The tool's runs of the application; Fheasible has one for each precision that the others reach."""
    if name not in tool.applications:
        return
    current = {t.name: t.made_from for t in TOOLS}
    others = [r for r in finished(kept) if r.application == name and r.made_from == current[r.tool]]
    for asked in asked_for(others) if tool.name == OURS else [None]:
        yield tool, name, asked


def attempt(tool: Tool, name: str, asked: float | None, given: argparse.Namespace) -> ToolRun:
    more = [] if asked is None else ["--bits", str(asked)]
    more += ["--store", given.store] if given.store and tool.name == OURS else []
    load = os.getloadavg()[0]
    problem = problem_named(name)
    (truth,) = problem.truth.values()
    try:
        python = environment(tool, given.kept, lambda line: print(line, file=sys.stderr, flush=True))
        told = judged(
            run(tool, name, inputs_of(name, given.kept), python, more, given.repetitions), truth, problem.real
        )
    except NotHad as reason:
        return ToolRun(tool.name, name, tool.made_from, asked, reason=str(reason), load=load)
    return ToolRun(tool.name, name, tool.made_from, asked, load=load, **told)


def inputs_of(name: str, kept: Path) -> Path:
    """The application's inputs as a file, with the network's weights."""
    file = kept / f"{name}.npz"
    arrays = dict(problem_named(name).data)
    if name == "network":
        weights = runpy.run_path(str(FOLDER / "network.py"))
        arrays |= {w: weights[w] for w in WEIGHTS}
    np.savez(file, **arrays)
    return file


def finished(kept: Path) -> list[ToolRun]:
    """Every run that was kept, of the scripts and locks that are there now."""
    file = kept / "runs.jsonl"
    current = {t.name: t.made_from for t in TOOLS}
    read = [ToolRun(**json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []
    return [r for r in read if r.made_from == current[r.tool]]


def load_of(runs: Sequence[ToolRun]) -> list[float]:
    """The least and the most processes that wanted to run beside, before each run."""
    loads = [r.load for r in runs if r.load is not None]
    return [min(loads), max(loads)]


if __name__ == "__main__":
    main()
