"""What a real run shows: its figures, and the result beside the cleartext one."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from fheasible import units
from fheasible.aliases import Json
from fheasible.api.busy import beside
from fheasible.api.headline import counted
from fheasible.api.layout import WIDTH, paragraph, vector
from fheasible.api.naming import setting
from fheasible.errors import StoreError
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.proof.measured import Vectors, clocks, worst_element
from fheasible.exploration.proof.proof import Proof
from fheasible.noise.ckks.flooding import QUERIES, QUERY_BITS

SIZES = {
    "peak_bytes": "peak memory",
    "ciphertext_bytes": "ciphertext",
    "public_key_bytes": "public key",
    "evaluation_key_bytes": "evaluation keys",
    "secret_key_bytes": "secret key",
}


class Proven(Protocol):
    """A right result beside the cleartext one."""

    @property
    def result(self) -> Vectors: ...

    @property
    def truth(self) -> Vectors: ...

    @property
    def precision_bits(self) -> float | None: ...

    @property
    def number(self) -> int | None: ...

    @property
    def unstored(self) -> StoreError | None: ...


def predicted(wall: Mapping[str, float | None]) -> str:
    """How long the run will take, in words; empty where that is not known."""
    if wall["total"] is None:
        return ""
    return f" (predicted: keys {units.seconds(wall['keygen'])}, each run {units.seconds(wall['total'])})"


def document(proof: Proof) -> Json:
    """The fields that a run adds to the candidate's document."""
    around = beside(proof)
    return {
        "measurement": proof.measured_json(),
        "result": proof.result,
        "cleartext": proof.truth,
        "environment": proof.environment.to_json(),
        "number": proof.number,
        "noise_bits": proof.noise_bits,
        "slowed": proof.slowed,
        "cpu_utilisation": around.utilisation,
        "busy": around.busy,
        "warnings": list(proof.warnings),
        "unstored": None if proof.unstored is None else proof.unstored.message,
    }


def headline(problem: Problem, proof: Proof, width: int = WIDTH) -> Iterator[str]:
    c, worker = proof.candidate, proof.measurement.hello
    p = c.parameters
    yield f"{problem.circuit.name}, run on {setting(c.library, c.scheme)} {worker.version}"
    technique = f", {p.technique}" if p.technique else ""
    yield (
        f"N = {units.power_of_two(p.ring_dimension)}, log QP = {p.log_qp:.0f}, {p.limbs} + {len(p.p)} primes"
        f"{technique}, security {units.security(c.estimate.security_bits)}"
    )
    if c.program.bootstraps:
        many = counted(c.program.bootstrap_count, "bootstrap")
        begins = f"; fresh inputs have up to {c.program.fresh_levels}" * (c.program.fresh_levels > p.levels)
        yield f"{many}, with {counted(p.levels, 'level')} left after each{begins}"
    estimate = c.request.noise_estimate if c.request.scheme == "ckks" else None
    if proof.noise_bits is not None and estimate is not None:
        drowned = estimate - QUERY_BITS
        seen = f"noise: {proof.noise_bits:.1f} bits in a trial run"
        yield f"{seen}; decryption drowns {drowned:.1f} bits in each of {QUERIES:,} results"
    yield f"data: {problem.source}"
    if c.walls or c.threads != 1:
        one = "one thread" if c.estimate.threads == 1 else f"{c.estimate.threads} threads"
        yield f"executed by {one}{', which is the default of the library' * (c.threads is None)}"
    yield from (paragraph("warning:", line, width) for line in proof.warnings)


def compared(estimate: Json, measured: Json, errors: Json) -> Iterator[tuple[str, ...]]:
    """(figure, predicted, measured, relative error)."""
    for clock, least in clocks(measured):
        name = "CPU" if clock == "cpu_seconds" else "wall"
        for phase, told in estimate[clock].items():
            error = units.percent(errors.get(f"{clock}.{phase}"))
            yield f"{name} {phase}", units.seconds(told), units.seconds(measured[clock][phase][least]), error
    for key, label in SIZES.items():
        yield label, units.size(estimate[key]), units.size(measured[key]), units.percent(errors.get(key))
    if measured["precision_bits"] is not None:
        bits = (units.bits(told["precision_bits"]) for told in (estimate, measured))
        yield "precision", *bits, units.percent(errors.get("precision_bits"))
        yield "largest error", f"<= {estimate['absolute_error']:.2g}", f"{measured['absolute_error']:.2g}", ""


def outcome(proof: Proven) -> Iterator[str]:
    """Every output beside the cleartext one, and how well they agree."""
    for name, values in proof.result.items():
        truth = proof.truth[name]
        yield f"{name}: decrypted {vector(values.tolist())}, cleartext {vector(truth.tolist())}"
        yield f"  largest difference {_difference(values, truth)}"
    yield from _judged(proof)
    if proof.number is not None:
        yield f"stored as number {proof.number}: fheasible results show {proof.number}"


def _judged(proof: Proven) -> Iterator[str]:
    right, bits = "the decrypted result is right", proof.precision_bits
    if bits is None:
        yield f"{right}: exact"
    elif all(np.array_equal(values, proof.truth[name]) for name, values in proof.result.items()):
        yield f"{right}: exact after rounding, with {units.bits(bits)}s of precision before it"
    else:
        yield worst_element(proof.result, proof.truth)
        yield f"{right}: {units.bits(bits)}s of precision"


def _difference(values: Any, truth: Any) -> str:
    return f"{np.max(np.abs(values - truth)):.3g}"
