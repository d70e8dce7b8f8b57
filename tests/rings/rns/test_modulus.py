"""Raising, dividing and rescaling, against integers and what theory allows."""

from fractions import Fraction
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Conversion, Domain
from fheasible.rings.rns.modulus import NEAREST, Rounding, mod_down, mod_up, rescale

from .drawing import PLAIN, Rings, Triple, rings, seeds

NTT, COEFFICIENT = Domain.NTT, Domain.COEFFICIENT
FAST, FLOOR, EXACT = Conversion
LIMB = Basis((9,))  # the prime PLAIN
HALF = Fraction(1, 2)
domains = st.sampled_from(Domain)


def drawn_integers(drawn: Rings, basis: Basis) -> list[int]:
    """Up to a quarter of the modulus, of all sizes, with some near multiples of the special primes."""
    most = drawn.exact.product(basis) // 4
    sizes = [drawn.random.randint(0, most.bit_length() - 1) for _ in range(drawn.n)]
    values = [drawn.random.randrange(-(2**size), 2**size) for size in sizes]
    special = drawn.exact.product(drawn.p)
    near = [v // special * special + drawn.random.choice((-1, 0, 1, special // 2)) for v in values]
    return [
        w if k % 3 == 0 and abs(v) > special else v for k, (v, w) in enumerate(zip(values, near, strict=True))
    ]


def placed(drawn: Rings, basis: Basis, values: list[int], domain: Domain) -> Triple:
    xs = drawn.integers(basis, values)
    return tuple(R.to_ntt(x) for R, x in zip(drawn.each, xs, strict=True)) if domain is NTT else xs


def integers(drawn: Rings, xs: Triple) -> list[int]:
    drawn.agree(xs)
    x = drawn.exact.to_coefficients(xs[0]) if xs[0].domain is NTT else xs[0]
    return [int(c) for c in drawn.exact.lift(x)]


@settings(deadline=None)
@given(drawn=rings, given_in=domains, wanted_in=domains)
def test_raising_exactly_keeps_the_centred_integers(
    drawn: Rings, given_in: Domain, wanted_in: Domain
) -> None:
    to = drawn.q + drawn.p
    for basis in (drawn.q[:1], drawn.q[1:3], drawn.q, to):
        values = drawn_integers(drawn, basis)
        xs = placed(drawn, basis, values, given_in)
        raised = tuple(mod_up(R, x, to, EXACT, wanted_in) for R, x in zip(drawn.each, xs, strict=True))
        assert (raised[0].basis, raised[0].domain) == (to, wanted_in)
        assert integers(drawn, raised) == values


@settings(deadline=None)
@given(drawn=rings)
def test_raising_fast_adds_fewer_multiples_than_limbs(drawn: Rings) -> None:
    digit, to = drawn.q[:3], drawn.q + drawn.p
    q = drawn.exact.product(digit)
    x = drawn.poly(digit, COEFFICIENT)
    before = [v % q for v in integers(drawn, x)]
    raised = integers(drawn, tuple(mod_up(R, v, to) for R, v in zip(drawn.each, x, strict=True)))
    over = [Fraction(a - b, q) for a, b in zip(raised, before, strict=True)]
    assert {o.denominator for o in over} == {1}
    assert all(0 <= o < 3 for o in over)


ROUNDINGS = {  # how far the result may lie above x/P, without t and with it, for k primes in P
    "exact": (NEAREST, lambda k: (-HALF, HALF), lambda k, t: (-t * HALF, t * HALF)),
    "floor": (Rounding(FLOOR), lambda k: (-1, 0), lambda k, t: (-t, 0)),
    "fast": (Rounding(FAST), lambda k: (-k, 0), lambda k, t: (-t * k, 0)),
    "half": (Rounding(FLOOR, half=True), lambda k: (-HALF, HALF), lambda k, t: (-t * HALF, t * HALF)),
    "apart": (Rounding(apart=True), lambda k: (-HALF, HALF), lambda k, t: (-t * HALF, t * HALF)),
    "plain": (Rounding(plain=LIMB), lambda k: (-HALF, HALF), lambda k, t: (-(t + 1) * HALF, (t + 1) * HALF)),
    "fast plain": (Rounding(FAST, plain=LIMB), lambda k: (-k, 0), lambda k, t: (-k - t, 0)),
}


@pytest.mark.parametrize("name", ROUNDINGS)
@settings(max_examples=30, deadline=None)
@given(drawn=rings, domain=domains, plain=st.booleans(), count=st.integers(1, 2))
def test_dividing_is_off_by_no_more_than_its_rounding(
    name: str, drawn: Rings, domain: Domain, plain: bool, count: int
) -> None:
    rounding, without, with_t = ROUNDINGS[name]
    t, p = PLAIN if plain else None, drawn.p[:count]
    values = drawn_integers(drawn, drawn.q + p)
    xs = placed(drawn, drawn.q + p, values, domain)
    made = tuple(mod_down(R, x, p, rounding, t) for R, x in zip(drawn.each, xs, strict=True))
    assert (made[0].basis, made[0].domain) == (drawn.q, domain)
    floats = drawn.counting.tally["float_corrections"]
    assert (floats > 0) == (count > 1 and rounding.how is not FAST)
    divisor = drawn.exact.product(p)
    low, high = without(count) if t is None else with_t(count, t)
    for got, x in zip(integers(drawn, made), values, strict=True):
        assert low <= got - Fraction(x, divisor) <= high
        assert t is None or (got * divisor - x) % t == 0


@settings(max_examples=30, deadline=None)
@given(drawn=rings, domain=domains, plain=st.booleans())
def test_rescaling_divides_by_the_last_prime(drawn: Rings, domain: Domain, plain: bool) -> None:
    t, values = PLAIN if plain else None, drawn_integers(drawn, drawn.q)
    xs = placed(drawn, drawn.q, values, domain)
    made = tuple(rescale(R, x, t=t) for R, x in zip(drawn.each, xs, strict=True))
    assert made[0].basis == drawn.q[:-1]
    last = drawn.exact.moduli[3]
    for got, x in zip(integers(drawn, made), values, strict=True):
        assert abs(got - Fraction(x, last)) <= HALF * (t or 1)
        assert t is None or (got * last - x) % t == 0


@settings(deadline=None)
@given(seed=seeds)
def test_a_message_scaled_up_is_found_again_by_scaling_down(seed: int) -> None:
    """BFV's Q/t·m and back [HPS19]: through limbs, never through Q."""
    drawn = Rings(16, seed)
    message = [drawn.random.randrange(PLAIN) for _ in range(16)]
    q = prod(drawn.exact.moduli[:4])
    for R in drawn.each[:2]:
        up = R.scale_round(R.integers(LIMB, message), q, LIMB, R.q)
        noise = R.integers(R.q, [drawn.random.randrange(-(2**100), 2**100) for _ in range(16)])
        down = R.scale_round(R.add(up, noise), PLAIN, R.q, LIMB)
        assert [int(c) % PLAIN for c in R.lift(down)] == message
