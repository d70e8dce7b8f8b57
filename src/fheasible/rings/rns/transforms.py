"""The native transforms modulo primes, and the order in which they leave a polynomial's values."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.rings.exact import native

Residues = NDArray[np.uint64]


def forward(x: Residues, moduli: tuple[int, ...]) -> Residues:
    """The values at the roots of X^n + 1, from coefficients (limbs, n); ValueError unless p = 1 modulo 2n."""
    made: Residues = native().rns_forward(x, words(moduli))
    return made


def inverse(x: Residues, moduli: tuple[int, ...]) -> Residues:
    """The coefficients, from values at the roots of X^n + 1: the inverse of `forward`."""
    made: Residues = native().rns_inverse(x, words(moduli))
    return made


@lru_cache(maxsize=256)
def exponents(n: int, p: int) -> NDArray[np.int64]:
    """The exponents e such that value k of a transform modulo p is the value at ψ^e[k].

    ψ is the root of value 0, so e[0] = 1. The transform of X is the list of the roots themselves.
    """
    x = np.zeros((1, n), np.uint64)
    x[0, 1] = 1
    roots = forward(x, (p,))[0]
    square, power, exponent = int(roots[0]) ** 2 % p, int(roots[0]), {}
    for e in range(1, 2 * n, 2):
        exponent[power] = e
        power = power * square % p
    return np.array([exponent[int(root)] for root in roots], np.int64)


@lru_cache(maxsize=256)
def permutation(n: int, p: int, exponent: int) -> NDArray[np.int64]:
    """The index k' for each k such that value k of x(X^exponent) is value k' of x."""
    order = exponents(n, p)
    place = np.empty(2 * n, np.int64)
    place[order] = np.arange(n)
    return place[order * (exponent % (2 * n)) % (2 * n)]


def words(integers: Any) -> Residues:
    """Integers below 2^64 as the native module takes them."""
    return np.array(integers, dtype=np.uint64)
