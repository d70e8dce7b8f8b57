"""What a library that floods (OpenFHE) does to a CKKS result when it decrypts: noise of its own, a refusal.

From `pke/lib/encoding/ckkspackedencoding.cpp` [OpenFHE]. The input is real, so that the imaginary parts are
noise alone: their standard deviation is estimated from the coefficients of (m(X) - m(1/X)) / 2, which have
half of the ciphertext's variance, and Gaussian noise of sqrt(2) times that is added to every coefficient,
against [LM21]. That is the ciphertext's own variance once more, but for an offset: the coefficients' mean is
taken off before.

The doubles in which OpenFHE encodes turn some of the data into the imaginary parts too
(`doubles.imaginary`): results of 2^45 are refused for that alone.
"""

from math import inf

import numpy as np
from numpy.typing import NDArray

from fheasible.libraries.catalogue import library
from fheasible.noise import flooding, mixture
from fheasible.noise.sets import Figure, Floats, Sets, column, figure
from fheasible.program.types import Program

LEAST_BITS = 5.0  # "the approximation error is too high" where it sees fewer
REFUSED_BITS = 0.5  # that must be left before it refuses: what the figure is good to
REFUSED_LOG2_CHANCE = -20.0  # of a refusal, that is put up with
_LEAST_DEVIATION = 0.125  # times sqrt(N): the least that it takes the deviation of the imaginary parts for
FEWEST, FAR = 8, 16.0  # as in the worker's `copies.py`
_MIDDLE = 0.6745  # of normal noise: half of it is nearer to its mean, in deviations
_TINY = 2.0**-1000


def read_coefficients(program: Program) -> int:
    """Of how many coefficients a slot is made. A vector of fewer slots than the ring has is read from the
    subring in which it lies, without the noise of all other coefficients: by OpenFHE itself, and by our
    workers of the other libraries, which take the mean of its copies; SEAL's leaves out what is far off."""
    return 2 * program.slots


def copies(program: Program, p: Sets) -> Figure:
    """How often the ring repeats what is read."""
    return p.ring_dimension / read_coefficients(program)


def read_of_one_copy(program: Program, p: Sets, alone: Floats, others: Floats) -> Floats:
    """What is read of the variance `alone`, which lies in a single copy, where the mean of all copies has the
    variance `others` without it: SEAL's worker leaves out a copy that is far off, where it can tell
    (`copies.py`)."""
    count = float(copies(program, p))
    if not library(p.library).ignores_far_copies or count < FEWEST:
        return alone
    return np.asarray(np.minimum(alone, (FAR * _MIDDLE) ** 2 / count * others))


def added_variance(program: Program, p: Sets, seen: Floats) -> Floats:
    """What decryption adds in every slot of values whose slots' imaginary parts show the variances `seen`, on
    average."""
    if not library(p.library).floods:
        return np.zeros_like(seen)
    least = 2 * _LEAST_DEVIATION**2 * p.ring_dimension * program.slots / column(p.nominal) ** 2
    flood = column(flooding.variance(program, p))
    return flood + np.maximum(seen + flood, least)  # the decoder sees the flooding, too


def refusal_bits(
    program: Program,
    p: Sets,
    seen: Floats,
    log2_chance: float = REFUSED_LOG2_CHANCE,
    single: NDArray[np.bool_] | bool = False,
    encoded: float = 0.0,
) -> Figure:
    """Bits left until OpenFHE refuses to decrypt one of them, more often than with the chance
    2^log2_chance; infinite elsewhere. `single`: values that are one number in all slots, as a sum of all;
    `encoded`: the variance that encoding has left besides, alike in all slots."""
    if not library(p.library).floods:
        return figure(p, inf)
    most = _most_seen(program, p, log2_chance, single)
    alike = flooding.variance(program, p) + encoded  # in every slot, and no matter of chance
    largest = (seen * most).max(axis=-1) + alike
    deviation = np.sqrt(largest / (2 * program.slots))  # of a coefficient's half, over the scale
    return figure(p, -LEAST_BITS - np.log2(np.maximum(deviation, _TINY)))


def _most_seen(program: Program, p: Sets, log2_chance: float, single: NDArray[np.bool_] | bool) -> Floats:
    """What OpenFHE sees with that chance, of each value, over its average variance. It sees an imaginary part
    of each slot, distributed as `mixture` says; where few of them are far out together, one is. Most noise of
    one number in all slots was summed with it: one imaginary part."""
    row = mixture.nearest(np.array([copies(program, p)]))

    def most(parts: int) -> float:
        return 1 + float(mixture.tail(log2_chance - np.log2(parts), row)[0]) ** 2 / parts

    return np.where(single, most(1), most(program.slots))
