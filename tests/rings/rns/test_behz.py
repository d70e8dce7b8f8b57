"""Conversions that find the multiple of the modulus in a redundant limb [BEHZ16]."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.behz import shenoy_kumaresan, small_montgomery
from fheasible.rings.rns.element import Conversion, Domain

from .drawing import Rings, rings

M = Basis((8,))  # 2^32, as in SEAL


@settings(deadline=None)
@given(drawn=rings)
def test_a_small_montgomery_reduction_takes_the_excess_off(drawn: Rings) -> None:
    q, b = drawn.q[:3], drawn.p + drawn.extra[:2]
    product, m = drawn.exact.product(q), 2**32
    x = drawn.poly(q, Domain.COEFFICIENT)
    wanted = drawn.oracle.lift(x[1])
    raised = [R.convert(R.scale(v, m), b + M) for R, v in zip(drawn.each, x, strict=True)]
    made = [small_montgomery(R, v, q, M) for R, v in zip(drawn.each, raised, strict=True)]
    drawn.agree_in_coefficients(tuple(made))
    assert {v.basis for v in made} == {b}
    for got, c in zip(drawn.exact.lift(made[0]), wanted, strict=True):
        assert (got - c) % product == 0
        assert abs(got) <= Fraction(3 * product, m) + Fraction(product, 2)


@settings(deadline=None)
@given(drawn=rings, size=st.integers(1, 300))
def test_a_redundant_limb_makes_the_conversion_exact(drawn: Rings, size: int) -> None:
    b, m = drawn.p + drawn.extra[1:2], drawn.extra[:1]
    most = min(2**size, drawn.exact.product(b) * 1000)  # beyond B itself
    values = [drawn.random.randrange(-most, most) for _ in range(drawn.n)]
    xs = drawn.integers(b + m, values)
    made = tuple(shenoy_kumaresan(R, x, drawn.q, m) for R, x in zip(drawn.each, xs, strict=True))
    wanted = drawn.oracle.integers(drawn.q, values).data
    assert made[0].data.tolist() == made[1].data == wanted
    assert made[2].basis == drawn.q


def test_both_count_no_floating_point() -> None:
    drawn = Rings(16)
    R = drawn.counting
    x = R.given(drawn.p + M, Domain.COEFFICIENT)
    small_montgomery(R, x, drawn.q, M)
    shenoy_kumaresan(R, R.given(drawn.p + drawn.extra[:1], Domain.COEFFICIENT), drawn.q, drawn.extra[:1])
    assert R.tally["float_corrections"] == 0
    assert R.tally["word_reductions"] == len(drawn.p) + len(drawn.q)
    assert R.tally["conversion_products"] == len(drawn.p) * (len(drawn.q) + 1)
    assert Conversion.FAST == "fast"
