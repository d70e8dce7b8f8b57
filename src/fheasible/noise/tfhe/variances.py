"""What each step of a table look-up adds to the noise of an LWE ciphertext, as a variance.

Every variance is a part of the torus, squared, and every key is binary. All functions work element by element
on arrays, so that a search can call them for many sets at once. The formulas are those of [CGGI20, Sec. 4-6]
and of [TfheRs, core_crypto/commons/noise_formulas]; TFHE-rs computes the failure rates of its named sets by
them.
"""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from fheasible.aliases import Floats

DOUBLE: Final = 53  # bits of the mantissa of the numbers that most libraries' transforms compute with

# The error of a product by FFT: FACTOR * level^A * (k + 1)^A * k^B * N^(B + 1), in units of the mantissa's
# last bit times the base, squared. Fitted by TFHE-rs to measurements, for each number of key bits that one
# external product takes [TfheRs, lwe_programmable_bootstrap.rs, lwe_multi_bit_programmable_bootstrap.rs].
_FFT: Final = {
    1: (0.00705, 1.01827, 1.22003),
    2: (0.00220, 1.04148, 1.94548),
    3: (0.00492, 1.01110, 1.90722),
    4: (0.00855, 1.00715, 1.90759),
}
GROUPINGS: Final = tuple(_FFT)


def bootstrap_variance(
    lwe_dimension: ArrayLike,
    glwe_dimension: ArrayLike,
    polynomial_size: ArrayLike,
    base_log: ArrayLike,
    level: ArrayLike,
    key_variance: ArrayLike,
    grouping: int = 1,
    mantissa: int | None = DOUBLE,
) -> Floats:
    """The variance of the noise of a bootstrap's result, whatever the noise of its argument.

    It is that of one external product times the number of external products, lwe_dimension / grouping.
    `mantissa`: the precision of the transforms; None where products are exact.
    """
    k, big_n = _floats(glwe_dimension), _floats(polynomial_size)
    bits = k * big_n
    each = 2.0 ** (grouping if grouping > 1 else 0) * (k + 1) * big_n * decomposed(
        base_log, level, key_variance
    ) + _taken(grouping) * (bits / 24 + 1 / 12) * _dropped(base_log, level)
    if mantissa is not None:
        each = each + _fft_variance(k, big_n, _floats(base_log), _floats(level), grouping, mantissa)
    return np.asarray(_floats(lwe_dimension) / grouping * each)


def key_switch_variance(
    large_dimension: ArrayLike, base_log: ArrayLike, level: ArrayLike, key_variance: ArrayLike
) -> Floats:
    """The variance of the noise that a key switch adds: from the errors of its key, and from what lies below
    the last digit. Half of the key's bits are 1."""
    bits = _floats(large_dimension)
    return np.asarray(bits * (decomposed(base_log, level, key_variance) + _dropped(base_log, level) / 24))


def packing_variance(
    dimension: ArrayLike, base_log: ArrayLike, level: ArrayLike, key_variance: ArrayLike, count: ArrayLike
) -> Floats:
    """The variance of the noise that packing `count` ciphertexts of this dimension into one adds to each: the
    rows of the key are polynomials, so that each message takes the errors of all key switches."""
    bits = _floats(dimension)
    rows = _floats(count) * decomposed(base_log, level, key_variance)
    return np.asarray(bits * (rows + _dropped(base_log, level) / 24))


def modulus_switch_variance(
    lwe_dimension: ArrayLike, polynomial_size: ArrayLike, grouping: int = 1, centered: bool = False
) -> Floats:
    """The variance of what rounding to 2N steps adds.

    Each number is off by a twelfth of a step squared, and counts where its key bit is 1; with several bits at
    once, where one of them is. Centered: the mean of these errors, half of each, is taken back, and the body
    is shifted by half a step. Then the places where a table's entry ends lie between two steps, so that
    rounding the body itself changes no look-up. Otherwise it is counted like the errors of the other numbers.
    """
    step = (2 * _floats(polynomial_size)) ** -2.0
    rounded = _floats(lwe_dimension) / grouping * step / 12
    if centered:
        return np.asarray(rounded / 4)
    return np.asarray(rounded * (1 - 2.0**-grouping) + step / 12)


def decomposed(base_log: ArrayLike, level: ArrayLike, key_variance: ArrayLike) -> Floats:
    """The variance of the sum of products of one number's digits with rows of a key.

    Digits in [-B/2, B/2] have the mean square (B^2 + 2) / 12, as TFHE-rs takes them too. That is a little too
    much: where a digit B/2 is carried or not as the next digit's sign has it, all digits but the lowest have
    13 % less at B = 4, 4 % less at B = 8 and 1 % less at B = 16.
    """
    return np.asarray(_floats(level) * (4.0 ** _floats(base_log) + 2) / 12 * _floats(key_variance))


def _dropped(base_log: ArrayLike, level: ArrayLike) -> Floats:
    """Twelve times the variance of what lies below the last digit."""
    return np.asarray(4.0 ** -(_floats(base_log) * _floats(level)))


def _taken(grouping: int) -> float:
    """How much of what a decomposition drops stays: one bit of the key is 1 half of the time; with several
    bits, what is decomposed is always replaced."""
    return 0.5 if grouping == 1 else 1.0


def _fft_variance(
    k: Floats, big_n: Floats, base_log: Floats, level: Floats, grouping: int, mantissa: int
) -> Floats:
    factor, a, b = _FFT[grouping]
    unit = 4.0 ** (base_log - mantissa)
    return np.asarray(factor * unit * (level * (k + 1)) ** a * k**b * big_n ** (b + 1))


def _floats(numbers: ArrayLike) -> Floats:
    return np.asarray(numbers, dtype=np.float64)
