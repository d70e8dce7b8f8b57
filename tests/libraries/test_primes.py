"""The prime searches, against trial division and primes known from elsewhere."""

from collections.abc import Iterator
from itertools import count, islice
from math import isqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.libraries.near_primes import BITS, NEAR, STEPS, around, known
from fheasible.libraries.prime_tabulation import PLACE, tabled
from fheasible.libraries.primes import (
    PrimeNotFound,
    PrimesAhead,
    ascending,
    decided,
    descending,
    first_prime,
    is_prime,
    last_prime,
    next_prime,
    previous_prime,
)

# m = 2N for N = 2^4 ... 2^16
ORDERS = st.integers(5, 17).map(lambda log: 1 << log)


def by_trial(n: int) -> bool:
    return n > 1 and all(n % d for d in range(2, isqrt(n) + 1))


def passes(n: int, a: int) -> bool:
    """Miller and Rabin's test, as in the textbook."""
    odd, powers = n - 1, []
    while odd % 2 == 0:
        odd //= 2
        powers.append(odd)
    return pow(a, odd, n) == 1 or any(pow(a, e, n) == n - 1 for e in powers) or n == a


@given(st.integers(-5, 200_000))
def test_is_prime_agrees_with_trial_division(n: int) -> None:
    assert is_prime(n) == by_trial(n)


@pytest.mark.parametrize("prime", [2, 65537, 2**31 - 1, 2**61 - 1, 0xFFFFFFFF00000001, 2**64 - 59])
def test_known_primes_are_prime(prime: int) -> None:
    assert is_prime(prime)


@pytest.mark.parametrize(
    "composite",
    [
        561,  # Carmichael numbers
        8911,
        3215031751,  # a strong pseudoprime to 2, 3, 5 and 7
        3825123056546413051,  # ... to the first nine primes
        318665857834031151167461,  # ... to the first twelve
        (2**31 - 1) ** 2,
    ],
)
def test_strong_pseudoprimes_are_not_prime(composite: int) -> None:
    assert not is_prime(composite)


def test_all_numbers_that_are_1_modulo_a_power_of_two_are_decided() -> None:
    """By one power of one base, where they are below its cube, else by several."""
    for twos in (3, 5, 7):
        for n in range(1, 1 << 18, 1 << twos):
            assert is_prime(n) == by_trial(n)


@pytest.mark.parametrize(
    "composite",
    [11812609, 51540459521, 173947502593, 213004853249, 1217625440257, 3261495951361],
)
def test_products_that_look_prime_to_the_base_that_is_taken_are_not(composite: int) -> None:
    """(1 + x 2^v)(1 + y 2^v) with a^((n-1)/2) = -1 for the first a that is no square modulo n."""
    first = next(a for a in range(3, 100, 2) if by_trial(a) and pow(composite, a // 2, a) == a - 1)
    assert pow(first, composite // 2, composite) == composite - 1
    assert not is_prime(composite)


@pytest.mark.parametrize("composite", [120453761, 8321168897, 17804914177, 20291281921, 64509060097])
def test_nor_are_those_that_are_above_the_cube_of_their_power_of_two(composite: int) -> None:
    """There a base of which they have the power of a prime proves nothing, whatever the digits."""
    twos = (composite - 1) & -(composite - 1)
    assert twos**3 < composite < twos**4
    assert not is_prime(composite)


@settings(max_examples=400)
@given(st.integers(1, 2**46), st.integers(13, 18))
def test_whatever_its_size_a_number_is_decided_as_by_all_bases(k: int, twos: int) -> None:
    """Numbers about as large as limbs, 1 modulo 2N."""
    n = (k << twos) + 1
    assert is_prime(n) == all(passes(n, a) for a in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41))


def test_is_prime_refuses_numbers_that_its_bases_cannot_decide() -> None:
    with pytest.raises(ValueError, match="below"):
        is_prime(2**89 - 1)


@given(st.integers(18, 60), ORDERS)
def test_first_prime_is_the_smallest_above_its_power_of_two(bits: int, m: int) -> None:
    prime = first_prime(bits, m)
    assert prime > 1 << bits
    assert prime % m == 1
    assert is_prime(prime)
    assert not any(is_prime(q) for q in range(prime - m, 1 << bits, -m))


@given(st.integers(22, 60), ORDERS)
def test_last_prime_is_the_largest_below_its_power_of_two(bits: int, m: int) -> None:
    prime = last_prime(bits, m)
    assert prime.bit_length() == bits
    assert prime % m == 1
    assert is_prime(prime)
    assert not any(is_prime(q) for q in range(prime + m, 1 << bits, m))


@given(st.integers(30, 59), ORDERS)
def test_next_and_previous_prime_undo_each_other(bits: int, m: int) -> None:
    prime = first_prime(bits, m)
    assert previous_prime(next_prime(prime, m), m) == prime
    assert next_prime(previous_prime(prime, m), m) == prime


@settings(deadline=None)
@given(st.integers(10, 18), ORDERS)
def test_both_iterators_list_exactly_the_primes_of_that_size(bits: int, m: int) -> None:
    wanted = [q for q in range(1 << (bits - 1), 1 << bits) if q % m == 1 and by_trial(q)]
    assert list(ascending(bits, m)) == wanted
    assert list(descending(bits, m)) == wanted[::-1]


def test_a_line_is_walked_as_far_as_it_is_asked() -> None:
    seen: list[int] = []

    def walk() -> Iterator[int]:
        for n in range(5):
            seen.append(n)
            yield n

    line = PrimesAhead(walk())
    assert line.first(2) == [0, 1] == seen
    assert line.first(1) == [0]
    assert list(line) == [0, 1, 2, 3, 4] == line.first(9) == seen


def test_walks_that_leave_their_range_say_so() -> None:
    with pytest.raises(PrimeNotFound, match="15 bits"):
        last_prime(15, 65536)
    with pytest.raises(PrimeNotFound, match="below 65537"):
        previous_prime(65537, 65536)


def test_openfhe_walks_give_the_primes_that_the_library_prints() -> None:
    # The first modulus, the scale's first prime and the first special prime of its own default at N = 2^14.
    assert last_prime(60, 32768) == 1152921504606748673
    assert first_prime(40, 32768) == 1099511922689
    assert previous_prime(last_prime(60, 32768), 32768) == 1152921504606683137


# -- the table


@pytest.mark.long
def test_the_table_has_all_primes_near_powers_of_two_and_no_other_number() -> None:
    """Each of its numbers decided by arithmetic."""
    stored = np.unpackbits(np.load(PLACE)).astype(np.bool_)
    assert np.array_equal(stored, tabled().ravel())


near = st.tuples(st.integers(18, 63), st.integers(12, 20), st.integers(-NEAR - 5, NEAR + 5))


@given(near)
def test_it_tells_of_a_number_what_arithmetic_does(drawn: tuple[int, int, int]) -> None:
    bits, step, place = drawn
    n = (1 << bits) + 1 + (place << step)
    assert is_prime(abs(n)) == decided(abs(n))
    # (next to the smallest power of two, half of it may be nearer)
    if bits in BITS[1:] and step in STEPS and abs(place) < NEAR and n.bit_length() - bits in (0, 1):
        window = around(n, 1 << step)
        assert (known(n), window.prime if window else None) == (decided(n),) * 2


@settings(max_examples=30, deadline=None)
@given(near, st.integers(1, 60))
def test_walks_go_on_where_the_table_ends(drawn: tuple[int, int, int], wanted: int) -> None:
    bits, step, place = drawn
    m = 1 << step
    start = max((1 << bits) + 1 + (place << step), 1 + m)
    walk, up = start, []
    for _ in range(min(wanted, 20)):
        walk = next_prime(walk, m)
        up.append(walk)
    assert up == list(islice(filter(decided, count(start + m, m)), len(up)))
    down = next(filter(decided, range(start - m, 1, -m)), None)
    if down:
        assert previous_prime(start, m) == down
