"""Chebyshev series by Paterson and Stockmeyer's division by monic polynomials [PatSto73], [CCS19].

f + T_k(2^m - 1) = q·T_k·2^(m-1) + r, and r - T_k(2^(m-1) - 1) = c·q + s, so that f is (T + c)·q + s and
T_k(2^(m-1) - 1), less T_k(2^m - 1). q and s have no more than half the degree, and a leading coefficient that
is a power of two, so that no level is spent on it.
"""

from math import log2

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from fheasible.schemes.rns.bootstrap.aligned import Aligned, Value

Coefficients = NDArray[np.float64]

# The largest degree for which a number m of doublings is taken; of degrees up to 2204 [OpenFHE:
# ComputeDegreesPS of ckksrns-utils.cpp].
_DOUBLINGS = (
    (2, 1),
    (11, 2),
    (13, 3),
    (17, 2),
    (55, 3),
    (59, 4),
    (76, 3),
    (239, 4),
    (247, 5),
    (284, 4),
    (991, 5),
    (1007, 6),
    (1083, 5),
    (2015, 6),
    (2031, 7),
    (2204, 6),
)


def steps(degree: int) -> tuple[int, int]:
    """k and m with degree < k·(2^m - 1): T_1, ..., T_k are made, then T_2k, T_4k, ... by m - 1 doublings."""
    m = next(m for last, m in _DOUBLINGS if degree <= last)
    return degree // ((1 << m) - 1) + 1, m


def depth(degree: int) -> int:
    """The levels that a series of this degree takes, for operands in [-1, 1]."""
    k, m = steps(degree)
    return (k - 1).bit_length() + m


def evaluated(on: Aligned, x: Value, coefficients: Coefficients) -> Value:
    """The series Σ c_i·T_i(x), of degree 2: a product that is not yet rescaled."""
    k, m = steps(len(coefficients) - 1)
    low = _chebyshev(on, x, k)
    high, last = [low[-1]], low[-1]
    for _ in range(1, m):
        high.append(on.add_number(on.reduced(on.double(on.square(high[-1]))), -1.0))
        last = on.sub(on.reduced(on.double(on.mul(last, high[-1]))), high[0])
    whole = np.zeros(k * ((1 << m) - 1) + 1)
    whole[: len(coefficients)] = coefficients
    whole[-1] = 1
    return on.sub(_inner(on, whole, k, m, low, high), last)


def _chebyshev(on: Aligned, x: Value, k: int) -> list[Value]:
    """T_1, ..., T_k, all at the level of the last."""
    made = [x]
    for i in range(2, k + 1):
        half = made[i // 2 - 1]
        if i % 2:
            made.append(on.sub(on.reduced(on.double(on.mul(half, made[i // 2]))), x))
        else:
            made.append(on.add_number(on.reduced(on.double(on.square(half))), -1.0))
    return [*(on.adjusted(value, made[-1]) for value in made[:-1]), made[-1]]


def _inner(on: Aligned, f: Coefficients, k: int, m: int, low: list[Value], high: list[Value]) -> Value:
    middle = k * (1 << m - 1) - k
    quotient, rest = _divided(f, _monic(middle + k))
    factor, remainder = _divided(_plus(rest, middle, -1.0), quotient)
    remainder = _plus(remainder, middle, 1.0)
    q = _part(on, quotient, k, m, low, high)
    s = _part(on, remainder, k, m, low, high)
    c = high[m - 1]
    c = on.add(c, _short(on, factor, low)) if len(factor) > 1 else on.add_number(c, float(factor[0]))
    return on.add(on.reduced(on.mul(c, q)), s)


def _part(on: Aligned, f: Coefficients, k: int, m: int, low: list[Value], high: list[Value]) -> Value:
    """A polynomial whose leading coefficient is a power of two."""
    if len(f) - 1 > k:
        return _inner(on, f, k, m - 1, low, high)
    made = low[k - 1]
    for _ in range(round(log2(f[-1]))):
        made = on.double(made)
    if np.any(f[1:k]):
        made = on.add(made, _weighted(on, f[1:k], low))
    return on.add_number(made, float(f[0]))


def _short(on: Aligned, f: Coefficients, low: list[Value]) -> Value:
    """A polynomial of degree below k."""
    one = len(f) == 2
    made = on.reduced(on.mul_number(low[0], float(f[1]))) if one else _weighted(on, f[1:], low)
    return on.add_number(made, float(f[0]))


def _weighted(on: Aligned, weights: Coefficients, low: list[Value]) -> Value:
    """Σ weights[i]·T_(i+1)."""
    terms = [on.mul_number(value, float(w)) for value, w in zip(low, weights, strict=False)]
    total = terms[0]
    for term in terms[1:]:
        total = on.add(total, term)
    return on.reduced(total)


def _divided(f: Coefficients, g: Coefficients) -> tuple[Coefficients, Coefficients]:
    """Quotient and rest of series."""
    quotient, rest = chebyshev.chebdiv(f, g)
    return np.atleast_1d(quotient), np.atleast_1d(rest)


def _monic(degree: int) -> Coefficients:
    made = np.zeros(degree + 1)
    made[-1] = 1
    return made


def _plus(f: Coefficients, at: int, number: float) -> Coefficients:
    made = np.pad(np.array(f), (0, max(0, at + 1 - len(f))))
    made[at] += number
    return made
