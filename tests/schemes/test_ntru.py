"""Keys of NTRU: f is invertible, however often that takes to draw."""

from math import gcd
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.errors import InfeasibleParameters, NotInvertible
from fheasible.rings.element import Element, Scalar
from fheasible.schemes import ntru
from fheasible.schemes.call import count
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.ntru import ntru_keys
from fheasible.schemes.parameters import RingParameters
from rings.oracle import OracleRing


class Unlucky(OracleRing):
    """Its first polynomials have no inverse."""

    failures = 3

    def _inverse(self, form: Element, x: Element) -> Any:
        if self.failures:
            self.failures -= 1
            raise NotInvertible("none", "")
        return super()._inverse(form, x)


@pytest.mark.parametrize("t", [2, 3, 10])
@pytest.mark.parametrize("ring", [OracleRing, Unlucky])
def test_f_is_1_modulo_t_and_h_f_is_t_times_something_small(ring: Any, t: int) -> None:
    R = ring(8, (1 << 40) - 1, 5)
    f, h = ntru_keys(R, Scalar.of(t))
    assert [int(v) % t for v in R.coefficients(f)[0, 0]] == [1] + [0] * 7
    g = R.coefficients(R.lift(R.multiply(f, h)))[0, 0]
    assert {int(v) for v in g} <= {-t, 0, t}


def test_it_gives_up_where_nothing_is_invertible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ntru, "TRIES", 5)
    R = Unlucky(8, 97, 1)
    R.failures = 6
    with pytest.raises(NotInvertible, match="5 tries"):
        ntru_keys(R, Scalar.of(2))
    assert R.failures == 1


@pytest.mark.parametrize(
    ("name", "q", "t"), [("fntru", 1 << 59, 2), ("yashe", 3**30, 6), ("yashe", 7 << 50, 2)]
)
def test_a_common_factor_of_q_and_t_is_refused_with_the_remedy(name: str, q: int, t: int) -> None:
    p = RingParameters(64, q.bit_length(), t, 8, q=q)
    with pytest.raises(InfeasibleParameters, match=f"factor {gcd(q, t)}") as found:
        count(SCHEMES[name], "multiply", p)
    assert "take" in found.value.remedy
    count(SCHEMES["fv"], "multiply", p)  # RLWE does not mind


def test_what_it_would_betray() -> None:
    """h is t·g/f: modulo a factor 2 of q, too, every row of F-NTRU is its share of the message."""
    R = OracleRing(8, 1 << 40, 5)
    _, h = ntru_keys(R, Scalar.of(2))
    assert not np.any(R.coefficients(h) % 2)


@given(st.integers(2, 300), st.integers(2, 1 << 62))
def test_the_modulus_of_a_size_is_odd_and_prime_to_t(log_q: int, t: int) -> None:
    q = RingParameters(64, log_q, min(t, 1 << log_q - 1)).modulus
    assert q is not None
    assert q.bit_length() == log_q
    assert q % 2 == 1
    assert gcd(q, min(t, 1 << log_q - 1)) == 1


def test_the_modulus_is_the_largest_such() -> None:
    assert RingParameters(64, 100).modulus == 2**100 - 1
    assert RingParameters(64, 4, 3).modulus == 13  # 15 = 3·5
    assert RingParameters(64, 4, 3, q=12).modulus == 12
