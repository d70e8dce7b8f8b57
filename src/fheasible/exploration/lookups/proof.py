"""Run a candidate of table look-ups, keep the outcome whatever it is, and compare it with the prediction."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from fheasible.errors import WorkerDisbelieved, WrongResult
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.failing import once, run_goes_wrong
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked
from fheasible.exploration.proof.attempt import Keeping, beside_reference, limit_of, refuse_bytes
from fheasible.exploration.proof.judged import JudgedRun, kept_run
from fheasible.exploration.proof.measured import (
    NOT_BELIEVED,
    Vectors,
    first_difference,
    worst_element,
    wrong_sizes,
    wrong_version,
)
from fheasible.exploration.reasons.recorded import circuit_digest
from fheasible.measurement.environment import Environment, observe
from fheasible.measurement.execute import RunPlan
from fheasible.measurement.limited.limit import MemoryLimit
from fheasible.measurement.lookups import execute, results
from fheasible.measurement.records import Measurement
from fheasible.measurement.worker import Progress
from fheasible.noise.achieved import achieved
from fheasible.store.rows import Entry
from fheasible.store.store import Store

_SIZES = ("ciphertext_bytes", "evaluation_key_bytes", "secret_key_bytes")
LEAST_FAILURE_BITS = 20.0  # a result that is wrong more often than this was to be expected


class LookupProof(JudgedRun[LookupCandidate]):
    """A run of a set of table look-ups, judged by what was asked of its result."""

    __slots__ = ()


def cautions(problem: Problem, c: LookupCandidate, security: int | None = 128) -> tuple[str, ...]:
    """The warnings that are given before the candidate is run, and with its result."""
    found = list(problem.warnings)
    if security is not None and c.estimate.security_bits < security:
        found.append(
            f"this set has {c.estimate.security_bits:.0f} bits of security by today's estimate, less than "
            f"{security}"
        )
    if -c.estimate.log2_failure < LEAST_FAILURE_BITS:
        found.append(f"a run with this set goes wrong once in {once(c.estimate.log2_failure)}")
    return tuple(found)


def prove(
    problem: Problem,
    c: LookupCandidate,
    plan: RunPlan,
    seed: int | None,
    store: Store | None,
    asked: Asked,
    progress: Progress | None = None,
    timeout: float | None = None,
    memory: MemoryLimit | None = None,
    security: int | None = 128,
) -> LookupProof:
    """The candidate's run on the problem's data. Every outcome is stored before anything is raised; a store
    that fails leaves its reason in `unstored`.

    WorkerFailed where there was no result, WrongResult (with the proof) where it is not the cleartext one;
    LibraryMissing where no worker answers, and nothing is stored.
    """
    if memory is None:
        refuse_bytes(f"{c.library.name} {c.scheme.upper()}", c.estimate.peak_bytes)
    before = observe(c.library.name, plan.threads, seed, limit=memory)
    limit = limit_of(c.estimate.wall_seconds, plan, memory) if timeout is None else timeout
    keeping = Keeping(store, _entry(problem, c), before.to_json())
    executed = partial(_executed, problem, c, plan, progress, limit, memory)
    measured, beside = keeping.run(lambda: beside_reference(executed), before)
    proof = _judged(problem, c, measured, before.finished(measured.hello), asked)
    proof = replace(proof, warnings=cautions(problem, c, security), beside=beside)
    return kept_run(keeping, proof, proof.measured_json(), lambda it: _wrong(problem, it, asked))


def _executed(
    problem: Problem,
    c: LookupCandidate,
    plan: RunPlan,
    progress: Progress | None,
    timeout: float | None,
    memory: MemoryLimit | None,
) -> Measurement:
    """The measurement. WorkerDisbelieved where the answer cannot be what was asked for."""
    told = c.library.worker_parameters(c.scheme, c.parameters)
    measured = execute(
        c.library.name,
        c.encoded.program,
        told,
        problem.data,
        plan,
        progress=progress,
        timeout=timeout,
        watched=True,
        limit=memory,
    )
    found = list(faults(c, plan, measured))
    if found:
        raise WorkerDisbelieved(
            f"the answer of {c.library.name}'s worker {NOT_BELIEVED}: {'; '.join(found)}",
            f"fheasible libraries install {c.library.worker_of}",
        )
    return measured


def faults(c: LookupCandidate, plan: RunPlan, m: Measurement) -> Iterator[str]:
    """What is impossible in the answer, one clause each; empty for an answer that can be believed."""
    yield from wrong_version(c.library.title, c.library.version, m)
    if m.context.ring_dimension != c.parameters.polynomial_size:
        yield (
            f"it ran with N = {m.context.ring_dimension}, but {c.parameters.polynomial_size} was asked for"
        )
    if m.repetitions < plan.repetitions:
        yield f"it ran {m.repetitions} times, but {plan.repetitions} were asked for"
    yield from wrong_sizes(_SIZES, c.estimate.to_json(), m)
    for out in c.encoded.program.outputs:
        found, shape = m.outputs.get(out.name), (len(out.values), out.length)
        if found is None:
            yield f"it gave no output {out.name}"
        elif found.shape != shape:
            yield f"the output {out.name} has the shape {found.shape}, but {shape} was asked for"


def _judged(
    problem: Problem, c: LookupCandidate, measured: Measurement, environment: Environment, asked: Asked
) -> LookupProof:
    result = _typed(results(c.encoded.program, measured), problem.truth)
    if problem.real:
        found = achieved(result, problem.truth)
        return LookupProof(c, measured, result, problem.truth, found, asked.met_by(found), environment)
    same = all(np.array_equal(result[name], problem.truth[name]) for name in problem.truth)
    return LookupProof(c, measured, result, problem.truth, None, same, environment)


def _typed(result: Mapping[str, Any], truth: Vectors) -> Vectors:
    """The results as arrays of the type that the cleartext results have."""
    return {name: np.asarray(values).astype(truth[name].dtype) for name, values in result.items()}


def _wrong(problem: Problem, proof: LookupProof, asked: Asked) -> WrongResult:
    c = proof.candidate
    what = f"{c.library.name} {c.scheme.upper()} computed {problem.circuit.name}"
    if proof.achieved is not None:
        return WrongResult(
            f"{what} with {asked.said(asked.of(proof.achieved))} of precision; {asked.value:g} were asked "
            f"for; {worst_element(proof.result, proof.truth)}",
            "give more bits after the point: --param fraction=...",
        )
    seen = first_difference(proof.result, proof.truth)
    if -c.estimate.log2_failure < LEAST_FAILURE_BITS:
        wrong = WrongResult(
            f"{what} wrongly: {seen}",
            f"take what fheasible explore recommends: this set goes wrong once in "
            f"{once(c.estimate.log2_failure)}",
        )
        wrong.foreseen = True
        return wrong
    return WrongResult(
        f"{what} wrongly: {seen}. It was predicted that a {run_goes_wrong(c.estimate.log2_failure)}",
        "this is a fault in Fheasible's noise estimate: please report it with the stored result",
    )


def _entry(problem: Problem, c: LookupCandidate) -> Entry:
    """The row of a run, with what is known before it begins."""
    told = c.to_json(pareto=False)
    return Entry(
        problem.circuit.name,
        circuit_digest(problem.circuit),
        c.library.name,
        c.scheme,
        c.settings,
        told["parameters"],
        "died",
        told["estimate"],
    )
