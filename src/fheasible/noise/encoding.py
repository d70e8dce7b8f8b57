"""Vectors of real numbers as polynomials, and what is left of them when coefficients are rounded."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.noise.shape import roots

Complex = NDArray[np.complex128]


def coefficients(row: Floats) -> Floats:
    """The coefficients of the polynomial that has these real numbers in its slots, however often the ring
    repeats them: two for each slot, or one for a number that is in every slot."""
    if len(row) == 1:
        return row
    places, turns = _places_and_turns(len(row))
    in_order = np.empty(len(row))
    in_order[places] = row
    half = np.fft.rfft(in_order)
    both = np.concatenate([half, half[-2:0:-1].conj()]) * turns.conj()
    return np.concatenate([both.real, both.imag]) / len(row)


def slots(polynomial: Floats) -> Complex:
    """The polynomial's values in the slots: the inverse of `coefficients`."""
    if len(polynomial) == 1:
        return polynomial.astype(np.complex128)
    count = len(polynomial) // 2
    places, turns = _places_and_turns(count)
    both = (polynomial[:count] + 1j * polynomial[count:]) * turns
    return np.asarray((np.fft.ifft(both) * count)[places])


@lru_cache(maxsize=4)
def _places_and_turns(count: int) -> tuple[NDArray[np.int64], Complex]:
    """For each slot, the m of its root zeta^(4m+1), where zeta = exp(2 pi i / (4 count)); and the powers
    zeta^k for k below `count`.

    p(zeta^(4m+1)) is the sum over k < count of (p_k + i p_(k + count)) zeta^k exp(2 pi i m k / count). One
    transform with as many points as there are slots therefore gives them all.
    """
    return roots(count) // 4, np.exp(0.5j * np.pi / count * np.arange(count))


def encoded(row: Floats, scale: float) -> Complex:
    """The values that the slots hold for these numbers once their coefficients are rounded at that scale."""
    return slots(np.rint(coefficients(row) * scale) / scale)
