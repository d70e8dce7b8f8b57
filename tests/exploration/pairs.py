"""Random pairs of an application and parameters (INSECURE sizes): what is predicted, and what comes out.

Moduli are chosen about the size that the prediction draws the line at, on both sides of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log2

import numpy as np

from fheasible.circuit.data import random_data
from fheasible.errors import InfeasibleParameters, UnsupportedOperation, WorkerRefused
from fheasible.exploration.problem.problem import Problem
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import Parameters, Request, request_for
from fheasible.lowering.plan import plan
from fheasible.measurement.execute import RunOptions, RunPlan, execute_on, results
from fheasible.measurement.worker import Worker
from fheasible.noise.achieved import FINEST, bits_of
from fheasible.noise.ckks.elements import refusal_bits
from fheasible.noise.ckks.headroom import headroom_bits
from fheasible.noise.ckks.precision import precision
from fheasible.noise.integers.budget import budget_bits
from fheasible.program.types import Program

from .apps import random_circuit

INSECURE_RINGS = (1024, 2048, 4096)
LEAST, MOST = -32.0, 6.0  # bits of budget that are looked for
REFUSALS = ("approximation error is too high", "scale out of bounds")  # OpenFHE's to decrypt, SEAL's to go on
ONCE, NO_SIZES = RunPlan(repetitions=1, warmup=0), RunOptions(sizes=False)


@dataclass(frozen=True)
class Outcome:
    """`left`: bits predicted to be left, of the budget or of the modulus above CKKS's values; 0 or more where
    a right result is promised. CKKS: `spare`, bits between the largest error and the worst that is predicted;
    `gain`, bits of precision above those that are expected."""

    name: str
    left: float
    right: bool
    spare: float = 0.0
    gain: float = 0.0

    @property
    def promised(self) -> bool:
        return self.left >= 0


def outcome(worker: Worker, scheme: str, seed: int, tight: bool = False) -> Outcome | None:
    """None where the library has no such program or parameters, or refuses what is no ciphertext.
    `tight`: with the least moduli of which a right result is promised."""
    draw = np.random.default_rng(seed)
    products = 3 if tight else int(draw.integers(0, 5))
    circuit = random_circuit(seed, scheme == "ckks", products)
    asked = Problem(circuit, random_data(circuit, seed), f"seed {seed}")
    try:
        if scheme == "ckks":
            return _real(worker, asked, draw)
        return _integers(worker, asked, scheme, draw, 0.0 if tight else draw.uniform(LEAST, MOST))
    except (InfeasibleParameters, UnsupportedOperation):
        return None
    except WorkerRefused as refusal:
        if "transparent" in refusal.message:  # a plain result, of which SEAL makes no ciphertext
            return None
        raise


def planned(asked: Problem, library: str, request: Request, shallower: int = 0) -> tuple[Program, Parameters]:
    """`shallower`: by so much the library is told too little of the depth, where that is possible."""
    style = CATALOGUE[library].style(request.scheme, request.technique)

    def ask(depth: int, n: int | None) -> Parameters:
        wanted = max(depth - shallower, 0) if request.scheme == "bfv" else depth
        told = replace(request, depth=wanted, ring_dimension=n)
        if told.scheme != "ckks":
            told = replace(told, plain_modulus=asked.plain_modulus(n or INSECURE_RINGS[-1]))
        return CATALOGUE[library].parameters(told)

    return plan(asked.lowerings(), style, ask, request.ring_dimension)


def run(worker: Worker, asked: Problem, program: Program, p: Parameters) -> np.ndarray:
    told = CATALOGUE[p.library].worker_parameters(p)
    measured = execute_on(worker, program, told, asked.data, ONCE, NO_SIZES, timeout=60)
    return results(program, measured)["result"]


# -- integers --------------------------------------------------------------------------------------


def _integers(
    worker: Worker, asked: Problem, scheme: str, draw: np.random.Generator, aim: float
) -> Outcome | None:
    """Of the smallest parameters with that budget."""
    for program, p in _ascending(asked, worker.library, scheme, draw):
        left = budget_bits(program, p)
        if left >= aim:
            right = np.array_equal(run(worker, asked, program, p), asked.truth["result"])
            return Outcome(f"{worker.library} {scheme} {asked.source} {p.request}", left, right)
    return None


def _ascending(
    asked: Problem, library: str, scheme: str, draw: np.random.Generator
) -> Iterator[tuple[Program, Parameters]]:
    """Of ever larger moduli, for one ring."""
    base = request_for(scheme, 0, None, ring_dimension=int(draw.choice(INSECURE_RINGS)))
    of_library = _openfhe if library == "openfhe" else _of_primes
    for request, shallower in of_library(base, library, draw):
        try:
            yield planned(asked, library, request, shallower)
        except InfeasibleParameters:
            continue


def _of_primes(base: Request, library: str, draw: np.random.Generator) -> Iterator[tuple[Request, int]]:
    special = 1 if library == "seal" else int(draw.integers(1, 4))
    for bits in range(18, 61):
        for limbs in range(1, 7):
            yield replace(base, prime_bits=(bits,) * limbs, special_bits=(bits,) * special), 0


def _openfhe(base: Request, library: str, draw: np.random.Generator) -> Iterator[tuple[Request, int]]:
    """It picks its moduli itself, but for fixedmanual."""
    technique = None if base.scheme == "bfv" else str(draw.choice(CATALOGUE[library].techniques))
    either = technique in (None, "fixedmanual")  # else BV needs a digit size
    request = replace(
        base, technique=technique, key_switching="bv" if either and draw.integers(2) else "hybrid"
    )
    if technique == "fixedmanual":
        for bits in range(18, 59):
            yield replace(request, scale_bits=bits, first_bits=min(bits + 6, 60)), 0
    else:
        for shallower in (4, 3, 2, 1, 0):
            yield request, shallower


# -- real numbers ----------------------------------------------------------------------------------


def _real(worker: Worker, asked: Problem, draw: np.random.Generator) -> Outcome:
    """No element is farther off than once in 2^40 runs."""
    program, p = planned(asked, worker.library, _real_request(worker.library, draw))
    gains = asked.gains(program)
    name = f"{worker.library} ckks {asked.source} {p.request}"
    left = min(headroom_bits(program, p, gains) - 1, refusal_bits(program, p, gains) - 0.5)
    expected, truth = precision(program, p, gains, asked.truth), asked.truth["result"]
    try:
        result = run(worker, asked, program, p)
    except WorkerRefused as refusal:
        if not any(reason in refusal.message for reason in REFUSALS):
            raise
        return Outcome(name, left, False)
    error = max(float(np.max(np.abs(result - truth))), FINEST)
    spare = log2(expected.worst_error / error)
    return Outcome(name, left, spare >= 0, spare, bits_of(result, truth) - expected.bits)


def _real_request(library: str, draw: np.random.Generator) -> Request:
    """First primes that leave few bits above the scale, or many."""
    scale = int(draw.integers(25, 50))
    first = min(scale + int(draw.integers(0, 16)), 60)
    technique = str(draw.choice(CATALOGUE[library].techniques)) or None
    special = {"openfhe": None, "seal": (60,)}.get(library, (60,) * int(draw.integers(1, 4)))
    return request_for(
        "ckks", 0, None, scale_bits=scale, first_bits=first, technique=technique, special_bits=special,
        ring_dimension=int(draw.choice(INSECURE_RINGS)),
    )  # fmt: skip
