"""Products of polynomials modulo X^N + 1 by transforms in double precision, exact or as libraries have them.

A polynomial with N real coefficients is N/2 complex ones modulo X^(N/2) - i; twisted, it is transformed by an
FFT of N/2 points. Words of 64 bits are too long for a double: they are split into signed parts of few bits
each, so that every coefficient of a product of parts is an integer that rounding finds again. One part of 64
bits loses the lowest bits, as it does in the libraries.
"""

from functools import lru_cache
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.errors import RingMismatch

WORD_BITS = 64
SAFE_BITS = 47  # sums of products up to 2^47 have errors far below 1/2 in doubles of 53 bits
Words = NDArray[np.uint64]
Values = NDArray[np.complex128]


@lru_cache(maxsize=32)
def _twist(n: int) -> Values:
    """e^(i·pi·j/N) for j < N/2."""
    made: Values = np.exp(1j * np.pi / n * np.arange(n // 2))
    return made


def values(x: NDArray[Any]) -> Values:
    """The transforms (..., N/2) of real coefficients (..., N)."""
    n = x.shape[-1]
    made: Values = np.fft.fft((x[..., : n // 2] + 1j * x[..., n // 2 :]) * _twist(n))
    return made


def coefficients(x: Values) -> NDArray[np.float64]:
    """The real coefficients (..., N) with these transforms (..., N/2)."""
    half = np.fft.ifft(x) * _twist(2 * x.shape[-1]).conj()
    return np.concatenate((half.real, half.imag), axis=-1)


def part_bits(parts: int) -> int:
    """How many bits each part of a word has."""
    return -(-WORD_BITS // parts)


def split(x: Words, parts: int) -> NDArray[np.float64]:
    """Signed parts (parts, ...), the lowest first: x = sum_i parts[i]·2^(i·part_bits) modulo 2^64."""
    bits, rest = part_bits(parts), x.view(np.int64)
    made = np.empty((parts, *x.shape))
    for i in range(parts - 1):
        above = WORD_BITS - bits
        low = rest << above >> above  # the lowest bits, with the sign of the highest of them
        made[i] = low
        rest = (rest - low) >> bits
    made[-1] = rest << (bits * (parts - 1)) >> (bits * (parts - 1))
    return made


def transformed(x: Words, parts: int) -> Values:
    """The transforms of the parts of words, (parts, ..., N/2)."""
    return values(split(x, parts))


def words(x: Values) -> Words:
    """The words (..., N) whose parts have these transforms (parts, ..., N/2)."""
    found = coefficients(x)
    if len(found) == 1:
        return _wrapped(found[0])
    total = np.zeros(found.shape[1:], np.uint64)
    for i, part in enumerate(found):
        total += np.rint(part).astype(np.int64).view(np.uint64) << np.uint64(i * part_bits(len(found)))
    return total


def _wrapped(x: NDArray[np.float64]) -> Words:
    """Numbers of any size modulo 2^64, with the 53 bits that a double has."""
    turns = x * 2.0**-WORD_BITS
    turns -= np.rint(turns)
    whole = np.minimum(turns * 2.0**WORD_BITS, np.nextafter(2.0**63, 0))
    return np.rint(whole).astype(np.int64).view(np.uint64)


def summed(digits: Values, matrix: Values) -> Values:
    """sum_r digits[..., r, :]·matrix[:, ..., r, c, :] for each column c, (parts, ..., columns, N/2)."""
    missing = digits.ndim + 2 - matrix.ndim
    if missing > 0:  # axes of many ciphertexts, which the matrix does not have
        matrix = matrix.reshape(matrix.shape[0], *(1,) * missing, *matrix.shape[1:])
    total: Values = digits[..., 0, np.newaxis, :] * matrix[..., 0, :, :]
    for row in range(1, digits.shape[-2]):
        total += digits[..., row, np.newaxis, :] * matrix[..., row, :, :]
    return total


def monomials(exponents: NDArray[np.int64], n: int) -> Values:
    """The transforms (..., N/2) of X^exponent: powers of the roots at which polynomials are evaluated."""
    roots = 1 - 4 * np.arange(n // 2)  # the FFT's point j is e^(i·pi·(1 - 4j)/N)
    made: Values = _roots(n)[exponents[..., np.newaxis] * roots % (2 * n)]
    return made


@lru_cache(maxsize=32)
def _roots(n: int) -> Values:
    made: Values = np.exp(1j * np.pi / n * np.arange(2 * n))
    return made


def exact(digit_bits: int, sum_bits: int, rows: int, n: int, parts: int) -> None:
    """RingMismatch where doubles cannot hold sums of products of such digits and parts exactly."""
    needed = parts_needed(digit_bits, sum_bits, rows, n)
    if parts < needed:
        raise RingMismatch(
            f"products: sums of {rows}·{n} products of digits of {digit_bits} bits and parts of "
            f"{part_bits(parts)} bits are not exact in doubles",
            f"split words into {needed} parts or more",
        )


def parts_needed(digit_bits: int, sum_bits: int, rows: int, n: int) -> int:
    """The fewest parts with which doubles hold sums of rows·N products of digits and parts exactly."""
    most = int(SAFE_BITS - digit_bits - sum_bits - log2(rows * n)) + 1  # bits of a part, with its sign
    if most < 2:
        raise RingMismatch(
            f"products: digits of {digit_bits} bits are too large for exact products in doubles",
            "use digits of fewer bits, or fewer coefficients",
        )
    return -(-WORD_BITS // most)
