"""The exact torus ring, against integers of Python: every product, rotation and digit modulo 2^64."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fheasible.errors import RingMismatch
from fheasible.rings.torus import fourier
from fheasible.rings.torus.element import Domain, Torus
from fheasible.rings.torus.exact import DOUBLES, ExactTorusRing

Q = 1 << 64
WORD = st.integers(0, Q - 1)


def words(ring: ExactTorusRing, values: object, shape: tuple[int, ...]) -> Torus:
    return ring.given(shape, Domain.WORDS, np.array(values, np.uint64))


def negacyclic(a: list[int], b: list[int]) -> list[int]:
    """a·b modulo X^N + 1 and 2^64, as the definition says."""
    n, out = len(a), [0] * len(a)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[(i + j) % n] += x * y if i + j < n else -x * y
    return [v % Q for v in out]


def product(ring: ExactTorusRing, digits: NDArray[np.int64], matrix: NDArray[np.uint64], bits: int) -> Torus:
    small = ring.given(digits.shape, Domain.DIGITS, digits, bits=bits)
    large = ring.given(matrix.shape, Domain.WORDS, matrix)
    return ring.back(ring.products(ring.transform(small), ring.transform(large)))


@given(st.sampled_from([4, 16, 64]), st.integers(1, 20), st.sampled_from([3, 4, 5, 8]), st.integers(0, 99))
def test_products_of_polynomials_are_exact(n: int, bits: int, parts: int, seed: int) -> None:
    drawn = np.random.default_rng(seed)
    digits = drawn.integers(-(1 << bits), (1 << bits) + 1, (2, n))
    matrix = drawn.integers(0, Q, (2, 3, n), np.uint64)
    ring = ExactTorusRing(parts=parts)
    if parts < fourier.parts_needed(bits, 0, 2, n):
        with pytest.raises(RingMismatch, match="not exact"):
            product(ring, digits, matrix, bits)
        return
    found = product(ring, digits, matrix, bits).data
    for column in range(3):
        terms = [negacyclic(d.tolist(), m[column].tolist()) for d, m in zip(digits, matrix, strict=True)]
        assert found[column].tolist() == [sum(t) % Q for t in zip(*terms, strict=True)]


def test_the_largest_products_that_are_not_refused_are_exact() -> None:
    """All coefficients at their largest, with the signs that add up: the worst case for doubles."""
    n, rows, bits, parts = 1024, 4, 20, 4
    digits = np.full((rows, n), 1 << bits)
    largest = sum(((1 << 15) - 1) << 16 * i for i in range(4))
    matrix = np.full((rows, 1, n), largest, np.uint64)
    assert fourier.parts_needed(bits, 0, rows, n) == parts
    found = product(ExactTorusRing(parts=parts), digits, matrix, bits).data[0]
    expected = [rows * (1 << bits) * largest * (2 * (i + 1) - n) % Q for i in range(n)]
    assert found.tolist() == expected


def test_one_part_has_the_errors_of_doubles() -> None:
    """53 bits of a number of 64: the error is below 2^-40 of the torus for these sizes, and it is there."""
    drawn = np.random.default_rng(1)
    digits, matrix = drawn.integers(-4, 5, (2, 64)), drawn.integers(0, Q, (2, 2, 64), np.uint64)
    exact, rounded = (product(ExactTorusRing(parts=p), digits, matrix, 2).data for p in (4, DOUBLES))
    errors = np.abs((exact - rounded).view(np.int64))
    assert 0 < errors.max() < 1 << 24


@given(st.lists(WORD, min_size=8, max_size=8), st.integers(-40, 40), st.booleans())
def test_a_rotation_is_a_product_with_a_monomial(x: list[int], by: int, inverse: bool) -> None:
    ring = ExactTorusRing()
    degree = (-by if inverse else by) % 16
    monomial = [0] * 8
    monomial[degree % 8] = 1 if degree < 8 else -1
    assert ring.rotate(words(ring, x, (8,)), by, inverse).data.tolist() == negacyclic(monomial, x)


def test_many_ciphertexts_are_each_rotated_by_their_own_exponent() -> None:
    drawn, ring = np.random.default_rng(2), ExactTorusRing()
    x, by = drawn.integers(0, Q, (5, 2, 8), np.uint64), drawn.integers(0, 16, 5)
    exponents = ring.given((), Domain.EXPONENTS, by)
    for table in (x, x[0]):
        found = ring.rotate(words(ring, table, (2, 8)), exponents).data
        for i in range(5):
            own = table if table.ndim == 2 else table[i]
            assert (found[i] == ring.rotate(words(ring, own, (2, 8)), int(by[i])).data).all()


@given(st.lists(WORD, min_size=4, max_size=4))
def test_a_reversed_polynomial_is_one_of_the_inverse(x: list[int]) -> None:
    """x_0 + x_1/X + ...: 1/X is -X^(N-1)."""
    ring, total = ExactTorusRing(), np.zeros(4, np.uint64)
    for i, c in enumerate(x):
        total += ring.rotate(words(ring, [c, 0, 0, 0], (4,)), i, inverse=True).data
    assert (ring.reversed(words(ring, x, (4,))).data == total).all()


@given(st.lists(WORD, min_size=1, max_size=9), st.integers(1, 23), st.integers(1, 5))
def test_digits_add_up_to_the_nearest_number_that_they_can(x: list[int], base_log: int, level: int) -> None:
    if base_log * level > 63:
        return
    ring = ExactTorusRing()
    digits = ring.decompose(words(ring, x, (len(x),)), base_log, level)
    assert np.abs(digits.data).max() <= 1 << digits.bits == 1 << (base_log - 1)
    for i, word in enumerate(x):
        total = sum(int(d) << (64 - base_log * (j + 1)) for j, d in enumerate(digits.data[:, i]))
        assert abs((total - word + Q // 2) % Q - Q // 2) <= 1 << (63 - base_log * level)


def test_digits_have_no_bias_and_the_variance_of_their_ties() -> None:
    """Uniform on -B/2, ..., B/2, with both ends half as likely: (B^2 + 2)/12. But a digit that follows a
    tie at +-B/2 is one of 0, ..., B/2 - 1 up to its sign, for its highest bit has settled the tie."""
    ring = ExactTorusRing(1)
    for base_log in (1, 2, 3, 4):
        base, tie = 2**base_log, 0.0
        digits = ring.decompose(ring.uniform((200_000,)), base_log, 4).data
        for digit in digits[:0:-1]:  # from the lowest
            expected = (1 - tie) * (base**2 + 2) / 12 + tie * (base / 2 - 1) * (base - 1) / 6
            assert abs(digit.mean()) < 5 * (expected / digit.size) ** 0.5
            assert digit.var() == pytest.approx(expected, rel=0.02)
            tie = (1 - tie) / base


@pytest.mark.parametrize("bits", [1, 5, 12])
def test_exponents_are_rounded(bits: int) -> None:
    ring, step = ExactTorusRing(), 1 << (64 - bits)
    drawn = np.random.default_rng(bits).integers(0, Q, 200, np.uint64).tolist()
    x = [0, Q - 1, step // 2, step // 2 - 1, *drawn]
    expected = [(word + step // 2) // step % (1 << bits) for word in x]
    assert ring.exponents(words(ring, x, (len(x),)), bits).data.tolist() == expected
    assert ring.nearest(words(ring, x, (len(x),)), bits).data.tolist() == [e * step for e in expected]


@given(st.lists(st.integers(-(1 << 50), 1 << 50), min_size=1, max_size=9))
def test_half_a_sum_is_rounded_down(x: list[int]) -> None:
    ring = ExactTorusRing()
    assert int(ring.half_sum(words(ring, [v % Q for v in x], (len(x),))).data) == sum(x) // 2 % Q


def test_a_sum_of_monomials_multiplies_each_term_by_its_own() -> None:
    drawn, ring = np.random.default_rng(3), ExactTorusRing()
    terms, by = drawn.integers(0, Q, (4, 2, 16), np.uint64), drawn.integers(0, 32, (3, 3))
    given_terms = ring.transform(words(ring, terms, (4, 2, 16)))
    found = ring.back(ring.monomial_sum(given_terms, ring.given((3,), Domain.EXPONENTS, by))).data
    for c in range(3):
        expected = terms[0].copy()
        for i in range(3):
            expected += ring.rotate(words(ring, terms[i + 1], (2, 16)), int(by[c, i])).data
        assert (found[c] == expected).all()


def test_weighted_sums_wrap() -> None:
    ring = ExactTorusRing()
    digits = ring.given((2,), Domain.DIGITS, [-3, 5], bits=3)
    rows = words(ring, [[1, Q - 1], [Q // 2, 7]], (2, 2))
    assert ring.weighted_sum(digits, rows).data.tolist() == [(-3 + 5 * (Q // 2)) % Q, 3 + 35]


def test_indicators_are_one_at_the_value_of_a_group() -> None:
    ring = ExactTorusRing()
    bits = ring.given((4,), Domain.DIGITS, [1, 0, 0, 1])
    assert ring.indicators(bits, 2).data.tolist() == [[0, 1, 0, 0], [0, 0, 1, 0]]


def test_errors_have_their_distributions() -> None:
    ring = ExactTorusRing(7)
    drawn = ring.tuniform((400_000,), 3).data.view(np.int64)
    counts = np.bincount(drawn + 8, minlength=17) / len(drawn)
    expected = np.array([1, *[2] * 15, 1]) / 32
    assert np.abs(counts - expected).max() < 5 * (expected.max() / len(drawn)) ** 0.5
    normal = ring.gaussian((400_000,), 2.0**-30).data.view(np.int64) * 2.0**-64
    assert normal.std() == pytest.approx(2.0**-30, rel=0.01)
    assert abs(normal.mean()) < 5 * 2.0**-30 / len(normal) ** 0.5


def test_numbers_of_fewer_bits_are_the_highest() -> None:
    ring = ExactTorusRing(1, bits=32)
    for made in (ring.uniform((50,)), ring.gaussian((50,), 2.0**-20), ring.tuniform((50,), 40)):
        assert not (made.data & np.uint64((1 << 32) - 1)).any()
        assert made.data.any()
    assert 2.0**38 < np.abs(ring.tuniform((500,), 40).data.view(np.int64)).max() <= 2.0**40


def test_the_same_seed_draws_the_same_numbers() -> None:
    first, second, other = (ExactTorusRing(seed).uniform((5,)).data for seed in (1, 1, 2))
    assert (first == second).all()
    assert (first != other).any()
