"""Encrypted images beside clear ones: does the recommended set of example 10 name the same digits?

    .venv/bin/python benchmarks/relu_network.py [--images 100] [--library openfhe] [--precision absolute:0.25]
        [--out benchmarks/results/relu_network.json]

The set is recommended once, on the first image that the network has not seen; it is then run on that image
and the next ones, each in a process of its own with keys of its own. Each result is judged by its largest
score; a run that the library refuses is an outcome too. The file is written after each image. Images that it
has are not run again as long as the set is the same.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from fheasible.accuracy.applications import job_of
from fheasible.api.asking import asked
from fheasible.calibration.profiles import at_hand
from fheasible.circuit.load import load
from fheasible.errors import FheasibleError
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.declared_ranges import answer
from fheasible.libraries.catalogue import library
from fheasible.libraries.forms import parameters_form
from fheasible.measurement.execute import RunOptions, RunPlan, execute, results
from fheasible.measurement.machine import this_machine
from fheasible.store.store import Store

Json = dict[str, Any]
EXAMPLE = Path(__file__).parent.parent / "examples" / "10_relu_network.py"
SECURITY = 128
TIMEOUT = 900.0


def main() -> None:
    given = arguments()
    images, labels = unseen()
    app = load(str(EXAMPLE))
    circuit = app.trace()
    problem = Problem(circuit, {"image": images[0]}, "the first image")
    best = recommended(problem, given)
    found = earlier(given.out, best)
    for number in range(min(given.images, len(images))):
        if str(number) not in found:
            found[str(number)] = outcome(best, Problem(circuit, {"image": images[number]}, "an image"))
            found[str(number)]["label"] = int(labels[number])
        write(given.out, best, found)
        print(number, found[str(number)], flush=True)
    print(summary(found))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=100)
    parser.add_argument("--library", default="openfhe")
    parser.add_argument("--precision", default="absolute:0.25")
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


def unseen() -> tuple[np.ndarray, np.ndarray]:
    """The images on which the example's network was not trained, and the digits that they show."""
    scope: dict[str, Any] = {"__name__": "example"}
    exec(compile(EXAMPLE.read_text(), str(EXAMPLE), "exec"), scope)
    return np.clip(scope["unseen"], 0, 1), scope["unseen_labels"]


def recommended(problem: Problem, given: argparse.Namespace) -> Candidate:
    """The set that `fheasible explore` recommends, which is checked beyond first order, too."""
    with Store.open(None) as store:
        profiles = at_hand(store, [given.library])
    wish = Wish(SECURITY, precision=asked(given.precision))
    best = answer(problem, wish, [library(given.library)], profiles).best
    if best is None:
        raise SystemExit(f"nothing fits {problem.circuit.name} with {given.precision} in {given.library}")
    return best


def outcome(c: Candidate, problem: Problem) -> Json:
    """The digit in the clear and in the encrypted run, with the largest error of a score; or what was
    refused."""
    (name, clear), *_ = problem.truth.items()
    said: Json = {"clear": int(np.argmax(clear))}
    try:
        job = job_of(problem, c)
        plan = RunPlan(repetitions=1, warmup=0)
        made = execute(
            c.library, c.program, job.worker_parameters, job.inputs, plan, RunOptions(), timeout=TIMEOUT
        )
    except FheasibleError as error:
        return said | {"encrypted": None, "refused": str(error).splitlines()[0][:200]}
    scores = results(c.program, made)[name]
    return said | {
        "encrypted": int(np.argmax(scores)),
        "largest_error": float(np.abs(scores - clear).max()),
        "cpu_seconds": sum(sum(timing.cpu.seconds) for timing in made.phases.named().values()),
    }


def earlier(out: Path, c: Candidate) -> dict[str, Json]:
    """The outcomes by image that `out` has of this set."""
    if not out.exists():
        return {}
    kept = json.loads(out.read_text())
    same: bool = kept["parameters"] == json.loads(json.dumps(parameters_form(c.parameters)))
    return kept["images"] if same else {}


def write(out: Path, c: Candidate, found: dict[str, Json]) -> None:
    content = {
        "machine": asdict(this_machine()),
        "library": c.library,
        "parameters": parameters_form(c.parameters),
        "predicted": {"cpu_seconds": c.estimate.cpu_seconds},
        "summary": summary(found),
        "images": found,
    }
    out.write_text(json.dumps(content, indent=1) + "\n")


def summary(found: dict[str, Json]) -> Json:
    ran = [each for each in found.values() if each["encrypted"] is not None]
    return {
        "images": len(found),
        "refused": len(found) - len(ran),
        "same_class": sum(each["encrypted"] == each["clear"] for each in ran),
        "right_digit_clear": sum(
            each["clear"] == each["label"] for each in found.values() if "label" in each
        ),
        "largest_error": max((each["largest_error"] for each in ran), default=None),
    }


if __name__ == "__main__":
    main()
