"""Laws of the ring, in the exact interpreter alone: no oracle is needed for them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fheasible.errors import NotInvertible
from fheasible.rings.element import Element, Scalar
from fheasible.rings.exact import ExactRing, native
from fheasible.rings.inverse import inverse

from .drawing import Rings, rings, scalars, sizes
from .oracle import integers


def equal(R: ExactRing, x: Element, y: Element) -> bool:
    return np.array_equal(R.coefficients(x), R.coefficients(y))


@given(rings, sizes, sizes, sizes)
@settings(deadline=None)
def test_products_distribute_over_sums(drawn: Rings, rows: int, inner: int, cols: int) -> None:
    R = drawn.exact
    x, y, z = R.uniform(rows, inner), R.uniform(inner, cols), R.uniform(inner, cols)
    assert equal(R, R.multiply(x, R.add(y, z)), R.add(R.multiply(x, y), R.multiply(x, z)))


@given(rings, sizes)
@settings(deadline=None)
def test_products_associate(drawn: Rings, size: int) -> None:
    R = drawn.exact
    x, y, z = R.uniform(1, size), R.uniform(size, size), R.uniform(size, 1)
    assert equal(R, R.multiply(R.multiply(x, y), z), R.multiply(x, R.multiply(y, z)))


@given(rings, sizes, sizes)
@settings(deadline=None)
def test_a_product_transposed_is_the_product_of_the_transposes(drawn: Rings, rows: int, cols: int) -> None:
    R = drawn.exact
    x, y = R.uniform(rows, 2), R.ternary(2, cols)
    assert equal(R, R.transpose(R.multiply(x, y)), R.multiply(R.transpose(y), R.transpose(x)))


@given(rings, sizes, sizes)
@settings(deadline=None)
def test_what_is_subtracted_can_be_added_again(drawn: Rings, rows: int, cols: int) -> None:
    R = drawn.exact
    x, y = R.uniform(rows, cols), R.uniform(rows, cols)
    assert equal(R, R.add(R.subtract(x, y), y), x)
    assert not R.coefficients(R.add(x, R.negate(x))).any()


@given(rings, scalars, sizes, sizes)
@settings(deadline=None)
def test_digits_compose_to_what_was_decomposed(drawn: Rings, w: Scalar, rows: int, cols: int) -> None:
    R = drawn.exact
    x = R.uniform(rows, cols)
    assert equal(R, R.compose(R.decompose(x, w), w), x)


@given(rings, scalars, sizes, sizes, sizes)
@settings(deadline=None)
def test_digits_times_powers_are_the_product(
    drawn: Rings, w: Scalar, rows: int, inner: int, cols: int
) -> None:
    R = drawn.exact
    x, y = R.uniform(rows, inner), R.uniform(inner, cols)
    assert equal(R, R.multiply(R.decompose(x, w), R.powers(y, w)), R.multiply(x, y))


@given(rings, scalars, sizes)
@settings(deadline=None)
def test_the_gadget_composes_digits(drawn: Rings, w: Scalar, cols: int) -> None:
    R = drawn.exact
    x = R.uniform(2, cols)
    digits = R.decompose(x, w)
    assert equal(R, R.multiply(digits, R.gadget(cols, w)), x)


@given(rings, scalars, sizes)
@settings(deadline=None)
def test_flattening_keeps_what_is_composed_and_makes_digits(drawn: Rings, w: Scalar, rows: int) -> None:
    R = drawn.exact
    x = drawn.integers(rows, 2 * R.digits(w), 30)[0]
    flat = R.flatten(x, w)
    assert equal(R, R.compose(flat, w), R.compose(x, w))
    assert w.value is not None
    assert all(0 <= v < w.value for v in R.coefficients(flat).ravel())


@given(rings, sizes, sizes)
@settings(deadline=None)
def test_reducing_undoes_lifting_to_the_integers_around_zero(drawn: Rings, rows: int, cols: int) -> None:
    R = drawn.exact
    x = R.uniform(rows, cols)
    lifted = R.lift(x)
    assert equal(R, R.reduce(lifted), x)
    assert all(-R.q < 2 * v <= R.q for v in R.coefficients(lifted).ravel())


@given(rings, sizes, sizes)
@settings(deadline=None)
def test_a_convolution_holds_the_coefficients_of_the_product(drawn: Rings, k: int, l: int) -> None:
    """At Y = 1 the product of two polynomials in Y is the product of their sums."""
    R, x, y = drawn.exact, drawn.integers(1, k)[0], drawn.integers(1, l)[0]
    of_sums = R.multiply(ones(R, x), ones(R, y))
    assert equal(R, ones(R, R.convolve(x, y)), of_sums)


def ones(R: ExactRing, x: Element) -> Element:
    """The sum of a row."""
    total = R.entry(x, 0, 0)
    for j in range(1, x.cols):
        total = R.add(total, R.entry(x, 0, j))
    return total


@given(rings)
@settings(deadline=None)
def test_an_inverse_times_its_polynomial_is_one(drawn: Rings) -> None:
    R = drawn.exact
    x = R.uniform()
    try:
        product = R.multiply(x, R.inverse(x))
    except NotInvertible:
        assume(False)
    assert equal(R, product, R.element(integers([1] + [0] * (R.n - 1)).reshape(1, 1, R.n), True))


@given(st.sampled_from([1, 2, 4, 8]), st.integers(2, 2**40), st.integers(0, 2**32))
@settings(deadline=None)
def test_inverses_are_the_oracles_and_fail_where_its_do(n: int, q: int, seed: int) -> None:
    drawn = Rings(n, q, seed)
    x, same, _ = drawn.residues()
    try:
        expected = drawn.oracle.coefficients(drawn.oracle.inverse(same))
    except NotInvertible:
        with pytest.raises(NotInvertible, match="with q") as refused:
            drawn.exact.inverse(x)
        assert refused.value.remedy == "draw another polynomial"
    else:
        assert np.array_equal(drawn.exact.coefficients(drawn.exact.inverse(x)), expected)


@pytest.mark.parametrize("q", [2, 3, 4, 5, 6])
def test_exactly_the_polynomials_with_an_inverse_are_inverted(q: int) -> None:
    """All q^2 polynomials a + bX of Z_q[X]/(X^2 + 1), each tried with all others."""
    drawn = Rings(2, q)
    R = drawn.exact
    everything = [(a, b) for a in range(q) for b in range(q)]
    for a, b in everything:
        partners = [(c, d) for c, d in everything if ((a * c - b * d) % q, (a * d + b * c) % q) == (1 % q, 0)]
        x = R.element(integers([[[a, b]]]), True)
        if partners:
            assert [tuple(R.coefficients(R.inverse(x))[0, 0])] == partners
        else:
            with pytest.raises(NotInvertible):
                R.inverse(x)


class Watched:
    """The native module, and the sizes of the products that it is asked for."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(native(), name)

    def product_mod(self, a: Any, *others: Any) -> Any:
        self.sizes.append(a.shape[2])
        return native().product_mod(a, *others)


@pytest.mark.parametrize("n", [1, 2, 64])
def test_an_inverse_takes_two_products_of_every_degree(n: int) -> None:
    watched, R = Watched(), ExactRing(n, 3**50)
    x = R.add(R.scale(R.uniform(), Scalar.of(3)), R.reduce(R.message(Scalar.of(2), [1])))
    inverse(watched, x.data, R.q)
    degrees = [1 << k for k in range(1, n.bit_length())]
    assert sorted(watched.sizes) == sorted(degrees * 2)


@pytest.mark.parametrize("q", [2**200 - 1, 2**200, 3**60])
def test_polynomials_of_a_scheme_are_inverted_at_larger_sizes(q: int) -> None:
    """1 + 2·3·(...) has a norm prime to 2 and 3; to 2^200 - 1 it may not be, so some are tried."""
    n = 1024
    R = ExactRing(n, q, seed=7)
    one = R.message(Scalar.of(2), [1])
    for _ in range(50):
        x = R.reduce(R.add(R.scale(R.ternary(), Scalar.of(6)), one))
        try:
            assert equal(R, R.multiply(R.inverse(x), x), R.reduce(one))
            return
        except NotInvertible:
            assert q == 2**200 - 1
    pytest.fail("none of 50 polynomials was invertible")
