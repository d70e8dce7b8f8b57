"""OpenFHE's own flooding against what is predicted: the noise that it estimates, the precision it leaves."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fheasible as fh
from fheasible.errors import WorkerRefused
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters, request_for
from fheasible.lowering.lower import lower
from fheasible.measurement.encryptions import encryptions
from fheasible.measurement.execute import RunOptions, RunPlan, execute_on
from fheasible.measurement.registry import command
from fheasible.measurement.worker import Worker
from fheasible.noise.ckks import flooding
from fheasible.noise.ckks.elements import seen_variance, whole_variance
from fheasible.noise.ckks.precision import precision
from fheasible.noise.reach.gains import gains
from fheasible.program.types import Program

from .programs import FUNCTIONS

pytestmark = [
    pytest.mark.worker,
    pytest.mark.skipif(not command("openfhe").installed, reason="OpenFHE's worker is not installed"),
]
OPENFHE = library("openfhe")
INSECURE_N = 1 << 11
ENCRYPTIONS = 30
OF_ONE = 120  # of a single element, whose mean bits are then known to 0.15
LENGTH = INSECURE_N // 2
Vectors = dict[str, NDArray[Any]]


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker("openfhe") as started:
        yield started


def small_data() -> Vectors:
    draw = np.random.default_rng(4)
    return {v: draw.uniform(0.2, 0.45, LENGTH) * draw.choice([-1, 1], LENGTH) for v in "xy"}


def made(name: str, technique: str, scale_bits: int | None = None) -> tuple[Program, Parameters]:
    """A program that keeps a level, and parameters with some flooding."""
    declared = {v: fh.reals(LENGTH, low=-1, high=1) for v in "xy"}
    circuit = fh.app(**declared)(lambda x, y: FUNCTIONS[name](x, y)).trace()
    program = lower(circuit, replace(OPENFHE.style("ckks", technique), spare=1), LENGTH)
    request = request_for(
        "ckks", program.levels, None, scale_bits=scale_bits, technique=technique, ring_dimension=INSECURE_N,
        noise_estimate=1.0,
    )  # fmt: skip
    return program, OPENFHE.parameters(request)


CASES = [
    ("product", "fixedmanual"),
    ("rotated copies", "flexibleauto"),
    ("turned products", "flexibleautoext"),
    ("inner product", "fixedauto"),
]


@pytest.mark.parametrize(("name", "technique"), CASES)
def test_flooded_precision_is_within_a_bit_of_the_predicted(
    worker: Worker, name: str, technique: str
) -> None:
    program, p = made(name, technique)
    found = gains(program, small_data())
    needed = flooding.noise_estimate(program, p, whole_variance(program, p, found))
    p = OPENFHE.parameters(replace(p.request or request_for("ckks", 0), noise_estimate=needed))
    predicted = precision(program, p, found, found.outputs)
    exact = np.concatenate([found.outputs[k] for k in found.outputs])
    count = ENCRYPTIONS if len(exact) > 1 else OF_ONE
    results = encryptions(worker, program, p, small_data(), count, count).results
    errors = np.concatenate([results[k] - found.outputs[k] for k in found.outputs], axis=1)
    assert np.log2(errors.std()) == pytest.approx(np.log2(predicted.noise), abs=1)
    assert np.mean(-np.log2(np.abs(errors / exact))) == pytest.approx(predicted.mean_bits, abs=1)


# Trials, each under a key of its own: their mean is half a bit off once in a million times. What a
# rotation's division leaves in slot 0 is times one slot of the secret: of one trial's square, the deviation
# is 0.7 of the mean, and 0.1 where there are no rotations or little comes from them.
ESTIMATES = [
    ("product", "fixedmanual", 20),
    ("turned products", "flexibleauto", 20),
    ("rotated copies", "flexibleautoext", 60),
]


@pytest.mark.parametrize(("name", "technique", "trials"), ESTIMATES)
def test_the_noise_that_openfhe_estimates_is_the_predicted(
    worker: Worker, name: str, technique: str, trials: int
) -> None:
    """The mean of the squares; at a scale that doubles encode exactly enough for a ring so small."""
    program, p = made(name, technique, scale_bits=50)
    predicted = flooding.noise_bits(program, p, seen_variance(program, p, gains(program, small_data())))
    squares = np.array([4 ** (seen(worker, program, p) - predicted) for _ in range(trials)])
    assert np.log2(squares.mean()) / 2 == pytest.approx(0, abs=0.5)


def seen(worker: Worker, program: Program, p: Parameters) -> float:
    told = OPENFHE.worker_parameters(p) | {"noise_estimate": "measure"}
    measured = execute_on(worker, program, told, small_data(), RunPlan(1, warmup=0), RunOptions(sizes=False))
    return flooding.seen_bits(program, np.concatenate([v[:, 0] for v in measured.outputs.values()]))


def test_a_product_that_is_not_rescaled_is_not_flooded_too_little_but_refused(worker: Worker) -> None:
    program, p = made("product", "fixedmanual")
    last = program.operations[-1]
    assert last.action == "rescale"
    outputs = tuple(replace(o, values=last.args) for o in program.outputs)
    cut = replace(program, operations=program.operations[:-1], outputs=outputs)
    kept = tuple(replace(o, frees=()) for o in cut.operations)
    with pytest.raises(WorkerRefused, match="not rescaled"):
        execute_on(
            worker, replace(cut, operations=kept), OPENFHE.worker_parameters(p), small_data(),
            RunPlan(1, warmup=0), RunOptions(sizes=False),
        )  # fmt: skip
