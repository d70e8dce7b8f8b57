"""Really run a candidate, keep what came of it whatever it was, and set it beside the prediction."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.errors import (
    WorkerFailed,
    WrongResult,
)
from fheasible.estimation.estimate import Estimate
from fheasible.exploration.candidate import Candidate, parameters_json, request_json
from fheasible.exploration.problem import Problem
from fheasible.libraries.catalogue import library
from fheasible.measurement.environment import Environment, observe
from fheasible.measurement.execute import Plan, execute, results
from fheasible.measurement.failures import outcome_of
from fheasible.measurement.records import Measurement
from fheasible.measurement.worker import Progress
from fheasible.noise.ckks import bits_of
from fheasible.program.digest import digest
from fheasible.store.rows import Entry
from fheasible.store.store import Store

Json = dict[str, Any]
Vectors = dict[str, NDArray[Any]]
_SINGLE = (
    "peak_bytes", "ciphertext_bytes", "public_key_bytes", "evaluation_key_bytes", "secret_key_bytes",
    "precision_bits",
)  # fmt: skip
GARBAGE_BITS = 3.0  # a CKKS result with less was not computed, whatever precision was asked


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """A measurement with its result. `precision_bits` is of CKKS before integers are rounded, None of BFV and
    BGV; integers are right or wrong."""

    candidate: Candidate
    measurement: Measurement
    result: Vectors
    truth: Vectors
    precision_bits: float | None
    correct: bool
    environment: Environment
    number: int | None  # in the store

    def measured_json(self, operations: bool = False) -> Json:
        """The figures; with `operations` every sample of every operation too, as the store keeps them."""
        return self.measurement.to_json(operations) | {"precision_bits": self.precision_bits}

    def relative_error(self) -> Json:
        """(predicted - measured) / measured, for every figure that both have."""
        return relative_error(self.candidate.estimate, self.measurement, self.precision_bits)


def prove(
    problem: Problem,
    candidate: Candidate,
    plan: Plan,
    seed: int | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
    timeout: float | None = None,
    least_bits: float = GARBAGE_BITS,
) -> Proof:
    """The candidate's run on the problem's data. Every outcome is stored before anything is raised.

    WorkerFailed where there was no result, WrongResult where it is not the cleartext one.
    """
    before = observe(candidate.library, plan.threads, seed)
    try:
        measured = _execute(problem, candidate, plan, progress, timeout)
    except WorkerFailed as error:
        _store(store, problem, candidate, before.finished(), outcome_of(error), None, error.message)
        raise
    proof = _judge(problem, candidate, measured, before.finished(measured.hello), least_bits)
    number = _store(
        store, problem, candidate, proof.environment, "measured" if proof.correct else "wrong", proof
    )
    if not proof.correct:
        raise _wrong(problem, proof, least_bits)
    return Proof(
        candidate, measured, proof.result, proof.truth, proof.precision_bits, True, proof.environment, number
    )


def _execute(
    problem: Problem, c: Candidate, plan: Plan, progress: Progress | None, timeout: float | None
) -> Measurement:
    told = library(c.library).worker_parameters(c.parameters)
    return execute(c.library, c.program, told, problem.data, plan, progress=progress, timeout=timeout)


def _judge(
    problem: Problem, c: Candidate, measured: Measurement, environment: Environment, least_bits: float
) -> Proof:
    result = results(c.program, measured)
    if c.scheme == "ckks":
        joined = [np.concatenate([v[k] for k in result]) for v in (result, problem.truth)]
        bits = bits_of(joined[0], joined[1])
        if not problem.real:
            rounded = {k: np.rint(v).astype(np.int64) for k, v in result.items()}
            return Proof(
                c, measured, rounded, problem.truth, bits, _equal(rounded, problem), environment, None
            )
        return Proof(c, measured, result, problem.truth, bits, bits >= least_bits, environment, None)
    return Proof(c, measured, result, problem.truth, None, _equal(result, problem), environment, None)


def _equal(result: Vectors, problem: Problem) -> bool:
    return all(np.array_equal(result[k], problem.truth[k]) for k in result)


def _wrong(problem: Problem, proof: Proof, least_bits: float) -> WrongResult:
    c = proof.candidate
    what = f"{c.library} {c.scheme.upper()} computed {problem.circuit.name}"
    if proof.precision_bits is not None and problem.real:
        return WrongResult(
            f"{what} with {proof.precision_bits:.1f} bits of precision; {least_bits:g} were asked",
            "ask for a few bits more, so that the search leaves a margin",
        )
    return WrongResult(
        f"{what} wrongly: {first_difference(proof.result, proof.truth)}",
        "this is a fault of Fheasible's noise estimate: please report it with the stored result",
    )


def first_difference(result: Vectors, truth: Vectors) -> str:
    """'sum[0] = 3, and should be 4'."""
    for name, values in result.items():
        different = np.flatnonzero(values != truth[name])
        if len(different):
            i = int(different[0])
            return f"{name}[{i}] = {values[i]}, and should be {truth[name][i]}"
    return "no output differs"


def _store(
    store: Store | None, problem: Problem, c: Candidate, environment: Environment, outcome: str,
    proof: Proof | None, message: str = "",
) -> int | None:  # fmt: skip
    if store is None:
        return None
    entry = Entry(
        problem.circuit.name,
        digest(c.program),
        c.library,
        c.scheme,
        request_json(c.request),
        parameters_json(c.parameters),
        outcome,
        c.estimate.to_json(),
        proof.measured_json(operations=True) if proof else None,
        message,
    )
    return store.add_measurement(entry, environment.to_json())


def relative_error(e: Estimate, m: Measurement, bits: float | None) -> Json:
    """As `relative_errors`; `bits` of precision were measured."""
    return relative_errors(e.to_json(), m.to_json() | {"precision_bits": bits})


def relative_errors(estimate: Json, measured: Json) -> Json:
    """By figure that both have. CPU times are compared with the least of their samples, wall times with the
    median."""
    errors: Json = {}
    for clock, sample in (("cpu_seconds", "min"), ("wall_seconds", "median")):
        for phase, seconds in estimate[clock].items():
            errors[f"{clock}.{phase}"] = _relative(seconds, measured[clock][phase][sample])
    for name in _SINGLE:
        errors[name] = _relative(estimate[name], measured[name])
    return {name: error for name, error in errors.items() if error is not None}


def _relative(predicted: float | None, measured: float | None) -> float | None:
    if predicted is None or not measured:
        return None
    return (predicted - measured) / measured
