"""The precision of a CKKS program: each primitive's noise, times how far it reaches the outputs."""

from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats, Ints
from fheasible.libraries.block import CkksSets
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import CkksParameters
from fheasible.noise.achieved import FINEST, Achieved
from fheasible.noise.ckks import mixture
from fheasible.noise.ckks.elements import ElementErrors, errors, refusal_of
from fheasible.noise.ckks.noiseless import with_reductions
from fheasible.noise.doubles import OF_DOUBLES
from fheasible.noise.integers.budget import FAILURE_BITS
from fheasible.noise.reach.gains import Compared, Gains
from fheasible.noise.reach.judged import JudgedElements
from fheasible.noise.sets import Figure, column, figure
from fheasible.noise.shape import RARE_OFFSETS
from fheasible.program.types import Program

ONCE_IN_A_THOUSAND = float(np.log2(0.001))
_MODEL_BITS = 0.5  # the model may be optimistic by so much, except for the errors of functions
_SPREAD_BITS = 1.85  # standard deviation of log2 of an error; a normal one has pi / (sqrt(8) ln 2) = 1.6
_STEPS = 20  # numbers of bits at which the chance is first computed
_PART_STEPS = 9  # fewer of them, where the result is known within three or four bits
# log2 of minus the log of the chance that no element falls short, where this chance is one half.
_HALF_FALLEN = float(np.log2(np.log(2)))
_WORST_BITS = -1000.0  # so few bits that doubles still hold the error
_TINIEST = 2.0**-300
_AT_ONCE = 1 << 15  # chances that are computed at once: few enough to stay in a core's cache
_DEVIATIONS = 3.1  # standard deviations that a normal variable exceeds, to one side, once in a thousand times


class Precision:
    """How far the decrypted result is from the cleartext one. Each figure is a number for one set, and an
    array with an entry for each set of a block; it is computed when it is first asked for.

    `bits`: -log2 of the largest error of any element, as a fraction of the largest value of its output; half
    of all encryptions have more. `mean_bits`: the expected average, over elements, of -log2 of the relative
    error (of the absolute error where the true value is 0). `worst_slot_bits`: the median, over encryptions,
    of the least -log2 of the relative error that any element has.

    `assured_bits`, `assured_mean`: the bits, and the mean bits, that all but one in a thousand encryptions
    reach. `assured_absolute`: what the error of no element exceeds in all but one in a thousand encryptions.
    `assured_relative`: what no error over its element's `reference` exceeds in all but one in a thousand
    encryptions.

    `absolute_error`: the expected mean, over the elements, of the absolute error. `worst_error`: what no
    element's error exceeds, except once in 2^failure_bits runs (2^40 unless told otherwise).

    `noise`: the standard deviation of the error that encryption adds anew each time. `approximation`: the
    root mean square of the error that every encryption has alike, from approximated functions, rounded
    factors, primes that are taken for the scale, and products of noise with noise.
    """

    def __init__(
        self, program: Program, p: CkksSets, gains: Gains, truth: dict[str, Floats], failure_bits: float
    ) -> None:
        self._program, self._p, self._gains, self._failure_bits = program, p, gains, failure_bits
        self._against = _compared(program, p, gains, truth)

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
        """The largest error of any judged element that every encryption has alike."""
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
        """The part of `assured_absolute` that does not depend on the parameters: the largest error of
        approximated functions, or that of doubles if it is larger."""
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
        """Noise that is as rare as a failure may be, over normal noise that is the largest of `executions`
        runs. For one set."""
        count = self._gains.judged.count
        rare = _rare(-self._failure_bits, count, self._found.rows).max()
        return float(rare / _rare(-np.log2(executions), count, mixture.NORMAL)[0])

    @property
    def assured(self) -> Achieved:
        """What all but one in a thousand encryptions reach, in every measure that a user may ask for."""
        return Achieved(self.assured_bits, self.assured_mean, self.assured_absolute, self.assured_relative)

    @property
    def relative_error(self) -> float:
        """The geometric mean of the relative error, over elements and encryptions."""
        return float(2.0**-self.mean_bits)

    def _figure(self, found: Any) -> Figure:
        return figure(self._p, found)

    @cached_property
    def _found(self) -> ElementErrors:
        return errors(self._program, self._p, self._gains, self._against.functions)

    @cached_property
    def _of_elements(self) -> Floats:
        """The expected bits of each judged element."""
        return expected_bits(self._against.exact, self._found)

    @cached_property
    def _rare(self) -> Floats:
        return _rare_noise(self._gains, self._found, ONCE_IN_A_THOUSAND)

    @property
    def _of_doubles(self) -> float:
        """The least error that is reported, which is that of doubles for the largest element."""
        return float(self._against.largest.max()) * OF_DOUBLES

    def _assured(self, sizes: Floats | float, farthest: float) -> Floats:
        """The largest error of any element over its size, in all but one in a thousand encryptions.
        `farthest` is the largest such ratio that approximated functions alone cause."""
        fixed = _fixed(self._gains, self._found, farthest * sizes)
        drifting = np.abs(self._found.bias - self._against.functions)
        largest = fixed + drifting * (2**_MODEL_BITS - 1) + self._rare * 2**_MODEL_BITS
        return np.asarray((largest / sizes).max(axis=-1))


def _compared(program: Program, p: CkksSets, gains: Gains, truth: dict[str, Floats]) -> Compared:
    """The results that are computed without noise, beside the true ones."""
    if not isinstance(p, CkksParameters) or not program.bootstraps:
        return gains.against(truth)
    return gains.compared(truth, with_reductions(program, p, gains))


def precision(
    program: Program,
    parameters: CkksSets,
    gains: Gains,
    truth: dict[str, Floats],
    failure_bits: float = FAILURE_BITS,
) -> Precision:
    """The expected precision; `truth` holds the cleartext results for the data of `gains`."""
    return Precision(program, parameters, gains, truth, failure_bits)


def expected_bits(exact: Floats, found: ElementErrors) -> Floats:
    """-log2 of each element's relative error, on average; of its absolute error where the true value is 0."""
    size = np.where(exact == 0, 1.0, np.abs(exact))
    return np.asarray(np.minimum(np.log2(size) - mixture.mean_log2(*found.spread), -np.log2(FINEST)))


def _bits_of_parts(parts: Figure) -> Figure:
    return -np.log2(np.maximum(parts, FINEST))


def _median_part(gains: Gains, against: Compared, found: ElementErrors) -> Figure:
    """The median, over encryptions, of the largest error of any element, as a fraction of the largest value
    of its output. Elements are taken as independent."""
    size, rows = against.largest, np.atleast_2d(found.rows)
    bias, sigma = (np.atleast_2d(x) / size for x in (np.abs(found.bias), found.sigma))
    alone = np.maximum(bias, mixture.tail(-1.0, rows) * sigma).max(axis=-1)
    each = float(np.log2(-np.expm1(-np.log(2) / gains.judged.count)))  # if all are equally likely to fall
    all_at_once = mixture.tail(each, rows) * sigma
    most = (bias + all_at_once).max(axis=-1)
    few, many = (-np.log2(np.maximum(x, _TINIEST)) for x in (most, alone))
    steps = column(few) + column(many - few) * np.linspace(0.0, 1.0, _PART_STEPS)
    least = _fallen(gains.judged, np.ones(len(size)), steps, bias, sigma, rows)
    return np.maximum(np.exp2(-least), against.farthest_part).reshape(found.bias.shape[:-1])


def _mean_size(gains: Gains, found: ElementErrors) -> Figure:
    """The mean size of the error over the judged elements, adjusted by the variance that is known for all
    elements."""
    weights = gains.judged.weights
    sample = np.sqrt(found.sigma**2 @ weights)
    known = sample > 0
    adjusted = found.sigma * column(np.where(known, found.deviation, 1.0) / np.where(known, sample, 1.0))
    return mixture.mean_size(found.bias, adjusted, found.rows) @ weights


def _assured_bits(gains: Gains, bits: Floats, exact: Floats, found: ElementErrors) -> Figure:
    """The mean bits that all but one in a thousand encryptions reach. It is the larger of two bounds: one for
    all elements being far off at once, and one for how far their average strays, which is little if they
    share little noise."""
    far = np.abs(found.bias) + mixture.tail(ONCE_IN_A_THOUSAND, found.rows) * found.sigma
    size = np.where(exact == 0, 1.0, np.abs(exact))
    least = np.maximum(FINEST * size, np.finfo(float).smallest_subnormal)  # for true values next to 0
    all_at_once = np.log2(size) - np.log2(np.maximum(far, least))
    by_chance = _DEVIATIONS * _SPREAD_BITS / np.sqrt(found.independent)
    by_key = 0.5 * np.log2(1 + found.alike * (RARE_OFFSETS - 1))
    together = bits - np.hypot(by_chance, by_key)
    return gains.judged.mean(np.maximum(all_at_once, together))


def _rare_noise(gains: Gains, found: ElementErrors, log2_chance: float) -> Floats:
    """The noise of each judged element that is exceeded with a chance that is small for all elements
    together."""
    return _rare(log2_chance, gains.judged.count, found.rows) * found.sigma


def _rare(log2_chance: float, count: int, rows: Ints) -> Floats:
    """The number of standard deviations that one of `count` elements exceeds with that chance."""
    return mixture.tail(log2_chance - float(np.log2(count)), rows)


def _fixed(gains: Gains, found: ElementErrors, farthest: Floats | float) -> Floats:
    """The error of each judged element that every encryption has alike; at least `farthest` where some
    elements are not judged."""
    fixed = np.abs(found.bias)
    return fixed if len(gains.judged.elements) == gains.judged.count else np.maximum(fixed, farthest)


def _worst_slot_bits(gains: Gains, bits: Floats, exact: Floats, found: ElementErrors) -> Floats:
    """The median, over encryptions, of the least bits that any element has. Elements are taken as
    independent."""
    bits, bias, sigma = (np.atleast_2d(x) for x in (bits, found.bias, found.sigma))
    rows, size = np.atleast_2d(found.rows), np.where(exact == 0, 1.0, np.abs(exact))
    at_once = max(_AT_ONCE // (_STEPS * len(size)), 1)
    parts = (slice(i, i + at_once) for i in range(0, len(bits), at_once))
    least = [_least_bits(gains.judged, size, bits[i], bias[i], sigma[i], rows[i]) for i in parts]
    return np.concatenate(least).reshape(found.bias.shape[:-1])


def _least_bits(
    of: JudgedElements, size: Floats, bits: Floats, bias: Floats, sigma: Floats, rows: NDArray[np.int64]
) -> Floats:
    """The median of the least bits that any element has: an array (set), from arrays (set, element)."""

    least, most = bits.min(axis=-1) - 20, bits @ of.weights + 8
    coarse = _fallen(of, size, np.linspace(least, most, _STEPS, axis=-1), bias, sigma, rows)
    return _fallen(of, size, column(coarse) + np.linspace(-4, 4, 17), bias, sigma, rows)


def _fallen(
    of: JudgedElements, size: Floats, steps: Floats, bias: Floats, sigma: Floats, rows: NDArray[np.int64]
) -> Floats:
    """For each set, the bits below which some element falls in half of all encryptions; an element's bits are
    -log2 of its error over its size. The result lies between two neighbouring `steps` (set, step), which are
    found by halving."""
    each, last, counts = np.arange(len(steps)), steps.shape[1] - 1, of.weights * of.count
    spread = mixture.Spread.of(bias, sigma, rows)

    def logs(at: NDArray[np.int64], sets: Ints = each, among: mixture.Spread = spread) -> Floats:
        """log2 of minus the log of the chance that no element has fallen, in each of the sets."""
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
    for end, at, log in ((0, low, fewer), (last, high, more)):  # only few of the sets come to an end
        there = np.flatnonzero(at == end)
        log[there] = logs(at[there], there, spread.take(there)) if len(there) else log[there]
    inside = np.clip((_HALF_FALLEN - fewer) / np.maximum(more - fewer, _TINIEST), 0.0, 1.0)
    start = steps[each, low]
    return np.asarray(start + inside * (steps[each, high] - start))
