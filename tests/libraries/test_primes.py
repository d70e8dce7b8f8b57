"""The prime searches, against trial division and primes known from elsewhere."""

from math import isqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.libraries.primes import (
    PrimeNotFound,
    ascending,
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
