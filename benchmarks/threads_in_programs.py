"""What several threads gain for whole programs: the ratio of wall times, predicted beside measured.

    .venv/bin/python benchmarks/threads_in_programs.py --store FILE [--library openfhe] [--threads 2]
        [--passes 3] [--only NAME] [--out benchmarks/results/threads_in_programs.json]

Before it: fheasible --store FILE calibrate --library openfhe --library lattigo --threads 2.

The set that each library recommends for an application is run with one thread and with several, pass by pass
in one run of this script, each in a process of its own. A pass beside which the reference loop was slowed
down does not count, nor a repetition whose threads waited for a processor. Of the others, the least wall
seconds to encrypt, evaluate and decrypt are compared; without any, the machine was busy.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

import fheasible as fh
from fheasible.api.asking import problem_of, profiles_of
from fheasible.calibration.steady import Paced
from fheasible.circuit.trace import App
from fheasible.errors import FheasibleError
from fheasible.estimation.profile import Profile
from fheasible.estimation.walls import wall_seconds
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.search import explore
from fheasible.libraries.catalogue import CATALOGUE, library
from fheasible.libraries.library import Parallelism
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.job import Job
from fheasible.measurement.least import Clock, least_running, measurements
from fheasible.measurement.pace import PACE, reference_loop
from fheasible.measurement.sampled import Record
from fheasible.measurement.sampling import attempt, sample

Json = dict[str, Any]
EXAMPLES = Path(__file__).parents[1] / "examples"
WAITED = 0.1  # share of the time for which threads may have waited


@fh.app(x=fh.reals(65_536, low=-1, high=1), y=fh.reals(65_536, low=-1, high=1))
def independent(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    """Several ciphertexts, none of which needs another one's."""
    return (x * y + 0.5) ** 2 * x


APPS: dict[str, App | str] = {
    "2_std_dev": str(EXAMPLES / "2_std_dev.py"),
    "3_depth_ten": str(EXAMPLES / "3_depth_ten.py"),
    "4_inner_product": str(EXAMPLES / "4_inner_product.py"),
    "independent": independent,
}


def main() -> None:
    given = arguments()
    found = []
    print(f"{'program':18}{'library':9}{'operations':>11}{'one':>10}{'several':>10}{'measured':>10}", end="")
    print(f"{'predicted':>11}{'error':>8}  passes that counted")
    for name in given.only or APPS:
        problem = problem_of(APPS[name], None, 0)
        for lib in given.library or ("openfhe", "lattigo"):
            found.append(compared(name, lib, problem, given))
            print_row(found[-1])
    errors = [abs(row["error"]) for row in found if row["error"] is not None]
    if errors:
        print(f"errors of the ratio: mean {np.mean(errors):.1%}, largest {max(errors):.1%}")
    if given.out:
        given.out.write_text(json.dumps({"programs": found}, indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", type=Path, required=True, help="where the calibration is")
    parser.add_argument("--library", action="append", help="may be repeated")
    parser.add_argument("--only", action="append", choices=APPS, help="this program; may be repeated")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def compared(name: str, lib: str, problem: Problem, given: argparse.Namespace) -> Json:
    """The wall times of one program on one library, and their ratio beside the predicted one."""
    profile = profiles_of(given.store, [library(lib)]).get(lib)
    if profile is None or profile.parallel is None:
        raise FheasibleError(
            f"{given.store} does not say what threads gain with {lib}",
            f"fheasible --store {given.store} calibrate --library {lib} --threads {given.threads}",
        )
    best = explore(problem, Wish(), [CATALOGUE[lib]], {lib: profile}).best
    if best is None:
        raise FheasibleError(f"nothing fits {name} on {lib}")
    jobs = [job(best, problem, threads, given.repetitions) for threads in (1, given.threads)]
    paced = Paced(attempt, reference_loop)
    records = sample(jobs, None, "threads in programs", given.passes, run=paced)
    walls, quiet = zip(*(least_wall(each, records, paced) for each in jobs), strict=True)
    measured = walls[1] / walls[0] if all(quiet) else None
    predicted = ratio(best, profile, given.threads)
    return {
        "program": name, "library": lib, "scheme": best.scheme, "operations": len(best.program.operations),
        "ring_dimension": best.parameters.ring_dimension, "limbs": best.parameters.limbs,
        "threads": given.threads, "walls": walls, "quiet_passes": quiet, "measured": measured,
        "predicted": predicted, "error": None if measured is None else predicted / measured - 1,
        "peaks": [peak(each, records) for each in jobs],
        "environments": [r.environment for r in (records[0], records[-1])],
    }  # fmt: skip


def job(c: Candidate, problem: Problem, threads: int, repetitions: int) -> Job:
    plan = RunPlan(repetitions, warmup=1, threads=threads)
    return Job(c.parameters, c.program, problem.data, plan, RunOptions(sizes=False), label=c.library)


def ratio(c: Candidate, profile: Profile, threads: int) -> float:
    one, several = (wall_seconds(c.program, c.parameters, profile, t)["total"] for t in (1, threads))
    return several / one


def least_wall(of: Job, records: list[Record], paced: Paced) -> tuple[float | None, int]:
    """The least wall seconds of a run among the passes beside which nothing slowed the machine, and their
    number."""
    mine = [r for r in records if r.key == of.key and r.measurement is not None]
    least = min(min(times) for times in paced.beside.values())
    quiet = [r for r, beside in zip(mine, paced.beside[of.key], strict=False) if beside <= PACE * least]
    found = [wall(r, of.plan.threads) for r in quiet]
    known = [seconds for seconds in found if np.isfinite(seconds)]
    return (min(known), len(known)) if known else (None, 0)


def wall(r: Record, threads: int | None) -> float:
    """The least wall seconds of a repetition whose threads did not wait for a processor; else infinite."""
    (m,) = measurements([r])
    total = np.array([m.phases.total.cpu.seconds, m.phases.total.wall.seconds]).T
    alone = library(r.library).threading.parallelism is not Parallelism.OPERATIONS
    if threads == 1 or alone or m.operations is None:
        return float(least_running(total))
    cpu, running = m.operations.sum(axis=1).T  # of all threads, while they execute an operation
    return float(np.where(running <= (1 + WAITED) * cpu, total[:, Clock.WALL], np.inf).min())


def peak(of: Job, records: list[Record]) -> int:
    """The largest peak of resident bytes."""
    mine = measurements(r for r in records if r.key == of.key)
    return max((m.memory.peak_bytes or 0 for m in mine), default=0)


def seconds(found: float | None) -> str:
    return f"{'-':>10}" if found is None else f"{found:9.3f}s"


def print_row(row: Json) -> None:
    one, several = row["walls"]
    told = f"{row['program']:18}{row['library']:9}{row['operations']:11}{seconds(one)}{seconds(several)}"
    if row["measured"] is None:
        print(f"{told}{'busy':>10}{row['predicted']:11.3f}")
        return
    print(f"{told}{row['measured']:10.3f}{row['predicted']:11.3f}{row['error']:+8.1%}  {row['quiet_passes']}")


if __name__ == "__main__":
    main()
