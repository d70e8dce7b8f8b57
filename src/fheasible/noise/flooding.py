"""Noise flooding: what decryption adds to CKKS results that others shall see.

Decryption gives m + e, and from e and the public ciphertext follows the secret key [LM21]. Gaussian noise of
standard deviation sqrt(12 tau) 2^(s/2) t on every coefficient leaves whoever sees tau results an advantage of
2^-s at most [LMSS22], where t is the Euclidean norm of e over all that is shown at once: what counts is the
divergence of two Gaussians, |e|^2 / (2 sigma^2). OpenFHE's own estimate is the deviation of a single
coefficient, smaller by the root of their number, and it leaves out most of what divisions in rotations shift
all coefficients by. All of this is for noise as it is on the average, over keys too: whoever chooses data or
computation can make it larger [GNSJ24].
"""

from math import inf, log2

import numpy as np

from fheasible.noise.scales import all_in_numbers, scales_of
from fheasible.noise.sets import Figure, Floats, Sets, figure
from fheasible.program.types import Program

QUERIES = 1024  # results under one key that are reckoned with
QUERY_BITS = log2(QUERIES) / 2
MODEL_BITS = 0.5  # what the prediction of noise may be optimistic by
_STEPS = 10  # of the estimate in a bit: it is rounded upwards


def noise_bits(program: Program, p: Sets, whole: Floats) -> Figure:
    """log2 of the Euclidean norm of the noise, over the coefficients that the results are read from: the root
    of the mean square over keys and encryptions.

    `whole`: the mean variance of a slot's real part, of each value that is shown. The imaginary part has as
    much, and the slots' squared norm is that of the coefficients times half their number [CKKS17].
    """
    return figure(p, np.log2(_scale(program, p)) + np.log2(2 * whole.sum(axis=-1)) / 2)


def noise_estimate(program: Program, p: Sets, whole: Floats) -> Figure:
    """What OpenFHE shall drown. It reckons with one query, so that more of them count as larger noise."""
    bits = noise_bits(program, p, whole) + QUERY_BITS + MODEL_BITS
    rounded = np.ceil(bits * _STEPS) / _STEPS
    return figure(p, np.where(rounded == 0, 1 / _STEPS, rounded))  # 0 stands for none


def seen_bits(program: Program, seen: Floats) -> float:
    """As `noise_bits`, of one encryption and without what OpenFHE leaves out: `seen` is what it tells of each
    value when it estimates noise, log2 of the deviation of a coefficient of (e(X) - e(1/X)) / 2, half of the
    noise. Minus infinity where it sees none at all."""
    squares = float(np.exp2(2 * seen).sum())
    return log2(4 * program.slots * squares) / 2 if squares else -inf


def variance(program: Program, p: Sets) -> Figure:
    """Of a slot's real part, that the flooding of its coefficients makes."""
    return program.slots * (p.flooding / _scale(program, p)) ** 2


def _scale(program: Program, p: Sets) -> Figure:
    """The largest one of a result."""
    scales = scales_of(program)
    of_results = np.array(list({scales[v] for o in program.outputs for v in o.values}))
    return all_in_numbers(of_results, p).max(axis=-1)
