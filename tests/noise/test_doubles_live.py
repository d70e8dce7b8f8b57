"""What encoding and decoding in doubles leave: live libraries, where noise is far below (INSECURE)."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.errors import WorkerRefused
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters, request_for
from fheasible.lowering.lower import lower
from fheasible.measurement.execute import RunPlan, execute, results
from fheasible.measurement.registry import command
from fheasible.noise.ckks.elements import errors, refusal_bits
from fheasible.noise.ckks.precision import precision
from fheasible.noise.reach.gains import Gains, gains
from fheasible.program.style import Style
from fheasible.program.types import Program

pytestmark = pytest.mark.worker

INSECURE_N, SCALE, LARGE = 16384, 58, 2.0**22
LENGTHS = (64, 8192)  # with copies, and without
Floats = NDArray[np.float64]


@pytest.fixture(scope="module", params=["seal", "lattigo", "openfhe"])
def name(request: pytest.FixtureRequest) -> str:
    if not command(request.param).installed:
        pytest.skip(f"{request.param} is not installed")
    return str(request.param)


def style(name: str) -> Style:
    """Results keep levels, so that they have room."""
    found = library(name).style("ckks", "fixedmanual" if name == "openfhe" else None)
    return replace(found, spare=2)


def parameters(name: str, depth: int) -> Parameters:
    technique = "fixedmanual" if name == "openfhe" else None
    asked = request_for(
        "ckks", depth, None, scale_bits=SCALE, first_bits=60, ring_dimension=INSECURE_N, technique=technique
    )
    return library(name).parameters(asked)


def values(length: int, lone: bool) -> Floats:
    """Of the root mean square LARGE: one has nearly all of it, or a quarter of them."""
    draw = np.random.default_rng(length)
    found = np.where(
        np.arange(length) % (length if lone else 4) == (length // 3 if lone else 3),
        draw.normal(size=length),
        1e-4 * draw.normal(size=length),
    )
    return np.asarray(found * LARGE / np.sqrt(np.mean(found**2)))


def ran(name: str, program: Program, p: Parameters, data: dict[str, Floats]) -> Floats:
    """The one output."""
    worker_parameters = library(name).worker_parameters(p)
    (found,) = results(
        program, execute(name, program, worker_parameters, data, RunPlan(1, warmup=0))
    ).values()
    return np.asarray(found)


def middle(found: Floats) -> float:
    return float(np.median(np.abs(found)))


def deviations(program: Program, p: Parameters, known: Gains, length: int) -> Floats:
    """Of each element; 0 of those that are not judged."""
    found, judged = np.zeros(length), known.judged.elements
    found[judged] = errors(program, p, known, np.zeros(len(judged))).sigma
    return found


@pytest.mark.parametrize("lone", [False, True])
@pytest.mark.parametrize("length", LENGTHS)
def test_slots_round_relative_to_all_of_their_vector(name: str, length: int, lone: bool) -> None:
    """Of small elements beside ones that are 10^4 times as large: decoded with these, and without them, where
    a mask leaves them out. Where one is far above all others, a few small ones have most of the rounding:
    the middle one tells."""
    x = values(length, lone)
    large = np.abs(x) > LARGE / 100
    spec = fh.reals(length, low=-(2.0**32), high=2.0**32)
    for function in (lambda x: x + 0.5, lambda x: x * np.where(large, 0.0, 1.0)):
        circuit = fh.app(x=spec)(lambda x, f=function: f(x)).trace()
        program = lower(circuit, style(name), INSECURE_N // 2)
        p = parameters(name, program.levels)
        known, truth = gains(program, {"x": x}), evaluate(circuit, {"x": x})
        off = ran(name, program, p, {"x": x}) - next(iter(truth.values()))
        told = deviations(program, p, known, length)
        among = (told > 0) & ~large
        assert 0.1 < middle(off[among]) / middle(told[among]) < 3.0
        assert lone or np.abs(off).max() <= precision(program, p, known, truth).assured_absolute


def test_openfhe_refuses_what_doubles_leave_of_large_results(name: str) -> None:
    """Powers of 2^12: it decrypts the third and refuses the fifth; the model says so of both."""
    if name != "openfhe":
        pytest.skip("the others never refuse")
    x = np.random.default_rng(1).uniform(0.5, 1, 64) * 2.0**12
    for power, refused in ((3, False), (5, True)):
        app = fh.app(x=fh.reals(64, low=0, high=2.0**12))(lambda x, e=power: x**e)
        program = lower(app.trace(), style(name), INSECURE_N // 2)
        p = parameters(name, program.levels)
        left = refusal_bits(program, p, gains(program, {"x": x}))
        assert (left < 0) == refused
        if refused:
            with pytest.raises(WorkerRefused):
                ran(name, program, p, {"x": x})
        else:
            ran(name, program, p, {"x": x})
