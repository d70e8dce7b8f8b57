"""Real runs of whole applications, with what the search chooses for each example, library and scheme."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Json
from fheasible.circuit.drawn import random_data
from fheasible.circuit.load import load
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.proof.proof import GARBAGE_BITS
from fheasible.exploration.search.declared_ranges import answer
from fheasible.libraries.library import Library
from fheasible.measurement.execute import RunOptions, RunPlan, results
from fheasible.measurement.job import Job
from fheasible.measurement.records import Measurement
from fheasible.measurement.shipped import shipped
from fheasible.noise.achieved import achieved
from fheasible.program.types import Program, Scheme

Vectors = Mapping[str, NDArray[Any]]
Report = Callable[[str, int, int], None]

SEED = 1  # the seed of the random data
SECURITY, PRECISION_BITS = 128, 15.0
PLAN = RunPlan(repetitions=3, warmup=1)  # for each pass
_TIMEOUT_SECONDS = 900.0
_MOST_SECONDS = 60.0  # predicted CPU time of one execution; deep applications take minutes in every set


@dataclass(frozen=True, slots=True, eq=False)
class ChosenRun:
    """The candidate that the search chose for one library, scheme and technique, and its run."""

    problem: Problem
    candidate: Candidate
    job: Job


def examples() -> list[Path]:
    """The numbered examples of the repository."""
    return sorted(shipped("examples").glob("[0-9]_*.py"))


def choices(
    files: Sequence[Path],
    libraries: Iterable[Library],
    profiles: Mapping[str, Profile],
    report: Report = lambda label, done, total: None,
) -> list[ChosenRun]:
    """The best candidate of each library, scheme and technique for each file's application, on random data. A
    scheme that cannot express an application has no candidate for it."""
    settings = [(library, scheme) for library in libraries for scheme in library.schemes]
    found: list[ChosenRun] = []
    for number, file in enumerate(files):
        problem = problem_of(file)
        for place, (library, scheme) in enumerate(settings):
            label = f"{problem.circuit.name} {library.name} {scheme}"
            report(label, number * len(settings) + place, len(files) * len(settings))
            found += _best(problem, library, scheme, profiles)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedResult:
    """The cleartext outputs of an application, and the bits of precision that are predicted for a run of it;
    None for exact schemes. `real`: the outputs are real numbers."""

    application: str
    real: bool
    truth: Vectors
    precision_bits: float | None

    def verdict(self, program: Program, measured: Measurement) -> Json:
        """Whether the result is right; for CKKS also its bits of precision and the predicted ones."""
        result = results(program, measured)
        told: Json = {"application": self.application}
        if program.scheme is not Scheme.CKKS:
            return told | {"correct": _equal(result, self.truth)}
        found = achieved(result, self.truth).bits
        rounded = {name: np.rint(values) for name, values in result.items()}
        correct = found >= GARBAGE_BITS if self.real else _equal(rounded, self.truth)
        told |= {"precision_bits": found, "precision_bits_predicted": self.precision_bits}
        return told | {"correct": correct}


@dataclass(frozen=True, slots=True, eq=False)
class ResultCheck:
    """A check that judges runs by their outputs and the cleartext ones, which it has by the keys of jobs."""

    expected: Mapping[str, ExpectedResult]

    def __call__(self, job: Job, measured: Measurement) -> Json:
        return self.expected[job.key].verdict(job.program, measured)

    def only(self, job: Job) -> "ResultCheck":
        """The check of that job alone."""
        return ResultCheck({job.key: self.expected[job.key]})


def checking(chosen: Iterable[ChosenRun]) -> ResultCheck:
    return ResultCheck({c.job.key: _expected(c) for c in chosen})


def verdict(choice: ChosenRun, measured: Measurement) -> Json:
    """The verdict on a run of the choice, as `ExpectedResult.verdict` gives it."""
    return _expected(choice).verdict(choice.candidate.program, measured)


def _expected(c: ChosenRun) -> ExpectedResult:
    problem = c.problem
    return ExpectedResult(
        problem.circuit.name, problem.real, problem.truth, c.candidate.estimate.precision_bits
    )


def _equal(result: Vectors, truth: Vectors) -> bool:
    return all(np.array_equal(result[name], truth[name]) for name in result)


def problem_of(file: Path) -> Problem:
    """The file's application on random data."""
    circuit = load(str(file)).trace()
    return Problem(circuit, random_data(circuit, SEED), f"random data (seed {SEED})")


def _best(
    problem: Problem, library: Library, scheme: str, profiles: Mapping[str, Profile]
) -> list[ChosenRun]:
    """The first candidate of each technique, of those that are not predicted to take too long."""
    wish = Wish(SECURITY, precision=bits(PRECISION_BITS) if scheme == "ckks" else None)
    found = answer(problem, wish, [replace(library, schemes=(scheme,))], profiles)
    best: dict[str, Candidate] = {}
    for candidate in found.candidates:
        if sum((candidate.estimate.cpu_seconds or {}).values()) <= _MOST_SECONDS:
            best.setdefault(candidate.parameters.technique, candidate)
    return [ChosenRun(problem, c, job_of(problem, c)) for c in best.values()]


def job_of(problem: Problem, c: Candidate) -> Job:
    """The run of a candidate on the data of the problem."""
    technique = f" {c.parameters.technique}" if c.parameters.technique else ""
    label = f"{problem.circuit.name} {c.library} {c.scheme}{technique} N={c.parameters.ring_dimension}"
    return Job(
        c.parameters, c.program, problem.data, PLAN, RunOptions(sizes=True), timeout=_TIMEOUT_SECONDS,
        label=label,
    )  # fmt: skip
