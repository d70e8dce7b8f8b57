"""Run a candidate, keep the outcome whatever it is, and compare it with the prediction."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite

import numpy as np

from fheasible.aliases import Json
from fheasible.errors import WorkerDisbelieved, WrongResult
from fheasible.exploration.judging.candidate import Candidate, parameters_json
from fheasible.exploration.judging.classes import KEPT, kept, right
from fheasible.exploration.judging.impossible import doubts
from fheasible.exploration.judging.secure import warnings
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, bits
from fheasible.exploration.proof.attempt import Keeping, beside_reference, limit_seconds
from fheasible.exploration.proof.judged import JudgedRun, kept_run
from fheasible.exploration.proof.measured import (
    NOT_BELIEVED,
    Vectors,
    faults,
    first_difference,
    worst_element,
)
from fheasible.libraries.catalogue import library
from fheasible.measurement.environment import Environment, observe
from fheasible.measurement.execute import RunPlan, execute, results
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.records import Measurement
from fheasible.measurement.worker import Progress
from fheasible.noise import doubles
from fheasible.noise.achieved import achieved, largest_value
from fheasible.noise.ckks import flooding
from fheasible.noise.ckks.elements import degree, seen_variance, whole_variance
from fheasible.program.digest import digest
from fheasible.store.rows import Entry
from fheasible.store.store import Store

Execute = Callable[..., Measurement]
"""The type of `measurement.execute.execute`."""
WATCHED: Execute = partial(execute, watched=True)
GARBAGE_BITS = 3.0
# by which noise that is alike in all slots may exceed its mean square, once in 15,000 trials
_ONE_TRIAL_BITS = 2.0
GARBAGE = bits(GARBAGE_BITS)  # a CKKS result with less was not computed, whatever precision was asked


@dataclass(frozen=True, slots=True, eq=False)
class Proof(JudgedRun[Candidate]):
    """A run of a set, judged by what was asked of its result."""

    noise_bits: float | None = None  # noise of all results together in a trial run, where they are flooded
    asked: str = ""  # what was asked of the result, in words

    def measured_json(self, operations: bool = False) -> Json:
        """The measured figures; with `operations` also every sample of every operation, with its name, as the
        store keeps them."""
        figures = self.measurement.to_json(operations)
        if operations:  # in the order of "operation_seconds"
            steps = self.candidate.program.operations
            figures["operations"] = [{"operation": o.kind, "level": o.level} for o in steps]
        return figures | {
            "precision_bits": self.precision_bits,
            "mean_precision_bits": self.achieved.mean if self.achieved else None,
            "absolute_error": self.achieved.absolute if self.achieved else None,
            "largest_relative_error": self.achieved.relative if self.achieved else None,
            "warnings": list(self.warnings),
            "asked": self.asked,
        }


def cautions(problem: Problem, c: Candidate) -> tuple[str, ...]:
    """The warnings that are given before the candidate is run, and with its result."""
    insecure = warnings(c.program, c.parameters, c.request.security, c.request.quantum)
    return (*insecure, *doubts(problem, c))


def prove(
    problem: Problem,
    candidate: Candidate,
    plan: RunPlan,
    seed: int | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
    timeout: float | None = None,
    asked: Asked = GARBAGE,
    memory: MemoryLimit | None = None,
    run: Execute = WATCHED,
) -> Proof:
    """The candidate's run on the problem's data. Every outcome is stored before anything is raised; a store
    that fails leaves its reason in `unstored`. The run is given up after `timeout` seconds, by default after
    `limit_seconds`. Its worker may take no more than `memory`.

    WorkerFailed where there was no result, WrongResult (with the proof) where it is not the cleartext one as
    precisely as asked; LibraryMissing where no worker answers, or
    LimitImpossible where its memory cannot be limited so, and nothing is stored.
    """
    before = observe(candidate.library, plan.threads, seed, limit=memory)
    limit = limit_seconds(candidate, plan, memory) if timeout is None else timeout
    run = run if memory is None else partial(run, limit=memory)
    keeping = Keeping(store, _entry(problem, candidate), before.to_json())

    def executed() -> tuple[float | None, Measurement, float]:
        seen = _try_flooding(problem, candidate, limit, run)
        return seen, *beside_reference(lambda: _execute(problem, candidate, plan, progress, limit, run))

    seen, measured, beside = keeping.run(executed, before)
    proof = _judge(problem, candidate, measured, before.finished(measured.hello), asked)
    proof = replace(
        proof, warnings=cautions(problem, candidate), noise_bits=seen, asked=str(asked), beside=beside
    )
    figures = proof.measured_json(operations=True)
    return kept_run(keeping, proof, figures, lambda it: _wrong(problem, it, asked))


def _try_flooding(problem: Problem, c: Candidate, timeout: float | None, run: Execute) -> float | None:
    """The bits of noise that a trial run with keys of its own shows, where decryption will flood. None where
    it will not, or where the library reports no noise, as for a single slot whose imaginary part is negative.

    WrongResult where that is more than what the flooding drowns and the rounding of doubles can show.
    """
    reckoned = c.request.noise_estimate if c.request.scheme == "ckks" else None
    if reckoned is None:
        return None
    told = library(c.library).worker_parameters(c.parameters) | {"noise_estimate": "measure"}
    measured = run(c.library, c.program, told, problem.data, RunPlan(1, warmup=0), timeout=timeout)
    seen = flooding.seen_bits(c.program, np.concatenate([v[:, 0] for v in measured.outputs.values()]))
    drowned = reckoned - flooding.QUERY_BITS
    if not isfinite(seen):
        return None
    expected = np.logaddexp2(2 * drowned, 2 * _bits_of_doubles(problem, c)) / 2
    if seen > expected + _ONE_TRIAL_BITS:
        raise WrongResult(
            f"{c.library} sees {seen:.1f} bits of noise in the results, but the flooding drowns only "
            f"{drowned:.1f} in each of {flooding.QUERIES:,} results",
            f"give --param noise_estimate={seen + _unseen_bits(problem, c) + flooding.QUERY_BITS:.1f}",
        )
    return seen


def _bits_of_doubles(problem: Problem, c: Candidate) -> float:
    """The bits of seen noise, as in `flooding.noise_bits`, that encoding in doubles leaves."""
    largest = max(largest_value(v) for v in problem.truth.values())
    left = doubles.imaginary(c.program, degree(c.program), largest)
    return float(flooding.noise_bits(c.program, c.ckks, np.array([left])))


def _unseen_bits(problem: Problem, c: Candidate) -> float:
    """The bits of noise that the library leaves out of its estimate."""
    gains = problem.gains(c.program)
    whole, seen = (
        float(flooding.noise_bits(c.program, c.ckks, of(c.program, c.ckks, gains)))
        for of in (whole_variance, seen_variance)
    )
    return whole - seen


def _execute(
    problem: Problem,
    c: Candidate,
    plan: RunPlan,
    progress: Progress | None,
    timeout: float | None,
    run: Execute,
) -> Measurement:
    """The measurement of the candidate's run. WorkerDisbelieved where the answer cannot be what was asked
    for."""
    told = library(c.library).worker_parameters(c.parameters)
    measured = run(c.library, c.program, told, problem.data, plan, progress=progress, timeout=timeout)
    found = faults(c, plan, measured)
    if found:
        raise WorkerDisbelieved(
            f"the answer of {c.library}'s worker {NOT_BELIEVED}: {'; '.join(found)}",
            f"fheasible libraries install {c.library}",
        )
    return measured


def _judge(
    problem: Problem, c: Candidate, measured: Measurement, environment: Environment, asked: Asked
) -> Proof:
    result = results(c.program, measured)
    if c.scheme == "ckks":
        found = achieved(result, problem.truth)
        if not problem.real:
            rounded = {k: np.rint(v).astype(np.int64) for k, v in result.items()}
            return Proof(
                c, measured, rounded, problem.truth, found, _equal(rounded, problem), environment, None
            )
        classes = right(asked, result, problem.truth)
        correct = asked.met_by(found) if classes is None else classes
        return Proof(c, measured, result, problem.truth, found, correct, environment, None)
    return Proof(c, measured, result, problem.truth, None, _equal(result, problem), environment, None)


def _equal(result: Vectors, problem: Problem) -> bool:
    return all(np.array_equal(result[k], problem.truth[k]) for k in result)


def _wrong(problem: Problem, proof: Proof, asked: Asked) -> WrongResult:
    c = proof.candidate
    what = f"{c.library} {c.scheme.upper()} computed {problem.circuit.name}"
    if proof.achieved is not None and problem.real:
        return WrongResult(
            f"{what} with {_said(asked, proof)}; {worst_element(proof.result, proof.truth)}",
            "ask for a little more precision, so that the search leaves a margin",
        )
    foreseen = doubts(problem, c)
    wrong = WrongResult(
        f"{what} wrongly: {first_difference(proof.result, proof.truth)}",
        f"take what fheasible explore recommends. This failure was to be expected: {'; '.join(foreseen)}"
        if foreseen
        else "this is a fault in Fheasible's noise estimate: please report it with the stored result",
    )
    wrong.foreseen = bool(foreseen)
    return wrong


def _said(asked: Asked, proof: Proof) -> str:
    found = proof.achieved
    assert found is not None
    if asked.classes is not None:
        same = kept(proof.result, proof.truth, asked.classes)
        return f"the same class on {100 * same:.3g} % of the data; {100 * KEPT:g} % were asked for"
    if asked.in_bits:
        return f"{asked.said(asked.of(found))} of precision; {asked.value:g} were asked for"
    return f"{asked.measure} errors up to {asked.of(found):.3g}; {asked.value:g} was asked for"


def _entry(problem: Problem, c: Candidate) -> Entry:
    """The row of a run, with what is known before it begins."""
    return Entry(
        problem.circuit.name,
        digest(c.program),
        c.library,
        c.scheme,
        c.settings,
        parameters_json(c.parameters),
        "died",
        c.estimate.to_json(),
    )
