"""What `run` and `verify` share: the run with its progress, and the result beside the cleartext one."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from fheasible import units
from fheasible.cli.names import setting
from fheasible.cli.session import Session
from fheasible.cli.tables import vector
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.problem import Problem
from fheasible.exploration.proof import GARBAGE_BITS, Proof, prove
from fheasible.measurement.execute import Plan

Json = dict[str, Any]


def proof_of(
    session: Session, problem: Problem, candidate: Candidate, least_bits: float | None,
    repetitions: int, threads: int, timeout: float | None, seed: int | None,
) -> Proof:  # fmt: skip
    """The candidate's real run, stored whatever comes of it."""
    what = f"running {setting(candidate.library, candidate.scheme)}"
    plan = Plan(repetitions=repetitions, threads=threads)
    least = GARBAGE_BITS if least_bits is None else least_bits
    with session.store() as store, session.progress(what + _predicted(candidate)) as step:
        return prove(problem, candidate, plan, seed, store, step, timeout, least)


def _predicted(candidate: Candidate) -> str:
    wall = candidate.estimate.wall_seconds
    return (
        f" (predicted: keys {units.seconds(wall['keygen'])}, once {units.seconds(wall['total'])})"
        if wall
        else ""
    )


def document(proof: Proof) -> Json:
    """What a run adds to the candidate."""
    return {
        "measurement": proof.measured_json(),
        "result": proof.result,
        "cleartext": proof.truth,
        "environment": proof.environment.to_json(),
        "number": proof.number,
    }


def headline(problem: Problem, proof: Proof) -> Iterator[str]:
    c, worker = proof.candidate, proof.measurement.hello
    p = c.parameters
    yield f"{problem.circuit.name} on {setting(c.library, c.scheme)} {worker.version}, really run"
    technique = f", {p.technique}" if p.technique else ""
    yield (
        f"N = {units.power_of_two(p.ring_dimension)}, log QP = {p.log_qp:.0f}, {p.limbs} + {len(p.p)} primes"
        f"{technique}, security {c.estimate.security_bits:.0f} bit"
    )
    yield f"data: {problem.source}"


def outcome(proof: Proof) -> Iterator[str]:
    """Every output beside the cleartext one, and how well they agree."""
    for name, values in proof.result.items():
        truth = proof.truth[name]
        yield f"{name}: decrypted {vector(values.tolist())}, cleartext {vector(truth.tolist())}"
        yield f"  largest difference {_difference(values, truth)}"
    agreed = "exact" if proof.precision_bits is None else f"{units.bits(proof.precision_bits)}s of precision"
    yield f"the decrypted result is right: {agreed}"
    if proof.number is not None:
        yield f"stored as number {proof.number}: fheasible results show {proof.number}"


def _difference(values: Any, truth: Any) -> str:
    return f"{np.max(np.abs(values - truth)):.3g}"
