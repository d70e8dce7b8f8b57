"""Applications on polynomials: what must come out, and faults that constants would hide."""

from random import Random
from typing import Any, cast

import pytest

from fheasible.rings.element import Element
from fheasible.rings.exact import ExactRing
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.clear import Clear, polynomial, right_on_polynomials
from fheasible.schemes.evaluate import run
from fheasible.schemes.fv import FV
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import plan
from fheasible.schemes.scheme import RingScheme
from schemes.applications import equation_3, weighted

pytest.importorskip("fheasible_native")

N = 16  # INSECURE
EQUATION = plan(equation_3.trace(), False)


def right(kind: type[RingScheme], log_q: int, steps: Any = EQUATION, t: int = 2) -> bool:
    p = RingParameters(N, log_q, t, 8)
    assert p.modulus is not None
    ring = ExactRing(N, p.modulus, 1)
    return right_on_polynomials(steps, kind(ring, p.spec), ring, Random(3))


@pytest.mark.parametrize("name", SCHEMES)
def test_equation_3_is_right_on_polynomials_with_every_scheme(name: str) -> None:
    assert right(SCHEMES[name], 240)
    assert not right(SCHEMES[name], 24)


def test_integers_that_are_not_reduced_are_right_on_polynomials_modulo_t() -> None:
    assert right(FV, 120, plan(weighted.trace()), 25)


def test_of_polynomials_equation_3_is_not_always_0() -> None:
    """c1 = X, c2 = 1, c3 = X²: T = X·(1 + X), S = (1 + X)³, S + c3 = 1 + X + X³, S + c2 + c3 = X·(1 + X)²
    modulo 2. With c1³·c3² = X^7 all is X^9·(1 + X)^6·(1 + X + X³), where (1 + X)^6 = 1 + X² + X^4 + X^6 and
    X^16 = -1 = 1."""
    data = {"c1": [[0, 1]], "c2": [[1]], "c3": [[0, 0, 1]]}
    ring = ExactRing(N, 2)
    (result,) = run(EQUATION, cast(RingScheme, Clear(ring, 2)), data)["result"]
    wanted = [0] * N
    for i in (0, 2, 4, 6):
        for j in (0, 1, 3):
            wanted[(9 + i + j) % N] ^= 1
    assert ring.coefficients(result)[0, 0].tolist() == wanted
    assert any(wanted)


def test_a_product_that_is_always_0_is_found_out() -> None:
    """Its constants would be right: modulo 2 the equation is 0 for all of them."""

    class Lazy(FV):
        def multiply(self, keys: Any, c: Element, d: Element) -> Element:
            return self.ring.subtract(c, c)

    assert not right(Lazy, 240)


def test_plaintexts_of_a_scheme_of_bits_are_as_small_as_bits() -> None:
    p = RingParameters(N, 60, 2, 8)
    scheme = SCHEMES["shield"](p.counting_ring(), p.spec)
    drawn = [polynomial(scheme, N, 2, Random(seed)) for seed in range(20)]
    assert {sum(m) for m in drawn} == {1}
    assert len({len(m) for m in drawn}) > 3
