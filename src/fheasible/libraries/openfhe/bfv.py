"""OpenFHE's BFV parameters: `GenCryptoContext(CCParamsBFVRNS)` as a function of the request.

The rules are from `pke/lib/scheme/bfvrns/bfvrns-parametergeneration.cpp` [OpenFHE], whose correctness bounds
are those of [KPZ21]. They were compared with the wheel 1.6.1. A request may ask for only one of depth,
additions and key switches.
"""

from collections.abc import Callable
from math import ceil, log2

from fheasible.libraries.openfhe import rns
from fheasible.libraries.openfhe.bounds import NoiseBounds
from fheasible.libraries.parameters import IntegerParameters, IntegerRequest

LIMB_BITS = 60
_MANTISSA_BITS = 53  # of a double
_SMALLEST_N = 512  # where its search begins
_FIRST_GUESS = 6.0 * log2(10)  # of log2(q)

_LogQ = Callable[[int, float], float]  # (n, log2 of q so far) -> log2 of the q that correctness asks for


def with_defaults(request: IntegerRequest) -> IntegerRequest:
    """`request` with OpenFHE's default in place of each None for which OpenFHE has one."""
    return request.having(
        scale_bits=LIMB_BITS if request.scale_bits is None else request.scale_bits,
        key_switching=request.key_switching or "bv",
        secret=request.secret or "uniform_ternary",
        eval_add_count=request.eval_add_count or 0,
        key_switch_count=request.key_switch_count or 0,
    )


def parameters(request: IntegerRequest) -> IntegerParameters:
    """The parameters that OpenFHE makes of a `request` with all defaults filled in.

    InfeasibleParameters, with OpenFHE's reason, where it refuses.
    """
    t = rns.plain_modulus(request)
    rns.check_ring(request, needs_dimension=False)
    n, limbs, limbs_of_p = _search(request, _correctness(request, t))
    if request.ring_dimension and n > request.ring_dimension:
        reason = f"ring dimension {request.ring_dimension} does not meet the security requirement of {n}"
        raise rns.refusal(
            request, reason, f"give --ring-dimension {n}, or lower the depth or the plain modulus"
        )
    q = _chain(request, limbs, 2 * n)
    _check_plain(request, t, q)
    _below(request, q[-1], limbs, 2 * n)  # the second basis that HPS multiplies in must exist too
    rns.check_batch(request, n, n)
    digits = rns.default_digits(request.digits, limbs - 1) if request.key_switching == "hybrid" else 0
    p = rns.special_primes(request, q, digits, 2 * n, limbs_of_p) if digits else ()
    rns.check_security(request, n, q, p)
    return IntegerParameters(
        library="openfhe",
        scheme="bfv",
        ring_dimension=n,
        q=q,
        p=p,
        digits=digits or limbs,
        key_switching=request.key_switching or "",
        secret=request.secret or "",
        plain_modulus=t,
        levels=0,
        request=request,
    )


def _check_plain(request: IntegerRequest, t: int, q: tuple[int, ...]) -> None:
    """Raise InfeasibleParameters for a t that OpenFHE refuses, or with which it decrypts wrongly.

    It rounds to t in doubles: sums of two numbers below t for each limb (ScaleAndRound of dcrtpoly-impl.h)
    lose their last bits beyond 2^53. It also decrypts wrongly where t is more than half of a prime, as
    measured of 1.6.1 with primes of 29 to 50 bits.
    """
    remedy = "lower --plain-modulus by declaring smaller ranges of values"
    if t in q or t > q[0]:
        reason = f"t = {t} is one of its primes" if t in q else f"t = {t} exceeds its first prime {q[0]}"
        raise rns.refusal(request, reason, f"take another --scale-bits, or {remedy}")
    if 2 * t > q[-1]:
        reason = f"it would decrypt wrongly with t = {t}, which is more than half of its prime {q[-1]}"
        raise rns.refusal(request, reason, f"take a larger --scale-bits, or {remedy}")
    if 2 * len(q) * t > 1 << _MANTISSA_BITS and t & (t - 1):
        reason = f"it would decrypt wrongly with t = {t} and {len(q)} limbs, because it rounds in doubles"
        raise rns.refusal(request, reason, remedy)


def _bits(request: IntegerRequest) -> int:
    return request.scale_bits or LIMB_BITS


def _chain(request: IntegerRequest, limbs: int, m: int) -> tuple[int, ...]:
    """The largest primes of the limb size, in descending order."""
    first = rns.largest_of(request, _bits(request), m)
    return (first, *_below(request, first, limbs - 1, m))


def _below(request: IntegerRequest, prime: int, count: int, m: int) -> tuple[int, ...]:
    """The next `count` primes below `prime`."""
    found = [prime]
    for _ in range(count):
        found.append(rns.shrink(request, found[-1], m))
    return tuple(found[1:])


def _search(request: IntegerRequest, log_q_of: _LogQ) -> tuple[int, int, int]:
    """(n, limbs of q, limbs foreseen for P). n doubles until it is secure for a q that decrypts correctly."""
    n = request.ring_dimension or _SMALLEST_N
    previous = log_q = log_q_of(n, _FIRST_GUESS)
    while _secure_n(request, log_q)[0] > n:
        n *= 2
        previous = log_q = log_q_of(n, previous)
    log_q = log_q_of(n, previous)
    while abs(log_q - previous) > log2(1.001):
        previous, log_q = log_q, log_q_of(n, log_q)
    while True:
        limbs = ceil(ceil(log_q) / _bits(request))
        needed, foreseen = _secure_n(request, limbs * _bits(request))
        if needed <= n:
            return n, limbs, foreseen
        n *= 2
        log_q = log_q_of(n, limbs * _bits(request))


def _secure_n(request: IntegerRequest, log_q: float) -> tuple[int, int]:
    """(the ring dimension that OpenFHE's table asks for, limbs foreseen for P) at log2(q)."""
    if request.security is None:
        return 0, 0
    foreseen = 0
    if request.key_switching == "hybrid":
        limbs = ceil(ceil(log_q) / _bits(request))
        digits = min(limbs, rns.default_digits(request.digits, limbs - 1))
        foreseen = rns.foreseen_special_limbs(request, [_bits(request)] * limbs, digits, margin=False)
    return rns.security_dimension(request, ceil(log_q + foreseen * rns.MAX_BITS)), foreseen


def _correctness(request: IntegerRequest, t: int) -> _LogQ:
    """The function that gives log2 of a q with which decryption is correct.

    It is correct after the additions, the key switches or the products that were asked for.
    InfeasibleParameters where more than one of these was asked for.
    """
    adds, switches, depth = request.eval_add_count or 0, request.key_switch_count or 0, request.depth
    if sum(count > 0 for count in (adds, switches, depth)) > 1:
        raise rns.refusal(
            request,
            f"only one of depth {depth}, eval_add_count {adds}, key_switch_count {switches} can be non-zero",
            "leave the counts out if a depth is given",
        )
    bits = _bits(request)

    def added(n: int, _: float) -> float:
        fresh = NoiseBounds.of(n, request.secret).fresh
        return log2(t * (4 * ((adds + 1) * fresh + adds) + t))

    def switch(bounds: NoiseBounds, log_q: float) -> float:
        if request.key_switching == "hybrid":
            return bounds.switched_hybrid(ceil(log_q / bits), 1)
        return bounds.switched_bv(log_q, bits)

    def switched(n: int, log_q: float) -> float:
        bounds = NoiseBounds.of(n, request.secret)
        return log2(t * (4 * (bounds.fresh + switches * switch(bounds, log_q)) + t))

    def multiplied(n: int, log_q: float) -> float:
        bounds = NoiseBounds.of(n, request.secret)
        return bounds.log_q(t, depth, switch(bounds, log_q))

    return multiplied if depth else switched if switches else added
