"""Microsoft SEAL 4.4.0: the primes it finds, what it enforces, and our choice of its chain.

The facts are from native/src/seal/modulus.cpp (CoeffModulus::Create), util/numth.cpp (get_primes),
util/defines.h, util/hestdparms.h, context.cpp (SEALContext::validate), evaluator.cpp
(is_scale_within_bounds), ckks.h (encode_internal, decode_internal) and ckks.cpp [SEAL]. They were compared
with the wheel 4.4.0. The policy for what SEAL leaves to its user is in `chain`.
"""

from functools import lru_cache
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Json
from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.libraries import chain
from fheasible.libraries.chain import Primes
from fheasible.libraries.parameters import Bits, Parameters, Request
from fheasible.libraries.primes import descending
from fheasible.security.tables import STANDARD_2018, max_log_q

NAME: Final = "seal"
VERSION: Final = "4.4.0"
NODE_NAME: Final = "node-seal"  # the build for WebAssembly, by its package on npm
NODE_VERSION: Final = "6.0.3"
SCHEMES: Final = chain.SCHEMES
SECURITY_TABLE: Final = STANDARD_2018  # the one it enforces, up to n = 2^15; above it nothing is secure
MAX_PRIME_BITS: Final = 60
MAX_PRIMES: Final = 256
MIN_DIMENSION: Final = 2
MAX_DIMENSION: Final = 131_072
_NEARLY: Final = 1e-9  # the error in bits of the logarithm of a product of primes below powers of two
LEAKS: Final = "SEAL adds no noise when it decrypts and leaves this to the application (SECURITY.md)"


def parameters(request: Request) -> Parameters:
    """The parameters that we run SEAL with.

    InfeasibleParameters where SEAL would refuse, UsageError for what it does not have.
    """
    if request.digits is not None:
        raise UsageError(
            f"SEAL has one digit per prime, but {request.digits} digits were given", "leave out --digits"
        )
    if request.special_bits is not None and len(request.special_bits) != 1:
        raise UsageError(
            f"SEAL has one special prime, but {len(request.special_bits)} were given",
            "give one in --special-bits",
        )
    return chain.build(_LIMITS, request)


def scale_room_bits(
    log2_scale: NDArray[np.float64],
    log2_modulus: NDArray[np.float64],
    encoded: NDArray[np.bool_],
    log2_largest: NDArray[np.float64],
) -> NDArray[np.float64]:
    """How many bits larger a CKKS scale could be at a level before SEAL refuses it; below 0 it refuses.

    It refuses ("scale out of bounds", "encoded values are too large") however small the values are. After
    every product, rescaling and drop, and before decoding, the whole part of the scale's log2 must be below
    the bits of the modulus that is left. Where a vector is `encoded`, it must be below one bit less. So must
    the log2 of the largest coefficient, rounded up (ckks.h, `encode_internal`); at the scale 1 this log2 is
    `log2_largest`.
    """
    bits = np.maximum(np.floor(log2_scale), np.where(encoded, np.ceil(log2_scale + log2_largest), -np.inf))
    whole: NDArray[np.float64] = np.floor(log2_modulus - _NEARLY) - bits - encoded
    return whole


def worker_parameters(parameters: Parameters) -> Json:
    """The `parameters` of the worker's protocol. `security` is the level that SEAL enforces."""
    return chain.worker_parameters(parameters)


def digits_at(parameters: Parameters, level: int) -> int:
    """How many digits key switching splits a ciphertext of level + 1 limbs into: one for each."""
    return level + 1


def create(n: int, bits: Bits, avoid: int | None = None) -> Primes:
    """The primes of CoeffModulus::Create, which are 1 modulo 2n, in the order of `bits`.

    For each size the largest primes are taken, and handed out from the smallest of them upwards. `avoid` is
    skipped: SEAL itself would take it, and then refuse a plain modulus that divides the chain.
    """
    stacks = {size: list(_largest(n, size, bits.count(size), avoid)) for size in set(bits)}
    return tuple([stacks[size].pop() for size in bits])


@lru_cache(maxsize=1 << 13)
def _largest(n: int, bits: int, count: int, avoid: int | None) -> Primes:
    """The largest `count` primes of exactly `bits` bits, descending."""
    found = tuple([q for q in descending(bits, 2 * n).first(count + bool(avoid)) if q != avoid][:count])
    if len(found) < count:
        raise InfeasibleParameters(
            f"SEAL: failed to find enough qualifying primes: {count} of {bits} bits that are 1 modulo "
            f"{2 * n}; there are only {len(found)}",
            "give the primes more bits",
        )
    return found


def _primes(n: int, q_bits: Bits, p_bits: Bits, t: int | None) -> tuple[Primes, Primes]:
    primes = create(n, q_bits + p_bits, t)
    return primes[: len(q_bits)], primes[len(q_bits) :]


def _special_bits(request: Request, q_bits: Bits) -> Bits:
    """The bits of one special prime, as large as the largest prime of the chain, as SEAL advises."""
    return (max(q_bits),)


def _max_log_q(request: Request, n: int) -> float | None:
    """The limit on log2(QP): SEAL's own for a classical attacker.

    SEAL does not know quantum attackers; for these it is the quantum limit of the same table.
    """
    return max_log_q(SECURITY_TABLE, n, "ternary", request.security or 128, request.quantum)


def _bit_count(primes: Primes) -> float:
    """The bits of the integer QP, which SEAL compares with its limit."""
    return prod(primes).bit_length()


_LIMITS: Final = chain.Limits(
    name=NAME,
    title="SEAL",
    schemes=SCHEMES,
    max_prime_bits=MAX_PRIME_BITS,
    max_special_bits=MAX_PRIME_BITS,
    min_dimension=MIN_DIMENSION,
    max_dimension=MAX_DIMENSION,
    max_primes=MAX_PRIMES,
    plain_below_first=False,
    special_bits=_special_bits,
    primes=_primes,
    max_log_q=_max_log_q,
    log_q=_bit_count,
    digits=lambda limbs, special: limbs,
)
