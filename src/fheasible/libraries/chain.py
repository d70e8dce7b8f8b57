"""Our policy where a library leaves the modulus chain to its user (SEAL, Lattigo).

A request gives the bits of a chain's primes, lowest prime first, and the library's own search turns bits into
primes. This file has the defaults for the bits, the choice of the ring dimension, the plain modulus and the
ladder of CKKS scales. What a library enforces and how it searches is in its own file.

The defaults where the request says nothing, with n the ring dimension and t the plain modulus:

CKKS  a first prime of 60 bits, then one of 40 bits (the scale) for each level.
BGV   for each level a prime of 1.5 log2(t) + log2(n) + 8 bits: log2(t) + log2(n) for a product of two values
      at the rounding floor, half of log2(t) for matching two plaintext scales, the rest for sums of some
      hundred terms. The first prime has 4 bits more. No prime has more than 60 bits.
BFV   log2(t) + log2(n) + 3 bits for each multiplication and 2 log2(t) + log2(n) + 24 to start with, in as few
      primes of equal size as hold them.

They are simple and meant to work. `prime_bits` overrides them, as an explorer with a noise model should.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from math import ceil, log2, prod, sqrt
from typing import Final, TypeVar

from fheasible.aliases import Json
from fheasible.errors import InfeasibleParameters, UnknownName, UsageError
from fheasible.libraries.parameters import (
    Bits,
    CkksParameters,
    IntegerParameters,
    IntegerRequest,
    Parameters,
    Request,
)
from fheasible.libraries.primes import is_prime
from fheasible.security.tables import LEVELS

SCHEMES: Final = ("ckks", "bgv", "bfv")
SECRET: Final = "uniform_ternary"  # of every set
SCALE_BITS: Final = 40
FIRST_BITS: Final = 60
MOST_PLAIN_BITS: Final = 62  # of a plaintext modulus that is asked for
PLAIN_MODULI: Final = (65_537, 786_433)  # primes that are 1 modulo 2N: up to N = 2^15, and up to N = 2^17

# Settings that libraries of this policy do not have.
_FOREIGN: Final = ("technique", "key_switching")
_OF_CKKS: Final = (*_FOREIGN, "noise_estimate")
_OF_INTEGERS: Final = (*_FOREIGN, "scale_bits", "eval_add_count", "key_switch_count")

Primes = tuple[int, ...]
P = TypeVar("P", bound=Parameters)


@dataclass(frozen=True, slots=True)
class Limits:
    """What the policy needs to know of a library."""

    name: str
    title: str
    schemes: tuple[str, ...]
    max_prime_bits: int
    max_special_bits: int
    min_dimension: int
    max_dimension: int
    max_primes: int
    plain_below_first: bool  # whether t must be below q[0] in BFV too, and not only below q
    special_bits: Callable[[Request, Bits], Bits]  # the default bits of the special primes
    primes: Callable[[int, Bits, Bits, int | None], tuple[Primes, Primes]]  # (n, bits of q, of p, t to avoid)
    max_log_q: Callable[[Request, int], float | None]  # the largest log2(QP) at a dimension; None: no QP
    log_q: Callable[[Primes], float]  # log2(QP) as the library compares it
    digits: Callable[[int, int], int]  # how many key switching has, from the limbs of Q and of P


def check(limits: Limits, request: Request) -> None:
    """Raise where the request names what the library does not have."""
    if request.scheme not in limits.schemes:
        choice = ", ".join(limits.schemes)
        raise UnknownName(f"{limits.title} has no scheme {request.scheme!r}", f"choose one of {choice}")
    if request.security not in (None, *LEVELS):
        raise UsageError(
            f"{limits.title} has no security level of {request.security} bits", "ask for 128, 192 or 256"
        )
    if request.secret not in (None, SECRET):
        raise UnknownName(
            f"{limits.title} has no secret {request.secret!r} here", f"leave secret out, or give {SECRET}"
        )
    for what in _OF_CKKS if request.scheme == "ckks" else _OF_INTEGERS:
        if given := getattr(request, what):
            raise UsageError(
                f"{limits.title} has no choice of {what}, but {given!r} was given", f"leave out {what}"
            )
    _check_shape(limits, request)


def _check_shape(limits: Limits, request: Request) -> None:
    n = request.ring_dimension
    if request.depth < 0:
        raise refusal(limits, request, f"depth {request.depth} is negative", "give a depth of 0 or more")
    if request.prime_bits == ():
        raise refusal(
            limits, request, "the chain has no primes", "give at least one prime, or leave the chain out"
        )
    if n is None and request.security is None:
        raise refusal(
            limits,
            request,
            "neither a ring dimension nor a security level is given",
            "ask for --security 128, 192 or 256, or give --ring-dimension",
        )
    if n is not None and (n & (n - 1) or not limits.min_dimension <= n <= limits.max_dimension):
        raise refusal(
            limits,
            request,
            f"ring dimension {n} is not a power of two from {limits.min_dimension} to {limits.max_dimension}",
            "choose a power of two in this range",
        )
    t = None if request.scheme == "ckks" else request.plain_modulus
    if t is not None and not 2 <= t < 2**MOST_PLAIN_BITS:
        raise refusal(
            limits,
            request,
            f"plain modulus {t} is not from 2 to 2^{MOST_PLAIN_BITS} - 1",
            "choose a suitable prime, for example 65537",
        )


def refusal(limits: Limits, request: Request, reason: str, remedy: str) -> InfeasibleParameters:
    return InfeasibleParameters(f"{limits.title} {request.scheme.upper()}: {reason}", remedy)


def build(limits: Limits, request: Request) -> Parameters:
    """The parameters at the ring dimension asked for, or at the smallest that is secure and large enough."""
    check(limits, request)
    if request.ring_dimension is not None:
        return secured(limits, request, _at(limits, request, request.ring_dimension))
    allowed = [(n, limits.max_log_q(request, n)) for n in dimensions(limits, request)]
    for n, limit in allowed:
        if limit is not None and _least_bits(limits, request, n) <= limit:
            p = _at(limits, request, n)
            if limits.log_q(p.q + p.p) <= limit:
                return p
    largest = max((limit for _, limit in allowed if limit is not None), default=None)
    raise refusal(
        limits,
        request,
        f"no ring dimension has {request.security} bits of security with this chain: "
        + (f"none allows a log2(QP) above {largest}" if largest else "none has enough slots"),
        "lower the depth, the scale, the primes' bits or the security level",
    )


def log_qp(limits: Limits, p: Parameters) -> float:
    """log2 of the largest modulus that keys have: that of a bootstrap, where there is one."""
    wide = p.bootstrap if p.scheme == "ckks" and p.bootstrap is not None else p
    return limits.log_q(wide.q + wide.p)


def secured(limits: Limits, request: Request, p: P) -> P:
    """`p`, or InfeasibleParameters where its modulus is too large for its ring dimension."""
    if request.security is None:
        return p
    limit, log_q = limits.max_log_q(request, p.ring_dimension), log_qp(limits, p)
    if limit is None or log_q > limit:
        allowed = "no modulus at all" if limit is None else f"{limit:g}"
        raise refusal(
            limits,
            request,
            f"log2(QP) = {log_q:.1f} at ring dimension {p.ring_dimension}, but {request.security} bits of "
            f"security allow {allowed} there",
            "give a larger --ring-dimension, a lower depth, or smaller primes",
        )
    return p


def dimensions(limits: Limits, request: Request) -> Iterator[int]:
    """The ring dimensions with enough slots, ascending from the smallest that any security table has."""
    n = max(limits.min_dimension, 1024)
    while n <= limits.max_dimension:
        if (request.batch or 0) <= _slots(request, n):
            yield n
        n *= 2


def _slots(request: Request, n: int) -> int:
    return n // 2 if request.scheme == "ckks" else n


def _least_bits(limits: Limits, request: Request, n: int) -> int:
    """A lower bound on log2(QP) at n, because a prime of b bits is above 2^(b-1).

    It makes most searches for primes unnecessary.
    """
    t = None if request.scheme == "ckks" else _wished_plain_modulus(request, n)
    q_bits = chain_bits(request, n, t)
    return sum(bits - 1 for bits in q_bits + _special_bits(limits, request, q_bits))


def _special_bits(limits: Limits, request: Request, q_bits: Bits) -> Bits:
    return limits.special_bits(request, q_bits) if request.special_bits is None else request.special_bits


def _at(limits: Limits, request: Request, n: int) -> Parameters:
    """The parameters at ring dimension n, secure or not."""
    t = None if request.scheme == "ckks" else plain_modulus(limits, request, n)
    q_bits = chain_bits(request, n, t)
    p_bits = _special_bits(limits, request, q_bits)
    _check_bits(limits, request, q_bits, p_bits)
    _check_slots(limits, request, n)
    q, p = limits.primes(n, q_bits, p_bits, t)
    shared: Json = {
        "ring_dimension": n, "q": q, "p": p, "digits": limits.digits(len(q), len(p)),
        "key_switching": "hybrid", "secret": SECRET, "levels": 0 if request.scheme == "bfv" else len(q) - 1,
    }  # fmt: skip
    if request.scheme == "ckks":
        scale_bits = _scale_bits(request)
        own = request.having(scale_bits=scale_bits, secret=SECRET)
        return CkksParameters(limits.name, "ckks", scales=ladder(q, scale_bits), request=own, **shared)
    assert t is not None  # as every integer scheme has
    _check_plain_modulus(limits, request, t, q)
    asked = request.having(scale_bits=None, plain_modulus=t, secret=SECRET)
    return IntegerParameters(limits.name, request.scheme, plain_modulus=t, request=asked, **shared)


def chain_bits(request: Request, n: int, t: int | None) -> Bits:
    """The bits of q[0], q[1], ...: those of the request, or the defaults at the top of this file."""
    if request.prime_bits is not None:
        return request.prime_bits
    if request.scheme == "ckks":
        first = request.first_bits or max(FIRST_BITS, request.scale_bits or 0)
        return (first, *(request.scale_bits or SCALE_BITS,) * request.depth)
    log_t = log2(t or 2)
    if request.scheme == "bgv":
        level = ceil(1.5 * log_t + log2(n) + 8)
        return (request.first_bits or min(level + 4, 60), *(min(level, 60),) * request.depth)
    total = ceil(2 * log_t + log2(n) + 24 + request.depth * (log_t + log2(n) + 3))
    limbs = ceil(total / 60)
    return (ceil(total / limbs),) * limbs


def _scale_bits(request: Request) -> int:
    """The bits of the scale that the request gives, or else the default.

    By default a chain that the request gives has the bits of its last prime, which the first rescaling
    removes, and any other chain has SCALE_BITS.
    """
    own = request.prime_bits
    return request.scale_bits or (own[-1] if own and len(own) > 1 else SCALE_BITS)


def _check_bits(limits: Limits, request: Request, q_bits: Bits, p_bits: Bits) -> None:
    _check_sizes(limits, request, q_bits, limits.max_prime_bits)
    _check_sizes(limits, request, p_bits, limits.max_special_bits)
    reason, remedy = "", f"give {request.depth + 1} primes or a lower depth"
    if len(q_bits + p_bits) > limits.max_primes:
        reason = f"{len(q_bits + p_bits)} primes are needed, but it supports only {limits.max_primes}"
    elif request.scheme != "bfv" and len(q_bits) < request.depth + 1:
        primes = f"{len(q_bits)} prime{'s give' if len(q_bits) > 1 else ' gives'}"
        levels = f"{len(q_bits) - 1} level{'s' * (len(q_bits) != 2)}"
        reason = f"{primes} {levels}, but depth {request.depth} is asked for"
    elif request.scheme == "ckks" and q_bits[0] < _scale_bits(request):
        reason = f"the first prime has {q_bits[0]} bits, fewer than the scale's {_scale_bits(request)}"
        remedy = f"give --first-bits {_scale_bits(request)} or more"
    if reason:
        raise refusal(limits, request, reason, remedy)


def _check_sizes(limits: Limits, request: Request, sizes: Bits, largest: int) -> None:
    if sizes and (min(sizes) < 2 or max(sizes) > largest):
        bits = next(bits for bits in sizes if not 2 <= bits <= largest)
        reason = f"a prime of {bits} bits was asked for, but it supports 2 to {largest} bits here"
        raise refusal(limits, request, reason, "give smaller primes, and more of them")


def _check_slots(limits: Limits, request: Request, n: int) -> None:
    if (request.batch or 0) > _slots(request, n):
        raise refusal(
            limits,
            request,
            f"batch {request.batch} exceeds the {_slots(request, n)} slots of ring dimension {n}",
            "lower --batch or give a larger --ring-dimension",
        )


def _wished_plain_modulus(request: IntegerRequest, n: int) -> int:
    if request.plain_modulus is not None:
        return request.plain_modulus
    return next((t for t in PLAIN_MODULI if t % (2 * n) == 1), PLAIN_MODULI[-1])


def plain_modulus(limits: Limits, request: IntegerRequest, n: int) -> int:
    """The plain modulus t, a prime that is 1 modulo 2n, so that there are n slots.

    InfeasibleParameters where the request gives another t.
    """
    t = _wished_plain_modulus(request, n)
    if t % (2 * n) == 1 and is_prime(t):
        return t
    candidates = ", ".join(str(c) for c in plain_candidates(t, n))
    raise refusal(
        limits,
        request,
        f"plain modulus {t} gives no slots: it is not a prime that is 1 modulo {2 * n}, twice the ring "
        "dimension",
        f"choose a suitable prime, for example {candidates}",
    )


def _check_plain_modulus(limits: Limits, request: IntegerRequest, t: int, q: Primes) -> None:
    """Raise where t is not below q, or not below q[0] for BGV's last level and for every level of Lattigo."""
    first = request.scheme == "bgv" or limits.plain_below_first
    bound = q[0] if first else prod(q)
    if t >= bound:
        what = f"the first prime {bound}" if first else "the ciphertext modulus"
        reason = f"plain modulus {t} is not smaller than {what}"
        raise refusal(limits, request, reason, "choose a smaller --plain-modulus or give larger primes")


@cache
def plain_candidates(t: int, n: int) -> tuple[int, ...]:
    """The three smallest primes that are 1 modulo 2n and at least t."""
    found: list[int] = []
    candidate = max(t, 2) + (1 - max(t, 2)) % (2 * n)
    while len(found) < 3:
        if is_prime(candidate):
            found.append(candidate)
        candidate += 2 * n
    return tuple(found)


@cache
def ladder(q: Primes, scale_bits: int) -> tuple[float, ...]:
    """The CKKS scales S_0 = 2^scale_bits, ..., S_L, with S_(l-1) = S_l^2 / q_l.

    They are computed upwards: S_l = sqrt(S_(l-1) q_l) halves every deviation of a prime from the scale.
    Downwards from the top, a deviation would double at each level, and after twenty no scale would be left.
    """
    scales = [2.0**scale_bits]
    for prime in q[1:]:
        scales.append(sqrt(scales[-1] * prime))
    return tuple(scales)


def worker_parameters(p: Parameters) -> Json:
    """The `parameters` of the worker's protocol, with the primes as decimal strings."""
    return {
        "scheme": p.scheme,
        "ring_dimension": p.ring_dimension,
        "q": [str(prime) for prime in p.q],
        "p": [str(prime) for prime in p.p],
        "plain_modulus": None if p.scheme == "ckks" else p.plain_modulus,
        "scales": list(p.scales) if p.scheme == "ckks" else [],
        "security": p.request.security if p.request else None,
    }
