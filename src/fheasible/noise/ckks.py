"""Precision of a CKKS program: what each primitive adds, times how far it reaches the outputs."""

from dataclasses import dataclass
from math import erf

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.parameters import Parameters
from fheasible.noise.gains import Gains
from fheasible.noise.primitive import UNIFORM, fresh, key_switch, rounding
from fheasible.program.types import Action, Operation, Program

FIXED = ("fixedmanual", "fixedauto")  # every level keeps the nominal scale, whatever its prime is
_QUANTILES = 129


@dataclass(frozen=True, slots=True)
class Precision:
    """Of the decrypted result against the cleartext one.

    `bits`: average of -log2 of the relative error (of the absolute error where the true value is 0).
    `noise`: standard deviation of the error that encryption adds; `approximation`: root mean square of
    what remains without any noise.
    """

    bits: float
    noise: float
    approximation: float


def precision(
    program: Program, parameters: Parameters, gains: Gains, truth: dict[str, NDArray[np.float64]]
) -> Precision:
    """The expected precision; `truth` holds the cleartext results for the data of `gains`."""
    sigma = variance(program, parameters, gains) ** 0.5
    drift = _scale_drift(program, parameters, gains)
    exact = np.concatenate([truth[k] for k in gains.outputs])
    bias = np.concatenate([gains.outputs[k] for k in gains.outputs]) - exact
    spread = float(np.hypot(sigma, drift))
    return Precision(expected_bits(exact, bias, spread), spread, float(np.sqrt(np.mean(bias**2))))


def variance(program: Program, parameters: Parameters, gains: Gains) -> float:
    """Mean variance of the output elements."""
    scales = value_scales(program, parameters)
    cache: dict[tuple[Action, int, int], float] = {}
    total = 0.0
    for i, o in enumerate(program.operations):
        if gains.noise[i] == 0:
            continue
        added = _added(o, parameters, cache)
        slot = parameters.ring_dimension / 2 / scales[o.out] ** 2  # real part of the embedding
        total += gains.noise[i] * added * slot + gains.plain[i] * _encoding(o, parameters, scales)
    return total


def _added(o: Operation, p: Parameters, cache: dict[tuple[Action, int, int], float]) -> float:
    """Variance of a coefficient of the noise that the operation itself brings."""
    key = (o.action, o.level, len(o.internal))
    if key not in cache:
        cache[key] = _own(o, p) + sum(rounding(p) for a, _ in o.internal if a == "rescale")
    return cache[key]


def _own(o: Operation, p: Parameters) -> float:
    match o.action:
        case Action.ENCRYPT:
            return fresh(p) + UNIFORM
        case Action.RELINEARIZE | Action.ROTATE:
            return key_switch(p, o.level)
        case Action.RESCALE:
            return rounding(p)
        case _:
            return 0.0


def _encoding(o: Operation, p: Parameters, scales: dict[int, float]) -> float:
    """Variance of a slot of a plain operand, from rounding its coefficients to integers."""
    if o.action is Action.ADD_PLAIN:
        return UNIFORM * p.ring_dimension / 2 / scales[o.out] ** 2
    if o.action is Action.MUL_PLAIN:
        return UNIFORM * p.ring_dimension / 2 * (scales[o.args[0]] / scales[o.out]) ** 2
    return 0.0


def value_scales(program: Program, p: Parameters) -> dict[int, float]:
    """The scale of every value, by the rule of program/types.py."""
    ladder = p.scales
    scales: dict[int, float] = {}
    degree: dict[int, int] = {}
    for o in program.operations:
        s = ladder[min(o.level, len(ladder) - 1)]
        match o.action:
            case Action.ENCRYPT:
                degree[o.out] = 2 if o.level > program.levels else 1
                scales[o.out] = s ** degree[o.out]
            case Action.MUL | Action.SQUARE | Action.MUL_PLAIN | Action.MUL_SCALAR:
                degree[o.out], scales[o.out] = 2, s**2
            case Action.RESCALE:
                degree[o.out], scales[o.out] = 1, s
            case Action.ADD | Action.SUB:
                deepest = max(o.args, key=lambda a: (degree[a], -scales[a]))
                degree[o.out] = degree[deepest]
                scales[o.out] = s ** degree[o.out] if program.automatic else scales[deepest]
            case _:
                degree[o.out], scales[o.out] = degree[o.args[0]], scales[o.args[0]]
    return scales


def _scale_drift(program: Program, p: Parameters, gains: Gains) -> float:
    """Error of techniques that divide by a prime and call it the scale: coherent over operations."""
    if p.technique not in FIXED:
        return 0.0
    total = np.zeros(gains.relative.shape[1])
    for i, o in enumerate(program.operations):
        if o.action is Action.RESCALE:
            total += gains.relative[i] * (p.scales[0] / p.q[o.level + 1] - 1)
    return float(np.sqrt(np.mean(total**2)))


def expected_bits(exact: NDArray[np.float64], bias: NDArray[np.float64], sigma: float) -> float:
    """Average over elements and noise of -log2 of the relative error."""
    reference = np.where(exact == 0, 1.0, np.abs(exact))
    if sigma == 0 and not np.any(bias):
        return 53.0
    z = _normal_quantiles()
    chosen = np.linspace(0, len(exact) - 1, min(len(exact), 512)).astype(int)
    errors = np.abs(bias[chosen, None] + sigma * z[None, :]) / reference[chosen, None]
    return float(np.mean(-np.log2(np.maximum(errors, 2.0**-53))))


def _normal_quantiles() -> NDArray[np.float64]:
    """Equally likely values of a standard normal variable, none of them 0."""
    grid = np.linspace(-5, 5, 20001)
    cdf = np.array([0.5 * (1 + erf(x / 2**0.5)) for x in grid])
    return np.interp((np.arange(2 * _QUANTILES) + 0.5) / (2 * _QUANTILES), cdf, grid)


def bits_of(decrypted: NDArray[np.float64], exact: NDArray[np.float64]) -> float:
    """Measured precision: average of -log2 of the relative error [GKS25, Sec. 3.1]; the absolute error
    where the true value is 0. An error below a double's resolution counts as that resolution."""
    reference = np.where(exact == 0, 1.0, np.abs(exact))
    errors = np.maximum(np.abs(decrypted - exact) / reference, 2.0**-53)
    return float(np.mean(-np.log2(errors)))
