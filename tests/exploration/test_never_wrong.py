"""What is predicted to be right is right: random applications at INSECURE sizes, really run.

The moduli are the least that the noise estimate accepts, so that an estimate that is a little too kind
shows. Seeds are fixed, libraries draw their own randomness.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.data import random_data
from fheasible.errors import FheasibleError, InfeasibleParameters, WorkerRefused
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.chosen import chosen
from fheasible.exploration.problem import Problem
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import Request
from fheasible.lowering.plan import depth_of
from fheasible.measurement.execute import Options, Plan, execute_on, results
from fheasible.measurement.registry import command
from fheasible.measurement.worker import Worker
from fheasible.noise.ckks import bits_of, precision
from fheasible.noise.exact import budget_bits

from .apps import LENGTH, random_circuit

pytestmark = pytest.mark.worker

INSECURE_RINGS = (1024, 2048, 4096)
SEEDS = range(40)
# Plaintext factors that are matched by a negative multiplier, which libraries write as t less it.
UNEQUAL_FACTORS = (138, 144, 177, 197, 227, 295)
LIBRARIES = tuple(CATALOGUE)
ONCE, NO_SIZES = Plan(repetitions=1, warmup=0), Options(sizes=False)


@pytest.fixture(scope="module", params=LIBRARIES)
def worker(request: pytest.FixtureRequest) -> Iterator[Worker]:
    if not command(request.param).installed:
        pytest.skip(f"{request.param} is not installed")
    with Worker(request.param) as running:
        yield running


def random_problem(seed: int, real: bool) -> Problem:
    circuit = random_circuit(seed, real)
    return Problem(circuit, random_data(circuit, seed), f"seed {seed}")


def run(worker: Worker, asked: Problem, c: Candidate) -> np.ndarray:
    told = CATALOGUE[c.library].worker_parameters(c.parameters)
    measured = execute_on(worker, c.program, told, asked.data, ONCE, NO_SIZES, timeout=60)
    return results(c.program, measured)["result"]


# -- integers --------------------------------------------------------------------------------------


def ascending(asked: Problem, library: str, scheme: str, draw: np.random.Generator) -> Iterator[Request]:
    """Requests of ever larger moduli, for one ring."""
    base = Request(scheme, 0, None, ring_dimension=int(draw.choice(INSECURE_RINGS)))
    if library == "openfhe":
        yield from _openfhe(base, draw)
        return
    special = 1 if library == "seal" else int(draw.integers(1, 4))
    style = CATALOGUE[library].style(scheme, None)
    depth = depth_of(asked.lowerings.program(style, base.ring_dimension or 0), style)
    for bits in range(20, 61):
        for limbs in range(1, 6) if scheme == "bfv" else (depth + 1,):
            yield replace(base, prime_bits=(bits,) * limbs, special_bits=(bits,) * special)


def _openfhe(base: Request, draw: np.random.Generator) -> Iterator[Request]:
    """It picks its moduli itself, but for fixedmanual."""
    technique = None if base.scheme == "bfv" else str(draw.choice(CATALOGUE["openfhe"].techniques))
    for key_switching in ("hybrid", "bv"):
        request = replace(base, technique=technique, key_switching=key_switching)
        for bits in range(20, 59, 2) if technique == "fixedmanual" else (None,):
            yield replace(request, scale_bits=bits, first_bits=None if bits is None else min(bits + 6, 60))


def least_right(asked: Problem, library: str, scheme: str, seed: int) -> Candidate | None:
    """The first of them that is predicted to be right."""
    for request in ascending(asked, library, scheme, np.random.default_rng(seed)):
        try:
            c = chosen(asked, CATALOGUE[library], request, None)
        except InfeasibleParameters:
            continue
        if budget_bits(c.program, c.parameters) >= 0:
            return c
    return None


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
def test_integers_with_a_budget_decrypt_exactly(worker: Worker, scheme: str) -> None:
    wrong, right = [], 0
    for seed in (*SEEDS, *UNEQUAL_FACTORS):
        asked = random_problem(seed, real=False)
        c = least_right(asked, worker.library, scheme, seed)
        if c is None:
            continue
        try:
            equal = np.array_equal(run(worker, asked, c), asked.truth["result"])
        except WorkerRefused as refusal:
            if "transparent" not in refusal.message:  # a plain result, of which SEAL makes no ciphertext
                raise
            continue
        right += equal
        if not equal:
            wrong.append((seed, c.request, budget_bits(c.program, c.parameters)))
    assert wrong == []
    assert right >= 25


def test_less_modulus_than_predicted_goes_wrong_at_last(worker: Worker) -> None:
    """The budget is not so careful that it says nothing: some 20 bits less, and results are wrong."""
    wrong = 0
    for seed in range(12):
        asked = random_problem(seed, real=False)
        c = least_right(asked, worker.library, "bgv", seed)
        if c is None or c.request.prime_bits is None:
            continue
        bits = c.request.prime_bits[0] - 20
        depth = len(c.request.prime_bits) - 1
        try:
            smaller = replace(c.request, prime_bits=(max(bits, 17), *c.request.prime_bits[1:]))
            starved = chosen(asked, CATALOGUE[worker.library], replace(smaller, depth=depth), None)
            wrong += not np.array_equal(run(worker, asked, starved), asked.truth["result"])
        except FheasibleError:
            continue
    assert wrong > 0 or worker.library == "openfhe"


# -- real numbers ----------------------------------------------------------------------------------


def real_request(library: str, technique: str, draw: np.random.Generator) -> Request:
    scale = int(draw.integers(30, 50))
    first = min(scale + int(draw.integers(8, 20)), 60)
    special = {"openfhe": None, "seal": (60,)}.get(library, (60,) * int(draw.integers(1, 4)))
    return Request(
        "ckks", 0, None, scale_bits=scale, first_bits=first, technique=technique or None,
        special_bits=special, ring_dimension=int(draw.choice(INSECURE_RINGS)),
    )  # fmt: skip


def test_real_numbers_are_as_precise_as_predicted(worker: Worker) -> None:
    """Never worse than what is said to be assured; right on average."""
    gains = []
    for seed in range(24):
        asked = random_problem(seed, real=True)
        techniques = CATALOGUE[worker.library].techniques
        technique = techniques[seed % len(techniques)]
        request = real_request(worker.library, technique, np.random.default_rng(seed))
        try:
            c = chosen(asked, CATALOGUE[worker.library], request, None)
        except InfeasibleParameters:
            continue
        expected = precision(c.program, c.parameters, asked.gains(c.program), asked.truth)
        measured = bits_of(run(worker, asked, c), asked.truth["result"])
        gains.append(measured - expected.bits)
        assert measured >= expected.assured_bits, (seed, request, measured, expected)
    assert len(gains) >= 15
    assert -0.5 < np.mean(gains) < 3


@pytest.mark.parametrize("technique", ["fixedmanual", "fixedauto"])
def test_scales_that_drift_are_predicted_where_degrees_are_brought_together(technique: str) -> None:
    """FIXEDAUTO multiplies x by a prime before it meets the product, and divides both by another one."""
    if not command("openfhe").installed:
        pytest.skip("openfhe is not installed")
    weights = np.linspace(-1, 1, LENGTH)

    @fh.app(y=fh.reals(LENGTH, low=-1, high=1))
    def mixed(y: fh.Vector) -> fh.Vector:
        product = y * y * weights
        return fh.mean(product + weights) + (product + y)

    circuit = mixed.trace()
    asked = Problem(circuit, random_data(circuit, 2), "seed 2")
    request = Request("ckks", 0, None, scale_bits=35, first_bits=44, technique=technique, ring_dimension=8192)
    c = chosen(asked, CATALOGUE["openfhe"], request, None)
    found = precision(c.program, c.parameters, asked.gains(c.program), asked.truth)
    assert found.approximation > 3 * found.noise  # primes of 35 bits differ from 2^35 by 2^-17
    with Worker("openfhe") as worker:
        measured = bits_of(run(worker, asked, c), asked.truth["result"])
    assert -0.5 < measured - found.bits < 2  # a root mean square stands for errors of all sizes
