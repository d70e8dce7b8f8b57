"""Searches for NTT-friendly primes (q = 1 mod m), as the libraries walk through them.

Every search is a pure function and cached: the explorer asks for the same few primes thousands of times. The
four walks are OpenFHE's (`core/include/math/nbtheory-impl.h`), where m is the cyclotomic order 2N.
"""

from collections.abc import Iterator
from functools import cache
from itertools import count

# The first thirteen primes as bases decide primality for every n below 3.3e24 [SorWeb17].
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
_LIMIT = 3_317_044_064_679_887_385_961_981
# Sieving by these first spares nine in ten candidates the modular powers.
_SMALL = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)


class PrimeNotFound(ValueError):
    """A walk left its range before it met a prime; the libraries fail there too."""


@cache
def is_prime(n: int) -> bool:
    """Whether n is prime: exact below 3.3e24, far above any limb [SorWeb17]."""
    if n < 2:
        return False
    if n % 2 == 0:
        return n == 2
    for small in _SMALL:
        if n % small == 0:
            return n == small
    if n >= _LIMIT:
        raise ValueError(f"is_prime decides numbers below {_LIMIT}, not {n}")
    return all(_passes(n, base) for base in _BASES)


def _passes(n: int, base: int) -> bool:
    """One round of Miller and Rabin's test for odd n."""
    twos = ((n - 1) & -(n - 1)).bit_length() - 1
    x = pow(base, (n - 1) >> twos, n)
    if x in (1, n - 1):
        return True
    for _ in range(twos - 1):
        x = x * x % n
        if x == n - 1:
            return True
    return False


@cache
def first_prime(bits: int, m: int) -> int:
    """The smallest prime q = 1 mod m with q > 2^bits (so of bits + 1 bits): OpenFHE's FirstPrime."""
    candidate = _at_least((1 << bits) + 1, m)
    return candidate if is_prime(candidate) else next_prime(candidate, m)


@cache
def last_prime(bits: int, m: int) -> int:
    """The largest prime q = 1 mod m with exactly `bits` bits: OpenFHE's LastPrime."""
    prime = next(descending(bits, m), None)
    if prime is None:
        raise PrimeNotFound(f"no prime of {bits} bits is 1 modulo {m}")
    return prime


@cache
def next_prime(q: int, m: int) -> int:
    """The next prime after q in steps of m: OpenFHE's NextPrime."""
    return next(candidate for candidate in count(q + m, m) if is_prime(candidate))


@cache
def previous_prime(q: int, m: int) -> int:
    """The next prime below q in steps of m: OpenFHE's PreviousPrime."""
    prime = next((candidate for candidate in range(q - m, 1, -m) if is_prime(candidate)), None)
    if prime is None:
        raise PrimeNotFound(f"no prime below {q} in steps of {m}")
    return prime


def ascending(bits: int, m: int) -> Iterator[int]:
    """The primes q = 1 mod m of exactly `bits` bits, smallest first."""
    return (q for q in range(_at_least((1 << (bits - 1)) + 1, m), 1 << bits, m) if is_prime(q))


def descending(bits: int, m: int) -> Iterator[int]:
    """The primes q = 1 mod m of exactly `bits` bits, largest first."""
    top = _at_least((1 << bits) + 1, m) - m
    return (q for q in range(top, (1 << (bits - 1)) - 1, -m) if is_prime(q))


def _at_least(bound: int, m: int) -> int:
    """The smallest number >= bound that is 1 mod m."""
    return bound + (1 - bound) % m
