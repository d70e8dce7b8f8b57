"""Precision of a CKKS program: what each primitive adds, times how far it reaches the outputs."""

from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.catalogue import library
from fheasible.noise import mixture
from fheasible.noise.achieved import FINEST, Achieved
from fheasible.noise.doubles import OF_DOUBLES
from fheasible.noise.elements import Errors, errors, refusal_of
from fheasible.noise.exact import FAILURE_BITS
from fheasible.noise.gains import Compared, Gains
from fheasible.noise.judged import Judged
from fheasible.noise.sets import Figure, Floats, Sets, column, figure
from fheasible.noise.shape import RARE_OFFSETS
from fheasible.program.types import Program

Ints = NDArray[np.int64]

ONCE_IN_A_THOUSAND = float(np.log2(0.001))
_MODEL_BITS = 0.5  # what the model itself may be optimistic by, of all but the errors of functions
_SPREAD_BITS = 1.85  # standard deviation of log2 of an error: 1.6 of a normal one, pi / (sqrt(8) ln 2)
_STEPS = 20  # at which the chance is first looked at
_PART_STEPS = 9  # the same, where it is known within three or four bits
_HALF_FALLEN = float(
    np.log2(np.log(2))
)  # log2 of the sum of chances at which some element falls half the time
_WORST_BITS = -1000.0  # of which doubles still hold the error
_TINIEST = 2.0**-300
_AT_ONCE = 1 << 15  # chances that are reckoned at once: few enough to stay in a core's cache
_DEVIATIONS = 3.1  # that a normal variable exceeds once in a thousand times, to one side


class Precision:
    """How far the decrypted result is from the cleartext one, for one set, or as arrays for each set of a
    block. Each figure is worked out when it is first asked for.

    `bits`: -log2 of the largest error of any element, as a part of the largest value of its output; half of
    all encryptions have more. `mean_bits`: average over elements of -log2 of the relative error (of the
    absolute error where the true value is 0), expected; `worst_slot_bits`: the same of the element that has
    the least, as often less as more.
    `assured_bits`, `assured_mean`: the bits, and the mean bits, that all but one in a thousand encryptions
    reach. `assured_absolute`, `assured_relative`: what the error of no element exceeds, and no error over
    its element's `reference`, in all but one in a thousand encryptions.
    `absolute_error`: expected, the mean over the elements. `worst_error`: what no element's error exceeds but
    once in 2^40 runs, or as told.
    `noise`: standard deviation of the error that encryption adds anew each time; `approximation`: root
    mean square of what every encryption has alike, from approximated functions and rounded factors.
    """

    def __init__(
        self, program: Program, p: Sets, gains: Gains, truth: dict[str, Floats], failure_bits: float
    ) -> None:
        self._program, self._p, self._gains, self._failure_bits = program, p, gains, failure_bits
        self._against = gains.against(truth)

    @cached_property
    def bits(self) -> Figure:
        median = _bits_of_parts(_median_part(self._gains, self._against, self._found))
        return self._figure(np.maximum(median, self.assured_bits))

    @cached_property
    def assured_bits(self) -> Figure:
        parts = self._assured(self._against.largest, self._against.farthest_part)
        return self._figure(_bits_of_parts(np.maximum(parts, OF_DOUBLES)))

    @cached_property
    def mean_bits(self) -> Figure:
        return self._figure(self._gains.judged.mean(self._of_elements))

    @cached_property
    def assured_mean(self) -> Figure:
        bits = _assured_bits(self._gains, self._of_elements, self._against.exact, self._found)
        return self._figure(bits - _MODEL_BITS)

    @cached_property
    def noise(self) -> Figure:
        return self._figure(self._found.deviation)

    @cached_property
    def approximation(self) -> Figure:
        return self._figure(np.sqrt(self._found.bias**2 @ self._gains.judged.weights))

    @cached_property
    def largest_alike(self) -> Figure:
        """Of any judged element, the error that every encryption has alike."""
        return self._figure(np.abs(self._found.bias).max(axis=-1))

    @cached_property
    def worst_error(self) -> Figure:
        rare = _rare_noise(self._gains, self._found, -self._failure_bits)
        largest = (_fixed(self._gains, self._found, self._against.farthest) + rare).max(axis=-1)
        return self._figure(np.maximum(largest, self._of_doubles))

    @cached_property
    def assured_absolute(self) -> Figure:
        return self._figure(np.maximum(self._assured(1.0, self._against.farthest), self._of_doubles))

    @property
    def assured_without_noise(self) -> float:
        """Of `assured_absolute` what approximated functions leave alone, whatever the parameters."""
        return max(self._against.farthest, self._of_doubles)

    @cached_property
    def assured_relative(self) -> Figure:
        parts = self._assured(self._against.references, self._against.farthest_relative)
        return self._figure(np.maximum(parts, OF_DOUBLES))

    @cached_property
    def worst_slot_bits(self) -> Figure:
        bits = self._of_elements
        return self._figure(_worst_slot_bits(self._gains, bits, self._against.exact, self._found))

    @cached_property
    def absolute_error(self) -> Figure:
        return self._figure(_mean_size(self._gains, self._found))

    @cached_property
    def refusal_bits(self) -> Figure:
        """Bits left until the library refuses to decrypt: see `elements.refusal_bits`."""
        if not library(self._p.library).floods:
            return self._figure(inf)
        return refusal_of(self._program, self._p, self._gains, self._found.seen)

    def rarer(self, executions: int) -> float:
        """How far noise is out where it is as rare as a failure may be, over normal noise where it is the
        largest of so many executions. Of one set."""
        count = self._gains.judged.count
        rare = _rare(-self._failure_bits, count, self._found.rows).max()
        return float(rare / _rare(-np.log2(executions), count, mixture.NORMAL)[0])

    @property
    def assured(self) -> Achieved:
        """What all but one in a thousand encryptions reach, in every way that it may be asked for."""
        return Achieved(self.assured_bits, self.assured_mean, self.assured_absolute, self.assured_relative)

    @property
    def relative_error(self) -> float:
        """The geometric mean over elements and encryptions."""
        return float(2.0**-self.mean_bits)

    def _figure(self, found: Any) -> Figure:
        return figure(self._p, found)

    @cached_property
    def _found(self) -> Errors:
        return errors(self._program, self._p, self._gains, self._against.functions)

    @cached_property
    def _of_elements(self) -> Floats:
        """The expected bits of each."""
        return expected_bits(self._against.exact, self._found)

    @cached_property
    def _rare(self) -> Floats:
        return _rare_noise(self._gains, self._found, ONCE_IN_A_THOUSAND)

    @property
    def _of_doubles(self) -> float:
        """The least error that is told of the largest element."""
        return float(self._against.largest.max()) * OF_DOUBLES

    def _assured(self, sizes: Floats | float, farthest: float) -> Floats:
        """The largest error over its element's size, of which approximations alone make `farthest`."""
        fixed = _fixed(self._gains, self._found, farthest * sizes)
        drifting = np.abs(self._found.bias - self._against.functions)
        largest = fixed + drifting * (2**_MODEL_BITS - 1) + self._rare * 2**_MODEL_BITS
        return np.asarray((largest / sizes).max(axis=-1))


def precision(
    program: Program,
    parameters: Sets,
    gains: Gains,
    truth: dict[str, Floats],
    failure_bits: float = FAILURE_BITS,
) -> Precision:
    """The expected precision; `truth` holds the cleartext results for the data of `gains`."""
    return Precision(program, parameters, gains, truth, failure_bits)


def expected_bits(exact: Floats, found: Errors) -> Floats:
    """Of each element, -log2 of the relative error on average; of the absolute one where the true value is
    0."""
    size = np.where(exact == 0, 1.0, np.abs(exact))
    return np.asarray(np.minimum(np.log2(size) - mixture.mean_log2(*found.spread), -np.log2(FINEST)))


def _bits_of_parts(parts: Figure) -> Figure:
    return -np.log2(np.maximum(parts, FINEST))


def _median_part(gains: Gains, against: Compared, found: Errors) -> Figure:
    """The median, over encryptions, of the largest error of any element, as a part of the largest value of
    its output: elements are taken as independent."""
    size, rows = against.largest, np.atleast_2d(found.rows)
    bias, sigma = (np.atleast_2d(x) / size for x in (np.abs(found.bias), found.sigma))
    alone = np.maximum(bias, mixture.tail(-1.0, rows) * sigma).max(axis=-1)
    each = float(np.log2(-np.expm1(-np.log(2) / gains.judged.count)))  # if all fall alike
    all_at_once = mixture.tail(each, rows) * sigma
    most = (bias + all_at_once).max(axis=-1)
    few, many = (-np.log2(np.maximum(x, _TINIEST)) for x in (most, alone))
    steps = column(few) + column(many - few) * np.linspace(0.0, 1.0, _PART_STEPS)
    least = _fallen(gains.judged, np.ones(len(size)), steps, bias, sigma, rows)
    return np.maximum(np.exp2(-least), against.farthest_part).reshape(found.bias.shape[:-1])


def _mean_size(gains: Gains, found: Errors) -> Figure:
    """Of the error: the judged elements' mean, adjusted by the variance that is known of all."""
    weights = gains.judged.weights
    sample = np.sqrt(found.sigma**2 @ weights)
    known = sample > 0
    adjusted = found.sigma * column(np.where(known, found.deviation, 1.0) / np.where(known, sample, 1.0))
    return mixture.mean_size(found.bias, adjusted, found.rows) @ weights


def _assured_bits(gains: Gains, bits: Floats, exact: Floats, found: Errors) -> Figure:
    """All elements off at once; but those that share little noise keep close to their average together."""
    far = np.abs(found.bias) + mixture.tail(ONCE_IN_A_THOUSAND, found.rows) * found.sigma
    size = np.where(exact == 0, 1.0, np.abs(exact))
    least = np.maximum(FINEST * size, np.finfo(float).smallest_subnormal)  # of what is next to nothing
    all_at_once = np.log2(size) - np.log2(np.maximum(far, least))
    by_chance = _DEVIATIONS * _SPREAD_BITS / np.sqrt(found.independent)
    by_key = 0.5 * np.log2(1 + found.alike * (RARE_OFFSETS - 1))
    together = bits - np.hypot(by_chance, by_key)
    return gains.judged.mean(np.maximum(all_at_once, together))


def _rare_noise(gains: Gains, found: Errors, log2_chance: float) -> Floats:
    """Of each judged element, what noise exceeds with a chance that is small for all elements together."""
    return _rare(log2_chance, gains.judged.count, found.rows) * found.sigma


def _rare(log2_chance: float, count: int, rows: Ints) -> Floats:
    """The deviations that one of so many elements exceeds with that chance."""
    return mixture.tail(log2_chance - float(np.log2(count)), rows)


def _fixed(gains: Gains, found: Errors, farthest: Floats | float) -> Floats:
    """Of each judged element, what every encryption has alike: at least `farthest`, where others are not
    judged."""
    fixed = np.abs(found.bias)
    return fixed if len(gains.judged.elements) == gains.judged.count else np.maximum(fixed, farthest)


def _worst_slot_bits(gains: Gains, bits: Floats, exact: Floats, found: Errors) -> Floats:
    """The median, over encryptions, of the least bits that any element has: elements are taken as
    independent."""
    bits, bias, sigma = (np.atleast_2d(x) for x in (bits, found.bias, found.sigma))
    rows, size = np.atleast_2d(found.rows), np.where(exact == 0, 1.0, np.abs(exact))
    at_once = max(_AT_ONCE // (_STEPS * len(size)), 1)
    parts = (slice(i, i + at_once) for i in range(0, len(bits), at_once))
    least = [_least_bits(gains.judged, size, bits[i], bias[i], sigma[i], rows[i]) for i in parts]
    return np.concatenate(least).reshape(found.bias.shape[:-1])


def _least_bits(
    of: Judged, size: Floats, bits: Floats, bias: Floats, sigma: Floats, rows: NDArray[np.int64]
) -> Floats:
    """(set), of (set, element)."""

    least, most = bits.min(axis=-1) - 20, bits @ of.weights + 8
    coarse = _fallen(of, size, np.linspace(least, most, _STEPS, axis=-1), bias, sigma, rows)
    return _fallen(of, size, column(coarse) + np.linspace(-4, 4, 17), bias, sigma, rows)


def _fallen(
    of: Judged, size: Floats, steps: Floats, bias: Floats, sigma: Floats, rows: NDArray[np.int64]
) -> Floats:
    """Of each set, the bits (set, step) below which the error of some element, over its size, falls as often
    as not: between the two steps next to them, which are found by halving."""
    each, last, counts = np.arange(len(steps)), steps.shape[1] - 1, of.weights * of.count
    spread = mixture.Spread.of(bias, sigma, rows)

    def logs(at: NDArray[np.int64], sets: Ints = each, among: mixture.Spread = spread) -> Floats:
        """Of minus the log of the chance that none has fallen, in each of the sets."""
        above = size * column(np.exp2(-np.maximum(steps[sets, at], _WORST_BITS)))
        return np.asarray(np.log2(np.maximum(among.none_beyond(above) @ counts, 1e-300)))

    low, high = np.zeros_like(each), np.full_like(each, last)
    fewer, more = np.empty(len(each)), np.empty(len(each))
    while (high - low > 1).any():
        middle = (low + high) // 2
        found = logs(middle)
        below = found <= _HALF_FALLEN
        low, fewer = np.where(below, middle, low), np.where(below, found, fewer)
        high, more = np.where(below, high, middle), np.where(below, more, found)
    for end, at, log in ((0, low, fewer), (last, high, more)):  # which few of the sets come to
        there = np.flatnonzero(at == end)
        log[there] = logs(at[there], there, spread.take(there)) if len(there) else log[there]
    inside = np.clip((_HALF_FALLEN - fewer) / np.maximum(more - fewer, _TINIEST), 0.0, 1.0)
    start = steps[each, low]
    return np.asarray(start + inside * (steps[each, high] - start))
