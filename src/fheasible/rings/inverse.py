"""The inverse in Z_q[X]/(X^n + 1) for any q, by halving the degree.

The product f(X)·f(-X) is a polynomial g in X², and X² is a root of Y^(n/2) + 1. So
1/f(X) = f(-X)·(1/g)(X²). At degree 1 an integer is left. The inverse takes two products at each of the
degrees n, n/2, ..., 2.
"""

from math import gcd
from typing import Any

import numpy as np

from fheasible.errors import NotInvertible
from fheasible.rings.limbs import Limbs, magnitude, unpack


def inverse(native: Any, f: Limbs, q: int) -> Limbs:
    """1/f for residues f (1, 1, n, limbs of q). NotInvertible where the norm of f is not coprime to q."""
    mirrors = []
    while f.shape[2] > 1:
        mirrors.append(_mirror(native, f, q))
        f = np.ascontiguousarray(_product(native, f, mirrors[-1], q)[:, :, ::2])
    g = _integer_inverse(f, q)
    while mirrors:
        g = _product(native, _spread(g), mirrors.pop(), q)
    return g


def _product(native: Any, x: Limbs, y: Limbs, q: int) -> Limbs:
    bits = q.bit_length()
    made: Limbs = native.product_mod(x, True, bits, y, True, bits, magnitude(q))
    return made


def _mirror(native: Any, f: Limbs, q: int) -> Limbs:
    """f(-X)."""
    out = f.copy()
    out[:, :, 1::2] = native.neg_mod(np.ascontiguousarray(f[:, :, 1::2]), magnitude(q))
    return out


def _spread(g: Limbs) -> Limbs:
    """g(X²)."""
    out = np.zeros((1, 1, 2 * g.shape[2], g.shape[3]), np.uint64)
    out[:, :, ::2] = g
    return out


def _integer_inverse(norm: Limbs, q: int) -> Limbs:
    value = unpack(norm, signed=False).item()
    common = gcd(value, q)
    if common != 1:
        raise NotInvertible(
            f"inverse: the polynomial's norm shares the factor {common} with q", "draw another polynomial"
        )
    return magnitude(pow(value, -1, q), norm.shape[3]).reshape(norm.shape)
