"""The primes that Lattigo 6.1.1 finds, of sizes in bits.

The facts are from core/rlwe/params.go (GenModuli) and ring/primes.go (NTTFriendlyPrimesGenerator) [Lattigo].
"""

from collections.abc import Iterator
from functools import cache, lru_cache, partial
from itertools import takewhile
from math import log2
from typing import Final

from fheasible.errors import InfeasibleParameters
from fheasible.libraries.parameters import Bits, Primes
from fheasible.libraries.primes import PrimesAhead, ascending, descending

MAX_SPECIAL_BITS: Final = 61


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
    return PrimesAhead(_below(bits, m)) if bits == MAX_SPECIAL_BITS else alternating(bits, m)


def _below(bits: int, m: int) -> Iterator[int]:
    return takewhile(partial(_near, bits), descending(bits, m))  # NextDownstreamPrime, repeatedly


@cache
def alternating(bits: int, m: int) -> PrimesAhead:
    """The primes near 2^bits that are 1 modulo m, in NextAlternatingPrime's order."""
    return PrimesAhead(_alternating(bits, m, _below(bits, m)))


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
