"""Which scales SEAL takes beside a modulus: the live library, on both sides of the line (INSECURE)."""

from collections.abc import Iterator

import numpy as np
import pytest

import fheasible as fh
from fheasible.errors import InfeasibleParameters, WorkerRefused
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters, request_for
from fheasible.lowering.plan import Lowerings, plan
from fheasible.measurement.encryptions import encryptions
from fheasible.measurement.registry import command
from fheasible.measurement.worker import Worker
from fheasible.noise.ckks.headroom import scale_room_bits
from fheasible.program.types import Program

pytestmark = pytest.mark.worker

INSECURE_N = 1024
LENGTH = 512
WEIGHTS = np.linspace(-1e-3, 1e-3, LENGTH)
FUNCTIONS = {
    "as it is": lambda x, y: x,
    "a product": lambda x, y: x * y,
    "a sum": lambda x, y: x + y,
    "a power": lambda x, y: x**4,
    "levels that are dropped": lambda x, y: x * y * x + y,
    "a number added": lambda x, y: x * y + 1e-3,
    "a vector added": lambda x, y: x * y + WEIGHTS,
    "a large vector added": lambda x, y: x * y + 900 * WEIGHTS,
    "a vector added, nearly the same everywhere": lambda x, y: x * y + 1e-4 * WEIGHTS + 1.7,
    "a vector multiplied in": lambda x, y: x * WEIGHTS + y,
}
BITS = [(scale, first) for scale in (30, 58) for first in range(scale, min(scale + 4, 61))]


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    if not command("seal").installed:
        pytest.skip("seal is not installed")
    with Worker("seal") as running:
        yield running


@pytest.mark.parametrize("function", FUNCTIONS)
def test_it_refuses_a_scale_that_is_not_below_the_modulus_and_no_other(worker: Worker, function: str) -> None:
    seen = set()
    for scale, first in BITS:
        for spare in (0, 1):
            program, p = lowered(function, scale, first, spare)
            taken = scale_room_bits(program, p) >= 0
            assert taken == ran(worker, program, p), f"scale {scale}, first {first}, {spare} spare"
            seen.add(taken)
    assert seen == {True, False}


def lowered(function: str, scale: int, first: int, spare: int) -> tuple[Program, Parameters]:
    spec = fh.reals(LENGTH, low=-1e-3, high=1e-3)
    circuit = fh.app(x=spec, y=spec)(lambda x, y: FUNCTIONS[function](x, y)).trace()
    style = library("seal").style("ckks", None)

    def ask(depth: int, n: int | None) -> Parameters:
        return library("seal").parameters(
            request_for(
                "ckks", depth + spare, None, scale_bits=scale, first_bits=first, special_bits=(60,),
                ring_dimension=n,
            )
        )  # fmt: skip

    return plan(Lowerings(circuit), style, ask, INSECURE_N)


def ran(worker: Worker, program: Program, p: Parameters) -> bool:
    """Whether SEAL does it; False if it says that a scale or an encoded value is too large."""
    draw = np.random.default_rng(3)
    data = {packed.name: draw.uniform(-1e-3, 1e-3, packed.length) for packed in program.inputs}
    try:
        encryptions(worker, program, p, data, 1, 1, timeout=60)
    except (WorkerRefused, InfeasibleParameters) as error:
        if "scale out of bounds" in str(error) or "too large" in str(error):
            return False
        raise
    return True
