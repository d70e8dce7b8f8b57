"""Lattigo 6.1.1: the primes it finds, what it enforces, and our choice of its chain.

The facts are from core/rlwe/params.go (GenModuli, CheckModuli) and ring/primes.go
(NTTFriendlyPrimesGenerator) [Lattigo]. Lattigo enforces no security at all, so we apply the Security
Guidelines of 2024 [Bossuat24]. The policy for what Lattigo leaves to its user is in `chain`.
"""

from collections.abc import Iterator
from functools import cache, lru_cache, partial
from itertools import takewhile
from math import ceil, log2
from typing import Final

from fheasible.aliases import Json
from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.libraries import chain
from fheasible.libraries.chain import Primes
from fheasible.libraries.parameters import Bits, Parameters, Request
from fheasible.libraries.primes import PrimesAhead, ascending, descending
from fheasible.security.tables import GUIDELINES_2024, max_log_q

NAME: Final = "lattigo"
VERSION: Final = "6.1.1"
SCHEMES: Final = chain.SCHEMES
SECURITY_TABLE: Final = GUIDELINES_2024  # ours: the library has none
MAX_PRIME_BITS: Final = 60  # of Q's primes, as asked for; they scatter on both sides of 2^60
MAX_SPECIAL_BITS: Final = 61
MIN_DIMENSION: Final = 1 << 4
MAX_DIMENSION: Final = 1 << 20
DIGITS: Final = 3  # of key switching, unless asked otherwise
LEAKS: Final = (
    "Lattigo adds no noise when it decrypts. It can round (DecodePublic), but that reveals the noise of "
    "every value near a rounding boundary"
)


def parameters(request: Request) -> Parameters:
    """The parameters that we run Lattigo with.

    `digits` of the request sets the number of special primes: ceil(limbs / digits). InfeasibleParameters
    where Lattigo would refuse, UsageError for what it does not have.
    """
    if request.digits is not None and (request.digits < 1 or request.special_bits is not None):
        raise UsageError(
            f"digits = {request.digits} and special_bits = {request.special_bits} cannot be used together",
            "give only one of them, with at least 1 digit",
        )
    return chain.build(_LIMITS, request)


def worker_parameters(parameters: Parameters) -> Json:
    """The `parameters` of the worker's protocol; Lattigo ignores `security`."""
    return chain.worker_parameters(parameters)


def digits_at(parameters: Parameters, level: int) -> int:
    """How many digits key switching makes of level + 1 limbs: each has as many limbs as P."""
    return ceil((level + 1) / max(len(parameters.p), 1))


def gen_moduli(n: int, q_bits: Bits, p_bits: Bits, avoid: int | None = None) -> tuple[Primes, Primes]:
    """(q, p) as GenModuli finds them: the primes of each size are from one sequence, those of q first.

    The prime `avoid`, a plain modulus, is skipped.
    """
    wanted = q_bits + p_bits
    found = {bits: iter(_sequence(n, bits, wanted.count(bits), avoid)) for bits in set(wanted)}
    primes = tuple([next(found[bits]) for bits in wanted])
    return primes[: len(q_bits)], primes[len(q_bits) :]


@lru_cache(maxsize=1 << 13)
def _sequence(n: int, bits: int, count: int, avoid: int | None) -> Primes:
    found = tuple([q for q in _walk(bits, 2 * n).first(count + bool(avoid)) if q != avoid][:count])
    if len(found) < count:
        raise InfeasibleParameters(
            f"Lattigo: failed to generate {count} primes of {bits} bits that are 1 modulo {2 * n}; "
            f"there are only {len(found)}",
            "give the primes more bits",
        )
    return found


@cache
def _walk(bits: int, m: int) -> PrimesAhead:
    if 2**bits % m:  # the walk would not meet a number that is 1 modulo m
        return PrimesAhead(())
    below = takewhile(partial(_near, bits), descending(bits, m))  # NextDownstreamPrime, repeatedly
    return PrimesAhead(below if bits == MAX_SPECIAL_BITS else _alternating(bits, m, below))


def _alternating(bits: int, m: int, below: Iterator[int]) -> Iterator[int]:
    """The primes of repeated NextAlternatingPrime: it tries one candidate above 2^bits and one below in turn.

    After a prime the next call starts above again, so that two primes above may follow each other.
    """
    above = takewhile(partial(_near, bits), ascending(bits + 1, m))
    high, low = 2**bits + 1, 2**bits + 1 - m  # the next candidates
    higher, lower = next(above, None), next(below, None)
    while higher or lower:
        if higher and (lower is None or higher - high <= low - lower):
            yield higher
            low -= higher - high
            high, higher = higher + m, next(above, None)
        elif lower:
            yield lower
            high += low - lower + m
            low, lower = lower - m, next(below, None)


def _near(bits: int, candidate: int) -> bool:
    """Whether log2 of a candidate rounds to `bits`; a walk ends where it does not."""
    return abs(log2(candidate) - bits) < 0.5


def _special_bits(request: Request, q_bits: Bits) -> Bits:
    """ceil(limbs / digits) primes, each as large as the largest of the chain.

    P must not be smaller than a digit, or key switching adds too much noise. More primes in P make fewer
    digits and so less work, but they cost bits of log2(QP). A third of the chain balances the two.
    """
    return (max(q_bits),) * ceil(len(q_bits) / (request.digits or DIGITS))


def _max_log_q(request: Request, n: int) -> float | None:
    return max_log_q(SECURITY_TABLE, n, "ternary", request.security or 128, request.quantum)


def _log_q(primes: Primes) -> float:
    return sum(log2(prime) for prime in primes)


def _digits(limbs: int, special: int) -> int:
    return ceil(limbs / max(special, 1))


_LIMITS: Final = chain.Limits(
    name=NAME,
    title="Lattigo",
    schemes=SCHEMES,
    max_prime_bits=MAX_PRIME_BITS,
    max_special_bits=MAX_SPECIAL_BITS,
    min_dimension=MIN_DIMENSION,
    max_dimension=MAX_DIMENSION,
    max_primes=1 << 10,  # it sets no limit
    plain_below_first=True,
    special_bits=_special_bits,
    primes=gen_moduli,
    max_log_q=_max_log_q,
    log_q=_log_q,
    digits=_digits,
)
