"""OpenFHE's BGV parameters: `GenCryptoContext(CCParamsBGVRNS)` as a function of the request.

The rules are from `pke/lib/scheme/bgvrns/bgvrns-parametergeneration.cpp` [OpenFHE], whose noise bounds are
those of [KPZ21]. They were compared with the wheel 1.6.1. FIXEDMANUAL has primes of a fixed size. The other
techniques derive the sizes from noise bounds. These depend on the ring dimension, which depends on the sizes,
so the derivation is iterated.
"""

from dataclasses import dataclass
from math import ceil, log2, prod, sqrt

from fheasible.libraries.openfhe import rns
from fheasible.libraries.openfhe.bounds import NoiseBounds
from fheasible.libraries.parameters import IntegerParameters, IntegerRequest
from fheasible.libraries.primes import next_prime

TECHNIQUE = "flexibleautoext"
EVAL_ADD_COUNT = 5
KEY_SWITCH_COUNT = 3
_WORD_BITS = 32


def with_defaults(request: IntegerRequest) -> IntegerRequest:
    """`request` with OpenFHE's default in place of each None for which OpenFHE has one."""
    return request.having(
        technique=request.technique or TECHNIQUE,
        key_switching=request.key_switching or "hybrid",
        secret=request.secret or "uniform_ternary",
        eval_add_count=EVAL_ADD_COUNT if request.eval_add_count is None else request.eval_add_count,
        key_switch_count=KEY_SWITCH_COUNT if request.key_switch_count is None else request.key_switch_count,
    )


def parameters(request: IntegerRequest) -> IntegerParameters:
    """The parameters that OpenFHE makes of a `request` with all defaults filled in.

    InfeasibleParameters, with OpenFHE's reason, where it refuses.
    """
    t = rns.plain_modulus(request)
    rns.check_ring(request)
    _check_word(request, t)
    digits = rns.default_digits(request.digits, request.depth) if request.key_switching == "hybrid" else 0
    find = _fixed_sizes if request.technique == "fixedmanual" else _noise_sizes
    n, q, limbs_of_p = find(request, t, digits)
    rns.check_batch(request, n, n)
    p = rns.special_primes(request, q, digits, step_of(2 * n, t), limbs_of_p) if digits else ()
    rns.check_security(request, n, q, p)
    return IntegerParameters(
        library="openfhe",
        scheme="bgv",
        ring_dimension=n,
        q=q,
        p=p,
        digits=digits or len(q),
        technique=request.technique or "",
        key_switching=request.key_switching or "",
        secret=request.secret or "",
        plain_modulus=t,
        levels=request.depth,
        extended_limbs=_extended(request),
        request=request,
    )


def _check_word(request: IntegerRequest, t: int) -> None:
    """Raise InfeasibleParameters for a t of more than 32 bits.

    OpenFHE uses only 32 bits of t when it looks for primes that should be 1 modulo t (`uint32_t
    plaintextModulus` in bgvrns-parametergeneration.cpp). With fixed techniques its results are then wrong.
    With the other techniques the special primes, which should be 1 modulo t, are not known here.
    """
    if t.bit_length() <= _WORD_BITS:
        return
    fixed = (request.technique or "").startswith("fixed")
    said = f"{request.technique} computes wrongly with" if fixed else "special primes cannot be predicted for"
    reason = f"{said} t = {t}, which has more than {_WORD_BITS} bits"
    raise rns.refusal(request, reason, "take BFV, or a smaller plain modulus")


def step_of(m: int, t: int) -> int:
    """The least common multiple of m = 2N and t, modulo which primes are 1 that must be 1 modulo both."""
    twos = t & -t
    return max(m, twos) * (t // twos)


def plain_scales(p: IntegerParameters) -> tuple[int, ...]:
    """For each level, the number modulo t that encoding multiplies a plaintext by.

    It is the plain scale in FLEXIBLEAUTO(EXT), else 1: GetScalingFactorInt (bgvrns-cryptoparameters.cpp,
    packedencoding.cpp) [OpenFHE]. FLEXIBLEAUTOEXT has no scale for its last level: what is encoded there is
    zero.
    """
    t, limbs, extended = p.plain_modulus, p.limbs, p.extended_limbs
    if p.scheme != "bgv" or not p.technique.startswith("flexible"):
        return (1,) * limbs
    gone = [q % t for q in p.q[: -2 - extended : -1]]  # indexed by how many limbs are gone
    while len(gone) < limbs - extended:
        gone.append(gone[-1] ** 2 * pow(p.q[limbs - len(gone)], -1, t) % t)
    return (*(0,) * extended, *reversed(gone))


def _extended(request: IntegerRequest) -> int:
    return int(request.technique == "flexibleautoext")


def _fixed_sizes(request: IntegerRequest, t: int, digits: int) -> tuple[int, tuple[int, ...], int]:
    """(n, q, limbs foreseen for P) of FIXEDMANUAL, whose primes have 28 bits more than t, or as asked for."""
    bits = request.scale_bits or min(28 + t.bit_length(), rns.MAX_BITS)
    first_bits = request.first_bits or bits
    sizes = [first_bits] + [bits] * request.depth
    foreseen = rns.foreseen_special_limbs(request, sizes, digits, margin=False) if digits else 0
    n = rns.ring_dimension(request, sum(sizes) + foreseen * rns.MAX_BITS)
    step = step_of(2 * n, t)
    q = [rns.largest_of(request, first_bits, step)]
    below = q[0] if first_bits == bits or not request.depth else rns.largest_of(request, bits, step)
    for _ in range(request.depth):
        below = rns.shrink(request, below, step)
        q.append(below)
    return n, tuple(q), foreseen


def _noise_sizes(request: IntegerRequest, t: int, digits: int) -> tuple[int, tuple[int, ...], int]:
    """(n, q, limbs foreseen for P) of the other techniques, iterated until the ring dimension suffices."""
    extra = rns.EXTRA_BITS * _extended(request)
    aux, bound = 0, extra
    if digits:
        # Before any size is known all limbs but the extra one count as empty.
        sizes: list[float] = [0.0] * (request.depth + 1) + [float(extra)] * _extended(request)
        aux = rns.foreseen_special_limbs(request, sizes, digits, margin=True)
        bound += 1 + aux * rns.MAX_BITS
    n = rns.ring_dimension(request, bound)
    q = _moduli(request, t, n, aux)
    bound = prod(q).bit_length()
    while True:
        n = rns.ring_dimension(request, bound)
        q = _moduli(request, t, n, aux)
        foreseen = _foreseen(request, q, digits) if digits else 0
        larger = prod(q).bit_length() + foreseen * rns.MAX_BITS
        if larger <= bound:
            return n, q, foreseen
        bound = larger


def _foreseen(request: IntegerRequest, q: tuple[int, ...], digits: int) -> int:
    """The number of limbs foreseen for P with q, all of whose middle limbs count as long as the second."""
    middle = log2(q[1]) if len(q) > 1 else 0.0
    sizes = [log2(q[0])] + [middle] * request.depth + [log2(q[-1])] * _extended(request)
    return rns.foreseen_special_limbs(request, sizes, digits, margin=False)


@dataclass(frozen=True, slots=True)
class _Noise:
    """Bounds on the noise at ring dimension n [KPZ21, Sec. 3]."""

    expansion: float  # of a product of two random polynomials
    fresh: float
    key_switch: float
    mod_switch: float
    per_level: float


def _noise(request: IntegerRequest, n: int, aux: int) -> _Noise:
    bounds = NoiseBounds.of(n, request.secret)
    if request.key_switching == "bv":
        reason = "BV key switching needs a digit size except with fixedmanual"
        raise rns.refusal(request, reason, "use --key-switching hybrid or --technique fixedmanual")
    key_switch, rounding = bounds.switched_hybrid(aux, 0), 1.0 + bounds.expansion_ms * bounds.key
    counts = (request.eval_add_count or 0), (request.key_switch_count or 0)
    per_level = (
        rounding if _extended(request) else (counts[0] + 1.0) * bounds.fresh + (counts[1] + 1.0) * key_switch
    )
    return _Noise(bounds.expansion, bounds.fresh, key_switch, rounding / 2.0, per_level)


def _moduli(request: IntegerRequest, t: int, n: int, aux: int) -> tuple[int, ...]:
    """q[0] ... q[depth], and the extra limb last, of the smallest sizes that the noise allows."""
    noise = _noise(request, n, aux)
    step = step_of(2 * n, t) if request.technique == "fixedauto" else 2 * n
    lowest = noise.fresh if _extended(request) else noise.per_level
    first = _grow(request, 2.0 * t * lowest - t, step)
    extra: tuple[int, ...] = ()
    if _extended(request):
        prime = _grow(request, _extra_bound(request, noise), step)
        extra = (_avoid(prime, (first, t), step),)
    chain = [first]
    if request.depth:
        taken = (first, t, *extra)
        chain.append(_avoid(_grow(request, _middle_bound(request, noise, t, n), step), taken, step))
        for _ in range(request.depth - 1):
            chain.append(_avoid(next_prime(chain[-1], step), taken, step))
    return (*chain, *extra)


def _extra_bound(request: IntegerRequest, noise: _Noise) -> float:
    bound = noise.fresh / noise.per_level * ((request.eval_add_count or 0) + 1)
    bound += (request.key_switch_count or 0) * noise.key_switch / noise.per_level
    return bound * 2


def _middle_bound(request: IntegerRequest, noise: _Noise, t: int, n: int) -> float:
    adds, switches = (request.eval_add_count or 0) + 1, (request.key_switch_count or 0) + 1
    level = noise.per_level
    if _extended(request):
        bound = 2 * level + 2 + sqrt(n) / 2.0 / level
        bound *= noise.expansion * t * adds / 2.0
        bound += switches * noise.key_switch / level
        return bound * 2
    bound = 2 * level * level + 2 * level + sqrt(n) / 2.0
    bound *= noise.expansion * t / 2.0 * adds
    bound += switches * noise.key_switch
    return bound / (level - noise.mod_switch)


def _grow(request: IntegerRequest, bound: float, step: int) -> int:
    """The smallest prime above 2^bits, where `bits` is log2 of `bound`, rounded up."""
    bits = ceil(log2(bound))
    if bits >= rns.MAX_BITS:
        reason = f"a limb of {bits} bits would exceed its limit of {rns.MAX_BITS}"
        raise rns.refusal(request, reason, "lower --eval-add-count, --key-switch-count or --plain-modulus")
    return rns.grow(request, bits, step)


def _avoid(prime: int, taken: tuple[int, ...], step: int) -> int:
    while prime in taken:
        prime = next_prime(prime, step)
    return prime
