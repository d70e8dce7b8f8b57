"""Chebyshev series by Paterson and Stockmeyer's division by monic polynomials [PatSto73], [CCS19]; sums of
powers, too.

f + T_k(2^m - 1) = q·T_k·2^(m-1) + r, and r - T_k(2^(m-1) - 1) = c·q + s, so that f is (T + c)·q + s and
T_k(2^(m-1) - 1), less T_k(2^m - 1). q and s have no more than half the degree, and a leading coefficient that
is a power of two, so that no level is spent on it. With x^k in the place of T_k the same holds of polynomials
in powers of x, whose leading coefficients are 1.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import log2
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, polynomial
from numpy.typing import NDArray

from fheasible.schemes.rns.bootstrap.aligned import Aligned, Value

Coefficients = NDArray[np.float64] | NDArray[np.complex128]
_ZERO = 2.0**-44  # as which the library counts a coefficient

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


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms that sums are made of: T_1, ..., T_k at one level, T_k with m - 1 doublings of its degree,
    and T_k(2^m - 1). Or powers of x in their place."""

    low: list[Value]
    high: list[Value]
    last: Value
    powers: bool


def evaluated(on: Aligned, x: Value, coefficients: Coefficients) -> Value:
    """The series Σ c_i·T_i(x), of degree 2: a product that is not yet rescaled."""
    return summed(on, chebyshev_terms(on, x, len(coefficients) - 1), coefficients)


def chebyshev_terms(on: Aligned, x: Value, degree: int) -> Terms:
    k, m = steps(degree)
    low = _chebyshev(on, x, k)
    high, last = [low[-1]], low[-1]
    for _ in range(1, m):
        high.append(on.add_number(on.reduced(on.double(on.square(high[-1]))), -1.0))
        last = on.sub(on.reduced(on.double(on.mul(last, high[-1]))), high[0])
    return Terms(low, high, last, False)


def power_terms(on: Aligned, x: Value, degree: int) -> Terms:
    """Each power from a power of two and the rest, rescaled at once where products are."""
    k, m = steps(degree)
    low = powers(on, x, k)
    high, last = [low[-1]], low[-1]
    for _ in range(1, m):
        high.append(on.reduced(on.square(high[-1])))
        last = on.reduced(on.mul(high[-1], last))
    return Terms(low, high, last, True)


def powers(on: Aligned, x: Value, k: int) -> list[Value]:
    """x, ..., x^k, all at the level of the last."""
    made = [x]
    for i in range(2, k + 1):
        rest = i - (1 << i.bit_length() - 1)
        product = on.mul(made[i - rest - 1], made[rest - 1]) if rest else on.square(made[i // 2 - 1])
        made.append(on.reduced(product))
    return [*(on.adjusted(value, made[-1]) for value in made[:-1]), made[-1]]


def summed(on: Aligned, terms: Terms, coefficients: Coefficients) -> Value:
    """Σ c_i·T_i(x), or Σ c_i·x^i; of degree 2 where products are rescaled late."""
    k, m = len(terms.low), len(terms.high)
    whole: Coefficients = np.zeros(k * ((1 << m) - 1) + 1, coefficients.dtype)  # type: ignore[assignment]
    whole[: len(coefficients)] = coefficients
    whole[-1] = 1
    return on.sub(_inner(on, whole, k, m, terms), terms.last)


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


def _inner(on: Aligned, f: Coefficients, k: int, m: int, terms: Terms) -> Value:
    quotient, factor, remainder = _split(f.tobytes(), f.dtype.str, k, m, terms.powers)
    q = _part(on, quotient, k, m, terms, True)
    s = _part(on, remainder, k, m, terms, terms.powers)
    c = terms.high[m - 1]
    c = on.add(c, _short(on, factor, terms.low)) if len(factor) > 1 else on.add_number(c, factor[0].item())
    return on.add(on.reduced(on.mul(c, q)), s)


@lru_cache(maxsize=1024)  # the same series is evaluated for many sets of parameters
def _split(
    f: bytes, kind: str, k: int, m: int, powers: bool
) -> tuple[Coefficients, Coefficients, Coefficients]:
    """q, c and s of f + T_k(2^m - 1) = (T + c)·q + s, for coefficients f of that type."""
    middle = k * (1 << m - 1) - k
    quotient, rest = _divided(np.frombuffer(f, kind), _monic(middle + k), powers)
    factor, remainder = _divided(_plus(rest, middle, -1.0), quotient, powers)
    return quotient, factor, _plus(remainder, middle, 1.0)


def _part(on: Aligned, f: Coefficients, k: int, m: int, terms: Terms, early: bool) -> Value:
    """A polynomial whose leading coefficient is a power of two; `early`: its constant is added first."""
    if len(f) - 1 > k:
        return _inner(on, f, k, m - 1, terms)
    made = terms.low[k - 1]
    for _ in range(round(log2(f[-1].real))):
        made = on.double(made)
    made = on.add_number(made, f[0].item()) if early else made
    others = _trimmed(f[1:k])
    made = on.add(made, _weighted(on, others, terms.low)) if len(others) else made
    return made if early else on.add_number(made, f[0].item())


def _trimmed(f: Coefficients) -> Coefficients:
    """f without the last coefficients that are zero, up to the rounding of doubles."""
    used = np.flatnonzero(np.abs(f) > _ZERO)
    return f[: used[-1] + 1] if len(used) else f[:0]


def _short(on: Aligned, f: Coefficients, low: list[Value]) -> Value:
    """A polynomial of degree below k."""
    one = len(f) == 2
    made = on.reduced(on.mul_number(low[0], f[1].item())) if one else _weighted(on, f[1:], low)
    return on.add_number(made, f[0].item())


def _weighted(on: Aligned, weights: Coefficients, low: list[Value]) -> Value:
    """Σ weights[i]·low[i]."""
    terms = [on.mul_number(value, w.item()) for value, w in zip(low, weights, strict=False)]
    total = terms[0]
    for term in terms[1:]:
        total = on.add(total, term)
    return on.reduced(total)


def _divided(f: Coefficients, g: Coefficients, powers: bool) -> tuple[Coefficients, Coefficients]:
    """Quotient and rest, of series or of sums of powers."""
    quotient, rest = polynomial.polydiv(f, g) if powers else chebyshev.chebdiv(f, g)
    return _array(quotient), _array(rest)


def _monic(degree: int) -> Coefficients:
    made = np.zeros(degree + 1)
    made[-1] = 1
    return made


def _plus(f: Coefficients, at: int, number: float) -> Coefficients:
    made = np.pad(np.array(f), (0, max(0, at + 1 - len(f))))
    made[at] += number
    return _array(made)


def _array(f: Any) -> Coefficients:
    return np.atleast_1d(f)
