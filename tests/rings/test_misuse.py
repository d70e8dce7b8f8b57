"""A call that cannot be meant is refused in the same words by every interpreter."""

from collections.abc import Callable

import pytest

from fheasible.errors import RingMismatch
from fheasible.rings.element import Element, Scalar
from fheasible.rings.ring import Ring

from .drawing import Rings

N, Q = 8, 1023
W, T = Scalar.power(4), Scalar.of(3)
MISUSES: dict[str, Callable[[Ring, Element, Element], Element]] = {
    "residues are added to integers": lambda R, x, a: R.add(x, a),
    "integers are subtracted from residues": lambda R, x, a: R.subtract(a, x),
    "matrices of other heights are added": lambda R, x, a: R.add(x, R.row(x, 0)),
    "matrices of other widths are subtracted": lambda R, x, a: R.subtract(x, R.column(x, 0)),
    "a product's inner sizes differ": lambda R, x, a: R.multiply(x, x),
    "residues are convolved": lambda R, x, a: R.convolve(R.row(x, 0), R.row(x, 0)),
    "a matrix is convolved from the left": lambda R, x, a: R.convolve(a, R.row(a, 0)),
    "a matrix is convolved from the right": lambda R, x, a: R.convolve(R.row(a, 0), a),
    "two matrices are convolved": lambda R, x, a: R.convolve(a, a),
    "residues are rounded": lambda R, x, a: R.scale_round(x, T),
    "an integer polynomial is inverted": lambda R, x, a: R.inverse(R.entry(a, 0, 0)),
    "a matrix is inverted": lambda R, x, a: R.inverse(x),
    "integers are lifted": lambda R, x, a: R.lift(a),
    "residues are reduced": lambda R, x, a: R.reduce(x),
    "residues are taken modulo t": lambda R, x, a: R.remainder(x, T),
    "integers are decomposed": lambda R, x, a: R.decompose(a, W),
    "there are no digits in base 1": lambda R, x, a: R.decompose(x, Scalar.of(1)),
    "there are no powers of 0": lambda R, x, a: R.powers(x, Scalar.of(0)),
    "residues are composed": lambda R, x, a: R.compose(x, W),
    "half a word is composed": lambda R, x, a: R.compose(R.beside(a, R.column(a, 0)), W),
    "integers get powers": lambda R, x, a: R.powers(a, W),
    "the flattened are residues": lambda R, x, a: R.flatten(x, W),
    "a row is beyond the last": lambda R, x, a: R.row(x, 2),
    "a column is beyond the last": lambda R, x, a: R.column(x, 3),
    "an entry is beyond the last column": lambda R, x, a: R.entry(x, 1, 3),
    "an entry is before the first row": lambda R, x, a: R.entry(x, -1, 0),
    "residues stand beside integers": lambda R, x, a: R.beside(x, a),
    "two heights stand beside each other": lambda R, x, a: R.beside(x, R.row(x, 0)),
    "a coefficient of a message is t": lambda R, x, a: R.message(T, [0, 3]),
    "a coefficient of a message is negative": lambda R, x, a: R.message(T, [-1]),
    "a message is longer than n": lambda R, x, a: R.message(T, [1] * (N + 1)),
}


@pytest.mark.parametrize("misuse", MISUSES.values(), ids=MISUSES.keys())
def test_every_interpreter_refuses_in_the_same_words(misuse: Callable[..., Element]) -> None:
    drawn = Rings(N, Q)
    said = set()
    for ring, x, a in zip(drawn.each, drawn.residues(2, 3), drawn.integers(2, 3, 10), strict=True):
        with pytest.raises(RingMismatch) as refused:
            misuse(ring, x, a)
        assert refused.value.remedy
        said.add((refused.value.message, refused.value.remedy))
    assert len(said) == 1
