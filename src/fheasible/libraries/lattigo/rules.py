"""Lattigo 6.1.1: what it enforces, and our choice of its chain; its primes are in `moduli`.

The facts are from core/rlwe/params.go (CheckModuli) [Lattigo]. Lattigo enforces no security at all, so we
apply the Security Guidelines of 2024 [Bossuat24]. The policy for what Lattigo leaves to its user is in
`chain`, and what a bootstrap adds in `bootstrap`.
"""

from math import ceil, log2
from typing import Final

from fheasible.aliases import Json
from fheasible.errors import UsageError
from fheasible.libraries import chain
from fheasible.libraries.chain import Primes
from fheasible.libraries.lattigo import bootstrap
from fheasible.libraries.lattigo.moduli import MAX_SPECIAL_BITS, gen_moduli
from fheasible.libraries.parameters import Bits, Parameters, Request
from fheasible.security.tables import GUIDELINES_2024, max_log_q

NAME: Final = bootstrap.NAME
VERSION: Final = "6.1.1"
SCHEMES: Final = chain.SCHEMES
SECURITY_TABLE: Final = GUIDELINES_2024  # ours: the library has none
MAX_PRIME_BITS: Final = 60  # of Q's primes, as asked for; they scatter on both sides of 2^60
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
    if request.scheme == "ckks" and request.bootstrap is not None:
        return bootstrap.build(_LIMITS, request, request.bootstrap)
    return chain.build(_LIMITS, request)


def worker_parameters(parameters: Parameters) -> Json:
    """The `parameters` of the worker's protocol; Lattigo ignores `security`."""
    return chain.worker_parameters(parameters) | bootstrap.worker_parameters(parameters)


def digits_at(parameters: Parameters, level: int) -> int:
    """How many digits key switching makes of level + 1 limbs: each has as many limbs as P."""
    return ceil((level + 1) / max(len(parameters.p), 1))


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
