"""Digits and special primes of many sets at once are those of each alone."""

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.errors import InfeasibleParameters
from fheasible.libraries.lengths import bit_length, strays
from fheasible.libraries.openfhe import columns, rns
from fheasible.libraries.parameters import request_for
from fheasible.libraries.primes import first_prime, is_prime, next_prime, previous_prime

REQUEST = request_for("ckks", 1)
LIMBS, DIGITS, BITS = st.integers(1, 20), st.integers(1, 22), st.integers(rns.MIN_BITS, rns.MAX_BITS)


@given(LIMBS, DIGITS)
def test_digits_are_distributed_as_of_one_set(limbs: int, digits: int) -> None:
    begins, each = columns.distributed(limbs, digits)
    try:
        alone = rns.limbs_per_digit(REQUEST, limbs, digits)
    except InfeasibleParameters:
        assert not len(begins)
        return
    assert each == alone
    assert begins.tolist() == list(range(0, limbs, alone))
    assert len(begins) == digits


@given(LIMBS.flatmap(lambda n: st.lists(st.lists(BITS, min_size=n, max_size=n), min_size=1)), DIGITS)
def test_special_limbs_are_foreseen_as_of_one_set(sets: list[list[int]], digits: int) -> None:
    def alone(bits: list[int]) -> int:
        try:
            return rns.foreseen_special_limbs(REQUEST, bits, digits, margin=True)
        except InfeasibleParameters:
            return 0

    found = columns.foreseen_special_limbs(np.array(sets).T, digits)
    assert found.tolist() == [alone(bits) for bits in sets]


@given(st.lists(st.integers(1, 1200)))
def test_special_limbs_of_digits_are_as_of_one(bits: list[int]) -> None:
    found = columns.special_limbs(np.array(bits, dtype=np.int64))
    assert found.tolist() == [rns.special_limbs(each) for each in bits]


@st.composite
def primes(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """(bits, primes): some steps above or below 2^bits, as OpenFHE takes them in a ring."""
    step = 1 << draw(st.integers(12, 18))
    sizes = draw(st.lists(st.integers(30, 60), min_size=1, max_size=9))
    return sizes, [_beside(draw(st.integers(-6, 6)), bits, step) for bits in sizes]


def _beside(places: int, bits: int, step: int) -> int:
    prime = first_prime(bits, step)
    for _ in range(abs(places)):
        prime = next_prime(prime, step) if places > 0 else previous_prime(prime, step)
    return prime


@settings(deadline=None)
@given(primes())
def test_bits_of_a_product_are_exact(given_: tuple[list[int], list[int]]) -> None:
    bits, each = (np.array(column)[:, None] for column in given_)
    stray = strays(each.astype(np.float64), bits).sum(axis=0)
    assert bit_length(bits.sum(axis=0), stray).item() == prod(given_[1]).bit_length()


@pytest.mark.parametrize("bits", [53, 54, 57, 58, 59, 60])
def test_bits_of_a_product_are_exact_where_primes_are_as_far_above_as_below(bits: int) -> None:
    """Their distances cancel but for the 1 by which each exceeds a multiple of 2N, which a double drops."""
    step, middle = 1 << 12, 1 << bits
    distances = range(step, step << 14, step)
    pair = next(p for d in distances if all(map(is_prime, p := (middle + 1 + d, middle + 1 - d))))
    stray = strays(np.array(pair, dtype=np.float64), np.array([bits, bits])).sum()
    assert bit_length(np.array(2 * bits), stray).item() == prod(pair).bit_length()
