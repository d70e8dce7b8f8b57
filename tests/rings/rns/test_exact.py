"""The exact ring alone: what it draws, its transforms at every size, and their order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.rings.rns import transforms
from fheasible.rings.rns.basis import Basis
from fheasible.rings.rns.element import Conversion, Domain
from fheasible.rings.rns.exact import ExactRnsRing
from fheasible.rings.rns.ring import RnsRing

from .drawing import CHAIN, EXTRA, PLAIN, SPECIAL, Rings, rings
from .oracle import negacyclic


def ring(n: int, seed: int | None = 1) -> ExactRnsRing:
    return ExactRnsRing(n, CHAIN, SPECIAL, EXTRA, seed)


PRIMES = (*CHAIN, *SPECIAL, EXTRA[0], EXTRA[1], PLAIN)


@pytest.mark.parametrize("n", [2**k for k in range(4, 18)])
def test_products_are_right_at_every_size(n: int) -> None:
    """(1 - X)·(1 + X + ... + X^(n-1)) = 1 - X^n = 2."""
    R = ring(n)
    basis = R.q + R.p + R.extra[:2]
    x, y = (R.to_ntt(R.integers(basis, v)) for v in ([1, -1], [1] * n))
    assert R.lift(R.to_coefficients(R.multiply(x, y))).tolist() == [2] + [0] * (n - 1)


@pytest.mark.parametrize("p", [97, 193, 257, 7681, 12289, 65537])
def test_small_primes_transform_as_well(p: int) -> None:
    n = 16
    random = np.random.default_rng(p)
    x, y = (random.integers(0, p, (1, n), np.uint64) for _ in range(2))
    values = transforms.forward(x, (p,)) * transforms.forward(y, (p,)) % np.uint64(p)
    wanted = [c % p for c in negacyclic(x[0], y[0])]
    assert transforms.inverse(values, (p,))[0].tolist() == wanted


@pytest.mark.parametrize("p", PRIMES)
@pytest.mark.parametrize("n", [16, 1024])
def test_every_value_is_that_at_the_power_of_the_root_that_the_table_says(n: int, p: int) -> None:
    random = np.random.default_rng(p % 1000)
    x = random.integers(0, p, (1, n), np.uint64)
    order = transforms.exponents(n, p)
    assert sorted(order.tolist()) == list(range(1, 2 * n, 2))
    unit = np.zeros((1, n), np.uint64)
    unit[0, 1] = 1
    root = int(transforms.forward(unit, (p,))[0, 0])
    assert pow(root, n, p) == p - 1
    values = transforms.forward(x, (p,))[0]
    for k in random.integers(0, n, 5):
        point = pow(root, int(order[k]), p)
        assert sum(int(c) * pow(point, i, p) for i, c in enumerate(x[0])) % p == int(values[k])


@settings(deadline=None)
@given(drawn=rings, a=st.integers(-99, 99), b=st.integers(-99, 99))
def test_substitutions_compose_in_both_domains(drawn: Rings, a: int, b: int) -> None:
    a, b = 2 * a + 1, 2 * b + 1
    R = drawn.exact
    x = drawn.poly(drawn.q, Domain.COEFFICIENT)[0]
    once = R.automorphism(x, a * b)
    assert (R.automorphism(R.automorphism(x, a), b).data == once.data).all()
    v = R.automorphism(R.automorphism(R.to_ntt(x), a), b)
    assert (R.to_coefficients(v).data == once.data).all()


def test_from_one_seed_the_same_is_drawn_and_from_two_other_values() -> None:
    def drawn(seed: int | None) -> list[int]:
        R = ring(64, seed)
        polys = (R.uniform(R.q), R.ternary(R.q), R.gaussian(R.q, 3.2))
        return [int(c) for x in polys for c in x.data.ravel()]

    assert drawn(7) == drawn(7) != drawn(8)
    assert drawn(None) != drawn(None)


def small(R: RnsRing, x: object) -> np.ndarray:
    return R.lift(R.restrict(x, R.q[:1]))  # type: ignore[arg-type]


def test_small_polynomials_are_the_same_integers_in_every_limb() -> None:
    R = ring(2**12)
    for x in (R.ternary(R.q), R.ternary(R.q, 64), R.gaussian(R.q, 3.2)):
        wanted = small(R, x)
        assert (R.lift(x) == wanted).all()
        assert (R.convert(x, R.p, Conversion.EXACT).data == R.integers(R.p, wanted).data).all()


def test_the_distributions_are_those_asked_for() -> None:
    n = 2**14
    R = ring(n)
    thirds = [np.count_nonzero(small(R, R.ternary(R.q)) == v) / n for v in (-1, 0, 1)]
    assert max(abs(share - 1 / 3) for share in thirds) < 0.02
    sparse = small(R, R.ternary(R.q, 192))
    assert (np.count_nonzero(sparse), np.abs(sparse).max()) == (192, 1)
    assert 50 < np.count_nonzero(sparse == 1) < 142
    assert np.count_nonzero(sparse[: n // 2]) > 60  # spread over all coefficients
    noise = small(R, R.gaussian(R.q, 3.2))
    assert abs(noise.std() - 3.2) < 0.1
    assert abs(noise.mean()) < 0.15
    uniform = R.uniform(R.q).data / np.array(CHAIN, float)[:, np.newaxis]
    assert np.abs(uniform.mean(axis=1) - 0.5).max() < 0.02
    assert uniform.max() < 1


def test_residues_are_a_copy() -> None:
    R = ring(16)
    x = R.uniform(R.q)
    R.residues(x)[:] = 0
    assert x.data.any()


def test_a_digit_and_its_rest_make_the_whole() -> None:
    R = ring(32)
    x = R.restrict(R.given(R.q, Domain.COEFFICIENT, R.uniform(R.q).data), R.q[:1])
    low, high = R.digit(x, 0, 30, R.p), R.digit(x, 30, 30, R.p)
    made = R.add(low, R.scale(high, 2**30))
    assert (made.data == R.convert(x, R.p).data).all()
    assert low.basis == Basis((4, 5))
