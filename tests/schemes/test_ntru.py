"""Keys of NTRU: f is invertible, however often that takes to draw."""

from typing import Any

import pytest

from fheasible.errors import NotInvertible
from fheasible.rings.element import Element, Scalar
from fheasible.schemes import ntru
from fheasible.schemes.ntru import ntru_keys
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
