"""A call that cannot be meant is refused in the same words by every interpreter."""

from collections.abc import Callable
from typing import Any

import pytest

from fheasible.errors import RingMismatch
from fheasible.rings.torus.counting import CountingTorusRing
from fheasible.rings.torus.element import Domain, Torus
from fheasible.rings.torus.exact import ExactTorusRing
from fheasible.rings.torus.ring import TorusRing

WORDS, DIGITS, EXPONENTS = Domain.WORDS, Domain.DIGITS, Domain.EXPONENTS
MISUSES: dict[str, Callable[[Any, Torus, Torus], Any]] = {
    "digits are added": lambda R, w, d: R.add(d, d),
    "shapes are added": lambda R, w, d: R.add(w, R.part(w, 0)),
    "domains are subtracted": lambda R, w, d: R.subtract(w, d),
    "digits are decomposed": lambda R, w, d: R.decompose(d, 4, 2),
    "there are more digits than bits": lambda R, w, d: R.decompose(w, 16, 4),
    "words are factors": lambda R, w, d: R.weighted_sum(w, w),
    "rows are missing": lambda R, w, d: R.weighted_sum(R.part(d, 0), w),
    "products are of coefficients": lambda R, w, d: R.products(d, w),
    "a matrix has no columns": lambda R, w, d: R.products(R.transform(d), R.transform(w)),
    "digits are transformed back": lambda R, w, d: R.back(R.transform(d)),
    "a transform has 3 coefficients": lambda R, w, d: R.transform(R.zero((3,))),
    "words are exponents": lambda R, w, d: R.rotate(w, R.zero(())),
    "there are many exponents": lambda R, w, d: R.rotate(w, R.exponents(R.part(w, 0), 4)),
    "there is no such entry": lambda R, w, d: R.part(w, 2),
    "a number has no entries": lambda R, w, d: R.part(R.zero(()), 0),
    "numbers are lost": lambda R, w, d: R.reshape(w, (8,)),
    "widths are joined": lambda R, w, d: R.join((w, R.zero((2, 4))), -2),
    "domains are joined": lambda R, w, d: R.join((w, d), -1),
    "bits are left over": lambda R, w, d: R.indicators(R.part(d, 0), 3),
    "exponents are missing": lambda R, w, d: R.monomial_sum(R.transform(w), R.given((2,), EXPONENTS)),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_every_interpreter_refuses_it_in_the_same_words(misuse: str) -> None:
    said = []
    for ring in (CountingTorusRing(), ExactTorusRing()):
        both: TorusRing = ring
        words, digits = both.given((2, 8), WORDS), both.given((2, 8), DIGITS)
        with pytest.raises(RingMismatch) as refused:
            MISUSES[misuse](both, words, digits)
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_data_must_end_with_their_shape() -> None:
    with pytest.raises(RingMismatch, match=r"\(3,\) do not end with \(2,\)"):
        ExactTorusRing().given((2,), WORDS, [1, 2, 3])
