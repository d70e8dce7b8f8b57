"""Every kernel that works coefficient by coefficient, against Python's integers."""

import fheasible_native as native
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .drawn import MODULI, any_grid, grids, residues, signed_values
from .oracle import array, centred, constant, each, modulus, round_away, signed, unsigned

LIMBS = st.sampled_from([1, 2, 3, 5, 10])


@settings(deadline=None)
@given(st.data(), MODULI)
def test_residues_are_added_subtracted_and_negated_modulo_q(data: st.DataObject, q: int) -> None:
    shape = data.draw(st.sampled_from([(1, 1, 1), (2, 1, 8), (1, 3, 4)]))
    x, y = (data.draw(grids(*shape, residues(q))) for _ in range(2))
    length = len(modulus(q))
    left, right = array(x, length), array(y, length)
    assert unsigned(native.add_mod(left, right, modulus(q))) == each(lambda u, v: (u + v) % q, x, y)
    assert unsigned(native.sub_mod(left, right, modulus(q))) == each(lambda u, v: (u - v) % q, x, y)
    assert unsigned(native.neg_mod(left, modulus(q))) == each(lambda u: -u % q, x)


@settings(deadline=None)
@given(st.data(), MODULI)
def test_residues_are_multiplied_by_a_residue(data: st.DataObject, q: int) -> None:
    x, c = data.draw(any_grid(residues(q))), data.draw(residues(q))
    length = len(modulus(q))
    got = native.times_mod(array(x, length), constant(c, length), modulus(q))
    assert unsigned(got) == each(lambda u: u * c % q, x)


@settings(deadline=None)
@given(st.data(), MODULI, st.integers(0, 2))
def test_centred_residues_lie_in_minus_half_q_to_half_q(data: st.DataObject, q: int, more: int) -> None:
    x = data.draw(any_grid(residues(q)))
    length = len(modulus(q))
    assert signed(native.centre(array(x, length), modulus(q), length + more)) == each(
        lambda u: centred(u, q), x
    )


@settings(deadline=None)
@given(st.data(), MODULI, LIMBS)
def test_signed_integers_are_reduced_modulo_any_q(data: st.DataObject, q: int, limbs: int) -> None:
    multiples = st.integers(-(2 ** (64 * limbs - 1)) // q + 1, 2 ** (64 * limbs - 1) // q - 1)
    near = multiples.flatmap(lambda k: st.sampled_from([k * q, k * q - 1, k * q + 1]))
    inside = near.filter(lambda v: abs(v) < 2 ** (64 * limbs - 1))
    values = st.one_of(inside, signed_values(limbs)) if q < 2 ** (64 * limbs - 3) else signed_values(limbs)
    x = data.draw(any_grid(values))
    for reduce in (native.reduce, native.remainder):
        assert unsigned(reduce(array(x, limbs), modulus(q))) == each(lambda u: u % q, x)


@settings(deadline=None)
@given(st.data(), LIMBS, LIMBS)
def test_signed_integers_of_any_limbs_are_added_and_subtracted(
    data: st.DataObject, first: int, other: int
) -> None:
    x = data.draw(grids(1, 3, 4, signed_values(first)))
    y = data.draw(grids(1, 3, 4, signed_values(other)))
    left, right, wide = array(x, first), array(y, other), max(first, other) + 1
    assert signed(native.add(left, right, wide)) == each(lambda u, v: u + v, x, y)
    assert signed(native.sub(left, right, wide)) == each(lambda u, v: u - v, x, y)
    assert signed(native.neg(left, first + 1)) == each(lambda u: -u, x)


@settings(deadline=None)
@given(st.data(), LIMBS, LIMBS)
def test_signed_integers_are_multiplied_by_a_signed_integer(
    data: st.DataObject, limbs: int, other: int
) -> None:
    x, c = data.draw(any_grid(signed_values(limbs))), data.draw(signed_values(other))
    assert signed(native.times(array(x, limbs), constant(c, other), limbs + other)) == each(
        lambda u: u * c, x
    )


@settings(deadline=None)
@given(st.data(), LIMBS)
def test_results_beyond_their_limbs_are_cut_to_them(data: st.DataObject, limbs: int) -> None:
    x = data.draw(any_grid(signed_values(limbs)))
    out = (limbs + 1) // 2
    kept = 2 ** (64 * out)
    assert unsigned(native.add(array(x, limbs), array(x, limbs), out)) == each(lambda u: 2 * u % kept, x)
    assert unsigned(native.times(array(x, limbs), constant(-3), out)) == each(lambda u: -3 * u % kept, x)


@settings(deadline=None)
@given(st.data(), LIMBS, MODULI, st.one_of(st.just(1), MODULI))
def test_scaling_rounds_to_the_nearest(data: st.DataObject, limbs: int, t: int, q: int) -> None:
    x = data.draw(any_grid(signed_values(limbs)))
    out = limbs + len(modulus(t)) + 1
    assert signed(native.scale_round(array(x, limbs), modulus(t), modulus(q), out)) == each(
        lambda u: round_away(t * u, q), x
    )


@settings(deadline=None)
@given(st.data(), st.integers(1, 2**100), st.integers(1, 2**60))
def test_ties_are_rounded_away_from_zero(data: st.DataObject, half: int, t: int) -> None:
    odd = st.integers(-(2**20), 2**20).map(lambda k: 2 * k + 1)
    k = data.draw(odd)
    x = [[[k * half, -k * half, k * half + 1, k * half - 1]]]  # t x / q = k / 2 for q = 2 t half
    got = signed(native.scale_round(array(x, 3), modulus(t), modulus(2 * t * half), 2))
    assert got[0][0][0] == (abs(k) + 1) // 2 * (1 if k > 0 else -1)
    assert got == each(lambda u: round_away(u, 2 * half), x)


@pytest.mark.parametrize("top", [2**63, 2**64 - 1, 2**63 + 1])
@pytest.mark.parametrize("rest", [0, 1, 2**64 - 1])
def test_quotient_limbs_that_are_guessed_too_large_are_put_right(top: int, rest: int) -> None:
    q = (top << 128) + (rest << 64) + 2**64 - 1
    x = [k * q + r for k in (1, 2**64 - 1, 2**64, 2**128 - 1) for r in (0, 1, q - 1)]
    x += [(top << 192) + (rest << 128) - 1, (top << 256) + (rest << 192)]
    grid = [[[v, -v] for v in x]]
    assert unsigned(native.reduce(array(grid, 6), modulus(q))) == each(lambda u: u % q, grid)
    assert signed(native.scale_round(array(grid, 6), modulus(1), modulus(q), 4)) == each(
        lambda u: round_away(u, q), grid
    )


@settings(deadline=None)
@given(st.data(), MODULI, st.sampled_from([1, 2, 7, 28, 60, 63, 64, 65, 128, 130]), st.integers(0, 1))
def test_binary_digits_stand_beside_each_other_and_give_the_residue_back(
    data: st.DataObject, q: int, w_bits: int, more: int
) -> None:
    x = data.draw(grids(2, 2, 4, residues(q)))
    count = -(-q.bit_length() // w_bits) + more
    digits = native.decompose(array(x, len(modulus(q))), w_bits, count)
    _check_digits(unsigned(digits), x, 2**w_bits, count)
    room = np.concatenate([digits, np.zeros_like(digits[..., :1])], axis=3)  # compose reads digits as signed
    assert unsigned(native.compose(room, constant(2**w_bits), count, modulus(q))) == x


@settings(deadline=None)
@given(st.data(), MODULI, st.one_of(st.sampled_from([2, 3, 2**32, 2**63 - 1]), st.integers(2, 2**63 - 1)))
def test_digits_in_any_base_give_the_residue_back(data: st.DataObject, q: int, w: int) -> None:
    x = data.draw(grids(1, 2, 2, residues(q)))
    count = next(k for k in range(1, 1201) if w**k >= q)
    digits = native.decompose_word(array(x, len(modulus(q))), w, count)
    _check_digits(unsigned(digits), x, w, count)
    assert unsigned(native.compose(digits, constant(w), count, modulus(q))) == x


def _check_digits(digits: list, x: list, w: int, count: int) -> None:  # type: ignore[type-arg]
    for row, given_row in zip(digits, x, strict=True):
        for j, poly in enumerate(given_row):
            for k, digit in enumerate(row[j * count : (j + 1) * count]):
                assert digit == [value // w**k % w for value in poly]


@settings(deadline=None)
@given(st.data(), MODULI, signed_values(2), st.sampled_from([1, 2]))
def test_signed_digits_are_composed_in_any_base(data: st.DataObject, q: int, w: int, limbs: int) -> None:
    x = data.draw(grids(1, 6, 4, signed_values(limbs)))
    got = unsigned(native.compose(array(x, limbs), constant(w, 2), 3, modulus(q)))
    assert got == [[_composed(x[0][:3], w, q), _composed(x[0][3:], w, q)]]


def _composed(digits: list[list[int]], w: int, q: int) -> list[int]:
    return [sum(digit * w**k for k, digit in enumerate(column)) % q for column in zip(*digits, strict=True)]


Z = np.zeros((1, 1, 4, 2), np.uint64)
Q = modulus(2**100)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: native.add_mod(Z, Z[..., :1].copy(), Q), "limbs of q"),
        (lambda: native.add(Z, np.zeros((1, 2, 4, 2), np.uint64), 2), "differ"),
        (lambda: native.add(Z, Z, 0), "limbs_out"),
        (lambda: native.reduce(np.zeros((1, 1, 3, 2), np.uint64), Q), "power of two"),
        (lambda: native.reduce(np.zeros((1, 1, 2**16, 1), np.uint64), Q), "power of two"),
        (lambda: native.reduce(np.zeros((1, 0, 4, 1), np.uint64), Q), "empty"),
        (lambda: native.reduce(np.asfortranarray(np.ones((2, 2, 4, 2), np.uint64)), Q), "C-contiguous"),
        (lambda: native.reduce(Z, np.zeros(2, np.uint64)), "at least 1"),
        (lambda: native.neg_mod(Z, constant(1, 2)), "at least 2"),
        (lambda: native.reduce(Z, np.zeros(0, np.uint64)), "at least one limb"),
        (lambda: native.centre(Z, Q, 1), "limbs_out"),
        (lambda: native.times_mod(Z, modulus(2**101), Q), "residue"),
        (lambda: native.scale_round(Z, constant(0), Q, 2), "at least 1"),
        (lambda: native.decompose(Z, 0, 3), "positive"),
        (lambda: native.decompose_word(Z, 2**63, 3), "w = "),
        (lambda: native.compose(Z, constant(2), 2, Q), "columns"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        call()
