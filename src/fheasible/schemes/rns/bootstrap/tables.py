"""What a bootstrap has ready before it begins: its plain vectors, encoded, and at which levels it works."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2

from fheasible.errors import InfeasibleParameters
from fheasible.rings.rns.element import Poly
from fheasible.schemes.rns.bootstrap import halving, monic, table
from fheasible.schemes.rns.bootstrap.factors import decoding, encoding
from fheasible.schemes.rns.bootstrap.linear import PlainFactor, encoded, shifts_of
from fheasible.schemes.rns.bootstrap.method import Method, Series
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction
from fheasible.schemes.rns.bootstrap.scaling import imaginary_unit, prime
from fheasible.schemes.rns.ckks import CKKS


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """A procedure in a ring of dimension n, with its plain vectors and X^(n/2) as polynomials, which may be
    made when it is needed.
    """

    procedure: Procedure
    method: Method
    n: int
    encode: tuple[PlainFactor, ...]
    decode: tuple[PlainFactor, ...]
    imaginary: Poly | None

    @property
    def sparse(self) -> bool:
        return self.procedure.slots < self.n // 2


@dataclass(frozen=True, slots=True)
class Levels:
    """The levels at which the parts of a bootstrap begin, and that of its result."""

    top: int
    encode: int
    reduce: int
    decode: int
    result: int


def levels(p: Procedure, method: Method, top: int) -> Levels:
    """The levels, from the top of the chain downwards. InfeasibleParameters where there are not enough."""
    encode = top - int(method.normalised_apart)
    reduce = encode - _taken(p.encode, p.encode_shared)
    decode = reduce - (reduction_depth(p.reduction, method) + (table.depth(p.table) if p.table else 0))
    again = p.iterations - 1 if method.normalised_apart else min(p.iterations - 1, 1)
    last = decode - _taken(p.decode, p.decode_shared) - again
    if last < 0:
        raise InfeasibleParameters(
            f"the bootstrap takes {top - last} levels, but there are {top}", "use a longer chain"
        )
    return Levels(top, encode, reduce, decode, last)


def _taken(factors: Sequence[int], shared: Sequence[int]) -> int:
    return len(shared) if shared else len(factors)


def reduction_depth(r: Reduction, method: Method) -> int:
    """The levels that the approximate modular reduction takes."""
    series = monic.depth(r.degree) if method.series is Series.MONIC else halving.depth(r.degree)
    return series + r.doublings + (halving.depth(r.inverse_degree) if r.inverse_degree else 0)


def plain_limbs(p: Procedure, n: int, method: Method, top: int, special: int) -> int:
    """The limbs of all plain vectors that are kept, over Q at their factor's level and over P."""
    at = levels(p, method, top)
    parts = (
        (encoding(p, n, method), p.encode_shared, at.encode),
        (decoding(p, n, method), p.decode_shared, at.decode),
    )
    total = 0
    for factors, shared, start in parts:
        for factor, (level, _, _) in zip(factors, _steps(len(factors), shared, start), strict=True):
            kept = start if method.plains_at_start else level
            total += factor.diagonals * (kept + 1 + special)
    return total


def prepared(scheme: CKKS, p: Procedure, n: int, method: Method) -> Tables:
    """The tables of a procedure on the scheme's whole chain."""
    at = levels(p, method, len(scheme.ring.q) - 1)
    encode, decode = (_encoded(scheme, p, n, method, at, encode) for encode in (True, False))
    imaginary = None if method.units_again else imaginary_unit(scheme, scheme.ring.q)
    return Tables(p, method, n, encode, decode, imaginary)


def _encoded(
    scheme: CKKS, p: Procedure, n: int, method: Method, at: Levels, encode: bool
) -> tuple[PlainFactor, ...]:
    """The factors of one direction."""
    factors = encoding(p, n, method) if encode else decoding(p, n, method)
    shared, start = (p.encode_shared, at.encode) if encode else (p.decode_shared, at.decode)
    by, made = _constant(scheme, p, method, encode, at), []
    for number, (level, together, last) in enumerate(_steps(len(factors), shared, start)):
        own = by ** (1 / len(factors)) if method.spread else (by if number + 1 == len(factors) else 1.0)
        shifts = shifts_of(scheme, factors[number], p.slots, encode, method.repacked, own)
        scale = scheme.scale_of(level) if method.normalised_apart else prime(scheme, level) ** (1 / together)
        made.append(encoded(scheme, factors[number], level, scale, shifts, last))
    return tuple(made)


def _steps(factors: int, shared: Sequence[int], level: int) -> Iterator[tuple[int, int, bool]]:
    """The level of each factor, how many factors share its prime, and whether it is the last of them."""
    for together in shared or (1,) * factors:
        for position in range(together):
            yield level, together, position + 1 == together
        level -= 1


def _constant(scheme: CKKS, p: Procedure, method: Method, encode: bool, at: Levels) -> float:
    """The constant that the DFT's factors are multiplied by, all together.

    Encoding leads to t/K at the scale of the reduction, where t is the coefficients, divided by q_0. Its
    vectors give 2s·t. Decoding multiplies the message by what q_0 exceeds its scale, and leads to the scale
    of the result.
    """
    k = p.reduction.bound
    if method.normalised_apart:
        return 1.0 if method.bound_apart or not encode else 1 / k
    if encode:
        return reduction_scale(scheme, at) / raised_scale(scheme, at) / (2 * p.slots * k)
    return result_scale(scheme, at) * 2.0**p.message_bits / reduction_scale(scheme, at)


def reduction_scale(scheme: CKKS, at: Levels) -> float:
    """The scale of the approximate modular reduction: the power of two near the primes that it uses."""
    return 2.0 ** round(log2(prime(scheme, at.reduce)))


def raised_scale(scheme: CKKS, at: Levels) -> float:
    """The scale at which the raised coefficients are t: q_0 times `multiplier`."""
    return prime(scheme, 0) * multiplier(scheme, at)


def multiplier(scheme: CKKS, at: Levels) -> int:
    """The integer that raised coefficients are multiplied by where the reduction's primes exceed q_0."""
    return 1 << max(0, round(log2(prime(scheme, at.reduce) / prime(scheme, 0))))


def result_scale(scheme: CKKS, at: Levels) -> float:
    """The scale of the result, before iterations."""
    return scheme.scale_of(at.result)


def named_scale(first: float, top: float, scale: float, corrected: bool) -> float:
    """The scale that raised coefficients are said to have, which is q_0 up to errors [OpenFHE].

    It is a power of two times the scale where all levels have one scale. Elsewhere that q_0 is no power of
    two is corrected in the wrong direction (seen in the errors of 12 sets of the wheel 1.6.1, whose primes
    have 50 to 60 bits), and that the prime at the top is none is not corrected.
    """
    if not corrected:
        return scale * 2.0 ** round(log2(first / scale))
    below, above = first / 2.0 ** round(log2(first)) - 1, top / 2.0 ** round(log2(scale)) - 1
    return first / (1 + 2 * below - above)


@lru_cache(maxsize=64)
def correction(p: Procedure, first: float, scale: float) -> tuple[int, int]:
    """2^a and 2^b with a + b message bits: a of them are by what q_0 exceeds the scale."""
    excess = min(max(round(log2(first / scale)), 0), p.message_bits)
    return 1 << excess, 1 << p.message_bits - excess
