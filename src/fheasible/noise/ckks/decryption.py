"""What a library that floods (OpenFHE) does to a CKKS result when it decrypts: it adds noise, or it refuses.

The source is `pke/lib/encoding/ckkspackedencoding.cpp` [OpenFHE]. The input is real, so that the imaginary
parts are noise alone. Their standard deviation is estimated from the coefficients of (m(X) - m(1/X)) / 2,
which have half of the ciphertext's variance. Gaussian noise of sqrt(2) times that deviation is then added to
every coefficient, against [LM21]. This is the ciphertext's own variance once more, except for an offset: the
mean of the coefficients is subtracted before.

The doubles in which OpenFHE encodes also turn some of the data into imaginary parts (`doubles.imaginary`):
results of 2^45 are refused for that alone.
"""

from math import inf

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.libraries.block import CkksSets
from fheasible.libraries.catalogue import library
from fheasible.noise.ckks import flooding, mixture
from fheasible.noise.sets import Figure, column, figure
from fheasible.program.types import Program

LEAST_BITS = 5.0  # OpenFHE says "the approximation error is too high" where it sees fewer
REFUSED_BITS = 0.5  # bits that must be left before it refuses: the accuracy of the figure
REFUSED_LOG2_CHANCE = -20.0  # chance of a refusal that is accepted
_LEAST_DEVIATION = 0.125  # times sqrt(N): the least deviation of the imaginary parts that OpenFHE assumes
FEWEST, FAR = 8, 16.0  # as in the worker's `copies.py`
_MIDDLE = 0.6745  # half of all normal noise is nearer to its mean than so many deviations
_TINY = 2.0**-1000


def read_coefficients(program: Program) -> int:
    """The number of coefficients that a slot is made of. A vector with fewer slots than the ring is read from
    the subring in which it lies, without the noise of all other coefficients. OpenFHE does this itself. Our
    workers of the other libraries take the mean of the vector's copies, and SEAL's leaves out copies that are
    far off."""
    return 2 * program.slots


def copies(program: Program, p: CkksSets) -> Figure:
    """The number of times that the ring repeats what is read."""
    return p.ring_dimension / read_coefficients(program)


def read_of_one_copy(program: Program, p: CkksSets, alone: Floats, others: Floats) -> Floats:
    """The part that is read of the variance `alone`, which lies in a single copy. `others`: the variance,
    without it, of the mean of all copies. SEAL's worker leaves out a copy that is far off, where it can tell
    (`copies.py`)."""
    count = float(copies(program, p))
    if not library(p.library).ignores_far_copies or count < FEWEST:
        return alone
    return np.asarray(np.minimum(alone, (FAR * _MIDDLE) ** 2 / count * others))


def added_variance(program: Program, p: CkksSets, seen: Floats) -> Floats:
    """The variance that decryption adds in every slot, on average, to values whose imaginary parts show the
    variances `seen`."""
    if not library(p.library).floods:
        return np.zeros_like(seen)
    least = 2 * _LEAST_DEVIATION**2 * p.ring_dimension * program.slots / column(p.nominal) ** 2
    flood = column(flooding.variance(program, p))
    return flood + np.maximum(seen + flood, least)  # the decoder sees the flooding, too


def refusal_bits(
    program: Program,
    p: CkksSets,
    seen: Floats,
    log2_chance: float = REFUSED_LOG2_CHANCE,
    single: NDArray[np.bool_] | bool = False,
    encoded: float = 0.0,
) -> Figure:
    """Bits left until OpenFHE refuses to decrypt one of the values with a chance above 2^log2_chance;
    infinite for other libraries. `seen`: the variance that the imaginary parts of each value show. `single`:
    values that are one number in all slots, such as a sum of all. `encoded`: the variance that encoding has
    left as well, alike in all slots."""
    if not library(p.library).floods:
        return figure(p, inf)
    most = _most_seen(program, p, log2_chance, single)
    alike = flooding.variance(program, p) + encoded  # alike in every slot, and not a matter of chance
    largest = (seen * most).max(axis=-1) + alike
    deviation = np.sqrt(largest / (2 * program.slots))  # a coefficient's, of half the noise, over the scale
    return figure(p, -LEAST_BITS - np.log2(np.maximum(deviation, _TINY)))


def _most_seen(program: Program, p: CkksSets, log2_chance: float, single: NDArray[np.bool_] | bool) -> Floats:
    """The variance that OpenFHE sees in each value with that chance, over its average variance. OpenFHE sees
    an imaginary part of each slot, distributed as in `mixture`. Where the variance is that large, a single
    one of them is far out. Most noise of a value that is one number in all slots was summed with it, and has
    one imaginary part."""
    row = mixture.nearest(np.array([copies(program, p)]))

    def most(parts: int) -> float:
        return 1 + float(mixture.tail(log2_chance - np.log2(parts), row)[0]) ** 2 / parts

    return np.where(single, most(1), most(program.slots))
