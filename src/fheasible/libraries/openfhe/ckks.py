"""OpenFHE's CKKS parameters: `GenCryptoContext(CCParamsCKKSRNS)` as a function of the request.

The rules are from `pke/lib/scheme/ckksrns/ckksrns-parametergeneration.cpp` and `ckksrns-cryptoparameters.cpp`
[OpenFHE], and were compared with the wheel 1.6.1. FLEXIBLE* picks each prime next to the scale that the limbs
above it leave, so that all scales stay close to the first [KPP22]. OpenFHE does that search in doubles, and
so does this file.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import count
from math import exp2, floor, isfinite, log2

from fheasible.errors import UnsupportedOperation
from fheasible.libraries.openfhe import rns
from fheasible.libraries.parameters import CkksParameters, CkksRequest
from fheasible.libraries.primes import PrimeNotFound, PrimesAhead, first_prime, next_prime, previous_prime
from fheasible.schemes.rns.bootstrap import monic

SCALE_BITS = 50
FIRST_BITS = 60
TECHNIQUE = "flexibleautoext"
KEY_SWITCHING = "hybrid"

# Noise flooding (gen-cryptocontext-ckksrns-internal.h). Its validation allows no other two figures in CKKS.
FLOODED_SCALE_BITS, FLOODED_FIRST_BITS = 59, 60  # whatever sizes are asked for
STATISTICAL_BITS, QUERIES = 30, 1
FLOODING_BITS = STATISTICAL_BITS / 2 + log2(12 * QUERIES) / 2  # above the noise [LMSS22]
MOST_FLOODING_BITS = FLOODED_SCALE_BITS - 3


def with_defaults(request: CkksRequest) -> CkksRequest:
    """`request` with OpenFHE's default in place of each None for which OpenFHE has one."""
    return request.having(
        scale_bits=SCALE_BITS if request.scale_bits is None else request.scale_bits,
        first_bits=FIRST_BITS if request.first_bits is None else request.first_bits,
        technique=request.technique or TECHNIQUE,
        key_switching=request.key_switching or KEY_SWITCHING,
        secret=request.secret or "uniform_ternary",
    )


def parameters(request: CkksRequest) -> CkksParameters:
    """The parameters that OpenFHE makes of a `request` with all defaults filled in.

    InfeasibleParameters, with OpenFHE's reason, where it refuses.
    """
    scale_bits, first_bits = _checked_bits(request)
    flooding = _flooding(request)
    if flooding:
        scale_bits, first_bits = FLOODED_SCALE_BITS, FLOODED_FIRST_BITS
        request = replace(request, scale_bits=scale_bits, first_bits=first_bits)
    digits = rns.default_digits(request.digits, request.depth)
    hybrid = request.key_switching == "hybrid"
    log_q, limbs_of_p = _foreseen(request, scale_bits, first_bits, digits if hybrid else 0)
    n = rns.ring_dimension(request, log_q + limbs_of_p * rns.MAX_BITS)
    rns.check_batch(request, n, n // 2)
    q = _chain(request, scale_bits, first_bits, 2 * n)
    p = rns.special_primes(request, q, digits, 2 * n, limbs_of_p) if hybrid else ()
    scales = _scales(request, q, scale_bits)
    rns.check_security(request, n, q, p)
    return CkksParameters(
        library="openfhe",
        scheme="ckks",
        ring_dimension=n,
        q=q,
        p=p,
        digits=digits if hybrid else len(q),
        technique=request.technique or "",
        key_switching=request.key_switching or "",
        secret=request.secret or "",
        scales=scales,
        levels=request.depth,
        extended_limbs=_extended(request),
        flooding=flooding,
        request=request,
    )


def _extended(request: CkksRequest) -> int:
    return int(request.technique == "flexibleautoext")


def _flexible(request: CkksRequest) -> bool:
    return request.technique in ("flexibleauto", "flexibleautoext")


def _checked_bits(request: CkksRequest) -> tuple[int, int]:
    """(bits of the scale, bits of the first prime) of a request that OpenFHE accepts."""
    rns.check_ring(request)
    scale_bits, first_bits = request.scale_bits or 0, request.first_bits or 0
    if not rns.MIN_BITS <= scale_bits < rns.MAX_BITS:
        reason = f"a scale of {scale_bits} bits is outside {rns.MIN_BITS} to {rns.MAX_BITS - 1} bits"
        raise rns.refusal(request, reason, "choose --scale-bits in this range")
    if first_bits < scale_bits:
        reason = f"the first prime has {first_bits} bits, fewer than the scale's {scale_bits}"
        raise rns.refusal(request, reason, f"give --first-bits {scale_bits} or more")
    return scale_bits, first_bits


def _flooding(request: CkksRequest) -> float:
    """The standard deviation of what decryption adds to a coefficient; 0 where flooding is not asked for."""
    if request.noise_estimate is None:
        return 0.0
    if request.noise_estimate == 0 or not isfinite(request.noise_estimate):
        reason = f"it treats a noise estimate of {request.noise_estimate:g} bits as missing"
        raise rns.refusal(
            request,
            reason,
            "give log2 of the noise, such as 12.5, or leave noise_estimate out for no flooding",
        )
    bits = FLOODING_BITS + request.noise_estimate
    if bits > MOST_FLOODING_BITS:
        reason = (
            f"flooding noise of {request.noise_estimate:.1f} bits takes {bits:.1f} of the scale's "
            f"{FLOODED_SCALE_BITS} bits and leaves fewer than 3 bits of precision"
        )
        most = MOST_FLOODING_BITS - FLOODING_BITS
        raise rns.refusal(
            request, reason, f"lower the depth or the values, so that the noise has at most {most:.1f} bits"
        )
    return exp2(bits)


def _foreseen(request: CkksRequest, scale_bits: int, first_bits: int, digits: int) -> tuple[int, int]:
    """(bits of Q, limbs of P) from which the ring dimension is chosen. With 0 digits there is no P."""
    if request.security is None:
        return 0, 0
    bits = [first_bits] + [scale_bits] * request.depth + [rns.EXTRA_BITS] * _extended(request)
    log_q = sum(bits)
    log_q += int(log_q != rns.MAX_BITS)  # primes scatter about powers of two
    return log_q, rns.foreseen_special_limbs(request, bits, digits, margin=True) if digits else 0


def _chain(request: CkksRequest, scale_bits: int, first_bits: int, m: int) -> tuple[int, ...]:
    """q[0] ... q[depth], and the extra limb last."""
    top = rns.grow(request, scale_bits, m)
    upper = _upper(request, top, m)
    highest = max(upper, default=top)
    first = next_prime(highest, m) if first_bits == scale_bits else rns.largest_of(request, first_bits, m)
    if first in upper:
        first = next_prime(highest, m)
    q = (first, *upper)
    return (*q, _extra_limb(q, top, m)) if _extended(request) else q


def _extra_limb(q: tuple[int, ...], top: int, m: int) -> int:
    extra = first_prime(rns.EXTRA_BITS - 1, m)
    return next_prime(max(*q, top), m) if extra in q else extra


def _upper(request: CkksRequest, top: int, m: int) -> tuple[int, ...]:
    """q[1] ... q[depth]."""
    walk = _flexible_walk if _flexible(request) else _fixed_walk
    try:
        found = _downwards(walk, top, m).first(request.depth)
        if len(found) < request.depth:  # it ended before: this says why
            found = PrimesAhead(walk(top, m)).first(request.depth)
    except PrimeNotFound as reason:
        raise rns.too_few(request, str(reason)) from None
    return tuple(reversed(found))


@cache
def _downwards(walk: Callable[[int, int], Iterator[int]], top: int, m: int) -> PrimesAhead:
    """q[depth], q[depth - 1], ... by that walk: chains of all depths begin alike."""
    return PrimesAhead(walk(top, m))


def _fixed_walk(top: int, m: int) -> Iterator[int]:
    """The primes where scales are fixed: from the top, the next smaller and the next larger one in turn."""
    below = above = top
    yield top
    while True:
        yield (below := previous_prime(below, m))
        yield (above := next_prime(above, m))


def _flexible_walk(top: int, m: int) -> Iterator[int]:
    """The primes where scales are flexible: from the top, one below and one above in turn, near the scale
    that the limbs so far leave."""
    chain, scale = [top], float(top)
    for i in count():
        yield chain[-1]
        scale = scale * scale / float(chain[-1])
        centre = _round(scale)
        centre += 1 - centre % m
        chain.append(_beside(centre, chain, m, upwards=i % 2 == 1))


def _beside(centre: int, chain: list[int], m: int, upwards: bool) -> int:
    """The first prime two or more steps from `centre` that is not in the chain."""
    prime = centre + m if upwards else centre - m
    while True:
        prime = next_prime(prime, m) if upwards else previous_prime(prime, m)
        if prime not in chain:
            return prime


def chebyshev_depth(degree: int, normalised: bool) -> int:
    """The number of levels that EvalChebyshevSeries takes, as seen in the wheel.

    Its result is a product that is not yet rescaled, at one level less. An interval other than [-1, 1] takes
    one more level (FUNCTION_EVALUATION.md has the table). UnsupportedOperation for too large a degree.
    """
    if degree > _LARGEST_SERIES:
        raise UnsupportedOperation(
            f"OpenFHE's Chebyshev series have at most degree {_LARGEST_SERIES}, not {degree}",
            "ask for a smaller degree, or use the primitive operations",
        )
    least = degree if degree in _WITHOUT_DIVISION else monic.depth(degree)
    return least + (0 if normalised else 1)


_LARGEST_SERIES = 2031  # the last in the table of FUNCTION_EVALUATION.md
_WITHOUT_DIVISION = (1, 2)  # degrees whose terms are summed up as they are


def _round(x: float) -> int:
    """The nearest integer, halves away from zero; a double above 2^52 is one already."""
    return int(x) if x >= 2**52 else floor(x + 0.5)


def _scales(request: CkksRequest, q: tuple[int, ...], scale_bits: int) -> tuple[float, ...]:
    """The scales S_0 ... S_depth: OpenFHE's GetScalingFactorReal, from the deepest level to the top."""
    depth = request.depth
    if not _flexible(request) or depth == 0:
        return (2.0**scale_bits,) * (depth + 1)
    ladder = [float(q[depth])]
    for level in range(depth, 0, -1):
        ladder.append(ladder[-1] * ladder[-1] / float(q[level]))
        ratio = ladder[-1] / ladder[0]
        if not 0.5 < ratio < 2.0:
            raise rns.refusal(
                request,
                f"{request.technique} scaling fails {depth + 1 - level} levels below the top, "
                f"where the scale would be {ratio:.3g} times the first",
                "use fixedmanual or fixedauto, raise --scale-bits, or lower the depth",
            )
    return tuple(reversed(ladder))
