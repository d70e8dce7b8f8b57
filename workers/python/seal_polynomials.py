"""The polynomials of SEAL's ciphertexts and keys, read from what it writes: the binding hides them."""

from functools import lru_cache
from typing import Any

import numpy as np

from worker.noise import Evaluated, Residues, least_root
from worker.serialized import written

_root = lru_cache(maxsize=256)(least_root)  # SEAL takes the least one (util/ntt.cpp)


def opened(x: Any, secret: Any, chain: list[int]) -> Evaluated:
    """A ciphertext in NTT form; the secret key has the limbs of the whole chain."""
    n, limbs = x.poly_modulus_degree(), x.coeff_modulus_size()
    parts = _last(written(x.save), (x.size(), limbs, n))
    key = _last(written(secret.save), (len(chain), n))
    return Evaluated(chain[:limbs], [_root(q, n) for q in chain[:limbs]], list(parts), key[:limbs])


def _last(data: bytes, shape: tuple[int, ...]) -> Residues:
    """Coefficients stand last in everything that SEAL writes."""
    words = int(np.prod(shape))
    return np.frombuffer(data, dtype="<u8", count=words, offset=len(data) - 8 * words).reshape(shape)
