"""Messages as polynomials: complex slots (CKKS) by a Fourier transform, slots modulo t (BFV, BGV) by an NTT.

Values are None where the ring only counts.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.errors import RingMismatch
from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Poly
from fheasible.rings.rns.ring import RnsRing
from fheasible.rings.rns.transforms import exponents, forward, inverse

EXACT_FLOAT = 2.0**62  # beyond it an int64 may overflow


def encode(ring: RnsRing, slots: Any, scale: float, basis: Basis) -> Poly:
    """round(scale·m), where m(ζ^(5^j)) = slots[j] for j < n/2 and ζ = exp(iπ/n). COEFFICIENT domain.

    Fewer slots are repeated if there are n/4, n/8, ... of them. RingMismatch for any other number of slots.
    """
    return ring.integers(basis, embed(ring, slots, scale))


def decode(ring: RnsRing, x: Poly, scale: float) -> Any:
    """The n/2 slots of x/scale, for x in COEFFICIENT domain."""
    return slots_of(ring, ring.lift(x), scale)


def embed(ring: RnsRing, slots: Any, scale: float) -> Any:
    """The n integer coefficients of `encode`: int64, or Python integers where they are large."""
    return ring.outside("embeddings", lambda: _rounded(coefficients(slots, _size(ring)) * scale))


def slots_of(ring: RnsRing, integers: Any, scale: float) -> Any:
    """The slots of a polynomial with these coefficients, divided by the scale."""
    return ring.outside("embeddings", lambda: values(np.asarray(integers, dtype=np.float64) / scale))


def batch(ring: RnsRing, slots: Any, t: int, generator: int = 3) -> Any:
    """The n coefficients in [0, t) of the polynomial with these slots; slots that are not given are zero.

    The slots are two rows of n/2. Slot j of the first row is the value at ψ^(g^j), and slot j of the second
    row is the value at ψ^-(g^j), for the generator g and a 2n-th root of unity ψ modulo the prime t = 1
    modulo 2n. X -> X^g rotates each row to the left by one, and X -> X^-1 swaps the rows. The generator is 3
    in [SEAL], and 5 in [OpenFHE] and [Lattigo].
    """
    return ring.outside("plain_transforms", lambda: _batched(slots, _size(ring), t, generator))


def unbatch(ring: RnsRing, integers: Any, t: int, generator: int = 3) -> Any:
    """The n slots in [0, t) of the polynomial with these integer coefficients: the inverse of `batch`."""
    return ring.outside("plain_transforms", lambda: _unbatched(integers, _size(ring), t, generator))


def coefficients(slots: Any, n: int) -> NDArray[np.float64]:
    """The real coefficients m_k = 2/n·Re Σ_j slots[j]·ζ^(-k·5^j)."""
    full = _repeated(np.asarray(slots, dtype=np.complex128).ravel(), n // 2)
    points = np.zeros(2 * n, np.complex128)
    points[_fives(n)] = full
    points[2 * n - _fives(n)] = full.conj()
    made: NDArray[np.float64] = np.fft.fft(points)[:n].real / n
    return made


def values(real: NDArray[np.float64]) -> NDArray[np.complex128]:
    """The slots m(ζ^(5^j)), j < n/2, of the polynomial with these n real coefficients."""
    n = len(real)
    padded = np.zeros(2 * n, np.float64)
    padded[:n] = real
    made: NDArray[np.complex128] = np.fft.fft(padded).conj()[_fives(n)]
    return made


def _repeated(slots: NDArray[np.complex128], count: int) -> NDArray[np.complex128]:
    given = len(slots)
    if given == 0 or count % given:
        raise RingMismatch(f"embed: {given} slots cannot be repeated to fill {count}", "add zeros")
    return np.tile(slots, count // given)


def _fives(n: int) -> NDArray[np.int64]:
    return powers(5, n // 2, 2 * n)


def powers(g: int, count: int, modulus: int) -> NDArray[np.int64]:
    """g^0, ..., g^(count - 1) modulo a power of two."""
    out = np.ones(count, np.int64)
    for j in range(1, count):
        out[j] = out[j - 1] * g % modulus
    return out


def _rounded(real: NDArray[np.float64]) -> Any:
    whole = np.rint(real)
    if np.max(np.abs(whole)) < EXACT_FLOAT:
        return whole.astype(np.int64)
    return np.array([int(c) for c in whole], dtype=object)


def _size(ring: RnsRing) -> int:
    assert ring.n is not None
    return ring.n


def _batched(slots: Any, n: int, t: int, generator: int) -> NDArray[np.int64]:
    at_roots = np.zeros(n, np.uint64)
    given = np.asarray(slots, dtype=np.int64).ravel()
    at_roots[_places(n, t, generator)[: len(given)]] = (given % t).astype(np.uint64)
    made: NDArray[np.int64] = inverse(at_roots[np.newaxis], (t,))[0].astype(np.int64)
    return made


def _unbatched(integers: Any, n: int, t: int, generator: int) -> NDArray[np.int64]:
    residues = np.asarray(integers % t, dtype=np.uint64)
    made: NDArray[np.int64] = forward(residues[np.newaxis], (t,))[0][_places(n, t, generator)].astype(
        np.int64
    )
    return made


def _places(n: int, t: int, generator: int) -> NDArray[np.int64]:
    """Where the transform modulo t puts the value of each slot."""
    place = np.empty(2 * n, np.int64)
    place[exponents(n, t)] = np.arange(n)
    first = powers(generator, n // 2, 2 * n)
    made: NDArray[np.int64] = place[np.concatenate([first, 2 * n - first])]
    return made
