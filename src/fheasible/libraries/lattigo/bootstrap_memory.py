"""The memory of a bootstrap of Lattigo 6.1.1, in limbs of 8n bytes.

Encoded matrices and the evaluator's buffers are there from the context on, keys from key generation on. What
a bootstrap itself makes becomes garbage only, and is collected after it (workers/lattigo/memory.go). The
facts are from circuits/ckks/{bootstrapping, dft, mod1} and circuits/common/{lintrans, polynomial} [Lattigo].
What is made agrees within 4 % with runtime.MemStats, from N = 2^12 to 2^13, in 14 settings; a sine of degree
127 makes 14 % more.
"""

from functools import lru_cache
from typing import Final

from fheasible.libraries.lattigo.bootstrap import METHOD
from fheasible.libraries.refreshing import Refreshing
from fheasible.schemes.rns.bootstrap.factors import Factor, decoding, encoding, rotations
from fheasible.schemes.rns.bootstrap.halving import best_split, depth, split_degree
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Wave
from fheasible.schemes.rns.bootstrap.tables import levels, plain_limbs

_LEAST_POWER: Final = 2


@lru_cache(maxsize=1024)  # a search asks for many sets that bootstrap alike
def context(of: Refreshing) -> int:
    """The limbs of the matrices, all of a direction at its highest level; tables of roots are not counted."""
    return plain_limbs(of.procedure, of.n, METHOD, of.limbs - 1, of.special)


def keys(of: Refreshing) -> int:
    """The limbs of the keys, with a table for each automorphism."""
    turns, encapsulates = turning(of), of.procedure.ephemeral is not None
    whole = 2 * of.digits * (of.limbs + of.special)
    return whole * (turns + 1 + encapsulates) + turns + 4 * encapsulates


def count(of: Refreshing) -> int:
    """The number of a bootstrap's switching keys, that of relinearisation not counted."""
    return turning(of) + 2 * (of.procedure.ephemeral is not None)


@lru_cache(maxsize=1024)
def turning(of: Refreshing) -> int:
    """The number of keys of automorphisms, that of conjugation included."""
    return len(rotations(of.procedure, of.n, METHOD)) + 1


def stage_limbs(of: Refreshing) -> tuple[int, int, int]:
    """The limbs where coefficients go to slots, where the reduction begins, and where slots go back."""
    at = levels(of.procedure, METHOD, of.limbs - 1)
    return at.encode + 1, at.reduce + 1, at.decode + 1


def made(of: Refreshing) -> int:
    """The limbs that a bootstrap newly allocates, its result included.

    Each iteration begins with copies of the value, and ends with a product.
    """
    top, reduce, decode = stage_limbs(of)
    procedure, n, special = of.procedure, of.n, of.special
    parts = 1 if procedure.slots < n // 2 else 2
    encoded = 2 * (parts + 1) * top + _rotated(
        encoding(procedure, n, METHOD), procedure.encode_shared, top, special
    )
    decoded = 2 * decode + _rotated(decoding(procedure, n, METHOD), procedure.decode_shared, decode, special)
    once = 4 + 2 * (top - 1) + encoded + parts * _reduced(procedure, reduce) + decoded
    return procedure.iterations * once


def _rotated(factors: tuple[Factor, ...], shared: tuple[int, ...], limbs: int, special: int) -> int:
    """The limbs of the rotated operands of all factors, over QP; that by 0 is the operand itself."""
    found, left = 0, iter(factors)
    for level, together in enumerate(shared or (1,) * len(factors)):
        for _ in range(together):
            found += 2 * (len(next(left).babies) - 1) * (limbs - level + special)
    return found


def _reduced(p: Procedure, limbs: int) -> int:
    """The limbs that the modular reduction of one value allocates."""
    wave = p.reduction.wave
    degree = max(p.reduction.degree, 2 * p.reduction.bound - 2) if wave is Wave.COSINE else p.reduction.degree
    found = 2 * limbs + _series(degree, limbs, odd=wave is Wave.SINE)
    if p.reduction.inverse_degree:
        left = limbs - depth(degree) - p.reduction.doublings
        found += _series(p.reduction.inverse_degree, left, odd=True)
    return found


def _series(degree: int, limbs: int, *, odd: bool) -> int:
    """The limbs that Paterson and Stockmeyer's algorithm allocates for an odd or an even polynomial.

    There are a copy of the value, its powers, one value for each piece of the polynomial, and a third part
    for each product of two of them. Pieces of an even polynomial take half as much again, as was measured.
    """
    bits = degree.bit_length()
    split = best_split(bits)
    pieces = -(-(degree + 1) // (1 << split))
    powers = sum(2 * (limbs - (power - 1).bit_length() + 1) for power in _powers(bits, split, odd))
    each = [limbs - bits + 1 + piece.bit_count() for piece in range(pieces)]
    values = sum(2 * width if odd else 3 * width - 1 for width in each)
    return 2 * limbs + powers + values + sum(each[1:])


def _powers(bits: int, split: int, odd: bool) -> set[int]:
    """The powers from 2 on that are made, with those that they are made of."""
    found: set[int] = set()
    wanted = [1 << bits - 1, *range(2 + odd, 1 << split, 2)]
    while wanted:
        power = wanted.pop()
        if power >= _LEAST_POWER and power not in found:
            found.add(power)
            a, b = split_degree(power)
            wanted += (a, b, abs(a - b))
    return found
