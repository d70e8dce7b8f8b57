"""Vectors of real numbers as polynomials, and what is left of them when coefficients are rounded."""

import numpy as np
from numpy.typing import NDArray

from fheasible.noise.sets import Floats
from fheasible.noise.shape import roots

Complex = NDArray[np.complex128]


def coefficients(row: Floats) -> Floats:
    """Of the polynomial that has these real numbers in its slots, however often the ring repeats them: two
    for each slot; one of a number that is in every slot."""
    if len(row) == 1:
        return row
    at_roots = np.zeros(4 * len(row))
    at_roots[roots(len(row))] = row
    return np.asarray(np.fft.rfft(at_roots)[: 2 * len(row)].real) / len(row)


def slots(polynomial: Floats) -> Complex:
    """The polynomial's values in the slots: the inverse of `coefficients`."""
    if len(polynomial) == 1:
        return polynomial.astype(np.complex128)
    at_roots = np.fft.ifft(polynomial, 2 * len(polynomial)) * (2 * len(polynomial))
    return np.asarray(at_roots[roots(len(polynomial) // 2)])


def encoded(row: Floats, scale: float) -> Complex:
    """What stands in the slots for these numbers once their coefficients are rounded at that scale."""
    return slots(np.rint(coefficients(row) * scale) / scale)
