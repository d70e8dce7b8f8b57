"""The exact ring against the schoolbook in Python's integers, and the counting ring against both."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.errors import LibraryMissing
from fheasible.rings import exact
from fheasible.rings.element import Element, Scalar
from fheasible.rings.limbs import pack, unpack
from fheasible.rings.ring import Ring

from .drawing import Rings, bases, moduli, rings, scalars, sizes

Operation = Callable[..., Element]
constants = st.one_of(
    st.integers(-5, 5), st.integers(-(2**300), 2**300), st.integers(0, 8).map(lambda k: 2**k)
)
moduli_of_plaintexts = st.one_of(
    st.integers(2, 9), st.sampled_from([2**63, 2**64 - 1, 2**64]), st.integers(2, 2**99)
)


def same_everywhere(drawn: Rings, operation: Operation, *operands: tuple[Element, ...]) -> Element:
    """The exact result: with the oracle's coefficients, in the declared form, which counting declares too."""
    exact_, oracle, counted = (operation(r, *xs) for r, *xs in zip(drawn.each, *operands, strict=True))
    assert np.array_equal(drawn.exact.coefficients(exact_), drawn.oracle.coefficients(oracle))
    sound(drawn, exact_)
    for other in (oracle, counted):
        assert form(other) == form(exact_)
    return exact_


def form(x: Element) -> tuple[Any, ...]:
    return x.rows, x.cols, x.modular, x.bits


def sound(drawn: Rings, x: Element) -> None:
    """Its data have the declared shape, and no coefficient is beyond the declared bound."""
    assert x.data.shape[:3] == (x.rows, x.cols, drawn.n)
    assert x.data.dtype == np.uint64
    values = drawn.exact.coefficients(x).ravel()
    if x.modular:
        assert all(0 <= v < drawn.q for v in values)
    assert all(abs(v) < 2**x.bits for v in values)


def either(drawn: Rings, modular: bool, rows: int, cols: int) -> tuple[Element, ...]:
    return drawn.residues(rows, cols) if modular else drawn.integers(rows, cols)


@given(rings, st.booleans(), sizes, sizes, st.sampled_from(["add", "subtract"]))
@settings(deadline=None)
def test_sums_and_differences_are_the_oracles(
    drawn: Rings, modular: bool, rows: int, cols: int, name: str
) -> None:
    x, y = (either(drawn, modular, rows, cols) for _ in range(2))
    same_everywhere(drawn, lambda R, a, b: getattr(R, name)(a, b), x, y)


@given(rings, st.booleans(), st.booleans(), st.integers(1, 20), st.integers(1, 3), st.integers(1, 3))
@settings(deadline=None, max_examples=40)
def test_products_in_full_are_the_oracles_and_fold_to_products(
    drawn: Rings, left: bool, right: bool, rows: int, a: int, b: int
) -> None:
    x, one, y = either(drawn, left, rows, a), either(drawn, left, 1, a), either(drawn, right, rows, b)
    same_everywhere(drawn, Ring.product_in_full, one, y)
    whole = same_everywhere(drawn, Ring.inner_product_in_full, x, y)
    folded = same_everywhere(drawn, lambda R, x, y: R.fold(R.inner_product_in_full(x, y)), x, y)
    if left or right:
        by_hand = drawn.exact.multiply(drawn.exact.transpose(drawn.exact.fold(x[0])), drawn.exact.fold(y[0]))
        values = (drawn.exact.coefficients(v) for v in (folded, by_hand))
        assert np.array_equal(*values)
    assert whole.cols == a + b


@given(rings, st.booleans(), sizes, sizes)
@settings(deadline=None)
def test_flat_rows_are_the_oracles(drawn: Rings, modular: bool, rows: int, cols: int) -> None:
    same_everywhere(drawn, Ring.flat, either(drawn, modular, rows, cols))


@given(rings, st.booleans(), sizes, sizes)
@settings(deadline=None)
def test_negation_is_the_oracles(drawn: Rings, modular: bool, rows: int, cols: int) -> None:
    same_everywhere(drawn, Ring.negate, either(drawn, modular, rows, cols))


@given(rings, st.booleans(), st.booleans(), sizes, sizes, sizes)
@settings(deadline=None)
def test_matrix_products_are_the_oracles(
    drawn: Rings, left: bool, right: bool, rows: int, inner: int, cols: int
) -> None:
    x, y = either(drawn, left, rows, inner), either(drawn, right, inner, cols)
    same_everywhere(drawn, Ring.multiply, x, y)


@given(rings, st.booleans(), st.booleans(), sizes, sizes, st.booleans())
@settings(deadline=None)
def test_a_single_polynomial_multiplies_every_entry_from_either_side(
    drawn: Rings, left: bool, right: bool, rows: int, cols: int, first: bool
) -> None:
    one, many = either(drawn, left, 1, 1), either(drawn, right, rows, cols)
    same_everywhere(drawn, Ring.multiply, *((one, many) if first else (many, one)))


@given(rings, st.booleans(), sizes)
@settings(deadline=None)
def test_the_square_of_a_matrix_is_the_oracles(drawn: Rings, modular: bool, size: int) -> None:
    same_everywhere(drawn, lambda R, x: R.multiply(x, x), either(drawn, modular, size, size))


@given(rings, sizes, sizes)
@settings(deadline=None)
def test_convolutions_are_the_oracles(drawn: Rings, k: int, l: int) -> None:
    same_everywhere(drawn, Ring.convolve, drawn.integers(1, k), drawn.integers(1, l))
    same_everywhere(drawn, lambda R, x: R.convolve(x, x), drawn.integers(1, k))


@given(rings, st.booleans(), constants, sizes, sizes)
@settings(deadline=None)
def test_multiples_are_the_oracles(drawn: Rings, modular: bool, c: int, rows: int, cols: int) -> None:
    same_everywhere(drawn, lambda R, x: R.scale(x, Scalar.of(c)), either(drawn, modular, rows, cols))


@given(rings, moduli_of_plaintexts, sizes, sizes)
@settings(deadline=None)
def test_scaling_by_t_over_q_rounds_as_the_oracle_does(drawn: Rings, t: int, rows: int, cols: int) -> None:
    x = drawn.integers(rows, cols, drawn.random.randrange(1, 2 * drawn.q.bit_length() + 20))
    same_everywhere(drawn, lambda R, a: R.scale_round(a, Scalar.of(t)), x)


@pytest.mark.parametrize("exponent", [10, 64, 127, 128, 1000])
def test_rounding_up_to_a_power_of_two_stays_within_the_bound(exponent: int) -> None:
    """7·(2^(k-2) - 1)/2^k is 1.75 and a little less, so 2."""
    drawn = Rings(2, 2**exponent)
    x = drawn.element([[[2 ** (exponent - 2) - 1, 1 - 2 ** (exponent - 2)]]], False)
    made = same_everywhere(drawn, lambda R, a: R.scale_round(a, Scalar.of(7)), x)
    assert drawn.exact.coefficients(made).ravel().tolist() == [2, -2]


@given(rings, sizes, sizes)
@settings(deadline=None)
def test_lifting_and_reducing_are_the_oracles(drawn: Rings, rows: int, cols: int) -> None:
    same_everywhere(drawn, Ring.lift, drawn.residues(rows, cols))
    same_everywhere(drawn, Ring.reduce, drawn.integers(rows, cols, drawn.random.randrange(1, 2500)))


@given(rings, moduli_of_plaintexts, sizes)
@settings(deadline=None)
def test_remainders_modulo_t_are_the_oracles(drawn: Rings, t: int, cols: int) -> None:
    same_everywhere(drawn, lambda R, x: R.remainder(x, Scalar.of(t)), drawn.integers(1, cols))


@given(rings, scalars, sizes, sizes)
@settings(deadline=None)
def test_digits_and_powers_are_the_oracles(drawn: Rings, w: Scalar, rows: int, cols: int) -> None:
    x = drawn.residues(rows, cols)
    digits = same_everywhere(drawn, lambda R, a: R.decompose(a, w), x)
    assert all(0 <= v < w.value for v in drawn.exact.coefficients(digits).ravel())
    same_everywhere(drawn, lambda R, a: R.powers(a, w), x)


@given(rings, scalars, sizes, sizes)
@settings(deadline=None)
def test_any_integers_are_composed_and_flattened_as_by_the_oracle(
    drawn: Rings, w: Scalar, rows: int, cols: int
) -> None:
    x = drawn.integers(rows, cols * drawn.exact.digits(w), 20)
    same_everywhere(drawn, lambda R, a: R.compose(a, w), x)
    same_everywhere(drawn, lambda R, a: R.flatten(a, w), x)


@given(rings, scalars, sizes)
@settings(deadline=None)
def test_the_gadget_matrix_is_the_oracles(drawn: Rings, w: Scalar, k: int) -> None:
    same_everywhere(drawn, lambda R: R.gadget(k, w))


@given(rings, moduli_of_plaintexts, st.data())
@settings(deadline=None)
def test_messages_are_filled_up_with_zeros(drawn: Rings, t: int, data: st.DataObject) -> None:
    given_ = data.draw(st.lists(st.integers(0, t - 1), max_size=drawn.n))
    m = same_everywhere(drawn, lambda R: R.message(Scalar.of(t), given_))
    assert list(drawn.exact.coefficients(m)[0, 0]) == given_ + [0] * (drawn.n - len(given_))


@given(rings, moduli_of_plaintexts)
@settings(deadline=None)
def test_the_quotient_of_q_and_t_is_exact_and_counted_no_smaller(drawn: Rings, t: int) -> None:
    known = drawn.exact.quotient(Scalar.of(t))
    assert known.value == drawn.q // t
    sized = drawn.counting.__class__(drawn.n, drawn.exact.q_bits).quotient(Scalar.of(t))
    assert max(sized.bits, 0) >= known.bits


@given(rings, st.booleans(), sizes, sizes, st.data())
@settings(deadline=None)
def test_parts_of_matrices_serve_as_operands_like_any_other(
    drawn: Rings, modular: bool, rows: int, cols: int, data: st.DataObject
) -> None:
    x = either(drawn, modular, rows, cols)
    i, j = data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, cols - 1))
    parts: list[Operation] = [
        lambda R, a: R.transpose(a),
        lambda R, a: R.entry(a, i, j),
        lambda R, a: R.column(a, j),
        lambda R, a: R.row(a, i),
        lambda R, a: R.row(R.transpose(a), j),
        lambda R, a: R.entry(R.transpose(a), j, i),
    ]
    for part in parts:
        same_everywhere(drawn, part, x)
        same_everywhere(drawn, lambda R, a, part=part: R.multiply(part(R, a), R.transpose(part(R, a))), x)
        same_everywhere(drawn, lambda R, a, part=part: R.beside(R.negate(part(R, a)), part(R, a)), x)


@given(rings, st.booleans(), sizes, st.lists(sizes, min_size=1, max_size=4))
@settings(deadline=None)
def test_matrices_of_any_sizes_stand_beside_each_other(
    drawn: Rings, modular: bool, rows: int, widths: list[int]
) -> None:
    same_everywhere(drawn, Ring.beside, *(either(drawn, modular, rows, cols) for cols in widths))


@given(rings, sizes, sizes, st.floats(0.3, 400))
@settings(deadline=None)
def test_what_is_drawn_has_the_declared_form(drawn: Rings, rows: int, cols: int, sigma: float) -> None:
    draws: list[Operation] = [
        lambda R: R.uniform(rows, cols),
        lambda R: R.ternary(rows, cols),
        lambda R: R.gaussian(sigma, rows, cols),
    ]
    for draw in draws:
        made = draw(drawn.exact)
        sound(drawn, made)
        assert form(made) == form(draw(drawn.oracle)) == form(draw(drawn.counting))


@given(rings, sizes, sizes)
@settings(deadline=None)
def test_no_operation_changes_its_operands(drawn: Rings, rows: int, cols: int) -> None:
    R, (x, *_), (y, *_) = drawn.exact, drawn.residues(rows, cols), drawn.residues(rows, cols)
    w = Scalar.of(16)
    before = R.coefficients(x), R.coefficients(y)
    R.multiply(R.transpose(x), R.subtract(y, R.negate(x)))
    R.compose(R.decompose(R.reduce(R.lift(x)), w), w)
    R.powers(R.scale(x, Scalar.of(-3)), w)
    assert np.array_equal(before, (R.coefficients(x), R.coefficients(y)))


@given(moduli, bases)
@settings(deadline=None)
def test_the_number_of_digits_is_the_least_that_write_every_residue(q: int, w: int) -> None:
    count = Rings(2, q).exact.digits(Scalar.of(w))
    assert w ** (count - 1) <= q < w**count


@given(st.lists(st.integers(-(2**191), 2**191 - 1), min_size=1, max_size=5))
@settings(deadline=None)
def test_integers_survive_their_limbs(values: list[int]) -> None:
    data = pack(np.array(values, dtype=object), 3)
    assert list(unpack(data, signed=True)) == values
    assert list(unpack(data, signed=False)) == [v % 2**192 for v in values]


def test_products_at_the_largest_ring_agree_with_a_product_by_hand() -> None:
    """-2·X^(n-1) times -3·X is 6·X^n = -6, by the transform of size 2^15 and a modulus of 1200 bits."""
    n, q = 1 << 15, 2**1200 - 1
    R = exact.ExactRing(n, q)
    x, y = np.zeros((1, 1, n), dtype=object), np.zeros((1, 1, n), dtype=object)
    x[0, 0, n - 1], y[0, 0, 1] = q - 2, q - 3
    product = R.coefficients(R.multiply(R.element(x, True), R.element(y, True)))
    assert product[0, 0, 0] == q - 6
    assert not product[0, 0, 1:].any()


def test_without_the_native_module_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fheasible_native", None)
    with pytest.raises(LibraryMissing, match="not built") as refused:
        exact.ExactRing(16, 17)
    assert refused.value.remedy == "make native in a clone, else pip install fheasible-native"
