"""What the counting ring tallies, against counts by hand."""

import gc
from collections import Counter
from collections.abc import Callable
from math import log2

import pytest

from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.counting import CountingRnsRing
from fheasible.rings.rns.element import Conversion, Domain, Poly
from fheasible.rings.rns.kernels import KERNELS, scaled
from fheasible.rings.rns.modulus import digit_bases, mod_down, mod_up

NTT, COEFFICIENT = Domain.NTT, Domain.COEFFICIENT
L, K = 5, 2  # limbs of the chain, special ones


def ring() -> CountingRnsRing:
    return CountingRnsRing(L, K, 2)


def moved(reads: int, writes: int, calls: int = 1) -> dict[str, int]:
    return {"reads": reads, "writes": writes, "allocations": writes, "calls": calls}


ONE: dict[str, tuple[Callable[[CountingRnsRing, Poly, Poly], object], dict[str, int]]] = {
    "forward": (lambda R, v, c: R.to_ntt(c), {"forward": L} | moved(L, L)),
    "inverse": (lambda R, v, c: R.to_coefficients(v), {"inverse": L} | moved(L, L)),
    "sum": (lambda R, v, c: R.add(v, v), {"additions": L} | moved(2 * L, L)),
    "difference": (lambda R, v, c: R.subtract(c, c), {"additions": L} | moved(2 * L, L)),
    "opposite": (lambda R, v, c: R.negate(c), {"additions": L} | moved(L, L)),
    "offset": (lambda R, v, c: R.offset(c, 3), {"additions": L} | moved(L, L)),
    "product": (lambda R, v, c: R.multiply(v, v), {"products": L} | moved(2 * L, L)),
    "scaled": (lambda R, v, c: R.scale(v, None), {"constant_products": L} | moved(L, L)),
    "permuted": (lambda R, v, c: R.automorphism(v, 5), {"permutations": L} | moved(L, L)),
    "copied": (lambda R, v, c: R.copy(v), {"copies": L} | moved(L, L)),
    "zero": (lambda R, v, c: R.zero(R.q, NTT), moved(0, L)),
    "uniform": (lambda R, v, c: R.uniform(R.q), {"uniform_samples": L} | moved(0, L)),
    "ternary": (lambda R, v, c: R.ternary(R.q), {"ternary_samples": 1, "roundings": L} | moved(0, L)),
    "gaussian": (lambda R, v, c: R.gaussian(R.q, 3.2), {"gaussian_samples": 1, "roundings": L} | moved(0, L)),
    "integers": (lambda R, v, c: R.integers(R.p), {"messages": K} | moved(0, K)),
    "lazy": (
        lambda R, v, c: R.inner_product([v] * 3, [v] * 3, True),
        {"lazy_products": 3 * L, "reductions": L} | moved(6 * L, L),
    ),
    "eager": (
        lambda R, v, c: R.inner_product([v] * 3, [v] * 3, False),
        {"products": 3 * L, "additions": 2 * L} | moved(10 * L, 5 * L) | {"allocations": 3 * L},
    ),
    "fast": (
        lambda R, v, c: R.convert(c, R.p),
        {"constant_products": L, "conversion_products": L * K, "reductions": K} | moved(L, K),
    ),
    "exact": (
        lambda R, v, c: R.convert(c, R.p, Conversion.EXACT),
        {"constant_products": L, "conversion_products": L * K, "reductions": K}
        | {"float_corrections": L, "additions": K}
        | moved(L, K),
    ),
    "from one limb": (
        lambda R, v, c: R.convert(R.restrict(c, c.basis[:1]), R.p, Conversion.EXACT),
        {"word_reductions": K} | moved(1, K),
    ),
    "of what is there": (lambda R, v, c: R.convert(c, c.basis[:2]), {}),
    "digit": (
        lambda R, v, c: R.digit(R.restrict(c, c.basis[:1]), 0, 8, R.p),
        {"word_reductions": K} | moved(1, K),
    ),
    "lifted": (lambda R, v, c: R.lift(c), {"reconstructions": L * L, "reads": L, "calls": 1}),
    "outside": (lambda R, v, c: R.outside("embeddings", ring), {"embeddings": 1, "calls": 1}),
    "scaled and rounded": (  # 2 limbs divided out of 5: 3 sums of 2, each limb's own, 2 fractions
        lambda R, v, c: R.scale_round(c, None, c.basis[:2], c.basis[2:]),
        {"conversion_products": 6, "constant_products": 3, "reductions": 3, "additions": 3}
        | {"float_corrections": 2}
        | moved(5, 3),
    ),
}


@pytest.mark.parametrize(("call", "wanted"), ONE.values(), ids=ONE.keys())
def test_an_operation_counts_its_kernels_and_what_it_moves(
    call: Callable[..., object], wanted: dict[str, int]
) -> None:
    R = ring()
    call(R, R.given(R.q, NTT), R.given(R.q, COEFFICIENT))
    assert R.tally == Counter(wanted)
    assert set(wanted) <= set(KERNELS)


def test_twice_the_same_counts_twice() -> None:
    R = ring()
    x = R.given(R.q, NTT)
    R.add(x, R.add(x, x))
    assert (R.tally["additions"], R.tally["calls"], R.operations) == (2 * L, 2, {"add": 2})


@pytest.mark.parametrize("a", [1, 2, 3])
def test_raising_a_digit_counts_what_hybrid_key_switching_says(a: int) -> None:
    """[HanKi19, Sec. 3]: the new limbs are transformed and the digit's own are not."""
    R = ring()
    digit = R.given(R.q[:a], NTT)
    raised = mod_up(R, digit, R.q + R.p)
    new = L + K - a
    assert raised.basis == R.q + R.p
    assert (R.tally["inverse"], R.tally["forward"]) == (a, new)
    assert R.tally["conversion_products"] == (a * new if a > 1 else 0)
    assert R.tally["word_reductions"] == (new if a == 1 else 0)
    assert R.tally["constant_products"] == (a if a > 1 else 0)


def test_the_digits_of_a_basis_are_cut_from_the_front() -> None:
    assert [d.limbs for d in digit_bases(ring().q, 2)] == [(0, 1), (2, 3), (4,)]


def test_dividing_by_the_special_primes_counts_what_hybrid_key_switching_says() -> None:
    R = ring()
    mod_down(R, R.given(R.q + R.p, NTT), R.p)
    tally = R.tally
    assert (tally["inverse"], tally["forward"]) == (K, L)
    assert (tally["conversion_products"], tally["constant_products"]) == (K * L, K + L)


@pytest.mark.long
def test_limbs_live_as_long_as_their_variables() -> None:
    R = ring()
    x = R.uniform(R.q)
    y = R.add(x, x)
    part = R.restrict(y, R.level(0))
    assert (R.live_limbs, R.peak_limbs) == (2 * L, 2 * L)
    del x
    assert R.live_limbs == L
    del y
    assert R.live_limbs == L  # a view keeps the whole
    del part
    gc.collect()
    assert (R.live_limbs, R.peak_limbs) == (0, 2 * L)


def test_joined_parts_are_both_kept() -> None:
    R = ring()
    joined = R.join(R.uniform(R.q), R.uniform(R.p))
    assert (R.live_limbs, len(joined.basis)) == (L + K, L + K)
    del joined
    assert R.live_limbs == 0


def test_operands_from_outside_are_counted_by_the_limbs_that_are_touched() -> None:
    R = ring()
    key, x = R.given(R.q + R.p, NTT), R.given(R.level(1), NTT)
    R.multiply(x, R.restrict(key, R.level(1)))
    R.multiply(x, R.restrict(key, R.level(1)))
    assert R.operand_limbs == 2 + 2
    R.negate(R.restrict(key, R.p))
    assert R.operand_limbs == 4 + K
    R.negate(R.restrict(R.join(R.restrict(key, R.level(2)), R.given(R.p, NTT)), R.level(2) + R.p))
    assert R.operand_limbs == 4 + K + 1 + K
    assert R.live_limbs == 0


def test_after_a_restart_what_was_made_before_is_an_operand() -> None:
    R = ring()
    x = R.uniform(R.q)
    R.restart()
    assert (R.tally, R.live_limbs, R.peak_limbs) == ({}, 0, 0)
    y = R.add(x, x)
    assert (R.live_limbs, R.operand_limbs) == (L, L)
    del x
    assert R.live_limbs == L
    R.negate(y)
    assert R.operand_limbs == L


def test_bases_are_the_parts_of_one_list() -> None:
    R = ring()
    assert (R.q.limbs, R.p.limbs, R.extra.limbs) == ((0, 1, 2, 3, 4), (5, 6), (7, 8))
    assert [len(R.level(k)) for k in range(L)] == [1, 2, 3, 4, 5]
    assert R.level(2) <= R.q
    assert not R.q <= R.level(2)
    assert 4 in R.q
    assert 4 not in R.p
    assert (R.q & Basis((1, 4, 6))).limbs == (1, 4)
    assert (R.q - Basis((1, 4, 6))).limbs == (0, 2, 3)
    assert (R.p + Basis((1,))).limbs == (1, 5, 6)
    assert hash(Basis((1, 2))) == hash(R.q[1:3])
    assert Basis((1, 2)) == R.q[1:3] != R.q[1:4]


def test_sizes_enter_when_counts_are_scaled() -> None:
    n = 2**13
    counts = {"forward": 3, "inverse": 1, "plain_transforms": 1, "embeddings": 2, "products": 5, "calls": 7}
    assert scaled(counts, n) == {
        "forward": 3 * n * log2(n) / 2,
        "inverse": n * 13 / 2,
        "plain_transforms": n * 13 / 2,
        "embeddings": 2 * n / 4 * 12,
        "products": 5 * n,
        "calls": 7,
    }
