"""Lowered programs on real libraries, at INSECURE_ ring sizes: the oracle's result, as exact as predicted."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fheasible as fh
from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.node import Circuit
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters, request_for
from fheasible.lowering.lower import lower
from fheasible.lowering.plan import depth_of
from fheasible.measurement.execute import RunOptions, RunPlan, execute, results
from fheasible.noise.ckks.precision import precision
from fheasible.noise.integers.budget import budget_bits
from fheasible.noise.reach.gains import gains
from fheasible.program.style import Style
from fheasible.program.types import Program

from .checker import check

INSECURE_N = 1 << 12
T = 65537
PLAN = RunPlan(repetitions=1, warmup=0)

LIBRARIES = [
    ("seal", "ckks", ""), ("seal", "bgv", ""), ("seal", "bfv", ""),
    ("lattigo", "ckks", ""), ("lattigo", "bgv", ""), ("lattigo", "bfv", ""),
    ("openfhe", "ckks", "fixedmanual"), ("openfhe", "ckks", "fixedauto"), ("openfhe", "ckks", "flexibleauto"),
    ("openfhe", "ckks", "flexibleautoext"),
    ("openfhe", "bgv", "fixedmanual"), ("openfhe", "bgv", "flexibleauto"), ("openfhe", "bfv", ""),
]  # fmt: skip


def application(real: bool, length: int) -> Circuit:
    """Padding, several ciphertexts, rows of zeros, broadcasting, rotations, and mixed depths."""
    spec = fh.reals if real else fh.integers
    low, high = (-1, 1)
    head = np.array([3, -1, 2] + [0] * (length - 3))

    @fh.app(
        x=spec(length, low=low, high=high), y=spec(length, low=low, high=high), z=spec(1, low=low, high=high)
    )
    def everything(x: fh.Vector, y: fh.Vector, z: fh.Vector) -> dict[str, fh.Vector]:
        return {
            "selected": x * head,
            "of the selected": fh.sum(y * head + x * head * z),
            "less itself": (x + y * head) - x,
            "rotated": fh.rotate(x + 1, 5) * y + z,
            "mixed": (x * y + z) * x - x * 2 + 3,
            "polynomial": fh.polynomial(x, [1, 0, 2, -1]),
            "spread": fh.sum((x - z) * (y + 2)) * z,
        }

    return everything.trace()


def matrices(real: bool) -> Circuit:
    """A wide matrix, two layers, several ciphertexts and both rows, parts, and what padding could spoil."""
    low, high = (-1, 1)
    draw = np.random.default_rng(4)

    def matrix(m: int, n: int) -> NDArray[Any]:
        return draw.uniform(-1, 1, (m, n)) if real else draw.integers(-2, 3, (m, n))

    wide, tall, band = matrix(10, 30), matrix(40, 10), np.zeros((3000, 5000))
    band[np.arange(3000), np.arange(3000) + 1] = 1
    band[np.arange(2000), np.arange(2000) + 3000] = -2
    spec = fh.reals if real else fh.integers

    @fh.app(x=spec(30, low=low, high=high), y=spec(5000, low=low, high=high))
    def everything(x: fh.Vector, y: fh.Vector) -> dict[str, fh.Vector]:
        return {
            "matrix": wide @ x,
            "layers": tall @ ((wide @ x + 1) ** 2),
            "added up": fh.sum((wide @ x) ** 2),
            "band": fh.matmul(band if real else band.astype(int), y),
            "joined": fh.concatenate([x[20:], [1, -1], y[4090:4100]]) ** 2,
            "column": fh.columns(x, 1, 3),
        }

    return everything.trace()


def data(circuit: Circuit) -> dict[str, NDArray[Any]]:
    draw = np.random.default_rng(5)
    real = any(i.kind == "real" for i in circuit.inputs)
    return {
        i.name: draw.uniform(-1, 1, i.length) if real else draw.integers(-1, 2, i.length)
        for i in circuit.inputs
    }


def parameters(name: str, scheme: str, technique: str, program: Program, style: Style) -> Parameters:
    depth = depth_of(program, style)
    sizes = {"ckks": (60, *[45] * depth), "bgv": (60, *[50] * depth), "bfv": (55,) * 6}
    manual = name != "openfhe"
    return library(name).parameters(
        request_for(
            scheme,
            depth,
            security=None,
            scale_bits=45 if scheme == "ckks" else None,
            first_bits=60 if scheme == "ckks" else None,
            technique=technique or None,
            plain_modulus=None if scheme == "ckks" else T,
            ring_dimension=INSECURE_N,
            prime_bits=sizes[scheme] if manual else None,
            special_bits=(60,) if manual else None,
            eval_add_count=1000
            if technique and scheme == "bgv"
            else None,  # OpenFHE then makes room for them
            key_switch_count=1000 if technique and scheme == "bgv" else None,
        )
    )


@pytest.mark.worker
@pytest.mark.parametrize("length", [1000, 5000], ids=["sparse", "several"])
@pytest.mark.parametrize(("name", "scheme", "technique"), LIBRARIES)
def test_a_program_gives_the_oracles_result_on_every_library(
    name: str, scheme: str, technique: str, length: int
) -> None:
    assert_right(application(scheme == "ckks", length), name, scheme, technique)


@pytest.mark.worker
@pytest.mark.parametrize(("name", "scheme", "technique"), LIBRARIES)
def test_matrices_and_parts_give_the_oracles_result_on_every_library(
    name: str, scheme: str, technique: str
) -> None:
    assert_right(matrices(scheme == "ckks"), name, scheme, technique)


def assert_right(circuit: Circuit, name: str, scheme: str, technique: str) -> None:
    style = library(name).style(scheme, technique or None)
    program = lower(circuit, style, INSECURE_N // (2 if scheme == "ckks" else 1))
    check(program, style)
    p = parameters(name, scheme, technique, program, style)
    given, told = data(circuit), library(name).worker_parameters(p)
    result = results(program, execute(name, program, told, given, PLAN, RunOptions(sizes=False)))
    wanted = evaluate(circuit, given)
    if style.exact:
        right = {k: bool((result[k] == wanted[k]).all()) for k in wanted}
        assert (set(right.values()), budget_bits(program, p) > 0) == ({True}, True), (
            right,
            budget_bits(program, p),
        )
    else:
        expected = precision(program, p, gains(program, given), wanted)
        errors = np.concatenate([result[k] - wanted[k] for k in wanted])
        # a sum's one error can outweigh all others: five standard deviations of a single normal variable
        assert np.sqrt(np.mean(errors**2)) < 5 * np.hypot(expected.noise, expected.approximation)
