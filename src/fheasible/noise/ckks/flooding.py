"""Noise flooding: what decryption adds to CKKS results that others may see.

Decryption gives m + e, and the secret key follows from e and the public ciphertext [LM21]. Gaussian noise of
standard deviation sqrt(12 tau) 2^(s/2) t on every coefficient leaves whoever sees tau results an advantage of
at most 2^-s [LMSS22]. Here t is the Euclidean norm of e over everything that is shown at once, because what
counts is the divergence of two Gaussians, |e|^2 / (2 sigma^2). OpenFHE's own estimate is the deviation of a
single coefficient. That is smaller by the root of the number of coefficients, and it leaves out most of the
amount by which divisions in rotations shift all coefficients. All of this holds for noise as it is on
average, over keys too: whoever chooses data or computation can make it larger [GNSJ24].
"""

from math import inf, log2

import numpy as np

from fheasible.aliases import Floats
from fheasible.libraries.block import CkksSets
from fheasible.noise.scales import all_in_numbers, scales_of
from fheasible.noise.sets import Figure, figure
from fheasible.program.types import Program

QUERIES = 1024  # results under one key that are assumed to be seen
QUERY_BITS = log2(QUERIES) / 2
MODEL_BITS = 0.5  # the prediction of noise may be optimistic by so much
_STEPS = 10  # steps in a bit of the estimate: it is rounded up to one of them


def noise_bits(program: Program, p: CkksSets, whole: Floats) -> Figure:
    """log2 of the Euclidean norm of the noise, over the coefficients that the results are read from; it is
    the root of the mean square over keys and encryptions.

    `whole`: the mean variance of a slot's real part, for each value that is shown. The imaginary part has the
    same variance, and the squared norm of the slots is that of the coefficients times half their number
    [CKKS17].
    """
    return figure(p, np.log2(_scale(program, p)) + np.log2(2 * whole.sum(axis=-1)) / 2)


def noise_estimate(program: Program, p: CkksSets, whole: Floats) -> Figure:
    """The bits of noise that OpenFHE is told to flood. OpenFHE assumes a single query, so that more queries
    count as larger noise."""
    bits = noise_bits(program, p, whole) + QUERY_BITS + MODEL_BITS
    rounded = np.ceil(bits * _STEPS) / _STEPS
    return figure(p, np.where(rounded == 0, 1 / _STEPS, rounded))  # 0 would stand for no estimate


def seen_bits(program: Program, seen: Floats) -> float:
    """log2 of the norm of the noise, as in `noise_bits`, of one encryption and without what OpenFHE leaves
    out. `seen` is what OpenFHE reports of each value when it estimates noise: log2 of the deviation of a
    coefficient of (e(X) - e(1/X)) / 2, which has half of the noise's variance. Minus infinity where OpenFHE
    sees no noise at all."""
    squares = float(np.exp2(2 * seen).sum())
    return log2(4 * program.slots * squares) / 2 if squares else -inf


def variance(program: Program, p: CkksSets) -> Figure:
    """The variance that the flooding of coefficients adds to a slot's real part."""
    return program.slots * (p.flooding / _scale(program, p)) ** 2


def _scale(program: Program, p: CkksSets) -> Figure:
    """The largest scale of any result."""
    scales = scales_of(program)
    of_results = np.array(list({scales[v] for o in program.outputs for v in o.values}))
    return all_in_numbers(of_results, p).max(axis=-1)
