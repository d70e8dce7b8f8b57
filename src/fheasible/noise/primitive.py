"""The noise that single primitives add: variances of one coefficient, in units of the ciphertext.

Every formula here is an average-case one: coefficients of an error are taken as independent and
Gaussian, a ternary secret has 2N/3 non-zero coefficients [KPP22], [BMCM23].
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import exp2, log2
from typing import NamedTuple

from fheasible.libraries.lattigo import way as lattigo
from fheasible.libraries.openfhe import way as openfhe
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.seal import way as seal
from fheasible.program.types import Program
from fheasible.rings.rns.element import Conversion
from fheasible.rings.rns.modulus import Rounding
from fheasible.schemes.rns.variant import Mask, Variant
from fheasible.security.tables import SIGMA

UNIFORM = 1 / 12  # variance of a rounding error
_HALF = 0.5  # mean of a number in [0, 1)

_VARIANTS: Mapping[str, Callable[[Parameters], Variant]] = {
    "lattigo": lattigo.variant,
    "openfhe": openfhe.variant,
    "seal": seal.variant,
}


def secret_norm(p: Parameters) -> float:
    """Expected squared norm of the secret."""
    return {"uniform_ternary": 2 / 3, "gaussian": SIGMA**2}.get(p.secret, 2 / 3) * p.ring_dimension


def rounding(p: Parameters, size: int = 2) -> float:
    """Dividing the polynomials of a ciphertext and rounding: tau_0 + tau_1 s, and + tau_2 s^2 of a product
    that is not relinearised."""
    return UNIFORM * _read(p, size)


def _read(p: Parameters, size: int) -> float:
    """Squared norm of what a ciphertext's polynomials are multiplied by to read it. The mean of |s|^4 is
    twice the square of that of |s|^2 [BMCM23]."""
    norm = secret_norm(p)
    return 1 + norm + (2 * norm**2 if size == 3 else 0.0)


class Added(NamedTuple):
    """Variance of a coefficient of what is added: what is spread over all slots alike, and what means bring.
    A digit or a division that is not centred has a mean; the polynomial of equal coefficients that it makes
    has slots 2 / (1 - zeta), large where zeta is near 1 (`shape`)."""

    spread: float
    offset: float


def variant(p: Parameters) -> Variant:
    """The library's choices among the published algorithms."""
    return _VARIANTS[p.library](p)


def division(p: Parameters, how: Rounding, limbs: int = 1, size: int = 2) -> Added:
    """Dividing the polynomials of a ciphertext by so many limbs, rounded so: as `rounding`."""
    parts = limbs if how.how is Conversion.FAST else 1
    nearest = how.half or how.how is Conversion.EXACT
    return Added(parts * rounding(p, size), 0.0 if nearest else (_HALF * parts) ** 2 * _read(p, size))


def fresh(p: Parameters) -> float:
    """Public-key encryption; all of it."""
    return sum(encryption(p))


def encryption(p: Parameters) -> Added:
    """Public-key encryption at the top level: v e + e_0 + e_1 s. SEAL and Lattigo encrypt with P, or its
    first prime, and divide it out (SEAL util/rlwe.cpp, Lattigo core/rlwe/encryptor.go): this rounds."""
    direct = SIGMA**2 * (1 + 2 / 3 * p.ring_dimension + secret_norm(p))
    choices = variant(p)
    if choices.mask is Mask.CHAIN or not p.p:
        return Added(direct, 0.0)
    divisor = p.p[:1] if choices.mask is Mask.FIRST else p.p
    left = division(p, choices.mod_down, len(divisor))
    return Added(direct * _product_over((), sum(log2(q) for q in divisor)) ** 2 + left.spread, left.offset)


def encryption_shares(p: Parameters) -> tuple[float, float]:
    """Of the variance of an encryption, what is times the secret, and what is times the public key's
    error."""
    mask, whole = SIGMA**2 * 2 / 3 * p.ring_dimension, fresh(p)
    if variant(p).mask is Mask.CHAIN or not p.p:
        return SIGMA**2 * secret_norm(p) / whole, mask / whole
    return UNIFORM * secret_norm(p) / whole, 0.0  # P makes errors vanish beside the rounding


def key_switch(p: Parameters, level: int) -> float:
    """Switching a polynomial back to the secret at `level`: digits times key errors, over P; on average."""
    return sum(switched(p, level))


@lru_cache(maxsize=4096)
def switched(p: Parameters, level: int) -> Added:
    """The same in its two parts."""
    keys = keyed(p, level)
    if p.key_switching == "bv":
        return keys
    divided = division(p, variant(p).mod_down, len(p.p))
    return Added(keys.spread + divided.spread, keys.offset + divided.offset)


def digits(p: Parameters) -> int:
    """Of key switching, at the top level."""
    return -(-p.limbs // p.limbs_per_digit)


def key_sigma(p: Parameters) -> float:
    """Standard deviation of the errors of switching keys."""
    return openfhe.KEY_SIGMA if p.library == "openfhe" else SIGMA


def narrowest_error(program: Program, p: Parameters) -> float:
    """The least standard deviation of the errors that an attacker sees: those of ciphertexts, or of keys."""
    return min(SIGMA, key_sigma(p)) if program.switches_keys else SIGMA


def keyed(p: Parameters, level: int) -> Added:
    """Digits times key errors, over P: key switching without the rounding of its division.

    A digit of k limbs that is converted FAST lies in [0, k D), like the sum of k uniform ones [BEHZ16]; so
    does the remainder of a division by P. SEAL's digits of one limb lie in [0, D).
    """
    error, limbs = p.ring_dimension * key_sigma(p) ** 2, min(level + 1 + p.extended_limbs, p.limbs)
    centred = variant(p).mod_up is Conversion.EXACT
    if p.key_switching == "bv":
        return Added(sum(error * UNIFORM * float(q) ** 2 for q in p.q[:limbs]), 0.0)
    per_digit = p.limbs_per_digit
    spread = offset = 0.0
    for first in range(0, limbs, per_digit):
        digit = p.q[first : min(first + per_digit, limbs)]
        key = error * _product_over(digit, p.log_p) ** 2
        spread += key * UNIFORM * (1 if centred else len(digit))
        offset += key * (0 if centred else _HALF * len(digit)) ** 2
    return Added(spread, offset)


def _product_over(digit: tuple[int, ...], log_p: float) -> float:
    """The digit's modulus over P, without leaving the range of a double."""
    ratio = exp2(-log_p)
    for q in digit:
        ratio *= q
    return ratio
