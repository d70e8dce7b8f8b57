"""The bootstrap of Lattigo 6.1.1: from its literal to the primes and the procedure that the library has.

The facts are from circuits/ckks/bootstrapping/{parameters, parameters_literal}.go, mod1/mod1_parameters.go
and dft/dft.go [Lattigo]. The residual parameters, which programs see, and those of the bootstrap have the
same ring and the same secret. Primes are appended to the chain in the reverse order of their use: one that is
reserved for iterations, those of slots to coefficients, of the modular reduction, of coefficients to slots.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import chain as joined
from itertools import islice
from math import ceil, floor, isqrt, log2
from typing import Final, NamedTuple

from fheasible.aliases import Json
from fheasible.errors import InfeasibleParameters
from fheasible.libraries import chain
from fheasible.libraries.bootstrapping import Bootstrapping, BootstrapRequest
from fheasible.libraries.lattigo.moduli import MAX_SPECIAL_BITS, alternating
from fheasible.libraries.library import BootstrapSetting
from fheasible.libraries.parameters import Bits, CkksParameters, CkksRequest, Parameters, Primes
from fheasible.libraries.refreshing import Refreshing
from fheasible.schemes.rns.bootstrap.method import EVEN
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction, Wave
from fheasible.schemes.rns.bootstrap.tables import reduction_depth

NAME: Final = "lattigo"
METHOD: Final = EVEN  # circuits/ckks/dft/dft.go, circuits/ckks/polynomial
ENCODE: Final = (4, 56)  # factors, and the bits of their plaintexts' scales
DECODE: Final = (3, 39)
REDUCTION_BITS: Final = 60
SPECIAL_BITS: Final = 61
MESSAGE_BITS: Final = 8
EPHEMERAL: Final = 32
WEIGHT: Final = 192
REDUCTION: Final = Reduction(bound=16, degree=30, doublings=3, inverse_degree=0, wave=Wave.COSINE)
ITERATION_BITS: Final = 20  # ours: Lattigo has no default
_MOST_SUM: Final = 60  # bits of a prime of slots to coefficients, up to which the scale is added to them
_RESERVED: Final = 6  # bits of the reserved prime beyond log2 N, where there are primes


class Factors(NamedTuple):
    """The factors of a homomorphic DFT: for each prime, lowest first, the bits of its plaintexts' scales."""

    bits: tuple[Bits, ...]

    @property
    def number(self) -> int:
        return sum(self.shared)

    @property
    def shared(self) -> tuple[int, ...]:
        """How many factors share each prime, the first used first: Lattigo reads this list from its front
        although it uses the primes from the end."""
        return tuple(map(len, self.bits))


def build(limits: chain.Limits, request: CkksRequest, asked: BootstrapRequest) -> CkksParameters:
    """The parameters at the ring dimension asked for, or at the smallest that is secure and large enough.

    `security` is checked with the limits for ternary secrets, at the larger of both moduli. Raises
    InfeasibleParameters where Lattigo would refuse.
    """
    chain.check(limits, replace(request, bootstrap=None))
    if asked.table_bits is not None or asked.table_order is not None:
        reason = "its bootstrapping looks no table up"
        raise chain.refusal(limits, request, reason, "leave table_bits and table_order out")
    if request.ring_dimension is not None:
        return chain.secured(limits, request, _at(limits, request, asked, request.ring_dimension))
    wide = replace(request, batch=max(request.batch or 0, asked.slots or 0) or None)
    for n in chain.dimensions(limits, wide):
        limit = limits.max_log_q(request, n)
        if limit is not None and _least_bits(request, asked, n) <= limit:
            p = _at(limits, request, asked, n)
            if chain.log_qp(limits, p) <= limit:
                return p
    raise chain.refusal(
        limits, request,
        f"no ring dimension has {request.security} bits of security with this chain and its bootstrap",
        "lower the depth, the primes' bits, the factors of the bootstrap, or the security level",
    )  # fmt: skip


def worker_parameters(p: Parameters) -> Json:
    """The part of the worker's `parameters` that is there for a bootstrapped set alone."""
    if p.scheme != "ckks" or p.bootstrap is None:
        return {}
    own = p.bootstrap
    return {"bootstrap": asdict(own) | {"q": [str(x) for x in own.q], "p": [str(x) for x in own.p]}}


def widened(of: Refreshing) -> CkksParameters:
    """Parameters with as many primes as a bootstrap computes with, whose primes stand for any."""
    return CkksParameters(NAME, "ckks", of.n, (1,) * of.limbs, (1,) * of.special, of.digits)


def _least_bits(request: CkksRequest, asked: BootstrapRequest, n: int) -> int:
    """A lower bound on log2(QP) at n, which makes most searches for primes unnecessary."""
    scale = request.scale_bits or chain.SCALE_BITS
    bits = chain.chain_bits(request, n, None) + sum(_appended(asked, n, scale), ())
    return sum(b - 1 for b in bits + _special(asked, len(bits)))


def _at(limits: chain.Limits, request: CkksRequest, asked: BootstrapRequest, n: int) -> CkksParameters:
    """The parameters at ring dimension n, secure or not."""
    plain = replace(request, bootstrap=None, security=None, ring_dimension=n)
    residual = chain.build(limits, plain)
    assert residual.scheme == "ckks"
    assert residual.request is not None
    own = replace(
        residual.request, bootstrap=asked, security=request.security, ring_dimension=request.ring_dimension
    )
    made = _bootstrapping(limits, own, asked, residual)
    return replace(residual, bootstrap=made, request=own)


def _bootstrapping(
    limits: chain.Limits, request: CkksRequest, asked: BootstrapRequest, residual: CkksParameters
) -> Bootstrapping:
    n, scale = residual.ring_dimension, request.scale_bits or chain.SCALE_BITS
    procedure = _procedure(limits, request, asked, n)
    _check_message(limits, request, procedure, residual.q[0], scale)
    bits = sum(_appended(asked, n, scale), ())
    special = _special(asked, residual.limbs + len(bits))
    _check_sizes(limits, request, bits, special)
    found = new_primes(n, residual.q, bits + special)
    q, p = residual.q + found[: len(bits)], found[len(bits) :]
    weight = WEIGHT if asked.weight is None else asked.weight or None
    return Bootstrapping(procedure, q, p, limits.digits(len(q), len(p)), weight)


def new_primes(n: int, taken: Primes, bits: Bits) -> Primes:
    """A prime for each size, all of them different and none of them in `taken`, each size from one walk.

    InfeasibleParameters where there are too few.
    """
    wanted = Counter(bits)
    found = {size: iter(_fresh(n, taken, size, number)) for size, number in wanted.items()}
    return tuple([next(found[size]) for size in bits])


def _fresh(n: int, taken: Primes, bits: int, number: int) -> list[int]:
    walk = alternating(bits, 2 * n) if 2**bits % (2 * n) == 0 else ()
    found = list(islice((prime for prime in walk if prime not in taken), number))
    if len(found) < number:
        raise InfeasibleParameters(
            f"Lattigo's bootstrap: {number} new primes of {bits} bits that are 1 modulo {2 * n} are needed, "
            f"but there are only {len(found)}",
            "give its primes more bits",
        )
    return found


def _appended(asked: BootstrapRequest, n: int, scale: int) -> tuple[Bits, Bits, Bits, Bits]:
    """The bits of the primes after those of the residual chain, in the order of the chain."""
    slots = asked.slots or n // 2
    decode = (_with_scale(sum(bits), scale) for bits in decoding(asked, slots).bits)
    size = REDUCTION_BITS if asked.reduction_bits is None else asked.reduction_bits
    reduction = (size,) * reduction_depth(reduction_of(asked), METHOD)
    return reserved(asked, n), tuple(decode), reduction, tuple(map(sum, encoding(asked, slots).bits))


def _with_scale(bits: int, scale: int) -> int:
    return bits + scale if bits + scale <= _MOST_SUM else bits


def reserved(asked: BootstrapRequest, n: int) -> Bits:
    """The prime by which the error of all iterations but the first is divided; none without iterations.

    Lattigo leaves its size to the user. Ours has a bit more than the iterations are believed to gain, because
    Lattigo refuses the last of them where the prime is smaller than 2 to their bits (`Evaluate` in
    circuits/ckks/bootstrapping/evaluator.go: "maximum precision achieved").
    """
    iterations = asked.iterations or 1
    if iterations == 1:
        return ()
    gained = (iterations - 1) * (asked.iteration_bits or ITERATION_BITS)
    return (max(gained + 1, int(log2(n)) + _RESERVED),)


def _special(asked: BootstrapRequest, limbs: int) -> Bits:
    return asked.special_bits or (SPECIAL_BITS,) * max(1, isqrt(limbs))


def encoding(asked: BootstrapRequest, slots: int) -> Factors:
    """The factors of coefficients to slots."""
    return _factors(asked.encode_levels, asked.encode_bits, ENCODE, slots)


def decoding(asked: BootstrapRequest, slots: int) -> Factors:
    """The factors of slots to coefficients."""
    return _factors(asked.decode_levels, asked.decode_bits, DECODE, slots)


def _factors(levels: int | None, bits: Bits | None, default: tuple[int, int], slots: int) -> Factors:
    """The factors where a user gives the number of levels, or the bits of each factor, or both.

    With fewer levels than factors, the last primes of the chain serve more of them: three factors in two
    levels are {a}, {b, c}.
    """
    number, size = default
    if bits is None:
        bits = (size,) * (levels or min(number, max(slots.bit_length() - 1, 1)))
    levels = levels or len(bits)
    each, more = divmod(len(bits), levels)
    rest = iter(bits)
    return Factors(tuple([tuple(islice(rest, each + (i >= levels - more))) for i in range(levels)]))


def stages(slots: int, factors: int, *, encode: bool) -> tuple[int, ...]:
    """How many of the DFT's log2(slots) stages each factor has, the first applied first.

    The largest come first where coefficients go to slots, and last the other way.
    """
    left, found = slots.bit_length() - 1, []
    for i in range(factors):
        found.append(ceil(left / (factors - i)))
        left -= found[-1]
    return tuple(found if encode else reversed(found))


def reduction_of(asked: BootstrapRequest) -> Reduction:
    """The modular reduction, with Lattigo's default where nothing is asked for."""
    wave = Wave(asked.wave or REDUCTION.wave)
    doublings = 0 if wave is Wave.SINE and asked.doublings is None else asked.doublings
    return Reduction(
        bound=REDUCTION.bound if asked.bound is None else asked.bound,
        degree=REDUCTION.degree if asked.degree is None else asked.degree,
        doublings=REDUCTION.doublings if doublings is None else doublings,
        inverse_degree=REDUCTION.inverse_degree if asked.inverse_degree is None else asked.inverse_degree,
        wave=wave,
    )


def _procedure(limits: chain.Limits, request: CkksRequest, asked: BootstrapRequest, n: int) -> Procedure:
    slots, reduction = asked.slots or n // 2, reduction_of(asked)
    for reason, remedy in _refusals(asked, reduction, slots, n):
        raise chain.refusal(limits, request, reason, remedy)
    encode, decode = encoding(asked, slots), decoding(asked, slots)
    iterations = asked.iterations or 1
    ephemeral = EPHEMERAL if asked.ephemeral is None else asked.ephemeral
    return Procedure(
        slots,
        stages(slots, encode.number, encode=True),
        stages(slots, decode.number, encode=False),
        reduction,
        MESSAGE_BITS if asked.message_bits is None else asked.message_bits,
        ephemeral or None,
        iterations,
        (asked.iteration_bits or ITERATION_BITS) if iterations > 1 else 0,
        _if_shared(encode),
        _if_shared(decode),
    )


def _if_shared(factors: Factors) -> tuple[int, ...]:
    return factors.shared if max(factors.shared) > 1 else ()


def _refusals(asked: BootstrapRequest, reduction: Reduction, slots: int, n: int) -> Iterator[tuple[str, str]]:
    """What Lattigo refuses of a bootstrap's settings, each with a remedy."""
    if slots & (slots - 1) or not 2 <= slots <= n // 2:
        yield (f"{slots} slots are not a power of two from 2 to {n // 2}, which its bootstrap takes",
               "give another number of slots, or a larger ring dimension")  # fmt: skip
    yield from _refused_factors(
        "encode", asked.encode_levels, asked.encode_bits, encoding(asked, slots), slots
    )
    yield from _refused_factors(
        "decode", asked.decode_levels, asked.decode_bits, decoding(asked, slots), slots
    )
    if reduction.wave is Wave.SINE and reduction.doublings:
        yield "a sine has no double angles", "leave doublings out, or take the wave series or cosine"
    if reduction.wave is Wave.COSINE and reduction.degree < 2 * (reduction.bound - 1):
        yield (f"the wave cosine needs a degree of 2·(bound - 1) = {2 * (reduction.bound - 1)} or more, and "
               f"{reduction.degree} is given", "give a larger degree, or take the wave series")  # fmt: skip
    for name, weight in (("weight", asked.weight or 0), ("ephemeral", asked.ephemeral or 0)):
        if not 0 <= weight <= n:
            yield f"a secret of weight {weight} ({name}) does not fit {n} coefficients", "give a lower weight"
    if asked.iterations is not None and asked.iterations < 1:
        yield f"{asked.iterations} iterations are asked for", "give at least 1"
    for name in ("message_bits", "bound", "degree", "doublings", "inverse_degree", "iteration_bits"):
        if (getattr(asked, name) or 0) < 0:
            yield f"{name} is {getattr(asked, name)}", "give a number that is not negative"


def _refused_factors(
    name: str, levels: int | None, bits: Bits | None, factors: Factors, slots: int
) -> Iterator[tuple[str, str]]:
    """What Lattigo refuses of the factors of one direction."""
    stages, number = slots.bit_length() - 1, factors.number if bits is None else len(bits)
    if levels is not None and not 1 <= levels <= max(number, 1):
        yield f"{name}_levels is {levels}, for {number} factors", "give a level to each factor, or to some"
    elif number > stages:
        yield (
            f"{number} factors are asked for, but the DFT of {slots} slots has only {stages} stages",
            f"give fewer {name}_levels or {name}_bits",
        )


def _check_message(
    limits: chain.Limits, request: CkksRequest, procedure: Procedure, first: int, scale: int
) -> None:
    """Raise where the scale and the message ratio do not fit the first prime."""
    room = floor(log2(first) + 0.5)
    if scale + procedure.message_bits > room:
        raise chain.refusal(
            limits, request,
            f"the first prime has {room} bits, fewer than the scale's {scale} and the message ratio's "
            f"{procedure.message_bits} together",
            "give a larger first prime, a smaller scale or fewer message_bits",
        )  # fmt: skip


def _check_sizes(limits: chain.Limits, request: CkksRequest, bits: Bits, special: Bits) -> None:
    """Raise where a prime of the bootstrap would be larger than Lattigo allows."""
    largest = max(joined(bits, special))
    if largest > MAX_SPECIAL_BITS or min(joined(bits, special)) < 2:
        raise chain.refusal(
            limits, request,
            f"its bootstrap would need primes of {min(joined(bits, special))} to {largest} bits, but primes "
            f"have 2 to {MAX_SPECIAL_BITS} bits",
            "give other bits for its factors, its reduction, its iterations or its special primes",
        )  # fmt: skip


_LITERALS: Final = (  # (scale, first, reduction, encode_bits, decode_bits, message_bits, inverse_degree)
    (40, 60, 60, (56,) * 4, (39,) * 3, 8, 0),  # those of Lattigo's default sets, and with fewer factors
    (40, 60, 60, (56,) * 3, (39,) * 2, 8, 0),
    (45, 60, 60, (58,) * 4, (42,) * 3, 2, 7),
    (45, 60, 60, (58,) * 3, (42,) * 2, 2, 7),
    (45, 60, 60, (58,) * 3, (42,) * 2, 8, 7),  # for values that have a few large coefficients
    (30, 55, 55, (53,) * 4, (30,) * 3, 8, 0),
    (31, 40, 55, (52,) * 2, (30,) * 2, 8, 0),
    (31, 40, 55, (52,) * 3, (30,) * 2, 8, 0),
)


def settings() -> Iterator[BootstrapSetting]:
    """The settings that are explored: the literals of the library's default sets, some with fewer factors."""
    for scale, first, reduction, encode, decode, message, inverse in _LITERALS:
        for weight in (WEIGHT, 0):
            asked = BootstrapRequest(
                encode_bits=encode,
                decode_bits=decode,
                reduction_bits=reduction,
                message_bits=message,
                inverse_degree=inverse,
                weight=weight,
                special_bits=(SPECIAL_BITS,) * 4,
            )
            yield BootstrapSetting(None, chain.SECRET, scale, first, asked, special=2)
