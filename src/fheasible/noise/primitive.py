"""The noise that single primitives add, as the variance of one coefficient in units of the ciphertext.

Every formula here is for the average case: the coefficients of an error are taken as independent and
Gaussian, and a ternary secret has 2N/3 non-zero coefficients [KPP22], [BMCM23].
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.libraries.block import Sets
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import CkksParameters, Parameters
from fheasible.noise.sets import Figure, along, column, figure
from fheasible.rings.rns.element import Conversion
from fheasible.rings.rns.modulus import Rounding
from fheasible.schemes.rns.variant import Mask, Variant
from fheasible.security.tables import SIGMA

SPARSE = "sparse:"  # a secret with so many coefficients that are not 0
UNIFORM = 1 / 12  # variance of a rounding error
_HALF = 0.5  # mean of a number in [0, 1)


def secret_norm(p: Sets) -> float:
    """The expected squared norm of the secret."""
    if p.secret.startswith(SPARSE):
        return float(p.secret.removeprefix(SPARSE))
    if isinstance(p, CkksParameters) and p.bootstrap and p.bootstrap.weight is not None:
        return float(p.bootstrap.weight)
    return {"uniform_ternary": 2 / 3, "gaussian": SIGMA**2}.get(p.secret, 2 / 3) * p.ring_dimension


def rounding(p: Sets, size: int = 2) -> float:
    """The variance that dividing a ciphertext's polynomials and rounding them adds: that of tau_0 + tau_1 s,
    plus tau_2 s^2 for a product that is not relinearised (`size` 3)."""
    return UNIFORM * _read(p, size)


def _read(p: Sets, size: int) -> float:
    """The squared norm of (1, s), or of (1, s, s^2) for `size` 3, which a ciphertext's polynomials are
    multiplied by to read it. The mean of |s|^4 is twice the square of the mean of |s|^2 [BMCM23]."""
    norm = secret_norm(p)
    return 1 + norm + (2 * norm**2 if size == 3 else 0.0)


class AddedNoise(NamedTuple):
    """The variance that a primitive adds to a coefficient: `spread` lies in all slots alike, `offset` comes
    from means. A digit, or the error of a division, has a mean if it is not centred. A polynomial of equal
    coefficients has the values 2 / (1 - zeta) in the slots, which are large where zeta is near 1
    (`shape`)."""

    spread: Figure
    offset: Figure


@lru_cache(maxsize=16)  # every primitive asks for the same set or block
def variant(p: Sets) -> Variant:
    """The library's choices among the published algorithms."""
    return library(p.library).operations.variant(p)


def division(p: Sets, how: Rounding, limbs: int = 1, size: int = 2) -> AddedNoise:
    """The noise that dividing the polynomials of a ciphertext by so many limbs adds, rounded as `how` says;
    the formula is that of `rounding`. Without rounding to the nearest, the errors have a mean."""
    parts = limbs if how.how is Conversion.FAST else 1
    nearest = how.half or how.how is Conversion.EXACT
    return AddedNoise(parts * rounding(p, size), 0.0 if nearest else (_HALF * parts) ** 2 * _read(p, size))


def fresh(p: Sets) -> Figure:
    """The whole variance that public-key encryption adds: spread and offset together."""
    return sum(encryption(p))


def encryption(p: Sets) -> AddedNoise:
    """The noise of public-key encryption at the top level: v e + e_0 + e_1 s. SEAL and Lattigo encrypt with
    P, or with its first prime, and divide by it afterwards (SEAL util/rlwe.cpp, Lattigo
    core/rlwe/encryptor.go), which adds a rounding error."""
    direct = SIGMA**2 * (1 + 2 / 3 * p.ring_dimension + secret_norm(p))
    choices = variant(p)
    if choices.mask is Mask.CHAIN or not p.p:
        return AddedNoise(direct, 0.0)
    divisor = p.p[:1] if choices.mask is Mask.FIRST else p.p
    left = division(p, choices.mod_down, len(divisor))
    divided = direct * np.exp2(-np.log2(along(divisor)).sum(axis=-1)) ** 2
    return AddedNoise(figure(p, divided + left.spread), left.offset)


def encryption_shares(p: Sets) -> tuple[Figure, Figure]:
    """The share of an encryption's variance that is multiplied by the secret, and the share that is
    multiplied by the public key's error."""
    mask, whole = SIGMA**2 * 2 / 3 * p.ring_dimension, fresh(p)
    if variant(p).mask is Mask.CHAIN or not p.p:
        return SIGMA**2 * secret_norm(p) / whole, mask / whole
    return UNIFORM * secret_norm(p) / whole, 0.0  # after the division by P, errors are negligible


def key_switch(p: Parameters, level: int) -> float:
    """The whole variance that switching a polynomial back to the secret at `level` adds, on average: digits
    times key errors over P, and the rounding of the division by P where there is one."""
    return float(sum(switched(p, level)))


def switched(p: Parameters, level: int) -> AddedNoise:
    """The noise that key switching at `level` adds, as spread and offset."""
    return with_division(p, keyed(p, level))


def with_division(p: Sets, keys: AddedNoise) -> AddedNoise:
    """The noise `keys` of digits times key errors, plus the rounding of the division by P where there is
    one."""
    if p.key_switching == "bv":
        return keys
    divided = division(p, variant(p).mod_down, len(p.p))
    return AddedNoise(keys.spread + divided.spread, keys.offset + divided.offset)


def digits(p: Sets) -> int:
    """The number of digits in key switching at the top level."""
    return -(-p.limbs // library(p.library).limbs_per_digit(p))


def key_sigma(p: Sets) -> float:
    """The standard deviation of the errors of switching keys."""
    return library(p.library).key_sigma


def keyed(p: Parameters, level: int) -> AddedNoise:
    """The noise of digits times key errors, over P: key switching without the rounding of its division."""
    each, last = keyed_by_limbs(p), switched_limbs(p, np.array([level])) - 1
    return AddedNoise(float(each.spread[last[0]]), float(each.offset[last[0]]))


def switched_limbs(p: Sets, levels: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of limbs of the chain that key switching at each of these levels works on."""
    return np.minimum(levels + 1 + p.extended_limbs, p.limbs)


@lru_cache(maxsize=16)  # several callers in succession ask for the same set or block
def keyed_by_limbs(p: Sets) -> AddedNoise:
    """The noise `keyed` on the chain's first limb, on its first two limbs, and so on; the index on the last
    axis is the number of limbs less one.

    A digit of k limbs, with product D, that is converted FAST lies in [0, k D), like the sum of k uniform
    numbers in [0, D) [BEHZ16]; so does the remainder of a division by P. SEAL's digits of one limb lie in
    [0, D).
    """
    error, primes = p.ring_dimension * key_sigma(p) ** 2, along(p.q)
    if p.key_switching == "bv":
        return AddedNoise(np.cumsum(error * UNIFORM * primes**2, axis=-1), np.zeros_like(primes))
    per_digit = library(p.library).limbs_per_digit(p)
    limbs = np.arange(p.limbs) % per_digit + 1  # limbs of each limb's digit, up to that limb
    centred = variant(p).mod_up is Conversion.EXACT
    key = error * _products_over(primes, per_digit, p.log_p) ** 2
    spread = key * UNIFORM * (1 if centred else limbs)
    offset = key * (0 if centred else _HALF * limbs) ** 2
    return AddedNoise(_with_whole_digits(spread, per_digit), _with_whole_digits(offset, per_digit))


def _products_over(primes: Floats, per_digit: int, log_p: Figure) -> Floats:
    """For each limb, the product of its digit's primes up to that limb, over P, without leaving the range of
    a double."""
    lead, limbs = primes.shape[:-1], primes.shape[-1]
    digits = -(-limbs // per_digit)
    padded = np.ones((*lead, digits * per_digit))
    padded[..., :limbs] = primes
    by_digit = padded.reshape(*lead, digits, per_digit)
    by_digit[..., 0] *= np.exp2(-column(log_p))
    return np.asarray(np.cumprod(by_digit, axis=-1).reshape(*lead, -1)[..., :limbs])


def _with_whole_digits(each: Floats, per_digit: int) -> Floats:
    """For each limb, what its own digit adds up to that limb, plus what the whole digits before it add."""
    whole = np.cumsum(each[..., per_digit - 1 :: per_digit], axis=-1)
    before = np.concatenate([np.zeros((*each.shape[:-1], 1)), whole], axis=-1)
    return np.asarray(each + before[..., np.arange(each.shape[-1]) // per_digit])
