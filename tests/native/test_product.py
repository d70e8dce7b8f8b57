"""Products over Z[X]/(X^n+1) against schoolbook multiplication, closed forms and Kronecker substitution."""

import random

import fheasible_native as native
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .drawn import MODULI, bounded, grids, residues
from .oracle import Grid, Limbs, array, constant, convolution, each, modulus, product, signed, unsigned

BITS = st.sampled_from([1, 5, 62, 63, 64, 65, 300])
SMALL = [(1, 1, 1, 1), (2, 3, 2, 1), (2, 2, 3, 2), (1, 2, 2, 4), (3, 1, 2, 8)]  # multiplied as they are
TRANSFORMED = [(1, 2, 1, 16), (2, 1, 1, 16), (1, 1, 1, 32)]
SHAPES = st.sampled_from(SMALL + TRANSFORMED)


def _limbs(grid: Grid) -> int:
    """The limbs that hold every coefficient in two's complement."""
    return max(abs(v) for row in grid for poly in row for v in poly).bit_length() // 64 + 1


@settings(deadline=None)
@given(st.data(), SHAPES, BITS, BITS, st.integers(0, 12))
def test_the_matrix_product_is_exact(
    data: st.DataObject, shape: tuple[int, int, int, int], a_bits: int, b_bits: int, more: int
) -> None:
    r, m, c, n = shape
    a = data.draw(grids(r, m, n, bounded(a_bits)))
    b = data.draw(grids(m, c, n, bounded(b_bits)))
    wanted = product(a, b)
    x, y = array(a, _limbs(a)), array(b, _limbs(b) + 1)
    assert signed(native.product(x, False, a_bits, y, False, b_bits, _limbs(wanted) + more)) == wanted


@settings(deadline=None)
@given(st.data(), SHAPES, BITS, MODULI)
def test_residues_are_read_as_unsigned_and_the_product_is_reduced(
    data: st.DataObject, shape: tuple[int, int, int, int], a_bits: int, q: int
) -> None:
    r, m, c, n = shape
    a = data.draw(grids(r, m, n, bounded(a_bits)))
    b = data.draw(grids(m, c, n, residues(q)))
    wanted = product(a, b)
    x, y, length = array(a, _limbs(a)), array(b, len(modulus(q))), q.bit_length()
    assert signed(native.product(x, False, a_bits, y, True, length, _limbs(wanted))) == wanted
    assert unsigned(native.product_mod(x, False, a_bits, y, True, length, modulus(q))) == each(
        lambda v: v % q, wanted
    )


@settings(deadline=None)
@given(st.data(), st.integers(1, 3), st.integers(1, 3), st.sampled_from([1, 4, 16]), BITS)
def test_convolution_sums_along_the_antidiagonals(
    data: st.DataObject, k: int, l: int, n: int, bits: int
) -> None:
    a, b = data.draw(grids(1, k, n, bounded(bits))), data.draw(grids(1, l, n, bounded(bits)))
    wanted = [convolution(a[0], b[0])]
    got = native.convolve(array(a, _limbs(a)), False, bits, array(b, _limbs(b)), False, bits, _limbs(wanted))
    assert signed(got) == wanted


@settings(deadline=None)
@given(st.data(), st.sampled_from([1, 8, 16]), BITS)
def test_an_array_times_itself_is_what_it_is_times_its_copy(data: st.DataObject, n: int, bits: int) -> None:
    a = data.draw(grids(2, 2, n, bounded(bits)))
    x, out = array(a, _limbs(a)), (2 * bits + 10) // 64 + 1
    once = native.product(x, False, bits, x, False, bits, out)
    assert np.array_equal(once, native.product(x, False, bits, x.copy(), False, bits, out))
    assert signed(once) == product(a, a)
    q = modulus(2**65 + 1)
    assert unsigned(native.product_mod(x, False, bits, x, False, bits, q)) == each(
        lambda v: v % (2**65 + 1), product(a, a)
    )


LOG_N = range(16)


def _ones_squared(n: int) -> list[int]:
    """(1 + X + ... + X^(n-1))^2: X^k comes from k + 1 pairs, and with a minus sign from n - 1 - k."""
    return [(k + 1) - (n - 1 - k) for k in range(n)]


@pytest.mark.parametrize("log_n", LOG_N)
def test_the_largest_coefficients_of_every_n_are_multiplied_exactly(log_n: int) -> None:
    n, q = 2**log_n, 2**300 - 1
    x = np.broadcast_to(constant(q - 1, 5), (1, 1, n, 5)).copy()
    wanted = [[[v * (q - 1) ** 2 for v in _ones_squared(n)]]]
    assert signed(native.product(x, True, 300, x.copy(), True, 300, 10)) == wanted
    assert unsigned(native.product_mod(x, True, 300, x, True, 300, modulus(q))) == each(
        lambda v: v % q, wanted
    )


def test_1200_bits_at_n_of_32768_are_multiplied_exactly() -> None:
    n, q = 2**15, 2**1200 - 1
    x = np.broadcast_to(constant(q - 1, 19), (1, 1, n, 19)).copy()
    got = unsigned(native.product_mod(x, True, 1200, x, True, 1200, modulus(q)))
    assert got == [[[v % q for v in _ones_squared(n)]]]  # (q - 1)^2 is 1


def test_negative_powers_of_two_meet_their_bound() -> None:
    for bits in (63, 127, 300):
        length = bits // 64 + 1
        x = np.broadcast_to(constant(-(2**bits), length), (1, 3, 64, length)).copy()
        y = x.reshape(3, 1, 64, length).copy()
        wanted = [[[3 * v * 4**bits for v in _ones_squared(64)]]]
        assert signed(native.product(x, False, bits, y, False, bits, 2 * length + 1)) == wanted


@pytest.mark.parametrize("primes", [1, 2, 6, 30])
@pytest.mark.parametrize(("m", "n"), [(1, 4), (4, 4), (1, 64), (2, 64)])
def test_the_largest_product_that_a_count_of_primes_is_for_is_exact(primes: int, m: int, n: int) -> None:
    bits = 50 * primes - 3 - (m * n).bit_length() + 1  # one bit more takes one prime more
    a_bits, b_bits = bits // 2, bits - bits // 2
    counts = [native.prime_count(m, n, a_bits, b_bits + more) for more in (0, 1)]
    assert counts == [primes, primes + 1]
    x = np.broadcast_to(constant(2**a_bits), (1, m, n, a_bits // 64 + 1)).copy()
    y = np.broadcast_to(constant(-(2**b_bits)), (m, 1, n, b_bits // 64 + 1)).copy()
    wanted = [[[-m * v * 2**bits for v in _ones_squared(n)]]]
    assert signed(native.product(x, False, a_bits, y, False, b_bits, bits // 64 + 2)) == wanted


def _pack(poly: list[int], width: int) -> int:
    """The polynomial at X = 2^width."""
    return sum(v << width * k for k, v in enumerate(poly))


@pytest.mark.parametrize("log_n", [5, 8, 11])
def test_random_polynomials_agree_with_kronecker_substitution(log_n: int) -> None:
    n, bits = 2**log_n, 100
    drawn = random.Random(log_n)
    a, b = ([drawn.randrange(2**bits) for _ in range(n)] for _ in range(2))
    width = 2 * bits + log_n
    wide = _pack(a, width) * _pack(b, width)
    terms = [wide >> width * k & 2**width - 1 for k in range(2 * n)]
    wanted = [[[terms[k] - terms[k + n] for k in range(n)]]]
    assert signed(native.product(array([[a]], 2), True, bits, array([[b]], 2), True, bits, 4)) == wanted


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32), st.sampled_from([4, 16]))
def test_a_narrow_bound_on_a_wide_array_is_enough(seed: int, n: int) -> None:
    drawn = random.Random(seed)
    a = [[[drawn.randrange(-4, 5) for _ in range(n)]]]
    wanted = product(a, a)
    assert signed(native.product(array(a, 7), False, 2, array(a, 1), False, 2, 1)) == wanted


def _residue_words(r: int, m: int, c: int, primes: int) -> int:
    return r * m + m * c + r * c * primes


def test_the_predicted_memory_is_that_of_the_residues() -> None:
    # 4 m n 2^(a + b) = 2^(2 + 1 + 12 + 600) and one bit of slack: 616 bits in primes of 50
    assert (native.prime_bits(), native.prime_count(2, 4096, 300, 300)) == (50, 13)
    assert native.workspace_bytes(3, 2, 4, 4096, 300, 300) == 8 * 4096 * _residue_words(3, 2, 4, 13)
    assert native.workspace_bytes(2, 2, 2, 4096, 300, 300, shared=True) == 8 * 4096 * (4 + 4 * 13)
    assert native.convolve_workspace_bytes(2, 2, 4096, 300, 300) == 8 * 4096 * (2 + 2 + 3 * 13)
    assert native.table_bytes(4096, 13) == 4 * 8 * 4096 * 13


A = np.zeros((1, 2, 4, 2), np.uint64)


FITS = np.zeros((2, 1, 4, 2), np.uint64)
REFUSED = [
    (A, 5, 1, "a has 2 columns, b has 1 rows"),
    (np.zeros((2, 1, 8, 2), np.uint64), 5, 1, "one n"),
    (FITS, 5, 0, "limbs_out"),
    (FITS, 7000, 1, "needs 281 primes"),
]


@pytest.mark.parametrize(("b", "bits", "limbs_out", "message"), REFUSED)
def test_operands_that_do_not_fit_are_refused(b: Limbs, bits: int, limbs_out: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        native.product(A, False, bits, b, False, bits, limbs_out)


def test_a_convolution_takes_rows() -> None:
    with pytest.raises(ValueError, match="one row"):
        native.convolve(A.reshape(2, 1, 4, 2), False, 5, A, False, 5, 1)
