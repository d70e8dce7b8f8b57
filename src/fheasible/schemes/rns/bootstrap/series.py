"""The polynomials of the approximate modular reduction, as Chebyshev coefficients c_0 + c_1·T_1 + ...

x is a coefficient divided by q_0: an integer I and a small message. `Reduction` says which wave of x it is
that leads to the message.
"""

from decimal import Decimal, getcontext
from functools import lru_cache
from math import cos, pi

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from fheasible.schemes.rns.bootstrap.procedure import Reduction, Wave

Coefficients = NDArray[np.float64]
QUARTER = 0.25  # cos(2π(x - 1/4)) = sin(2πx)
_TINY = 2.0**-80
_DIGITS = 90  # of the interpolation at clustered nodes, which loses many


def is_zero(coefficient: float) -> bool:
    """Whether a term is left out."""
    return abs(coefficient) < _TINY


@lru_cache(maxsize=64)
def wave(r: Reduction, shifted: bool, message_bits: int) -> Coefficients:
    """The wave's coefficients on [-1, 1], which stands for [-K, K]; its amplitude is 1.

    COSINE and SERIES: cos(2π(x - 1/4)/2^r); `shifted` makes it cos(2πx/2^r), whose odd terms are left out.
    SINE: sin(2πx).
    """
    made = _clustered(r, message_bits) if r.wave is Wave.COSINE else _interpolated(r, shifted)
    if r.wave is Wave.SINE:
        made[::2] = 0
    elif shifted:
        made[1::2] = 0
    return made


def _interpolated(r: Reduction, shifted: bool) -> Coefficients:
    """The coefficients of the polynomial through the wave at the zeros of T_(degree + 1)."""
    points = chebyshev.chebpts1(r.degree + 1)
    rows = chebyshev.chebvander(points, r.degree)
    made: Coefficients = 2 * rows.T @ _wave(points, r, shifted) / (r.degree + 1)
    made[0] /= 2
    return made


def _wave(x: Coefficients, r: Reduction, shifted: bool) -> Coefficients:
    """The wave at x in [-1, 1]."""
    shift = 0.0 if shifted or r.wave is Wave.SINE else QUARTER
    angle = 2 * pi * (r.bound * x - shift) / 2**r.doublings
    made: Coefficients = np.sin(angle) if r.wave is Wave.SINE else np.cos(angle)
    return made


@lru_cache(maxsize=64)
def turning(r: Reduction) -> NDArray[np.complex128]:
    """The coefficients of exp(2πi·K·x/2^r) on [-1, 1]: after r squares, the integers in K·x are gone."""
    points = chebyshev.chebpts1(r.degree + 1)
    rows = chebyshev.chebvander(points, r.degree)
    made = 2 * rows.T @ np.exp(2j * pi * r.bound * points / 2**r.doublings) / (r.degree + 1)
    made[0] /= 2
    return np.asarray(made)


def amplitude(r: Reduction) -> float:
    """(1/2π)^(1/2^r): the factor of the wave that makes its slope 1 after r double angles.

    It is 1 where an arcsine follows, which brings the factor 1/2π itself.
    """
    return 1.0 if r.inverse_degree else (1 / (2 * pi)) ** (1 / 2**r.doublings)


def inverse(degree: int) -> Coefficients:
    """The first terms of arcsin(x)/2π: coefficients of x, x^3, ... up to this degree, others zero."""
    made = np.zeros(degree + 1)
    made[1] = 1 / (2 * pi)
    for i in range(3, degree + 1, 2):
        made[i] = made[i - 2] * (i - 2) ** 2 / (i * (i - 1))
    return made


# -- interpolation near the integers alone [HanKi19]


def _clustered(r: Reduction, message_bits: int) -> Coefficients:
    """Chebyshev coefficients of a polynomial that is cos(2πu/2^r) at nodes u = x - 1/4, x near integers.

    Every integer below K has a cluster of nodes; which, the bound of the error decides [HanKi19, Alg. 1].
    """
    getcontext().prec = _DIGITS
    nodes = [Decimal(node) - Decimal(QUARTER) for node in _nodes(r.bound, r.degree, 0.5**message_bits)]
    table = [_cosine(2 * _PI * node / 2**r.doublings) for node in nodes]
    for j in range(1, len(nodes)):
        table = [
            *table[:j],
            *((table[i] - table[i - 1]) / (nodes[i] - nodes[i - j]) for i in range(j, len(nodes))),
        ]
    count = r.degree + 1
    cosines = [_cosine(_PI * part / (2 * count)) for part in range(4 * count)]  # of parts of the circle
    values = [_newton(nodes, table, Decimal(r.bound) * cosines[2 * i + 1]) for i in range(count)]
    made = []
    for k in range(count):
        terms = (v * cosines[k * (2 * i + 1) % (4 * count)] for i, v in enumerate(values))
        made.append(float(sum(terms, Decimal(0)) * (1 if k == 0 else 2) / count))
    return np.array(made)


def _newton(nodes: list[Decimal], table: list[Decimal], x: Decimal) -> Decimal:
    total = table[-1]
    for node, divided in zip(nodes[-2::-1], table[-2::-1], strict=True):
        total = total * (x - node) + divided
    return total


def _nodes(bound: int, degree: int, width: float) -> list[float]:
    """degree + 1 nodes, or one less, in clusters of half the width `width` around the integers below K."""
    found = []
    for centre, count in enumerate(_counts(bound, degree + 1, width)):
        for j in range(count):
            spread = cos(pi * (2 * j + 1) / (2 * count)) * width
            found += [centre + spread, -centre - spread] if centre else [spread]
    return found


def _counts(bound: int, total: int, width: float) -> list[int]:
    """How many nodes the clusters at 0, ±1, ±2, ... have: more where the error's bound is largest."""
    counts = [1] * bound
    at = np.arange(bound)
    while sum(counts[1:]) * 2 + counts[0] < total:
        logs = [
            sum(counts[abs(j)] * np.log2(abs(i - j) + width) for j in range(1 - bound, bound)) for i in at
        ]
        worst = int(np.argmax(logs))
        if worst and sum(counts[1:]) * 2 + counts[0] + 2 > total:
            worst = 0
        counts[worst] += 1
    return counts


_PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798"
)


def _cosine(x: Decimal) -> Decimal:
    """cos(x) to the context's digits, by its power series at x/2^10 and double angles."""
    halvings = 10
    x = (x % (2 * _PI)) / 2**halvings
    term, total, k = Decimal(1), Decimal(1), 0
    while abs(term) > Decimal(10) ** -(_DIGITS + 5):
        k += 2
        term *= -x * x / (k * (k - 1))
        total += term
    for _ in range(halvings):
        total = 2 * total * total - 1
    return total
