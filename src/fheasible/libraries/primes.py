"""Searches for NTT-friendly primes (q = 1 mod m), as the libraries walk through them.

Every search is a pure function and cached: the explorer asks for the same few primes thousands of times. The
four walks are OpenFHE's (`core/include/math/nbtheory-impl.h`), where m is the cyclotomic order 2N.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import count, islice, takewhile
from math import gcd, isqrt, prod

from fheasible.libraries.near_primes import around, known

# With the first k primes as bases, the test decides primality for every n below _LIMITS[k] [SorWeb17].
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
_LIMITS = {
    5: 2_152_302_898_747,
    7: 341_550_071_728_321,
    9: 3_825_123_056_546_413_051,
    13: 3_317_044_064_679_887_385_961_981,
}
_LIMIT = _LIMITS[13]
# Most candidates have a divisor among these and need no modular powers.
_SMALL = tuple(p for p in range(3, 550) if all(p % d for d in range(2, isqrt(p) + 1)))
_PRIMORIAL = prod(_SMALL)


class PrimeNotFound(ValueError):
    """A walk left its range before it met a prime; the libraries fail there too."""


@cache
def is_prime(n: int) -> bool:
    """Whether n is prime: exact below 3.3e24, far above any limb [SorWeb17]."""
    found = known(n)
    return decided(n) if found is None else found


def decided(n: int) -> bool:
    """Whether n is prime, by arithmetic without the table. ValueError where n is too large to decide."""
    if n <= _SMALL[-1]:
        return n == 2 or n in _SMALL
    if n % 2 == 0 or gcd(n, _PRIMORIAL) > 1:
        return False
    if n >= _LIMIT:
        raise ValueError(f"is_prime can decide numbers below {_LIMIT}, not {n}")
    twos = ((n - 1) & -(n - 1)).bit_length() - 1
    certain = _by_order(n, twos) if n >> 3 * twos == 0 else None
    return _by_powers(n, twos) if certain is None else certain


def _by_order(n: int, twos: int) -> bool | None:
    """Whether n is prime, for n below the cube of F = 2^twos, which divides n - 1 [BriLehSel75]; or None.

    A prime n has a^((n-1)/2) = -1 for every a that is not a square modulo n. An odd prime a is not, where n
    is not a square modulo a; the result is None where no small a is found. Where the equation holds, all
    factors of n are 1 modulo F. If n is then not prime, n = (1 + xF)(1 + yF), where xy and x + y are the
    digits of (n - 1)/F to the base F.
    """
    a = next((a for a in _SMALL if pow(n, a >> 1, a) == a - 1), None)
    if a is None:
        return None
    product, total = divmod(n >> twos, 1 << twos)
    square = total * total - 4 * product
    factors = product > 0 and square >= 0 and isqrt(square) ** 2 == square
    return not factors and pow(a, n >> 1, n) == n - 1


def _by_powers(n: int, twos: int) -> bool:
    """Whether n is prime, for n below the largest of `_LIMITS` [SorWeb17]."""
    bases = next(few for few, limit in _LIMITS.items() if n < limit)
    return all(_passes(n, twos, base) for base in _BASES[:bases])


def _passes(n: int, twos: int, base: int) -> bool:
    """Whether odd n passes one round of Miller and Rabin's test."""
    x = pow(base, n >> twos, n)
    if x in (1, n - 1):
        return True
    for _ in range(twos - 1):
        x = x * x % n
        if x == n - 1:
            return True
    return False


class PrimesAhead:
    """The primes that a walk meets, in order. The walk goes only as far as primes were asked for."""

    def __init__(self, walk: Iterable[int]) -> None:
        self._ahead, self._met = iter(walk), list[int]()

    def first(self, wanted: int) -> list[int]:
        """The first `wanted` primes, or all where there are fewer."""
        self._met.extend(islice(self._ahead, max(wanted - len(self._met), 0)))
        return self._met[:wanted]

    def __iter__(self) -> Iterator[int]:
        for i in count():
            if len(self.first(i + 1)) <= i:
                return
            yield self._met[i]


@cache
def first_prime(bits: int, m: int) -> int:
    """The smallest prime q = 1 mod m with q > 2^bits (so of bits + 1 bits): OpenFHE's FirstPrime."""
    candidate = _at_least((1 << bits) + 1, m)
    return candidate if is_prime(candidate) else next_prime(candidate, m)


@cache
def last_prime(bits: int, m: int) -> int:
    """The largest prime q = 1 mod m with exactly `bits` bits: OpenFHE's LastPrime."""
    largest = descending(bits, m).first(1)
    if not largest:
        raise PrimeNotFound(f"no prime of {bits} bits is 1 modulo {m}")
    return largest[0]


@cache
def next_prime(q: int, m: int) -> int:
    """The next prime after q in steps of m: OpenFHE's NextPrime."""
    return next(_upwards(q + m, m))


@cache
def previous_prime(q: int, m: int) -> int:
    """The next prime below q in steps of m: OpenFHE's PreviousPrime."""
    prime = next(_downwards(q - m, m), None)
    if prime is None:
        raise PrimeNotFound(f"there is no prime below {q} in steps of {m}")
    return prime


@cache
def ascending(bits: int, m: int) -> PrimesAhead:
    """The primes q = 1 mod m of exactly `bits` bits, smallest first."""
    return PrimesAhead(takewhile((1 << bits).__gt__, _upwards(_at_least((1 << (bits - 1)) + 1, m), m)))


@cache
def descending(bits: int, m: int) -> PrimesAhead:
    """The primes q = 1 mod m of exactly `bits` bits, largest first."""
    top = _at_least((1 << bits) + 1, m) - m
    return PrimesAhead(takewhile((1 << (bits - 1)).__le__, _downwards(top, m)))


def _upwards(candidate: int, m: int) -> Iterator[int]:
    """The primes among candidate, candidate + m, ..."""
    if window := around(candidate, m):
        yield from window.upwards()
        candidate = window.beyond
    yield from filter(is_prime, count(candidate, m))


def _downwards(candidate: int, m: int) -> Iterator[int]:
    """The primes among candidate, candidate - m, ..., above 1."""
    if window := around(candidate, m):
        yield from window.downwards()
        candidate = window.first - m
    yield from filter(is_prime, range(candidate, 1, -m))


def _at_least(bound: int, m: int) -> int:
    """The smallest number >= bound that is 1 mod m."""
    return bound + (1 - bound) % m
