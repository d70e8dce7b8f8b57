"""Precision of a CKKS program: what each primitive adds, times how far it reaches the outputs."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fheasible.libraries.parameters import Parameters
from fheasible.noise.gains import Gains
from fheasible.noise.primitive import UNIFORM, fresh, key_switch, rounding
from fheasible.noise.scales import Scale, in_numbers, scales_of
from fheasible.program.types import Action, Operation, Program

FIXED = ("fixedmanual", "fixedauto")  # every level keeps the nominal scale, whatever its prime is
_QUANTILES = 258
_SAMPLED_ELEMENTS = 512  # of a long output, for the average over elements
_TAIL = 3.29  # standard deviations that one normal variable in a thousand exceeds
_FARTHEST = 7.2  # standard deviations that are exceeded once in 2^40
_MODEL_BITS = 0.5  # what the model itself may be optimistic by
_FINEST = 2.0**-53  # an error below a double's resolution counts as that resolution

Source = tuple[str, int, Scale, Scale]  # what adds noise, level, scale of the result and of the operand


@dataclass(frozen=True, slots=True)
class Precision:
    """Of the decrypted result against the cleartext one.

    `bits`: average of -log2 of the relative error (of the absolute error where the true value is 0).
    `assured_bits`: what all but one in a thousand encryptions reach. `worst_error`: what no element's
    absolute error exceeds but once in 2^40, were all of the noise in it.
    `noise`: standard deviation of the error that encryption adds anew each time; `approximation`: root
    mean square of what every encryption has alike, from approximated functions and rounded factors.
    """

    bits: float
    assured_bits: float
    noise: float
    approximation: float
    worst_error: float


def precision(
    program: Program, parameters: Parameters, gains: Gains, truth: dict[str, NDArray[np.float64]]
) -> Precision:
    """The expected precision; `truth` holds the cleartext results for the data of `gains`."""
    sigma = (variance(program, parameters, gains) * _decryption(program, parameters)) ** 0.5
    exact = np.concatenate([truth[k] for k in gains.outputs])
    bias = np.concatenate([gains.outputs[k] for k in gains.outputs]) - exact
    always = drift(program, parameters, gains)
    bias = bias + always if len(exact) == 1 else np.hypot(bias, always)
    bits = expected_bits(exact, bias, sigma)
    assured = _mean_bits(np.abs(bias) + _TAIL * sigma, exact)  # as if all elements had one and the same error
    concentrated = len(exact) ** 0.5  # all of the noise in one element, all of the drift too
    worst = float(np.abs(bias).max()) + concentrated * (_FARTHEST * sigma + abs(always))
    return Precision(bits, assured - _MODEL_BITS, sigma, float(np.sqrt(np.mean(bias**2))), worst)


def _decryption(program: Program, p: Parameters) -> float:
    """How much decryption adds: OpenFHE adds Gaussian noise of twice the variance that it sees in the
    imaginary parts (ckkspackedencoding.cpp), which a mean over slots averages away."""
    single = all(packed.length == 1 for packed in program.outputs)
    return 3.0 if p.library == "openfhe" and not single else 1.0


def variance(program: Program, p: Parameters, gains: Gains) -> float:
    """Mean variance of the output elements."""
    return sum(gain * _added(source, p) for source, gain in _sources(program, gains).items())


@lru_cache(maxsize=256)
def _sources(program: Program, gains: Gains) -> dict[Source, float]:
    """Gains of equal sources added up: a few dozen, whatever the program's length."""
    scales = scales_of(program)
    total: dict[Source, float] = defaultdict(float)
    for i, o in enumerate(program.operations):
        own = scales[o.out]
        total[o.action.value, o.level, own, own] += gains.noise[i]
        for action, _ in o.internal:
            total[action, o.level, own, own] += gains.noise[i]
        if o.action in (Action.MUL_PLAIN, Action.ADD_PLAIN):
            total["encoding", o.level, own, _encoded_against(o, scales)] += gains.plain[i]
    return {source: gain for source, gain in total.items() if gain > 0 and source[0] in _NOISY}


_NOISY = ("encrypt", "relinearize", "rotate", "rescale", "encoding")


def _encoded_against(o: Operation, scales: dict[int, Scale]) -> Scale:
    """The plain operand's scale is the result's over this one; a summand's is the result's itself."""
    return scales[o.args[0]] if o.action is Action.MUL_PLAIN else (0, 0)


def _added(source: Source, p: Parameters) -> float:
    """Variance of a slot's real part of the noise that the source brings."""
    action, level, own, other = source
    scale = in_numbers(own, p)
    if action == "encoding":
        return UNIFORM * p.ring_dimension / 2 * (in_numbers(other, p) / scale) ** 2
    coefficient = _coefficient(action, level, p)
    return coefficient * p.ring_dimension / 2 / scale**2


def _coefficient(action: str, level: int, p: Parameters) -> float:
    """Variance of a coefficient."""
    if action == "encrypt":
        return fresh(p) + UNIFORM
    if action == "rescale":
        return rounding(p)
    return key_switch(p, level)


def drift(program: Program, p: Parameters, gains: Gains) -> float:
    """The error that every encryption has alike, with its sign where there is a single output element (else
    its root mean square): of factors rounded to integers, and of techniques that divide by a prime and call
    it the scale."""
    total = _rounded_factors(program, p, gains)
    if p.technique in FIXED:
        for level, gain in _relative(program, gains).items():
            total = total + gain * (p.scales[0] / p.q[level + 1] - 1)
    return float(total[0]) if len(total) == 1 else float(np.sqrt(np.mean(np.square(total))))


def _rounded_factors(program: Program, p: Parameters, gains: Gains) -> NDArray[np.float64]:
    """A number c is multiplied in as round(c S) for the scale S that it is encoded at."""
    total = np.zeros(gains.relative.shape[1])
    for (plain, own, other), gain in _factors(program, gains).items():
        scale = in_numbers(own, p) / in_numbers(other, p)
        exact = float(program.plains[plain][0]) * scale
        total += gain * (round(exact) / exact - 1)
    return total


@lru_cache(maxsize=256)
def _factors(program: Program, gains: Gains) -> dict[tuple[int, Scale, Scale], NDArray[np.float64]]:
    """The gain of a relative error of each plain number, by the scales of its product and operand."""
    scales = scales_of(program)
    total: dict[tuple[int, Scale, Scale], NDArray[np.float64]] = {}
    for i, o in enumerate(program.operations):
        if o.action is Action.MUL_SCALAR and o.plain is not None and program.plains[o.plain][0] != 0:
            key = (o.plain, scales[o.out], scales[o.args[0]])
            total[key] = total.get(key, 0.0) + gains.relative[i]
    return total


_UNASKED = {"rescale": 1.0, "mul_scalar": -1.0}  # dividing by a prime, multiplying by it


@lru_cache(maxsize=256)
def _relative(program: Program, gains: Gains) -> dict[int, NDArray[np.float64]]:
    """The gain of a relative error, by the level that rescalings lead to.

    FIXEDAUTO itself rescales an operand of degree 2, and multiplies one of degree 1 by the prime that will
    divide the sum: seen in its results.
    """
    total: dict[int, NDArray[np.float64]] = {}
    for i, o in enumerate(program.operations):
        own = [(o.level, gains.relative[i])] if o.action is Action.RESCALE else []
        unasked = [(at - 1, _UNASKED.get(action, 0.0) * gains.adjusted[i]) for action, at in o.internal]
        for level, gain in own + unasked:
            total[level] = total.get(level, 0.0) + gain
    return total


def expected_bits(exact: NDArray[np.float64], bias: NDArray[np.float64], sigma: float) -> float:
    """Average over elements and noise of -log2 of the relative error."""
    chosen = np.linspace(0, len(exact) - 1, min(len(exact), _SAMPLED_ELEMENTS)).astype(int)
    errors = np.abs(bias[chosen, None] + sigma * _normal_quantiles()[None, :])
    return _mean_bits(errors, exact[chosen, None])


@cache
def _normal_quantiles() -> NDArray[np.float64]:
    """Equally likely values of a standard normal variable, none of them 0."""
    found: NDArray[np.float64] = ndtri((np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    return found


def bits_of(decrypted: NDArray[np.float64], exact: NDArray[np.float64]) -> float:
    """Measured precision: average of -log2 of the relative error [GKS25, Sec. 3.1]; of the absolute error
    where the true value is 0."""
    return _mean_bits(np.abs(decrypted - exact), exact)


def _mean_bits(errors: NDArray[np.float64], exact: NDArray[np.float64]) -> float:
    reference = np.where(exact == 0, 1.0, np.abs(exact))
    return float(np.mean(-np.log2(np.maximum(errors / reference, _FINEST))))
