"""Precision of a CKKS program: what each primitive adds, times how far it reaches the outputs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.parameters import Parameters
from fheasible.noise import mixture
from fheasible.noise.achieved import FINEST, Achieved, reference
from fheasible.noise.elements import Errors, errors
from fheasible.noise.exact import FAILURE_BITS
from fheasible.noise.gains import Gains
from fheasible.program.types import Program

Floats = NDArray[np.float64]

ONCE_IN_A_THOUSAND = float(np.log2(0.001))
_MODEL_BITS = 0.5  # what the model itself may be optimistic by
_SPREAD_BITS = 1.85  # standard deviation of log2 of an error: 1.6 of a normal one, pi / (sqrt(8) ln 2)
_DEVIATIONS = 3.1  # that a normal variable exceeds once in a thousand times, to one side


@dataclass(frozen=True, slots=True)
class Precision:
    """Of the decrypted result against the cleartext one.

    `bits`: average of -log2 of the relative error (of the absolute error where the true value is 0),
    expected; `worst_slot_bits`: of the element that has the least, as often less as more.
    `assured_bits`: what all but one in a thousand encryptions reach on average over the elements.
    `assured_absolute`, `assured_relative`: what the error of no element exceeds, and no error over its
    element's `reference`, in all but one in a thousand encryptions.
    `absolute_error`: expected, the mean over the elements. `worst_error`: what no element's error exceeds but
    once in 2^40 runs, or as told.
    `noise`: standard deviation of the error that encryption adds anew each time; `approximation`: root
    mean square of what every encryption has alike, from approximated functions and rounded factors.
    """

    bits: float
    assured_bits: float
    noise: float
    approximation: float
    worst_error: float
    assured_absolute: float
    assured_relative: float
    worst_slot_bits: float
    absolute_error: float

    @property
    def assured(self) -> Achieved:
        """What all but one in a thousand encryptions reach, in every way that it may be asked for."""
        return Achieved(self.assured_bits, self.assured_absolute, self.assured_relative)

    @property
    def relative_error(self) -> float:
        """The geometric mean over elements and encryptions."""
        return float(2.0**-self.bits)


def precision(
    program: Program,
    parameters: Parameters,
    gains: Gains,
    truth: dict[str, Floats],
    failure_bits: float = FAILURE_BITS,
) -> Precision:
    """The expected precision; `truth` holds the cleartext results for the data of `gains`."""
    of, weights = gains.judged, gains.judged.weights
    exact = np.concatenate([truth[k] for k in gains.outputs])
    functions = np.concatenate([gains.outputs[k] for k in gains.outputs]) - exact
    found = errors(program, parameters, gains, functions)
    bits = expected_bits(exact[of.elements], found)
    largest = _largest(gains, functions, found, ONCE_IN_A_THOUSAND) * 2**_MODEL_BITS
    sizes = np.concatenate([reference(truth[k]) for k in gains.outputs])[of.elements]
    return Precision(
        of.mean(bits),
        _assured_bits(gains, bits, exact[of.elements], found) - _MODEL_BITS,
        found.deviation,
        float(np.sqrt(weights @ found.bias**2)),
        float(_largest(gains, functions, found, -failure_bits).max()),
        float(largest.max()),
        float((largest / sizes).max()),
        _worst_slot_bits(gains, bits, exact, found),
        _mean_size(gains, found),
    )


def expected_bits(exact: Floats, found: Errors) -> Floats:
    """Of each element, -log2 of the relative error on average; of the absolute one where the true value is
    0."""
    size = np.where(exact == 0, 1.0, np.abs(exact))
    return np.asarray(np.minimum(np.log2(size) - mixture.mean_log2(*found.spread), -np.log2(FINEST)))


def _mean_size(gains: Gains, found: Errors) -> float:
    """Of the error: the judged elements' mean, adjusted by the variance that is known of all."""
    weights = gains.judged.weights
    sample = float(np.sqrt(weights @ found.sigma**2))
    adjusted = found.sigma * (found.deviation / sample if sample else 1.0)
    return float(weights @ mixture.mean_size(found.bias, adjusted, found.rows))


def _assured_bits(gains: Gains, bits: Floats, exact: Floats, found: Errors) -> float:
    """All elements off at once; but those that share little noise keep close to their average together."""
    far = np.abs(found.bias) + mixture.tail(ONCE_IN_A_THOUSAND, found.rows) * found.sigma
    size = np.where(exact == 0, 1.0, np.abs(exact))
    all_at_once = np.log2(size / np.maximum(far, FINEST * size))
    together = bits - _DEVIATIONS * _SPREAD_BITS / np.sqrt(found.independent)
    return gains.judged.mean(np.maximum(all_at_once, together))


def _largest(gains: Gains, functions: Floats, found: Errors, log2_chance: float) -> Floats:
    """Of each judged element, what it exceeds with a chance that is small for all elements together."""
    deviations = mixture.tail(log2_chance - np.log2(gains.judged.count), found.rows) * found.sigma
    if len(gains.judged.elements) == gains.judged.count:
        return np.abs(found.bias) + deviations
    return np.asarray(np.maximum(np.abs(found.bias), np.abs(functions).max()) + deviations)


def _worst_slot_bits(gains: Gains, bits: Floats, exact: Floats, found: Errors) -> float:
    """The median, over encryptions, of the least bits that any element has: elements are taken as
    independent."""
    of = gains.judged
    size = np.abs(exact[of.elements])
    size = np.where(size == 0, 1.0, size)

    def where(steps: Floats) -> float:
        """The step below which some element falls as often as not."""
        beyond = mixture.chance(size * np.exp2(-steps)[:, None], *found.spread)
        fallen = -np.log1p(-np.minimum(beyond, 1 - 1e-12)) @ (of.weights * of.count)
        logs = np.log2(np.maximum(fallen, 1e-300))  # of minus the log of the chance that none has fallen
        return float(np.interp(np.log2(np.log(2)), logs, steps))

    coarse = where(np.linspace(float(bits.min()) - 20, float(of.weights @ bits) + 8, 20))
    return where(coarse + np.linspace(-4, 4, 17))
